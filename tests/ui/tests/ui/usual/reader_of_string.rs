// advice: Vec<String>
fn main() -> npy_core::Result<()> {
    let mut reader = npy_core::Reader::open("names.npy")?;
    let names = reader.read_vec::<String>()?;
    Ok(())
}
