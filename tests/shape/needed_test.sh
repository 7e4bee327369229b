#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needed: which libraries ours draw into a program. libdiscnice.so: libc alone; libdiscnice-profile.so: libunwind, too. libgray.so: libc and the compiler's own.
#
# Reads the dynamic section only. Leaves out what a library might open by itself while it runs.
source "$(dirname "$0")/../support/system.bash"
need_preload  # an instrumented library exports and needs more
need readelf

needed() { readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

# only LIBRARY PATTERN: each library it needs matches.
only() {
  local name
  while IFS= read -r name; do
    [[ $name =~ ^($2)$ ]] || fail "$1 needs $name"
  done < <(needed "$LIB/$1")
  [[ -n $(needed "$LIB/$1") ]] || fail "readelf shows nothing that $1 needs; it must need libc"
  looked+=("$1")
}

libc='libc\.so\.6|ld-linux.*|linux-vdso.*'
looked=()
missing=()
if [[ -e $LIB/libdiscnice.so ]]; then only libdiscnice.so "$libc"; else missing+=(libdiscnice.so); fi
# Only there when libunwind was found; only in programs whose owner asked for a profile.
if [[ -e $LIB/libdiscnice-profile.so ]]; then only libdiscnice-profile.so "$libc|libunwind\.so\.[0-9]+|libgcc_s\.so\.1"; fi
if [[ -e $LIB/libgray.so ]]; then
  only libgray.so "$libc|libstdc\+\+\.so\.6|libgcc_s\.so\.1|libm\.so\.6"
else
  missing+=(libgray.so)
fi
((${#missing[@]} == 0)) || skip "not built: ${missing[*]}; looked at: ${looked[*]:-none}"
