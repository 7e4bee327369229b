/* SPDX-License-Identifier: MIT */
/* status: how every function of libgray says whether it worked. */
#ifndef GRAY_STATUS_H
#define GRAY_STATUS_H

#include <gray/export.h>

GB_BEGIN_DECLS

/** 0, or a negative errno such as -ENOENT. No function of libgray prints or exits, and none but gb_alloc()
 * and its kin, which return a pointer, sets errno as its answer. */
typedef int gb_status_t;

/** What a status means, in words. Never NULL; the text belongs to the library and is valid until the same
 * thread calls again. */
GB_API const char* gb_status_text(gb_status_t status);

GB_END_DECLS

#endif
