use npy_core::{ArrayView, NpyRecord, ZeroCopy};

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
struct Sample {
    value: f64,
}

// The struct is used: that must be no error of its own.
fn main() {
    let _ = ArrayView::<Sample>::from_bytes(&[]);
}
