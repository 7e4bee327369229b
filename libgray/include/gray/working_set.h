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
 * The processor marks each page that is used. gb_working_set_clear() clears the marks of one process. A look counts the marks that were set again. So one clearing and several
 * looks at growing times give the curve. The bend of the curve is the memory that the process works with (gb_working_set_knee()). With less memory the process would have to
 * fetch pages again and again.
 *
 * What it costs: a clearing or a look walks the page tables of the process, which takes some 10 ms for each GiB. During that time the process cannot map or unmap memory. cost_ns
 * says how long they took. What it disturbs: the kernel takes the process for idle until the process has touched its pages again. If memory gets short at that
 * time, the kernel may take pages of this process before pages of other processes. So do not watch an important process while memory is short.
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
  /** Too low: the kernel searched this host for memory to reclaim, and this search also clears marks. */
  GB_DOUBT_RECLAIM = 2,
  /** Too low: another program cleared the marks of this process, perhaps another watch. */
  GB_DOUBT_CLEARED = 4,
  /** Too low: pages of hugetlbfs carry no marks here. They count neither as touched nor as resident. */
  GB_DOUBT_HUGETLB = 8,
  /** Too low: more than half of the memory of the process is in swap. */
  GB_DOUBT_SWAPPED = 16
} gb_working_set_doubt_t;

/** The result of a look. Later releases add fields at the end. */
struct gb_working_set_sample {
  size_t size;             /**< set by the caller to sizeof(struct gb_working_set_sample) */
  uint64_t since_ns;       /**< tau: from the end of the clearing to the middle of this look */
  uint64_t touched_bytes;  /**< W(tau): resident memory that the process has used since the clearing */
  uint64_t resident_bytes; /**< the memory that the process has: its own and shared pages */
  uint64_t share_bytes;    /**< as resident_bytes, but a page that n processes map counts as 1/n page */
  uint64_t huge_bytes;     /**< at most this part of touched_bytes is in huge pages */
  uint64_t swapped_bytes;  /**< how much of the process's memory is in swap */
  uint64_t cost_ns;        /**< how long the clearing and all looks after it took, including this look */
  uint32_t doubts;         /**< gb_working_set_doubt_t, or-ed */
  uint32_t reserved;       /**< 0 */
};

/** A watch over one process. One thread at a time; after fork() the parent and its child must not both use it. */
typedef struct gb_working_set gb_working_set_t;

/**
 * Begins to watch process `pid`, and changes nothing yet. On success *watch belongs to the caller, who closes it with gb_working_set_close(); else it is NULL. Holds two
 * descriptors.
 *
 * -ESRCH: there is no such process, it has ended, or it is a kernel thread; -EACCES: the process belongs to another user, or may not be inspected (prctl(PR_SET_DUMPABLE));
 * -ENOTSUP: it runs a virtual machine, whose guest's use of memory leaves no marks here, or this kernel has no /proc/PID/clear_refs or smaps_rollup (before Linux 4.14);
 * -EINVAL: `watch` is NULL, or `pid` is not positive; -ENOMEM; -EMFILE.
 */
GB_API gb_status_t gb_working_set_open(pid_t pid, gb_working_set_t** watch);

/**
 * Clears all marks, so that tau begins anew. Blocks for some 10 ms for each GiB. Two watches of one process make each other's figures wrong. -ESRCH: the process has ended or
 * executes another program; -EINVAL: `watch` is NULL.
 */
GB_API gb_status_t gb_working_set_clear(gb_working_set_t* watch);

/**
 * Counts the marks since the clearing. Before the first clearing it counts the marks since the process started, with since_ns 0. May be called at any time. The figures after one
 * clearing only grow, except for memory that the process gives back. Blocks for some 10 ms for each GiB. -ESRCH as above; -EINVAL: an argument is NULL, or look->size is less
 * than that of the first release.
 */
GB_API gb_status_t gb_working_set_look(gb_working_set_t* watch, struct gb_working_set_sample* look);

/** Ends a watch. NULL is allowed. */
GB_API void gb_working_set_close(gb_working_set_t* watch);

/**
 * Finds where a curve bends. *knee is the index of the point after which more time adds the least memory. It is the point farthest above the straight line from the origin to the
 * last point ("kneedle", Satopaa et al. 2011). Both arrays hold `count` values; since_ns grows. -ENODATA: the curve has fewer than three points, or it has no
 * bend because it still grows about as fast as at its beginning. Then watch for longer. -EINVAL: an argument is NULL, or since_ns does not grow. Any thread.
 */
GB_API gb_status_t gb_working_set_knee(const uint64_t* since_ns, const uint64_t* touched_bytes, size_t count,
                                       size_t* knee);

GB_END_DECLS

#endif
