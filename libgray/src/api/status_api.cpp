// SPDX-License-Identifier: MIT
// status_api: the texts of statuses, and the version.
#include <cstring>
#include <string_view>

#include "gray/status.h"
#include "gray/version.h"

extern "C" const char* gb_status_text(gb_status_t status) {
  if (status == 0) return "success";
  static thread_local char text[96];
  return strerror_r(status < 0 ? -status : status, text, sizeof text);
}

#define GB_TEXT_OF(number) #number
#define GB_TEXT(number) GB_TEXT_OF(number)
static_assert(std::string_view(GB_VERSION) ==
                  GB_TEXT(GB_VERSION_MAJOR) "." GB_TEXT(GB_VERSION_MINOR) "." GB_TEXT(GB_VERSION_PATCH),
              "the text and the numbers are one version");

extern "C" const char* gb_version(void) {
  return GB_VERSION;
}
