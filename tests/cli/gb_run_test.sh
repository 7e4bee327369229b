#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gb_run: gb-run tells a command how much memory there is, ends with the command's status, and reports a mistake in one line.
#
# The requested amounts are small, or larger than the memory of any machine. Left out: the limits of control groups (system/mac_room_test.sh).
source "$(dirname "$0")/../support/system.bash"
need timeout sort python3
need_built gb-run
readonly SECONDS_MAX=60
OUT=$SCRATCH/out ERR=$SCRATCH/err
export XDG_CACHE_HOME=$SCRATCH/cache # where gb-run keeps what it learns

# expect STATUS LINES-ON-STDERR ARGUMENT...
expect() {
  local want=$1 lines=$2 got=0
  shift 2
  timeout "$SECONDS_MAX" "$BIN/gb-run" "$@" >"$OUT" 2>"$ERR" </dev/null || got=$?
  [[ $got -eq $want ]] || fail "status $got instead of $want from gb-run $*: $(cat "$ERR")"
  [[ $(wc -l <"$ERR") -eq $lines ]] || fail "$(wc -l <"$ERR") lines instead of $lines on stderr from gb-run $*: $(cat "$ERR")"
}
prints() { [[ $(cat "$OUT") == "$1" ]] || fail "gb-run printed '$(cat "$OUT")' instead of '$1'"; }

# The grant lies between the least and the most, and is a multiple.
expect 0 0 --print --min 1M --max 8M
prints $((8 << 20))
expect 0 0 --print --min 1M --max 8000000 --multiple 3M
prints $((6 << 20))
expect 0 0 --print
[[ $(cat "$OUT") -gt 0 ]] || fail "nothing is there: $(cat "$OUT")"
expect 0 0 --print --min 1M --max 1%

# The command gets the grant as words and as variables.
# shellcheck disable=SC2016 # for the inner shell to expand
expect 0 0 --max 8M --multiple 2M --env ONE --env TWO -- sh -c 'echo $ONE $TWO "$@"' sh '{}' '-x{b}' '{m}' '{n}' '{' 'N={n}' '{print {n}}' 'a{}'
prints '8388608 8388608 8192K -x8388608 8 4 { N=4 {print {n}} a{}'
expect 0 0 --max 8M -I @ -- echo {} '{n}' a@b @
prints '{} {n} a8192Kb 8192K'
expect 0 0 --max 8M -I '' -- echo {} @
prints '{} @'
printf 'b\na\n' >"$SCRATCH/lines"
expect 0 0 --max 8M -- sort -S {} "$SCRATCH/lines"
prints $'a\nb'
expect 0 0 --max 8M echo --min 3
prints '--min 3'

# The status is the status of the command.
expect 7 0 --max 8M -- sh -c 'exit 7'
# shellcheck disable=SC2016
expect 143 0 --max 8M -- sh -c 'kill -TERM $$'
expect 127 1 --max 8M -- "$SCRATCH/none"
expect 126 1 --max 8M -- "$SCRATCH/lines"

# The least amount is not available: status 1 and one line, and nothing is run.
for more in --print "echo run"; do
  read -ra words <<<"$more"
  expect 1 1 --min 900T "${words[@]}"
  prints ''
done
expect 1 1 --min 900T --max 80% --print
expect 1 1 --min 900T --print
if grep -q 'beside' "$ERR"; then fail "nothing is needed beside the memory, and it is told of: $(cat "$ERR")"; fi
grep -Eq 'more than (the memory of this machine|the control group|what the kernel promises).* ever allows: [0-9.]+ [KMGT]iB' "$ERR" || fail "it is not said which limit: $(cat "$ERR")"
expect 2 1 --mim 1M -- echo run
grep -q "there is no option '--mim'; perhaps --min is meant" "$ERR" || fail "no other option is proposed: $(cat "$ERR")"
expect 1 1 --min 900T --wait 100ms --print

# When it is not known how much memory there is, gb-run says so, and gives no number.
if unshare -m true 2>/dev/null; then
  for more in --print "--max 8M --print" "--max 8M -- echo run" "-- echo run"; do
    read -ra words <<<"$more"
    got=0
    # shellcheck disable=SC2016 # for the inner shell to expand
    timeout "$SECONDS_MAX" unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$BIN/gb-run" "${words[@]}" >"$OUT" 2>"$ERR" </dev/null || got=$?
    [[ $got -eq 125 && ! -s $OUT && $(wc -l <"$ERR") -eq 1 ]] ||
      fail "without /proc gb-run $more ended with status $got, said '$(cat "$OUT")' and: $(cat "$ERR")"
    grep -q "is not known" "$ERR" || fail "without /proc gb-run $more said: $(cat "$ERR")"
  done
else
  echo "SKIPPED here: no mount namespace to be without /proc in"
fi

# The memory that a command needs in addition to its grant is learned and kept.
rm -rf "$XDG_CACHE_HOME"
expect 0 0 --max 8M -- python3 -c 'x = bytearray(40 << 20); x[::4096] = b"1" * len(x[::4096])'
need=$(sed -n 's/ python3$//p' "$XDG_CACHE_HOME/gray/gb-run.needs")
((need >= 32 << 20 && need <= 80 << 20)) || fail "40 MiB and a start beside 8 MiB became a need of '$need'"
expect 1 1 --min 900T -- python3
grep -Eq '900 TiB, and [0-9.]+ MiB that a program needs beside them, are more than' "$ERR" || fail "what python3 needs beside its memory is not told: $(cat "$ERR")"
chmod 500 "$XDG_CACHE_HOME/gray"
expect 0 0 --max 8M -- true
chmod 700 "$XDG_CACHE_HOME/gray"

# A wrong command line: status 2, one line, and nothing is run.
expect 2 1
expect 2 1 --print echo
for wrong in '--min 2M --max 1M' '--min x' '--max 0%' '--max 101%' '--max -1' '--multiple 0' '--multiple 3M --max 2M' '--env 1A' '--env =' \
  '--cache all' '--wait 3' '--misspelt'; do
  read -ra words <<<"$wrong"
  expect 2 1 "${words[@]}" -- echo run
  prints ''
done
GRAY_MAC=nonsense expect 2 1 --print
GRAY_MAC=no-claims,no-stall expect 0 0 --print

# SIGTERM reaches the command.
# shellcheck disable=SC2016
"$BIN/gb-run" --max 8M -- sh -c 'trap "echo told >$1; exit 5" TERM; echo on >$2; while :; do sleep 0.1; done' sh "$SCRATCH/told" "$SCRATCH/on" &
child=$!
for _ in {1..100}; do if [[ -s $SCRATCH/on ]]; then break; fi; sleep 0.1; done
kill -TERM "$child"
expect_status 5 wait "$child"
[[ -s $SCRATCH/told ]] || fail "the command was not told of SIGTERM"
