/* SPDX-License-Identifier: MIT */
/* layout: where a file lies on its device (FLDC, the file layout detector of "Information and Control in
 * Gray-Box Systems", SOSP 2001, section 4.2; the paper used only i-numbers; Linux also tells the first extent; the time of the last change is a third clue).
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
  size_t size;     /**< set by the caller to sizeof(struct gb_layout_place) */
  uint64_t device; /**< st_dev */
  uint64_t inode;  /**< st_ino */
  uint64_t
      first_extent_bytes; /**< byte address of the first extent on the device; valid if has_first_extent is 1 */
  uint32_t has_first_extent; /**< 1; or 0 if the file is empty, inline or not yet written, or if the file
                                    system does not tell */
  uint32_t reserved;         /**< zero */
  int64_t modified_ns;       /**< when the file's data was last changed, nanoseconds since 1970 */
};

/** The property by which files are ordered on their device. */
typedef enum gb_order {
  GB_ORDER_AUTO = 0, /**< as gb_layout_compare(): what the file system tells */
  GB_ORDER_EXTENT =
      1, /**< by the address of the first extent; files without an extent come last, by i-number */
  GB_ORDER_INODE = 2, /**< by i-number, as in the paper */
  GB_ORDER_MTIME =
      3, /**< by the time of the last change: delayed data is laid out in the order in which it was written */
  GB_ORDER_NONE = 4 /**< no order: every file is as near as every other */
} gb_order_t;

/**
 * Finds the place of `path`. Reads no file data, forces nothing to disk, and follows symbolic links. May wait for the disk to read the file's metadata. Any number of threads may
 * call this, also after fork(). A file that may not be opened still has its i-number. On an error *place is not changed. Errors are those of stat(2); -EINVAL: an argument is
 * NULL or place->size is less than that of the first release.
 */
GB_API gb_status_t gb_layout_find(const char* path, struct gb_layout_place* place);

/** As gb_layout_find(), for an open file. Errors: as fstat(2); -EINVAL. */
GB_API gb_status_t gb_layout_find_fd(int fd, struct gb_layout_place* place);

/**
 * Returns a negative number, 0 or a positive number if `a` lies before, at or behind `b`. Files are compared by device first. On one device, files with a known first extent come
 * first, ordered by its address. The others follow, ordered by i-number. This is a total order, for use with qsort(3). NULL equals everything. Any thread.
 */
GB_API int gb_layout_compare(const struct gb_layout_place* a, const struct gb_layout_place* b);

/** As gb_layout_compare(), but compares by `order`. The device is always compared first, except for GB_ORDER_NONE, where all files are equal. Any thread. */
GB_API int gb_layout_compare_by(const struct gb_layout_place* a, const struct gb_layout_place* b,
                                gb_order_t order);

/**
 * Says which order saves time on the file system that holds `path`; never GB_ORDER_AUTO. The answer is GB_ORDER_NONE if places have no meaning there (network, memory, FUSE,
 * overlay, btrfs, ZFS and others that choose places freely), and if a seek costs little. `random_over_sequential` is the measured time to read a page in random order, divided by
 * the time in sequential order, on that device. If it was not measured, pass 0: then the kernel's flag for rotating disks decides, which is often wrong on virtual disks. Any
 * thread. On an error *order is not changed. Errors are those of statfs(2); -EINVAL.
 */
GB_API gb_status_t gb_layout_advise(const char* path, double random_over_sequential, gb_order_t* order);

GB_END_DECLS

#endif
