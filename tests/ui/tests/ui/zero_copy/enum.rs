use npy_core::{NpyView, NpyElement, ZeroCopy};

#[derive(NpyElement, ZeroCopy, Clone, Copy)]
#[repr(u8)]
enum Phase {
    P = 1,
    S = 2,
}

// The enum is used: that must be no error of its own.
fn main() {
    let _ = NpyView::<Phase>::from_bytes(&[]);
}
