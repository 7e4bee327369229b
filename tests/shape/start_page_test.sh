#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# start_page: checks that all data that the start of libdiscnice.so writes lies on one page, that the data of the first charged file lies on another page, and that the loader
# looks up few names. The reason: each page costs every exec in a job a fault or two, and each name costs a third of a microsecond.
#
# Reads headers and relocations only. Left out: other memory that a start touches. script/bench call_cost shows the cost of a start.
source "$(dirname "$0")/../support/system.bash"
need_preload  # an instrumented library has data of its own
need readelf nm
readonly PAGE_BYTES=4096
library=$LIB/libdiscnice.so
[[ -e $library ]] || skip "not built: $library"

# The sections in their order: FIRST has the data that the loader relocates, LAST the data that the constructor fills.
FIRST=.init_array
LAST=.bss.start

# address_of SECTION: prints the section's address, or nothing if there is no such section.
address_of() { readelf -SW "$library" | sed -n -E "s/^ *\[ *[0-9]+\] ${1//./\\.} +[A-Z_]+ +([0-9a-f]+) .*/\1/p"; }

last=$(address_of "$LAST")
[[ -n $last ]] || skip "the linker that was used orders nothing (tools/discnice/preload/process/start_order.ld)"
first=$(address_of "$FIRST")
[[ -n $first ]] || fail "$library has no $FIRST"
((0x$first / PAGE_BYTES == 0x$last / PAGE_BYTES)) ||
  fail "$FIRST at 0x$first and $LAST at 0x$last are on different pages: something in between has grown, or has pointers now that the loader must move"
if readelf -lW "$library" | grep -q GNU_RELRO; then fail "read-only relocations put the relocated tables on a page of their own"; fi

# The data that the first charged file writes. It may take one page, and no more.
files=$(address_of .data.files)
[[ -n $files ]] || fail "$library has no .data.files"
((0x$files % PAGE_BYTES == 0 && 0x$files + PAGE_BYTES == 0x$first)) ||
  fail ".data.files at 0x$files is more than the page in front of $FIRST at 0x$first"

# Functions are looked up at their first call. Only data is looked up at the start.
for name in $(readelf -rW "$library" | awk '$1 ~ /^[0-9a-f]+$/ && $3 !~ /RELATIVE|JUMP_SLO/ { sub(/@.*/, "", $5); print $5 }'); do
  case $name in
    stdin | stdout | stderr) ;;
    *) fail "the loader looks up $name at every start" ;;
  esac
done
if readelf -dW "$library" | grep -E 'BIND_NOW|\((INIT|FINI)\)'; then fail "all names are looked up at every start, or the compiler's start files are back"; fi
if readelf -dW "$library" | grep NEEDED | grep -v 'libc\.'; then fail "each library that is needed is looked for at every start"; fi
# The code of a start must be small: the kernel maps it with the tables in front of it, at the first one or two faults.
read -r start_bytes < <(readelf -SW "$library" | sed -n -E 's/^ *\[ *[0-9]+\] \.text\.start +[A-Z_]+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) .*/\1/p')
((0x$start_bytes <= 5 * PAGE_BYTES)) || fail "the code of a start has grown to 0x$start_bytes bytes"
# If these functions were linked directly, each start would pay for their look-up, even if they are called late or never.
if nm -uD "$library" | grep -wE 'memcpy|memcmp|strlen|strcmp|strncmp|strchr|strrchr|sigaction'; then fail "a start calls libc where preload/process/own_text.cpp or a system call would do"; fi
