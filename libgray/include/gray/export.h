/* SPDX-License-Identifier: MIT */
/* export: how the functions of libgray are declared, in C11 and C++. */
#ifndef GRAY_EXPORT_H
#define GRAY_EXPORT_H

#if defined(__GNUC__)
#define GB_API __attribute__((visibility("default")))
#else
#define GB_API
#endif

#ifdef __cplusplus
#define GB_BEGIN_DECLS extern "C" {
#define GB_END_DECLS }
#else
#define GB_BEGIN_DECLS
#define GB_END_DECLS
#endif

#endif
