#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_profile_test: a profile names the functions that cause disk traffic, with the predicted cost of each.
#
# How: programs in C, C++ and, where there is a compiler, Rust have functions that read known amounts of uncached and of cached data. The folded stacks must show the
# whole path from main to the reader, the bytes of the uncached reads, and no bytes of the cached reads. Also tested: a tree of processes, a stripped program, a
# program whose behaviour must not change, an option that cannot have its effect. Left out: how much a walk costs; libraries that are loaded and unloaded again
# and again.
source "$(dirname "$0")/../support/discnice.bash"
[[ -e $LIB/libdiscnice-profile.so ]] || skip 'not built: libdiscnice-profile.so (needs libunwind)'
need gcc dash
command -v addr2line >/dev/null || command -v llvm-symbolizer >/dev/null || skip 'neither addr2line nor llvm-symbolizer is installed'
cd "$SCRATCH"
make_file ./cold 8000000
make_file ./cached 4000000
sync cold cached
hold cached

cat >reader.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
static char buffer[65536];
__attribute__((noinline)) long read_all(const char *path) {
  long sum = 0;
  int fd = open(path, O_RDONLY);
  for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;) sum += got;
  close(fd);
  return sum;
}
__attribute__((noinline)) long expensive(void) { return read_all("cold") + 1; }
__attribute__((noinline)) long cheap(void) { return read_all("cached") + 1; }
__attribute__((noinline)) long writer(void) {
  int fd = open("written", O_CREAT | O_TRUNC | O_WRONLY, 0600);
  for (int i = 0; i < 16; ++i)
    if (write(fd, buffer, sizeof buffer) < 0) return 1;
  close(fd);
  return 1;
}
int main(void) {
  printf("%ld\n", expensive() + cheap() + writer());
  return 3;
}
C
cat >reader.cpp <<'CPP'
#include <fcntl.h>
#include <unistd.h>
#include <string>
namespace store {
struct Reader {
  explicit Reader(const std::string& path) : fd(::open(path.c_str(), O_RDONLY)) {}
  template <typename T>
  __attribute__((noinline)) long sum(T limit) {
    char buffer[4096];
    long total = 0;
    for (ssize_t got; total < limit && (got = ::read(fd, buffer, sizeof buffer)) > 0;) total += got;
    return total;
  }
  int fd;
};
}  // namespace store
int main() { return store::Reader("cold").sum(1L << 40) == 8000000 ? 3 : 1; }
CPP
cat >reader.rs <<'RUST'
use std::fs::File;
use std::io::Read;
#[inline(never)]
fn consume(path: &str) -> usize {
    let mut bytes = vec![0u8; 65536];
    let mut file = File::open(path).unwrap();
    let mut sum = 0;
    loop {
        let got = file.read(&mut bytes).unwrap();
        if got == 0 { return sum; }
        sum += got;
    }
}
fn main() { std::process::exit(if consume("cold") == 8000000 { 3 } else { 1 }); }
RUST

# profile PROGRAM...: runs it on an uncached and a cached file; leaves `folded` and `table`.
profile() {
  make_cold cold
  make_warm cached
  rm -f written
  expect_status 3 "$DISCNICE" run --profile folded -- "$@" >out 2>table
  [[ -s folded ]] || complain "no stacks of $*: $(<table)"
  if grep -Evq '^[^ ].* [0-9]+$' folded; then complain "$*: not a folded stack: $(grep -Ev '^[^ ].* [0-9]+$' folded | head -1)"; fi
}

# bytes_of PATTERN: the sum over all stacks that match.
bytes_of() { awk -v pattern="$1" '$0 ~ pattern { sum += $NF } END { print sum + 0 }' folded; }

near() { # WHAT BYTES EXPECTED
  echo "$1: $2 bytes"
  holds "$2 > 0.97 * $3 && $2 < 1.03 * $3 + 20000" || complain "$1: $2 bytes instead of $3: $(head -5 folded)"
}

c_program() {
  gcc -O1 -g -o reader reader.c
  profile ./reader
  near 'C, the cold file' "$(bytes_of '^\[reader\];.*main;expensive;read_all;\[read\]')" 8000000
  near 'C, the writer' "$(bytes_of 'main;writer;\[write\]')" 1048576
  [[ $(bytes_of cheap) == 0 ]] || complain "cached reads have a cost: $(grep cheap folded)"
  grep -Eq '7\.63 MiB.* read_all$' table || complain "no table: $(<table)"
  [[ $(<out) == 12000003 ]] || complain "a profiled program prints $(<out)"
  strip -o stripped reader
  profile ./stripped
  near 'C, stripped' "$(bytes_of '^\[stripped\];.*\[stripped\+0x[0-9a-f]+\];\[read\]')" 8000000
}

cpp_program() {
  "${GRAY_PRESET_CXX:-g++}" -std=c++17 -O1 -g -o reader_cpp reader.cpp
  profile ./reader_cpp
  near 'C++' "$(bytes_of 'main;.*store::Reader::sum<long>\(long\);\[read\]')" 8000000
}

rust_program() {
  if ! command -v rustc >/dev/null || ! rustc -g -O -o reader_rs reader.rs 2>/dev/null; then
    echo 'not shown: a Rust program (no rustc here)'
    return
  fi
  profile ./reader_rs
  near 'Rust' "$(bytes_of 'reader::main.*reader::consume.*\[read\]')" 8000000
}

# The stacks of children by fork and exec, some of them short-lived, and of a program with threads have the names of
# their own functions.
tree_of_processes() {
  make_cold cold
  expect_status 0 "$DISCNICE" run --profile folded -- dash -c './reader; cat cold >copy; (cat cached >part) & wait; true' >out 2>table
  near 'tree, by the C program' "$(bytes_of '^\[reader\];.*expensive')" 8000000
  near 'tree, by cat' "$(bytes_of '^\[cat\];.*\[write\]')" 12000000
}

together_with_a_recording() {
  make_cold cold
  expect_status 3 "$DISCNICE" run --json --report report.json --profile folded --record record -- ./reader >out 2>said
  [[ ! -s said ]] || complain "it says: $(<said)"
  grep -q '"functions":\[{"function":"read_all","own_bytes":' report.json || complain "no functions in $(<report.json)"
  "$DISCNICE" replay record >/dev/null || complain 'the recording beside a profile is not whole'
}

refusals() {
  expect_status 125 "$DISCNICE" run --profile /no/such/folder/file -- touch ran 2>said
  [[ $(wc -l <said) -eq 1 && ! -e ran ]] || complain "an unwritable profile: $(<said)"
  mkdir -p alone
  cp "$LIBRARY" alone/
  expect_status 125 env DISCNICE_LIBRARY="$SCRATCH/alone/libdiscnice.so" "$DISCNICE" run --profile folded -- touch ran 2>said
  grep -q 'libunwind' said || complain "without the second library: $(<said)"
  [[ $(wc -l <said) -eq 1 && ! -e ran ]] || complain "without the second library: $(<said)"
  # A process that is not profiled gets no libunwind.
  "$DISCNICE" run -q -- cat /proc/self/maps >maps
  if grep -q unwind maps; then complain 'libunwind is in a program that is not profiled'; fi
}

c_program
cpp_program
rust_program
tree_of_processes
together_with_a_recording
refusals
[[ -z $(segments) ]] || complain "left in /dev/shm: $(segments)"
conclude
