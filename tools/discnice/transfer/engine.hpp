// SPDX-License-Identifier: MIT
// engine: what the transfer code asks of the engine that sees the program's calls. Each engine is linked with its own answers. Those of the preload library are in
// preload/entry/engine.cpp.
#pragma once

namespace discnice::guest::engine {

/// Called after each slice of a wait, because a waiting call must be a cancellation point. Does not return when the thread is cancelled here.
void test_cancellation();

/// From here on some calls are made without a prediction, so the engine may look for its quickest way to make them. This function is called often.
void prepare_quick_calls();

}  // namespace discnice::guest::engine
