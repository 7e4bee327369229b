/* SPDX-License-Identifier: MIT */
/* gray: all of libgray in one include. */
#ifndef GRAY_GRAY_H
#define GRAY_GRAY_H

#include <gray/alloc.h>
#include <gray/cache.h>
#include <gray/export.h>
#include <gray/follow.h>
#include <gray/layout.h>
#include <gray/levels.h>
#include <gray/order.h>
#include <gray/status.h>
#include <gray/version.h>
#include <gray/working_set.h>

#endif
