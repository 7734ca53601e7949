// advice: npy_core::NpyArray<T>
use npy_core::ReadNpy;

fn main() -> npy_core::Result<()> {
    let rows = Vec::<Vec<f64>>::read_npy("rows.npy")?;
    Ok(())
}
