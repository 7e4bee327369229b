#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_top_test: the screen of `discnice top` in a real terminal: its content, its keys, and its end.
#
# How: tmux is the terminal, and its screen is read back as text. `discnice status` shows the effect of the keys. A job waits at a rate of 20 KiB/s, so that the
# screen must nearly always show it as waiting. Left out: the place of the words at each width (unit/discnice).
source "$(dirname "$0")/../support/discnice.bash"
need tmux python3
export XDG_CONFIG_HOME=$SCRATCH/config LC_ALL=C.UTF-8
unset NO_COLOR
cd "$SCRATCH"
make_file ./source 60000000
# Each terminal has a tmux server of its own, because a server that was told to end may still answer a new client.
SOCKET=$SCRATCH/terminal
terminal() { tmux -S "$SOCKET" -f /dev/null "$@"; }
at_exit sh -c "for socket in '$SCRATCH'/terminal*; do tmux -S \"\$socket\" kill-server 2>/dev/null; done; :"
screen() { terminal capture-pane -p; }
shows() { # PATTERN
  local look
  for ((look = 0; look < 300; ++look)); do
    screen 2>/dev/null | grep -Eq -- "$1" && return
    sleep 0.02
  done
  complain "the screen does not show '$1':
$(screen)"
}
is_set() { # PATTERN: of the job's status
  local look
  for ((look = 0; look < 100; ++look)); do
    "$DISCNICE" status --json -o state,rate | tr -d ' \n' | grep -Eq -- "$1" && return
    sleep 0.02
  done
  complain "the status is not '$1': $("$DISCNICE" status --json)"
}
begin() { # WIDTH HEIGHT ENVIRONMENT... : top, and afterwards its status
  SOCKET+=+
  terminal new-session -d -x "$1" -y "$2" env "${@:3}" bash -c "trap : INT; '$DISCNICE' top; echo \"ended with \$?\"; stty -a | grep -o -- '-\?icanon'; sleep 100"
}
end() { terminal kill-server; }

begin 80 24
shows 'No job is running'
terminal send-keys p
shows 'no job is running$'
make_cold source
"$DISCNICE" --rate 20K --report report -- dd if=source of=/dev/null bs=64k status=none &
JOB=$!
shows "^> +$JOB dd +[0-9.]+ (Ki)?B/s +0 B/s +[0-9]+ %"
shows "limit 20.0 KiB/s; 1 process"
# The job waits between two reads, for some seconds each time.
sleep 2.5
screen | grep -Eq "^> +$JOB .* (9[0-9]|100) %\$" || complain "it waits all the time, and shows otherwise: $(screen)"
(($(screen | wc -L) <= 80)) || complain "a line is wider than the terminal: $(screen)"
terminal send-keys p
shows 'limit 20.0 KiB/s, paused'
is_set '"state":"paused"'
terminal send-keys r
is_set '"state":"running"'
terminal send-keys s
shows "Rate of job $JOB "
terminal send-keys 'fast' Enter
shows "'fast'"
is_set '"rate_bytes_per_s":20480'
terminal send-keys s
terminal send-keys '30KX' BSpace Enter
shows 'has the rate 30K$'
is_set '"rate_bytes_per_s":30720'
terminal send-keys s '9M' Escape
sleep 0.3
is_set '"rate_bytes_per_s":30720'
terminal send-keys t
shows '^ +[0-9]+ dd +[0-9.]+ (Ki)?B/s'
terminal resize-window -x 200 -y 50
shows '^> .{150}'
terminal resize-window -x 30 -y 6
shows '^> '
terminal resize-window -x 100 -y 24
terminal send-keys s '200MB' Enter
wait "$JOB" || complain "the job that was set free: status $?"
shows 'No job is running'
terminal send-keys q
shows 'ended with 0'
shows '^icanon'
end

begin 80 24
shows 'No job is running'
terminal send-keys C-c
shows 'ended with 130'
shows '^icanon'
end

begin 80 24 NO_COLOR=1
shows 'No job is running'
terminal capture-pane -pe | grep -q $'\033\[[0-9;]*3[0-7]' && complain 'colours, though NO_COLOR is set'
end

for kind in dumb nosuch-terminal; do
  begin 80 24 "TERM=$kind"
  shows 'ended with 0'
  end
done
begin 100 24 LC_ALL=C
shows 'No job is running'
end
conclude
