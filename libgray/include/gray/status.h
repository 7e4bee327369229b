/* SPDX-License-Identifier: MIT */
/* status: how every function of libgray reports success or failure. */
#ifndef GRAY_STATUS_H
#define GRAY_STATUS_H

#include <gray/export.h>

GB_BEGIN_DECLS

/** 0, or a negative errno such as -ENOENT. No function of libgray prints or exits. Only gb_alloc() and the similar functions that return a pointer report an error in errno. */
typedef int gb_status_t;

/** The meaning of a status in words. Never NULL. The text belongs to the library and is valid until the same thread calls this function again. */
GB_API const char* gb_status_text(gb_status_t status);

GB_END_DECLS

#endif
