use npy_core::{NpyRecord, ZeroCopy};

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[repr(C)]
struct Inner {
    gain: f32,
}

// Aligned as C does it, around a struct that is not.
#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[npy(align)]
#[repr(C)]
struct Outer {
    flag: u8,
    inner: Inner,
}

fn main() {}
