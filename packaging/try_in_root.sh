#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# try_in_root: installs the packages in a fresh system of a Debian release, runs the main example there, and checks what a purge
# leaves.
#
#   try_in_root.sh SUITE FOLDER      FOLDER has the .deb, the .rpm, the tarball and the wheel; what of them is not there is not tried, and said
#
# The system is made by debootstrap once and kept in the cache. The system uses this machine's kernel, so the test covers the release's libc, tools and package
# manager. If no such system can be made, the status is 77, and the reason is printed. Debian's rpm installs the .rpm packages. Its database contains no other
# package, so the requirements of the .rpm packages are not checked here. script/package checks them.
set -euo pipefail
export LC_ALL=C

readonly SUITE=$1 PACKAGES=$2
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/gray-packages
ROOT=

skip() {
  printf 'SKIP: %s\n' "$1"
  exit 77
}

die() { skip "$1"; }

fail() {
  printf 'package: %s: %s\n' "$SUITE" "$1" >&2
  exit 1
}

leave() {
  [[ -n $ROOT ]] || return 0
  umount -q "$ROOT/proc" "$ROOT/sys" "$ROOT/dev/shm" 2>/dev/null || true
  rm -rf --one-file-system "$ROOT"
}

# The folder is on a disk, because a rate does not apply to a file system in memory.
enter() {
  local archive
  ((EUID == 0)) || skip "needs root, to make and enter a system of its own"
  command -v debootstrap >/dev/null || skip "debootstrap is not here; script/bootstrap --package installs it"
  need_keyring
  archive=$(prepare_root "$SUITE") || skip "no system of $SUITE could be made; see $CACHE/roots/$SUITE.log"
  ROOT=$(mktemp -d /var/tmp/gray-package.XXXXXX)
  trap leave EXIT
  tar -C "$ROOT" -xf "$archive"
  mount -t proc proc "$ROOT/proc"
  mount --bind /sys "$ROOT/sys"
  mkdir -p "$ROOT/dev/shm"
  mount -t tmpfs tmpfs "$ROOT/dev/shm"
  cp /etc/resolv.conf "$ROOT/etc/" 2>/dev/null || true
  [[ ! -e /etc/hosts ]] || cp /etc/hosts "$ROOT/etc/hosts"
}

inside() { chroot "$ROOT" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }

quietly() {
  local output
  output=$("$@" 2>&1) || fail "'${*}' failed: $(tail -n 5 <<<"$output")"
}

# Package managers keep databases and caches of their own.
files() {
  (cd "$ROOT" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/tmp -o -path ./var/log \
    -o -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/lib/rpm -o -path ./root/.rpmdb -o -path ./srv/example \) -prune -o -print | sort)
}

# The first example of README.md, with 8 MiB instead of 64 MiB. At 5 MiB a second the example takes more than a second. A rate is an upper bound, which a start
# may exceed a little.
first_example() { # DISCNICE
  rm -rf "$ROOT/srv/example"
  mkdir -p "$ROOT/srv/example/src"
  head -c 8M /dev/urandom >"$ROOT/srv/example/src/file"
  sync -f "$ROOT/srv/example"
  inside sh -c "cd /srv/example && $1 --rate 5M -- rsync -a src/ backup/" >"$ROOT/srv/example/report" 2>&1 || fail "the first example ends with $?: $(<"$ROOT/srv/example/report")"
  cmp -s "$ROOT/srv/example/src/file" "$ROOT/srv/example/backup/file" || fail "the copy is not the original"
  grep -Eq 'rsync: .*limit 5.00 MiB/s' "$ROOT/srv/example/report" || fail "no report of the first example: $(<"$ROOT/srv/example/report")"
  rate=$(sed -n 's|.*rsync: \([0-9.]*\) MiB/s of disk .*|\1|p' "$ROOT/srv/example/report")
  awk -v rate="${rate:-none}" 'BEGIN { exit !(rate > 1 && rate < 5.75) }' || fail "5.00 MiB/s became '$rate': $(<"$ROOT/srv/example/report")"
  grep -Eq 'covered +[0-9]+ processes, (9[5-9]|100)[.0-9]* %' "$ROOT/srv/example/report" || fail "the programs were not covered: $(<"$ROOT/srv/example/report")"
}

# Each program prints its version, and its manual page and library are found at the usual places.
others() { # FOLDER
  local program
  for program in discnice discnice-policyd gbp gb-grep gb-run heapnice gb-wss memnice netnice microbench; do
    inside "$1/$program" --version >/dev/null || fail "$program does not start"
  done
  [[ $(inside "$1/gbp" -mem /etc/passwd) == /etc/passwd ]] || fail "gbp does not order"
  [[ $(inside "$1/gb-run" --max 8M --print) -le 8388608 ]] || fail "gb-run grants more than was asked for"
  [[ $(inside "$1/gb-grep" -c root /etc/passwd) == "$(inside grep -c root /etc/passwd)" ]] || fail "gb-grep finds something else than grep"
}

compare() { # BEFORE WHAT
  local left
  left=$(diff "$1" <(files)) || fail "$2 leaves or takes away: $left"
}

try_deb() {
  local packages=() name
  for name in libgray0 libgray-dev discnice gbp gray-tools; do packages+=("/srv/$name.deb"); done
  files >"$ROOT/tmp/before"
  for name in libgray0 libgray-dev discnice gbp gray-tools; do cp "$PACKAGES/${name}_"*.deb "$ROOT/srv/$name.deb"; done
  quietly inside apt-get install -y --no-install-recommends "${packages[@]}"
  first_example discnice
  others /usr/bin
  [[ $(inside ldconfig -p) == *libgray.so.0* ]] || fail "the dynamic linker does not know libgray.so.0"
  quietly inside apt-get purge -y --autoremove libgray0 libgray-dev discnice gbp gray-tools
  rm "$ROOT"/srv/*.deb
  compare "$ROOT/tmp/before" "the purge"
  printf '%-9s .deb: installed, first example at %s MiB/s; purge leaves nothing\n' "$SUITE" "$rate"
}

try_rpm() {
  quietly inside apt-get install -y --no-install-recommends rpm
  files >"$ROOT/tmp/before"
  mkdir "$ROOT/tmp/rpms"
  cp "$PACKAGES"/*.rpm "$ROOT/tmp/rpms"
  quietly inside sh -c 'rpm --install --nodeps /tmp/rpms/*.rpm'
  first_example discnice
  others /usr/bin
  quietly inside sh -c 'rpm --query --all --queryformat "%{NAME}\n" | xargs rpm --erase'
  compare "$ROOT/tmp/before" "rpm --erase"
  printf '%-9s .rpm: installed, first example at %s MiB/s; rpm --erase leaves nothing\n' "$SUITE" "$rate"
}

try_tarball() {
  local tree
  tar -C "$ROOT/tmp" -xf "$PACKAGES"/gray-*.tar.xz
  tree=$(basename "$ROOT"/tmp/gray-*-linux-*)
  files >"$ROOT/tmp/before"
  quietly inside "/tmp/$tree/install.sh"
  first_example discnice
  others /usr/local/bin
  inside grep -q '^ExecStart="/usr/local/bin/discnice-policyd"' /usr/local/share/systemd/user/discnice-policyd.service || fail "the unit names another program"
  quietly inside "/tmp/$tree/install.sh" --remove
  inside ldconfig
  compare "$ROOT/tmp/before" "install.sh --remove"
  printf '%-9s tarball: installed, first example at %s MiB/s; --remove leaves nothing\n' "$SUITE" "$rate"
}

# A system without glibc: install.sh says so, in one line, and copies nothing.
try_without_glibc() {
  local other=$ROOT/tmp/other status=0 output
  if ! command -v busybox >/dev/null || ldd "$(command -v busybox)" >/dev/null 2>&1; then
    echo "$SUITE: not tried: a system without glibc; there is no static busybox here"
    return 0
  fi
  mkdir -p "$other"/{bin,lib,tmp,dev}
  cp "$(command -v busybox)" "$other/bin/busybox"
  chroot "$other" /bin/busybox --install -s /bin
  : >"$other/lib/ld-musl-x86_64.so.1"
  cp -r "$ROOT"/tmp/gray-*-linux-* "$other/tmp/gray"
  output=$(chroot "$other" /bin/sh /tmp/gray/install.sh /opt 2>&1) || status=$?
  [[ $status -eq 1 && $output == *"has musl"* && $(wc -l <<<"$output") -eq 1 && ! -e $other/opt ]] || fail "without glibc install.sh ends with $status and says: $output"
  printf '%-9s without glibc: refused in one line\n' "$SUITE"
}

# The wheel in an environment of this release's Python, without a network: both packages, and the library and the program in them.
try_wheel() {
  local said
  quietly inside apt-get install -y --no-install-recommends python3-venv
  files >"$ROOT/tmp/before"
  cp "$PACKAGES"/*.whl "$ROOT/tmp/"
  quietly inside python3 -m venv /opt/gray
  quietly inside sh -c '/opt/gray/bin/pip install --no-index /tmp/*.whl'
  said=$(inside sh -c 'cd / && /opt/gray/bin/python - <<TEXT
import subprocess, discnice, gray
print(*gray.order(["/no/such", "/etc/passwd"], errors="last"))
with discnice.limit("5M") as held:
    subprocess.run(["cat", "/etc/passwd"], stdout=subprocess.DEVNULL, check=True)
print(held.report.processes)
TEXT' 2>&1) || fail "the wheel does not work: $said"
  [[ $said == $'/etc/passwd /no/such\n1' ]] || fail "the wheel says: $said"
  rm -rf "$ROOT/opt/gray" "$ROOT"/tmp/*.whl
  compare "$ROOT/tmp/before" "the wheel"
  printf '%-9s wheel: installed by pip, orders, holds a program\n' "$SUITE"
}

# shellcheck source=packaging/debian_suites.bash
source "$(dirname "$0")/debian_suites.bash"
mkdir -p "$CACHE/roots"
enter
quietly inside apt-get update
quietly inside apt-get install -y --no-install-recommends rsync
if compgen -G "$PACKAGES/*.deb" >/dev/null; then try_deb; else echo "$SUITE: no .deb to try"; fi
if compgen -G "$PACKAGES/*.rpm" >/dev/null; then try_rpm; else echo "$SUITE: no .rpm to try"; fi
if compgen -G "$PACKAGES/*.tar.xz" >/dev/null; then
  try_tarball
  try_without_glibc
else
  echo "$SUITE: no tarball to try"
fi
if compgen -G "$PACKAGES/*.whl" >/dev/null; then try_wheel; else echo "$SUITE: no wheel to try"; fi
