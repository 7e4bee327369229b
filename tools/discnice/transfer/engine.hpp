// SPDX-License-Identifier: MIT
// engine: what the transfer core asks of the engine that sees the program's calls. Each engine is linked with its own answers; the preload library's are
// in preload/entry/engine.cpp.
#pragma once

namespace discnice::guest::engine {

/// Called in a wait, after each part of it: a place where the waiting thread may be cancelled, as in the calls that wait. May not return then.
void test_cancellation();

/// From here on some calls are let through at once: the engine may look for its quickest way to make them. Called often.
void prepare_quick_calls();

}  // namespace discnice::guest::engine
