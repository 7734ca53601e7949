use npy_core::{NpyRecord, ZeroCopy};

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[repr(C)]
struct Sample {
    value: f64,
    count: u32,
    flags: [u8; 3],
}

fn main() {}
