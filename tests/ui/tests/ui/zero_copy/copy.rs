use npy_core::{NpyRecord, ZeroCopy};

#[derive(NpyRecord, ZeroCopy)]
#[repr(C)]
struct Sample {
    value: f64,
}

fn main() {}
