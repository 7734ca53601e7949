// advice: derive(npy_core::NpyRecord)
use npy_core::WriteNpy;

struct Trace {
    gain: f32,
}

fn main() -> npy_core::Result<()> {
    vec![Trace { gain: 1.0 }].write_npy("traces.npy")
}
