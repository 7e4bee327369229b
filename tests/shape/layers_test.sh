#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# layers: checks that each include of a file and each library of a target is allowed by tests/shape/layers.txt.
#
# First the checker is tried on a small tree with one violation of each kind, and on a tree with none, so that a checker that
# finds nothing cannot pass. Left out: the work of the preprocessor on an include, and includes by macros.
source "$(dirname "$0")/../support/system.bash"
need python3
check=$SOURCE/tests/shape/check_layers.py
table=$SOURCE/tests/shape/layers.txt

# a FILE INCLUDE...: makes a file in the small tree with these includes.
a() {
  local file=$SCRATCH/tree/$1
  shift
  mkdir -p "$(dirname "$file")"
  { printf '#include %s\n' "$@"; } >"$file"
}

# The checker must refuse the tree with a line that contains the given words.
refused() {
  local output
  if output=$(python3 "$check" "$SCRATCH/tree" "$table"); then fail "the checker lets pass: $1"; fi
  [[ $output == *"$1"* ]] || fail "the checker does not say '$1' but: $output"
  rm -rf "$SCRATCH/tree"
}

a tools/discnice/transfer/good.cpp '"tools/discnice/policy/registry.hpp"' '"toolbox/base/units.hpp"' '<cstdint>' '<unistd.h>'
a tools/discnice/policy/good.hpp '"tools/discnice/contract/verdict.hpp"' '"tools/discnice/policy/policy.hpp"'
a examples/gb_fastsort.c '<gray/cache.h>' '<stdio.h>'
a toolbox/cli/good.cpp '<string>' '<fmt/format.h>'
python3 "$check" "$SCRATCH/tree" "$table" || fail "the checker refuses what the table allows"
rm -rf "$SCRATCH/tree"

a tools/discnice/predictor/bad.cpp '"tools/discnice/policy/policy.hpp"'
refused "tools/discnice/predictor/bad.cpp:1: tools/discnice/predictor may not include tools/discnice/policy/policy.hpp"
a tools/discnice/kernel/one.cpp '"tools/discnice/kernel/two.hpp"'
a tools/discnice/kernel/two.cpp '"tools/discnice/kernel/two.hpp"' '"tools/discnice/kernel/one.hpp"'
refused "tools/discnice/kernel/one: includes itself in a circle with tools/discnice/kernel/two"
a toolbox/base/bad.hpp '"toolbox/repo/repository.hpp"'
refused "toolbox/base may not include toolbox/repo/repository.hpp"
a toolbox/base/bad.hpp '"units.hpp"'
refused "not written from the root"
a tools/discnice/transfer/bad.cpp '<string>'
refused "<string> may not enter a host process"
a libgray/src/core/bad.cpp '<fmt/format.h>'
refused "<fmt/format.h> belongs to"
a examples/bad.c '"libgray/src/os/os.hpp"'
refused "examples may not include libgray/src/os/os.hpp"
a libgray/src/core/bad.cpp '<toolbox/repo/repository.hpp>'
mkdir -p "$SCRATCH/tree/toolbox/repo" && : >"$SCRATCH/tree/toolbox/repo/repository.hpp"
refused "libgray/src/core may not include toolbox/repo/repository.hpp"
a libgray/bad.cpp '"toolbox/base/units.hpp"'
refused "is in no layer"

edges=$SCRATCH/edges
printf '%s\n' 'toolbox_base|toolbox/base/units.cpp|gray_core' 'gray_core|libgray/src/core/host_params.cpp|' >"$edges"
mkdir "$SCRATCH/tree"
if python3 "$check" "$SCRATCH/tree" "$table" "$edges" >"$SCRATCH/output"; then fail "the checker lets an edge between targets pass"; fi
grep -q 'target toolbox_base: toolbox/base may not link gray_core' "$SCRATCH/output" || fail "not named: $(cat "$SCRATCH/output")"

python3 "$check" "$SOURCE" "$table" "$BUILD/tests/target_edges.txt" || fail "see above; the table is tests/shape/layers.txt"
