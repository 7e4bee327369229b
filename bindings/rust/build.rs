// SPDX-License-Identifier: MIT
//! build: where libgray.so is. GRAY_LIB_DIR names its folder; else pkg-config is asked; else the linker looks where it always does.
use std::env;
use std::process::Command;

fn main() {
    for name in ["GRAY_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rustc-link-lib=dylib=gray");
    if let Some(folder) = env::var("GRAY_LIB_DIR").ok().or_else(told_by_pkg_config) {
        println!("cargo:rustc-link-search=native={folder}");
    }
}

fn told_by_pkg_config() -> Option<String> {
    let program = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_string());
    let output = Command::new(program).args(["--variable=libdir", "gray"]).output().ok()?;
    let folder = String::from_utf8(output.stdout).ok()?.trim().to_string();
    (output.status.success() && !folder.is_empty()).then_some(folder)
}
