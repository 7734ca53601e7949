use npy_core::{NpyView, NpyRecord, ZeroCopy};

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[repr(C)]
struct Trace<T> {
    samples: [T; 3],
}

fn main() {
    let _ = NpyView::<Trace<bool>>::from_bytes(&[]);
}
