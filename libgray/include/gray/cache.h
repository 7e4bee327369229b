/* SPDX-License-Identifier: MIT */
/* cache: how much of a file, or of each part of it, is in the page cache (FCCD, the file-cache content detector of
 * "Information and Control in Gray-Box Systems", SOSP 2001, section 4.1).
 *
 * The kernel's own answer is used if it is true (cachestat, mincore). For files that the user neither owns nor may write, and on overlay, the kernel refuses or gives a wrong
 * answer. There a few pages are probed. A probe finds out one of these: whether a read would wait (RWF_NOWAIT), which pages are also mapped at a page fault
 * (fault-around), or how long a read of one byte takes. A probe that misses brings one page into the cache.
 *
 * The answer describes a moment that has passed when it arrives, because pages come and go.
 */
#ifndef GRAY_CACHE_H
#define GRAY_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include <gray/export.h>
#include <gray/status.h>

GB_BEGIN_DECLS

/** The way in which an answer is found. A caller may also ask for one way. */
typedef enum gb_backend {
  GB_BACKEND_AUTO = 0,      /**< the first way below that permission and a self-test allow */
  GB_BACKEND_CACHESTAT = 1, /**< the kernel's count */
  GB_BACKEND_MINCORE = 2,   /**< the kernel's map of resident pages */
  GB_BACKEND_END = 3,       /**< what mapping the last 15 pages shows; reads none of them */
  GB_BACKEND_NOWAIT = 4,    /**< whether one-byte reads would have to wait */
  GB_BACKEND_FAULT = 5,     /**< which pages are mapped along with one that is touched */
  GB_BACKEND_TIMED = 6,     /**< the time of one-byte reads */
  GB_BACKEND_NONE = 7       /**< nothing could be learned; only in answers */
} gb_backend_t;

/**
 * Options of a detector. Set `size` and the members that you want, and set all others to zero. Zero means the default.
 * Later releases add fields at the end.
 */
struct gb_cache_options {
  size_t size;              /**< sizeof(struct gb_cache_options) */
  uint32_t backend;         /**< a gb_backend_t, not GB_BACKEND_NONE */
  uint32_t probes_per_unit; /**< probes for each prediction unit, at most 64; default 1. Where
                                 these are two or less, others are made until two more say one thing than the other */
  uint64_t
      prediction_unit_bytes; /**< what one probe answers for; default: as microbench(1) measured the device, else
                                       5 MiB, about the paper's */
  uint64_t seed;             /**< of the random probe offsets; default: different in each detector */
  uint64_t
      hit_time_max_ns; /**< a slower timed probe missed; default: as microbench(1) measured the device, else
                                       from a cached read that is timed when it is first needed */
  uint64_t
      probe_budget_bytes; /**< probing ends when its misses have brought in so many bytes; less than a page: nothing
                                       is read, and only what the kernel counts or shows is known; default 256 MiB */
  const char* memory_path; /**< file that remembers, for ten minutes and for all detectors of this user, which
                                       pages are cached because they were probed; made when it is not there. Default:
                                       each detector remembers its own. Read in gb_cache_open() only */
};

/** What was found of one file. Later releases add fields at the end. */
struct gb_cache_report {
  size_t size;            /**< set by the caller to sizeof(struct gb_cache_report) */
  uint64_t size_bytes;    /**< the file's size; 0 for what is no regular file */
  double cached_fraction; /**< 0 to 1; negative: unknown (see gb_cache_inspect()) */
  uint64_t probe_time_ns; /**< the sum over the timed probes that were used; 0 when there were none */
  uint32_t probes;        /**< how many probes were used for the answer */
  uint32_t backend;       /**< the gb_backend_t that answered */
  double
      confidence; /**< 1: counted; else 1 less two standard deviations of the share that this number of probes gives;
                               0: unknown */
  uint64_t access_time_ns; /**< how long a first read took: the median of the timed probes that say what
                               cached_fraction says; 0: none was timed. gb_levels_find() tells memory, disks and
                               servers apart by it */
};

/**
 * A detector remembers which backends give true answers on which device. It may be used by one thread at a time. Any number of detectors may exist at once. It holds no
 * descriptor, thread or lock between calls, so after fork() parent and child may both go on with their copies.
 */
typedef struct gb_cache gb_cache_t;

/**
 * Makes a detector. `options` may be NULL: all defaults. On success *detector is the caller's, to be freed
 * with gb_cache_close(); else it is NULL. Any thread. -EINVAL: a field is not valid; -E2BIG: an option of a later release is asked for; -ENOMEM.
 */
GB_API gb_status_t gb_cache_open(const struct gb_cache_options* options, gb_cache_t** detector);

/** Frees a detector. NULL is allowed. */
GB_API void gb_cache_close(gb_cache_t* detector);

/**
 * Finds out how much of the file `path` is cached. Follows symbolic links; opens the file for reading and
 * closes it again. Timed probes use POSIX_FADV_RANDOM on that descriptor, so that no other reader's
 * read-ahead is disturbed. Page 0 is never probed. May wait for the disk: a probe that misses takes one random read.
 *
 * An unknown answer (cached_fraction below 0, backend GB_BACKEND_NONE) is a success. It is given for anything but a regular file. It is given for a file of one page that could
 * only be probed by reading, because the probe would read the whole file. And it is given if reads are never fast, for example on a file system that bypasses the page cache.
 *
 * On an error *report is not changed. The errors are the errors of stat(2) and open(2). -EINVAL: an argument is NULL or
 * report->size is less than that of the first release; -ENOMEM.
 */
GB_API gb_status_t gb_cache_inspect(gb_cache_t* detector, const char* path, struct gb_cache_report* report);

/**
 * As gb_cache_inspect(), for a file that is open for reading. The call may change the descriptor's access pattern (POSIX_FADV_RANDOM), but not its position. Errors: as fstat(2);
 * -EINVAL; -ENOMEM.
 */
GB_API gb_status_t gb_cache_inspect_fd(gb_cache_t* detector, int fd, struct gb_cache_report* report);

/** How long it would take now to read a part of a file in order. Later releases add fields at the end. */
struct gb_cache_prediction {
  size_t size;            /**< set by the caller to sizeof(struct gb_cache_prediction) */
  uint64_t missing_bytes; /**< how many bytes of the part are not cached */
  double access_ns;       /**< to get to what is missing; 0: not known, and nothing is missing */
  double bytes_per_s;     /**< the speed of the device, read in order; 0: not known */
  double
      read_ns; /**< the time for the whole part: reaching the missing bytes once, reading them, and reading the cached bytes */
};

/**
 * Learns how fast the device of an open file is. If at most a tenth of the first `bytes_max` bytes of the file is cached, this function reads up to `bytes_max` bytes from the
 * beginning of the file, in order, and measures the time. *bytes is the number of bytes read; 0 means that nothing was learned from the file. A few files of a
 * device give a better value than one file. The read pages stay in the cache and count against probe_budget_bytes. The call changes the descriptor's access
 * pattern, but not its position. Errors: as fstat(2) and pread(2); -EINVAL: an argument is NULL.
 */
GB_API gb_status_t gb_cache_learn_fd(gb_cache_t* detector, int fd, uint64_t bytes_max, uint64_t* bytes);

/**
 * Predicts how long reading `length_bytes` of an open file from `offset_bytes` on would take now. The speed of the device is the speed that gb_cache_learn_fd()
 * found, or else the speed that microbench(1) measured. Looks at the cache as gb_cache_inspect_fd() does. -ENODATA: some bytes are not cached and the speed of
 * the device is unknown, or the cached pages cannot be found. Other errors are those of fstat(2), and -EINVAL.
 */
GB_API gb_status_t gb_cache_predict_fd(gb_cache_t* detector, int fd, uint64_t offset_bytes,
                                       uint64_t length_bytes, struct gb_cache_prediction* prediction);

/** The source of a setting. */
typedef enum gb_origin {
  GB_ORIGIN_LIBRARY = 0, /**< the library's own default */
  GB_ORIGIN_CALLER = 1,  /**< the caller's options */
  GB_ORIGIN_RECORD = 2,  /**< the record of this host that microbench(1) keeps, or a GRAY_PARAM_ variable */
  GB_ORIGIN_NOW = 3      /**< measured just now, in microseconds: the record does not have it */
} gb_origin_t;

/** The settings that a detector uses on one device. Later releases add fields at the end. */
struct gb_cache_settings {
  size_t size;                     /**< set by the caller to sizeof(struct gb_cache_settings) */
  uint64_t prediction_unit_bytes;  /**< what one probe answers for */
  uint64_t hit_time_max_ns;        /**< a slower timed probe missed; 0: judged against a second read */
  uint64_t access_unit_bytes;      /**< length of the parts of gb_cache_plan_file() */
  uint32_t prediction_unit_origin; /**< a gb_origin_t */
  uint32_t hit_time_origin;        /**< a gb_origin_t */
  uint32_t access_unit_origin;     /**< a gb_origin_t */
  uint32_t reserved;               /**< 0 */
};

/**
 * Tells which settings the detector uses for files on the file system of `path`; `path` need not be a file. Counts by the kernel need none of these settings. -EINVAL: an
 * argument is NULL or settings->size is too small; -ENOMEM.
 */
GB_API gb_status_t gb_cache_explain(gb_cache_t* detector, const char* path,
                                    struct gb_cache_settings* settings);

/** A part of a file. */
struct gb_extent {
  uint64_t offset_bytes;
  uint64_t length_bytes;
};

/** How a file is divided. Set `size` and the members that you want, and set all others to zero. */
struct gb_cache_plan_options {
  size_t size; /**< sizeof(struct gb_cache_plan_options) */
  uint64_t
      access_unit_bytes; /**< length of the parts; default: as microbench(1) measured the device, else 20 MiB, the
                                        paper's. Less than three times what the kernel reads ahead makes parts spoil one
                                        another */
  uint64_t record_bytes; /**< no part ends within a record of this length; default: records don't matter */
  const struct gb_extent*
      extents; /**< when not NULL: these are the parts, in any order; what lies behind the end of
                                        the file is left out */
  size_t extent_count;
};

/** A part of a file and the facts that were found about it. Later releases add fields at the end. */
struct gb_cache_unit {
  size_t size; /**< set by the caller to sizeof(struct gb_cache_unit) */
  uint64_t offset_bytes;
  uint64_t length_bytes;
  double cached_fraction;  /**< 0 to 1; negative: unknown */
  double confidence;       /**< as in struct gb_cache_report */
  uint64_t probe_time_ns;  /**< as in struct gb_cache_report */
  uint32_t probes;         /**< as in struct gb_cache_report */
  uint32_t backend;        /**< as in struct gb_cache_report */
  uint64_t access_time_ns; /**< as in struct gb_cache_report */
};

/** The parts of a file in the order in which they are best read. A plan never changes, so any number of threads may use it. */
typedef struct gb_cache_plan gb_cache_plan_t;

/**
 * Divides the file `path` and looks at each part. `options` may be NULL: all defaults. On success *plan is the
 * caller's, to be freed with gb_cache_plan_free(); anything but a regular file has no parts. May wait for the disk as
 * gb_cache_inspect() does. Errors, with *plan NULL: as stat(2) and open(2); -EINVAL; -E2BIG; -ENOMEM.
 */
GB_API gb_status_t gb_cache_plan_file(gb_cache_t* detector, const char* path,
                                      const struct gb_cache_plan_options* options, gb_cache_plan_t** plan);

/** How many parts there are; 0 for NULL. */
GB_API size_t gb_cache_plan_count(const gb_cache_plan_t* plan);

/** The part that is best read as number `rank`, from 0. -EINVAL: there is none, or unit->size is too small. */
GB_API gb_status_t gb_cache_plan_unit(const gb_cache_plan_t* plan, size_t rank, struct gb_cache_unit* unit);

/** Frees a plan. NULL is allowed. */
GB_API void gb_cache_plan_free(gb_cache_plan_t* plan);

GB_END_DECLS

#endif
