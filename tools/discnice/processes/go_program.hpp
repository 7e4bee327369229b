// SPDX-License-Identifier: MIT
// go_program: recognises a program that Go's linker made, by its file, also when it is stripped.
//
// Go's own programs make their system calls without libc, also when they are dynamically linked. So a preloaded library is loaded into them and sees nothing.
#pragma once

#include <istream>

#include <elf.h>

namespace discnice::processes {

/// Whether the 64-bit ELF file with that header is such a program. Any bytes are accepted. Reads the tables of headers, and the first 64 KiB of data.
bool is_go_program(std::istream& file, const Elf64_Ehdr& header);

}  // namespace discnice::processes
