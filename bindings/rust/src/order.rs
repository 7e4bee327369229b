// SPDX-License-Identifier: MIT
//! order: the order in which files are best read, which the library finds.
use std::mem::size_of;
use std::path::Path;
use std::{io, ptr};

use crate::detector::{c_path, check, Detector};
use crate::ffi;

/// The library's list, freed when this goes.
struct List(*mut ffi::OrderList);

impl Drop for List {
    fn drop(&mut self) {
        unsafe { ffi::gb_order_free(self.0) }
    }
}

pub(crate) fn order<P: AsRef<Path>>(detector: &mut Detector, paths: Vec<P>) -> io::Result<Vec<P>> {
    let list = find(detector, &paths)?;
    let mut paths: Vec<Option<P>> = paths.into_iter().map(Some).collect();
    Ok((0..paths.len()).filter_map(|rank| paths[input_of(&list, rank)].take()).collect())
}

/// A name with a zero byte in it is none to the library, and comes last.
fn find<P: AsRef<Path>>(detector: &mut Detector, paths: &[P]) -> io::Result<List> {
    let names: Vec<_> = paths.iter().map(|path| c_path(path.as_ref()).ok()).collect();
    let names: Vec<_> = names.iter().map(|name| name.as_ref().map_or(ptr::null(), |name| name.as_ptr())).collect();
    let options = ffi::OrderOptions { size: size_of::<ffi::OrderOptions>(), detector: detector.as_ptr(), ..ffi::OrderOptions::EMPTY };
    let mut list = List(ptr::null_mut());
    check(unsafe { ffi::gb_order_find(names.as_ptr(), names.len(), &options, &mut list.0) })?;
    Ok(list)
}

fn input_of(list: &List, rank: usize) -> usize {
    let mut file = ffi::OrderFile { size: size_of::<ffi::OrderFile>(), ..Default::default() };
    unsafe { ffi::gb_order_at(list.0, rank, &mut file) };
    file.input
}
