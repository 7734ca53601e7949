use npy_core::{NpyView, NpyRecord, ZeroCopy};

// What NpyRecord reports, ZeroCopy does not report again.
#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[npy(alin)]
#[repr(C)]
struct Sample {
    #[npy(renam = "x")]
    value: f64,
    more: u8,
}

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[repr(C)]
struct Borrowed<'a> {
    value: &'a f64,
}

fn main() {
    let _ = NpyView::<Sample>::from_bytes(&[]);
}
