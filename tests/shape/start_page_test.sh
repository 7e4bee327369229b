#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# start_page: all data that a start of libdiscnice.so writes lies on one page, for each page costs every exec in a job a fault or two.
#
# Reads the section headers only. Whether a start touches something else besides is not seen here; script/bench call_cost shows what it costs.
source "$(dirname "$0")/../support/system.bash"
need_preload  # an instrumented library has data of its own
need readelf
readonly PAGE_BYTES=4096
library=$LIB/libdiscnice.so
[[ -e $library ]] || skip "not built: $library"

# From first to last: what the loader relocates, then what the constructor fills.
FIRST=.init_array
LAST=.bss.start

# address_of SECTION: where it begins; nothing when there is none.
address_of() { readelf -SW "$library" | sed -n -E "s/^ *\[ *[0-9]+\] ${1//./\\.} +[A-Z_]+ +([0-9a-f]+) .*/\1/p"; }

last=$(address_of "$LAST")
[[ -n $last ]] || skip "the linker that was used orders nothing (tools/discnice/shim/start_order.ld)"
first=$(address_of "$FIRST")
[[ -n $first ]] || fail "$library has no $FIRST"
((0x$first / PAGE_BYTES == 0x$last / PAGE_BYTES)) ||
  fail "$FIRST at 0x$first and $LAST at 0x$last are on different pages: something in between has grown, or has pointers now that the loader must move"
if readelf -lW "$library" | grep -q GNU_RELRO; then fail "read-only relocations put the relocated tables on a page of their own"; fi
