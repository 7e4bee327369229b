# SPDX-License-Identifier: MIT
# The packages that this project needs, the reason for each, and one plain message when a package is missing.
#
# The packages are looked for here once, so that every folder may name the imported targets. gray_feature_summary() prints the result.
include(FeatureSummary)
find_package(PkgConfig QUIET)

set(GRAY_MISSING "")

# gray_need(PACKAGE PURPOSE): looks for a CMake package that the build needs.
macro(gray_need package purpose)
  find_package(${package} QUIET)
  set_package_properties(${package} PROPERTIES TYPE REQUIRED PURPOSE "${purpose}")
  if(NOT ${package}_FOUND)
    list(APPEND GRAY_MISSING "${package}")
  endif()
endmacro()

# gray_like(MODULE PURPOSE): looks for an optional pkg-config module. GRAY_HAS_<MODULE> says whether it is here.
macro(gray_like module purpose)
  if(PkgConfig_FOUND)
    pkg_check_modules(${module} QUIET IMPORTED_TARGET GLOBAL ${module})
  endif()
  if(${module}_FOUND)
    set(GRAY_HAS_${module} ON)
  else()
    set(GRAY_HAS_${module} OFF)
  endif()
  add_feature_info(${module} GRAY_HAS_${module} "${purpose}")
endmacro()

gray_need(Threads "waiting without burning a processor")
gray_need(GSL "statistics of measurements, in executables only")
gray_need(CLI11 "command lines of the programs")
gray_need(fmt "text the programs print")
gray_need(nlohmann_json "JSON the programs print")
set(CURSES_NEED_NCURSES TRUE)
set(CURSES_NEED_WIDE TRUE)
gray_need(Curses "the screen of discnice top")
if(GRAY_BUILD_TESTS)
  gray_need(Catch2 "unit tests")
endif()
gray_like(libunwind "call-site profiles, in a second preload library of their own")
gray_like(fuse3 "the emulated mechanical disk of the benchmarks")

option(GRAY_WITH_UNWIND "Build the second preload library, which walks call stacks with libunwind" ${GRAY_HAS_libunwind})
if(GRAY_WITH_UNWIND AND NOT GRAY_HAS_libunwind)
  list(APPEND GRAY_MISSING "libunwind (asked for by GRAY_WITH_UNWIND)")
endif()

if(GRAY_MISSING)
  list(JOIN GRAY_MISSING ", " gray_missing_text)
  message(FATAL_ERROR "Missing on this machine: ${gray_missing_text}. Run script/bootstrap; it names or installs the packages.")
endif()

function(gray_feature_summary)
  add_feature_info(tests GRAY_BUILD_TESTS "unit, system, command-line and shape tests")
  add_feature_info(preload GRAY_PRELOAD_WORKS "a preload library that may enter any program, so not with sanitizers or coverage")
  add_feature_info(unwind GRAY_WITH_UNWIND "the second preload library, which records call sites")
  add_feature_info(coverage GRAY_COVERAGE "counting which lines run")
  add_feature_info(fuzz GRAY_FUZZ "libFuzzer in the fuzz entries")
  feature_summary(WHAT REQUIRED_PACKAGES_FOUND DESCRIPTION "Needed and found:" QUIET_ON_EMPTY)
  feature_summary(WHAT ENABLED_FEATURES DESCRIPTION "On:" QUIET_ON_EMPTY)
  feature_summary(WHAT DISABLED_FEATURES DESCRIPTION "Off:" QUIET_ON_EMPTY)
endfunction()
