// SPDX-License-Identifier: MIT
// runtime: whose heap a command has: Java's, Go's, Node's, or one that nobody can move from outside.
#pragma once

#include <string>

namespace heapnice {

enum class Runtime { none, java, go, node };

/// Judged by the file that the shell would run. A script in another language is taken for one that starts a java, since these are as a rule started so.
/// `problem` says of Runtime::none why, as the end of a sentence.
Runtime find_runtime(const std::string& name, std::string& problem);

const char* name_of(Runtime runtime);

/// The file that execvp() would run; empty where there is none.
std::string find_program(const std::string& name);

}  // namespace heapnice
