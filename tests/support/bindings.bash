# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bindings.bash: functions for the tests of the bindings to other languages.
#
#   install_library          installs libgray and the files for building with it below $PREFIX, where pkg-config and the dynamic linker find them
#   check_scan PROGRAM...    checks a language's example `scan`: it reads cached data first, in gbp's order, reads everything, and refuses what it should refuse
#
# The sources stay unchanged: a test that builds there copies the folder first.

install_library() {
  local libdir
  libdir=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:[A-Z]*=//p' "$BUILD/CMakeCache.txt")
  [[ -n $libdir && $libdir != /* ]] || skip "the library folder '$libdir' is not below the prefix in this build"
  PREFIX=$SCRATCH/prefix
  for component in libgray libgray-dev; do
    "${GRAY_CMAKE:-cmake}" --install "$BUILD" --prefix "$PREFIX" --component "$component" >"$SCRATCH/install.log" 2>&1 || fail "$(tail -n 5 "$SCRATCH/install.log")"
  done
  export PKG_CONFIG_PATH=$PREFIX/$libdir/pkgconfig LD_LIBRARY_PATH=$PREFIX/$libdir
}

refuses() { # STATUS WORDS PROGRAM...
  local want=$1 words=$2
  shift 2
  expect_status "$want" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
  [[ ! -s $SCRATCH/out && $(wc -l <"$SCRATCH/err") -eq 1 && $(<"$SCRATCH/err") == *"$words"* ]] || fail "$* says: $(cat "$SCRATCH/out" "$SCRATCH/err")"
}

check_scan() {
  local name data=$SCRATCH/data
  mkdir "$data"
  for name in a b c d e f; do head -c 2M /dev/urandom >"$data/$name"; done
  sync -f "$data"
  evict "$data"/*
  cat "$data"/{e,b} >/dev/null
  (cd "$data" && "$BIN/gbp" -compose ./*) >"$SCRATCH/wanted"
  (cd "$data" && "$@" ./*) >"$SCRATCH/scanned" || fail "$* ends with $?"
  diff "$SCRATCH/wanted" <(cut -d ' ' -f 1 "$SCRATCH/scanned") >"$SCRATCH/difference" || fail "gbp's order (<) is another one: $(<"$SCRATCH/difference")"
  diff <(printf '1.00 2097152\n%.0s' 1 2 && printf '0.00 2097152\n%.0s' 1 2 3 4) <(cut -d ' ' -f 2- "$SCRATCH/scanned") >"$SCRATCH/difference" ||
    fail "two of six were cached, and each has 2 MiB: $(<"$SCRATCH/scanned")"
  [[ $(sort "$SCRATCH/wanted" | head -n 1) != "$(head -n 1 "$SCRATCH/wanted")" ]] || fail "the order is the one given, and shows nothing"
  refuses 2 'no file named' "$@"
  refuses 1 "$data/none" "$@" "$data/none"
}
