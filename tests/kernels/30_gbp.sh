#!/bin/sh
# SPDX-License-Identifier: MIT
# gbp: checks that gbp tells cached files from uncached files on this kernel, for the files' owner and for a user who may only read them.
#
# Half of the files are read after all files were evicted from the cache. Each answer is compared with this known state. An answer "unknown" counts as wrong.
FILES=40 ROUNDS=5
if [ "$IS_SHORT" = true ]; then ROUNDS=1; fi
mkdir -p /data/truth
for i in $(seq $FILES); do dd if=/dev/urandom of=/data/truth/"$i" bs=1M count=1 2>/dev/null; done
chmod 755 /data /data/truth
chmod 644 /data/truth/*
sync

ask() { # WHO
  if [ "$1" = owner ]; then
    gbp -mem --json /data/truth/*
  else
    busybox su nobody -s /bin/sh -c "PATH=$PATH LD_LIBRARY_PATH=$LD_LIBRARY_PATH HOME=/nonexistent XDG_DATA_HOME=/nonexistent gbp -mem --json /data/truth/*"
  fi
}

for who in owner other; do
  : >answers
  for _ in $(seq $ROUNDS); do
    pagecache evict /data/truth/*
    for i in $(seq 2 2 $FILES); do cat /data/truth/"$i"; done >/dev/null
    ask $who >>answers 2>said || sed 's/^/WRONG /' said
  done
  sed -n 's/.*"path": *"\/data\/truth\/\([0-9]*\)".*"cached_fraction": *\([^,}]*\).*/\1 \2/p' answers |
    awk -v name=gbp/$who -v all=$((ROUNDS * FILES)) '{ right += $2 != "null" && ($2 >= 0.5) == ($1 % 2 == 0) }
      END { printf "FOUND %s %.1f 1 %%-wrong\n", name, 100 * (all - right) / all }'
  echo "BACKENDS $who $(grep -o '"backend": *"[a-z]*"' answers | sort | uniq -c | tr '\n' ' ')"
done
rm -rf /data/truth
