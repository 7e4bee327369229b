# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# trees.bash: files like the files that people have, for benchmarks to work on. They are made anew each time. Only their random bytes differ from one time
# to the next.
#
#   make_sources FOLDER MB        a tree of many small text files and some larger ones, with some sixty in a folder
#   make_project FOLDER FILES     a C project: a Makefile and this many sources, each with some hundred functions
#   hold_compiler                 keeps the compiler in memory, by `hold` of tests/support/discnice.bash

make_sources() {
  local i folder=$1
  mkdir -p "$folder"
  for i in $(seq $(($2))); do
    mkdir -p "$folder/$i"
    head -c 500000 /dev/urandom | base64 | split -a 3 -b 9000 - "$folder/$i/file"
    head -c 300000 /dev/urandom >"$folder/$i/object"
  done
  sync -f "$folder"
}

make_project() {
  local i folder=$1 count=$2
  mkdir -p "$folder"
  {
    printf 'objects =%s\n' "$(seq -f ' part%.0f.o' "$count" | tr -d '\n')"
    # shellcheck disable=SC2016 # for make to expand
    printf '%s\n' 'program: $(objects)' $'\tcc -o program $(objects)' '%.o: %.c all.h' $'\tcc -O1 -c -o $@ $<'
  } >"$folder/Makefile"
  printf '#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n' >"$folder/all.h"
  for i in $(seq "$count"); do
    {
      printf '#include "all.h"\n'
      seq -f "int part${i}_%.0f(const char *text, int value) { char line[99]; snprintf(line, sizeof line, \"%%s %%d\", text, value); return atoi(line); }" 100
      if ((i == 1)); then echo 'int main(void) { return part1_1("0", 0); }'; fi
    } >"$folder/part$i.c"
  done
  sync -f "$folder"
}

# The compiler, its libraries and plug-ins stay in memory. A host may take back the unused parts within seconds, and their page faults must not be part of the measurement.
hold_compiler() {
  local programs=() libraries plugin name
  for name in cc1 collect2 as ld; do programs+=("$(realpath -e "$(command -v "$(cc -print-prog-name="$name")")")"); done
  for name in cc make sh; do programs+=("$(realpath -e "$(command -v "$name")")"); done
  mapfile -t libraries < <(ldd "${programs[@]}" 2>/dev/null | grep -o '/[^ ]*\.so[^ ]*' | sort -u)
  plugin=$(cc -print-file-name=liblto_plugin.so)
  if [[ -e $plugin ]]; then libraries+=("$plugin"); fi
  hold "${programs[@]}" "${libraries[@]}"
}
