#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_neighbours_test: the library works together with allocators, AddressSanitizer, sandboxes, locks, RTLD_DEEPBIND, cancelled threads and libraries behind it.
#
# How: a program that allocates, reads and forks in several threads runs under each installed allocator's library, which comes before or after discnice's
# library in LD_PRELOAD. A program built with AddressSanitizer runs under the launcher. One program runs in a sandbox that refuses most system calls, and one
# program reads by system calls of its own. Each must print the same as without discnice, within seconds, because the usual fault is a deadlock at the start. A
# read under a file lock must not wait, and the next read must wait. Left out: how exactly these programs keep the limit (an allocator changes nothing; reads
# that the library does not see are charged by the account).
source "$(dirname "$0")/../support/discnice.bash"
need python3
cd "$SCRATCH"
mkdir here
head -c 300000 /dev/urandom >here/input
readonly SECONDS_MAX=20

# same NAME CASE PRELOAD...: CASE prints the same under these libraries as without them.
same() {
  local name=$1 case=$2 said status=0
  shift 2
  said=$(LD_PRELOAD="$*" DISCNICE_RATE=50M timeout -k 1 "$SECONDS_MAX" "$PROGRAM" here "$case" 2>&1) || status=$?
  if [[ $status == 77 ]]; then
    echo "$name: cannot be tried here"
    return
  fi
  [[ $status == 0 && $said == "$EXPECTED" ]] || complain "$name: status $status: $said"
  tried=$((tried + 1))
}

find_library() { # NAME: its path, from the linker's cache
  ldconfig -p 2>/dev/null | awk -v name="$1" '!found && index($1, name) == 1 { print $NF; found = 1 }'
}

tried=0
missing=()
PROGRAM=$TOOLS/neighbours EXPECTED='allocate: 0 wrong'
for allocator in libjemalloc.so libtcmalloc_minimal.so libmimalloc.so; do
  library=$(find_library "$allocator")
  if [[ -z $library ]]; then
    missing+=("$allocator")
    continue
  fi
  same "$allocator before us" allocate "$library" "$LIBRARY"
  same "$allocator after us" allocate "$LIBRARY" "$library"
done
same 'on our own' allocate "$LIBRARY"
EXPECTED='sandbox: read it all'
same 'a sandbox' sandbox "$LIBRARY"
# Quick calls are made without libc's wrappers. That must not prevent the cancellation of a thread in such a call, nor hide the call from a library that comes
# after discnice in LD_PRELOAD.
EXPECTED='cancel: cancelled'
same 'a cancelled thread' cancel "$LIBRARY"
cat >behind.c <<'TEXT'
#include <sys/syscall.h>
#include <unistd.h>
static long seen;
long reads_seen(void) { return seen; }
ssize_t read(int fd, void *buffer, size_t count) { ++seen; return syscall(SYS_read, fd, buffer, count); }
TEXT
if "${GRAY_CC:-cc}" -shared -fPIC -O1 -w -o behind.so behind.c 2>/dev/null; then
  EXPECTED='behind: saw every read'
  same 'a library behind us' behind "$LIBRARY" "$SCRATCH/behind.so"
else
  missing+=('a C compiler')
fi
EXPECTED='deepbind: read it all'
same 'read past us' deepbind "$LIBRARY"

if "${GRAY_CXX:-c++}" -std=c++20 -O1 -g -w -fsanitize=address -D_GNU_SOURCE -o with_asan "$SOURCE/tests/support/neighbours.cpp" -ldl -pthread 2>/dev/null; then
  said=$("$DISCNICE" -q --rate 50M -- timeout -k 1 "$SECONDS_MAX" ./with_asan here allocate 2>&1) || true
  [[ $said == 'allocate: 0 wrong' ]] || complain "AddressSanitizer: $said"
  if [[ $(ldd ./with_asan) =~ libasan[^' ']*' => '([^' ']*) ]]; then
    PROGRAM=./with_asan EXPECTED='allocate: 0 wrong'
    same 'AddressSanitizer, named first' allocate "${BASH_REMATCH[1]}" "$LIBRARY"
  fi
else
  missing+=(AddressSanitizer)
fi
# A read while a fresh lock is held does not wait. The process waits after it has given the lock back.
read -r -d '' LOCK <<'TEXT' || true
import fcntl, os, time
lock, data = os.open("lock", os.O_CREAT | os.O_RDWR), os.open("large", os.O_RDONLY)
fcntl.flock(lock, fcntl.LOCK_EX)
begun = time.monotonic(); os.read(data, 1_000_000); held = time.monotonic() - begun
fcntl.flock(lock, fcntl.LOCK_UN)
begun = time.monotonic(); os.read(data, 1_000_000); after = time.monotonic() - begun
print(f"{held:.3f} {after:.3f}")
TEXT
make_file ./large 6000000
python3 -c "$LOCK" >/dev/null
make_cold large
read -r while_held afterwards < <("$DISCNICE" -q --rate 2MB -- python3 -c "$LOCK") || fail 'the program with the lock did not end well'
printf 'a read that costs half a second and more: %s s with the lock, the next one %s s without\n' "$while_held" "$afterwards"
holds "$while_held < 0.3" || complain "a read waits $while_held s while a lock is held"
holds "$afterwards > 0.3" || complain "what was read under a lock is never waited for: $afterwards s"

conclude
printf '%d neighbours\n' "$tried"
((${#missing[@]} == 0)) || skip "not here: ${missing[*]} (script/bootstrap --test); with the others it gets along"
