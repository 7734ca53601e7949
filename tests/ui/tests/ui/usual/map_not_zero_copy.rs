// advice: `npy_core::ZeroCopy` is not implemented for this type; derive it
use npy_core::{Map, NpyRecord};

#[derive(NpyRecord)]
struct Trace {
    gain: f32,
}

fn main() {
    // SAFETY: the file is ours alone.
    let map = unsafe { Map::<Trace>::open("traces.npy") };
}
