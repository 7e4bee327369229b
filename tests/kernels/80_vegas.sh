#!/bin/sh
# SPDX-License-Identifier: MIT
# vegas: compares the window of an upload under netnice with the window of the kernel's own tcp_vegas, while the same rival traffic comes and goes. Also measures other ways,
# and compares netsim's line with netem's line.
# clock: counted
#
# The guest's clock counts the instructions that the guest has executed, so no result depends on how fast or how busy the host is. The share of idle processor time and the
# longest delay of netsim are printed.
# The line has 2000 KB/s, 20 ms and a queue of 600 KB; netem emulates it between two namespaces, and so does netsim. The same upload runs over it with tcp_vegas, and with cubic
# under netnice.
# The windows are read from the kernel (each 50 ms) and from netnice's trace (each 10 ms). Both series become means of each half second, counted from the instant at which the
# first rival was due.
# The correlation is Pearson's, over the half seconds after the first second. In the first two half seconds the kernel's slow start overshoots the line, and
# comes back by one segment a round trip. The correlation with these two half seconds is printed as well.
if [ "$IS_SHORT" = true ]; then
  echo 'LEFT OUT vegas: a short run'
  exit 0
fi
FAR=10.97.0.2
LINE_BYTES_PER_S=2000000
# Each word is SECONDS=WHO: nobody, a rival's bytes a second, or an upload by cubic. The last seconds of each phase count for rates and round trips.
PATTERN='5=nobody 5=1000000 4=nobody 5=1500000 4=nobody 4=500000 4=nobody 6=cubic 5=nobody'
SHORT_PATTERN='8=nobody 5=1000000 6=cubic'
LAST_S=3
BIN_S=0.5
START_S=2
REST_S=2

# --- The near end of a line, in the folder of that run

seconds_of() { echo "$1" | tr ' ' '\n' | awk -F = '{ sum += $1 } END { print sum }'; }

# Runs the rivals of a pattern, and prints a line for each phase: its start, its end and the rival.
rivals() {
  for phase in $1; do
    seconds=${phase%=*} who=${phase#*=}
    from=$(line_traffic now)
    case $who in
      nobody) sleep "$seconds" ;;
      cubic) line_traffic upload $FAR "$seconds" cubic >rival ;;
      *) line_traffic pace $FAR "$seconds" "$who" ;;
    esac
    echo "$from $(line_traffic now) $who"
  done
}

# Limits the line as wondershaper does: a little below the line's rate, with a fair turn for each connection.
shape() {
  /bin/tc qdisc add dev line root handle 1: htb default 1
  /bin/tc class add dev line parent 1: classid 1:1 htb rate $((LINE_BYTES_PER_S / 100 * 95))bps burst 6k
  /bin/tc qdisc add dev line parent 1:1 sfq perturb 10
}

# near WAY PATTERN
near() {
  job_s=$(seconds_of "$2")
  echo 1 >/proc/sys/net/ipv4/tcp_no_metrics_save
  line_traffic ask $FAR $REST_S >rest
  if [ "$1" = wondershaper ]; then shape; fi
  line_traffic ask $FAR "$job_s" >asked &
  rivals "$2" >phases &
  case $1 in
    netnice) netnice -q --trace trace -- line_traffic upload $FAR "$job_s" cubic >job ;;
    wondershaper) line_traffic upload $FAR "$job_s" cubic >job ;;
    *) line_traffic upload $FAR "$job_s" "$1" >job ;;
  esac
  wait
}

# --- The lines

make_netem() {
  mkdir -p /run/netns
  for end in near far; do /bin/ip netns add $end; done
  /bin/ip link add line netns near type veth peer name line netns far
  /bin/ip -n near address add 10.97.0.1/24 dev line
  /bin/ip -n far address add $FAR/24 dev line
  for end in near far; do
    /bin/ip -n $end link set line gso_max_segs 1 up
    # 600 KB, plus the packets that are under way for half of a round trip. As on netsim's line, Ethernet headers do not count.
    /bin/tc -n $end qdisc add dev line root netem limit 413 delay 10ms rate 2000kbps -14 || return 1
  done
}

# Prints the processor's time so far, and the idle part of it.
ticks() { awk '$1 == "cpu" { for (i = 2; i <= 8; i++) all += $i; print all, $5 + $6 }' /proc/stat; }

# run KIND WAY PATTERN: runs the upload on this kind of line, and leaves the measurements in the folder KIND.WAY.
run() {
  mkdir -p "$PLACE/$1.$2"
  cd "$PLACE/$1.$2" || exit 1
  before=$(ticks)
  if [ "$1" = netsim ]; then
    netsim --rate 2000KB --delay 20ms --queue 600KB --report report --far 'exec line_traffic serve' -- sh /tests/80_vegas.sh near "$2" "$3"
  else
    /bin/ip netns exec near sh /tests/80_vegas.sh near "$2" "$3"
  fi
  echo "$before $(ticks)" | awk '{ printf "%.1f\n", 100 * (1 - ($4 - $2) / ($3 - $1)) }' >busy
  cd "$PLACE" || exit 1
}

# --- The figures

median() { sort -g | awk '{ all[NR] = $1 } END { print NR ? all[int((NR + 1) / 2)] : "-" }'; }

# lasts FOLDER FILE WHO: prints the file's lines from the last seconds of the phases with that rival, each after the number of its phase.
lasts() {
  awk -v who="$3" -v last="$LAST_S" 'NR == FNR { if ($3 == who) { to[++phases] = $2 }; next }
    { for (i = 1; i <= phases; i++) if ($1 > to[i] - last && $1 <= to[i]) print i, $0 }' "$1/phases" "$1/$2"
}

# rate FOLDER FILE WHO: the KB/s that have arrived.
rate() {
  lasts "$@" | awk '$1 != phase { phase = $1; from = $2; before = $5; next } { took[phase] = $2 - from; moved[phase] = $5 - before }
    END { for (i in took) { seconds += took[i]; bytes += moved[i] }; if (seconds > 0) printf "%.0f\n", bytes / seconds / 1000; else print "-" }'
}

delay() { lasts "$1" asked "$2" | cut -d ' ' -f 3 | median; }

# windows FOLDER: prints a line for each half second since the rivals began: its number and the mean window.
windows() {
  if [ -e "$1/trace" ]; then awk '$3 == "up" { print $1, $5 }' "$1/trace"; else cat "$1/job"; fi |
    awk -v from="$(head -n 1 "$1/phases" | cut -d ' ' -f 1)" -v bin_s=$BIN_S '$1 >= from { bin = int(($1 - from) / bin_s); sum[bin] += $2; count[bin]++ }
      END { for (bin in sum) print bin, sum[bin] / count[bin] }' | sort -g
}

# correlation FOLDER FOLDER FROM_S
correlation() {
  windows "$1" >one
  windows "$2" | awk -v from="$3" -v bin_s=$BIN_S '
    # A small awk has no such function.
    function root(square, i, guess) { for (guess = square; i < 200; i++) guess = (guess + square / guess) / 2; return guess }
    NR == FNR { one[$1] = $2; next }
    $1 in one && $1 * bin_s >= from { n++; x += one[$1]; y += $2; xx += one[$1] * one[$1]; yy += $2 * $2; xy += one[$1] * $2 }
    END { variance = (n * xx - x * x) * (n * yy - y * y); if (n > 9 && variance > 0) printf "%.3f\n", (n * xy - x * y) / root(variance); else print "-" }' one -
}

over() { echo "$1 $2" | awk '{ if ($1 == "-" || $2 + 0 == 0) print "-"; else printf "%.3f\n", $1 / $2 }'; }
off() { echo "$1 $2" | awk '{ if ($1 == "-" || $2 + 0 == 0) print "-"; else printf "%.2f\n", 100 * ($1 / $2 - 1) }'; }
resting() { cut -d ' ' -f 2 "$1/rest" | median; }
moved() { echo "$(head -n 1 "$1/job") $(tail -n 1 "$1/job")" | awk '{ if (NF == 10) printf "%.0f\n", ($9 - $4) / ($6 - $1) / 1000; else print "-" }'; }

tell_lines() {
  for kind in netem netsim; do
    echo "FOUND line/$kind/round_trip $(resting $kind.cubic) - ms"
    echo "FOUND line/$kind/rate $(rate $kind.cubic job nobody) - KB/s"
  done
  echo "FOUND line/round_trip_off $(off "$(resting netsim.cubic)" "$(resting netem.cubic)") 2"
  echo "FOUND line/rate_off $(off "$(rate netsim.cubic job nobody)" "$(rate netem.cubic job nobody)") 2"
  echo "FOUND line/late $(cat netsim.*/report | sed 's/.*"late_ns_max": \([0-9]*\).*/\1/' | sort -g | tail -n 1 | awk '{ printf "%.2f", $1 / 1e6 }') 5 ms"
  echo "FOUND line/busiest $(sort -g ./*/busy | tail -n 1) 75 %-of-processor"
  echo "FOUND line/tcp_vegas $(correlation netem.vegas netsim.vegas 0) - r"
}

tell_windows() {
  for kind in netem netsim; do
    echo "FOUND vegas/$kind/correlation $(correlation $kind.vegas $kind.netnice $START_S) >=0.9 r"
    echo "FOUND vegas/$kind/with_start $(correlation $kind.vegas $kind.netnice 0) - r"
    echo "FOUND vegas/$kind/rate $(over "$(moved $kind.netnice)" "$(moved $kind.vegas)") - x"
    echo "FOUND vegas/$kind/delay $(over "$(cut -d ' ' -f 2 $kind.netnice/asked | median)" "$(cut -d ' ' -f 2 $kind.vegas/asked | median)") - x"
  done
}

tell_ways() {
  for way in netnice vegas cubic reno bbr wondershaper; do
    run=netsim.$way
    echo "FOUND ways/$way/alone_rate $(rate $run job nobody) - KB/s"
    echo "FOUND ways/$way/alone_delay $(delay $run nobody) - ms"
    echo "FOUND ways/$way/beside_half_rate $(rate $run job 1000000) - KB/s"
    echo "FOUND ways/$way/beside_half_delay $(delay $run 1000000) - ms"
    echo "FOUND ways/$way/beside_cubic_rate $(rate $run job cubic) - KB/s"
    echo "FOUND ways/$way/cubic_beside_it $(rate $run rival cubic) - KB/s"
  done
}

if [ "${1:-}" = near ]; then
  near "$2" "$3"
  exit
fi
PLACE=/tmp/vegas
mkdir -p $PLACE
if ! make_netem; then
  echo 'LEFT OUT vegas: this kernel has no netem'
  exit 0
fi
# All runs use the same server, so that packets that an earlier run has left in the queue still reach a server.
/bin/ip netns exec far line_traffic serve &
serving=$!
# The following two runs read all programs from the disk before anything is measured.
run netem vegas 1=nobody
run netsim netnice 1=nobody
rm -rf netem.vegas netsim.netnice
for kind in netem netsim; do
  for way in vegas netnice; do run $kind $way "$PATTERN"; done
  run $kind cubic "$SHORT_PATTERN"
done
for way in reno bbr wondershaper; do run netsim $way "$SHORT_PATTERN"; done
tell_lines
tell_windows
tell_ways
for way in vegas netnice; do windows netem.$way | awk -v way=$way -v bin_s=$BIN_S '{ printf "SERIES vegas/%s %.2f %.1f\n", way, ($1 + 0.5) * bin_s, $2 / 1000 }'; done
kill $serving
cd /data && rm -rf $PLACE
