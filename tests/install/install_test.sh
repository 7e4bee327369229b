#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# install: files that are installed below any prefix work from there, and other projects can build against the
# library in C11 and C++20.
#
# The prefix differs from the prefix for which the build was configured, as with a package's staging folder. The consumers are
# built outside the source tree by find_package and by pkg-config, and run against the installed library: each must
# tell the size and i-number that stat tells. Left out: cross-compiling and other linkers.
source "$(dirname "$0")/../support/system.bash"

[[ ${GRAY_BUILD_PRELOAD:-ON} == ON ]] || skip "a program without sanitizers cannot use a library that has them"
need pkg-config
need_built gbp

CMAKE=${GRAY_CMAKE:-cmake}
CC=${GRAY_CC:-cc}
CXX=${GRAY_CXX:-c++}
CONSUMER=$SOURCE/tests/install/consumer
PREFIX=$SCRATCH/prefix

cached_setting() { sed -n "s/^$1:[A-Z]*=//p" "$BUILD/CMakeCache.txt"; }

source_state() {
  if [[ -e $SOURCE/.git ]] && command -v git >/dev/null; then
    git -c safe.directory="$SOURCE" -C "$SOURCE" status --porcelain --untracked-files=all --ignored -- ':!build'
  else
    find "$SOURCE" -path "$SOURCE/build" -prune -o -newer "$SCRATCH/began" -print
  fi
}

uses_installed_library() {
  local libraries
  libraries=$(ldd "$1")
  [[ $libraries == *"libgray.so.0 => $PREFIX/"* ]] || fail "$1 uses another libgray: $libraries"
}

# Whether the installed library works with this program: its facts must agree with stat.
check_consumer() {
  local program=$1 target=$SCRATCH/target version want
  head -c 100000 /dev/zero >"$target"
  version=$(sed -n 's/^project(gray VERSION \([0-9.]*\).*/\1/p' "$SOURCE/CMakeLists.txt")
  want="$version $version $version
success
100000 1
$(stat -c %i "$target") 0
first No such file or directory"
  [[ $("$program" "$target") == "$want" ]] || fail "$program says: $("$program" "$target" 2>&1), wanted: $want"
  uses_installed_library "$program"
  expect_status 1 "$program" "$SCRATCH/none" 2>/dev/null >&2
}

# A manual page is found by the name of a function: such a page only points to another one.
page_of() {
  local target
  target=$(sed -n 's|^\.so \(man3/.*\)$|\1|p' "$PREFIX/share/man/man3/$1.3")
  [[ -n $target && -e $PREFIX/share/man/$target ]] || fail "man $1 finds nothing"
}

touch "$SCRATCH/began"
before=$(source_state)
LIBDIR=$(cached_setting CMAKE_INSTALL_LIBDIR)
[[ -n $LIBDIR && $LIBDIR != /* ]] || skip "the library folder '$LIBDIR' is not below the prefix in this build"
"$CMAKE" --install "$BUILD" --prefix "$PREFIX" >"$SCRATCH/install.log" 2>&1 || fail "$(tail -n 5 "$SCRATCH/install.log")"

# The program that another project would build.
"$CMAKE" -S "$CONSUMER" -B "$SCRATCH/by-cmake" -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_C_COMPILER="$CC" \
  -DCMAKE_CXX_COMPILER="$CXX" >"$SCRATCH/cmake.log" 2>&1 || fail "find_package: $(tail -n 20 "$SCRATCH/cmake.log")"
"$CMAKE" --build "$SCRATCH/by-cmake" >"$SCRATCH/cmake.log" 2>&1 || fail "by cmake: $(tail -n 20 "$SCRATCH/cmake.log")"
check_consumer "$SCRATCH/by-cmake/consumer_c"
check_consumer "$SCRATCH/by-cmake/consumer_cpp"

export PKG_CONFIG_PATH=$PREFIX/$LIBDIR/pkgconfig
read -ra flags < <(pkg-config --cflags --libs gray) || fail "pkg-config knows no gray"
[[ ${flags[*]} == *"$PREFIX"* ]] || fail "pkg-config names another prefix: ${flags[*]}"
[[ $(pkg-config --modversion gray) == "$(sed -n 's/^project(gray VERSION \([0-9.]*\).*/\1/p' "$SOURCE/CMakeLists.txt")" ]] ||
  fail "pkg-config tells version $(pkg-config --modversion gray)"
warnings=(-Wall -Wextra -Wpedantic -Werror)
"$CC" -std=c11 "${warnings[@]}" -o "$SCRATCH/pc_c" "$CONSUMER/consumer.c" "${flags[@]}" "-Wl,-rpath,$PREFIX/$LIBDIR"
"$CXX" -std=c++20 "${warnings[@]}" -o "$SCRATCH/pc_cpp" "$CONSUMER/consumer.cpp" "${flags[@]}" "-Wl,-rpath,$PREFIX/$LIBDIR"
check_consumer "$SCRATCH/pc_c"
check_consumer "$SCRATCH/pc_cpp"

# The installed programs find what they need below the prefix.
[[ $(ldd "$PREFIX/bin/gbp") != *"$BUILD"* ]] || fail "the installed gbp uses the build: $(ldd "$PREFIX/bin/gbp")"
[[ $("$PREFIX/bin/gbp" -mem "$SCRATCH/target") == "$SCRATCH/target" ]] || fail "the installed gbp does not work"
if [[ -x $BIN/discnice ]]; then
  expect_status 0 "$PREFIX/bin/discnice" --rate 5M -- true
  "$PREFIX/bin/discnice" --rate 5M -- cat /proc/self/maps >"$SCRATCH/maps"
  loaded=$(grep -o '/.*libdiscnice.*' "$SCRATCH/maps" | sort -u)
  [[ $loaded == "$PREFIX/"* ]] || fail "the installed discnice loads '$loaded', not what lies below $PREFIX"
fi
for page in "$SOURCE"/tools/*/*.1 "$SOURCE"/tools/*/man/*.1 "$SOURCE"/microbench/*.1; do
  [[ -e $page ]] || continue
  cmp -s "$page" "$PREFIX/share/man/man1/${page##*/}" || fail "no manual page ${page##*/} installed"
done

while IFS= read -r function; do
  [[ $function =~ ^gb_(version|status_text)$ ]] || page_of "$function"
done < <(sed -n 's/^ *\(gb_[a-z_]*\);$/\1/p' "$SOURCE/libgray/gray.map")
cmp -s "$SOURCE/LICENSE" "$PREFIX/share/doc/gray/LICENSE" || fail "the licence is not installed"

# The daemon's unit names the installed program and needs no configuration. An error in a configuration is reported before the daemon starts to serve.
unit=$PREFIX/share/systemd/user/discnice-policyd.service
command=$(sed -n 's/^ExecStart="\(.*\)"$/\1/p' "$unit")
[[ $command == "$PREFIX/bin/discnice-policyd" ]] || fail "the unit starts '$command'"
mkdir "$SCRATCH/home"
expect_status 124 env HOME="$SCRATCH/home" XDG_CONFIG_HOME="$SCRATCH/home" timeout -k 5 1 "$command"

# An ordinary user installs what another user has built. All files are installed before cmake finds that it cannot write its list of files into that build.
if ((EUID == 0)); then
  install -d -o nobody "$SCRATCH/user"
  chmod a+rx "$SCRATCH"
  if setpriv --reuid=nobody --clear-groups test -r "$BUILD/cmake_install.cmake"; then
    setpriv --reuid=nobody --clear-groups "$CMAKE" --install "$BUILD" --prefix "$SCRATCH/user/local" >"$SCRATCH/log" 2>&1 || true
    diff <(cd "$PREFIX" && find . | sort) <(cd "$SCRATCH/user/local" && find . | sort) >"$SCRATCH/difference" ||
      fail "an ordinary user gets less: $(<"$SCRATCH/difference") $(tail -n 3 "$SCRATCH/log")"
  fi
fi

after=$(source_state)
[[ $before == "$after" ]] || fail "the source tree has changed: $(diff <(echo "$before") <(echo "$after") || true)"
