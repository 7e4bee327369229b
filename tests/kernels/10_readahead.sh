#!/bin/sh
# SPDX-License-Identifier: MIT
# readahead: checks that discnice's model predicts, on this kernel, how many bytes a read fetches. The model works without corrections. The prediction is
# compared with the kernel's account.
#
# The files are read in order with each backend that this kernel can answer for. Then random sequences of reads are compared call by call (readahead_differential), with
# read-ahead windows from none to 8 MB and with the read-ahead rules that microbench has found.
dd if=/dev/urandom of=file bs=1M count=48 2>/dev/null
sync

# Prints the field of that name from the report's entry for reads.
field() { tr '{' '\n' <report | grep '"class":"read"' | sed "s/.*\"$1\": *//; s/[^0-9].*//"; }

# microbench finds the read-ahead rules of this kernel.
microbench --dir /data readahead >said 2>&1 || sed 's/^/WRONG /' said
rules=$(microbench show --json disk.readahead_rules | sed -n 's/.*"value": *\([0-9]*\).*/\1/p' | tail -n 1)
echo "RULES ${rules:-none} $(discnice explain 2>/dev/null | grep 'read-ahead')"

for backend in cachestat mincore nowait; do
  for block in 4096 65536 300000; do
    pagecache evict file
    rm -f report
    discnice verify --ledger=off --backend $backend --json --report report -- read_in_order file $block >/dev/null 2>said
    awk -v name="in_order/$backend/$block" -v predicted="$(field predicted_read_bytes)" -v kernel="$(field kernel_read_bytes)" \
      'BEGIN { printf "FOUND %s %s 0.5\n", name, (kernel > 0 ? sprintf("%.2f", 100 * (predicted - kernel) / kernel) : "-") }'
    [ -s report ] || sed 's/^/WRONG /' said
  done
done

# ext4 makes large folios, of up to 2^9 pages, from 6.16.
folio_order=0
if [ "$(uname -r | awk -F . '{ print 1000 * $1 + $2 }')" -ge 6016 ]; then folio_order=9; fi
queue=/sys/block/vdb/queue
for window_kb in 0 128 512 8192; do
  echo $window_kb >$queue/read_ahead_kb
  answer=$(readahead_differential file $((window_kb / 4)) $(($(cat $queue/max_sectors_kb) / 4)) $folio_order "$SEED" "$SEQUENCES" "$rules")
  echo "$answer" | grep -v ' disturbed$' | head -n 12 | sed 's/^/WRONG /'
  echo "$answer" | tail -n 1 | awk -v name="random_sequences/${window_kb}KB" -v all="$SEQUENCES" '{ printf "FOUND %s %.1f 3\n", name, 100 * (all - $1) / all }'
done
echo 128 >$queue/read_ahead_kb
