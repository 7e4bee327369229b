# SPDX-License-Identifier: MIT
# Between installing and packing (CPACK_PRE_BUILD_SCRIPTS): what a package has beside what `cmake --install` lays down.
#
# cpack installs each component into a folder of its own below CPACK_TEMPORARY_INSTALL_DIRECTORY.
find_program(GZIP gzip REQUIRED)

# The same sources give the same bytes: no name and no time of packing.
function(compress file)
  execute_process(COMMAND "${GZIP}" -9nf "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# A unit names its program's path, which is not the one of the folder it was installed into for packing.
function(mend_units root)
  file(GLOB_RECURSE units "${root}/*.service")
  foreach(unit IN LISTS units)
    file(READ "${unit}" text)
    string(REPLACE "${root}" "" text "${text}")
    file(WRITE "${unit}" "${text}")
    get_filename_component(name "${unit}" NAME)
    file(MAKE_DIRECTORY "${root}/usr/lib/systemd/user")
    file(RENAME "${unit}" "${root}/usr/lib/systemd/user/${name}")
    file(REMOVE_RECURSE "${root}/usr/share/systemd")
  endforeach()
endfunction()

function(compress_pages root)
  file(GLOB_RECURSE pages "${root}/usr/share/man/*.[1-9]")
  foreach(page IN LISTS pages)
    compress("${page}")
  endforeach()
endfunction()

# Debian's zsh looks elsewhere for what packages bring.
function(move_zsh_functions root)
  if(EXISTS "${root}/usr/share/zsh/site-functions")
    file(RENAME "${root}/usr/share/zsh/site-functions" "${root}/usr/share/zsh/vendor-completions")
  endif()
endfunction()

function(add_debian_documents root package)
  set(folder "${root}/usr/share/doc/${package}")
  file(MAKE_DIRECTORY "${folder}")
  configure_file("${CPACK_GRAY_SOURCE}/packaging/copyright" "${folder}/copyright" COPYONLY)
  configure_file("${CPACK_GRAY_SOURCE}/CHANGELOG.md" "${folder}/changelog" COPYONLY)
  set(seconds "$ENV{SOURCE_DATE_EPOCH}")
  if(NOT seconds)
    file(TIMESTAMP "${CPACK_GRAY_SOURCE}/CHANGELOG.md" seconds "%s")
  endif()
  execute_process(COMMAND date -uR -d "@${seconds}" OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE "${folder}/changelog.Debian"
    "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
    "  * Made by script/package. What changed is in changelog.gz.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  compress("${folder}/changelog")
  compress("${folder}/changelog.Debian")
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}")
  mend_units("${root}")
  compress_pages("${root}")
  if(CPACK_GENERATOR STREQUAL "DEB")
    string(TOUPPER "${component}" key)
    move_zsh_functions("${root}")
    add_debian_documents("${root}" "${CPACK_DEBIAN_${key}_PACKAGE_NAME}")
  else()
    file(MAKE_DIRECTORY "${root}/usr/share/licenses/${component}")
    configure_file("${CPACK_GRAY_SOURCE}/LICENSE" "${root}/usr/share/licenses/${component}/LICENSE" COPYONLY)
  endif()
endforeach()
