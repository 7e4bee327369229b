/* SPDX-License-Identifier: MIT */
/* cache: how much of a file is in the page cache (FCCD, the file-cache content detector of "Information and
 * Control in Gray-Box Systems", SOSP 2001, section 4.1).
 *
 * The kernel's own answer is used where it gives a true one (cachestat, mincore). On files that one neither
 * owns nor may write, and on overlay, the kernel refuses or lies; there a few one-byte reads are timed. A
 * timed probe that misses reads one page, which is cached from then on.
 *
 * The answer is about an instant that has passed when it arrives: pages come and go.
 */
#ifndef GRAY_CACHE_H
#define GRAY_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include <gray/export.h>
#include <gray/status.h>

GB_BEGIN_DECLS

/** Where an answer came from, and what may be asked for. */
typedef enum gb_backend {
  GB_BACKEND_AUTO = 0,      /**< the first below that permission and a self-test allow */
  GB_BACKEND_CACHESTAT = 1, /**< the kernel's count */
  GB_BACKEND_MINCORE = 2,   /**< the kernel's map of resident pages */
  GB_BACKEND_TIMED = 3,     /**< the time of one-byte reads */
  GB_BACKEND_NONE = 4       /**< nothing could be learned; only in answers */
} gb_backend_t;

/**
 * Options of a detector. Set `size`, and the rest to zero but for what you want: zero means the default.
 * Later releases add fields at the end.
 */
struct gb_cache_options {
  size_t size;                    /**< sizeof(struct gb_cache_options) */
  uint32_t backend;               /**< a gb_backend_t, not GB_BACKEND_NONE */
  uint32_t probes_per_unit;       /**< timed probes for each prediction unit, at most 64; default 1 */
  uint64_t prediction_unit_bytes; /**< what one probe answers for; default 5 MiB, about the paper's */
  uint64_t seed;                  /**< of the random probe offsets; default: different in each detector */
  uint64_t hit_time_max_ns;       /**< a slower probe missed; default: judged against a second read */
};

/** What was found of one file. Later releases add fields at the end. */
struct gb_cache_report {
  size_t size;            /**< set by the caller to sizeof(struct gb_cache_report) */
  uint64_t size_bytes;    /**< the file's size; 0 for what is no regular file */
  double cached_fraction; /**< 0 to 1; negative: unknown (see gb_cache_inspect()) */
  uint64_t probe_time_ns; /**< sum over the timed probes that count; 0 when there were none */
  uint32_t probes;        /**< how many timed probes count */
  uint32_t backend;       /**< the gb_backend_t that answered */
};

/**
 * A detector: remembers which backends tell the truth on which device. One thread at a time; any number of
 * detectors at once. Holds no descriptor, thread or lock between calls, so that after fork() parent and child
 * may both go on with their copies.
 */
typedef struct gb_cache gb_cache_t;

/**
 * Makes a detector. `options` may be NULL: all defaults. On success *detector is the caller's, to be freed
 * with gb_cache_close(); else it is NULL. Any thread. -EINVAL: a field makes no sense; -E2BIG: an option of a
 * later release is asked for; -ENOMEM.
 */
GB_API gb_status_t gb_cache_open(const struct gb_cache_options* options, gb_cache_t** detector);

/** Frees a detector. NULL is allowed. */
GB_API void gb_cache_close(gb_cache_t* detector);

/**
 * Finds out how much of the file `path` is cached. Follows symbolic links; opens the file for reading and
 * closes it again. Timed probes use POSIX_FADV_RANDOM on that descriptor, so that no other reader's
 * read-ahead is disturbed; never page 0. May wait for the disk: a probe that misses takes one random read.
 *
 * Unknown (cached_fraction below 0, backend GB_BACKEND_NONE) is a success: what is no regular file, a file of
 * a single page where only probing is left (the probe would be the fetch), or reads that never are fast, as
 * where a file system bypasses the page cache.
 *
 * Errors, with *report left alone: as stat(2) and open(2); -EINVAL: an argument is NULL or report->size is
 * less than that of the first release; -ENOMEM.
 */
GB_API gb_status_t gb_cache_inspect(gb_cache_t* detector, const char* path, struct gb_cache_report* report);

GB_END_DECLS

#endif
