#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gbp_order: gbp tells cached files from uncached ones and near files from far ones on the real kernel, as any user.
#
# Files are evicted, some are read again, and `pagecache count` confirms the state before and after each question. When the kernel reclaims pages meanwhile, the
# round proves nothing about gbp, so such a round is repeated. Every question comes within a second of the reading. Leaves out overlay and mechanical disks.
# Runs alone on a quiet host: it compares times of the disk.
source "$(dirname "$0")/../support/system.bash"
need_built gbp
GBP=$(program gbp)
readonly NOBODY=65534
readonly ROUNDS_MAX=5
readonly PRICE_ROUNDS_MAX=40 # a fifth of a second apart, because a host has its phases
readonly FILE_BYTES=3000000
export XDG_RUNTIME_DIR=/nonexistent HOME=/nonexistent # so that no round remembers the probes of another
export XDG_DATA_HOME=$SCRATCH/parameters # only the shipped parameters

chmod 755 "$SCRATCH"
mkdir "$SCRATCH/data"
cd "$SCRATCH/data"
# The files are not written in the order of their names.
names=(f07 f02 f11 f05 f09 f01 f12 f04 f08 f03 f10 f06)
for name in "${names[@]}"; do
  head -c "$FILE_BYTES" /dev/urandom >"$name"
  sync -- "$name"
done
warm=(f11 f01 f04 f10 f06)  # in the input's order
cold=(f07 f02 f05 f09 f12 f08 f03)
wanted=$(printf '%s\n' "${warm[@]}" "${cold[@]}")

pages_of() { "$TOOLS/pagecache" count "$@" | awk '{ resident += $1; total += $2 } END { print resident, total }'; }

is_warm() { # all pages of the files are resident
  local resident total
  read -r resident total < <(pages_of "$@")
  ((resident == total))
}

is_cold() { # except the few pages that a question leaves behind
  local resident total
  read -r resident total < <(pages_of "$@")
  ((resident <= 2 * $# + 1)) # a page and another near it; one more when a probe tests itself
}

prepare() {
  evict "${names[@]}"
  "$TOOLS/pagecache" warm "${warm[@]}"
}

# ask COMMAND...: puts into `answer` the output of COMMAND from a round in which exactly the warm files were cached.
ask() {
  local round
  for ((round = 0; round < ROUNDS_MAX; ++round)); do
    prepare
    answer=$("$@") || fail "status $? from: $*"
    if is_warm "${warm[@]}" && is_cold "${cold[@]}"; then return; fi
  done
  skip "the page cache does not keep $((FILE_BYTES * ${#warm[@]})) bytes for a second here"
}

backends_of() { python3 -c 'import json, sys; print(*sorted({json.loads(line)["backend"] for line in sys.stdin}))'; }

as_nobody() { setpriv --reuid "$NOBODY" --regid "$NOBODY" --clear-groups -- "$@"; }

check_order() { # BACKEND-NAMES COMMAND...: the right order, by this backend
  local backends=$1
  shift
  ask "$@" -mem "${names[@]}"
  [[ $answer == "$wanted" ]] || fail "$* -mem says: ${answer//$'\n'/ }, wanted: ${wanted//$'\n'/ }"
  ask "$@" -mem --json "${names[@]}"
  [[ $(backends_of <<<"$answer") == "$backends" ]] || fail "$* used $(backends_of <<<"$answer") instead of $backends"
}

# check_small: cached files of fifteen pages and of one page are told from uncached ones, with all their pages. Only one file is read: the file of the
# self-test.
check_small() {
  local name round
  for name in s{1..6}; do head -c $((${name#s} % 2 ? 61000 : 900)) /dev/urandom >"$name"; done
  chmod 644 s{1..6}
  sync -f .
  for ((round = 0; round < ROUNDS_MAX; ++round)); do
    evict s{1..6}
    "$TOOLS/pagecache" warm s3 s4
    answer=$(as_nobody "$GBP" -mem --json s{1..6}) || fail "status $? from -mem of small files"
    if is_warm s3 s4; then break; fi
  done
  ((round < ROUNDS_MAX)) || skip "the page cache does not keep two small files for a second here"
  [[ $(backends_of <<<"$answer") == end ]] || fail "small files were judged by $(backends_of <<<"$answer") instead of end"
  [[ $(grep -c '"cached_fraction":1.0' <<<"$answer") == 2 && $(grep -c '"cached_fraction":0.0' <<<"$answer") == 4 ]] || fail "two of six small files are cached, said: $answer"
  [[ $(pages_of s1 s2 s5 s6 | cut -d' ' -f1) == [01] ]] || fail "small files that were not cached were read: $(pages_of s1 s2 s5 s6)"
  rm s{1..6}
}

# Tests the control: the tool must tell an uncached file from a cached one.
prepare
is_warm "${warm[@]}" || skip "what was read just now is not in the page cache"
if is_warm "${cold[@]}"; then fail "pagecache cannot evict here"; fi

kernel_backend=$("$GBP" -mem --json "${warm[0]}" | backends_of)
[[ $kernel_backend == cachestat || $kernel_backend == mincore ]] || fail "own files are looked at by $kernel_backend"
check_order "$kernel_backend" "$GBP"
check_order mincore "$GBP" --backend mincore
check_order timed "$GBP" --backend timed
check_order fault "$GBP" --backend fault
check_order 'nowait' "$GBP" --backend nowait

# -compose: cached files come first, and each group has the order of -file.
by_layout=$("$GBP" -file --order extent "${names[@]}")
in_layout_order() { grep -xF -f <(printf '%s\n' "$@") <<<"$by_layout"; }
ask "$GBP" -compose --order extent "${names[@]}"
[[ $answer == "$(in_layout_order "${warm[@]}" && in_layout_order "${cold[@]}")" ]] || fail "-compose says: ${answer//$'\n'/ }"

# When the missing files are few, a file that lacks only a few pages is placed among them. If such a file were read earlier, its pages would be evicted again
# before the next scan. It is placed before the missing files when they are many.
read_all_but_the_end() {
  python3 -c 'import os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
for at in range(0, os.fstat(fd).st_size - (1 << 17), 1 << 16):
    os.pread(fd, 1 << 16, at)' "$1"
}
lacks_some() {
  local resident total
  read -r resident total < <(pages_of "$1")
  ((resident * 10 > total * 9 && resident < total))
}
ask_of_holes() { # COMMAND...: what it says while `whole` are cached and `holed` lacks its end
  local round
  for ((round = 0; round < ROUNDS_MAX; ++round)); do
    evict "${names[@]}"
    "$TOOLS/pagecache" warm "${whole[@]}"
    read_all_but_the_end "$holed"
    answer=$("$@") || fail "status $? from: $*"
    if is_warm "${whole[@]}" && lacks_some "$holed"; then return; fi
  done
  skip "the page cache does not keep $((FILE_BYTES * ${#names[@]})) bytes for a second here, or a read brings in more"
}
names_without() { printf '%s\n' "${names[@]}" | grep -vxF -f <(printf '%s\n' "$@"); }
holed=f06
mapfile -t whole < <(names_without f02 "$holed")
ask_of_holes "$GBP" -mem "${names[@]}"
[[ $answer == "$(printf '%s\n' "${whole[@]}" f02 "$holed")" ]] || fail "-mem, where $holed lacks its end, says: ${answer//$'\n'/ }"
ask_of_holes "$GBP" -compose --order extent "${names[@]}"
[[ $answer == "$(in_layout_order "${whole[@]}" && in_layout_order f02 "$holed")" ]] || fail "-compose, where $holed lacks its end, says: ${answer//$'\n'/ }"
whole=(f01 f10)
mapfile -t missing < <(names_without "${whole[@]}" "$holed")
ask_of_holes "$GBP" -mem "${names[@]}"
[[ $answer == "$(printf '%s\n' "${whole[@]}" "$holed" "${missing[@]}")" ]] || fail "-mem, where much is missing, says: ${answer//$'\n'/ }"

# The paper's use: cached matches are found first.
printf 'foo in the cold\n' >>f07
printf 'foo in the warm\n' >>f06
sync -- f06 f07
grep_the_papers_way() {
  # shellcheck disable=SC2046 # the names are to be split, as in the paper
  grep -a -o 'foo in the .*' $("$GBP" -mem f*)
}
ask "$GBP" -mem f*
prepare
mapfile -t found < <(grep_the_papers_way)
[[ ${#found[@]} -eq 2 && ${found[0]} == *warm && ${found[1]} == *cold ]] || fail "grep found: ${found[*]}"

# A file of one page: a probe would fetch the whole file. So its state is unknown, and it comes last.
printf 'tiny\n' >tiny
ask "$GBP" -mem --backend timed tiny "${names[@]}"
[[ ${answer##*$'\n'} == tiny ]] || fail "a single page is not last but: ${answer//$'\n'/ }"
answer=$("$GBP" -mem --backend timed --json tiny)
[[ $answer == *'"cached_fraction":null'* && $answer == *'"backend":"none"'* ]] || fail "a single page is not unknown: $answer"

# The price: for an uncached set, gbp reads a page for each prediction unit (each of these files is one unit), and one more page for the self-test. A timed read
# that was slow and yet did not sleep (the processor was taken away, or the disk answered at once) proves nothing. Then the next page is probed as well. This
# happens in some rounds because of the host, and such a round is repeated. If gbp read too much, it would do so in all rounds.
page_bytes=$(getconf PAGESIZE)
price() { # BACKEND: sets read_bytes and resident
  "$GBP" --version >"$SCRATCH/out" # its own pages are cached
  evict "${names[@]}"
  "$TOOLS/io_account" "$SCRATCH/account" "$GBP" -mem --backend "$1" "${names[@]}" >"$SCRATCH/out"
  read_bytes=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["read_bytes"])' "$SCRATCH/account")
  read -r resident _ < <(pages_of "${names[@]}")
}
if [[ -x $TOOLS/io_account ]]; then
  for backend in timed auto; do
    [[ $backend == timed ]] && most=${#names[@]} || most=1
    for ((round = 0; round < PRICE_ROUNDS_MAX; ++round)); do
      price "$backend"
      printf 'price of %d cold files by %s: %d bytes read, %d pages left\n' "${#names[@]}" "$backend" "$read_bytes" "$resident"
      if ((read_bytes <= (most + 1) * page_bytes && resident <= most + 1)); then break; fi
      sleep 0.2
    done
    ((round < PRICE_ROUNDS_MAX)) || fail "looking ($backend) at ${#names[@]} cold files read $read_bytes bytes and left $resident pages, $PRICE_ROUNDS_MAX times"
  done
fi

# By default -file asks only whether everything is in memory: on a mechanical disk, a probe that misses would cost an unnecessary seek.
evict "${names[@]}"
read -r before _ < <(pages_of "${names[@]}")
"$GBP" -file "${names[@]}" >"$SCRATCH/out"
read -r resident _ < <(pages_of "${names[@]}")
((resident <= before)) || fail "-file of cold files brought in $((resident - before)) pages"

# When everything is in memory, -file leaves the order alone, even if seeks are expensive. A file without data counts as in memory, too. So gbp does
# not need the host's measured parameters and does not read them. If gbp did read them, it would complain about GRAY_PARAM_NO_SUCH, which names no parameter.
: >empty
mapfile -t backwards < <(printf '%s\n' "${names[@]}" | tac)
backwards+=(empty)
for ((round = 0; round < ROUNDS_MAX; ++round)); do
  "$TOOLS/pagecache" warm "${names[@]}"
  answer=$(GRAY_PARAM_DISK_RANDOM_OVER_SEQUENTIAL=100 GRAY_PARAM_NO_SUCH=1 "$GBP" -file "${backwards[@]}" 2>"$SCRATCH/said")
  if is_warm "${names[@]}"; then break; fi
done
((round == ROUNDS_MAX)) || [[ $answer == "$(printf '%s\n' "${backwards[@]}")" ]] || fail "-file of what is in memory says: ${answer//$'\n'/ }"
((round == ROUNDS_MAX)) || [[ ! -s $SCRATCH/said ]] || fail "-file of what is in memory looked for the record: $(<"$SCRATCH/said")"

left_out=()

# -file: the order of the first extents, as another program prints them.
if command -v filefrag >/dev/null && filefrag -v "${names[0]}" >"$SCRATCH/extents" 2>&1; then
  wanted_layout=$(for name in "${names[@]}"; do
    printf '%s %s\n' "$(filefrag -v "$name" | awk '$1 == "0:" { sub(/\.\..*/, "", $4); print $4 }')" "$name"
  done | sort -n | cut -d' ' -f2)
  [[ $by_layout == "$wanted_layout" ]] || fail "-file says ${by_layout//$'\n'/ }, filefrag ${wanted_layout//$'\n'/ }"
else
  left_out+=("the order of first extents (no filefrag, or not on this file system)")
fi

# As a user who neither owns the files nor may write them: mincore lies to such a user, and gbp is still right.
if [[ $EUID -ne 0 ]] || ! command -v setpriv >/dev/null; then
  left_out+=("files of somebody else (needs root and setpriv)")
elif ! as_nobody test -x "$GBP" -a -r "$SCRATCH/data/f01"; then
  left_out+=("files of somebody else ($GBP is out of an ordinary user's reach)")
else
  chmod 644 "${names[@]}"
  evict "${names[@]}"
  refusal=$(as_nobody "$TOOLS/pagecache" count f01 2>&1) && fail "an ordinary user may count the pages of root's files: $refusal"
  check_order nowait as_nobody "$GBP"
  check_order timed as_nobody "$GBP" --backend timed
  check_order fault as_nobody "$GBP" --backend fault
  check_small
  answer=$(as_nobody "$GBP" -mem --backend mincore --json f01)
  [[ $answer == *'"cached_fraction":null'* ]] || fail "mincore was believed on somebody else's file: $answer"

  # Root of a user namespace, as in a container without root: to the owner of these files it is any other user.
  if as_nobody unshare --user --map-root-user true 2>/dev/null; then
    check_order nowait as_nobody unshare --user --map-root-user "$GBP"
  else
    left_out+=("root of a user namespace (none can be made here)")
  fi
fi

((${#left_out[@]} == 0)) || skip "checked all but: $(printf '%s; ' "${left_out[@]}")"
