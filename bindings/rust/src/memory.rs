// SPDX-License-Identifier: MIT
//! memory: as much of it as is really there.
use std::io;
use std::ops::{Deref, DerefMut};
use std::os::raw::c_void;
use std::ptr::NonNull;
use std::slice;

use crate::detector::check;
use crate::ffi;

/// Zeroed bytes that were in memory when they were granted. They are given back when this goes.
pub struct Memory {
    start: NonNull<u8>,
    bytes: usize,
}

unsafe impl Send for Memory {}
unsafe impl Sync for Memory {}

/// The largest multiple of `multiple` bytes that is there now, at least `min` and at most `max`.
pub fn alloc(min: usize, max: usize, multiple: usize) -> io::Result<Memory> {
    let mut bytes = 0;
    match NonNull::new(unsafe { ffi::gb_alloc(min, max, multiple, &mut bytes) }) {
        Some(start) => Ok(Memory { start: start.cast(), bytes }),
        None => Err(io::Error::last_os_error()),
    }
}

impl Memory {
    /// Gives back all but the first `bytes`, of which there must be one at least.
    pub fn shrink(&mut self, bytes: usize) -> io::Result<()> {
        check(unsafe { ffi::gb_shrink(self.start.as_ptr().cast::<c_void>(), bytes) })?;
        self.bytes = bytes;
        Ok(())
    }
}

impl Deref for Memory {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }
}

impl DerefMut for Memory {
    fn deref_mut(&mut self) -> &mut [u8] {
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        unsafe { ffi::gb_free(self.start.as_ptr().cast::<c_void>()) };
    }
}
