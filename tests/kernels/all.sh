#!/bin/sh
# SPDX-License-Identifier: MIT
# all: what a guest runs, one script after the other. A script says "FOUND name figure bound" for each figure, in percent off, or in the unit that follows;
# "SERIES name x y" for each point of a curve.
export PATH=/bin:/opt/gray/bin:/opt/gray/tools LD_LIBRARY_PATH=/opt/gray/lib HOME=/tmp XDG_DATA_HOME=/tmp/parameters
cd /data || exit 1
# What script/kernels was asked for.
asked() { sed "s/.*gray.$1=\([a-z0-9_]*\).*/\1/" /proc/cmdline; }
IS_SHORT=$(asked short)
SEQUENCES=$(asked sequences)
SEED=$(asked seed)
export IS_SHORT SEQUENCES SEED
uname -r
now_s() { cut -d . -f 1 /proc/uptime; }
for script in /tests/[0-9]*"$(asked only)"*.sh; do
  grep -q '^# clock: counted' "$script" && clock=counted || clock=plain
  [ "$clock" = "$(asked clock)" ] || continue
  start=$(now_s)
  sh "$script"
  echo "TOOK $script $(($(now_s) - start)) s"
done
echo 'ALL DONE'
