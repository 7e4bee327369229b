// SPDX-License-Identifier: MIT
// engine: the functions that the transfer code needs from the engine that sees the program's calls. Each engine is linked with its own version of these
// functions. The version of the preload library is in preload/entry/engine.cpp.
#pragma once

namespace discnice::guest::engine {

/// Called after each slice of a wait, because a waiting call must be a cancellation point. Does not return when the thread is cancelled here.
void test_cancellation();

/// Notes that some calls are made without a prediction from now on, so the engine may prepare its quickest way to make them. This function is
/// called often.
void prepare_quick_calls();

}  // namespace discnice::guest::engine
