// SPDX-License-Identifier: MIT
//! scan: reads all of its files, what is cached first, into as much memory as is there, up to 8 MiB. Prints each file, how much of it was cached,
//! and how much was read.
use std::env;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::process::ExitCode;

fn main() -> ExitCode {
    let files: Vec<String> = env::args().skip(1).collect();
    if files.is_empty() {
        eprintln!("scan: no file named; usage: scan FILE...");
        return ExitCode::from(2);
    }
    match scan(files) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("scan: {message}");
            ExitCode::FAILURE
        }
    }
}

fn scan(files: Vec<String>) -> Result<(), String> {
    let mut detector = gray::Detector::new().map_err(|error| error.to_string())?;
    let mut buffer = gray::alloc(64 << 10, 8 << 20, 4096).map_err(|error| format!("not even 64 KiB of memory: {error}"))?;
    for file in detector.order(files).map_err(|error| error.to_string())? {
        let line = read(&mut detector, &file, &mut buffer).map_err(|error| format!("{file}: {error}"))?;
        println!("{line}");
    }
    Ok(())
}

fn read(detector: &mut gray::Detector, path: &str, buffer: &mut [u8]) -> io::Result<String> {
    let share = detector.cached(path)?.map_or("unknown".to_string(), |share| format!("{share:.2}"));
    let file = File::open(path)?;
    let mut read = 0;
    for range in detector.ranges(path)? {
        let (mut offset, end) = (range.offset, range.offset + range.length);
        while offset < end {
            let wanted = buffer.len().min((end - offset) as usize);
            let got = file.read_at(&mut buffer[..wanted], offset)?;
            if got == 0 {
                break;
            }
            offset += got as u64;
            read += got;
        }
    }
    Ok(format!("{path} {share} {read}"))
}
