#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_damage_test: when any values are written into the memory that a job's processes share, programs neither crash nor hang, and their output is
# the same.
#
#   GRAY_DAMAGES=100000 GRAY_SEED=7 bash tests/system/discnice_damage_test.sh
#
# How: six real programs, which read, write, punch holes, truncate and remove, run one after the other under a rate and are recorded. Meanwhile another program
# writes into the job's segment (with the table of dirty data), the board of disks and the ring of records, some hundred times a second: bytes and words, random, all
# ones, zeros, huge, copies of another place, equal ranges, instants an hour ahead with a right remainder. The test checks the program's status, its output and
# its time. The time may be a second longer than the time without damage at the same rate. The seed is shown and can be given. Left out: a truncated segment
# (discnice_faults), and damage to what the launcher reports at the end, which is only reported.
source "$(dirname "$0")/../support/discnice.bash"
need python3
need rsync
need sqlite3
need git
cd "$SCRATCH"
readonly DAMAGES=${GRAY_DAMAGES:-2500} SEED=${GRAY_SEED:-$RANDOM} PER_SECOND=400 RATE=24MB

# When this program is told to end, it prints how often it wrote.
cat >damage.py <<'PYTHON'
import glob, mmap, os, random, signal, struct, sys, time

random.seed(sys.argv[1])
period_s, left = 1 / float(sys.argv[2]), int(sys.argv[3])
# The first bytes identify the job and its grant. Damage there is noticed, and the job then has no limit: nothing would wait, so most runs leave
# these bytes alone.
spared = 576 if random.randrange(4) else 0
over = []
signal.signal(signal.SIGTERM, lambda *_: over.append(1))
maps = {}

def memory_of(name):  # the file of a recorded job grows, because its ring lies behind the segment
    try:
        bytes_ = os.stat(name).st_size
    except OSError:
        return maps.get(name)
    if name not in maps or len(maps[name]) != bytes_:
        try:
            fd = os.open(name, os.O_RDWR)
            maps[name] = mmap.mmap(fd, 0)
            os.close(fd)
        except (OSError, ValueError):
            return None
    return maps[name]

def place(memory, name):  # prefers places with content
    ring = len(memory) - 256 - (64 << 18)
    if ring > 0 and random.randrange(2):
        drained = struct.unpack_from("<Q", memory, ring + 128)[0]
        near = 256 + (drained + random.randrange(64)) % (1 << 18) * 64 + random.randrange(64)
        return ring + random.choice((random.randrange(256), near, random.randrange(len(memory) - ring)))
    if ".disks" in name:
        return random.choice((random.randrange(512), random.randrange(len(memory))))
    front, table = 4096, 262144
    return random.choice((random.randrange(spared, front), random.randrange(spared, front), table + random.randrange(65536),
                          table + 32768 + random.randrange(1024), random.randrange(spared, len(memory))))

def instant_ahead(ahead_ns):
    low = time.monotonic_ns() + ahead_ns & (1 << 52) - 1
    return low | low % 4093 << 52

def word():
    return random.choice((0, (1 << 64) - 1, 1 << random.randrange(64), random.getrandbits(64), random.randrange(256),
                          time.monotonic_ns(), time.monotonic_ns() + random.randrange(1 << 42), instant_ahead(3600 * 10**9)))

def damage(memory, at):
    kind = random.randrange(6)
    last = len(memory)
    if kind == 0:
        memory[at] = random.choice((0, 255, random.randrange(256)))
        return
    at &= ~7
    if kind < 3:
        bytes_ = struct.pack("<Q", word())
    elif kind == 3:  # a copy of another place
        other = random.randrange(last) & ~7
        bytes_ = memory[other:other + random.choice((8, 16, 32, 224))]
    elif kind == 4:  # ranges that are equal or overlap
        first = random.randrange(4096)
        bytes_ = struct.pack("<4Q", first, first + 64, first + random.randrange(2), first + 64)
    else:
        bytes_ = bytes(memory[at - 16:at]) if at >= 16 else b"\xff" * 8
    bytes_ = bytes_[:last - at]
    memory[at:at + len(bytes_)] = bytes_

done = 0
while not over and done < left:
    names = [name for name in glob.glob("/dev/shm/discnice-*")]
    for name in [name for name in maps if name not in names]:
        del maps[name]
    until = time.monotonic() + 0.05
    while time.monotonic() < until and not over and done < left:
        name = random.choice([n for n in names if ".disks" not in n] * 4 + names) if names else None
        memory = memory_of(name) if name else None
        if memory:
            damage(memory, place(memory, name))
            done += 1
        time.sleep(period_s)
print(done)
PYTHON

# The data and the programs. Each program makes `made` anew, and `digest` tells its content.
make_file ./big 12000000
mkdir tree
for ((i = 0; i < 150; ++i)); do make_file "tree/$((i % 10))/file$i" $((i * 400 + 1)); done
make_file ./tree/large 4000000
cat >holes.py <<'PYTHON'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
os.mkdir("made")
source = open("big", "rb").read()
for i in range(12):
    with open(f"made/{i}", "w+b", buffering=0) as file:
        for at in range(0, 700000, 70000):
            file.seek(at)
            file.write(source[at:at + 50000 + i])
        for at in range(8192, 500000, 90000):  # a hole that keeps the size
            libc.fallocate(file.fileno(), 3, ctypes.c_long(at), ctypes.c_long(12288))
        file.truncate(600000 - i * 4096)
        if i % 3 == 0:
            os.fdatasync(file.fileno())
        for at in range(0, 400000, 4096):  # once more
            os.pwrite(file.fileno(), source[at:at + 4096], at)
    if i % 4 == 3:
        os.remove(f"made/{i}")
    if i % 4 == 2:
        os.rename(f"made/{i}", f"made/{i - 1}")
PYTHON
{
  printf 'PRAGMA journal_mode=DELETE; CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);\n'
  for ((i = 0; i < 6; ++i)); do
    printf 'BEGIN; WITH RECURSIVE c(x) AS (SELECT %d UNION ALL SELECT x+1 FROM c WHERE x < %d) INSERT INTO t SELECT x, printf("%%0400d", x) FROM c; COMMIT;\n' \
      $((i * 1500)) $((i * 1500 + 1499))
    printf 'DELETE FROM t WHERE a %% 7 = %d; UPDATE t SET b = b || "x" WHERE a %% 11 = %d;\n' "$i" "$i"
  done
  printf 'VACUUM;\n'
} >statements

declare -A COMMANDS=(
  [cp]='mkdir made && cp big made/ && cp -r tree made/'
  [tar]='mkdir made && tar cf made/all.tar tree big && tar xf made/all.tar -C made && rm made/all.tar'
  [rsync]='rsync -a tree big made/ && rsync -a --delete --inplace --no-whole-file tree made/'
  [sqlite3]='mkdir made && sqlite3 made/base <statements >/dev/null'
  [python3]='python3 holes.py'
  [git]='mkdir made && cd made && git init -q . && cp -r ../tree . && git add . && git -c user.name=a -c user.email=a@b -c gc.auto=0 commit -qm all && rm -r tree && git checkout -q . && git fsck --strict 2>/dev/null'
)
readonly ORDER=(cp tar rsync sqlite3 python3 git)

digest() {
  case $1 in
    sqlite3) sqlite3 made/base 'PRAGMA integrity_check; SELECT count(*), sum(a), sum(length(b)) FROM t; SELECT b FROM t WHERE a % 50 = 3' | sha256sum ;;
    git) git -C made rev-parse 'HEAD^{tree}' && git -C made status --porcelain && (cd made/tree && find . -type f -print0 | sort -z | xargs -0 sha256sum) | sha256sum ;;
    *) (cd made && find . -type f -print0 | sort -z | xargs -0 sha256sum) | sha256sum ;;
  esac
}

# run NAME: the time is in TOOK. Everything that is read is only on the disk before.
run() {
  local begun status=0
  rm -rf made
  find big tree -type f -print0 | xargs -0 "$TOOLS/pagecache" evict
  begun=$(date +%s%N)
  timeout -k 1 60 "$DISCNICE" -q --rate "$RATE" --record record -- sh -c "${COMMANDS[$1]}" >out 2>said || status=$?
  TOOK=$(calculate "($(date +%s%N) - $begun) / 1e9")
  ((status == 0)) || complain "$1: status $status: $(head -c 300 said)"
  [[ $(digest "$1" 2>&1) == "${EXPECTED[$1]}" ]] || complain "$1: what it made differs"
}

declare -A EXPECTED FAIR
for name in "${ORDER[@]}"; do
  rm -rf made
  sh -c "${COMMANDS[$name]}" >out 2>said || fail "$name fails without us: $(<said)"
  EXPECTED[$name]=$(digest "$name")
  FAIR[$name]=0
  for _ in 1 2; do
    run "$name"
    if holds "$TOOK > ${FAIR[$name]}"; then FAIR[$name]=$TOOK; fi
  done
  printf '%-8s %.2f s at %s a second, undamaged\n' "$name" "${FAIR[$name]}" "$RATE"
done

# damaged_run NAME SEED COUNT: BEYOND is the additional time compared with the run without damage.
damaged_run() {
  python3 damage.py "$2" "$PER_SECOND" "$3" >damaged &
  local damager=$!
  run "$1"
  kill "$damager" 2>/dev/null || true
  wait "$damager" || true
  rm -f /dev/shm/discnice-*
  damages=$((damages + $(<damaged)))
  runs=$((runs + 1))
  BEYOND=$(calculate "$TOOK - ${FAIR[$1]}")
}

damages=0 runs=0 late=0 longest=0
while ((damages < DAMAGES)); do
  name=${ORDER[runs % ${#ORDER[@]}]} seed=$SEED-$runs
  damaged_run "$name" "$seed" $((DAMAGES - damages))
  if holds "$BEYOND > 1"; then  # the machine may have been busy: once more, beside an undamaged run
    run "$name"
    if holds "$TOOK > ${FAIR[$name]}"; then FAIR[$name]=$TOOK; fi
    damaged_run "$name" "$seed" $((DAMAGES > damages ? DAMAGES - damages : 100))
  fi
  if holds "$BEYOND > $longest"; then longest=$BEYOND; fi
  if holds "$BEYOND > 1"; then
    late=$((late + 1))
    complain "$name, seed $seed: took $TOOK s, undamaged ${FAIR[$name]}"
  fi
done
printf '%d damages in %d runs of six programs (seed %s): %d runs more than a second late, the latest %.2f s\n' "$damages" "$runs" "$SEED" "$late" "$longest"
conclude
