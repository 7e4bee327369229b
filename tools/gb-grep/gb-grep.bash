# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# gb-grep.bash: completion of gb-grep for bash: grep's, where it is installed, and --sorted.

_gb_grep() {
  local current=${COMP_WORDS[COMP_CWORD]}
  if [[ $current == --* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "--sorted $(grep --help 2>/dev/null | grep -oE -e '--[a-z-]+' | sort -u)" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -o filenames -F _gb_grep gb-grep
