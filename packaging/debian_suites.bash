# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# debian_suites.bash: packages of a Debian release other than this machine's, without changing this machine.
#
#   CACHE where lists and roots are kept; set it before
#   die      TEXT STATUS: of the caller, says TEXT and ends
#
# Needs no root to take packages. A root to enter is made by debootstrap, which does. Only packages that Debian has signed are used.

KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

need_keyring() {
  [[ -e $KEYRING ]] || die "no $KEYRING, by which Debian's packages are checked: install debian-archive-keyring" 77
}

# The mirror that this machine uses, else Debian's own mirror.
mirror() {
  local found
  found=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1) || true
  printf '%s\n' "${found:-http://deb.debian.org/debian}"
}

# apt_of SUITE COMMAND...: runs an apt that knows only this suite and does not touch this system.
apt_of() {
  local suite=$1 folder=$CACHE/apt/$1
  shift
  mkdir -p "$folder/lists/partial"
  printf 'deb [signed-by=%s] %s %s main\n' "$KEYRING" "$(mirror)" "$suite" >"$folder/sources"
  "$@" -o Dir::Etc::sourcelist="$folder/sources" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$folder/lists" \
    -o Dir::State::status=/dev/null -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root
}

# unpack_packages SUITE FOLDER PACKAGE...: unpacks the files of the packages below FOLDER. Fails when the archive
# cannot be reached.
unpack_packages() {
  local suite=$1 folder=$2 file
  shift 2
  rm -rf "$folder.debs"
  mkdir -p "$folder" "$folder.debs"
  apt_of "$suite" apt-get -qq update >/dev/null || return 1
  (cd "$folder.debs" && apt_of "$suite" apt-get -qq download "$@" >/dev/null) || return 1
  for file in "$folder.debs"/*.deb; do dpkg-deb -x "$file" "$folder" || return 1; done
  rm -rf "$folder.debs"
}

# When a root folder is not entered by chroot, an absolute link in it leads out of it. So each absolute link is replaced by a relative link.
keep_links_inside() { # ROOT
  local link
  while IFS= read -r link; do
    ln -srfn "$1$(readlink "$link")" "$link"
  done < <(find "$1" -type l -lname '/*')
}

# prepare_root SUITE: prints the path of an archive with the smallest system of this suite. The first call makes the archive.
prepare_root() {
  local archive=$CACHE/roots/$1.tar folder=$CACHE/roots/$1.new
  if [[ ! -e $archive ]]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    debootstrap --keyring="$KEYRING" --variant=minbase "$1" "$folder" "$(mirror)" >"$CACHE/roots/$1.log" 2>&1 || return 1
    tar -C "$folder" -cf "$archive.new" . && mv "$archive.new" "$archive"
    rm -rf "$folder"
  fi
  printf '%s\n' "$archive"
}
