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

/** Where a file lies. Order by device, then first extent where both are known, else i-number. */
struct gb_layout_place {
  size_t size;     /**< set by the caller to sizeof(struct gb_layout_place) */
  uint64_t device; /**< st_dev */
  uint64_t inode;  /**< st_ino */
  uint64_t
      first_extent_bytes; /**< address on the device of the file's first byte; only when has_first_extent */
  uint32_t
      has_first_extent; /**< 0 for empty, inline, not yet written, or where the file system does not tell */
  uint32_t reserved;
};

/**
 * Finds the place of `path`. Reads no data, forces nothing to disk, follows symbolic links. Any thread.
 * Errors: as stat(2); -EINVAL: an argument is NULL or place->size is unknown. A file that may not be opened
 * still has its i-number.
 */
GB_API gb_status_t gb_layout_find(const char* path, struct gb_layout_place* place);

/** Negative, 0 or positive as `a` lies before, at or behind `b` on disk. A total order over places; any
 * thread. */
GB_API int gb_layout_compare(const struct gb_layout_place* a, const struct gb_layout_place* b);

GB_END_DECLS

#endif
