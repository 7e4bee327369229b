/* SPDX-License-Identifier: MIT */
/* follow: how large a heap may be while others need memory, too, and when it must shrink (CRAMM, "Virtual memory support for garbage-collected applications",
 * OSDI 2006). It is for a program that can change the limit of its heap: one with a garbage collector or a cache.
 *
 *   gb_follow_t *follow;
 *   gb_follow_open(NULL, &follow);
 *   for (;;) {
 *     struct gb_follow_heap heap = {.size = sizeof heap, .heap_bytes = ..., .live_bytes = ..., .collecting_ns = ...};
 *     struct gb_follow_advice advice = {.size = sizeof advice};
 *     if (gb_follow_ask(follow, &heap, &advice) == 0 && advice.verdict != GB_FOLLOW_STAY) set_limit(advice.bytes);
 *     gb_follow_wait(follow, 200);   // or poll gb_follow_fd() beside what else is waited for
 *   }
 *
 * The answer follows from the free memory below each control group's limit and on the host, the memory that others were promised (by gb_alloc(), gb-run(1) or these functions),
 * whether any process waits for memory, and the cost of collections for the caller. If less memory is free than the heap may take, the answer is to shrink at once. If more is
 * free, the answer is to grow, but only when the memory has been free for some seconds and the larger heap saves more time than waiting for memory costs now. The advice is never
 * less than 1.25 times the live bytes.
 *
 * No thread is started, and nothing is called back: the caller asks when it likes, several times a second.
 */
#ifndef GRAY_FOLLOW_H
#define GRAY_FOLLOW_H

#include <stddef.h>
#include <stdint.h>

#include <gray/export.h>
#include <gray/status.h>

GB_BEGIN_DECLS

/** Options. Set `size` and the members that you want, and set all others to zero. Zero means the default. Later releases add fields at the end. */
struct gb_follow_options {
  size_t size;           /**< sizeof(struct gb_follow_options) */
  uint64_t min_bytes;    /**< the advice is never less, however little memory is free */
  uint64_t max_bytes;    /**< the advice is never more; default: only the free memory bounds it */
  uint64_t margin_bytes; /**< how much stays free below each limit; default: as in struct gb_alloc_options */
  uint32_t cache;        /**< a gb_cache_policy_t (gray/alloc.h): what may be taken of the page cache */
  uint32_t
      pid; /**< the process that has the heap; it must be in the caller's control groups. Default: the caller */
};

/** What the caller tells about its heap. Later releases add fields at the end. */
struct gb_follow_heap {
  size_t size;         /**< sizeof(struct gb_follow_heap) */
  uint64_t heap_bytes; /**< how many bytes the heap has from the kernel now */
  uint64_t
      live_bytes; /**< how many bytes were live after the last collection; for a cache: how many it needs to work */
  uint64_t
      collecting_ns; /**< how long collections kept the program from its work since the last question. UINT64_MAX: not known;
                               then the heap may grow whenever memory stays free */
};

/** The advice for the heap. */
typedef enum gb_follow_verdict {
  GB_FOLLOW_STAY = 0,  /**< nothing has changed */
  GB_FOLLOW_GROW = 1,  /**< the heap may be larger than the last advice */
  GB_FOLLOW_SHRINK = 2 /**< the heap has to be smaller than the last advice, at once */
} gb_follow_verdict_t;

/** The reason for the advice. */
typedef enum gb_follow_reason {
  GB_FOLLOW_NOTHING = 0,  /**< nothing has changed */
  GB_FOLLOW_FIRST = 1,    /**< the first answer */
  GB_FOLLOW_ROOM = 2,     /**< less memory is free than the heap may take, or more */
  GB_FOLLOW_PRESSURE = 3, /**< a process waits for memory, and evicted pages are needed again */
  GB_FOLLOW_LIVE = 4      /**< the live bytes and a quarter of them do not fit in the heap */
} gb_follow_reason_t;

/** An answer. Later releases add fields at the end. */
struct gb_follow_advice {
  size_t size;      /**< set by the caller to sizeof(struct gb_follow_advice) */
  uint32_t verdict; /**< a gb_follow_verdict_t */
  uint32_t reason;  /**< a gb_follow_reason_t */
  uint64_t bytes;   /**< how many bytes the heap may have from now on, also where nothing has changed */
  int64_t
      room_bytes; /**< how much is free beside the heap, less the margin; below zero: the heap is too large by so much */
};

/** One heap that follows the free memory. One thread at a time may use it. A child of fork() must open its own. */
typedef struct gb_follow gb_follow_t;

/**
 * Begins to follow. `options` may be NULL. On success *follow belongs to the caller, who ends it with gb_follow_close(). The gb_follow_t holds up to six descriptors. -EINVAL: an
 * argument is NULL or not valid; -E2BIG: an option of a later release is asked for; -ENOMEM.
 */
GB_API gb_status_t gb_follow_open(const struct gb_follow_options* options, gb_follow_t** follow);

/**
 * Tells whether the heap should grow, shrink or stay now. Reads some small files, which takes 0.1 to 0.2 milliseconds. -EINVAL: an argument is NULL, or a size
 * less than that of the first release; -E2BIG: as above; -ENODATA: nothing tells how much memory is free; -ESRCH: the process `pid` has ended; -ENOMEM.
 */
GB_API gb_status_t gb_follow_ask(gb_follow_t* follow, const struct gb_follow_heap* heap,
                                 struct gb_follow_advice* advice);

/**
 * Returns a descriptor that poll(2) reports as readable (POLLIN) when the caller should ask earlier than planned: another program gave memory back, a limit was changed, or
 * memory is scarce. gb_follow_ask() clears these events. The descriptor belongs to the library. A negative result is an error. -ENOTSUP: nothing on this host reports such
 * events. -EINVAL: NULL.
 */
GB_API int gb_follow_fd(const gb_follow_t* follow);

/** Sleeps until one of the events of gb_follow_fd(), or until the time has passed. 1: an event; 0: the time has passed; -EINVAL: NULL. */
GB_API int gb_follow_wait(gb_follow_t* follow, uint64_t timeout_ms);

/** Ends the following and frees `follow`. NULL is allowed. */
GB_API void gb_follow_close(gb_follow_t* follow);

GB_END_DECLS

#endif
