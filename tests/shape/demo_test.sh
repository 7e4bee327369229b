#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# demo: checks that script/demo builds discnice, and no test, benchmark or other program.
#
# Configures the demo's preset in a folder of its own, and asks ninja for the commands of the build. Left out: the time of the build.
source "$(dirname "$0")/../support/system.bash"
need ninja python3

mapfile -t targets < <(python3 -c '
import json, sys
presets = json.load(open(sys.argv[1]))["buildPresets"]
print("\n".join(next(preset for preset in presets if preset["name"] == "demo").get("targets", ["all"])))
' "$SOURCE/CMakePresets.json")
"${GRAY_CMAKE:-cmake}" -S "$SOURCE" -B "$SCRATCH/build" --preset demo >"$SCRATCH/log" 2>&1 || fail "cmake: $(tail -n 5 "$SCRATCH/log")"
ninja -C "$SCRATCH/build" -t commands "${targets[@]}" | grep -oE ' -o [^ ]+' | cut -c 5- >"$SCRATCH/results"
for result in bin/discnice lib/libdiscnice.so; do
  grep -qx "$result" "$SCRATCH/results" || fail "$result is not built"
done
others=$(grep -E '^(tests|bench|microbench|examples|tools/(gb-run|gb-grep|gbp))/' "$SCRATCH/results") || true
[[ -z $others ]] || fail "it builds what it does not show, $(wc -l <<<"$others") files: $(head -n 3 <<<"$others" | paste -sd ' ')"
grep -q 'script/build demo' "$SOURCE/script/demo" || fail "script/demo builds something else"
! grep -E 'script/build($| release)' "$SOURCE/script/demo" || fail "script/demo builds everything"
