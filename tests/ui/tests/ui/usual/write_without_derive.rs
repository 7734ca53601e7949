// advice: derive(npy_core::NpyRecord)
struct Trace {
    gain: f32,
}

fn main() -> npy_core::Result<()> {
    npy_core::save("traces.npy", &vec![Trace { gain: 1.0 }])
}
