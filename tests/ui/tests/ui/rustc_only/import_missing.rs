// The message is of rustc alone: `npy_core::load` has one with the advice.
fn main() -> npy_core::Result<()> {
    let x = Vec::<f32>::read_npy("x.npy")?;
    Ok(())
}
