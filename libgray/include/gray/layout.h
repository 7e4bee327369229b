/* SPDX-License-Identifier: MIT */
/* layout: where a file lies on its device (FLDC, the file layout detector of "Information and Control in
 * Gray-Box Systems", SOSP 2001, section 4.2; the paper had i-numbers alone, Linux also tells the first
 * extent).
 */
#ifndef GRAY_LAYOUT_H
#define GRAY_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include <gray/export.h>
#include <gray/status.h>

GB_BEGIN_DECLS

/** Where a file lies. Later releases add fields at the end. */
struct gb_layout_place {
  size_t size;                 /**< set by the caller to sizeof(struct gb_layout_place) */
  uint64_t device;             /**< st_dev */
  uint64_t inode;              /**< st_ino */
  uint64_t first_extent_bytes; /**< byte address on the device of the first extent; if has_first_extent */
  uint32_t has_first_extent;   /**< 1, or 0 for what is empty, inline or not yet written, and where the file
                                    system does not tell */
  uint32_t reserved;           /**< zero */
};

/**
 * Finds the place of `path`. Reads no file data, forces nothing to disk, follows symbolic links; may wait for
 * the disk to read the file's metadata. Any thread, any number at once; after fork() too. A file that may not
 * be opened still has its i-number. Errors, with *place left alone: as stat(2); -EINVAL: an argument is NULL
 * or place->size is less than that of the first release.
 */
GB_API gb_status_t gb_layout_find(const char* path, struct gb_layout_place* place);

/**
 * Negative, 0 or positive as `a` lies before, at or behind `b`: by device; on a device those whose first
 * extent is known, by its address, then the others by i-number. A total order, fit for qsort(3). NULL equals
 * everything. Any thread.
 */
GB_API int gb_layout_compare(const struct gb_layout_place* a, const struct gb_layout_place* b);

GB_END_DECLS

#endif
