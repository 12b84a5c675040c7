// SPDX-License-Identifier: MIT
// A linear complementarity problem, w = M z + q >= 0, z >= 0, w'z = 0, by the library's core in memory of our own.
use std::{os::raw::c_int, ptr};

#[repr(C)]
struct Arena {
    memory: *mut u8,
    size: usize,
    used: usize,
}

#[repr(C)]
struct Problem {
    n: c_int,
    m: *const f64,
    q: *const f64,
    lo: *const f64,
    hi: *const f64,
}

#[repr(C)]
struct Options {
    method: c_int,
    max_pivots: c_int,
    tolerance: f64,
    warm: bool,
}

#[repr(C)]
struct Solution {
    z: *mut f64,
    w: *mut f64,
    ray: *mut f64,
    active: *mut u8,
    method: c_int,
    pivots: c_int,
    residual: f64,
}

// opaque here, with room to spare
#[repr(C, align(16))]
struct Work([u8; 1024]);

extern "C" {
    fn tact_lcp_options_default() -> Options;
    fn tact_lcp_place(work: *mut Work, n: c_int, doubled: c_int, arena: *mut Arena);
    fn tact_lcp_solution_place(solution: *mut Solution, n: c_int, arena: *mut Arena);
    fn tact_lcp_solve(problem: *const Problem, options: *const Options, work: *mut Work, solution: *mut Solution) -> c_int;
    fn tact_status_name(status: c_int) -> *const std::os::raw::c_char;
}

fn main() {
    let m = [2.0, 1.0, 1.0, 2.0];
    let q = [-5.0, -6.0];
    let problem = Problem { n: 2, m: m.as_ptr(), q: q.as_ptr(), lo: ptr::null(), hi: ptr::null() };
    let mut work = Work([0; 1024]);
    let mut solution = Solution {
        z: ptr::null_mut(), w: ptr::null_mut(), ray: ptr::null_mut(), active: ptr::null_mut(), method: 0, pivots: 0, residual: 0.0,
    };
    // an arena without memory measures, one with memory places
    let mut arena = Arena { memory: ptr::null_mut(), size: 0, used: 0 };
    let mut memory: Vec<u8> = Vec::new();
    for _ in 0..2 {
        memory.resize(arena.used, 0);
        arena = Arena { memory: if memory.is_empty() { ptr::null_mut() } else { memory.as_mut_ptr() }, size: memory.len(), used: 0 };
        unsafe {
            tact_lcp_place(&mut work, 2, -1, &mut arena);
            tact_lcp_solution_place(&mut solution, 2, &mut arena);
        }
    }
    let (status, name, z) = unsafe {
        let options = tact_lcp_options_default();
        let status = tact_lcp_solve(&problem, &options, &mut work, &mut solution);
        (status, std::ffi::CStr::from_ptr(tact_status_name(status)), std::slice::from_raw_parts(solution.z, 2))
    };
    println!("{} {} {}", name.to_string_lossy(), z[0], z[1]);
    std::process::exit((status != 0) as i32);
}
