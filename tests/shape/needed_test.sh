#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needed: checks which libraries this project's libraries load into a program. libdiscnice.so and libdiscnice-profile.so: only libc. libgray.so: libc and the compiler's own
# libraries.
# Programs that have to start quickly load only libc and libm. The C++ library and fmt are linked in.
#
# Reads the dynamic section only. Left out: libraries that a library opens by itself while it runs.
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
# libdiscnice-profile.so opens libunwind itself: a program whose loader does not find a library that a preloaded library needs does not start.
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
