/* SPDX-License-Identifier: MIT */
/* version: the version of the headers with which a program was compiled, and of the library with which it runs. */
#ifndef GRAY_VERSION_H
#define GRAY_VERSION_H

#include <gray/export.h>

#define GB_VERSION_MAJOR 0
#define GB_VERSION_MINOR 1
#define GB_VERSION_PATCH 0
#define GB_VERSION "0.1.0"

GB_BEGIN_DECLS

/** The version of the library that is running, "MAJOR.MINOR.PATCH". A constant text; any thread. */
GB_API const char* gb_version(void);

GB_END_DECLS

#endif
