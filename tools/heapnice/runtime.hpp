// SPDX-License-Identifier: MIT
// runtime: finds out which runtime a command has: Java, Go, Node, or one whose heap cannot be changed from outside.
#pragma once

#include <string>

namespace heapnice {

enum class Runtime { none, java, go, node };

/// Judges the file that the shell would run. For a script in another language it assumes that the script starts a java, because java programs are usually started so. For
/// Runtime::none, `problem` says why, as the end of a sentence.
Runtime find_runtime(const std::string& name, std::string& problem);

const char* name_of(Runtime runtime);

/// The file that execvp() would run; empty if there is none.
std::string find_program(const std::string& name);

}  // namespace heapnice
