use npy_core::{NpyRecord, ReadNpy, WriteNpy};

#[derive(NpyRecord)]
#[npy(align)]
struct Trace {
    #[npy(renam = "t0")]
    start: i64,
    #[npy(endian = "middle")]
    gain: f32,
}

// The struct is used: that must be no error of its own.
fn main() {
    let _ = Vec::<Trace>::read_npy("x.npy");
    let _ = [Trace { start: 0, gain: 0.0 }].write_npy("x.npy");
}
