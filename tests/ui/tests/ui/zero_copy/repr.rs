use npy_core::{NpyView, NpyRecord, ZeroCopy};

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
struct Sample {
    value: f64,
}

// The struct is used: that must be no error of its own.
fn main() {
    let _ = NpyView::<Sample>::from_bytes(&[]);
}
