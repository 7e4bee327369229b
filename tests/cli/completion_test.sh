#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# completion_test: bash, zsh and fish complete the command line of each program by its own options.
#
# How: the completion scripts that the build has made are run in the shells themselves: by bash's own completion function, by zsh's completion system at a terminal
# (support/completed.zsh), and by fish's `complete -C`. The shells must offer what --help names. A job runs meanwhile. Left out: how a shell displays its
# offers.
source "$(dirname "$0")/../support/system.bash"
need_built discnice gbp gb-run heapnice gb-wss memnice netnice gb-grep microbench
scratch
wrong=0
complain() {
  printf 'WRONG: %s\n' "$*" >&2
  wrong=$((wrong + 1))
}
export PATH=$BIN:$PATH HOME=$SCRATCH XDG_CONFIG_HOME=$SCRATCH XDG_DATA_HOME=$SCRATCH
SCRIPTS=$BUILD/completions
[[ -e $SCRIPTS/discnice.bash ]] || skip "no completions were made in this build ($SCRIPTS)"
mkdir "$SCRATCH/place"
cd "$SCRATCH/place"
mkdir afolder
touch afile
SHELLS=(bash)

# Splits the words as bash does. After a blank the last word is empty.
cat >../ask.bash <<'ASK'
source "$1/${2%% *}.bash"
line=$2
eval "COMP_WORDS=(${line//;/\\;})"
[[ $line != *' ' ]] || COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
function_name=$(complete -p "${COMP_WORDS[0]}" | sed 's/.*-F \([^ ]*\) .*/\1/')
"$function_name" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
ASK

# Asks each shell about each line of the file `lines`. The answers go to SHELL.words; END closes the answer to each line.
ask_all() {
  local line
  while IFS= read -r line; do
    bash --norc ../ask.bash "$SCRIPTS" "$line" 2>&1
    echo END
  done <lines >../bash.words
  if command -v zsh >/dev/null; then
    SHELLS+=(zsh)
    zsh -f "$SOURCE/tests/support/completed.zsh" "$SCRIPTS" <lines >../zsh.words 2>../zsh.err || complain "zsh: status $?: $(<../zsh.err)"
  fi
  if command -v fish >/dev/null; then
    SHELLS+=(fish)
    cat "$SCRIPTS"/*.fish >../all.fish
    fish -c 'source ../all.fish; while read line; complete -C $line; echo END; end' <lines 2>&1 | cut -f 1 | sed 's|/$||' >../fish.words
  fi
}

WANTED=()
# offers LINE [WORD... [not WORD...]]: all shells must offer these words for LINE, and must not offer those behind `not`. Without words they must offer nothing.
offers() {
  printf '%s\n' "$1" >>lines
  shift
  WANTED+=("$*")
}

judge() { # SHELL
  local place=0 line words word no
  while IFS= read -r line; do
    words=$(awk -v place="$place" '$0 == "END" { n++; next } n == place' "../$1.words")
    no=false
    for word in ${WANTED[place]}; do
      if [[ $word == not ]]; then
        no=true
      elif $no; then
        ! grep -Fxq -e "$word" <<<"$words" || complain "$1 offers '$word': $line"
      else
        grep -Fxq -e "$word" <<<"$words" || complain "$1 does not offer '$word': $line: $(head -c 300 <<<"$words")"
      fi
    done
    [[ -n ${WANTED[place]} || -z $words ]] || complain "$1 offers something: $line: $(head -c 300 <<<"$words")"
    place=$((place + 1))
  done <lines
}

# helped PROGRAM [COMMAND]: the shells must offer each long option of --help.
helped() {
  local options
  options=$("$@" --help | grep -oE '^ +(-[a-zA-Z0-9],)? *--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+' | sort -u | tr '\n' ' ')
  (($(wc -w <<<"$options") > 1)) || complain "the help of $* names few options: $options"
  # shellcheck disable=SC2086 # words
  offers "$* --" $options
}

"$BIN/discnice" -q --rate 1M -- sleep 600 &
job=$!
at_exit kill "$job"
until "$BIN/discnice" status 2>/dev/null | grep -q "^$job"; do sleep 0.05; done

helped discnice
for command in run set adopt release status top report policies explain doctor verify replay; do helped discnice "$command"; done
helped gbp
helped gb-run
helped gb-wss
helped memnice
helped netnice
helped netnice adopt
helped heapnice
helped microbench
for command in run list show explain export diff forget report; do helped microbench "$command"; done
offers 'discnice ' set top doctor cat not afile
offers 'discnice --rate 5M ca' cat not set
offers 'discnice --rate 5M do' not doctor
offers 'discnice -- ca' cat
offers 'discnice -- cat af' afile afolder not --rate
offers 'discnice cat af' afile
offers 'discnice run --quiet ca' cat
offers 'discnice run --quiet -- cat af' afile
offers 'discnice --policy ' rate nice idle share not afile
offers 'discnice -p ' rate nice
offers 'discnice --engine p' preload pace not afile
offers 'discnice --cache ' neutral shared
offers 'discnice --rate '
offers 'discnice --report af' afile
offers 'discnice --exclude ca' cat
offers 'discnice set ' "$job" not afile
offers 'discnice release ' "$job" not afile
offers 'discnice report ' "$job" not afile
offers "discnice set $job --policy i" idle
offers 'discnice adopt ' "$job" not afile
offers 'discnice status -' --json --output not --policy
offers 'discnice replay af' afile
offers 'discnice explain -- ca' cat
offers 'discnice doctor af' afile afolder
offers 'gbp af' afile
offers 'gbp -m' -mem
offers 'gbp --order ' extent inode
offers 'gbp --refresh af' afolder not afile
offers 'gbp --exec ca' cat
offers 'gbp --exec cat af' afile
offers 'gb-run --min 1G ca' cat
offers 'gb-run --min 1G -- cat af' afile
offers 'gb-run --cache ' share keep steal
offers 'gb-run --env HOM' HOME
offers 'gb-wss --tree ' $$ not afile
offers 'gb-wss ' $$ not afile
offers 'gb-wss --cgroup af' afolder not afile
offers 'memnice --means ' group pause
offers 'memnice -v -- cat af' afile
offers 'netnice ' adopt
offers 'netnice --rate 1M ca' cat
offers 'netnice -- cat af' afile
offers 'netnice --report af' afile
offers 'netnice adopt ' $$ not afile
offers 'heapnice --max 1G ca' cat
offers 'heapnice --runtime ' java go node not afile
offers 'heapnice --json af' afile
offers 'gb-grep --so' --sorted
offers 'gb-grep --ignore' --ignore-case
offers 'gb-grep -n x af' afile
offers 'microbench ' explain report
offers 'microbench --dir af' afolder not afile
offers 'microbench explain disk.miss' disk.miss_ns
offers 'microbench diff ' current afile
offers 'microbench report --html af' afile
offers 'discnice-policyd --config af' afile
ask_all
for shell in "${SHELLS[@]}"; do judge "$shell"; done
"$BIN/gb-run" --completion tcsh >said 2>err && complain 'a shell that is not known is completed'
grep -q "'tcsh'.*bash, zsh, fish" err || complain "a shell that is not known is not named: $(<err)"
((wrong == 0)) || fail "$wrong of the things above are wrong"
((${#SHELLS[@]} == 3)) || skip "only shown for: ${SHELLS[*]} (script/bootstrap --test brings zsh and fish)"
