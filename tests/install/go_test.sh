#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# go: the package builds against the installed library without the network, vet finds nothing, and its example reads files in gbp's order.
#
# Left out: the module proxy. The package needs no other module, and is not published.
source "$(dirname "$0")/../support/system.bash"
source "$(dirname "$0")/../support/bindings.bash"

[[ ${GRAY_PRELOAD_WORKS:-ON} == ON ]] || skip "a program without sanitizers cannot use a library that has them"
need go gofmt pkg-config
need_built gbp
export GOCACHE=$SCRATCH/cache GOPATH=$SCRATCH/path GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local GOTELEMETRY=off CGO_ENABLED=1 CC=${GRAY_CC:-cc}
go version >"$SCRATCH/log" 2>&1 || skip "go does not work here: $(tail -n 1 "$SCRATCH/log")"

install_library
cp -r "$SOURCE/bindings/go" "$SCRATCH/go"
cd "$SCRATCH/go"
[[ -z $(gofmt -l .) ]] || fail "gofmt would change: $(gofmt -l .)"
go vet ./... 2>"$SCRATCH/log" || fail "go vet: $(tail -n 20 "$SCRATCH/log")"
go build -o "$SCRATCH/scan" ./examples/scan 2>"$SCRATCH/log" || fail "go build: $(tail -n 20 "$SCRATCH/log")"
[[ $(ldd "$SCRATCH/scan") == *"libgray.so.0 => $PREFIX/"* ]] || fail "the example uses another libgray"
check_scan "$SCRATCH/scan"
