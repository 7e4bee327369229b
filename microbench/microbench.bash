# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# microbench.bash: completion of microbench for bash.

_microbench() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=
  local subcommand=${COMP_WORDS[1]:-}
  case $previous in
    --dir) mapfile -t COMPREPLY < <(compgen -d -- "$current") && return ;;
    --file | --html) mapfile -t COMPREPLY < <(compgen -f -- "$current") && return ;;
  esac
  case $subcommand in
    explain | show | forget) words="--help $(microbench show -o KEY --json 2>/dev/null | sed -n 's/.*"key": *"\([^"]*\)".*/\1/p' | sort -u)" ;;
    list) words="--json --dir --output --help" ;;
    export) words="--json --help" ;;
    report) words="--html --dir --help" ;;
    diff)
      mapfile -t COMPREPLY < <(compgen -f -W "current" -- "$current")
      return
      ;;
    *) words="--quick --full --dir --file --anew --host --strict --move-aside --help --version" ;;
  esac
  ((COMP_CWORD > 1)) || words+=" run list show explain export diff forget report"
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o filenames -F _microbench microbench
