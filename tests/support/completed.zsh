# SPDX-License-Identifier: MIT
# completed.zsh: prints what zsh would offer for a command line, one word in a line. It asks zsh's own completion system at a terminal.
#
#   zsh -f completed.zsh FOLDER <LINES   FOLDER has the functions (_discnice ...). For each line of input it prints the words, and then a line "END".
zmodload zsh/zpty || exit 77
folder=$1
hits=$(mktemp -d) || exit 1
trap 'zpty -d asked 2>/dev/null; rm -rf $hits' EXIT
cat >$hits/start <<START
PROMPT= RPROMPT=
unsetopt auto_list # it would ask whether a long list is to be seen
fpath=($folder \$fpath)
autoload -U compinit && compinit -u -D
# A call that adds words offers them. A call that only fills an array is a question.
compadd() {
  local -a found
  if ((! \${@[(I)-[ADO]]})); then
    builtin compadd -O found "\$@"
    ((\$#found)) && print -rl -- "\${found[@]}" >>$hits/words
  fi
  builtin compadd "\$@"
}
zle -C asked complete-word _main_complete
ask() {
  BUFFER=\$(<$hits/line)
  CURSOR=\$#BUFFER
  zle asked
  BUFFER=
  : >$hits/done
}
zle -N ask
bindkey '^T' ask
: >$hits/done
START
zpty asked zsh -f -i
zpty -w asked "source $hits/start"
wait_for_it() {
  integer end=$((SECONDS + 30))
  until [[ -e $hits/done ]] || ((SECONDS > end)); do
    zpty -r -t asked ignored 2>/dev/null || sleep 0.01
  done
  rm -f $hits/done
}
wait_for_it
while IFS= read -r line; do
  print -rn -- $line >$hits/line
  : >$hits/words
  zpty -w -n asked $'\x14'
  wait_for_it
  cat $hits/words
  print END
done
