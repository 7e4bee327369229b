#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# symbols: checks that each library exports exactly the names of its map.
#
# libgray/gray.map is written by hand, with one node for each release. The map of libdiscnice.so is made from preload/entry/interposed*.def, so its names
# are also counted against these tables. Left out: whether a name has the right version node.
source "$(dirname "$0")/../support/system.bash"
need_preload  # an instrumented library exports and needs more
need nm awk

# The global names of a version script, sorted, one on each line: the names between "global:" and "local:", or the names of a node without these words.
names_of_map() {
  sed -e 's@/\*[^*]*\*/@@g' -e 's/#.*//' "$1" | tr ';{}' '\n' | awk '
    /local:/ { in_local = 1; sub(/.*local:/, "") }
    /global:/ { in_local = 0; sub(/.*global:/, "") }
    { gsub(/[[:space:]]/, "") }
    in_local && /^\*$/ { in_local = 0; next }
    !in_local && /^[A-Za-z_][A-Za-z0-9_]*$/ && !/^[A-Z]+_[0-9.]*[0-9]$/ { print }' | sort -u
}

# The names of functions and data, without the version nodes (they show as absolute symbols).
names_of_library() {
  nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u
}

# compare LIBRARY MAP
compare() {
  local library=$LIB/$1 map=$2
  names_of_map "$map" >"$SCRATCH/map"
  names_of_library "$library" >"$SCRATCH/library"
  [[ -s $SCRATCH/map ]] || fail "no names in $map"
  if ! diff -u --label "$map" --label "$1" "$SCRATCH/map" "$SCRATCH/library" >&2; then fail "$1 exports other names than its map"; fi
  compared+=("$1")
}

# The comparison must see a difference, so the reading of a map is tried on a sample first.
printf 'GRAY_1.0 {\n  global:\n    gb_one; /* first */\n    gb_two;\n  local:\n    *;\n};\nGRAY_1.1 { gb_three; } GRAY_1.0;\n' >"$SCRATCH/sample.map"
[[ $(names_of_map "$SCRATCH/sample.map" | tr '\n' ' ') == 'gb_one gb_three gb_two ' ]] || fail "the map is not read right"

compared=()
missing=()
if [[ -e $LIB/libgray.so ]]; then compare libgray.so "$SOURCE/libgray/gray.map"; else missing+=(libgray.so); fi
if [[ -e $LIB/libdiscnice.so ]]; then
  compare libdiscnice.so "$BUILD/tools/discnice/preload/discnice.map"
  hooks=$(cat "$SOURCE"/tools/discnice/preload/entry/interposed*.def | grep -c '^DISCNICE_[A-Z_]*(')
  names=$(names_of_map "$BUILD/tools/discnice/preload/discnice.map" | wc -l)
  # Data that a static constructor of a file sets up is not ready yet when the library's own constructor joins the job.
  ! nm "$LIB/libdiscnice.so" | grep '_GLOBAL__sub_I_' >&2 || fail "libdiscnice.so has static constructors"
  [[ $hooks -eq $names ]] || fail "interposed*.def have $hooks lines, the map made from it $names names"
  if [[ -e $LIB/libdiscnice-profile.so ]]; then compare libdiscnice-profile.so "$BUILD/tools/discnice/preload/discnice.map"; fi
else
  missing+=(libdiscnice.so)
fi
((${#missing[@]} == 0)) || skip "not built: ${missing[*]}; compared: ${compared[*]:-none}"
