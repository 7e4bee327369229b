#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# html_pages_test: the pages of discnice, gbp and microbench, each of a real run, can be read on any screen, light and dark, and request nothing.
#
# How: a job that is held and recorded, a set of files of which a part is cached, and a host that was just measured are each drawn as a page. Headless Chromium opens
# each page in 400 and in 1600 pixels, light and dark, and measures the place of each text (tests/support/page_check.py). The pictures are left in tests/pages
# of the build, for a person to look at. Then the check must find the faults of a page that is spoiled on purpose. Left out: whether the figures are right,
# which the tests of each program show.
# Slow: Chromium starts eight times.
source "$(dirname "$0")/../support/discnice.bash"
need python3
need_built gbp microbench
chromium=$(type -P chromium || type -P chromium-browser || type -P google-chrome) || skip 'no chromium is installed (script/bootstrap --test)'
export XDG_DATA_HOME=$SCRATCH/parameters
readonly PAGES=$BUILD/tests/pages
mkdir -p "$PAGES" "$XDG_DATA_HOME"
cd "$SCRATCH"

make_set() {
  local i
  for i in {1..24}; do make_file "set/$i" $((i * 20000)); done
  make_file set/big 4000000
  # Characters that a name may contain.
  cp set/24 "set/"$'<b>&"quoted"\' \n\xff\xe2\x80\xaereversed'
  cp set/23 "set/$(printf 'long%.0s' {1..50})"
  sync set/*
}

draw_job() {
  local options=(--record job.record)
  [[ ! -e $LIB/libdiscnice-profile.so ]] || options+=(--profile job.folded)
  make_cold set/*
  "$DISCNICE" -q --rate 6M "${options[@]}" -- sh -c 'cp -r set copy; sleep 0.3; cat set/* >/dev/null'
  [[ ! -e job.folded ]] || options=(--profile job.folded)
  [[ -e job.folded ]] || options=()
  "$DISCNICE" report --html "$PAGES/job.html" "${options[@]}" job.record
  grep -q 'limit at the start: 6.00 MiB/s' "$PAGES/job.html" || complain 'the limit is not on the page'
  grep -q "&lt;b&gt;&amp;&quot;quoted&quot;" "$PAGES/job.html" || complain 'a file of any name is not on the page'
  if grep -q 'which did not record waits\|Nothing waited' "$PAGES/job.html"; then complain 'no wait is on the page'; fi
}

draw_set() {
  make_cold set/*
  cat set/[1-9] >/dev/null
  dd if=set/big of=/dev/null bs=64k skip=20 count=8 status=none
  "$BIN/gbp" -r --html "$PAGES/map.html" set
}

# Other programs may run at the same time: the figures do not matter here.
draw_host() {
  mkdir -p place
  "$BIN/microbench" run --quick --dir place cache_roc disk_unit disk_seek memory_touch readahead >/dev/null 2>said || complain "microbench: $(<said)"
  "$BIN/microbench" report --dir place --html "$PAGES/host.html"
  grep -q '<figure>' "$PAGES/host.html" || complain 'nothing is drawn of a host that was measured'
}

check() { python3 "$SOURCE/tests/support/page_check.py" "$chromium" "$@"; }

nothing_from_elsewhere() {
  if grep -El '(src|href)=|@import|url\(|<script' "$PAGES"/{job,map,host}.html; then complain 'these pages need something from elsewhere'; fi
}

# A text over another text, a text that is too wide, and a picture that is fetched.
spoiled_pages_are_seen() {
  sed 's|</body>|<p style="position:absolute;top:1.8rem;left:1rem">spoiled words</p><p style="white-space:nowrap">'"$(printf 'wide %.0s' {1..400})"'</p><img src="http://127.0.0.1:9/none.png"></body>|' \
    "$PAGES/map.html" >spoiled.html
  check . spoiled.html >said && complain 'a spoiled page passes'
  for words in 'lies over another' 'reaches outside' 'pixels wide' 'asks for'; do
    grep -q "$words" said || complain "a page is spoiled, and nobody says '$words': $(<said)"
  done
}

make_set
draw_job
draw_set
draw_host
nothing_from_elsewhere
check "$PAGES" "$PAGES"/{job,map,host}.html || complain 'see above'
spoiled_pages_are_seen
conclude
