/* SPDX-License-Identifier: MIT */
/* levels: finds the levels of storage from the times of first reads: memory, flash, a disk, a server. Each level is several times slower than the level before.
 *
 *   uint64_t times_ns[FILES];   // access_time_ns of gb_cache_inspect() with GB_BACKEND_TIMED
 *   gb_levels_t *levels;
 *   gb_levels_find(times_ns, FILES, 0, &levels);
 *   ... gb_levels_of(levels, times_ns[i]) ...   // 0: the fastest
 *   gb_levels_free(levels);
 *
 * The library finds the best division of the sorted times into groups exactly. Schwarz's criterion (BIC) and the gaps between the groups decide how many groups there are. The
 * caller need not know the number of levels, or their times.
 */
#ifndef GRAY_LEVELS_H
#define GRAY_LEVELS_H

#include <stddef.h>
#include <stdint.h>

#include <gray/export.h>
#include <gray/status.h>

GB_BEGIN_DECLS

/** One level. Later releases add fields at the end. */
struct gb_level {
  size_t size;        /**< set by the caller to sizeof(struct gb_level) */
  uint64_t count;     /**< how many of the times are in the level */
  uint64_t median_ns; /**< the median of these times */
  uint64_t low_ns;    /**< the lower bound of the level */
  uint64_t high_ns;   /**< the upper bound of the level; UINT64_MAX for the last level */
};

/** The levels of storage, at most eight. They never change, so any number of threads may use them. */
typedef struct gb_levels gb_levels_t;

/**
 * Divides `count` times in nanoseconds into levels. Times that are 0 are left out. All times up to `alike_ns` belong to one level: give the time above which a read counts as a
 * miss, if you know it, else 0. On success *levels belongs to the caller, who frees it with gb_levels_free(). Takes a millisecond for 100,000 times. -EINVAL: an argument is
 * NULL; -ENOMEM.
 */
GB_API gb_status_t gb_levels_find(const uint64_t* times_ns, size_t count, uint64_t alike_ns,
                                  gb_levels_t** levels);

/** The number of levels; 0 for NULL, and if no time was given. */
GB_API size_t gb_levels_count(const gb_levels_t* levels);

/** Level number `i`, from 0, the fastest. -EINVAL: there is none, or level->size is too small. */
GB_API gb_status_t gb_levels_level(const gb_levels_t* levels, size_t i, struct gb_level* level);

/** The level of a time; 0 if there are no levels. */
GB_API size_t gb_levels_of(const gb_levels_t* levels, uint64_t time_ns);

/** Frees the levels. NULL is allowed. */
GB_API void gb_levels_free(gb_levels_t* levels);

GB_END_DECLS

#endif
