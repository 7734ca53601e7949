use npy_core::{ArrayView, NpyElement, ZeroCopy};

#[derive(NpyElement, ZeroCopy, Clone, Copy)]
#[repr(u8)]
enum Phase {
    P = 1,
    S = 2,
}

// The enum is used: that must be no error of its own.
fn main() {
    let _ = ArrayView::<Phase>::from_bytes(&[]);
}
