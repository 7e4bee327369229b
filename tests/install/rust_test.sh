#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# rust: the crate builds against the installed library without the network, its documentation compiles, and its example reads files in gbp's order.
#
# Left out: crates.io. The crate needs no other crate, and is not published.
source "$(dirname "$0")/../support/system.bash"
source "$(dirname "$0")/../support/bindings.bash"

[[ ${GRAY_PRELOAD_WORKS:-ON} == ON ]] || skip "a program without sanitizers cannot use a library that has them"
need cargo rustc pkg-config
need_built gbp
cargo --version >"$SCRATCH/log" 2>&1 || skip "cargo does not work here: $(tail -n 1 "$SCRATCH/log")"

install_library
cp -r "$SOURCE/bindings/rust" "$SCRATCH/rust"
cd "$SCRATCH/rust"
export RUSTFLAGS="-D warnings" CARGO_TARGET_DIR=$SCRATCH/target CARGO_NET_OFFLINE=true
cargo build --quiet --release --example scan 2>"$SCRATCH/log" || fail "cargo build: $(tail -n 20 "$SCRATCH/log")"
cargo test --quiet >"$SCRATCH/log" 2>&1 || fail "cargo test: $(tail -n 20 "$SCRATCH/log")"
[[ $(ldd "$SCRATCH/target/release/examples/scan") == *"libgray.so.0 => $PREFIX/"* ]] || fail "the example uses another libgray"
check_scan "$SCRATCH/target/release/examples/scan"
