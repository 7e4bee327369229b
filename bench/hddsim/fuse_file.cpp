// SPDX-License-Identifier: MIT
#define FUSE_USE_VERSION 34
#include "bench/hddsim/fuse_file.hpp"

#include <fuse3/fuse_lowlevel.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "toolbox/cli/diagnostics.hpp"

namespace hddsim {
namespace {

constexpr fuse_ino_t kFolder = FUSE_ROOT_ID;
constexpr fuse_ino_t kDisk = FUSE_ROOT_ID + 1;
constexpr double kForeverS = 86400;
constexpr unsigned kRequestBytesMax = 1024 * 1024;
constexpr unsigned kBackgroundMax = 128;  // requests under way at once; the engine holds the queue, not FUSE

struct Served {
  int backing_fd;
  std::uint64_t size_bytes;
  Engine& engine;
};

Served& served(fuse_req_t request) {
  return *static_cast<Served*>(fuse_req_userdata(request));
}

struct stat status_of(const Served& disk, fuse_ino_t inode) {
  struct stat status {};
  status.st_ino = inode;
  status.st_nlink = inode == kFolder ? 2 : 1;
  status.st_mode = inode == kFolder ? S_IFDIR | 0755 : S_IFREG | 0600;
  if (inode == kDisk) status.st_size = static_cast<off_t>(disk.size_bytes);
  return status;
}

void initialise(void* /*served*/, fuse_conn_info* connection) {
  connection->max_write = kRequestBytesMax;
  connection->max_read = kRequestBytesMax;
  connection->max_background = kBackgroundMax;
  connection->congestion_threshold = kBackgroundMax;
  connection->want |= connection->capable & (FUSE_CAP_ASYNC_DIO | FUSE_CAP_ASYNC_READ);
}

void look_up(fuse_req_t request, fuse_ino_t folder, const char* name) {
  if (folder != kFolder || std::strcmp(name, kDiskFileName) != 0) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  fuse_entry_param entry{};
  entry.ino = kDisk;
  entry.attr = status_of(served(request), kDisk);
  entry.attr_timeout = entry.entry_timeout = kForeverS;
  fuse_reply_entry(request, &entry);
}

void get_attributes(fuse_req_t request, fuse_ino_t inode, fuse_file_info* /*file*/) {
  const struct stat status = status_of(served(request), inode);
  fuse_reply_attr(request, &status, kForeverS);
}

// The size of the file is fixed; changes of times are ignored.
void set_attributes(fuse_req_t request, fuse_ino_t inode, struct stat* /*wanted*/, int changes,
                    fuse_file_info* file) {
  if ((changes & FUSE_SET_ATTR_SIZE) != 0) {
    fuse_reply_err(request, EPERM);
    return;
  }
  get_attributes(request, inode, file);
}

void open_file(fuse_req_t request, fuse_ino_t inode, fuse_file_info* file) {
  if (inode != kDisk) {
    fuse_reply_err(request, EISDIR);
    return;
  }
  file->direct_io = 1;
  fuse_reply_open(request, file);
}

void read_folder(fuse_req_t request, fuse_ino_t /*inode*/, std::size_t size, off_t offset,
                 fuse_file_info* /*file*/) {
  char buffer[256];
  if (offset > 0) {
    fuse_reply_buf(request, nullptr, 0);
    return;
  }
  const struct stat status = status_of(served(request), kDisk);
  const std::size_t used = fuse_add_direntry(request, buffer, sizeof buffer, kDiskFileName, &status, 1);
  fuse_reply_buf(request, buffer, std::min(used, size));
}

// The bytes are read from the backing file while the model's time passes, and are handed over when that time is up.
void read_file(fuse_req_t request, fuse_ino_t /*inode*/, std::size_t size, off_t offset,
               fuse_file_info* /*file*/) {
  const Served& disk = served(request);
  const auto start = static_cast<std::uint64_t>(offset);
  if (start >= disk.size_bytes) {
    fuse_reply_buf(request, nullptr, 0);
    return;
  }
  const std::uint64_t length = std::min<std::uint64_t>(size, disk.size_bytes - start);
  auto bytes = std::make_shared<std::vector<char>>();
  const int fd = disk.backing_fd;
  disk.engine.submit({Operation::read, start, length},
                     {[bytes, fd, length, offset] {
                        bytes->resize(length);
                        const ssize_t got = pread(fd, bytes->data(), length, offset);
                        bytes->resize(got < 0 ? 0 : static_cast<std::size_t>(got));
                      },
                      [bytes, request, length] {
                        if (bytes->size() == length) {
                          fuse_reply_buf(request, bytes->data(), bytes->size());
                        } else {
                          fuse_reply_err(request, EIO);
                        }
                      }});
}

void write_file(fuse_req_t request, fuse_ino_t /*inode*/, const char* bytes, std::size_t size, off_t offset,
                fuse_file_info* /*file*/) {
  const Served& disk = served(request);
  const auto start = static_cast<std::uint64_t>(offset);
  if (start + size > disk.size_bytes) {
    fuse_reply_err(request, ENOSPC);
    return;
  }
  const ssize_t written = pwrite(disk.backing_fd, bytes, size, offset);
  if (written != static_cast<ssize_t>(size)) {  // for instance, the backing file's file system is full
    fuse_reply_err(request, written < 0 ? errno : EIO);
    return;
  }
  disk.engine.submit({Operation::write, start, size},
                     {[] {}, [request, size] { fuse_reply_write(request, size); }});
}

void sync_file(fuse_req_t request, fuse_ino_t /*inode*/, int /*is_data_only*/, fuse_file_info* /*file*/) {
  served(request).engine.submit({Operation::flush, 0, 0}, {[] {}, [request] { fuse_reply_err(request, 0); }});
}

// A discard frees memory of the backing file. It takes no time of the model.
void allocate(fuse_req_t request, fuse_ino_t /*inode*/, int mode, off_t offset, off_t length,
              fuse_file_info* /*file*/) {
  const int status = fallocate(served(request).backing_fd, mode | FALLOC_FL_KEEP_SIZE, offset, length);
  fuse_reply_err(request, status == 0 ? 0 : errno);
}

void file_system_status(fuse_req_t request, fuse_ino_t /*inode*/) {
  struct statvfs status {};
  status.f_bsize = status.f_frsize = 4096;
  status.f_blocks = served(request).size_bytes / status.f_frsize;
  fuse_reply_statfs(request, &status);
}

fuse_lowlevel_ops operations() {
  fuse_lowlevel_ops table{};
  table.init = initialise;
  table.lookup = look_up;
  table.getattr = get_attributes;
  table.setattr = set_attributes;
  table.open = open_file;
  table.readdir = read_folder;
  table.read = read_file;
  table.write = write_file;
  table.fsync = sync_file;
  table.fallocate = allocate;
  table.statfs = file_system_status;
  return table;
}

}  // namespace

int serve_file(const std::string& mount_folder, int backing_fd, std::uint64_t size_bytes, Engine& engine) {
  Served disk{backing_fd, size_bytes, engine};
  const fuse_lowlevel_ops table = operations();
  char name[] = "hddsim";
  char option[] = "-ofsname=hddsim,max_read=1048576";
  char* arguments[] = {name, option, nullptr};
  fuse_args options = FUSE_ARGS_INIT(2, arguments);
  fuse_session* session = fuse_session_new(&options, &table, sizeof table, &disk);
  int status = 1;
  if (session == nullptr || fuse_set_signal_handlers(session) != 0) {
    gray::cli::warn("cannot start a FUSE session");
  } else if (fuse_session_mount(session, mount_folder.c_str()) != 0) {
    gray::cli::warn("cannot mount at '{}'", mount_folder);
  } else {
    status = fuse_session_loop(session) < 0 ? 1 : 0;
    engine.drain();  // the outstanding answers use the session
    fuse_session_unmount(session);
  }
  if (session != nullptr) {
    fuse_remove_signal_handlers(session);
    fuse_session_destroy(session);
  }
  fuse_opt_free_args(&options);
  return status;
}

}  // namespace hddsim
