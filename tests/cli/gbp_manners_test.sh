#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gbp_manners: names of every kind pass through gbp unchanged, unusual files neither block nor kill gbp, and gbp reports a mistake in
# one line.
#
# Left out: the order itself (system/gbp_order_test.sh). Every call has a limit of time, because blocking is a failure.
source "$(dirname "$0")/../support/system.bash"
need python3 setpriv timeout xargs
need_built gbp
readonly SECONDS_MAX=60
export XDG_DATA_HOME=$SCRATCH/parameters # only the shipped parameters

gbp() { timeout "$SECONDS_MAX" "$BIN/gbp" "$@"; }

# expect STATUS LINES-ON-STDERR ARGUMENT...: checks how gbp ends and how many lines it prints on stderr. stdout and stderr are left in $OUT and $ERR.
OUT=$SCRATCH/out ERR=$SCRATCH/err
expect() {
  local want=$1 lines=$2 got=0 said
  shift 2
  gbp "$@" >"$OUT" 2>"$ERR" </dev/null || got=$?
  [[ $got -eq $want ]] || fail "status $got instead of $want from gbp $*: $(cat "$ERR")"
  said=$(wc -l <"$ERR")
  [[ $said -eq $lines ]] || fail "$said lines instead of $lines on stderr from gbp $*: $(cat "$ERR")"
  if ((lines > 0)) && grep -qv '^gbp: ' "$ERR"; then fail "a line without 'gbp: ': $(cat "$ERR")"; fi
}

parse_json() { # prints the paths; fails when a line is not an object with every field
  python3 -c '
import json, sys
for number, line in enumerate(sys.stdin.buffer, 1):
    entry = json.loads(line.decode("utf-8"))
    fields = "path rank size cached_fraction confidence access_ns level backend device inode first_extent error".split()
    assert list(entry) == fields, entry
    assert entry["rank"] == number, entry
    print(entry["path"])'
}

# grant USER FILE: lets USER read, by an access list, a file that otherwise only its owner may read. The format is that of linux/posix_acl_xattr.h.
grant() {
  python3 -c '
import os, struct, sys
anyone = 0xffffffff
entries = [(1, 6, anyone), (2, 4, int(sys.argv[1])), (4, 0, anyone), (16, 4, anyone), (32, 0, anyone)]
os.setxattr(sys.argv[2], "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries))' "$@"
}

mkdir "$SCRATCH/odd"
cd "$SCRATCH/odd"
# shellcheck disable=SC2016,SC1003 # these are names, not expressions
odd=($'new\nline' 'a blank' ' ' '-mem' '-x' '--' $'\xff\xfe' $'\xc3\xa9' '[a,b]' '[]' $'\x01' $'\x01[a]' '{}' '%%' '$HOME' '*' '"' "'" '\' '=' '++')
for name in "${odd[@]}"; do head -c 10000 /dev/zero >"./$name"; done

# Names pass through unchanged, from arguments and from lists.
printf '%s\0' "${odd[@]}" | LC_ALL=C sort -z >"$SCRATCH/wanted"
for mode in -mem -file -compose; do
  expect 0 0 "$mode" -0 -- "${odd[@]}"
  cmp -s <(sort -z "$OUT") "$SCRATCH/wanted" || fail "names from arguments change with $mode: $(sort -z "$OUT" | diff -a - "$SCRATCH/wanted")"
  expect 0 0 "$mode" -0 --files0-from "$SCRATCH/wanted"
  cmp -s <(sort -z "$OUT") "$SCRATCH/wanted" || fail "names from a list change with $mode"
done
# shellcheck disable=SC2016 # for the inner shell to expand
gbp -mem -0 --files0-from - <"$SCRATCH/wanted" |
  xargs -0 sh -c 'for name; do test -f "$name" || exit 255; printf "%s\0" "$name"; done' sh | sort -z >"$OUT"
cmp -s "$OUT" "$SCRATCH/wanted" || fail "names do not survive xargs -0"
expect 0 0 -mem -- 'a blank' $'new\nline'
[[ $(cat "$OUT") == $'a blank\nnew\nline' ]] || fail "names are not printed byte for byte: $(cat "$OUT")"
gbp -mem -0 --files0-from - -- '-mem' < <(printf '%s' ' ') >"$OUT"
cmp -s "$OUT" <(printf '%s\0' '-mem' ' ') || fail "arguments and a list together: $(tr '\0' '|' <"$OUT")"

expect 0 0 -mem --json -- "${odd[@]}"
[[ $(parse_json <"$OUT" | wc -l) -eq $((${#odd[@]} + 1)) ]] || fail "JSON: $(cat "$OUT")"
expect 1 1 --json -- $'none\xff\n"' ' '
parse_json <"$OUT" >/dev/null || fail "JSON of a missing, odd name: $(cat "$OUT")"
grep -q '"size":null,.*"device":null,"inode":null,' "$OUT" || fail "JSON makes up facts of a missing file: $(cat "$OUT")"

# A terminal gets no commands from a file's name, in any output for a person. A program gets the name byte for byte.
mkdir "$SCRATCH/commands"
cd "$SCRATCH/commands"
evil=$'\e]0;owned\a\xc2\x9b2J\x9b31m'
mkdir "$evil"
head -c 10000 /dev/zero >"$evil/file$evil"
ln "$evil/file$evil" "hard$evil"
on_terminal() { # ARGUMENT...: the bytes that a terminal gets
  timeout "$SECONDS_MAX" python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], lambda fd: os.read(fd, 65536), lambda fd: b"")))' "$BIN/gbp" "$@" </dev/null || true
}
is_harmless() { # ARGUMENT...
  on_terminal "$@" >"$OUT"
  [[ -s $OUT ]] || fail "gbp $* prints nothing on a terminal"
  python3 -c 'import sys
data = sys.stdin.buffer.read()
sys.exit(any(byte < 32 and byte not in b"\r\n\t\0" or byte == 127 for byte in data) or b"\xc2\x9b" in data or b"\x9b" in data)' <"$OUT" ||
    fail "gbp $* sends commands to the terminal: $(cat -v "$OUT")"
}
is_harmless -mem "$evil/file$evil"
is_harmless -mem -0 "$evil/file$evil"
is_harmless -mem --json "$evil/file$evil"
is_harmless --ranges "$evil/file$evil"
is_harmless --ranges --json "$evil/file$evil"
is_harmless -mem "$evil/none"
is_harmless -out "$evil"
is_harmless -refresh "$evil"
is_harmless -refresh "$evil" --apply --force
is_harmless -refresh "$evil" --resume
expect 1 1 -mem "$evil/none"
! grep -q $'[\e\x9b]' "$ERR" || fail "a name on stderr is a command: $(cat -v "$ERR")"
gbp -mem -- "$evil/file$evil" | cmp -s - <(printf '%s\n' "$evil/file$evil") || fail "a program does not get the name byte for byte"
gbp --ranges -- "$evil/file$evil" | grep -qaF "$evil/file$evil" || fail "a program does not get the name of a part byte for byte"
cd "$SCRATCH/odd"

# A wrong command line: status 2, one line, nothing printed.
wrong() {
  expect 2 1 "$@"
  [[ ! -s $OUT ]] || fail "gbp $* prints: $(cat "$OUT")"
}
wrong
wrong -mem
wrong -mem -file ' '
wrong --compose --file ' '
wrong -0 --json ' '
wrong --backend guess ' '
wrong --backend
for option in --html --files-from --include; do wrong "$option" '' ' '; done
wrong --no-such-option ' '
wrong --files0-from "$SCRATCH/none"
wrong --files0-from "$SCRATCH"
wrong -mem --files0-from <(printf 'a\0\0b\0')
wrong -mem --files0-from <(printf '\0')
expect 0 0 -mem --files0-from <(:)
[[ ! -s $OUT ]] || fail "an empty list makes: $(cat "$OUT")"

# Files that cannot be looked at come last, are named, and cause status 1. The other files are not affected.
cd "$SCRATCH"
echo data >plain
expect 1 1 -mem none plain
[[ $(cat "$OUT") == $'plain\nnone' ]] || fail "a missing file: $(cat "$OUT")"
grep -q "'none': No such file or directory" "$ERR" || fail "a missing file is not named: $(cat "$ERR")"
expect 1 1 -mem $'no\nfile' plain
expect 1 1 -mem ''
ln -s loop-a loop-b
ln -s loop-b loop-a
expect 1 1 -compose loop-a plain
ln -s plain link
expect 0 0 link
expect 1 1 plain/below
expect 1 1 "$(printf '%05000d' 0)"

mkfifo fifo
mkdir folder
: >empty
# A pipe cannot be read twice, and a folder cannot be read as a file. Its place on the disk can be told.
for backend in auto cachestat mincore nowait fault timed; do
  for mode in -mem -compose; do expect 1 2 "$mode" --backend "$backend" fifo folder empty /dev/null /dev/zero; done
  expect 1 1 -file --backend "$backend" fifo folder empty /dev/null /dev/zero
done
expect 1 1 -mem fifo plain empty
[[ $(tail -n 1 "$OUT") == fifo ]] || fail "what cannot be known is not last: $(cat "$OUT")"
expect 0 0 -mem --json empty
grep -q '"cached_fraction":1.0' "$OUT" || fail "an empty file is not as good as cached: $(cat "$OUT")"
expect 0 0 -mem --json /proc/self/status
expect 0 0 -mem --json /sys/kernel/mm/transparent_hugepage/enabled

# The largest file that this file system allows.
for size in 9223372036854775807 8E 16383G 15T 8T 1T; do truncate -s "$size" huge 2>/dev/null && break; done
for backend in auto cachestat mincore nowait fault timed; do
  began=$SECONDS
  expect 0 0 --json --backend "$backend" huge
  ((SECONDS - began < 20)) || fail "a sparse file of $(stat -c %s huge) bytes takes $((SECONDS - began)) s by $backend"
  grep -q "\"size\":$(stat -c %s huge)," "$OUT" || fail "a huge file: $(cat "$OUT")"
done
rm huge

# A file that may not be read comes last in every order, because the user of the list could not read it either.
echo secret >secret
chmod 000 secret
chmod 755 "$SCRATCH"
if [[ $EUID -ne 0 ]]; then
  unprivileged=()
elif setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$BIN/gbp"; then
  unprivileged=(setpriv --reuid 65534 --regid 65534 --clear-groups)
else
  unprivileged=(false)
fi
if [[ ${unprivileged[*]} != false ]]; then
  for mode in -mem -file -compose; do
    status=0
    timeout "$SECONDS_MAX" "${unprivileged[@]}" "$BIN/gbp" "$mode" secret plain >"$OUT" 2>"$ERR" || status=$?
    [[ $status -eq 1 && $(cat "$OUT") == $'plain\nsecret' && $(cat "$ERR") == *"'secret': Permission denied"* ]] ||
      fail "an unreadable file with $mode: status $status, $(cat "$OUT" "$ERR")"
  done
fi

# Unreadable files among many files of one folder, all of them in memory. These files are examined in another way than a single file. A right that an access list grants is no
# error.
mkdir rights
(cd rights && seq -f 'name-%02.0f' 60 | xargs -I{} cp ../plain {})
chmod 000 rights/name-30 rights/name-60
: >wanted
for ((i = 1; i <= 61; ++i)); do ((i == 30 || i >= 60)) || printf 'rights/name-%02d\n' "$i" >>wanted; done
printf 'rights/name-%s\n' 30 60 61 >>wanted
if [[ ${unprivileged[*]} != false ]]; then
  if [[ $EUID -eq 0 ]]; then
    chown 65534:65534 rights/name-30 # an owner without any right cannot read
    chown 65534:65534 rights/name-10 && chmod 400 rights/name-10
    grant 65534 rights/name-20 2>/dev/null || printf 'no access lists on this file system\n'
  fi
  for mode in -mem -file -compose; do
    status=0
    timeout "$SECONDS_MAX" "${unprivileged[@]}" "$BIN/gbp" "$mode" --order none rights/name-{01..61} >"$OUT" 2>"$ERR" || status=$?
    [[ $status -eq 1 ]] || fail "status $status with unreadable files among many, $mode"
    [[ $(tail -n 3 "$OUT") == "$(tail -n 3 wanted)" && $(LC_ALL=C sort "$OUT") == "$(LC_ALL=C sort wanted)" ]] ||
      fail "unreadable and vanished files are not last with $mode: $(tail -n 5 "$OUT")"
    [[ $(wc -l <"$ERR") -eq 3 && $(grep -c 'Permission denied' "$ERR") -eq 2 && $(grep -c 'No such file' "$ERR") -eq 1 ]] ||
      fail "unreadable and vanished files among many are not named with $mode: $(cat "$ERR")"
  done
fi

# gbp reports output that cannot be written.
status=0
gbp -mem plain >/dev/full 2>"$ERR" || status=$?
[[ $status -eq 1 && $(wc -l <"$ERR") -eq 1 ]] || fail "a full disk: status $status, $(cat "$ERR")"
status=0
gbp -mem plain >&- 2>"$ERR" || status=$?
[[ $status -eq 1 && $(wc -l <"$ERR") -eq 1 ]] || fail "a closed stdout: status $status, $(cat "$ERR")"
status=0
gbp --help >/dev/full 2>"$ERR" || status=$?
[[ $status -eq 1 && $(wc -l <"$ERR") -eq 1 ]] || fail "--help on a full disk: status $status, $(cat "$ERR")"
for option in --help --version; do
  expect 0 0 "$option"
  [[ -s $OUT ]] || fail "gbp $option prints nothing"
done

# Many names.
mkdir many
(cd many && seq -f 'name-%.0f' 1000 | xargs touch)
for ((i = 0; i < 100; ++i)); do printf 'many/%s\0' $(seq -f 'name-%.0f' 1000); done >"$SCRATCH/names"
began=$SECONDS
gbp -compose -0 --files0-from - <"$SCRATCH/names" >"$OUT" 2>"$ERR" || fail "100000 names: $(head -n 3 "$ERR")"
cmp -s <(sort -z "$OUT") <(sort -z "$SCRATCH/names") || fail "100000 names do not come out again"
printf '100000 names: %d s\n' "$((SECONDS - began))"

[[ ${unprivileged[*]} != false ]] || skip "checked all but unreadable files: $BIN/gbp is out of an ordinary user's reach"
