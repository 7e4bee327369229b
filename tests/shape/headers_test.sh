#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# headers: checks that every public header compiles alone, as C11 and as C++20, without a warning, with every compiler found here.
#
# Headers ending in .hpp are C++ only. The include path has only libgray/include, as for a user who has installed the library.
source "$(dirname "$0")/../support/system.bash"
include=$SOURCE/libgray/include
warnings=(-Wall -Wextra -Wpedantic -Wstrict-prototypes -Werror)

# compiles COMPILER LANGUAGE STANDARD HEADER: includes the header twice, so that its include guard is tested, too.
compiles() {
  local flags=("${warnings[@]}")
  [[ $2 == c ]] || flags=(-Wall -Wextra -Wpedantic -Werror)
  # The last line is for headers that have only macros: C forbids an empty file.
  printf '#include <%s>\n#include <%s>\nextern int not_empty;\n' "$4" "$4" |
    "$1" -x "$2" -std="$3" "${flags[@]}" -I "$HEADERS" -fsyntax-only - >&2 ||
    { echo "the above is $4 with $1 as $3" >&2 && return 1; }
}

check_all() {
  local header compiler
  while IFS= read -r header; do
    header=${header#"$HEADERS"/}
    for compiler in "${compilers[@]}"; do
      if [[ $header == *.h ]]; then
        compiles "$compiler" c c11 "$header" || return 1
      fi
      compiles "$compiler" c++ c++20 "$header" || return 1
    done
  done < <(find "$HEADERS" -name '*.h' -o -name '*.hpp')
}

compilers=()
for compiler in gcc clang; do command -v "$compiler" >/dev/null && compilers+=("$compiler"); done
((${#compilers[@]})) || skip "neither gcc nor clang is here"

HEADERS=$SCRATCH/bad
mkdir -p "$HEADERS/gray"
printf '#include <stddef.h>\nstatic inline size_t f() { return 0; }\n' >"$HEADERS/gray/bad.h"
if check_all 2>/dev/null; then fail "a header without a guard and with an old prototype passes"; fi

HEADERS=$include
[[ -n $(find "$include" -name '*.h' 2>/dev/null) ]] || skip "there are no public headers in libgray/include yet"
check_all || fail "see above"
echo "compiled with ${compilers[*]}: $(find "$include" -name '*.h' -o -name '*.hpp' | wc -l) headers"
