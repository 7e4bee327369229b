# SPDX-License-Identifier: MIT
# discnice.bash: completion of discnice for bash.
_discnice_jobs() { discnice status --json 2>/dev/null | sed -n 's/.*"job": *"\([0-9]*\)".*/\1/p'; }

_discnice() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} i
  local limits='--policy --rate --read-rate --write-rate --iops --burst --min-rate --preemption --weight --smooth-writes --cache'
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -- ]] && {
      _command_offset "$((i + 1))" 2>/dev/null
      return
    }
  done
  case $previous in
    --policy | -p) mapfile -t COMPREPLY < <(compgen -W 'rate nice idle manners share unlimited' -- "$current") && return ;;
    --smooth-writes) mapfile -t COMPREPLY < <(compgen -W 'on off auto' -- "$current") && return ;;
    --cache) mapfile -t COMPREPLY < <(compgen -W 'neutral own= shared auto' -- "$current") && return ;;
    --engine) mapfile -t COMPREPLY < <(compgen -W 'auto preload notify pace cgroup' -- "$current") && return ;;
    --ledger) mapfile -t COMPREPLY < <(compgen -W 'on off' -- "$current") && return ;;
    --backend) mapfile -t COMPREPLY < <(compgen -W 'auto cachestat mincore nowait timed none' -- "$current") && return ;;
    --report | --record | --profile | replay) mapfile -t COMPREPLY < <(compgen -f -- "$current") && return ;;
    set | report | release) mapfile -t COMPREPLY < <(compgen -W "$(_discnice_jobs)" -- "$current") && return ;;
  esac
  if [[ $current == -* ]]; then
    case ${COMP_WORDS[1]} in
      set) mapfile -t COMPREPLY < <(compgen -W "$limits --pause --resume --help" -- "$current") ;;
      adopt) mapfile -t COMPREPLY < <(compgen -W "$limits --schedule --tree --json --quiet --help" -- "$current") ;;
      release) mapfile -t COMPREPLY < <(compgen -W '--help' -- "$current") ;;
      policies | report) mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$current") ;;
      explain) mapfile -t COMPREPLY < <(compgen -W '--help' -- "$current") ;;
      replay) mapfile -t COMPREPLY < <(compgen -W '--rate --json --help' -- "$current") ;;
      status) mapfile -t COMPREPLY < <(compgen -W '--json --output --help' -- "$current") ;;
      top) mapfile -t COMPREPLY < <(compgen -W '--json --once --processes --output --help' -- "$current") ;;
      verify) mapfile -t COMPREPLY < <(compgen -W '--disable --json --report --record --ledger --backend --help' -- "$current") ;;
      *)
        mapfile -t COMPREPLY < <(compgen -W "$limits --schedule --exclude --engine --require --report --record --profile --json --quiet --ledger --backend --disable \
          --help --version" -- "$current")
        ;;
    esac
  elif ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W 'run set adopt release status top report policies verify replay explain doctor' -c -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -c -- "$current")
  fi
}
complete -F _discnice discnice
