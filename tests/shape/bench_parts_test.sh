#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench_parts: checks that a benchmark reports an unknown part on its command line, names its known parts, and measures nothing.
#
# Every benchmark is asked. A benchmark that needs something that is not built or not installed skips before it checks the name of
# the part.
source "$(dirname "$0")/../support/system.bash"
cd "$SOURCE"
export GRAY_BENCH_RUN=$$ GRAY_BENCH_FOUND='' # the benchmarks make nothing, so no guard has to clean up
asked=0
for bench in bench/* bench/*/run; do
  [[ -f $bench && -x $bench ]] || continue
  name=${bench#bench/}
  status=0
  timeout 120 "$bench" no-such-part >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
  if ((status == 77)); then continue; fi
  asked=$((asked + 1))
  ((status == 2)) || fail "${name%/run} ends with $status when asked for no-such-part, not with 2"
  grep -q "there is no 'no-such-part'" "$SCRATCH/err" || fail "${name%/run} does not say that there is no such part: $(cat "$SCRATCH/err")"
  [[ ! -s $SCRATCH/out ]] || fail "${name%/run} printed results: $(head -n 3 "$SCRATCH/out")"
done
((asked >= 10)) || fail "only $asked benchmarks were asked"
