use npy_core::{NpyElement, NpyRecord, ZeroCopy};

#[derive(NpyElement, Clone, Copy)]
#[repr(u8)]
enum Phase {
    P = 1,
    S = 2,
}

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[repr(C)]
struct Pick {
    phase: Phase,
}

fn main() {}
