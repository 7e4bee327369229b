#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# template: checks that the template that a contributor copies for a new benchmark of the host compiles unchanged, without a warning.
#
# Left out: whether the template measures anything.
source "$(dirname "$0")/../support/system.bash"
compiler=${GRAY_CXX:-c++}
command -v "$compiler" >/dev/null || skip "no $compiler here"

compiles() { # TEMPLATE: with the line of registry_list.hpp that its head asks for
  cp "$1" "$SCRATCH/name.cpp"
  printf '#include "microbench/benchmark.hpp"\nnamespace microbench {\nextern const Benchmark kName;\n}\n#include "%s"\n' "$SCRATCH/name.cpp" |
    "$compiler" -x c++ -std=c++20 -Wall -Wextra -Werror -I "$SOURCE" -fsyntax-only -
}
compiles "$SOURCE/microbench/benchmarks/template.cpp.in" >&2 || fail "the template of benchmarks does not compile"
sed 's/kOutputs,$/kOutputs, 1,/; s/kOutputs, make/kOutputs, 1, make/' "$SOURCE/microbench/benchmarks/template.cpp.in" >"$SCRATCH/bad.cpp.in"
if compiles "$SCRATCH/bad.cpp.in" 2>/dev/null; then fail "a template with one field too many compiles"; fi
