#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# wheel: the wheel that script/wheel makes is installed by pip, without a compiler and without the network, and works as root and as a user on each Python from
# 3.9 to 3.13.
#
# Each interpreter gets a fresh environment with the wheel and runs bindings/python/tests from it. GRAY_PYTHONS lists interpreters, separated by blanks or
# colons. Otherwise all python3.N on PATH are taken. If only root can reach an interpreter, a copy of it is tried. Numpy is fetched where there is a network.
# Without a network that part is left out, and a message says so.
# Left out: other processors, and whether the glibc version in the wheel's name is enough (script/package --test has old systems).
# Slow: five environments.
source "$(dirname "$0")/../support/system.bash"
need python3 readelf strip
need_preload
need_built gbp discnice
require_library libgray.so.0 >/dev/null

readonly NOBODY=65534
missing=() no_numpy=() said=''

pythons() {
  local minor
  if [[ -n ${GRAY_PYTHONS:-} ]]; then
    tr ': ' '\n' <<<"$GRAY_PYTHONS"
    return
  fi
  for minor in {9..19}; do command -v "python3.$minor" || true; done
}

# as_user COMMAND... It runs the command by env, because setpriv itself still has the right to search every folder.
as_user() { setpriv --reuid "$NOBODY" --regid "$NOBODY" --clear-groups env "$@"; }

# within_reach PYTHON: sets REACHED to the same interpreter under a path that the user can reach; if needed, this is a copy. A mount below SCRATCH would be emptied together with
# SCRATCH.
within_reach() {
  local place prefix
  REACHED=$1
  if [[ $EUID -ne 0 ]] || as_user "$1" -c '' 2>/dev/null; then return; fi
  prefix=$("$1" -c 'import sys; print(sys.base_prefix)')
  place=$SCRATCH/copy-$(basename "$1")
  mkdir "$place"
  tar -C "$prefix" --exclude='lib/python*/test' --exclude='lib/python*/site-packages' --exclude=share -cf - . | tar -C "$place" -xf - || return 1
  mkdir -p "$place/lib/$(basename "$1")/site-packages"
  REACHED=$place/bin/$(basename "$1")
  export LD_LIBRARY_PATH=$place/lib # it may look for its own library where it was
  as_user "$REACHED" -c '' 2>/dev/null
}

# run_tests ENVIRONMENT root|user
run_tests() {
  local environment=$1 who=$2 folder prefix=()
  folder=$(mktemp -d "$SCRATCH/work.XXXXXX")
  mkdir "$folder/home"
  if [[ $who == user && $EUID -eq 0 ]]; then
    chown -R "$NOBODY:$NOBODY" "$folder"
    prefix=(as_user)
  fi
  (cd / && "${prefix[@]}" env -u PYTHONPATH -u GRAY_LIBRARY -u DISCNICE_PROGRAM HOME="$folder/home" SCRATCH="$folder" GBP="$(program gbp)" LOADER="$SOURCE/examples/python" \
    PYTHONDONTWRITEBYTECODE=1 "$environment/bin/python" "$SOURCE/bindings/python/tests/test_wheel.py" >"$folder.log" 2>&1) ||
    fail "$("$environment/bin/python" -V) as $who: $(grep -vE "^(  |-|=|$)" "$folder.log" | tail -n 30 | cut -c 1-300)"
  if grep -q 'skipped=' "$folder.log"; then no_numpy+=("$(basename "$environment")"); fi
}

# Every compiler fails in this environment.
mkdir "$SCRATCH/no-compiler"
for name in cc gcc g++ c++ clang make cmake; do
  printf '#!/bin/sh\nexit 1\n' >"$SCRATCH/no-compiler/$name"
  chmod +x "$SCRATCH/no-compiler/$name"
done
chmod 755 "$SCRATCH"
if [[ $EUID -eq 0 ]] && ! as_user test -r "$SOURCE/bindings/python/tests/test_wheel.py"; then skip "an ordinary user cannot read the sources in $SOURCE"; fi

wheel=$("$SOURCE/script/wheel" --build "$BUILD" --out "$SCRATCH")
[[ $wheel =~ -py3-none-manylinux_2_[0-9]+_[a-z0-9_]+\.whl$ ]] || fail "the wheel is called $wheel"
again=$("$SOURCE/script/wheel" --build "$BUILD" --out "$SCRATCH/again")
cmp -s "$wheel" "$again" || fail "the same build gives another wheel the second time"
expect_status 2 "$SOURCE/script/wheel" --biuld x 2>/dev/null
expect_status 1 "$SOURCE/script/wheel" --build "$SCRATCH" 2>/dev/null

declare -A tried=()
while IFS= read -r python; do
  [[ -n $python ]] || continue
  unset LD_LIBRARY_PATH
  real=$("$python" -c 'import sys, os; print("{}.{}".format(*sys.version_info), os.path.join(sys.base_prefix, "bin", "python{}.{}".format(*sys.version_info)))' 2>/dev/null) || continue
  version=${real%% *} python=${real#* }
  [[ -z ${tried[$version]:-} ]] || continue
  "$python" -c 'import venv, ensurepip' 2>/dev/null || continue
  within_reach "$python" || continue
  environment=$SCRATCH/$version
  "$REACHED" -m venv "$environment" || fail "python $version makes no environment"
  PATH=$SCRATCH/no-compiler:$PATH "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps "$wheel" || fail "pip of python $version does not install the wheel"
  timeout 300 "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: --retries 0 numpy >/dev/null 2>&1 || true
  if [[ $EUID -eq 0 ]]; then run_tests "$environment" root; fi
  run_tests "$environment" user
  "$environment/bin/python" -m pip uninstall --quiet --disable-pip-version-check --yes gray-toolbox
  left=$(cd "$environment" && find . \( -path '*/gray*' -o -path '*/discnice*' \) -not -path '*__pycache__*' -type f)
  [[ -z $left ]] || fail "left behind by pip uninstall: $left"
  tried[$version]=yes
  said+=" $version"
done < <(pythons)

for version in 3.9 3.10 3.11 3.12 3.13; do
  [[ -n ${tried[$version]:-} ]] || missing+=("$version")
done
printf 'tried with python%s\n' "${said:- none}"
((${#no_numpy[@]} == 0)) || printf 'without numpy, which could not be fetched: %s\n' "${no_numpy[*]}"
((${#missing[@]} == 0)) || skip "no python ${missing[*]} here with venv and pip: name interpreters in GRAY_PYTHONS; the others were tried"
