#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gb_grep: gb-grep's output, messages and status are those of grep. Only the order of the files may differ, and with --sorted even the order is the same. gb-grep
# reads cached files first.
#
# The output is compared with the output of grep. Both search a copy of these sources with unusual files among them. Half of the files are cached, so gb-grep
# reads the files in another order than grep. A small stack makes the lists of arguments too long for one run. Left out: the time that gb-grep saves
# (script/bench gbp).
source "$(dirname "$0")/../support/system.bash"
need grep timeout setpriv mkfifo pgrep
need_built gb-grep
GREP=$(program gb-grep)
export XDG_DATA_HOME=$SCRATCH/parameters TMPDIR=$SCRATCH/tmp # only the shipped parameters; files that wait can be seen
mkdir "$TMPDIR" "$SCRATCH/tree"
cd "$SCRATCH/tree"
cp -r "$SOURCE"/{tools,toolbox} .
mkdir -p odd/folder odd/'a b' empty 'names:1:'
printf 'foo one\nbar\nfoo two' >odd/no_newline
: >odd/nothing
printf 'foo\0bar\nfoo\n' >odd/binary
printf 'text\n%5000s\nfoo\n\0foo\n' x >odd/binary_late
printf 'a foo\0b bar\0foo' >odd/nul_ended
{ head -c 1000000 /dev/zero | tr '\0' x && printf ' foo\nfoo\n'; } >odd/long
for ((i = 0; i < 40000; ++i)); do echo "line $i foo"; done >odd/many
for name in 'a b/c d' $'new\nline' 'x:7:foo' --help -e "quote'\"" '*.cpp' $'\xff\xfe'; do printf 'foo in %s\nbar\n' it >"odd/$name"; done
printf 'foo\n' >'names:1:/f'
printf '%s\n' '--' 'foo' '--' >odd/dashes
ln -s no_newline odd/link
ln -s nowhere odd/dangling
ln -s ../.. odd/folder/loop
ln -s ../toolbox odd/linked
mkfifo odd/pipe
mkdir long
for ((i = 0; i < 3000; ++i)); do echo "foo $((i % 7)) $i" >"long/a-name-that-is-long-enough-to-fill-the-list-of-arguments-$i"; done
printf 'foo\nstatic\n' >"$SCRATCH/patterns"
printf '*.hpp\n*.md  \n' >"$SCRATCH/globs"
printf 'void x\nfoo\n' >"$SCRATCH/input"
# Every third file is not in memory.
find . -type f -print0 | xargs -0 "$TOOLS/pagecache" evict
find . -type f -print0 | sort -z | awk 'BEGIN { RS = ORS = "\0" } NR % 3' | xargs -0 cat >/dev/null

cases=0 # quoted for the shell; LIMIT is run before both
LIMIT=:
same() { # ARGUMENT...: the results are those of grep, and so is the place of the lines
  local theirs=0 ours=0 way
  (eval "$LIMIT" && cd "${PLACE:-.}" && timeout 120 grep "$@") >"$SCRATCH/theirs" 2>"$SCRATCH/their_words" <"$SCRATCH/input" || theirs=$?
  for way in --sorted ''; do
    ours=0
    (eval "$LIMIT" && cd "${PLACE:-.}" && timeout 120 "$GREP" ${way:+"$way"} "$@") >"$SCRATCH/ours" 2>"$SCRATCH/our_words" <"$SCRATCH/input" || ours=$?
    [[ $theirs -eq $ours ]] || fail "status $ours instead of $theirs from: $way $*: $(head -n 3 "$SCRATCH/our_words")"
    for kind in theirs:ours their_words:our_words; do
      if [[ -z $way || (${1-} == *[Rd]* && $kind == their_words:our_words) ]]; then # a loop is said at once
        for file in "${kind%:*}" "${kind#*:}"; do tr '\0' '\n' <"$SCRATCH/$file" | sort >"$SCRATCH/lines" && mv "$SCRATCH/lines" "$SCRATCH/$file"; done
      fi
      cmp -s "$SCRATCH/${kind%:*}" "$SCRATCH/${kind#*:}" ||
        fail "${kind#*:} differ from grep's: $way $*: $(diff -a "$SCRATCH/${kind%:*}" "$SCRATCH/${kind#*:}" | head -n 6 | tr '\0' '@' | cut -c 1-300)"
    done
  done
  [[ -z $(ls -A "$TMPDIR") ]] || fail "files are left in TMPDIR by: $*"
  cases=$((cases + 1))
}

# Names in the forms in which shells give them.
files=(odd/* tools/gbp/*.cpp toolbox/base/*)
regular=(); for file in "${files[@]}"; do [[ -p $file ]] || regular+=("$file"); done
for options in '' -n -i -v -c -l -L -h -H -o -w -x -b -T -Z -z -a -s -E -F -P -nH '-m 1' '-m1 -c' '-m 0' '-A 1' '-B2' -1 '-C 1 -n' '-on -A1' \
  '--color=always -n' '--color=always -A1' --color --no-group-separator\ -A1 --group-separator=XX\ -B1 --binary-files=text -I -U --line-buffered --label=me \
  '-d skip' '-D skip' '--include=*.cpp' '--exclude=*.cpp' "--exclude-from=$SCRATCH/globs" --null\ --count -lZ -Lc -cv -lv -y --max-count=2\ -A1 -u '--no-mess -l' \
  '--files-with-m' '-A1 -c' '-A2 -I' '-qs'; do
  read -ra words <<<"$options"
  same "${words[@]}" foo "${regular[@]}"
done
same -e foo -e static "${regular[@]}"
same -f "$SCRATCH/patterns" "${regular[@]}"
same -f - "${regular[@]}"
same -f <(cat "$SCRATCH/patterns") tools/gbp/main.cpp
same -D skip -- -e odd/*
same foo odd/many odd/long -c -- odd/nothing
same foo odd/none odd/many
same -s foo odd/none odd/many
same foo odd/many odd/many odd/long
same foo - odd/many odd/long
same -A1 foo odd/many - odd/long
same nowhere-at-all odd/many odd/long
same -qs foo odd/none odd/many odd/long
same 'a\|b\d' odd/many odd/long tools/gbp/main.cpp
same '[' odd/many odd/long
same -A x foo odd/many odd/long
same --binary-files=x foo odd/many odd/long
same --no foo odd/many odd/long
same -f "$SCRATCH/none" odd/many odd/long
same foo odd/many
same foo
same
POSIXLY_CORRECT=1 same foo odd/many -c odd/long
same '' odd/many odd/nothing odd/binary
same -e odd/many odd/long

# Searches through folders.
for options in -r '-R -D skip' -rn -rc -rl -rL -rq -rh -rH -rZl -ro -rA1 '-r -C1 -n' '-rv -m1' '-r --include=*.cpp' '-r --include=*.cpp --exclude=[a-m]*' '-r --exclude=[a-m]* --include=*.cpp' \
  '-r --exclude-dir=gbp' '-r --exclude-dir=toolbox/' '-r --exclude-dir=t*' "-r --exclude-from=$SCRATCH/globs" '-RDskip --exclude-dir=folder' '-r -d skip' '-d recurse' '-d rec' \
  '--directories=recurse -I' '-rs' '-Rs -l --devices=skip' '-r --exclude=tools/*' '-r --exclude-dir=tools/gbp' '-r --include=many' '-r -D skip' '--recursive --color=always' '--deref -c --dev skip' '-rd read'; do
  read -ra words <<<"$options"
  same "${words[@]}" foo
  same "${words[@]}" foo tools/gbp/ toolbox//repo odd/many odd/link
done
same -r foo . -D skip
same -rc foo tools//
same -r --exclude-dir=tools foo tools/ tools
same -r foo empty
same -r foo empty odd/nothing
same -r foo odd/many
same -r foo nowhere
same -r foo ./-none -s
same -rl foo long/
PLACE=odd same -r foo
same -D sk foo odd/many odd/long
same -d re foo odd/many odd/long
PLACE=odd same -rF -- --help

# More names than one run can take.
LIMIT='ulimit -s 512'
for options in -r -rn -rc -rl -rL -rA1 -rq -rB1\ -m1 -rh '-r --include=*-1*' '-rA1 -c' -ru; do
  read -ra words <<<"$options"
  same "${words[@]}" 'foo 3' long odd
  same "${words[@]}" nowhere-at-all long
done
same -r '[' long
same -rf - long
same -rf - -A1 long odd
same -r 'a\d' long odd/many
same -r foo long odd/none
LIMIT=:

# A folder with so many entries that grep sorts them.
mkdir many && (cd many && seq 12000 | xargs touch && printf 'foo\n' | tee 17 4711 9999 12000 >/dev/null)
same -rl foo many odd

# When a file may not be read, the message is grep's.
if [[ $EUID -eq 0 ]]; then
  mkdir closed && echo foo >closed/in && echo foo >odd/secret && chmod 700 closed && chmod 600 odd/secret
  chmod 755 "$SCRATCH" && chmod 777 "$TMPDIR"
  for options in -r -rs -rl -rc -rL -rqs -rA1; do
    theirs=0 ours=0
    setpriv --reuid 65534 --clear-groups grep "$options" foo closed odd >"$SCRATCH/theirs" 2>"$SCRATCH/their_words" || theirs=$?
    setpriv --reuid 65534 --clear-groups "$GREP" --sorted "$options" foo closed odd >"$SCRATCH/ours" 2>"$SCRATCH/our_words" || ours=$?
    [[ $theirs -eq $ours ]] || fail "status $ours instead of $theirs where a file is closed: $options"
    cmp "$SCRATCH/theirs" "$SCRATCH/ours" || fail "other lines where a file is closed: $options"
    cmp "$SCRATCH/their_words" "$SCRATCH/our_words" || fail "other words where a file is closed: $options"
  done
fi

# The output file is not read.
for way in '' --sorted; do
  theirs=0 ours=0
  grep -r foo odd toolbox >odd/output 2>"$SCRATCH/their_words" || theirs=$?
  mv odd/output "$SCRATCH/theirs"
  timeout 120 "$GREP" $way -r foo odd toolbox >odd/output 2>"$SCRATCH/our_words" || ours=$?
  mv odd/output "$SCRATCH/ours"
  [[ $theirs -eq $ours ]] || fail "status $ours instead of $theirs where a file is the output"
  cmp <(sort "$SCRATCH/their_words") <(sort "$SCRATCH/our_words") || fail "other words where a file is the output: $way"
  cmp <(sort "$SCRATCH/theirs") <(sort "$SCRATCH/ours") || fail "other lines where a file is the output: $way"
done

# Cached files come first, and --sorted restores the order.
find odd -type f -exec "$TOOLS/pagecache" evict {} +
cat odd/many >/dev/null
[[ $("$GREP" -l foo odd/long odd/many | head -n 1) == odd/many ]] || fail "what is cached is not read first"
[[ $("$GREP" --sorted -l foo odd/long odd/many | head -n 1) == odd/long ]] || fail "--sorted does not put it back"

# gb-grep ends when its reader ends and when a signal ends it, with the right status. It leaves nothing behind.
status=0
"$GREP" -r foo . 2>/dev/null | head -n 1 >/dev/null || status=${PIPESTATUS[0]}
[[ $status -eq 141 || $status -eq 0 ]] || fail "status $status when nobody reads"
mkfifo stuck
(exec "$GREP" --sorted -c foo odd/many stuck odd/long >/dev/null) &
sleep 0.5
kill "$!"
status=0
wait "$!" || status=$?
[[ $status -eq 143 ]] || fail "status $status from one that was ended"
sleep 0.2
[[ -z $(pgrep -f 'grep.* stuck odd/long' || true) ]] || fail "a grep goes on when gb-grep is ended"
[[ -z $(ls -A "$TMPDIR") ]] || fail "files are left in TMPDIR"

# A file that can be read only once is read once. A file with the name - that is found in a folder counts as a file.
[[ $("$GREP" -h foo <(echo foo 1) <(echo foo 2) | sort) == $'foo 1\nfoo 2' ]] || fail "pipes in the place of files are not read"
mkdir dash && echo foo >dash/- && echo bar >dash/other
[[ $(cd dash && "$GREP" -r foo <"$SCRATCH/input") == ./-:foo ]] || fail "a file named - is not found"

# When there is no room for the files that wait, gb-grep says so.
if [[ $EUID -eq 0 ]] && mkdir "$SCRATCH/small" && mount -t tmpfs -o size=40k none "$SCRATCH/small" 2>/dev/null; then
  at_exit umount "$SCRATCH/small"
  evict odd/no_newline odd/many odd/long
  cat odd/many >/dev/null
  TMPDIR=$SCRATCH/small expect_status 2 "$GREP" --sorted -h foo odd/no_newline odd/many odd/long 2>"$SCRATCH/our_words" >/dev/null
  grep -q 'No space left' "$SCRATCH/our_words" || fail "a full TMPDIR is not named: $(cat "$SCRATCH/our_words")"
fi

# When gb-grep is installed under the name grep, it does not run itself.
mkdir "$SCRATCH/bin" && ln -s "$GREP" "$SCRATCH/bin/grep"
[[ $(PATH=$SCRATCH/bin:$PATH timeout 120 grep -l foo odd/long odd/nothing) == odd/long ]] || fail "gb-grep takes itself for grep"
PATH=$SCRATCH/bin expect_status 2 "$GREP" foo odd/long 2>/dev/null
evict odd/long
TMPDIR=/nowhere expect_status 2 "$GREP" --sorted foo odd/long odd/many 2>"$SCRATCH/our_words"
grep -q '/nowhere' "$SCRATCH/our_words" || fail "a missing TMPDIR is not named"
expect_status 2 "$GREP" --sorted --no-such-option foo odd/long 2>/dev/null
echo "as grep: $cases command lines, each with --sorted and without"
