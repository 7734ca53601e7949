// advice: `Vec<T>` for one dimension
fn main() -> npy_core::Result<()> {
    let x: std::collections::HashMap<String, f32> = npy_core::load("x.npy")?;
    Ok(())
}
