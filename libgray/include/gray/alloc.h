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
 * The library writes to each page of the granted memory, and checks that the pages are still in memory afterwards. So using the memory pages nothing out. The host's accounts
 * (control groups, available memory, limits of the process) set a ceiling, less a margin. Below the ceiling, the time of each write and the kernel's counters
 * show when memory gets scarce. Programs that ask at the same time through this library share the free memory.
 *
 * Nothing is promised for later: a program that does not use this library may grow at any time. Ask again for each phase, free the memory in between, and listen to
 * gb_pressure_fd(). A program that holds memory while it asks for more can wait for ever.
 *
 * Environment: GRAY_MAC. "full": all signals; "time": time alone, as in the paper, without a ceiling and without claims; without swap a process may then be killed. Or a list of
 * signals that are not used: no-accounts, no-faults, no-refaults, no-stall, no-claims.
 */
#ifndef GRAY_ALLOC_H
#define GRAY_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#include <gray/export.h>
#include <gray/status.h>

GB_BEGIN_DECLS

/** How much of the page cache may be taken. The kernel drops clean file pages without delay, so only this option says how valuable they are. */
typedef enum gb_cache_policy {
  GB_CACHE_SHARE = 0, /**< the inactive file pages and half of the active ones; stops when dropped ones are
                           read again */
  GB_CACHE_KEEP = 1,  /**< none */
  GB_CACHE_STEAL = 2  /**< all of it */
} gb_cache_policy_t;

/** Flags of an allocation. */
typedef enum gb_alloc_flag {
  GB_ALLOC_HUGE = 1, /**< huge pages: the grant is taken in small pages, which are then joined */
  /** If there is no swap, a child process first touches as much memory. The kernel kills this child before any other process. This costs the time of the touches, and a fork().
   * No child is started in a control group that is killed as a whole (memory.oom.group). */
  GB_ALLOC_CANARY = 2,
  /** The caller reads and writes files while it holds the memory. So a quarter of each limit, at most 1 GiB, is left to the page cache. Otherwise the pages of
   * the files would cause the granted memory to be paged out. Page cache beyond that quarter counts as free memory. */
  GB_ALLOC_FILES = 4,
  /** The caller gives back the memory above min when others lack memory. gb_return_wanted() says when and how much. The caller gives the memory back with gb_shrink() as
   * soon as possible. Others who wait for memory through this library rely on this. */
  GB_ALLOC_RETURNABLE = 8
} gb_alloc_flag_t;

/** The signals beside time. Each can be switched off. */
typedef enum gb_alloc_signal {
  GB_SIGNAL_ACCOUNTS = 1, /**< the ceiling */
  GB_SIGNAL_FAULTS = 2,   /**< major faults and swapped pages of this process */
  GB_SIGNAL_REFAULTS = 4, /**< swap and refaults of the control group */
  GB_SIGNAL_STALL = 8,    /**< pressure stall information */
  GB_SIGNAL_CLAIMS = 16,  /**< what others ask for at the same time */
  GB_SIGNALS_ALL = 31     /**< if all are switched off, only time is used */
} gb_alloc_signal_t;

/**
 * Options. Set `size` and the members that you want, and set all others to zero. Zero means the default. Later releases add
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
  uint32_t signals_off; /**< gb_alloc_signal_t, or-ed: signals not used, in addition to those of GRAY_MAC */
  uint32_t reserved;    /**< zero */
};

/**
 * Grants the largest multiple of `multiple` bytes that is free now, at least min and at most max. *got is the number of bytes.
 * min is rounded up and max down to the multiple. The memory reads as zero and begins at a page. `got` may be NULL where
 * min and max are the same. Any thread, any number at once. After fork() the child may use and free its copy.
 *
 * On failure returns NULL, with *got 0 and errno set. EINVAL: min above max, before or after rounding, max or multiple 0, GRAY_MAC is not valid. ENOMEM: a
 * limit forbids min, no matter how much memory other processes use. EAGAIN: min is not free now.
 */
GB_API void* gb_alloc(size_t min, size_t max, size_t multiple, size_t* got);

/**
 * As gb_alloc(), but waits up to timeout_ms for min. A negative timeout_ms means without a limit. Waiting calls are served in the order of arrival. The call
 * sleeps. It notices memory that others give back through this library at once. The superuser is also told at once by a control group of version 1 that lacks
 * the memory. The call also notices the end of memory pressure (as gb_pressure_fd()). Other memory is noticed within a fifth of a second, or half a second if a
 * call that waited before this one is killed. Programs that hold returnable memory are asked for the missing part of min. The call holds up to three
 * descriptors while it waits. errno ETIMEDOUT: the time limit passed before min was free. EDEADLK: the call would wait without a limit while this process holds
 * returnable memory, for which others may wait.
 */
GB_API void* gb_alloc_wait(size_t min, size_t max, size_t multiple, size_t* got, int64_t timeout_ms);

/**
 * As gb_alloc() with options, which may be NULL. errno also E2BIG: an option of a later release is asked for.
 */
GB_API void* gb_alloc_with(size_t min, size_t max, size_t multiple, size_t* got,
                           const struct gb_alloc_options* options);

/**
 * How many bytes gb_alloc_with() would be allowed now. This call takes and touches no memory. So the answer is too high if the host's accounts are too high. `options` may be
 * NULL; timeout_ms is not used. Errors are those of gb_alloc_with() as negative numbers. -ENODATA: the accounts do not tell.
 */
GB_API gb_status_t gb_available(size_t min, size_t max, size_t multiple, size_t* bytes,
                                const struct gb_alloc_options* options);

/**
 * How much of a returnable allocation (GB_ALLOC_RETURNABLE) others lack right now, in *bytes; 0: nothing. Calls that wait in gb_alloc_wait() lack memory. They
 * count in the order of arrival, as far as all returnable memory can serve them. Memory is also lacking when other programs push a pool below its margin. The
 * process that holds most is asked first. So all processes with returnable memory keep equal parts, and at least their min. The call takes a tenth of a
 * millisecond. Call it between two pieces of work, and then gb_shrink() by that much. -EINVAL: `memory` is no allocation, or `bytes` is NULL.
 */
GB_API gb_status_t gb_return_wanted(void* memory, size_t* bytes);

/**
 * As gb_return_wanted(), but waits up to timeout_ms until others lack memory. A negative timeout_ms means without a limit. This function is for a thread that
 * does nothing else. It notices at once that a call begins to wait. It notices within a fifth of a second that another program takes memory.
 */
GB_API gb_status_t gb_return_wait(void* memory, int64_t timeout_ms, size_t* bytes);

/**
 * Gives back all of an allocation but its first `bytes`. -EINVAL: `memory` is no allocation, `bytes` is 0, or `bytes` is more than the allocation has.
 */
GB_API gb_status_t gb_shrink(void* memory, size_t bytes);

/**
 * Gives an allocation back. NULL is allowed. -EINVAL, and nothing is done: `memory` is not an allocation, or was freed already.
 */
GB_API gb_status_t gb_free(void* memory);

/**
 * Returns a descriptor for poll(2) and similar calls. It becomes ready when memory is scarce. Then call gb_shrink(). *events are the events to poll for: POLLPRI (pressure stall
 * information; nothing is to be read) or POLLIN (a control group of version 1; read 8 bytes to rearm). The caller closes the descriptor. A negative result is an error. -ENOTSUP:
 * the host has neither kind of event, or does not allow its use. -EINVAL:
 * `events` is NULL.
 */
GB_API int gb_pressure_fd(short* events);

GB_END_DECLS

#endif
