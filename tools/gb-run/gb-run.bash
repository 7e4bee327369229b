# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# gb-run.bash: completion of gb-run for bash. What stands behind the options is another command's line.

_gb_run() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --min | --max | --multiple | --margin | --wait | --cache | --env | -I) ((++i)) ;;
      --) ((++i)) && break ;;
      -*) ;;
      *) break ;;
    esac
  done
  if ((i < COMP_CWORD)) || [[ $previous == -- ]]; then
    if declare -F _command_offset >/dev/null; then
      _command_offset "$i"
    elif ((i < COMP_CWORD)); then
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
    else
      mapfile -t COMPREPLY < <(compgen -c -- "$current")
    fi
    return
  fi
  case $previous in
    --cache) mapfile -t COMPREPLY < <(compgen -W "share keep steal" -- "$current") ;;
    --env) mapfile -t COMPREPLY < <(compgen -v -- "$current") ;;
    --min | --max | --multiple | --margin | --wait | -I) ;;
    *)
      if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "--min --max --multiple --margin --wait --cache --files --env -I --print --help --version --" -- "$current")
      else
        mapfile -t COMPREPLY < <(compgen -c -- "$current")
      fi
      ;;
  esac
}
complete -o filenames -F _gb_run gb-run
