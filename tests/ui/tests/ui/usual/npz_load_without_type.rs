// advice: `npz::load` needs its name, and `npz::Reader::open` none
fn main() -> npy_core::Result<()> {
    let x = npy_core::npz::load("x.npz")?;
    Ok(())
}
