#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_guest_test: unusual programs run as they would without discnice: programs linked with musl, programs with stacks of a few kilobytes,
# and programs with a sanitizer.
#
# How: programs linked with musl run with each of discnice's libraries in LD_PRELOAD, alone and as children of a job, and must print the same as without them. The
# launcher and `explain` must not say that the library holds them. A program with the smallest threads and handlers on alternate stacks of 8 KiB runs under both
# libraries. Its painted stack shows how deep a call of the library goes at most. Programs with each sanitizer of each installed compiler run under the
# launcher, and AddressSanitizer still sees what a read writes behind its buffer. Left out: other libcs than musl and glibc. The stack depths depend on the
# compiler and on the code that runs on this machine.
source "$(dirname "$0")/../support/discnice.bash"
cd "$SCRATCH"
PROFILE_LIBRARY=$LIB/libdiscnice-profile.so
readonly PROFILE_LIBRARY
readonly DEPTH_BYTES_MAX=4096
skipped=()

# --- musl ------------------------------------------------------------------------------------------------------

# Uses some functions of each table of hooks. The output depends on nothing else.
write_musl_program() {
  cat >musl.c <<'TEXT'
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[65536];
static const char *input;

static unsigned long sum_of(const char *name) {
  unsigned long sum = 5381;
  int fd = open(name, O_RDONLY);
  long got;
  while ((got = read(fd, block, sizeof block)) > 0)
    for (long i = 0; i < got; ++i) sum = sum * 33 + (unsigned char)block[i];
  close(fd);
  return sum;
}

static void *in_thread(void *unused) {
  char byte[512];
  int fd = open(input, O_RDONLY);
  long got = pread(fd, byte, sizeof byte, 1000);
  close(fd);
  return (void *)(got + (unused != 0));
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  input = argv[1];
  const char *trouble = dlerror();
  printf("dlerror %s, errno %d\n", trouble ? trouble : "none", errno);
  printf("sum %lx\n", sum_of(input));
  FILE *out = fopen("copy", "w");
  fprintf(out, "%d lines\n", 1);
  for (int i = 0; i < 20000; ++i) fputs("line\n", out);
  printf("fclose %d\n", fclose(out));
  printf("sum of copy %lx\n", sum_of("copy"));
  FILE *in = fopen("copy", "r");
  char line[100];
  int lines = 0;
  while (fgets(line, sizeof line, in)) ++lines;
  fclose(in);
  printf("lines %d\n", lines);
  int fd = open("copy", O_RDWR);
  printf("dup2 to itself %d\n", dup2(fd, fd) == fd);
  struct stat status;
  printf("fstat %d size %ld\n", fstat(fd, &status), (long)status.st_size);
  void *map = mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0);
  printf("map %c\n", map == MAP_FAILED ? '-' : ((char *)map)[2]);
  printf("ftruncate %d, syscall %ld\n", ftruncate(fd, 100), syscall(SYS_lseek, fd, 0L, SEEK_END));
  close(fd);
  errno = 0;
  printf("read of no descriptor %ld", (long)read(-1, block, 1));
  printf(" errno %d\n", errno);
  mkdir("folder", 0700);
  rename("copy", "folder/copy");
  DIR *folder = opendir("folder");
  int entries = 0;
  while (readdir(folder)) ++entries;
  closedir(folder);
  printf("entries %d, unlink %d, rmdir %d\n", entries, unlink("folder/copy"), rmdir("folder"));
  pthread_t thread;
  void *result;
  pthread_create(&thread, 0, in_thread, 0);
  pthread_join(thread, &result);
  printf("thread %ld\n", (long)result);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    printf("child sum %lx\n", sum_of(input));
    fflush(stdout);
    _exit(7);
  }
  int ended = 0;
  waitpid(child, &ended, 0);
  printf("child %d, shell %d\n", WEXITSTATUS(ended), WEXITSTATUS(system("exit 3")));
  return 5;
}
TEXT
  musl-gcc -O1 -w -o musl-program musl.c 2>musl-errors || fail "musl-gcc: $(<musl-errors)"
}

# like_without NAME COMMAND...: the program prints the same and ends with the same status as by itself.
like_without() {
  local name=$1 status=0
  shift
  timeout -k 1 60 "$@" >said 2>err || status=$?
  ((status == 5)) || complain "$name: status $status"
  cmp -s said expected || complain "$name: $(diff expected said | head -5)"
}

musl_programs() {
  local library status=0
  if ! command -v musl-gcc >/dev/null; then
    skipped+=('musl-gcc is not installed')
    return
  fi
  write_musl_program
  head -c 300000 /dev/urandom >input
  ./musl-program input >expected || status=$?
  ((status == 5)) || fail "the musl program ends with $status without us"
  for library in "$LIBRARY" "$PROFILE_LIBRARY"; do
    [[ -e $library ]] || continue
    like_without "${library##*/}, nothing asked" env LD_PRELOAD="$library" ./musl-program input
    like_without "${library##*/}, a rate asked" env LD_PRELOAD="$library" DISCNICE_RATE=5M ./musl-program input
  done
  like_without 'child of a job' "$DISCNICE" --rate 50M -- sh -c './musl-program input; exit $?'
  [[ ! -e $PROFILE_LIBRARY ]] ||
    like_without 'child of a profiled job' "$DISCNICE" --rate 50M --profile stacks -- sh -c './musl-program input; exit $?'
  status=0
  like_without 'held from outside' "$DISCNICE" --rate 5M -- ./musl-program input
  grep -q "'musl-program' is linked with musl.*held from outside" err || complain "the launcher does not say who is held: $(<err)"
  "$DISCNICE" --rate 5M --engine preload -- ./musl-program input >said 2>err || status=$?
  ((status == 125)) || complain "the launcher ends with $status for a musl program"
  grep -q 'musl' err || complain "the launcher does not say musl: $(<err)"
  [[ ! -s said ]] || complain 'the launcher ran a musl program'
  status=0
  "$DISCNICE" explain ./musl-program >said 2>&1 || status=$?
  grep -q 'engine: pace.*musl' said || complain "explain calls a musl program covered: $(<said)"
  own_loaders
}

# A loader at another place is recognised by its content.
own_loaders() {
  local status=0
  cp "$(ldd "$DISCNICE" | awk '/ld-linux/ { print $1 }')" own-loader
  cp "$(readlink -f /lib/ld-musl-*.so.1 | head -1)" own-musl
  printf 'int main(void) { return 5; }\n' >five.c
  "${GRAY_CC:-cc}" -o by-own-loader five.c -Wl,--dynamic-linker="$SCRATCH/own-loader"
  musl-gcc -o by-own-musl five.c -Wl,--dynamic-linker="$SCRATCH/own-musl"
  "$DISCNICE" --rate 5M --quiet -- ./by-own-loader 2>err || status=$?
  ((status == 5)) || complain "a program with glibc's loader elsewhere: status $status: $(<err)"
  status=0
  "$DISCNICE" --rate 5M --quiet --engine preload -- ./by-own-musl 2>err || status=$?
  [[ $status == 125 && $(<err) == *musl* ]] || complain "a program with musl's loader elsewhere: status $status: $(<err)"
}

# --- small stacks ----------------------------------------------------------------------------------------------

# on_small_stacks NAME COMMAND...: both cases print the same as without discnice.
on_small_stacks() {
  local name=$1 case status
  shift
  for case in threads handlers; do
    status=0
    timeout -k 1 60 "$@" "$TOOLS/small_stacks" "$case" . >said 2>err || status=$?
    [[ $status == 0 && $(<said) == "$("$TOOLS/small_stacks" "$case" .)" ]] ||
      complain "$case, $name: status $status: $(<said) $(tail -3 err)"
  done
}

# not_deep NAME COMMAND...
not_deep() {
  local name=$1 depth
  shift
  depth=$("$@" "$TOOLS/small_stacks" depth . 2>err) || complain "depth, $name: $(<err)"
  printf '%6d bytes of stack: %s\n' "$depth" "$name"
  ((depth <= DEPTH_BYTES_MAX)) || complain "$name takes $depth bytes of the caller's stack"
}

small_stacks() {
  local word
  on_small_stacks 'the plain library' env LD_PRELOAD="$LIBRARY" DISCNICE_RATE=20M
  for word in auto mincore timed none; do
    not_deep "cached pages found by $word" env LD_PRELOAD="$LIBRARY" DISCNICE_RATE=20M DISCNICE_BACKEND="$word"
  done
  for word in nice idle; do not_deep "policy $word" env LD_PRELOAD="$LIBRARY" DISCNICE_POLICY="$word"; done
  not_deep 'recording' "$DISCNICE" --quiet --rate 20M --record record --
  if [[ -e $PROFILE_LIBRARY ]]; then
    on_small_stacks 'the profiling library' "$DISCNICE" --quiet --rate 20M --profile stacks --
    not_deep 'profiling' "$DISCNICE" --quiet --rate 20M --profile stacks --
    grep -q do_round stacks || complain "the profile of small stacks names nothing: $(<stacks)"
  else
    skipped+=('no libdiscnice-profile.so (needs libunwind)')
  fi
}

# --- sanitizers ------------------------------------------------------------------------------------------------

# like_alone NAME STATUS PROGRAM ARGUMENT...: under the launcher, and as a child of a job, the program ends with STATUS and prints the same.
like_alone() {
  local name=$1 want=$2 status=0
  shift 2
  "$@" >expected 2>expected-err || true
  "$DISCNICE" --quiet --rate 50M -- "$@" >said 2>err || status=$?
  { ((status == want)) && cmp -s said expected; } || complain "$name: status $status: $(head -3 err)"
  status=0
  "$DISCNICE" --quiet --rate 50M -- sh -c '"$@"; exit $?' sh "$@" >said 2>err || status=$?
  { ((status == want)) && cmp -s said expected; } || complain "$name, a child: status $status: $(head -3 err)"
}

sanitizers() {
  local compiler kind tried=0
  cat >sanitized.c <<'TEXT'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  static char block[65536];
  long sum = 0, got;
  int fd = open(argv[1], O_RDONLY);
  while ((got = read(fd, block, sizeof block)) > 0)
    for (long i = 0; i < got; ++i) sum = (sum * 33 + (unsigned char)block[i]) & 0xffffff;
  printf("%lx\n", sum);
  fflush(stdout);
  lseek(fd, 0, SEEK_SET);
  char *small = malloc(10);
  if (argc > 2) read(fd, small, 20);
  free(small);
  return 5;
}
TEXT
  head -c 300000 /dev/urandom >input
  for compiler in gcc clang; do
    for kind in address thread undefined leak memory; do
      "$compiler" -O1 -w -fsanitize="$kind" -o "by-$compiler-$kind" sanitized.c 2>/dev/null || continue
      ./"by-$compiler-$kind" input >/dev/null 2>&1 || (($? == 5)) || continue # this machine cannot run it
      like_alone "$compiler's $kind sanitizer" 5 "./by-$compiler-$kind" input
      tried=$((tried + 1))
    done
    [[ -e by-$compiler-address ]] || continue
    like_alone "$compiler's address sanitizer and a mistake" 1 "./by-$compiler-address" input mistake
    grep -q heap-buffer-overflow err || complain "$compiler's address sanitizer misses a read that is too long: $(head -3 err)"
  done
  ((tried > 0)) || skipped+=('no sanitizer')
  # The user's own setting stays.
  [[ $(ASAN_OPTIONS=color=never "$DISCNICE" --quiet -- sh -c 'echo $ASAN_OPTIONS') == color=never:* ]] ||
    complain "the user's ASAN_OPTIONS are gone"
  [[ $(ASAN_OPTIONS=verify_asan_link_order=1 "$DISCNICE" --quiet -- sh -c 'echo $ASAN_OPTIONS') == verify_asan_link_order=1 ]] ||
    complain "the user's verify_asan_link_order is changed"
}

musl_programs
small_stacks
sanitizers
conclude
((${#skipped[@]} == 0)) || skip "half of it: ${skipped[*]}"
