use npy_core::ZeroCopy;

#[derive(ZeroCopy, Clone, Copy)]
#[repr(C)]
struct Sample {
    value: f64,
}

fn main() {}
