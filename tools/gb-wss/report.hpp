// SPDX-License-Identifier: MIT
// report: the results of a watch, as text for a person or as JSON.
#pragma once

#include <string>

#include "tools/gb-wss/sampler.hpp"

namespace gb_wss {

/// Pure.
std::string text_report(const Sampling& sampling);
std::string json_report(const Sampling& sampling);

/// What is wrong with the figures of a process, one sentence each: in which direction they are wrong, and why. Pure.
std::vector<std::string> doubts_in_words(const Process& process);

}  // namespace gb_wss
