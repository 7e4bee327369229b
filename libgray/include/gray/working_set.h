/* SPDX-License-Identifier: MIT */
/* working_set: how much memory a process really uses, seen from outside: W(tau), the memory it touches within a time tau.
 *
 *   gb_working_set_t *watch;
 *   if (gb_working_set_open(pid, &watch) == 0 && gb_working_set_clear(watch) == 0) {
 *     struct gb_working_set_sample look = {.size = sizeof look};
 *     for (int i = 0; i < 8; ++i) {
 *       sleep(1);
 *       if (gb_working_set_look(watch, &look) != 0) break;
 *       // within look.since_ns it touched look.touched_bytes of look.resident_bytes
 *     }
 *   }
 *   gb_working_set_close(watch);
 *
 * The processor marks each page that is used. gb_working_set_clear() takes the marks of one process away; a look counts those that have come back. So one clearing and
 * some looks at growing times give the curve. Where it bends is the memory the process works with (gb_working_set_knee()): with less it would have to
 * fetch pages again and again.
 *
 * What it costs: a clearing or a look walks the page tables of the process, some 10 ms a GiB, and holds up meanwhile what it maps and unmaps.
 * cost_ns says how long they took. What it disturbs: to the kernel the process looks idle until it has touched its pages again. If memory gets short right then,
 * the kernel may take pages of this process rather than of others. Do not sample a process that you care for while memory is short.
 */
#ifndef GRAY_WORKING_SET_H
#define GRAY_WORKING_SET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <gray/export.h>
#include <gray/status.h>

GB_BEGIN_DECLS

/** Why touched_bytes may be wrong, and in which direction. */
typedef enum gb_working_set_doubt {
  /** Too high, by huge_bytes at most: the first touch of a huge page counts all of it. */
  GB_DOUBT_HUGE = 1,
  /** Too low: the kernel looked for memory to take away on this host, and that takes marks away too. */
  GB_DOUBT_RECLAIM = 2,
  /** Too low: somebody else took the marks of this process away, perhaps another watch. */
  GB_DOUBT_CLEARED = 4,
  /** Too low: pages of hugetlbfs carry no marks here. They count neither as touched nor as resident. */
  GB_DOUBT_HUGETLB = 8,
  /** Too low: so many of its pages lie in swap that what is resident is less than half of what it has. */
  GB_DOUBT_SWAPPED = 16
} gb_working_set_doubt_t;

/** What a look saw. Later releases add fields at the end. */
struct gb_working_set_sample {
  size_t size;             /**< set by the caller to sizeof(struct gb_working_set_sample) */
  uint64_t since_ns;       /**< tau: from the end of the clearing to the middle of this look */
  uint64_t touched_bytes;  /**< W(tau): resident memory that the process has used since then */
  uint64_t resident_bytes; /**< what it has in memory: its own and what it shares */
  uint64_t share_bytes;    /**< the same, where a page that n processes map counts as an nth of a page each */
  uint64_t huge_bytes;     /**< of touched_bytes at most so much is in huge pages */
  uint64_t swapped_bytes;  /**< what it has in swap */
  uint64_t cost_ns;        /**< how long the clearing and all looks since then took, this one included */
  uint32_t doubts;         /**< gb_working_set_doubt_t, or-ed */
  uint32_t reserved;       /**< 0 */
};

/** A watch over one process. One thread at a time; after fork() the parent and its child must not both use it. */
typedef struct gb_working_set gb_working_set_t;

/**
 * Begins to watch process `pid`, and changes nothing yet. On success *watch is the caller's, to be closed with gb_working_set_close(); else it is NULL. Holds two descriptors.
 *
 * -ESRCH: there is no such process, it has ended, or it is a thread of the kernel's; -EACCES: it is another user's, or may not be looked into (prctl(PR_SET_DUMPABLE));
 * -ENOTSUP: it runs a virtual machine, whose guest's use of memory leaves no marks here, or this kernel has no /proc/PID/clear_refs or smaps_rollup (before Linux 4.14);
 * -EINVAL: `watch` is NULL, or `pid` is not positive; -ENOMEM; -EMFILE.
 */
GB_API gb_status_t gb_working_set_open(pid_t pid, gb_working_set_t** watch);

/**
 * Takes all marks away: tau begins anew. Blocks for some 10 ms a GiB. Two watches over one process spoil each other's figures. -ESRCH: the process has ended or executes
 * another program; -EINVAL: `watch` is NULL.
 */
GB_API gb_status_t gb_working_set_clear(gb_working_set_t* watch);

/**
 * Counts the marks since the clearing; before the first one, those since the process began, with since_ns 0. May be called at any times; figures of one clearing
 * only grow, but for memory that is given back. Blocks for some 10 ms a GiB. -ESRCH as above; -EINVAL: an argument is NULL, or look->size is less than that of the first
 * release.
 */
GB_API gb_status_t gb_working_set_look(gb_working_set_t* watch, struct gb_working_set_sample* look);

/** Ends a watch. NULL is allowed. */
GB_API void gb_working_set_close(gb_working_set_t* watch);

/**
 * Where a curve bends: *knee is the number of the point beyond which more time brings least more memory, the one farthest above the straight line from the origin to the
 * last point ("kneedle", Satopaa et al. 2011). Both arrays hold `count` values; since_ns grows. -ENODATA: there is no bend, since the curve still grows about as fast as
 * at its beginning, or there are less than three points: watch for longer. -EINVAL: an argument is NULL, or since_ns does not grow. Any thread.
 */
GB_API gb_status_t gb_working_set_knee(const uint64_t* since_ns, const uint64_t* touched_bytes, size_t count,
                                       size_t* knee);

GB_END_DECLS

#endif
