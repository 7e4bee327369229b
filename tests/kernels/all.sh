#!/bin/sh
# SPDX-License-Identifier: MIT
# all: the script that a guest runs: it runs one test script after the other. A script prints "FOUND name figure bound" for each figure, in percent of error, or in the unit
# that follows; and "SERIES name x y" for each point of a curve.
export PATH=/bin:/opt/gray/bin:/opt/gray/tools LD_LIBRARY_PATH=/opt/gray/lib HOME=/tmp XDG_DATA_HOME=/tmp/parameters
cd /data || exit 1
# Prints the value of an option of script/kernels, from the kernel's command line.
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
