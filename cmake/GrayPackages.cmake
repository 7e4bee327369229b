# SPDX-License-Identifier: MIT
# How cpack packs the components: the packages' names, texts and relations. script/package and tests/install/package_test.sh call it.
#
# A component is named after its package. A package that the component does not strictly need is recommended or suggested, never required.
set(GRAY_PACKAGER "Gray Toolbox authors <authors@gray-toolbox.invalid>" CACHE STRING "Who answers for the packages: Name <address>")

set(CPACK_PACKAGE_NAME gray)
set(CPACK_PACKAGE_VENDOR "Gray Toolbox authors")
set(CPACK_PACKAGE_CONTACT "${GRAY_PACKAGER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_NAME} built using CMake")  # cpack's default; any other text would be put before each package's own text
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL libgray libgray-dev discnice gbp gray-tools)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/before_packing.cmake")
set(CPACK_GRAY_SOURCE "${PROJECT_SOURCE_DIR}")

# gray_package(COMPONENT DEB_NAME SECTION SUMMARY TEXT)
function(gray_package component name section summary text)
  string(TOUPPER "${component}" key)
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME "${name}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION "${section}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(CPACK_RPM_${key}_PACKAGE_NAME "${component}" PARENT_SCOPE)
  set(CPACK_RPM_${key}_PACKAGE_SUMMARY "${summary}" PARENT_SCOPE)
  set(CPACK_RPM_${key}_PACKAGE_DESCRIPTION "${text}" PARENT_SCOPE)
endfunction()

gray_package(libgray libgray${PROJECT_VERSION_MAJOR} libs "tells which files are cached, and gives memory that is there"
  "The C library of the Gray Toolbox. It tells an application which parts of\nits files are in the page cache and where they lie on disk, and gives it as\nmuch memory as is really there.")
gray_package(libgray-dev libgray-dev libdevel "headers of libgray"
  "What a program needs to be built with libgray: headers, the description for\npkg-config, the package for CMake and manual pages.")
gray_package(discnice discnice utils "holds the disk traffic of background programs to a rate"
  "Runs a program, unmodified and without root, and holds what it and all its\nchildren read from and write to disk to a rate, or has them give way to\nwhoever else uses the disk. What is already in memory is free.")
gray_package(gbp gbp utils "prints files in the order in which they are best read"
  "Orders files by what of them is in the page cache and by where they lie on\ndisk, so that a repeated scan reads first what is in memory. gb-grep is grep\nin that order.")
gray_package(gray-tools gray-tools utils "measures a machine, and runs programs with what others leave of it"
  "microbench measures disk, page cache and memory of a machine once, and the\nother programs of the Gray Toolbox read the figures. gb-run runs a program\nwith as much memory as is there, heapnice keeps the heap of one to that,\nmemnice runs one with memory that nobody else wants, netnice has the network\ntraffic of one give way to others, and gb-wss shows how much of its memory a\nprocess works with.")

# --- .deb
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_LIBGRAY-DEV_PACKAGE_DEPENDS "libgray${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_LIBGRAY_PACKAGE_SUGGESTS gray-tools)
set(CPACK_DEBIAN_DISCNICE_PACKAGE_RECOMMENDS libunwind8)  # discnice --profile
set(CPACK_DEBIAN_DISCNICE_PACKAGE_SUGGESTS gray-tools)    # parameters that microbench has measured on the host
set(CPACK_DEBIAN_GBP_PACKAGE_SUGGESTS gray-tools)
set(CPACK_DEBIAN_GBP_PACKAGE_CONFLICTS git-buildpackage)  # it has a program named gbp, too

# Dependency information about libgray for packagers of programs that use it. cpack's own means would describe libdiscnice.so, too, with which nothing links.
# The list of exported names gives the symbols that a program may need, and the version in which each symbol came.
file(STRINGS "${PROJECT_SOURCE_DIR}/libgray/gray.map" lines REGEX "^GRAY_|^ +gb_")
set(symbols "")
foreach(line IN LISTS lines)
  if(line MATCHES "^(GRAY_([0-9.]+)) ")
    set(node "${CMAKE_MATCH_1}")
    set(since "${CMAKE_MATCH_2}.0")
    list(APPEND symbols " ${node}@${node} ${since}")
  elseif(line MATCHES "(gb_[a-z_]+)")
    list(APPEND symbols " ${CMAKE_MATCH_1}@${node} ${since}")
  endif()
endforeach()
list(SORT symbols)
list(JOIN symbols "\n" symbols)
set(library libgray${PROJECT_VERSION_MAJOR})
file(CONFIGURE OUTPUT packages/shlibs CONTENT "libgray ${PROJECT_VERSION_MAJOR} ${library} (>= ${PROJECT_VERSION})\n")
file(CONFIGURE OUTPUT packages/triggers CONTENT "activate-noawait ldconfig\n")
file(CONFIGURE OUTPUT packages/symbols CONTENT "libgray.so.${PROJECT_VERSION_MAJOR} ${library} #MINVER#\n@symbols@\n" @ONLY)
set(CPACK_DEBIAN_LIBGRAY_PACKAGE_CONTROL_EXTRA
  "${PROJECT_BINARY_DIR}/packages/symbols" "${PROJECT_BINARY_DIR}/packages/shlibs" "${PROJECT_BINARY_DIR}/packages/triggers")

# --- .rpm
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE MIT)
set(CPACK_RPM_GRAY-TOOLS_PACKAGE_LICENSE "MIT AND GPL-3.0-or-later")
set(CPACK_RPM_LIBGRAY-DEV_PACKAGE_REQUIRES "libgray = ${PROJECT_VERSION}")
set(CPACK_RPM_DISCNICE_PACKAGE_LICENSE "MIT AND X11-distribute-modifications-variant")  # the licence of ncurses, which is linked in
set(CPACK_RPM_DISCNICE_PACKAGE_SUGGESTS "libunwind, gray-tools")
set(CPACK_RPM_SPEC_MORE_DEFINE "%global __requires_exclude ^libunwind")  # only discnice --profile needs it
set(CPACK_RPM_GBP_PACKAGE_SUGGESTS "grep, gray-tools")
set(CPACK_RPM_GBP_PACKAGE_CONFLICTS git-buildpackage)

include(CPack)

# The targets that are packed, and nothing else: a build for packages leaves out tests and benchmarks.
set(packed gray discnice discnice-policyd discnice-top discnice_preload gbp gb-grep gb-run heapnice gb-wss memnice netnice netnice_preload microbench)
if(GRAY_WITH_UNWIND)
  list(APPEND packed discnice_preload_profile)
endif()
add_custom_target(packed DEPENDS ${packed})
