#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# package: each file that is installed is in one package, and lintian finds no error in the packages.
#
# Packs this very build, as script/package packs its own, without debug information. Left out: whether the packages install and work in other systems.
# script/package --test tests this; it takes minutes and needs root.
source "$(dirname "$0")/../support/system.bash"

[[ ${GRAY_PRELOAD_WORKS:-ON} == ON ]] || skip "a build with sanitizers is not packed"
need cpack dpkg-deb dpkg-shlibdeps
need_built discnice gbp

cpack --config "$BUILD/CPackConfig.cmake" -G DEB -B "$SCRATCH/packed" -D CPACK_STRIP_FILES=ON -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip >"$SCRATCH/log" 2>&1 ||
  fail "cpack: $(tail -n 5 "$SCRATCH/log")"
names=$(cd "$SCRATCH/packed" && printf '%s\n' *.deb | sed 's/_.*//' | sort | tr '\n' ' ')
[[ $names == 'discnice gbp gray-tools libgray-dev libgray0 ' ]] || fail "the packages are: $names"

# Undoes what packing adds, moves and compresses.
for package in "$SCRATCH"/packed/*.deb; do dpkg-deb -c "$package" | awk '$1 !~ /^d/ { print $6 }'; done |
  sed -e 's|^\./usr/||' -e '/^share\/doc\//d' -e '/^share\/man\//s/\.gz$//' -e 's|zsh/vendor-completions|zsh/site-functions|' \
    -e 's|^lib/systemd/user/|share/systemd/user/|' | sort >"$SCRATCH/packed.files"
[[ -z $(uniq -d "$SCRATCH/packed.files") ]] || fail "in more than one package: $(uniq -d "$SCRATCH/packed.files")"
"${GRAY_CMAKE:-cmake}" --install "$BUILD" --prefix "$SCRATCH/prefix" >"$SCRATCH/log" 2>&1 || fail "cmake --install: $(tail -n 5 "$SCRATCH/log")"
(cd "$SCRATCH/prefix" && find . ! -type d ! -name LICENSE | sed 's|^\./||' | sort) >"$SCRATCH/installed.files"
diff "$SCRATCH/installed.files" "$SCRATCH/packed.files" >"$SCRATCH/difference" || fail "installed (<) and packed (>) differ: $(<"$SCRATCH/difference")"

# The unit names the program where the package puts it.
dpkg-deb -x "$SCRATCH"/packed/discnice_*.deb "$SCRATCH/unpacked"
grep -q '^ExecStart="/usr/bin/discnice-policyd"$' "$SCRATCH/unpacked/usr/lib/systemd/user/discnice-policyd.service" || fail "the unit names another program"

# The symbols file says the same about the library as the library itself.
dpkg-deb -e "$SCRATCH"/packed/libgray0_*.deb "$SCRATCH/control"
dpkg-deb -x "$SCRATCH"/packed/libgray0_*.deb "$SCRATCH/unpacked"
library=$(find "$SCRATCH/unpacked" -name libgray.so.0)
nm -D --defined-only --with-symbol-versions "$library" | awk 'NF == 3 { sub(/@@/, "@", $3); if ($3 !~ /@/) $3 = $3 "@" $3; print $3 }' | sort >"$SCRATCH/exported"
sed -n 's/^ \([^ ]*\) .*/\1/p' "$SCRATCH/control/symbols" | sort >"$SCRATCH/told"
diff "$SCRATCH/exported" "$SCRATCH/told" >"$SCRATCH/difference" || fail "exported (<) and told in the symbols file (>): $(<"$SCRATCH/difference")"

command -v lintian >/dev/null || skip "the file lists are right; lintian is not here, script/bootstrap --package installs it"
lintian --fail-on error --tag-display-limit 0 --allow-root "$SCRATCH"/packed/*.deb >"$SCRATCH/log" 2>&1 || fail "lintian: $(grep '^E' "$SCRATCH/log")"
