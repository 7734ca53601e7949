use npy_core::{NpyRecord, ZeroCopy};

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[repr(C)]
struct Sample {
    good: u8,
    bad: bool,
}

fn main() {}
