#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# callers: checks that each name of the toolbox is used outside of the tests.
#
# The checker is first shown a name that only a test uses, and a name that a program uses.
source "$(dirname "$0")/../support/system.bash"
need python3
check=$SOURCE/tests/shape/check_callers.py
mkdir -p "$SCRATCH"/tree/{toolbox/base,tests,tools}
printf 'int used(int a);\nint unused(int a);\n' >"$SCRATCH/tree/toolbox/base/some.hpp"
printf 'int used(int a) { return a; }\nint unused(int a) { return a; }\n' >"$SCRATCH/tree/toolbox/base/some.cpp"
printf 'int main() { return used(0); }\n' >"$SCRATCH/tree/tools/program.cpp"
printf 'int test() { return unused(0); }\n' >"$SCRATCH/tree/tests/some_test.cpp"
if output=$(python3 "$check" "$SCRATCH/tree"); then fail 'the checker lets pass what only a test uses'; fi
[[ $output == 'toolbox/base/some.hpp: nobody but a test uses unused' ]] || fail "the checker says: $output"

python3 "$check" "$SOURCE" || fail 'see above'
