#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh: copies this folder's programs, libraries and pages to a prefix. This script belongs to the tarball. It is written for any POSIX shell.
#
#   ./install.sh [PREFIX]      /usr/local as root, ~/.local for other users
#   ./install.sh --remove [PREFIX]
set -eu

die() {
  printf 'install.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

# The programs also work from this folder. If they do not, nothing is copied.
try_programs() {
  if ./bin/gbp --version >/dev/null 2>&1; then return 0; fi
  machine=$(uname -m)
  [ "$machine" = "$(cat share/gray/machine)" ] || die "these programs are for $(cat share/gray/machine), and this machine is $machine"
  for loader in /lib/ld-musl-*; do
    [ ! -e "$loader" ] || die "these programs need glibc, and this system has musl: neither they nor libdiscnice.so can run here. 'apk add gcompat' does not help a preloaded library; build from the sources in a container with glibc"
  done
  die "these programs need glibc $(cat share/gray/glibc) or later: $(./bin/gbp --version 2>&1 | head -n 1)"
}

# Every file that is made here is written down, so that it can be removed again.
made=share/gray/installed-folders
make_folder() {
  [ ! -d "$1" ] || return 0
  make_folder "$(dirname "$1")"
  mkdir "$1" || die "cannot write to '$prefix'"
  folders="$1
$folders"
}

copy() {
  folders=
  make_folder "$prefix/share/gray"
  while IFS= read -r file; do
    make_folder "$prefix/$(dirname "$file")"
    cp -P "$file" "$prefix/$file" || die "cannot write to '$prefix'"
  done <share/gray/files
  printf '%s' "$folders" >>"$prefix/$made"
  unit=share/systemd/user/discnice-policyd.service
  sed "s|@BINDIR@|$prefix/bin|" "$unit" >"$prefix/$unit"
  if [ "$(id -u)" = 0 ] && command -v ldconfig >/dev/null 2>&1; then ldconfig; fi
}

# Folders that existed before stay. Folders that are not empty, because other programs use them, stay as well.
remove() {
  while IFS= read -r file; do
    rm -f "$prefix/$file"
  done <share/gray/files
  [ -e "$prefix/$made" ] || return 0
  folders=$(sort -r "$prefix/$made")
  rm -f "$prefix/$made"
  printf '%s\n' "$folders" | while IFS= read -r folder; do
    rmdir "$folder" 2>/dev/null || true
  done
}

began=$PWD
cd "$(dirname "$0")"
action=copy
if [ "${1:-}" = --remove ]; then
  action=remove
  shift
fi
case ${1:-} in
  -*) die "no option '$1': ./install.sh [--remove] [PREFIX]" 2 ;;
  /*) prefix=$1 ;;
  ?*) prefix=$began/$1 ;;
  *) if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi ;;
esac
[ "$action" = remove ] || try_programs
"$action"
