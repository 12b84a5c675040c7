// SPDX-License-Identifier: MIT
// Compiles tact.c, which `make amalgam` writes, without any crate: TACT_AMALGAM names its folder.
use std::{env, path::PathBuf, process::Command};

fn run(command: &mut Command) {
    let status = command.status().expect("the compiler or ar cannot be started");
    assert!(status.success(), "{command:?} failed");
}

fn main() {
    let folder = PathBuf::from(env::var("TACT_AMALGAM").expect("TACT_AMALGAM: the folder with tact.c and tact.h"));
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let object = out.join("tact.o");
    let compiler = env::var("CC").unwrap_or("cc".into());
    // the flags that keep the numbers the same everywhere
    run(Command::new(compiler)
        .args(["-O2", "-std=c11", "-fPIC", "-ffp-contract=off", "-fno-fast-math", "-c"])
        .arg(folder.join("tact.c"))
        .arg("-o")
        .arg(&object));
    run(Command::new("ar").arg("crs").arg(out.join("libtact.a")).arg(&object));
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=tact");
    println!("cargo:rustc-link-lib=m");
    println!("cargo:rerun-if-env-changed=TACT_AMALGAM");
}
