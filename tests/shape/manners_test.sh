#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# manners: checks that every program has a help text and a version, refuses unknown arguments in one line, and has a manual page.
#
# Runs each program of build/PRESET/bin with --help, --version and an option that does not exist, and checks the exit status and the output.
# Left out: the meaning of the options, which tests/cli tests.
source "$(dirname "$0")/../support/system.bash"

wrong=()
complain() { wrong+=("$1"); }

# run PROGRAM ARGUMENT...: leaves the exit status in STATUS, and the output in the files out and err.
run() {
  STATUS=0
  timeout 120 "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null || STATUS=$?
}

speaks() {
  local name=${1##*/}
  run "$1" "$2"
  [[ $STATUS -eq 0 ]] || complain "$name $2 ends with status $STATUS, not 0"
  [[ -s $SCRATCH/out ]] || complain "$name $2 prints nothing"
  [[ ! -s $SCRATCH/err ]] || complain "$name $2 complains: $(head -n 1 "$SCRATCH/err")"
}

refuses() {
  local name=${1##*/} option=--no-such-option
  run "$1" "$option"
  [[ $STATUS -eq 2 ]] || complain "$name $option ends with status $STATUS, not 2"
  [[ ! -s $SCRATCH/out ]] || complain "$name $option prints to stdout"
  [[ $(wc -l <"$SCRATCH/err") -eq 1 ]] || complain "$name $option says $(wc -l <"$SCRATCH/err") lines, not 1"
  grep -q -e "$option" "$SCRATCH/err" || complain "$name $option does not name the option"
}

# points_to_help PROGRAM SUBCOMMAND: checks that the sub-command has a help text, and that a wrong command line points to it.
points_to_help() {
  local name="${1##*/} $2"
  run "$1" "$2" --help
  [[ $STATUS -eq 0 && -s $SCRATCH/out ]] || complain "$name --help ends with status $STATUS"
  run "$1" "$2" --no-such-option
  [[ $STATUS -eq 2 ]] || complain "$name --no-such-option ends with status $STATUS, not 2"
  grep -q "Try '$name --help'" "$SCRATCH/err" || complain "$name --no-such-option points elsewhere: $(head -n 1 "$SCRATCH/err")"
}

# subcommands SOURCE: prints the sub-commands in the source's table.
subcommands() { grep -oE '\{"[a-z]+", [a-z:]*_main\}' "$SOURCE/$1" | cut -d '"' -f 2; }

reports_full_disk() {
  local name=${1##*/} status=0
  timeout 120 "$1" --help >/dev/full 2>"$SCRATCH/err" </dev/null || status=$?
  [[ $status -ne 0 && $status -lt 124 ]] || complain "$name --help >/dev/full ends with status $status"
  [[ $(wc -l <"$SCRATCH/err") -eq 1 ]] || complain "$name --help >/dev/full says $(wc -l <"$SCRATCH/err") lines, not 1"
}

has_page() {
  local name=${1##*/} page
  # A program that is a part of another one shares its manual page: each program in CMAKE_INSTALL_LIBEXECDIR.
  grep -rq "gray_part_of([a-z-]* $name " "$SOURCE/tools" --include=CMakeLists.txt && return
  page=$(find "$SOURCE/toolbox" "$SOURCE/libgray" "$SOURCE/tools" "$SOURCE/microbench" "$SOURCE/examples" "$SOURCE/bench" \
    -name "$name.1" -o -name "$name.8" 2>/dev/null | head -n 1 || true)
  if [[ -z $page ]]; then
    complain "$name has no manual page $name.1"
  else
    pages+=("$page")
  fi
}

# Checks the manual pages with a program that is installed here. If there is no such program, a message says so, and this is not a failure.
lint_pages() {
  local page
  ((${#pages[@]})) || return 0
  for page in "${pages[@]}"; do
    if command -v mandoc >/dev/null; then
      mandoc -T lint -W warning "$page" >"$SCRATCH/lint" 2>&1 || true
    elif command -v groff >/dev/null; then
      groff -man -T utf8 -ww -z "$page" >"$SCRATCH/lint" 2>&1 || true
    else
      echo "SKIPPED here: the lint of manual pages; neither mandoc nor groff is installed"
      return 0
    fi
    [[ ! -s $SCRATCH/lint ]] || complain "${page##*/}: $(head -n 1 "$SCRATCH/lint")"
  done
}

programs=()
for file in "$BIN"/*; do [[ -f $file && -x $file ]] && programs+=("$file"); done
((${#programs[@]})) || skip "no program was built in $BIN"

# Tries the checks themselves on a program that does everything wrong: each check must complain.
printf '#!/bin/sh\nexit 1\n' >"$SCRATCH/rude" && chmod +x "$SCRATCH/rude"
pages=()
for check in "speaks --help" refuses "points_to_help status" reports_full_disk has_page; do
  wrong=()
  read -ra words <<<"$check"
  "${words[0]}" "$SCRATCH/rude" "${words[@]:1}"
  ((${#wrong[@]})) || fail "the check '$check' finds nothing wrong with a program that only fails"
done

wrong=()
for file in "${programs[@]}"; do
  speaks "$file" --help
  speaks "$file" --version
  refuses "$file"
  reports_full_disk "$file"
  has_page "$file"
done
for table in discnice:tools/discnice/cli/main.cpp microbench:microbench/main.cpp; do
  [[ -e $BIN/${table%%:*} ]] || continue
  names=$(subcommands "${table#*:}") || fail "${table#*:} has no table of sub-commands"
  for name in $names; do points_to_help "$BIN/${table%%:*}" "$name"; done
done
lint_pages
((${#wrong[@]} == 0)) || fail "$(printf '%s\n' "${#wrong[@]} breaches of manners:" "${wrong[@]}")"
echo "looked at: ${programs[*]##*/}"
