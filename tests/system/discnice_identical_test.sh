#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_identical_test: programs cannot tell that they are held back: the output, the status and the files are the same.
#
# How: each case is a shell script that runs three times, in a folder of the same name. It runs without discnice. It runs under the launcher at a rate that
# never makes it wait. It runs with the library alone on uncached files, at a rate that makes it wait and splits its calls. The test compares stdout, stderr and
# exit status, and of every remaining file the name, kind, mode, size, links and content. The edge cases of single calls (call_edges and surface_edges,
# compiled plainly and with _FORTIFY_SOURCE) and of processes' lives (process_edges) are tested in the same way. Left out: differences that must be (time,
# process numbers, LD_PRELOAD in the environment).
source "$(dirname "$0")/../support/discnice.bash"
need git tar gzip find sqlite3 python3 gcc make ssh rsync dash

readonly FAST=1G SLOW=6400K # SLOW: call_edges knows the size of its parts
cd "$SCRATCH"
export HOME=$SCRATCH GIT_AUTHOR_DATE='2001-02-03 04:05:06 +0000' GIT_COMMITTER_DATE='2001-02-03 04:05:06 +0000'
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@a GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@a TZ=UTC PYTHONDONTWRITEBYTECODE=1

make_sample() {
  local i
  mkdir -p sample/deep/er 'sample/name with blanks'
  make_file sample/large 700000
  make_file sample/deep/middle 90000
  for i in {1..30}; do make_file "sample/deep/er/$i" $((i * 37)); done
  for i in {1..2000}; do echo "line $((i * 7919 % 2003)) of text $i"; done >sample/text
  cp sample/text 'sample/name with blanks/-text'
  ln -s deep/middle sample/link
  ln sample/text sample/hard
  chmod 640 sample/large
  find sample -exec touch -h -d '2001-02-03 04:05:06' {} +
}

# Describes what a case left behind. The content of sockets and pipes is left out.
describe() {
  (cd "$1" && find . -path ./.git/index -prune -o -printf '%P %y %m %n %l ' \( -type f -printf '%s ' -exec sha256sum {} \; -o -printf '\n' \) |
    LC_ALL=C sort)
}

# run_way WAY NAME: runs ./case.sh in a fresh folder `here` that has an uncached copy of the sample.
run_way() {
  local way=$1 status=0 before=()
  case $way in
  plain) ;;
  launcher) before=("$DISCNICE" -q --rate "$FAST" --) ;;
  bare) before=(env "LD_PRELOAD=$LIBRARY" "DISCNICE_RATE=$SLOW") ;;
  esac
  rm -rf here
  cp -a sample here
  if [[ $way == bare ]]; then
    sync -f here
    find here -type f -exec "$TOOLS/pagecache" evict {} +
  fi
  (cd here && exec "${before[@]}" bash ../case.sh) >"$way.stdout" 2>"$way.stderr" </dev/null || status=$?
  echo "$status" >"$way.status"
  describe here >"$way.files"
}

cases=0
same() { # NAME SCRIPT [STATUS]
  local way what start_ns=$(($(date +%s%N)))
  printf '%s\n' "$2" >case.sh
  for way in plain launcher bare; do
    run_way "$way"
    [[ $way == plain ]] && continue
    for what in stdout stderr status files; do
      cmp -s "plain.$what" "$way.$what" || complain "$1: $what differs, $way: $(diff "plain.$what" "$way.$what" | head -5)"
    done
  done
  [[ $(cat plain.status) == "${3:-0}" ]] ||
    complain "$1: the case itself ended with status $(cat plain.status): $(head -3 plain.stderr)"
  cases=$((cases + 1))
  printf '%-26s %5d ms\n' "$1" $((($(date +%s%N) - start_ns) / 1000000))
}

small_programs() {
  same 'true, false' 'true; false' 1
  same ls 'ls -lR --time-style=full-iso . | grep -v ^total'
  same 'bash -c' 'bash -c "echo a; read -r x <text; echo \$x; exit 7"' 7
  same 'dash, descriptors 3 to 9' "dash -c 'exec 3<text 4>>new 5<&3 6>&4; read -r a <&5; read -r b <&3; echo \$a \$b >&6; exec 9<&3 3<&-
    cat <&9 | wc -l; echo end >&4; exec 4>&- 6>&-; cat new'"
  same 'bash, odd descriptors' 'exec {f}<text 255</dev/null; read -r -u "$f" l; echo "$l"; cat <&"$f" | tail -1; exec 200>o; echo x >&200; cat o'
  same 'env -i' 'env -i /bin/cat text | sha256sum; env -i PATH=/bin sh -c "cp large l2; cmp large l2; env"'
  same 'ulimit -n' 'ulimit -Sn "$(ulimit -Hn)"; cat text | sha256sum; cp large l2; cmp large l2'
  same 'ulimit -f' 'ulimit -f 300; { bash -c "dd if=large of=l2 bs=700000; cp large l3"; echo $?; bash -c "exec cp large l4"; echo $?; } 2>/dev/null' 0
  same 'ssh -V' 'ssh -V'
  same 'argv[0] odd' 'exec -a "odd  name" cat text'
  same 'not there' 'cat none; cp none x; rm none; ls none' 2
  same 'a signal ends it' 'cat text >/dev/null; kill -TERM $$' 143
}

text_programs() {
  same 'find, xargs' 'find . -type f -print0 | sort -z | xargs -0 -n 7 sha256sum; find . -name "*1*" -size -1k -delete'
  same 'grep -r' 'grep -rn "text 1[0-9]*7$" . | sort; grep -c line text large; grep -q nothing text' 1
  same sort 'sort -k2n text >sorted; sort -u -S 64K -T . text | sha256sum; sort -o text -r text; uniq -c text | tail -3'
  same 'sha256sum, md5sum -c' 'md5sum text large >sums; md5sum -c sums; sha256sum large text; echo x >>text; md5sum -c sums' 1
  same gzip 'cp text plain; gzip -nk large plain; gzip -t large.gz; gzip -dc plain.gz | cmp - text; cp plain.gz t.gz; gzip -d t.gz; cmp t text'
  same 'head, tail, split, cut' 'head -c 12345 large >h; tail -c 4321 large >t; split -n 5 large part; cat part* | cmp - large; cut -c3-9 text | tail -5; wc text'
  same 'sed -i, awk, tee' "sed -i 's/line/LINE/' text; awk '{ s += \$2 } END { print s }' text; tee copy copy2 <text | tail -1; tee -a copy <copy2 >/dev/null"
}

copying_programs() {
  same tar 'tar --format=gnu --sort=name -cf a.tar deep large text link hard; sha256sum a.tar; mkdir x; tar xf a.tar -C x; diff -r deep x/deep
    tar czf a.tgz large; tar xOzf a.tgz | cmp - large; tar -rf a.tar "name with blanks"; tar tf a.tar; tar df a.tar; tar xf none.tar' 2
  same 'rsync -a' 'rsync -aH --itemize-changes deep large text hard copy/; rsync -ac copy/ copy2/; echo x >>copy/text; rsync -a --no-whole-file --inplace copy/ copy2/; rsync -an --delete --itemize-changes copy/ copy2/'
  same 'cp, mv, ln, truncate' 'cp -a deep d2; cp --reflink=never large l2; cp --sparse=always large l3; mv l2 d2/; mv -T d2 d3; truncate -s 1000 l3; ln -f text l3; cp -u text l4; install -m 600 large l5; cp large .; echo $?'
  same dd 'dd() { command dd status=noxfer "$@"; }; dd if=large of=a bs=777; dd if=large of=b bs=100001 skip=1 seek=2; dd if=large of=a bs=4096 count=3 seek=5 conv=notrunc
    dd if=/dev/zero of=c bs=1 seek=5000 count=0; dd if=text of=d ibs=100 obs=3000 conv=ucase,sync,fsync; dd if=none of=e' 1
}

direct_io() {
  same 'dd, O_DIRECT' 'dd if=large of=a bs=64k iflag=direct status=none; cmp a large; dd if=large of=b bs=64k count=10 oflag=direct status=none; cmp -n 655360 b large; dd if=large of=c bs=1000 iflag=direct status=none; echo $?'
}

developers_programs() {
  same 'git' 'git init -q -b main . && git add -A && git commit -qm first && git status --short && echo x >>text && rm deep/er/3 && git status
    git diff --stat; git commit -qam second; git log --stat; git gc -q; git fsck; git clone -q . clone; git -C clone log --oneline; git checkout -q HEAD~1; cat deep/er/3 | wc -c; rm -rf .git/objects/pack .git/index clone/.git'
  same 'gcc, make' "printf '#include <stdio.h>\nint f(void);int main(void){printf(\"%%d\\\\n\",f());return 3;}\n' >m.c; echo 'int f(void){return 42;}' >f.c
    printf 'all: m.o f.o\n\tgcc -o m m.o f.o\n%%%%.o: %%%%.c\n\tgcc -O2 -c \$<\n' >Makefile; make -j2 -s; ./m; echo \$?; make -s; echo 'int' >f.c; touch -d 2001-01-01 f.o m; make -s 2>&1 | sed 's/Makefile:[0-9]*//'; ar rc lib.a m.o; nm lib.a"
  same sqlite3 'sqlite3 a.db "create table t(a integer primary key, b text, c blob); with recursive n(i) as (select 1 union all select i+1 from n where i<3000)
    insert into t select i, hex(i*7919), zeroblob(i%300) from n; create index i on t(b); delete from t where a%3=0; vacuum; select count(*), sum(a), max(b) from t; pragma integrity_check;"
    sqlite3 a.db "pragma journal_mode=wal; update t set c = b where a%2=0; insert into t(b) select b from t; select count(*), sum(length(c)) from t; pragma wal_checkpoint; pragma integrity_check;"
    sqlite3 a.db "pragma mmap_size=10000000; select count(distinct b) from t; select nothing from t;"' 1
}

read -r -d '' PYTHON <<'TEXT' || true
import hashlib, io, mmap, multiprocessing, os, shutil, subprocess, sys, tempfile, threading
def digest(name):
    with open(name, "rb") as f: return hashlib.sha256(f.read()).hexdigest()
def unbuffered(name, size):
    with open(name, "rb", buffering=0) as f:
        h = hashlib.sha256()
        while True:
            b = f.read(size)
            if not b: return h.hexdigest()
            h.update(b)
assert len({digest("large"), unbuffered("large", 999), unbuffered("large", 300000)}) == 1
with open("large", "r+b") as f, mmap.mmap(f.fileno(), 0) as m:
    print(hashlib.sha256(m).hexdigest()); m[5:10] = b"hello"; m.flush()
out = [None] * 8
def work(i):
    shutil.copyfile("large", f"t{i}"); out[i] = digest(f"t{i}")
threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]; print(out)
pid = os.fork()
if pid == 0:
    open("forked", "w").write(digest("text")); os._exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(3) as p: print(p.map(digest, ["large", "text", "t1"]))
    print(subprocess.run(["sort", "text"], capture_output=True, close_fds=True).stdout[-20:])
for call in (lambda: os.read(99, 1), lambda: open("none"), lambda: os.pread(os.open("text", os.O_RDONLY), 10, -1), lambda: os.write(os.open("text", os.O_RDONLY), b"x")):
    try: print(call())
    except OSError as e: print(e.errno, e.strerror)
shutil.move("t1", "t1b"); shutil.copytree("deep", "deep2"); shutil.rmtree("deep2")
with tempfile.TemporaryFile(dir=".") as t: t.write(b"x" * 300001); t.seek(0); print(len(t.read()))
os.truncate("t2", 1234); os.rename("t3", "t4"); os.copy_file_range(os.open("large", os.O_RDONLY), os.open("c", os.O_WRONLY | os.O_CREAT), 1000)
sys.exit(9)
TEXT

python() {
  printf '%s\n' "$PYTHON" >program.py
  same 'python3 -c' 'python3 -c "import sys; print(open(\"text\").readline(), end=\"\"); sys.exit(4)"' 4
  same 'python3, threads, forks' 'python3 ../program.py' 9
}

# edges_of PROGRAM CHECKED: runs the program as it is, and once more compiled so that it calls the checked form CHECKED.
edges_of() {
  same "edges: $1" "mkdir e; $TOOLS/$1 e"
  if "${GRAY_PRESET_CXX:-c++}" -std=c++20 -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -D_GNU_SOURCE -w -I"$SOURCE" -o fortified "$SOURCE/tests/support/$1.cpp"; then
    grep -q "$2" <<<"$(nm -D fortified)" || complain "the fortified $1 calls no checked form"
    same "edges: $1, checked" 'mkdir e; ../fortified e'
  else
    complain "$1 does not compile with _FORTIFY_SOURCE"
  fi
}

edges() {
  local one
  edges_of call_edges __read_chk
  edges_of surface_edges __fgets_chk
  for one in fork_storm vfork_exec spawn cancel alarms alarms_restart alarms_read many_descriptors daemonise append_together; do
    same "edges: $one" "mkdir e; cp large e/input; cp large e/input.warm; cp deep/middle e/small; sync e/*; $TOOLS/pagecache evict e/input; $TOOLS/process_edges e $one 2>/dev/null"
  done
  same 'edges: _exit' "mkdir e; cp deep/middle e/small; $TOOLS/process_edges e quick_exit" 42
  same 'edges: death' "mkdir e; cp deep/middle e/small; exec $TOOLS/process_edges e die" 143
}

make_sample
small_programs
text_programs
copying_programs
direct_io
developers_programs
python
edges
echo "$cases cases"
conclude
