#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gbp_lines: `gbp -out FILE` gives each line of a text whole and once. It gives each record whole, and a short last record last.
#
# Files of random lines, cached in places, are streamed and compared as sorted lines. Every state of the cache gives another order. So each file is streamed
# uncached, cached and partly cached, and must have come in another order at least once. Otherwise the test has proved nothing. Left out:
# the order itself (system/gbp_stream_test.sh) and every order of the borders (unit/gbp/line_joiner_test.cpp).
source "$(dirname "$0")/../support/system.bash"
need python3 timeout
need_built gbp
readonly SECONDS_MAX=60
export XDG_DATA_HOME=$SCRATCH/parameters XDG_RUNTIME_DIR=/nonexistent HOME=/nonexistent
cd "$SCRATCH"
gbp() { timeout "$SECONDS_MAX" "$BIN/gbp" "$@"; }
mix() { # FILE: uncached except some places
  local mb i
  evict "$1"
  mb=$(($(stat -c %s "$1") >> 20))
  for ((i = mb; i > 0; i -= 3)); do dd if="$1" of=/dev/null bs=1M skip="$i" count=1 status=none; done
}
reordered=0
same_lines() { # FILE OPTION...: each line once, whole, and an unfinished line last
  local file=$1 state
  shift
  for state in mixed cold warm; do
    case $state in mixed) mix "$file" ;; cold) evict "$file" ;; warm) cat "$file" >/dev/null ;; esac
    gbp -mem -out "$file" "$@" | cat >out || fail "$file, $state: -out ends with status ${PIPESTATUS[*]}"
    [[ -z $(comm -3 <(sort "$file") <(sort out)) ]] || fail "$file, $state: $(comm -3 <(sort "$file") <(sort out) | wc -l) lines differ"
    # A file with a newline at its end has no unfinished line.
    if [[ $(tail -c 1 "$file" | wc -l) -eq 0 ]] && ! cmp -s <(tail -n 1 "$file") <(tail -n 1 out); then
      fail "$file, $state: the unfinished line does not come last"
    fi
    cmp -s "$file" out || reordered=$((reordered + 1))
  done
}

python3 - <<'PYTHON'
import random
random.seed(28)
def lines(name, count, longest, end=b"\n", last=b""):
    with open(name, "wb") as stream:
        for i in range(count):
            stream.write(b"%d " % i + bytes(random.choices(b"abcdefgh \xc3\xa9", k=random.randint(0, longest))) + end)
        stream.write(last)
lines("short", 60000, 200)
lines("unfinished", 60000, 200, last=b"unfinished")
lines("crlf", 60000, 200, b"\r\n", b"unfinished\r")
lines("long", 300, 60000)
lines("longer", 8, 3000000, last=b"unfinished")
lines("one", 1, 3000000, b"")
PYTHON
printf 'a\nb' >small
: >empty
for file in short unfinished crlf long small empty; do same_lines "$file"; done
for file in longer one; do same_lines "$file" --lines; done
((reordered > 4)) || fail "the files came in their own order all but $reordered times: nothing was shown"

# With --bytes, and for a file that is no text, parts may end inside a line, and every byte comes once.
mix short
gbp -mem -out short --bytes >out
[[ $(wc -c <out) -eq $(wc -c <short) ]] || fail "--bytes loses bytes"
[[ -n $(comm -3 <(sort short) <(sort out)) ]] || fail "--bytes gives whole lines: so the lines above show nothing"
python3 -c 'open("binary", "wb").write(bytes(range(256)) * 40000)'
mix binary
gbp -mem -out binary >out
[[ $(wc -c <out) -eq $(wc -c <binary) ]] || fail "no text: bytes are lost"

# A file that grows meanwhile: gbp prints the part that existed at the first look, with its unfinished line last.
cp short growing
printf 'unfinished' >>growing
mix growing
gbp -mem -out growing | (
  head -c 100000
  echo ' more' >>growing
  cat
) >out
[[ -z $(comm -3 <(sort short) <(head -c -10 out | sort)) && $(tail -c 10 out) == unfinished ]] || fail "a growing file"

# Records: each record is whole. The short last record comes last, no matter whether it is cached.
python3 -c 'import sys; [sys.stdout.write(f"{i:099d}\n") for i in range(167772)]' >records
printf 'tail of a file' >>records
for skip in 15 2; do
  evict records
  dd if=records of=/dev/null bs=1M skip="$skip" count=2 status=none
  gbp -mem -out records -align 100 >out
  [[ $(tail -c 14 out) == 'tail of a file' ]] || fail "-align: the short record does not come last: $(tail -c 50 out)"
  cmp -s <(head -c -14 out | sort) <(head -c -14 records) || fail "-align: records are torn"
  cmp -s out records && [[ $skip -eq 2 ]] && fail "-align: it came in its own order: nothing was shown"
done
printf 'shorter than a record' >records
gbp -mem -out records -align 100 | cmp -s - records || fail "-align of less than a record"
gbp -mem -out empty -align 100 | wc -c | grep -qx 0 || fail "-align of an empty file"
