#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_notify_test: large calls of programs that the library cannot reach are made in steps, and have the same results as without discnice.
#
# How: a static program reads by calls of 8 MB, and the disk's own counter shows how much comes at once. Another program makes every kind of large call, right and
# wrong ones, and its results are compared with those of a run without discnice. The last cases are unusual ends: a signal within a call, a killed launcher, a
# program that goes on when the command has ended. Left out: how exact a rate is over seconds, and the cost of a call (bench/engines).
# Runs alone: it judges the time that a program takes on an emulated disk, which answers late when many other programs use the processors.
source "$(dirname "$0")/../support/discnice.bash"
need python3
need_root # for an emulated disk, whose counter tells what comes at once
need_built hddsim
[[ -c /dev/fuse && -e /dev/loop-control ]] || skip 'there is no /dev/fuse, or there are no loop devices, for an emulated disk'
readonly MB=1000000 UNIT=notify-$$
"$BIN/hddsim" up "$UNIT" --size 1G >"$SCRATCH/where" || skip "there is no emulated disk here"
at_exit "$BIN/hddsim" down --force "$UNIT"
at_exit cd /
OUT=$(mktemp -d /dev/shm/gray-notify.XXXXXX) # output to memory is no traffic of the disk
readonly OUT
at_exit rm -rf -- "$OUT"
chmod 755 "$OUT" "$SCRATCH"
cd "$(<"$SCRATCH/where")"
chmod 777 .

cat >"$SCRATCH/reader.c" <<'C'
// reader BYTES FILE: writes the file to standard output; reads by calls of so many bytes. With a third word it is a daemon first.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char** words) {
  long size = atol(words[1]), got;
  char* block = malloc(size);
  int file = open(words[2], O_RDONLY);
  if (count > 3 && fork() != 0) return 0;
  while ((got = read(file, block, size)) > 0)
    if (write(1, block, got) != got) return 1;
  return got < 0;
}
C
cat >"$SCRATCH/calls.c" <<'C'
// calls FILE: makes large calls of all kinds, and says what each one gave.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <unistd.h>
#define LARGE (3L << 20)
static char block[LARGE];
static void say(const char* name, long result, int file) {
  unsigned long sum = 0;
  int error = result < 0 ? errno : 0;
  for (long i = 0; i < LARGE; ++i) sum = sum * 31 + (unsigned char)block[i];
  printf("%s: %ld, %s, at %ld, %lx\n", name, result, strerror(error), (long)lseek(file, 0, SEEK_CUR), sum);
  memset(block, 0, LARGE);
}
// A copy may be shorter than it was asked for: all of it is made.
static long whole(int from, loff_t* from_at, int to, loff_t* to_at, size_t left, int by_sendfile) {
  long sum = 0, done = 0;
  while (left > 0 && (done = by_sendfile ? sendfile(to, from, from_at, left) : copy_file_range(from, from_at, to, to_at, left, 0)) > 0) {
    sum += done;
    left -= done;
  }
  return done < 0 ? done : sum;
}
int main(int count, char** words) {
  int file = open(words[1], O_RDONLY), writer = open(words[1], O_WRONLY), folder = open(".", O_RDONLY), ends[2];
  int copy = open("copy", O_RDWR | O_CREAT | O_TRUNC, 0644), append = open("append", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  loff_t from_at = 1000001, to_at = 77777;
  off_t at = 4000001;
  (void)count;
  say("read", read(file, block, LARGE), file);
  say("read", read(file, block, LARGE), file);
  say("pread", pread(file, block, LARGE, 5000001), file);
  say("pread, over the end", pread(file, block, LARGE, 11000000), file);
  say("pread, past the end", pread(file, block, LARGE, 12000001), file);
  say("pread, before the beginning", pread(file, block, LARGE, -1), file);
  say("pread, more than there is", pread(file, block, SIZE_MAX / 2, 9500000), file);
  say("read, not to be read", read(writer, block, LARGE), writer);
  say("read, a folder", read(folder, block, LARGE), folder);
  say("read, no file", read(999, block, LARGE), file);
  say("read, nowhere", read(file, (char*)8, LARGE), file);
  say("write, nowhere", write(copy, (char*)8, LARGE), copy);
  say("write", write(copy, block, LARGE), copy);
  say("pwrite", pwrite(copy, block, LARGE, 100), copy);
  if (pipe(ends) == 0 && fcntl(ends[0], F_SETPIPE_SZ, 1 << 20) > 0) {
    say("write, a pipe", write(ends[1], block, 1 << 20), file);
    say("read, a pipe", read(ends[0], block, LARGE), file);
  }
  lseek(file, 2000001, SEEK_SET);
  say("copy", whole(file, 0, copy, 0, LARGE, 0), file);
  say("copied", pread(copy, block, LARGE, LARGE), copy);
  say("copy, by offsets", whole(file, &from_at, copy, &to_at, LARGE, 0), file);
  say("copied", pread(copy, block, LARGE, 77777), copy);
  printf("offsets: %ld %ld\n", (long)from_at, (long)to_at);
  say("copy, over the end", whole(file, (from_at = 11500000, &from_at), copy, &to_at, LARGE, 0), file);
  say("copy, past the end", copy_file_range(file, (from_at = 13000000, &from_at), copy, 0, LARGE, 0), file);
  say("copy, to the end of a file", copy_file_range(file, 0, append, 0, LARGE, 0), file);
  say("copy, bad flags", copy_file_range(file, 0, copy, 0, LARGE, 77), file);
  say("copy, offset nowhere", copy_file_range(file, (loff_t*)8, copy, 0, LARGE, 0), file);
  say("copy, not to be written", copy_file_range(file, 0, file, 0, LARGE, 0), file);
  say("sendfile", whole(file, 0, copy, 0, LARGE, 1), file);
  say("sendfile, by an offset", whole(file, &at, copy, 0, LARGE, 1), file);
  printf("offset: %ld\n", (long)at);
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit = {20000000, 20000000};
  setrlimit(RLIMIT_FSIZE, &limit);
  say("copy, over a limit", copy_file_range(file, (from_at = 0, &from_at), copy, (to_at = 19999990, &to_at), LARGE, 0), file);
  say("write, over a limit", pwrite(copy, block, LARGE, 20000000), copy);
  return 0;
}
C
cat >"$SCRATCH/parent.c" <<'C'
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char** words) {
  int status = 1;
  (void)count;
  if (fork() == 0) execvp(words[1], words + 1);
  wait(&status);
  return WEXITSTATUS(status);
}
C
echo 'int main(void) { return 0; }' >"$SCRATCH/none.c"
"${GRAY_PRESET_CC:-cc}" -static -o "$SCRATCH/none" "$SCRATCH/none.c" 2>/dev/null || skip 'no static program can be linked here'
for name in reader calls parent; do
  "${GRAY_PRESET_CC:-cc}" -O1 -w -static -o "$SCRATCH/$name" "$SCRATCH/$name.c"
done
make_file "$PWD/big" $((24 * MB))
make_file "$PWD/small" $((12 * MB))
sync -f .
chmod 644 big small
sha256sum <big >"$OUT/wanted"
DISK=/sys/dev/block/$(stat -c %Hd:%Ld big)/stat
[[ -r $DISK ]] || skip "the kernel keeps no counters of the emulated disk"

# most NAME: prints the most that the disk was asked to read within 100 ms, beyond what the rate of 6 MB/s allows, in MB. While the processor is busy the counter is read later.
most() {
  python3 - "$1" "$DISK" <<'PYTHON'
import pathlib, sys, time
over, disk = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
samples, most = [], 0
while not over.exists():
    now, read = time.monotonic(), int(disk.read_text().split()[2]) * 512
    samples = [one for one in samples if now - one[0] < 0.1] or samples[-1:]
    for before, bytes_then in samples:
        most = max(most, read - bytes_then - 6e6 * (now - before))
    samples.append((now, read))
    time.sleep(0.005)
print(most / 1e6)
PYTHON
}

# in_steps_once ENGINE: runs the job. `most` is the largest burst, and `took` is the job's time.
in_steps_once() {
  local engine=$1 watcher
  make_cold big
  rm -f "$OUT/over"
  most "$OUT/over" >"$OUT/most" &
  watcher=$!
  "$DISCNICE" --engine "$engine" --rate 6MB --require --json --report "$OUT/report" -- "$SCRATCH/reader" $((8 * MB)) big >"$OUT/out" 2>"$OUT/err" || complain "$engine: $(<"$OUT/err")"
  touch "$OUT/over"
  wait "$watcher"
  most=$(<"$OUT/most")
  took=$(field "$OUT/report" elapsed_seconds)
  printf 'in steps: %-6s 24 MB by calls of 8 MB: %.2f s, %.2f MB at once\n' "$engine" "$took" "$most"
}

# A job that the host has delayed for a second may make up for this time in a burst. So the job has three tries.
in_steps() {
  local most took engine
  for engine in auto notify; do
    for _ in 1 2 3; do
      in_steps_once "$engine"
      if holds "$most <= 2.5"; then break; fi
    done
    sha256sum <"$OUT/out" | cmp -s - "$OUT/wanted" || complain "$engine: other bytes come out"
    holds "$took >= 3.4 && $took <= 6" || complain "$engine: 24 MB at 6 MB/s took $took s"
    holds "$most <= 2.5" || complain "$engine: $most MB came at once"
    holds "$(field "$OUT/report" uncovered) <= 1500000" || complain "$engine: not accounted for: $(<"$OUT/report")"
  done
  "$DISCNICE" --rate 6MB -- "$SCRATCH/reader" $((8 * MB)) big >/dev/null 2>"$OUT/err"
  grep -q 'large calls are made in steps' "$OUT/err" || complain "is not said to be made in steps: $(<"$OUT/err")"
  took=$( { TIMEFORMAT=%R; time "$DISCNICE" -q --rate 1MB -- "$SCRATCH/reader" $((8 * MB)) big >/dev/null; } 2>&1)
  holds "$took <= 1" || complain "in memory 24 MB took $took s"
}

same_answers() {
  local engine
  make_cold small
  "$SCRATCH/calls" small >"$OUT/plain"
  for engine in notify pace; do
    make_cold small
    "$DISCNICE" -q --engine "$engine" --rate 40MB -- "$SCRATCH/calls" small >"$OUT/calls" || complain "calls, $engine: status $?"
    diff "$OUT/plain" "$OUT/calls" || complain "$engine: calls give other answers"
  done
  rm -f copy append
}

ended_by_signals() {
  local status=0 start_ns
  make_cold big
  "$DISCNICE" -q --rate 200KB -- "$SCRATCH/reader" $((8 * MB)) big >/dev/null &
  sleep 0.7
  start_ns=$(date +%s%N)
  kill -TERM $!
  wait $! || status=$?
  holds "$status == 143 && $(date +%s%N) - $start_ns <= 1e9" || complain "a signal within a call: status $status after $((($(date +%s%N) - start_ns) / 1000000)) ms"
}

outlives_the_launcher() {
  local i job
  for i in 1 2 3 4 5 6; do
    make_cold big
    "$DISCNICE" -q --rate 8MB -- "$SCRATCH/reader" $((8 * MB)) big >"$OUT/out" 2>"$OUT/err" &
    job=$!
    sleep "0.$((i * 97 % 700 + 100))"
    kill -KILL "$job"
    wait "$job" 2>/dev/null || true
    until_gone "$SCRATCH/reader"
    sha256sum <"$OUT/out" | cmp -s - "$OUT/wanted" || complain "launcher killed: other bytes come out"
    grep -q 'WITHOUT A LIMIT' "$OUT/err" || complain "launcher killed: nobody says so"
  done
  sleep 0.2
  # A guard that belongs to another test is not counted.
  if pgrep --ns $$ --nslist mnt -x -r S,R,D discnice-guard >/dev/null; then complain "the guard is still there"; fi
}

# until_gone PROGRAM: waits until no process runs it.
until_gone() {
  local i
  for ((i = 0; i < 200; ++i)); do
    pgrep -f "^$1 " >/dev/null || return 0
    sleep 0.05
  done
  complain "$1 still runs"
  pkill -f "^$1 "
}

goes_on() {
  local start_ns
  make_cold big
  start_ns=$(date +%s%N)
  "$DISCNICE" -q --rate 6MB -- "$SCRATCH/reader" $((8 * MB)) big daemon >"$OUT/out" || complain "a daemon: status $?"
  until_gone "$SCRATCH/reader"
  sha256sum <"$OUT/out" | cmp -s - "$OUT/wanted" || complain "a daemon: other bytes come out"
  holds "$(date +%s%N) - $start_ns >= 3e9" || complain "a daemon: 24 MB at 6 MB/s took $((($(date +%s%N) - start_ns) / 1000000)) ms"
}

# The guard works although no process waits for it, and a killed guard is replaced.
guarded() {
  local job i
  for ((i = 0; i < 40; ++i)); do
    "$DISCNICE" -q --engine notify --rate 100MB -- "$SCRATCH/calls" small >"$OUT/calls" 2>/dev/null &
    job=$!
    sleep "0.00$((i % 10))"
    kill -KILL "$job"
    wait "$job" 2>/dev/null || true
  done
  until_gone "$SCRATCH/calls"
  make_cold big
  "$DISCNICE" -q --rate 8MB -- "$SCRATCH/reader" $((8 * MB)) big >"$OUT/out" 2>/dev/null &
  job=$!
  sleep 0.5
  pkill -KILL -x discnice-guard
  sleep 0.4
  kill -KILL "$job"
  wait "$job" 2>/dev/null || true
  until_gone "$SCRATCH/reader"
  sha256sum <"$OUT/out" | cmp -s - "$OUT/wanted" || complain "guard and launcher killed one after the other: other bytes come out"
}

# The cases: a program that serves files to other programs of its job; a program that holds a lease on the file that it reads; a
# write that writes nothing.
peculiar() {
  local took
  cat >"$SCRATCH/peculiar.c" <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>
static char block[4 << 20];
int main(int count, char** words) {
  int leased = open(words[1], O_RDWR), copy = open(words[2], O_WRONLY | O_CREAT, 0644);
  (void)count;
  if (fcntl(leased, F_SETLEASE, F_WRLCK) != 0 || pread(leased, block, sizeof block, 0) != sizeof block) return 1;
  if (write(copy, (char*)8, 1 << 30) != -1) return 2;
  for (int i = 0; i < 40; ++i)
    if (pwrite(copy, block, 1 << 20, 0) != 1 << 20) return 3;
  return 0;
}
C
  "${GRAY_PRESET_CC:-cc}" -O1 -w -static -o "$SCRATCH/peculiar" "$SCRATCH/peculiar.c"
  make_cold small
  took=$( { TIMEFORMAT=%R; time "$DISCNICE" -q --engine notify --rate 8MB -- "$SCRATCH/peculiar" small copy; } 2>&1) || complain "a lease, a write of nothing: status $?"
  holds "$took <= 4" || complain "what is written over what is dirty still, and a write of nothing, took $took s"
  rm -f copy
  if ! type -P bindfs fusermount >/dev/null; then
    echo 'not shown: a file system in user space (needs bindfs and fusermount)'
    return
  fi
  mkdir -p below "$SCRATCH/served"
  cp small below
  sync -f .
  make_cold below/small
  cat >in_served.sh <<'SH'
bindfs -f "$PWD/below" "$1" &
until mountpoint -q "$1"; do sleep 0.01; done
"$2" 4000000 "$1/small" >"$3"
fusermount -u "$1"
wait
SH
  timeout --signal=KILL 40 "$DISCNICE" -q --rate 10MB --engine notify -- bash in_served.sh "$SCRATCH/served" "$SCRATCH/reader" "$OUT/out" || complain "a served file system: status $?"
  if mountpoint -q "$SCRATCH/served"; then fusermount -uz "$SCRATCH/served"; fi
  cmp -s small "$OUT/out" || complain "a served file system: other bytes come out"
}

# A program that the library holds pays only once for its bytes.
no_double_payment() {
  make_cold small
  "$DISCNICE" --rate 6MB --json --report "$OUT/report" -- "$SCRATCH/parent" dd if=small of=/dev/null bs=1M 2>"$OUT/err" || complain "a covered child: $(<"$OUT/err")"
  holds "$(field "$OUT/report" elapsed_seconds) >= 1.5 && $(field "$OUT/report" elapsed_seconds) <= 3" || complain "a covered child: 12 MB at 6 MB/s took $(field "$OUT/report" elapsed_seconds) s"
}

# Whether a user loses rights is the user's own decision.
for_users() {
  local -r AS=(setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent)
  local state
  state=$("${AS[@]}" "$DISCNICE" -q --rate 6MB -- "$SCRATCH/parent" grep -c -E '^(NoNewPrivs|Seccomp):\s*0' /proc/self/status)
  [[ $state == 2 ]] || complain "a user's program has a filter that he did not ask for"
  state=$("${AS[@]}" "$DISCNICE" -q --engine notify --rate 6MB -- "$SCRATCH/parent" grep -c -E '^(NoNewPrivs:\s*1|Seccomp:\s*2)' /proc/self/status)
  [[ $state == 2 ]] || complain "a user asks for the filter and does not get it"
  make_cold big
  "${AS[@]}" "$DISCNICE" --engine notify --rate 6MB --json --report "$OUT/user" -- "$SCRATCH/reader" $((8 * MB)) big >"$OUT/out" 2>"$OUT/err" || complain "a user: $(<"$OUT/err")"
  holds "$(field "$OUT/user" elapsed_seconds) >= 3.4" || complain "a user: 24 MB at 6 MB/s took $(field "$OUT/user" elapsed_seconds) s"
  sha256sum <"$OUT/out" | cmp -s - "$OUT/wanted" || complain "a user: other bytes come out"
}

# A program has only one listener, so a job within another such job gets none.
refusals() {
  local status=0
  "$DISCNICE" -q --engine notify --rate 9MB -- "$DISCNICE" -q --engine notify --rate 6MB -- touch "$OUT/touched" 2>"$OUT/err" || status=$?
  ((status == 125)) || complain "no listener: status $status"
  [[ $(wc -l <"$OUT/err") == 1 && ! -e $OUT/touched ]] || complain "no listener: $(<"$OUT/err")"
  "$DISCNICE" -q --engine notify --rate 9MB -- "$DISCNICE" -q --rate 6MB -- "$SCRATCH/reader" $((8 * MB)) small | cmp - small || complain "without a listener it is not held by the pacer alone"
  expect_status 2 "$DISCNICE" --engine notify --rate 6MB --record "$OUT/record" -- true 2>"$OUT/err"
}

touch "$OUT/user"
chmod 666 "$OUT/user"
in_steps
same_answers
guarded
peculiar
ended_by_signals
no_double_payment
for_users
goes_on
refusals
outlives_the_launcher
conclude
