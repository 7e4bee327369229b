// SPDX-License-Identifier: MIT
//! ffi: the functions of libgray that are used here, as gray/cache.h, gray/order.h and gray/alloc.h declare them.
//!
//! A structure begins with its size. A library of a later release, in which it is longer, fills in no more than that.
use std::os::raw::{c_char, c_int, c_void};
use std::ptr;

#[repr(C)]
pub struct Cache {
    opaque: [u8; 0],
}

#[repr(C)]
pub struct Plan {
    opaque: [u8; 0],
}

#[repr(C)]
#[derive(Default)]
pub struct Report {
    pub size: usize,
    pub size_bytes: u64,
    pub cached_fraction: f64,
    pub probe_time_ns: u64,
    pub probes: u32,
    pub backend: u32,
    pub confidence: f64,
    pub access_time_ns: u64,
}

#[repr(C)]
#[derive(Default)]
pub struct Unit {
    pub size: usize,
    pub offset_bytes: u64,
    pub length_bytes: u64,
    pub cached_fraction: f64,
    pub confidence: f64,
    pub probe_time_ns: u64,
    pub probes: u32,
    pub backend: u32,
    pub access_time_ns: u64,
}

#[repr(C)]
pub struct OrderList {
    opaque: [u8; 0],
}

#[repr(C)]
pub struct OrderOptions {
    pub size: usize,
    pub mode: u32,
    pub order: u32,
    pub flags: u32,
    pub reserved: u32,
    pub detector: *mut Cache,
    pub random_over_sequential: *const c_void,
    pub progress: *const c_void,
    pub context: *mut c_void,
}

impl OrderOptions {
    /// All defaults; the size is still to be set.
    pub const EMPTY: OrderOptions = OrderOptions {
        size: 0,
        mode: 0,
        order: 0,
        flags: 0,
        reserved: 0,
        detector: ptr::null_mut(),
        random_over_sequential: ptr::null(),
        progress: ptr::null(),
        context: ptr::null_mut(),
    };
}

#[repr(C)]
#[derive(Default)]
pub struct OrderFile {
    pub size: usize,
    pub input: usize,
    pub error: c_int,
    pub backend: u32,
    pub cached_fraction: f64,
    pub confidence: f64,
    pub cached_bytes: i64,
    pub size_bytes: u64,
    pub access_time_ns: u64,
    pub device: u64,
    pub inode: u64,
    pub first_extent_bytes: u64,
    pub has_first_extent: u32,
    pub order: u32,
    pub level: u32,
    pub is_cached: u32,
    pub modified_ns: i64,
}

extern "C" {
    pub fn gb_cache_open(options: *const c_void, detector: *mut *mut Cache) -> c_int;
    pub fn gb_cache_close(detector: *mut Cache);
    pub fn gb_cache_inspect(detector: *mut Cache, path: *const c_char, report: *mut Report) -> c_int;
    pub fn gb_cache_plan_file(detector: *mut Cache, path: *const c_char, options: *const c_void, plan: *mut *mut Plan) -> c_int;
    pub fn gb_cache_plan_count(plan: *const Plan) -> usize;
    pub fn gb_cache_plan_unit(plan: *const Plan, rank: usize, unit: *mut Unit) -> c_int;
    pub fn gb_cache_plan_free(plan: *mut Plan);
    pub fn gb_order_find(paths: *const *const c_char, count: usize, options: *const OrderOptions, list: *mut *mut OrderList) -> c_int;
    pub fn gb_order_at(list: *const OrderList, rank: usize, file: *mut OrderFile) -> c_int;
    pub fn gb_order_free(list: *mut OrderList);
    pub fn gb_alloc(min: usize, max: usize, multiple: usize, got: *mut usize) -> *mut c_void;
    pub fn gb_shrink(memory: *mut c_void, bytes: usize) -> c_int;
    pub fn gb_free(memory: *mut c_void) -> c_int;
}
