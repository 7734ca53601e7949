use npy_core::{NpyRecord, WriteNpy};

#[derive(NpyRecord)]
struct Trace<T> {
    samples: [T; 3],
}

fn main() {
    let _ = [Trace { samples: ['a', 'b', 'c'] }].write_npy("x.npy");
}
