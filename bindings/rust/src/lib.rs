// SPDX-License-Identifier: MIT
//! libgray from Rust: which files are cached, in which order they are best read, and as much memory as is really there.
//!
//! ```no_run
//! let mut detector = gray::Detector::new()?;
//! for path in detector.order(vec!["a.log", "b.log"])? {
//!     println!("{path}: {:?} of it is cached", detector.cached(path)?);
//! }
//! let mut buffer = gray::alloc(1 << 20, 1 << 30, 4096)?;
//! buffer[0] = 1;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! An error is what the C library answers, an errno. `man gray_cache` and `man gray_alloc` say which there are.
mod detector;
mod ffi;
mod memory;
mod order;

pub use detector::{Detector, Range};
pub use memory::{alloc, Memory};
