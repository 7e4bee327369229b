// SPDX-License-Identifier: MIT
//! detector: how much of a file is in the page cache, and which parts of it.
use std::ffi::CString;
use std::io;
use std::os::raw::c_int;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use crate::ffi;
use crate::order;

/// Remembers how the cache can be looked at on each device. One serves a whole program; each thread wants its own.
pub struct Detector(*mut ffi::Cache);

/// A detector holds no thread and no lock between calls.
unsafe impl Send for Detector {}

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub offset: u64,
    pub length: u64,
    /// From 0 to 1; `None`: unknown.
    pub cached: Option<f64>,
}

impl Detector {
    pub fn new() -> io::Result<Detector> {
        let mut detector = ptr::null_mut();
        check(unsafe { ffi::gb_cache_open(ptr::null(), &mut detector) })?;
        Ok(Detector(detector))
    }

    /// How much of the file is cached, from 0 to 1. `None`: unknown, as of what is no regular file.
    pub fn cached<P: AsRef<Path>>(&mut self, path: P) -> io::Result<Option<f64>> {
        Ok(known(self.inspect(&c_path(path.as_ref())?)?.cached_fraction))
    }

    /// The parts of the file in the order in which they are best read: what is cached first.
    pub fn ranges<P: AsRef<Path>>(&mut self, path: P) -> io::Result<Vec<Range>> {
        let path = c_path(path.as_ref())?;
        let mut plan = ptr::null_mut();
        check(unsafe { ffi::gb_cache_plan_file(self.0, path.as_ptr(), ptr::null(), &mut plan) })?;
        let ranges = (0..unsafe { ffi::gb_cache_plan_count(plan) }).map(|rank| range_of(plan, rank)).collect();
        unsafe { ffi::gb_cache_plan_free(plan) };
        ranges
    }

    /// The files in the order in which they are best read: what is cached first, the rest as it lies on the disk. Those that cannot be looked
    /// at come last; to open one of them says why. It is the order of `gbp -compose`.
    pub fn order<P: AsRef<Path>>(&mut self, paths: Vec<P>) -> io::Result<Vec<P>> {
        order::order(self, paths)
    }

    pub(crate) fn as_ptr(&mut self) -> *mut ffi::Cache {
        self.0
    }

    fn inspect(&mut self, path: &CString) -> io::Result<ffi::Report> {
        let mut report = ffi::Report { size: std::mem::size_of::<ffi::Report>(), ..Default::default() };
        check(unsafe { ffi::gb_cache_inspect(self.0, path.as_ptr(), &mut report) })?;
        Ok(report)
    }
}

impl Drop for Detector {
    fn drop(&mut self) {
        unsafe { ffi::gb_cache_close(self.0) }
    }
}

fn range_of(plan: *const ffi::Plan, rank: usize) -> io::Result<Range> {
    let mut unit = ffi::Unit { size: std::mem::size_of::<ffi::Unit>(), ..Default::default() };
    check(unsafe { ffi::gb_cache_plan_unit(plan, rank, &mut unit) })?;
    Ok(Range { offset: unit.offset_bytes, length: unit.length_bytes, cached: known(unit.cached_fraction) })
}

fn known(fraction: f64) -> Option<f64> {
    (fraction >= 0.0).then_some(fraction)
}

pub(crate) fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
}

pub(crate) fn check(status: c_int) -> io::Result<()> {
    if status < 0 {
        return Err(io::Error::from_raw_os_error(-status));
    }
    Ok(())
}
