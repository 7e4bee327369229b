#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# figures: checks that each figure that microbench measures has a program that reads it, or a reason why a person wants it.
#
# The checker is first shown wrong cases: a figure that has neither a reader nor a reason, a named reader that does not read, a reader that is not named,
# an empty reason, and an old table.
source "$(dirname "$0")/../support/system.bash"
need python3
check=$SOURCE/tests/shape/check_figures.py
mkdir -p "$SCRATCH"/tree/{microbench/benchmarks,toolbox/repo,tools/some,libgray/src,docs}
figure() { # KEY READERS REASON
  printf 'constexpr Output kOutputs[] = {\n    {"%s", "ns", "how", "what it "\n     "is", "%s", "%s", true},\n};\n' "$@" >"$SCRATCH/tree/microbench/benchmarks/one.cpp"
}
says() { # PATTERN WHAT
  local output
  if output=$(python3 "$check" "$SCRATCH/tree"); then fail "the checker lets pass $2"; fi
  grep -q -e "$1" <<<"$output" || fail "of $2 the checker says: $output"
}
passes() { python3 "$check" "$SCRATCH/tree" || fail "the checker does not let pass $1"; }

figure part.thing_ns '' ''
says 'part.thing_ns has neither a reader nor a reason' 'a figure that nobody wants'
figure part.thing_ns '' 'a person'
says "'a person' does not say" 'a person who does nothing with it'
figure part.thing_ns tools/some ''
says 'said to be read by tools/some' 'a reader that does not read'
printf 'int a = find("part.other_ns");  // and not "part.thing_ns"\n' >"$SCRATCH/tree/tools/some/a.cpp"
says 'said to be read by tools/some' 'a reader that names the figure in a comment'
printf 'int a = find("part.thing_ns");\n' >"$SCRATCH/tree/tools/some/a.cpp"
passes 'a reader that reads'
figure part.thing_ns '' 'how long to wait for the next thing'
says 'tools/some/a.cpp: reads part.thing_ns' 'a reader that is not named'
rm "$SCRATCH/tree/tools/some/a.cpp"
passes 'a reason'
figure part.thing_ns 'microbench report' ''
says 'said to be read by microbench report' 'a page without the figure'
printf 'constexpr Output kOutputs[] = {\n    {"part.thing_ns", "ns", "how", "what it is"},\n};\n' >"$SCRATCH/tree/microbench/benchmarks/one.cpp"
if output=$(python3 "$check" "$SCRATCH/tree" 2>&1) || [[ $output != *'not understood'* ]]; then fail "of a line with too little the checker says: $output"; fi
figure part.thing_ns '' 'how long to wait for the next thing'
printf '    {"part.gone_ns", 5, "ns", true},\n' >"$SCRATCH/tree/toolbox/repo/shipped_defaults.cpp"
says 'part.gone_ns is no figure' 'a default of nothing'
rm "$SCRATCH/tree/toolbox/repo/shipped_defaults.cpp"
printf 'before\n<!-- figures: written by tests/shape/check_figures.py --write -->\n<!-- end of figures -->\nafter\n' >"$SCRATCH/tree/docs/repository-format.md"
says 'its table is not that of the sources' 'an old table'
python3 "$check" --write "$SCRATCH/tree" >/dev/null || fail 'the table is not written'
grep -qxF "| \`part.thing_ns\` | ns | what it is |  | how long to wait for the next thing |" "$SCRATCH/tree/docs/repository-format.md" || fail 'the table has no line of the figure'
passes 'a table that was just written'

python3 "$check" "$SOURCE" || fail 'see above'
