/* SPDX-License-Identifier: MIT */
/* order: the order in which files are best read, and the known facts about each file. It combines FCCD and FLDC, as the "gray-box probe" gbp(1) does
 * ("Information and Control in Gray-Box Systems", SOSP 2001, sections 4.1 and 4.2).
 *
 *   gb_order_list_t *list;
 *   if (gb_order_find(paths, count, NULL, &list) == 0) {
 *     for (size_t rank = 0; rank < gb_order_count(list); ++rank) {
 *       struct gb_order_file file = {.size = sizeof file};
 *       if (gb_order_at(list, rank, &file) == 0 && file.error == 0) read_it(paths[file.input]);
 *     }
 *     gb_order_free(list);
 *   }
 *
 * Cached files come first, so that they are not evicted before their turn. The other files follow in the order in which they lie on their disk. A small file that lacks a page is
 * placed among the uncached files. There it is wholly cached after one pass. Among the uncached files, those of the fastest storage come first (gray/levels.h).
 *
 * The answer describes a moment that is over when the caller gets the answer. So read soon, and ask again for the next pass. For the parts of
 * one file see gb_cache_plan_file().
 */
#ifndef GRAY_ORDER_H
#define GRAY_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include <gray/cache.h>
#include <gray/export.h>
#include <gray/layout.h>
#include <gray/status.h>

GB_BEGIN_DECLS

/** The property by which files are ordered. */
typedef enum gb_order_mode {
  GB_ORDER_COMPOSE = 0,  /**< by the cache, and within a group as they lie on disk */
  GB_ORDER_BY_CACHE = 1, /**< by the cache alone */
  GB_ORDER_BY_PLACE = 2  /**< as they lie on disk alone */
} gb_order_mode_t;

/** Facts to find out even if the order does not need them, and changes to the order. */
typedef enum gb_order_flag {
  GB_ORDER_TELL_CACHE = 1, /**< find out how much is cached, also with GB_ORDER_BY_PLACE */
  GB_ORDER_TELL_PLACE =
      2, /**< find the first extent where an order by extents saves time, also with GB_ORDER_BY_CACHE */
  GB_ORDER_TELL_EXTENT = 4, /**< find the first extent on every device */
  GB_ORDER_TELL_LEVELS =
      8, /**< find the levels of the store, also if there is one device and no read was timed; reads up to three pages of the device */
  GB_ORDER_BY_FOLDER =
      16 /**< instead of the disk's order: the files of one folder together, the folders in the order of `paths` */
} gb_order_flag_t;

/** Set `size` and the members that you want, and set all others to zero. Zero means the default. Later releases add fields at the end. */
struct gb_order_options {
  size_t size;   /**< sizeof(struct gb_order_options) */
  uint32_t mode; /**< a gb_order_mode_t */
  uint32_t
      order; /**< a gb_order_t: what "as they lie on disk" means. GB_ORDER_AUTO: what saves time on each device */
  uint32_t flags;    /**< gb_order_flag_t, or-ed */
  uint32_t reserved; /**< zero */
  gb_cache_t*
      detector; /**< to look with, the caller's; used by this call alone meanwhile. Default: one of all defaults that remembers its probes where
                             gbp(1) of this user does. Is not made to probe for GB_ORDER_BY_PLACE */
  /** Called once for each device for which an order is needed, with a file on that device. It returns the time to read a page in random order, divided by the time in sequential
   * order; 0: not measured. Default: the value that microbench(1) measured. Must not throw or leave by longjmp(). */
  double (*random_over_sequential)(void* context, const char* path);
  /** Called from time to time with the number of files that were looked at. A result that is not 0 ends the call with -ECANCELED. Default: none. Must not throw or leave by
   * longjmp(). */
  int (*progress)(void* context, size_t looked_at);
  void* context; /**< passed unchanged to random_over_sequential() and progress() */
};

/** A file at its place in the order, and the known facts about it. Later releases add fields at the end. */
struct gb_order_file {
  size_t size;  /**< set by the caller to sizeof(struct gb_order_file) */
  size_t input; /**< the file's place in `paths`, from 0 */
  gb_status_t
      error; /**< 0, or why the file could not be looked at: as stat(2) and open(2); -EISDIR; -EOPNOTSUPP, a pipe or socket; -EINVAL, its path was NULL. If it is not 0,
                                  the members below mean nothing */
  uint32_t
      backend; /**< the gb_backend_t that told what is cached; GB_BACKEND_NONE: not known what is cached */
  double cached_fraction; /**< 0 to 1; negative: unknown, or not asked for */
  double confidence;      /**< as in struct gb_cache_report */
  int64_t
      cached_bytes; /**< how many of size_bytes are cached; -1: unknown. Computed from the share, which has seven digits */
  uint64_t size_bytes; /**< 0 for what is no regular file */
  uint64_t
      access_time_ns; /**< how long a first read takes: timed, or the usual time on the file's device; 0: not known */
  uint64_t
      device; /**< st_dev; this and what follows: 0 where nothing is to be gained by a place, and none was looked for */
  uint64_t inode;              /**< st_ino */
  uint64_t first_extent_bytes; /**< byte address on the device; valid if has_first_extent is 1 */
  uint32_t
      has_first_extent; /**< 1; or 0: the file has no extent, the file system does not tell, or the extent was not asked for */
  uint32_t order; /**< the gb_order_t that is used on the file's device; never GB_ORDER_AUTO */
  uint32_t
      level; /**< the file's level of the store, from 0, the fastest, as gb_order_level_at() numbers the levels; gb_order_level_count(): the level is not known */
  uint32_t
      is_cached; /**< 1: a cached file by itself, whatever is missing of the others: as a whole, or half of it and 4 MiB at least */
  int64_t modified_ns; /**< when the file's data was last changed, nanoseconds since 1970 */
};

/** Which kind of times a level has. */
typedef enum gb_level_kind {
  GB_LEVEL_MEMORY = 1, /**< the times of a cached read */
  GB_LEVEL_FLASH = 2,  /**< up to a millisecond */
  GB_LEVEL_DISK = 3,   /**< up to 20 ms */
  GB_LEVEL_SERVER = 4  /**< longer, or a server answers for the file system */
} gb_level_kind_t;

/** A level of the storage that holds the files. Later releases add fields at the end. */
struct gb_order_level {
  size_t size;        /**< set by the caller to sizeof(struct gb_order_level) */
  uint32_t kind;      /**< a gb_level_kind_t */
  uint32_t reserved;  /**< 0 */
  uint64_t files;     /**< how many of the files are in the level */
  uint64_t bytes;     /**< how many bytes these files have */
  uint64_t median_ns; /**< the median time of a first read */
  uint64_t low_ns;    /**< the shortest of the files' times */
  uint64_t high_ns;   /**< the longest of the files' times */
};

/** The files in their order. A list never changes, so any number of threads may use it. After fork() each of the two processes has its own list. */
typedef struct gb_order_list gb_order_list_t;

/**
 * Examines each of `count` files and puts the files in the order in which they are best read. `paths` is read during the call alone. `options` may be NULL: all
 * defaults. On success *list is the caller's, to be freed with gb_order_free(); else it is NULL.
 *
 * A file that cannot be looked at does not fail the call: the file has an error, and comes last. Files with equal rank keep the order of `paths`. Files whose
 * cached share is unknown come behind the other files. The call takes some microseconds and 72 bytes for each file. It may wait for the disk: for the files'
 * metadata, and for probes, as gb_cache_inspect().
 *
 * Any number of threads may call this at once, each with a detector of its own, also after fork(). The call holds up to two descriptors. -EINVAL: an argument is NULL or not valid;
 * -E2BIG: an option of a later release is asked for; -ENOMEM; -ECANCELED: `progress` returned a value other than 0.
 */
GB_API gb_status_t gb_order_find(const char* const* paths, size_t count,
                                 const struct gb_order_options* options, gb_order_list_t** list);

/** The number of files, including files with an error; 0 for NULL. */
GB_API size_t gb_order_count(const gb_order_list_t* list);

/** The file that is best read as number `rank`, from 0. -EINVAL: there is none, or file->size is less than that of the first release. */
GB_API gb_status_t gb_order_at(const gb_order_list_t* list, size_t rank, struct gb_order_file* file);

/** The number of levels that were found, at most eight; 0 for NULL, and if levels were not looked for. */
GB_API size_t gb_order_level_count(const gb_order_list_t* list);

/** Level number `i`, from 0, the fastest. -EINVAL: there is none, or level->size is less than that of the first release. */
GB_API gb_status_t gb_order_level_at(const gb_order_list_t* list, size_t i, struct gb_order_level* level);

/** Frees a list. NULL is allowed. */
GB_API void gb_order_free(gb_order_list_t* list);

GB_END_DECLS

#endif
