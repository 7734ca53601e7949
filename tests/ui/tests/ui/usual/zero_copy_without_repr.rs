// advice: #[repr(C)]
use npy_core::{NpyRecord, ZeroCopy};

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
struct Trace {
    gain: f32,
}

fn main() {}
