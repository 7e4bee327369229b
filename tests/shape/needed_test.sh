#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needed: which libraries ours draw into a program. libdiscnice.so: libc alone; libdiscnice-profile.so: the same. libgray.so: libc and the compiler's own.
# The programs that have to start quickly: libc and libm alone, with those of C++ and fmt inside.
#
# Reads the dynamic section only. Leaves out what a library might open by itself while it runs.
source "$(dirname "$0")/../support/system.bash"
need_preload  # an instrumented library exports and needs more
need readelf

needed() { readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

# only FILE PATTERN: each library that FILE needs must match.
only() {
  local name file=$LIB/$1
  [[ $1 == lib* ]] || file=$BIN/$1
  while IFS= read -r name; do
    [[ $name =~ ^($2)$ ]] || fail "$1 needs $name"
  done < <(needed "$file")
  [[ -n $(needed "$file") ]] || fail "readelf shows nothing that $1 needs; it must need libc"
  looked+=("$1")
}

libc='libc\.so\.6|ld-linux.*|linux-vdso.*'
looked=()
missing=()
if [[ -e $LIB/libdiscnice.so ]]; then only libdiscnice.so "$libc"; else missing+=(libdiscnice.so); fi
# It looks for libunwind itself: a program whose loader does not find what a preloaded library needs does not start.
if [[ -e $LIB/libdiscnice-profile.so ]]; then only libdiscnice-profile.so "$libc"; fi
if [[ -e $LIB/libgray.so ]]; then
  only libgray.so "$libc|libstdc\+\+\.so\.6|libgcc_s\.so\.1|libm\.so\.6"
else
  missing+=(libgray.so)
fi
for program in gbp gb-grep gb-run heapnice netnice discnice discnice-policyd; do
  grep -q '^GRAY_HAS_STATIC_CXX:.*=1$' "$BUILD/CMakeCache.txt" || break  # no archive of the C++ library here
  if [[ -e $BIN/$program ]]; then only "$program" "$libc|libm\.so\.6"; else missing+=("$program"); fi
done
((${#missing[@]} == 0)) || skip "not built: ${missing[*]}; looked at: ${looked[*]:-none}"
