// SPDX-License-Identifier: MIT
// go_program: recognises by its file a program that Go's linker made, also if it is stripped.
//
// Programs in Go make their system calls without libc, even if they are dynamically linked. So a preloaded library is in them and sees nothing.
#pragma once

#include <istream>

#include <elf.h>

namespace discnice::processes {

/// Whether the 64-bit ELF file with that header is such a program. `header` may be any bytes. Reads the tables of headers, and the first 64 KiB of data.
bool is_go_program(std::istream& file, const Elf64_Ehdr& header);

}  // namespace discnice::processes
