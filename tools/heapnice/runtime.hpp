// SPDX-License-Identifier: MIT
// runtime: finds which runtime a command uses: Java, Go, Node, or a runtime whose heap cannot be changed from outside.
#pragma once

#include <string>

namespace heapnice {

enum class Runtime { none, java, go, node };

/// Judges by the file that the shell would run. A script in another language is assumed to start java, since Java programs are usually started by scripts. For Runtime::none
/// `problem` gives the reason, as the end of a sentence.
Runtime find_runtime(const std::string& name, std::string& problem);

const char* name_of(Runtime runtime);

/// The file that execvp() would run; empty if there is none.
std::string find_program(const std::string& name);

}  // namespace heapnice
