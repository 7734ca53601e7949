// advice: name it, as in `npy_core::load::<Vec<f64>>(path)`
fn main() -> npy_core::Result<()> {
    let x = npy_core::load("x.npy")?;
    Ok(())
}
