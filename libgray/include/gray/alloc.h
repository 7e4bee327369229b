/* SPDX-License-Identifier: MIT */
/* alloc: as much memory as is really there, and no more (MAC, the memory-based admission controller of
 * "Information and Control in Gray-Box Systems", SOSP 2001, section 4.3).
 *
 *   size_t got;
 *   char *records = gb_alloc(100 << 20, 477 << 20, 100, &got);
 *   if (records == NULL) ...   // not even 100 MB there: errno says why
 *   ...
 *   gb_free(records);
 *
 * What is granted was written to, page by page, and was still in memory afterwards: using it pages nobody out.
 * The host's accounts (control groups, available memory, limits of the process) set a ceiling, less a margin;
 * below it the time of each write and the kernel's counters tell when memory gets scarce. Those who ask at the
 * same time through this library share what there is.
 *
 * Nothing is promised for later: somebody who does not take part may grow at any time. Ask again for each
 * phase, free in between (who holds a part while asking for more can wait for ever), and listen to
 * gb_pressure_fd().
 *
 * Environment: GRAY_MAC. "full": all signals; "time": nothing but time, as in the paper, with no ceiling, no claims
 * and no mercy where there is no swap; or a list of signals to do without: no-accounts, no-faults, no-refaults,
 * no-stall, no-claims.
 */
#ifndef GRAY_ALLOC_H
#define GRAY_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#include <gray/export.h>
#include <gray/status.h>

GB_BEGIN_DECLS

/** What may be taken of the page cache. The kernel gives clean file pages up without delay, so only this says
 * what they are worth. */
typedef enum gb_cache_policy {
  GB_CACHE_SHARE = 0, /**< the inactive file pages and half of the active ones; stops when dropped ones are
                           read again */
  GB_CACHE_KEEP = 1,  /**< none */
  GB_CACHE_STEAL = 2  /**< all of it */
} gb_cache_policy_t;

/** Flags of an allocation. */
typedef enum gb_alloc_flag {
  GB_ALLOC_HUGE = 1, /**< huge pages for what was granted: it is taken in small ones, which are joined then */
  /** Where there is no swap: first a child process that is killed before anybody else touches as much. Takes the time
   * of touching it, and a fork(). None is sent where a control group would die with it as a whole (memory.oom.group). */
  GB_ALLOC_CANARY = 2,
  /** The caller reads and writes files while it holds the memory: a quarter of each limit, at most 1 GiB, is left to
   * the page cache, or what is read would push the grant out; what it holds beyond that counts as room. */
  GB_ALLOC_FILES = 4,
  /** What is granted above min is given back when others lack it: gb_return_wanted() says when and how much, and the caller does it with
   * gb_shrink() as soon as he can. Others who wait for memory through this library count on it. */
  GB_ALLOC_RETURNABLE = 8
} gb_alloc_flag_t;

/** The signals beside time, to be switched off one by one. */
typedef enum gb_alloc_signal {
  GB_SIGNAL_ACCOUNTS = 1, /**< the ceiling */
  GB_SIGNAL_FAULTS = 2,   /**< major faults and swapped pages of one's own */
  GB_SIGNAL_REFAULTS = 4, /**< swap and refaults of the control group */
  GB_SIGNAL_STALL = 8,    /**< pressure stall information */
  GB_SIGNAL_CLAIMS = 16,  /**< what others ask for at the same time */
  GB_SIGNALS_ALL = 31     /**< nothing but time is left */
} gb_alloc_signal_t;

/**
 * Options. Set `size`, and the rest to zero but for what you want: zero means the default. Later releases add
 * fields at the end.
 */
struct gb_alloc_options {
  size_t size;    /**< sizeof(struct gb_alloc_options) */
  uint32_t cache; /**< a gb_cache_policy_t */
  uint32_t flags; /**< gb_alloc_flag_t, or-ed */
  uint64_t
      margin_bytes; /**< kept free below each limit; default a 32nd of the limit, 4 to 256 MiB, and twice that
                              where there is no swap */
  uint64_t timeout_ms;  /**< how long to wait for min; default not at all, UINT64_MAX without end */
  uint32_t signals_off; /**< gb_alloc_signal_t, or-ed: done without, in addition to GRAY_MAC's */
  uint32_t reserved;    /**< zero */
};

/**
 * The largest multiple of `multiple` bytes that is there now, at least min and at most max; *got says how much.
 * min is rounded up and max down to the multiple. The memory reads as zero and begins at a page. `got` may be NULL where
 * min and max are the same. Any thread, any number at once. After fork() the child may use and free its copy.
 *
 * NULL with *got 0 and errno otherwise. EINVAL: min above max, before or after rounding, max or multiple 0, GRAY_MAC
 * makes no sense. ENOMEM: a limit forbids min whatever others do. EAGAIN: min is not there now.
 */
GB_API void* gb_alloc(size_t min, size_t max, size_t multiple, size_t* got);

/**
 * As gb_alloc(), and waits for min up to timeout_ms (negative: without end): first come, first served among those
 * who wait through this library. Sleeps; what others give back is seen at once if they take part, or where a control group of
 * version 1 lacks it, which tells its superuser; after pressure (as gb_pressure_fd()); and within a fifth of a second otherwise (half a second
 * where who was before it among those who wait is killed). Those who hold returnable memory are asked for what lacks of min. Holds up to three descriptors meanwhile. errno ETIMEDOUT: it was not there in time.
 * EDEADLK: it would wait without end while this process holds returnable memory, which others may wait for.
 */
GB_API void* gb_alloc_wait(size_t min, size_t max, size_t multiple, size_t* got, int64_t timeout_ms);

/**
 * As gb_alloc() with options, which may be NULL. errno also E2BIG: an option of a later release is asked for.
 */
GB_API void* gb_alloc_with(size_t min, size_t max, size_t multiple, size_t* got,
                           const struct gb_alloc_options* options);

/**
 * How much gb_alloc_with() would be allowed now. Takes nothing, touches nothing, and so may say too much where
 * the host's accounts do. `options` may be NULL; timeout_ms is not looked at. Errors as errno there, negative; -ENODATA: the
 * accounts do not tell.
 */
GB_API gb_status_t gb_available(size_t min, size_t max, size_t multiple, size_t* bytes,
                                const struct gb_alloc_options* options);

/**
 * How much of a returnable allocation (GB_ALLOC_RETURNABLE) others lack right now, in *bytes; 0: nothing. They lack what those who wait in gb_alloc_wait() are short of, in the order of arrival and as
 * far as all that is returnable can serve them, and what pushes a pool below its margin. Whoever holds most is asked first, so that all who hold returnable memory keep equal parts, and their min at least. Takes a tenth
 * of a millisecond; call it between two pieces of work, and gb_shrink() by so much. -EINVAL: `memory` is no allocation, or `bytes` is NULL.
 */
GB_API gb_status_t gb_return_wanted(void* memory, size_t* bytes);

/**
 * As gb_return_wanted(), and waits for up to timeout_ms (negative: without end) until something is wanted; for a thread that does nothing else. Sees at once who begins to wait, and within a fifth of a second memory
 * that somebody else takes.
 */
GB_API gb_status_t gb_return_wait(void* memory, int64_t timeout_ms, size_t* bytes);

/**
 * Gives back all of an allocation but its first `bytes`. -EINVAL: not an allocation, 0, or more than it has.
 */
GB_API gb_status_t gb_shrink(void* memory, size_t bytes);

/**
 * Gives an allocation back. NULL is allowed. -EINVAL, and nothing is done: it is none, or was freed already.
 */
GB_API gb_status_t gb_free(void* memory);

/**
 * A descriptor for poll(2) and its like that gets ready when memory is scarce: time to gb_shrink(). *events
 * is what to poll for: POLLPRI (pressure stall information; nothing is to be read) or POLLIN (a control group of
 * version 1; read 8 bytes to rearm). The caller closes it. Negative: -ENOTSUP, the host has neither or does not let
 * us; -EINVAL, `events` is NULL.
 */
GB_API int gb_pressure_fd(short* events);

GB_END_DECLS

#endif
