use npy_core::{NpyRecord, ZeroCopy};

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[repr(C)]
struct Sample {
    flag: u8,
    value: f64,
}

fn main() {}
