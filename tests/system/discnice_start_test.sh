#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_start_test: the actions of the library at the start of a program, and the state that it must leave unchanged.
#
# How: the loader itself tells which names it looked up for the library. A program whose names are all bound at once is held like any other. The kernel tells what
# happens to SIGBUS, for which the library has a handler, and which pages a fork wipes. Processes that have children before they use a file are counted like others.
# Left out:
# the cost of a start (script/bench call_cost), and where the library's data lies (shape/start_page).
source "$(dirname "$0")/../support/discnice.bash"
cd "$SCRATCH"
head -c 300000 /dev/urandom >input

# Each name that is looked up costs every exec in a job half a microsecond. The names here are names of variables, and only the loader knows which library's
# variable is used.
names() {
  "$DISCNICE" -q --policy unlimited -- env LD_DEBUG=bindings "$(type -P true)" 2>&1 |
    sed -n "s/.*binding file [^ ]*libdiscnice\.so.* to .*symbol .\([A-Za-z0-9_]*\)' .*/\1/p" | sort -u
}
mapfile -t found < <(names)
((${#found[@]} > 0)) || skip 'the loader does not tell what it binds'
for name in "${found[@]}"; do
  case $name in stdin | stdout | stderr) ;; *) complain "a start looks up $name" ;; esac
done
printf 'names a start looks up: %s\n' "${found[*]}"

# covered NAME [VARIABLE=VALUE]: checks that cat prints the same, is one program of the job, and that its reads are counted.
covered() {
  local name=$1
  shift
  env "$@" "$DISCNICE" --policy unlimited --json --report report -- cat input >output || complain "$name: status $?"
  cmp input output || complain "$name: what was read differs"
  (($(field report processes) == 1 && $(field report file_read_bytes) >= 300000)) || complain "$name: it was not covered: $(<report)"
}
covered 'names bound when they are called'
covered 'names bound at once' LD_BIND_NOW=1

# A child that is made before the first call on a file is a process of the job like any other. Its parent also stays a process of the job, no matter in which
# memory the child ran. The parameters: WAY, how many processes read the file, and how often it is read.
early() {
  local way=$1 processes=$2 reads=$3
  "$DISCNICE" --policy unlimited --json --report report -- "$TOOLS/early_children" "$way" input || complain "children by $way: status $?"
  (($(field report processes) == processes && $(field report file_read_bytes) == reads * 300000)) ||
    complain "children by $way: not $processes processes that read $reads times: $(<report)"
  (($(field report still_running) == 0)) || complain "children by $way: somebody is taken for alive"
}
early fork 2 3
early vfork 4 5
early both 5 6
early late 5 7

# The library recognises a forked child by a mark. The mark is made only when it is first needed, because its making is a large part of the cost of a start. So
# a fork wipes a page only for a program that has read a file. wiped_in CMD...: how many mappings a fork would wipe, at the moment
# when the command waits.
wiped_in() {
  local launcher program=none
  "$DISCNICE" -q --policy unlimited -- "$@" >/dev/null &
  launcher=$!
  until [[ $(cat "/proc/$program/comm" 2>/dev/null) == "$1" ]]; do
    sleep 0.01
    program=$(<"/proc/$launcher/task/$launcher/children")
    program=${program% }
  done
  sleep 0.3
  grep -c '^VmFlags:.* wf' "/proc/$program/smaps" || true
  kill "$program"
  wait "$launcher" || true
}
if grep -q '^VmFlags:' /proc/self/smaps; then
  (($(wiped_in sleep 30) == 0)) || complain 'a program that has read nothing has a mark that a fork wipes'
  (($(wiped_in tail -f input) == 1)) || complain 'a program that has read a file has no mark that a fork wipes'
fi

# signals FIELD: the bit for SIGBUS in this signal mask of a program under the library.
signals() { "$DISCNICE" -q --policy unlimited -- sed -n "s/^$1:[[:space:]]*//p" /proc/self/status | awk '{ print substr($1, length($1) - 1) }'; }
bus_in() { (((0x$(signals "$1") & 0x40) != 0)); }
bus_in SigCgt || complain 'nobody would notice that the memory of the job is gone'
(
  trap '' BUS
  bus_in SigIgn
) || complain 'a program that was told to ignore SIGBUS has a handler for it'
conclude
