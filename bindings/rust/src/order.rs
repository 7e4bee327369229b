// SPDX-License-Identifier: MIT
//! order: the order in which files are best read, by the rules of `gbp -compose`, which says why they are so. Times of probes are not compared.
use std::cmp::Ordering;
use std::mem::size_of;
use std::path::Path;

use crate::detector::{c_path, check, Detector};
use crate::ffi;

const MUCH_BYTES: f64 = 4.0 * 1024.0 * 1024.0;
const MISSING_SHARE_MAX: f64 = 0.125;
const CACHED_FRACTION_MIN: f64 = 0.5;

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Whole,
    Much,
    Others,
    Unknown,
    Unseen,
}

#[derive(Default)]
struct File {
    is_seen: bool,
    bytes: f64,
    fraction: f64,
    place: ffi::Place,
    by: i32,
}

pub(crate) fn order<P: AsRef<Path>>(detector: &mut Detector, paths: Vec<P>) -> Vec<P> {
    let mut files: Vec<(File, P)> = paths.into_iter().map(|path| (look(detector, path.as_ref()).unwrap_or_default(), path)).collect();
    let known = || files.iter().map(|(file, _)| file).filter(|file| file.is_seen && file.fraction >= 0.0);
    let bytes: f64 = known().map(|file| file.bytes).sum();
    let cached: f64 = known().map(|file| file.bytes * file.fraction).sum();
    let is_much_missing = bytes - cached > MISSING_SHARE_MAX * bytes;
    let is_placed = files.iter().any(|(file, _)| file.is_seen && file.by != ffi::ORDER_NONE);
    files.sort_by(|(a, _), (b, _)| {
        let group = group_of(a, is_much_missing).cmp(&group_of(b, is_much_missing));
        group.then_with(|| if is_placed && a.is_seen && b.is_seen { compare_places(a, b) } else { Ordering::Equal })
    });
    files.into_iter().map(|(_, path)| path).collect()
}

fn look(detector: &mut Detector, path: &Path) -> std::io::Result<File> {
    let path = c_path(path)?;
    let report = detector.inspect(&path)?;
    let mut place = ffi::Place { size: size_of::<ffi::Place>(), ..Default::default() };
    let mut by = ffi::ORDER_NONE;
    check(unsafe { ffi::gb_layout_find(path.as_ptr(), &mut place) })?;
    check(unsafe { ffi::gb_layout_advise(path.as_ptr(), 0.0, &mut by) })?;
    Ok(File { is_seen: true, bytes: report.size_bytes as f64, fraction: report.cached_fraction, place, by })
}

fn group_of(file: &File, is_much_missing: bool) -> Group {
    if !file.is_seen {
        Group::Unseen
    } else if file.fraction < 0.0 {
        Group::Unknown
    } else if file.fraction >= 1.0 {
        Group::Whole
    } else if file.fraction >= CACHED_FRACTION_MIN && (is_much_missing || file.bytes * file.fraction >= MUCH_BYTES) {
        Group::Much
    } else {
        Group::Others
    }
}

/// Files of one device have one order. Devices are kept apart.
fn compare_places(a: &File, b: &File) -> Ordering {
    let devices = a.place.device.cmp(&b.place.device);
    devices.then_with(|| unsafe { ffi::gb_layout_compare_by(&a.place, &b.place, a.by) }.cmp(&0))
}
