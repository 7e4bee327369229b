# SPDX-License-Identifier: MIT
# How every target of this project is compiled: one place for language level, warnings, visibility, sanitizers and output
# folders.
#
#   gray_library(NAME SOURCES...)        a static layer library, position independent
#   gray_host_safe(NAME)                 marks a layer that may run inside the program that loads the library: no exceptions, no RTTI
#   gray_program(NAME SOURCES...)        an installed executable in build/<preset>/bin
#   gray_finds_library(SOURCE FOLDER FILE)   tells the source where that preload library is installed
#   gray_completions(NAME)               the completion files of that program for bash, zsh and fish, printed by the program itself

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/archive")

add_library(gray_options INTERFACE)
target_include_directories(gray_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(gray_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wcast-qual -Wformat=2 -Wundef
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual>
  $<$<BOOL:${GRAY_WARNINGS_AS_ERRORS}>:-Werror>)
target_compile_definitions(gray_options INTERFACE _GNU_SOURCE)

# Every object must be compiled with the sanitizers, or calls between objects with and without them lose their checks.
if(GRAY_SANITIZE)
  target_compile_options(gray_options INTERFACE -fsanitize=${GRAY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(gray_options INTERFACE -fsanitize=${GRAY_SANITIZE})
endif()
# gcc warns that this sanitizer does not model fences. This project's fences stand between atomic fields only, where the sanitizer has no race to miss.
if(GRAY_SANITIZE MATCHES "thread")
  target_compile_options(gray_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
endif()
if(GRAY_COVERAGE)
  target_compile_options(gray_options INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(gray_options INTERFACE --coverage)
endif()
if(GRAY_FUZZ)
  target_compile_options(gray_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# A program that must cost less than it saves has to start quickly. So it links the C++ library statically: to find, bind and page in the shared library
# takes longer than all the work of gbp on one file, and static linking leaves out unused code. libc stays
# shared, so that a library can be preloaded into the program. Sanitizers and coverage bring a run-time of their own, which is shared;
# and some systems do not install the archive with the compiler.
include(CheckLinkerFlag)
include(CheckIncludeFile)
check_linker_flag(CXX -static-libstdc++ GRAY_HAS_STATIC_CXX)
check_include_file(sys/single_threaded.h GRAY_HAS_SINGLE_THREADED)
if(GRAY_PRELOAD_WORKS AND GRAY_HAS_STATIC_CXX)
  set(GRAY_QUICK_START -static-libstdc++ "LINKER:--as-needed" "LINKER:--gc-sections")
else()
  set(GRAY_QUICK_START "")
endif()
# A compiler of a newer glibc has a libgcc archive that needs that glibc (_dl_find_object, of 2.35). The shared libgcc fits the glibc that is linked.
if(GRAY_QUICK_START AND GRAY_HAS_SINGLE_THREADED)
  list(APPEND GRAY_QUICK_START -static-libgcc)
endif()

# A program with the C++ library linked in needs functions that a glibc before 2.32 does not have (packaging/old_glibc.c).
add_library(gray_old_glibc OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/packaging/old_glibc.c")
function(gray_bring_old_glibc name)
  if(NOT GRAY_HAS_SINGLE_THREADED)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:gray_old_glibc>)
  endif()
endfunction()

# With GRAY_PRECOMPILE the headers of the C++ library are compiled once for libraries and once for programs, whose code is placed in another way. Not for host-safe layers, whose
# options are others. fmt's headers are not among them, because only some targets have its definitions, nor is <filesystem>, whose std::quoted() would hide quoted() of a source.
# It is meant for clang: gcc 12 with it takes the library's code for the project's, and warns of it.
if(GRAY_PRECOMPILE)
  set(headers_source "${CMAKE_BINARY_DIR}/precompiled_headers.cpp")
  file(GENERATE OUTPUT "${headers_source}" CONTENT "int main() {}\n")
  add_library(gray_library_headers OBJECT "${headers_source}")
  add_executable(gray_program_headers "${headers_source}")
  foreach(headers IN ITEMS gray_library_headers gray_program_headers)
    target_link_libraries(${headers} PRIVATE gray_options)
    target_precompile_headers(${headers} PRIVATE <algorithm> <atomic> <cerrno> <charconv> <cmath> <csignal> <cstdint> <cstdio> <cstdlib> <cstring> <fstream>
      <functional> <map> <memory> <optional> <set> <sstream> <string> <string_view> <thread> <utility> <vector>)
  endforeach()
endif()

# gray_precompile(NAME library|program)
function(gray_precompile name kind)
  if(GRAY_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM gray_${kind}_headers)
  endif()
endfunction()

function(gray_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC gray_options)
  gray_precompile(${name} library)
endfunction()

function(gray_host_safe name)
  set_target_properties(${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti -fno-threadsafe-statics>)
endfunction()

function(_gray_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE gray_options)
  gray_precompile(${name} program)
  target_link_options(${name} PRIVATE ${GRAY_QUICK_START})
  gray_bring_old_glibc(${name})
endfunction()

function(gray_program name)
  _gray_program(${name} ${ARGN})
  install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endfunction()

# gray_part_of(PROGRAM NAME SOURCE...): a program that only PROGRAM starts.
function(gray_part_of program name)
  _gray_program(${name} ${ARGN})
  install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/${program}")
endfunction()

# gray_finds_library(SOURCE FOLDER FILE): the place is given relative to the folder of programs, so it stays right when a prefix is given at install time, and when the tree is
# moved; and as configured, for the case that only one of the two was moved.
function(gray_finds_library source folder file)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_FULL_BINDIR}" OUTPUT_VARIABLE libdir_from_bindir)
  set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS
    "GRAY_LIBRARY_FROM_PROGRAM=\"${libdir_from_bindir}/${folder}/${file}\";GRAY_INSTALLED_LIBRARY=\"${CMAKE_INSTALL_FULL_LIBDIR}/${folder}/${file}\"")
endfunction()

# gray_completions(PROGRAM): installs the completion file that the program prints for each shell, in the same component as the other files of its folder. A cross-build cannot
# run the program.
function(gray_completions name)
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  set(folder "${CMAKE_BINARY_DIR}/completions")
  set(bash_place "${folder}/${name}.bash" "bash-completion/completions" "${name}")
  set(zsh_place "${folder}/_${name}" "zsh/site-functions" "_${name}")
  set(fish_place "${folder}/${name}.fish" "fish/vendor_completions.d" "${name}.fish")
  foreach(shell IN ITEMS bash zsh fish)
    list(POP_FRONT ${shell}_place script place as)
    add_custom_command(OUTPUT "${script}"
      COMMAND ${CMAKE_COMMAND} -E make_directory "${folder}"
      COMMAND ${name} --completion ${shell} > "${script}"
      DEPENDS ${name} VERBATIM)
    list(APPEND scripts "${script}")
    install(FILES "${script}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${place}" RENAME "${as}")
  endforeach()
  add_custom_target(${name}-completions ALL DEPENDS ${scripts})
endfunction()
