/* SPDX-License-Identifier: MIT */
/* levels: how many levels a store has, by how long first reads take: memory, flash, a disk, a server, each a factor slower than the one
 * before.
 *
 *   uint64_t times_ns[FILES];   // access_time_ns of gb_cache_inspect() with GB_BACKEND_TIMED
 *   gb_levels_t *levels;
 *   gb_levels_find(times_ns, FILES, 0, &levels);
 *   ... gb_levels_of(levels, times_ns[i]) ...   // 0: the fastest
 *   gb_levels_free(levels);
 *
 * The best division of the sorted times into groups, found exactly; how many groups there are is decided by Schwarz's criterion (BIC) and by the gaps
 * between them. Neither number nor times of the levels need be known.
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
  uint64_t count;     /**< how many of the times are within */
  uint64_t median_ns; /**< of these */
  uint64_t low_ns;    /**< a time from here */
  uint64_t high_ns;   /**< to here is of this level; of the last one UINT64_MAX */
};

/** The levels of a store, at most eight. Not changed once made: any number of threads. */
typedef struct gb_levels gb_levels_t;

/**
 * Divides `count` times in nanoseconds; those that are 0 are left out. Those up to `alike_ns` are of one level: give the time above which a read missed, if you know it,
 * else 0. On success *levels is the caller's, to be freed with gb_levels_free(). Takes a millisecond for 100,000 times. -EINVAL: an argument is NULL; -ENOMEM.
 */
GB_API gb_status_t gb_levels_find(const uint64_t* times_ns, size_t count, uint64_t alike_ns,
                                  gb_levels_t** levels);

/** How many there are; 0 for NULL, and where there was no time. */
GB_API size_t gb_levels_count(const gb_levels_t* levels);

/** Level number `i`, from 0, the fastest. -EINVAL: there is none, or level->size is too small. */
GB_API gb_status_t gb_levels_level(const gb_levels_t* levels, size_t i, struct gb_level* level);

/** The level of a time; 0 where there are none. */
GB_API size_t gb_levels_of(const gb_levels_t* levels, uint64_t time_ns);

/** Frees them. NULL is allowed. */
GB_API void gb_levels_free(gb_levels_t* levels);

GB_END_DECLS

#endif
