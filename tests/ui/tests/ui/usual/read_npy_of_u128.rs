// advice: [u64; 2]
use npy_core::{NpyArray, ReadNpy};

fn main() -> npy_core::Result<()> {
    let ids = NpyArray::<u128>::read_npy("ids.npy")?;
    Ok(())
}
