#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gbp_actions: the actions of gbp on files other than printing names: -out, --exec, --ranges, --unsort, --plan, --html,
# --verify, -r.
#
# Every action is compared with the result that it must have with any content of the cache: all bytes and all names, once each. Left out: the order
# (system/gbp_order_test.sh) and the time that it saves (script/bench gbp).
source "$(dirname "$0")/../support/system.bash"
need python3 timeout
need_built gbp
readonly SECONDS_MAX=60
export XDG_DATA_HOME=$SCRATCH/parameters XDG_RUNTIME_DIR=/nonexistent HOME=/nonexistent

gbp() { timeout "$SECONDS_MAX" "$BIN/gbp" "$@"; }
wrong() { # ARGUMENT...: refused in one line, with status 2 and nothing printed
  local got=0
  gbp "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null || got=$?
  [[ $got -eq 2 && ! -s $SCRATCH/out && $(wc -l <"$SCRATCH/err") -eq 1 ]] || fail "gbp $*: status $got, $(cat "$SCRATCH/out" "$SCRATCH/err")"
}

mkdir "$SCRATCH/data"
cd "$SCRATCH/data"

# -out: every byte once, whole records together, in the units of the paper.
python3 -c 'import sys; [sys.stdout.write(f"{i:098d}\n") for i in range(30000)]' >records # of 99 bytes
export GRAY_PARAM_FILECACHE_ACCESS_UNIT_BYTES=100000
evict records
dd if=records of=/dev/null bs=100000 skip=20 count=3 status=none
gbp -mem -out records -align 99 >out || fail "-out ends with status $?"
cmp -s <(sort out) records || fail "-out -align: records are lost, doubled or cut"
cmp -s out records && fail "-out begins with what is not cached: $(gbp --ranges records | head -n 3)"
gbp -mem -out records | wc -c | grep -qx 2970000 || fail "-out without records loses bytes"
gbp --ranges records | awk '{ sum += $2 } END { exit sum != 2970000 }' || fail "--ranges does not cover the file: $(gbp --ranges records)"
gbp --ranges --json records | python3 -c 'import json, sys; assert sum(json.loads(line)["length"] for line in sys.stdin) == 2970000' || fail "--ranges --json"
unset GRAY_PARAM_FILECACHE_ACCESS_UNIT_BYTES
: >empty
gbp -out empty | wc -c | grep -qx 0 || fail "-out of an empty file"
status=0 && gbp -out none 2>"$SCRATCH/err" || status=$?
[[ $status -eq 1 && $(wc -l <"$SCRATCH/err") -eq 1 ]] || fail "-out of a missing file: status $status, $(cat "$SCRATCH/err")"
status=0 && gbp -out . 2>"$SCRATCH/err" || status=$?
[[ $status -eq 1 ]] || fail "-out of a folder: status $status"
status=0 && gbp -out records >/dev/full 2>"$SCRATCH/err" || status=$?
[[ $status -eq 1 && $(wc -l <"$SCRATCH/err") -eq 1 ]] || fail "-out to a full disk: status $status, $(cat "$SCRATCH/err")"
gbp -out records | head -c 10 >/dev/null || [[ $? -ne 124 ]] || fail "-out to a reader that has seen enough hangs"

# -r: the files below a folder, filtered. Links are not followed, so a loop of links is harmless.
mkdir -p tree/a/b tree/c
for name in tree/1.txt tree/a/2.txt tree/a/b/3.log tree/c/.hidden.txt $'tree/c/new\nline.txt'; do echo foo >"$name"; done
ln -s .. tree/a/up
ln -s ../tree tree/a/b/round
mkfifo tree/fifo
names() { tr '\0' '|' <"$1"; }
gbp -0 -r tree | LC_ALL=C sort -z >"$SCRATCH/out"
[[ $(names "$SCRATCH/out") == $'tree/1.txt|tree/a/2.txt|tree/a/b/3.log|tree/c/.hidden.txt|tree/c/new\nline.txt|' ]] || fail "-r: $(names "$SCRATCH/out")"
gbp -0 -r --one-file-system --include '*.txt' --exclude b tree tree/a/b/3.log | LC_ALL=C sort -z >"$SCRATCH/out"
[[ $(names "$SCRATCH/out") == $'tree/1.txt|tree/a/2.txt|tree/a/b/3.log|tree/c/new\nline.txt|' ]] || fail "-r with globs: $(names "$SCRATCH/out")"
if [[ $EUID -ne 0 ]]; then
  mkdir tree/closed && chmod 0 tree/closed
  status=0 && gbp -r tree >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
  [[ $status -eq 1 && $(wc -l <"$SCRATCH/err") -eq 1 ]] || fail "-r of a closed folder: status $status, $(cat "$SCRATCH/err")"
  chmod 755 tree/closed
fi

# Lists: one name in a line, and both kinds of list together with arguments.
printf 'records\n\nempty\n' >"$SCRATCH/lines"
printf 'out\0' >"$SCRATCH/nuls"
gbp -mem --files-from "$SCRATCH/lines" --files0-from "$SCRATCH/nuls" -- tree/1.txt | sort | tr '\n' ' ' >"$SCRATCH/out"
[[ $(cat "$SCRATCH/out") == 'empty out records tree/1.txt ' ]] || fail "lists: $(cat "$SCRATCH/out")"

# --exec: all names once, in batches. A command that fails or is missing is reported.
(mkdir many && cd many && seq -f 'a-long-name-for-a-file-that-is-one-of-many-%06.0f' 30000 | xargs touch)
gbp -r many --exec sh -c 'printf "%s\n" "$@"; echo batch >&2' sh {} + >"$SCRATCH/out" 2>"$SCRATCH/batches"
cmp -s <(sort "$SCRATCH/out") <(find many -type f | sort) || fail "--exec does not pass all names once"
(($(wc -l <"$SCRATCH/batches") > 1)) || fail "--exec passes $(wc -c <"$SCRATCH/out") bytes of names in one batch"
evict records out
cat records >/dev/null
gbp -mem --waves --exec echo {} + -- out records >"$SCRATCH/out"
[[ $(cat "$SCRATCH/out") == $'records\nout' ]] || fail "--waves: $(cat "$SCRATCH/out")"
expect_status 1 gbp --exec false {} + -- records 2>"$SCRATCH/err"
expect_status 127 gbp --exec "$SCRATCH/no-such-program" {} + -- records 2>"$SCRATCH/err"
expect_status 126 gbp --exec "$SCRATCH" {} + -- records 2>"$SCRATCH/err"
status=0 && gbp --exec cat {} + -- none records >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
if [[ $status -ne 1 ]] || ! cmp -s "$SCRATCH/out" records; then fail "--exec with a missing file: status $status"; fi

# --unsort: the lines of grep and sha256sum are sorted back into the given order.
cp tree/1.txt 'one name'
gbp -mem --exec sha256sum {} + -- records 'one name' out | gbp --unsort records 'one name' out >"$SCRATCH/out"
cmp -s "$SCRATCH/out" <(sha256sum records 'one name' out) || fail "--unsort: $(cat "$SCRATCH/out")"

# --plan and --verify.
cat records >/dev/null
gbp --plan records | grep -q '^verdict  *no win: all of it is in memory' || fail "--plan of a warm file: $(gbp --plan records)"
evict out
gbp --verify records out >"$SCRATCH/out" || fail "--verify ends with status $?: $(cat "$SCRATCH/out")"
grep -q '^timed .*100.00 %' "$SCRATCH/out" || fail "--verify: $(cat "$SCRATCH/out")"

# --html: each file or its part of a sum is on the page. Cached parts are shown in their place. Names have no effect as HTML. When the writing fails, the old page stays.
hostile=$'<script>&"\'\n\xff'
mkdir html
cp records "html/$hostile"
evict records
dd if=records of=/dev/null bs=100000 skip=20 count=3 status=none
gbp --html map.html records "html/$hostile" none 2>"$SCRATCH/err" && fail "--html with a missing file ends with 0"
[[ $(wc -l <"$SCRATCH/err") -eq 1 ]] || fail "--html says: $(cat "$SCRATCH/err")"
python3 - map.html <<'PYTHON' || fail "the map is wrong: $(cat map.html)"
import html.parser, sys
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.rows, self.tags, self.wide = [], set(), 0
    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "li": self.rows.append(["", []])
        if tag == "rect" and self.rows: self.rows[-1][1].append(dict(attributes))
    def handle_data(self, data):
        if self.rows: self.rows[-1][0] += data
page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
assert len(page.rows) == 3 and "script" not in page.tags, (page.rows, page.tags)
row = next(row for row in page.rows if "records" in row[0])
shown = [sum(float(rect["width"]) * float(rect.get("opacity", 1)) / 1000 for rect in row[1] if (float(rect["x"]) > 300) == late) for late in (False, True)]
assert shown[0] < 0.05 and 0.1 <= shown[1] <= 0.6, row  # some pages outlive being dropped
assert any("<script>&\"'\\n\\xff" in row[0] for row in page.rows), page.rows
assert any("No such file" in row[0] for row in page.rows), page.rows
PYTHON
find many -type f -size -100k | gbp --html - --files-from - >"$SCRATCH/out" || fail "--html - ends with status $?"
grep -q '<p>And [0-9]* files, smaller than these' "$SCRATCH/out" || fail 'the rest is not summed up'
[[ $(grep -o '<li>' "$SCRATCH/out" | wc -l) -eq 100 ]] || fail "not 100 files have a bar"
status=0 && gbp --html none/map.html records 2>"$SCRATCH/err" || status=$?
[[ $status -eq 1 && $(wc -l <"$SCRATCH/err") -eq 1 ]] || fail "--html where no file can be: status $status, $(cat "$SCRATCH/err")"

# Files that vanish, shrink and become folders while gbp looks at them.
mkdir restless
(while :; do
  : >restless/a && head -c 100000 records >restless/a && rm restless/a && mkdir restless/a && rmdir restless/a
done 2>/dev/null) &
restless=$!
at_exit kill "$restless"
for ((i = 0; i < 200; ++i)); do
  status=0 && gbp -compose --json --backend "$( ((i % 2)) && echo timed || echo fault)" restless/a records >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
  [[ $status -le 1 && $(wc -l <"$SCRATCH/out") -eq 2 ]] || fail "a restless file: status $status, $(cat "$SCRATCH/out" "$SCRATCH/err")"
done
kill "$restless"

# A million names on standard input.
began=$SECONDS
for ((i = 0; i < 34; ++i)); do find many -type f; done >"$SCRATCH/million"
gbp -mem --files-from - <"$SCRATCH/million" | wc -l | grep -qx "$(wc -l <"$SCRATCH/million")" || fail "a million names do not come out again"
printf '%d names: %d s\n' "$(wc -l <"$SCRATCH/million")" "$((SECONDS - began))"

# Misuse.
wrong -out records records
wrong -out records --ranges
wrong -align 5 records
wrong --waves records
wrong --exec echo records
wrong --exec {} + -- records
wrong --plan --verify records
wrong --html map --plan records
wrong --html map
wrong --apply records
wrong --resume --rollback -refresh .
wrong --order guess records
wrong --unsort --files-from -
wrong --files-from "$SCRATCH/none"
wrong --lines records
wrong -out records --lines -align 5
wrong -out records --lines --bytes
# An option that could have no effect is refused and named.
for words in '-out records --json' '-out records -0' '-out records -file' '-out records --order inode' '-out records -r' '--unsort --json records' \
  '--unsort -mem records' '--html map --json records' '--html map -0 records' '--plan --json records' '--plan -0 records' '--verify --json records' '--verify --backend timed records' \
  '--ranges -file records' '--ranges --order inode records' '-refresh . --json' '-refresh . -mem' '-refresh . --backend timed' \
  '-refresh . --files-from list' '-mem --order inode records' '--include x records' '--one-file-system records'; do
  read -ra arguments <<<"$words"
  wrong "${arguments[@]}"
done
wrong --json records --exec echo {} +
