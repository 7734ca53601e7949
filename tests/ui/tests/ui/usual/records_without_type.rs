// advice: no type is named, name that of an element
fn main() -> npy_core::Result<()> {
    for row in npy_core::Reader::open("x.npy")?.records()? {
        let row = row?;
    }
    Ok(())
}
