#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# netnice_programs: curl, rsync and git over ssh, a static program in Go and a running Java are held, and move the right bytes.
#
# How: the programs transfer over an emulated line, from servers of this test at its far end. netnice's report shows that a program was held. The Java program
# is adopted, and its socket shows this. Left out: how well the programs give way (bench/netnice).
# Slow: a compiler of Go and a JVM have to start.
source "$(dirname "$0")/../support/system.bash"
need_built netnice netsim
need python3 timeout curl
[[ -r /dev/net/tun && -w /dev/net/tun ]] || skip "/dev/net/tun is not there for this user"
"$BIN/netsim" --rate 10MB -- true 2>"$SCRATCH/refused" || skip "no line can be made here: $(cat "$SCRATCH/refused")"
absent=()
export BIN SCRATCH SOURCE
mkdir "$SCRATCH/www"
head -c 4000000 /dev/urandom >"$SCRATCH/www/file"
cat >"$SCRATCH/held" <<'PY'
"""held REPORT: fails unless netnice has seen a good part of the bytes, over a path of the line."""
import json, sys
told = json.load(open(sys.argv[1]))
moved = told["sent_bytes"] + told["received_bytes"]
assert told["connections"] >= 1 and told["status"] == 0 and told["processes_not_held"] == 0 and moved > 1_000_000, told
PY

# line FAR NEAR: both are scripts.
line() {
  timeout 300 "$BIN/netsim" --rate 2MB --delay 20ms --queue 600KB --far "$1" -- bash -euo pipefail -c "$2" || fail "status $? from: $2"
}
# shellcheck disable=SC2016 # for the shell at the far end
web='cd $SCRATCH/www && exec python3 -m http.server --bind :: 8000 >/dev/null 2>&1'
# shellcheck disable=SC2016
ready='for _ in {1..600}; do if curl -s -o /dev/null http://10.97.0.2:8000/; then break; fi; sleep 0.1; done'

line "$web" "$ready"'
  for url in http://10.97.0.2:8000/file "http://[fd97::2]:8000/file"; do
    $BIN/netnice -q --report $SCRATCH/report -- curl -gsS -o $SCRATCH/got "$url"
    cmp $SCRATCH/got $SCRATCH/www/file
    python3 $SCRATCH/held $SCRATCH/report
  done'

if command -v go >/dev/null; then
  mkdir "$SCRATCH/go"
  cat >"$SCRATCH/go/get.go" <<'GO'
package main

import (
	"io"
	"net/http"
	"os"
)

func main() {
	answer, err := http.Get(os.Args[1])
	if err == nil {
		_, err = io.Copy(os.Stdout, answer.Body)
	}
	if err != nil {
		panic(err)
	}
}
GO
  (cd "$SCRATCH/go" && CGO_ENABLED=0 GOFLAGS=-mod=mod GOCACHE=$SCRATCH/go/cache GO111MODULE=off go build -o get get.go) || fail "the program in Go was not built"
  line "$web" "$ready"'
    $BIN/netnice -q --report $SCRATCH/report -- $SCRATCH/go/get http://10.97.0.2:8000/file >$SCRATCH/got
    cmp $SCRATCH/got $SCRATCH/www/file
    python3 $SCRATCH/held $SCRATCH/report'
else
  absent+=(go)
fi

if command -v javac >/dev/null; then
  cat >"$SCRATCH/Get.java" <<'JAVA'
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

class Get {
  public static void main(String[] words) throws Exception {
    try (InputStream in = new URL(words[0]).openStream()) {
      Files.copy(in, Path.of(words[1]), StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
JAVA
  javac -nowarn -d "$SCRATCH" "$SCRATCH/Get.java" 2>"$SCRATCH/javac" || fail "Get.java does not compile: $(cat "$SCRATCH/javac")"
  head -c 30000000 /dev/urandom >"$SCRATCH/www/long"
  line "$web" "$ready"'
    java -cp $SCRATCH Get http://10.97.0.2:8000/long $SCRATCH/got & java=$!
    until (($(stat -c %s $SCRATCH/got 2>/dev/null || echo 0) > 4000000)); do sleep 0.1; done
    $BIN/netnice adopt -q $java & adopted=$!
    python3 $SOURCE/tests/support/socket_limits.py $java held
    wait $java
    wait $adopted
    cmp $SCRATCH/got $SCRATCH/www/long'
else
  absent+=(java)
fi

# ssh, with keys and a server of our own. The server accepts a changed root folder only from root, and gives up its privileges in an
# empty folder.
SSHD=$(command -v sshd || true)
if [[ -n $SSHD && $EUID -eq 0 ]] && command -v rsync git ssh ssh-keygen >/dev/null; then
  ssh-keygen -q -t ed25519 -N '' -f "$SCRATCH/host_key"
  ssh-keygen -q -t ed25519 -N '' -f "$SCRATCH/key"
  cp "$SCRATCH/key.pub" "$SCRATCH/authorized"
  chmod 755 "$SCRATCH"
  chmod 600 "$SCRATCH/authorized"
  mkdir -p /run/sshd
  cat >"$SCRATCH/sshd_config" <<CONFIG
Port 2222
HostKey $SCRATCH/host_key
AuthorizedKeysFile $SCRATCH/authorized
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
UsePAM no
PidFile none
CONFIG
  git init -q "$SCRATCH/repository"
  cp "$SCRATCH/www/file" "$SCRATCH/repository"
  git -C "$SCRATCH/repository" add file
  git -C "$SCRATCH/repository" -c user.name=n -c user.email=n@example.invalid commit -qm file
  export GIT_SSH_COMMAND="ssh -p 2222 -i $SCRATCH/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o IdentitiesOnly=yes"
  # shellcheck disable=SC2016
  line "exec $SSHD -D -e -f $SCRATCH/sshd_config 2>$SCRATCH/sshd_log" '
    for _ in {1..600}; do if $GIT_SSH_COMMAND root@10.97.0.2 true 2>/dev/null; then break; fi; sleep 0.1; done
    $BIN/netnice -q --report $SCRATCH/report -- rsync -a -e "$GIT_SSH_COMMAND" $SCRATCH/www/file root@10.97.0.2:$SCRATCH/sent
    cmp $SCRATCH/sent $SCRATCH/www/file
    python3 $SCRATCH/held $SCRATCH/report
    $BIN/netnice -q --report $SCRATCH/report -- git -c safe.directory=* clone -q ssh://root@10.97.0.2$SCRATCH/repository $SCRATCH/clone
    cmp $SCRATCH/clone/file $SCRATCH/www/file
    python3 $SCRATCH/held $SCRATCH/report'
else
  absent+=(ssh)
fi
((${#absent[@]} == 0)) || echo "not tried: ${absent[*]}"
