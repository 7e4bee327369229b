# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# gbp.bash: completion of gbp for bash.

_gbp() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  case $previous in
    --backend) mapfile -t COMPREPLY < <(compgen -W "auto cachestat mincore end nowait fault timed" -- "$current") && return ;;
    --order | -order) mapfile -t COMPREPLY < <(compgen -W "auto extent inode mtime dir none" -- "$current") && return ;;
    --refresh | -refresh) mapfile -t COMPREPLY < <(compgen -d -- "$current") && return ;;
    --align | -align | --include | --exclude) return ;;
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "-mem -file -compose -out -refresh -r -0 --mem --file --compose --out --align --lines --bytes --order --backend
      --files-from --files0-from --recursive --one-file-system --include --exclude --null --json --exec --waves --ranges --unsort --plan
      --verify --refresh --apply --resume --rollback --order-from --force --explain --help --version" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -o filenames -F _gbp gbp
