// SPDX-License-Identifier: MIT
// line_traffic: both ends of what goes over a line, where there is no Python; and how alike two series of windows are.
//
//   line_traffic serve                                     takes and answers at port 7000, until it is killed
//   line_traffic upload ADDRESS SECONDS CONGESTION         sends what it can over one connection. Each 50 ms a line: the instant (s), the kernel's window,
//                                                          what is under way, what has arrived (bytes), the kernel's round trip (us)
//   line_traffic ask ADDRESS SECONDS                       a request of one byte each 40 ms. For each a line: the instant (s), until the answer (ms)
//   line_traffic pace ADDRESS SECONDS BYTES/S              UDP at that rate, the packets' headers counted
//   line_traffic now                                       the instant (s) of the same clock
#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "toolbox/base/clock.hpp"

namespace {

using gray::base::monotonic_ns;

constexpr std::uint16_t kPort = 7000;
constexpr char kSent = 'u';   // the first byte of a connection whose bytes are thrown away
constexpr char kAsked = '?';  // of a connection whose bytes are answered
constexpr std::uint64_t kNsPerS = 1'000'000'000;
constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::uint64_t kLookNs = 50 * kNsPerMs;
constexpr std::uint64_t kAskNs = 40 * kNsPerMs;
constexpr std::uint64_t kPatienceNs = 20 * kNsPerS;
constexpr std::size_t kPieceBytes = 1U << 16U;
constexpr std::size_t kDatagramBytes = 1472;
constexpr std::uint64_t kPacketBytes = kDatagramBytes + 28;  // with its headers
constexpr int kBacklog = 64;

double seconds_of(std::uint64_t instant_ns) {
  return static_cast<double>(instant_ns) / static_cast<double>(kNsPerS);
}

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

void sleep_until(std::uint64_t instant_ns) {
  const timespec instant{static_cast<time_t>(instant_ns / kNsPerS), static_cast<long>(instant_ns % kNsPerS)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &instant, nullptr) == EINTR) continue;
}

sockaddr_in address_of(const char* text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  if (text != nullptr && inet_pton(AF_INET, text, &address.sin_addr) != 1) die(text);
  return address;
}

/// A socket of that type with the server as its peer, which may still be starting.
int connected(const char* text, int type, const std::string& congestion = "") {
  const sockaddr_in address = address_of(text);
  for (const std::uint64_t until_ns = monotonic_ns() + kPatienceNs;;) {
    const int fd = socket(AF_INET, type, 0);
    if (!congestion.empty() && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion.data(),
                                          static_cast<socklen_t>(congestion.size())) != 0)
      die(congestion.c_str());
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
    if (errno != ECONNREFUSED || monotonic_ns() > until_ns) die("connect");
    close(fd);
    sleep_until(monotonic_ns() + kNsPerMs);
  }
}

void answer(int fd) {
  std::array<char, kPieceBytes> piece;
  char word = 0;
  if (read(fd, &word, 1) != 1) return;
  if (word == kAsked && write(fd, &word, 1) != 1) return;
  for (ssize_t length = 0; (length = read(fd, piece.data(), piece.size())) > 0;)
    if (word == kAsked && write(fd, piece.data(), static_cast<std::size_t>(length)) != length) return;
}

int serve() {
  std::signal(SIGCHLD, SIG_IGN);
  const sockaddr_in address = address_of(nullptr);
  const auto* place = reinterpret_cast<const sockaddr*>(&address);
  // The datagram socket is never read: without the socket each packet would be answered by an error.
  const int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  const int listening = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(datagrams, place, sizeof address) != 0 || bind(listening, place, sizeof address) != 0 ||
      listen(listening, kBacklog) != 0)
    die("bind");
  for (;;) {
    const int fd = accept(listening, nullptr, nullptr);
    if (fd < 0) continue;
    if (fork() == 0) {
      close(listening);
      close(datagrams);
      answer(fd);
      _exit(0);
    }
    close(fd);
  }
}

void tell_window(int fd) {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) die("TCP_INFO");
  const std::uint64_t segment_bytes = info.tcpi_snd_mss;
  std::printf("%.6f %" PRIu64 " %" PRIu64 " %" PRIu64 " %u\n", seconds_of(monotonic_ns()),
              info.tcpi_snd_cwnd * segment_bytes, info.tcpi_unacked * segment_bytes,
              std::uint64_t{info.tcpi_bytes_acked}, info.tcpi_rtt);
}

int upload(const char* address, std::uint64_t until_ns, const char* congestion) {
  static const std::array<char, kPieceBytes> piece{kSent};
  const int fd = connected(address, SOCK_STREAM, congestion);
  for (std::uint64_t look_ns = monotonic_ns(); monotonic_ns() < until_ns;) {
    const std::uint64_t now_ns = monotonic_ns();
    if (now_ns >= look_ns) {
      tell_window(fd);
      look_ns += kLookNs;
      continue;
    }
    pollfd polled{fd, POLLOUT, 0};
    const timespec rest{0, static_cast<long>(std::min(look_ns, until_ns) - now_ns)};
    if (ppoll(&polled, 1, &rest, nullptr) > 0 && send(fd, piece.data(), piece.size(), MSG_DONTWAIT) < 0 &&
        errno != EAGAIN)
      die("send");
  }
  return 0;
}

int ask(const char* address, std::uint64_t until_ns) {
  const int fd = connected(address, SOCK_STREAM);
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  while (monotonic_ns() < until_ns) {
    const std::uint64_t asked_ns = monotonic_ns();
    char byte = kAsked;
    if (write(fd, &byte, 1) != 1 || read(fd, &byte, 1) != 1) die("ask");
    const std::uint64_t answered_ns = monotonic_ns();
    std::printf("%.6f %.3f\n", seconds_of(asked_ns), 1e3 * seconds_of(answered_ns - asked_ns));
    sleep_until(answered_ns + kAskNs);
  }
  return 0;
}

int pace(const char* address, std::uint64_t until_ns, std::uint64_t bytes_per_s) {
  const std::array<char, kDatagramBytes> datagram{};
  const int fd = connected(address, SOCK_DGRAM);
  const std::uint64_t start_ns = monotonic_ns();
  for (std::uint64_t sent = 0;; ++sent) {
    const std::uint64_t due_ns = start_ns + sent * kPacketBytes * kNsPerS / bytes_per_s;
    if (due_ns >= until_ns) break;
    sleep_until(due_ns);
    if (send(fd, datagram.data(), datagram.size(), 0) < 0) die("send");
  }
  sleep_until(until_ns);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  std::signal(SIGPIPE, SIG_IGN);
  if (way == "serve") return serve();
  if (way == "now") return std::printf("%.6f\n", seconds_of(monotonic_ns())) < 0 ? 1 : 0;
  if (argc < 4) return 2;
  const std::uint64_t until_ns = monotonic_ns() + static_cast<std::uint64_t>(std::strtod(argv[3], nullptr) *
                                                                             static_cast<double>(kNsPerS));
  if (way == "ask") return ask(argv[2], until_ns);
  if (argc < 5) return 2;
  if (way == "upload") return upload(argv[2], until_ns, argv[4]);
  if (way == "pace") return pace(argv[2], until_ns, std::strtoull(argv[4], nullptr, 10));
  return 2;
}
