// SPDX-License-Identifier: MIT
#include "bench/hddsim/trace.hpp"

#include <fmt/core.h>

namespace hddsim {

Trace::~Trace() {
  if (file_ != nullptr) std::fclose(file_);
}

bool Trace::open(const std::string& path) {
  file_ = std::fopen(path.c_str(), "we");
  if (file_ == nullptr) return false;
  fmt::print(file_,
             "arrived_ns,started_ns,ended_ns,answered_ns,queue,operation,offset,length,seek_ns,rotation_ns,"
             "transfer_ns,buffered\n");
  return std::fflush(file_) == 0;
}

void Trace::write(const TraceLine& line) {
  if (file_ == nullptr) return;
  constexpr const char* kNames[] = {"read", "write", "flush"};
  fmt::print(file_, "{},{},{},{},{},{},{},{},{},{},{},{}\n", line.arrived_ns, line.started_ns,
             line.service.end_ns, line.answered_ns, line.queue,
             kNames[static_cast<unsigned>(line.request.operation)], line.request.offset, line.request.length,
             line.service.seek_ns, line.service.rotation_ns, line.service.transfer_ns,
             line.service.is_buffered ? 1 : 0);
  std::fflush(file_);  // a reader of the file sees whole lines while the disk runs
}

}  // namespace hddsim
