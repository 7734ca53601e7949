// The message is of rustc alone: `npy_core::load` has one with the advice.
use npy_core::ReadNpy;

struct Trace {
    gain: f32,
}

fn main() -> npy_core::Result<()> {
    let traces = Vec::<Trace>::read_npy("traces.npy")?;
    Ok(())
}
