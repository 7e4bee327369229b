#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sources: checks that every file begins with its licence and its purpose, and that no function is longer than a screen.
#
# The checker is first shown one file of each kind that it must refuse. Left out: methods written inside their class.
# clang-tidy counts their lines in script/lint.
source "$(dirname "$0")/../support/system.bash"
need python3
check=$SOURCE/tests/shape/check_sources.py
mkdir "$SCRATCH/tree"

refused() {
  local output
  if output=$(python3 "$check" "$SCRATCH/tree"); then fail "the checker lets pass: $1"; fi
  [[ $output == *"$1"* ]] || fail "the checker does not say '$1' but: $output"
  rm -rf "$SCRATCH/tree"
  mkdir "$SCRATCH/tree"
}
long_function() {
  printf '%s\n' "$1"
  printf '  x();%.0s\n' {1..70}
  printf '}\n'
}
licence='SPDX-License-Identifier: MIT'

printf '// %s\n// good: a file.\nint f() {\n  return 1;\n}\n' "$licence" >"$SCRATCH/tree/good.cpp"
python3 "$check" "$SCRATCH/tree" || fail "the checker refuses a good file"

echo 'int x;' >"$SCRATCH/tree/bare.cpp"
refused "bare.cpp:1: the line"
printf '#!/bin/bash\necho\n' >"$SCRATCH/tree/script"
refused "script:2: the line"
printf '// %s\n#pragma once\n' "$licence" >"$SCRATCH/tree/nameless.hpp"
refused "nameless.hpp:2: the file does not begin with its name"
{ printf '// %s\n// long: a file.\n' "$licence" && long_function 'void f(int a) {'; } >"$SCRATCH/tree/long.cpp"
refused "long.cpp:3: a function of 72 lines"
{ printf '// %s\n// wide: a file.\nvoid f(int a,\n' "$licence" && long_function '       int b) {'; } >"$SCRATCH/tree/wide.cpp"
refused "wide.cpp:4: a function of 72 lines"
{ printf '# %s\n' "$licence" && long_function 'f() {'; } >"$SCRATCH/tree/long.sh"
refused "long.sh:2: a function of 72 lines"

python3 "$check" "$SOURCE" || fail "see above"
