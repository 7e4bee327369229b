#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# examples: the commands in README, docs/recipes.md and the EXAMPLES of the manual pages work as they stand, after `cmake --install`, and so do the files of docs/recipes.md.
#
# How: each command is pasted into a shell in a system of its own. This system has the host's programs, the programs that are installed in /usr/local, and the
# files that the examples name in /data, /backup, /mnt/nas, /var/log and a home folder. Programs of other projects (restic, java, app, ./server) are replaced by
# small programs with these names. examples.txt says which commands are run in another way or not at all, and why. A command that is neither run nor listed
# there fails. A line there that belongs to no example fails, too. Left out: the effect of the commands.
source "$(dirname "$0")/../support/system.bash"
need rsync unshare chroot make setsid
need_root
need_preload
need_built discnice gbp gb-run heapnice gb-wss memnice netnice gb-grep microbench
[[ -n ${GRAY_OWN_SHM:-} ]] || skip 'mounts nothing here (needs mount namespaces)'
scratch
LIST=$SOURCE/tests/install/examples.txt
ROOT=$SCRATCH/root
wrong=0

# A block that names another language has no commands.
commands_of_readme() {
  awk '/^```/ { if (fence == "commands") flush(); fence = fence ? "" : /^```[a-z]/ ? "other" : "commands"; count = 0; has_prompt = 0; next }
    fence == "commands" { lines[count++] = $0; if (/^\$ /) has_prompt = 1 }
    function flush(i) { for (i = 0; i < count; i++) if (!has_prompt || sub(/^\$ /, "", lines[i])) print lines[i] }' "$1"
}

commands_of_page() {
  awk '/^\.SH/ { section = /^\.SH EXAMPLES?$/ } /^\.(nf|EX)$/ { inside = section; next } /^\.(fi|EE)$/ { inside = 0 } inside' "$1" |
    sed -e 's/\\-/-/g' -e 's/\\e/\\/g' -e 's/^ *//' | sed -e ':more' -e '/\\$/N; s/\\\n *//; t more'
}

# The commands without their comments, each one once.
all_commands() {
  local page
  {
    commands_of_readme "$SOURCE/README.md"
    commands_of_readme "$SOURCE/docs/recipes.md"
    for page in "$SOURCE"/{tools/*/*.1,tools/discnice/man/*.[178],microbench/*.1}; do commands_of_page "$page"; done
  } | sed -e 's/  *#.*//' -e '/^$/d' | awk '!seen[$0]++'
}

# how COMMAND: prints what examples.txt says about it. If it prints nothing, the command is simply run.
how() {
  awk -F ' *[|] *' -v command="$1" '!/^#/ { line = $0; sub(/^[^|]*[|][^|]*[|] */, "", line); if (line == command) print $1 }' "$LIST"
}

# A root folder with the host's programs and the files of this project.
make_root() {
  local folder
  mkdir -p "$ROOT"/{proc,sys,dev,usr,etc,data,backup,mnt/nas,var/log,var/tmp,tmp,run,home/somebody,root}
  for folder in proc sys dev; do mount --rbind "/$folder" "$ROOT/$folder"; done
  for folder in usr etc; do mount --bind "/$folder" "$ROOT/$folder" && mount -o remount,bind,ro "$ROOT/$folder"; done
  for folder in bin sbin lib lib32 lib64; do
    [[ ! -L /$folder ]] || cp -a "/$folder" "$ROOT/"
    [[ -L /$folder || ! -d /$folder ]] || { mkdir "$ROOT/$folder" && mount --bind "/$folder" "$ROOT/$folder"; }
  done
  DESTDIR=$SCRATCH/stage "${GRAY_CMAKE:-cmake}" --install "$BUILD" --prefix /usr/local >/dev/null || fail 'cannot install'
  mount --bind "$SCRATCH/stage/usr/local" "$ROOT/usr/local"
}

make_files() {
  local home=$ROOT/home/somebody name
  mkdir -p "$home"/{src,Photos,mail/cur} "$SCRATCH/stage/usr/local/bin"
  for name in {1..20}; do
    { echo "a line with foo $name, and TODO" && head -c 20000 /dev/urandom | base64; } >"$home/src/file-$name.c"
    cp "$home/src/file-$name.c" "$home/mail/cur/$name"
    head -c 30000 /dev/urandom >"$home/Photos/$name.jpg"
  done
  cp "$home"/src/file-{1,2}.c "$ROOT/data" && cp "$home"/src/file-{3,4}.c "$ROOT/mnt/nas"
  cat "$home"/src/*.c >"$home/big.log" && cp "$home/big.log" "$home/big.txt"
  echo 'disk full' >"$ROOT/var/log/some.log"
  printf 'all:\n\tcat src/*.c >all\n' >"$home/Makefile"
  printf '#!/bin/sh\ntest "$GOMEMLIMIT" -gt 0\n' >"$home/server"
  printf '#!/bin/sh\nexec cat\n' >"$SCRATCH/stage/usr/local/bin/app"
  printf '#!/bin/sh\nexec find "$2" -type f -exec cat {} + >/dev/null\n' >"$SCRATCH/stage/usr/local/bin/restic"
  printf '#!/bin/sh\ncase $JAVA_TOOL_OPTIONS in *-Xmx*) ;; *) exit 1 ;; esac\n' >"$SCRATCH/stage/usr/local/bin/java"
  chmod 755 "$home/server" "$SCRATCH"/stage/usr/local/bin/{app,java,restic}
}

# Simulates a person who has just opened a terminal there. If the command is for all files (*), the person has first changed to a folder with
# files.
INSIDE=(env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin HOME=/home/somebody chroot "$ROOT" bash -c '
  cd && { [[ ${*: -1} != *" *" && ${*: -1} != *" *)" ]] || cd src; } && exec "$@"' sh)
readonly INSIDE
inside() { "${INSIDE[@]}" "$@"; }

start_idle() { # NAME: a program of that name, which does nothing
  mkdir -p "$ROOT/home/somebody/idle"
  cp "$(command -v sleep)" "$ROOT/home/somebody/idle/$1"
  "${INSIDE[@]}" "idle/$1" 60 &
  BESIDE=$!
  sleep 0.5
}

try() { # COMMAND
  local command=$1 status=0 kind left BESIDE=
  kind=$(how "$command")
  case $kind in
    '') inside timeout 120 bash -c "$command" >"$SCRATCH/out" 2>&1 </dev/null || status=$? ;;
    'left out') printf 'not run: %s\n' "$command" && return ;;
    'beside tar')
      inside discnice status 2>/dev/null | grep -q ' tar ' || inside discnice -q --rate 2K -- tar cf held.tar Photos >/dev/null 2>&1 &
      for ((left = 200; left > 0; left--)); do
        inside discnice status 2>/dev/null | grep -q ' tar ' && break
        sleep 0.05
      done
      inside timeout 120 bash -c "$command" >"$SCRATCH/out" 2>&1 </dev/null || status=$?
      ;;
    interrupted)
      start_idle "$(cut -d ' ' -f 3 <<<"$command")"
      inside timeout --foreground -s INT 1 bash -c "exec $command" >"$SCRATCH/out" 2>&1 </dev/null || status=$?
      ((status == 124)) && status=0
      ;;
    *) status=99 ;;
  esac
  if [[ -n $BESIDE ]]; then
    kill "$BESIDE" 2>/dev/null || true
    wait "$BESIDE" 2>/dev/null || true
  fi
  ((status == 0)) && return
  printf 'WRONG: status %s: %s\n%s\n' "$status" "$command" "$(head -n 5 "$SCRATCH/out")" >&2
  wrong=$((wrong + 1))
}

# Prints the blocks of that kind in docs/recipes.md.
snippets() {
  awk -v fence='```' -v kind="$1" '$0 == fence kind { inside = 1; next } $0 == fence { inside = 0 } inside' "$SOURCE/docs/recipes.md"
}

complain() {
  printf 'WRONG: %s\n%s\n' "$1" "$(head -n 5 "$SCRATCH/out")" >&2
  wrong=$((wrong + 1))
}

try_defaults() {
  local home=$ROOT/home/somebody program says
  mkdir -p "$home/.config/discnice" "$home/own"
  snippets conf >"$home/.config/discnice/config"
  while IFS= read -r program <&3; do
    cp "$(type -P true)" "$home/own/$program"
    inside discnice -- "own/$program" >"$SCRATCH/out" 2>&1 || complain "docs/recipes.md: the defaults of $program"
    says=$(sed -n "/^\[$program\]/,/^\[/p" "$home/.config/discnice/config" | sed -n 's/^policy = //p')
    grep -q "(${says:-.*[a-z]}" "$SCRATCH/out" || complain "docs/recipes.md: $program is not held as the defaults say"
  done 3< <(sed -n 's/^\[\(.*\)\]$/\1/p' "$home/.config/discnice/config")
  rm -r "$home/.config/discnice"
}

# Runs a line as cron does: by sh, and without the five words of time before the command.
try_crontab() {
  local line
  while IFS= read -r line; do
    [[ -z $line ]] || inside timeout 120 sh -c "$(awk '{ for (i = 1; i <= 5; i++) $i = ""; print }' <<<"$line")" >"$SCRATCH/out" 2>&1 </dev/null ||
      complain "docs/recipes.md: cron's command: $line"
  done < <(snippets crontab)
}

try_units() {
  local kind line folder=$SCRATCH/units
  mkdir -p "$folder" "$ROOT/home/somebody/.cache"
  for kind in service timer; do snippets "$kind" >"$folder/backup.$kind"; done
  line=$(sed -n 's/^ExecStart=//p' "$folder/backup.service" | sed 's/%h/$HOME/g')
  inside timeout 120 sh -c "$line" >"$SCRATCH/out" 2>&1 </dev/null || complain "docs/recipes.md: the service's command"
  [[ -s $ROOT/home/somebody/.cache/backup.report ]] || complain 'docs/recipes.md: the service leaves no report'
  line=$(snippets desktop | sed -n 's/^Exec=//p')
  inside timeout 120 sh -c "$line" >"$SCRATCH/out" 2>&1 </dev/null || complain "docs/recipes.md: the desktop entry's command"
  if ! command -v systemd-analyze >/dev/null; then
    echo 'not shown: the units of docs/recipes.md (needs systemd-analyze)'
    return
  fi
  sed -i 's|^ExecStart=discnice|ExecStart=/bin/true|' "$folder/backup.service" # which is not installed on this host
  systemd-analyze verify --man=no "$folder"/backup.{service,timer} >"$SCRATCH/out" 2>&1 || complain 'docs/recipes.md: the units'
  [[ ! -s $SCRATCH/out ]] || complain 'docs/recipes.md: systemd says of the units'
}

# /dev/shm belongs to this test alone, and so do the jobs in it.
end_jobs() {
  local job
  for job in $(inside discnice status 2>/dev/null | awk '/ tar /{ print $1 }'); do kill "$job"; done
}

all_commands >"$SCRATCH/commands"
(($(wc -l <"$SCRATCH/commands") >= 30)) || fail "few examples are found: $(<"$SCRATCH/commands")"
while IFS= read -r command; do
  grep -Fxq -e "$command" "$SCRATCH/commands" || { printf 'WRONG: no example is: %s\n' "$command" >&2 && wrong=$((wrong + 1)); }
done < <(sed -n -e '/^#/d' -e 's/^[^|]*|[^|]*| *//p' "$LIST")
make_root
make_files
at_exit end_jobs
while IFS= read -r command <&3; do try "$command"; done 3<"$SCRATCH/commands"
try_defaults
try_crontab
try_units
((wrong == 0)) || fail "$wrong examples do not work"
