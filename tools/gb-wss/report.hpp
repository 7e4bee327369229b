// SPDX-License-Identifier: MIT
// report: prints the results for a person, or as JSON.
#pragma once

#include <string>

#include "tools/gb-wss/sampler.hpp"

namespace gb_wss {

/// Pure.
std::string text_report(const Sampling& sampling);
std::string json_report(const Sampling& sampling);

/// The doubts about the figures of a process, a sentence each: whether they are too high or too low, and why. Pure.
std::vector<std::string> doubts_in_words(const Process& process);

}  // namespace gb_wss
