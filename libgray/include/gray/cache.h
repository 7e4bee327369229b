/* SPDX-License-Identifier: MIT */
/* cache: how much of a file is in the page cache (FCCD, the file-cache content detector of "Information and
 * Control in Gray-Box Systems", SOSP 2001, section 4.1).
 *
 * The kernel's own answer is used where it gives a true one (cachestat, mincore). On files that one neither
 * owns nor may write, and on overlay, the kernel refuses or lies; there a few one-byte reads are timed. A
 * timed probe that misses reads one page.
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
  GB_BACKEND_NONE = 4       /**< nothing could be learned */
} gb_backend_t;

/** Options of a detector. Zero means the default for every field but `size`. */
struct gb_cache_options {
  size_t size;                    /**< sizeof(struct gb_cache_options) */
  uint32_t backend;               /**< a gb_backend_t */
  uint32_t probes_per_unit;       /**< timed probes for each prediction unit; default 1 */
  uint64_t prediction_unit_bytes; /**< what one probe answers for; default 5 MB, the paper's */
  uint64_t seed;                  /**< of the random probe offsets; 0: different in each detector */
};

/** What was found of one file. */
struct gb_cache_report {
  size_t size;            /**< set by the caller to sizeof(struct gb_cache_report) */
  uint64_t size_bytes;    /**< the file's size */
  double cached_fraction; /**< 0 to 1; negative: unknown (nothing could be asked, or the file is too small to
                             probe) */
  uint64_t probe_time_ns; /**< sum over the timed probes; 0 when none were made */
  uint32_t probes;        /**< how many timed probes were made */
  uint32_t backend;       /**< the gb_backend_t that answered */
};

/** A detector: remembers which backends tell the truth on which device. One thread at a time; any number of
 * detectors. */
typedef struct gb_cache gb_cache_t;

/** Makes a detector. `options` may be NULL. The caller frees it with gb_cache_close(). -EINVAL: a field makes
 * no sense; -ENOMEM. */
GB_API gb_status_t gb_cache_open(const struct gb_cache_options* options, gb_cache_t** detector);

/** Frees a detector. NULL is allowed. */
GB_API void gb_cache_close(gb_cache_t* detector);

/**
 * Finds out how much of the file `path` is cached. Opens it for reading and closes it again; timed probes use
 * POSIX_FADV_RANDOM on that descriptor, so no other reader's read-ahead is disturbed. What is not a regular
 * file is reported as unknown. Errors: as open(2) and fstat(2); -EINVAL: an argument is NULL or report->size
 * is unknown.
 */
GB_API gb_status_t gb_cache_inspect(gb_cache_t* detector, const char* path, struct gb_cache_report* report);

GB_END_DECLS

#endif
