// SPDX-License-Identifier: MIT
// engine: what the transfer core asks of the engine that sees the program's calls. Each engine is linked with its own answers. Those of the preload library are in
// preload/entry/engine.cpp.
#pragma once

namespace discnice::guest::engine {

/// Called during a wait, after each part of it. Here the waiting thread may be cancelled, as in calls that wait. If it is cancelled, this does not return.
void test_cancellation();

/// From here on some calls are let through at once, so the engine may look for its quickest way to make them. Called often.
void prepare_quick_calls();

}  // namespace discnice::guest::engine
