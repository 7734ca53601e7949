// advice: derive(npy_core::NpyRecord)
struct Trace {
    gain: f32,
}

fn main() -> npy_core::Result<()> {
    let traces: Vec<Trace> = npy_core::load("traces.npy")?;
    Ok(())
}
