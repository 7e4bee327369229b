// SPDX-License-Identifier: MIT
// forwarder: a preload library that does nothing: it passes each call to the real function, and counts it for the thread.
//
// The forwarder has the least cost that any library of this kind can have. bench/call_cost compares the forwarder with the other libraries.
#include <cstdarg>
#include <cstddef>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>

#define FORWARDER_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

thread_local unsigned long calls __attribute__((tls_model("initial-exec")));

using PreadFunction = ssize_t(int, void*, std::size_t, off_t);
using OpenFunction = int(const char*, int, ...);
using CloseFunction = int(int);

PreadFunction* real_pread;
OpenFunction* real_open;
CloseFunction* real_close;

template <typename Function>
void resolve(Function*& place, const char* name) {
  place = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__attribute__((constructor)) void resolve_all() {
  resolve(real_pread, "pread");
  resolve(real_open, "open");
  resolve(real_close, "close");
}

}  // namespace

FORWARDER_EXPORT ssize_t pread(int fd, void* buffer, std::size_t size_bytes, off_t offset_bytes) {
  ++calls;
  return real_pread(fd, buffer, size_bytes, offset_bytes);
}

FORWARDER_EXPORT int open(const char* path, int flags, ...) {
  ++calls;
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  return real_open(path, flags, mode);  // cppcheck-suppress CastAddressToIntegerAtReturn
}

FORWARDER_EXPORT int close(int fd) {
  ++calls;
  return real_close(fd);
}
