// advice: derive(npy_core::NpyRecord)
use npy_core::ReadNpy;

struct Trace {
    gain: f32,
}

fn main() -> npy_core::Result<()> {
    let traces = Vec::<Trace>::read_npy("traces.npy")?;
    Ok(())
}
