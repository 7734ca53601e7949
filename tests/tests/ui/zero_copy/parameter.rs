use npy_core::{ArrayView, NpyRecord, ZeroCopy};

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[repr(C)]
struct Trace<T> {
    samples: [T; 3],
}

fn main() {
    let _ = ArrayView::<Trace<bool>>::from_bytes(&[]);
}
