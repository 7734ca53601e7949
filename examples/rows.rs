//! Arrays whose width is known when the program runs: written and read row by row, into memory that is there, in parts, and without a header.
//!
//! `cargo run --example rows`

use npy_core::{Cast, NpyView, Order, ReadOptions, Reader, RowWriter, WriteNpy, WriteOptions};

fn main() -> npy_core::Result<()> {
    let directory = std::env::temp_dir().join(format!("npy-rows-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let path = directory.join("spectra.npy");

    // One spectrum after another, as an instrument delivers them. The file appears when it is finished.
    let channels = 64;
    let mut writer = WriteOptions::new().atomic(true).create_rows::<f64>(&path, &[channels])?;
    for n in 0..1000u16 {
        let spectrum: Vec<f64> =
            (0..channels).map(|channel| f64::from(n) + channel as f64 / 64.0).collect();
        writer.push_row(&spectrum)?;
    }
    writer.finish()?;
    let mut writer = RowWriter::<f64>::append(&path)?;
    writer.push_row(&vec![0.0; channels])?;
    writer.finish()?;

    // Rows are lent, one or several at a time.
    let mut reader = Reader::open(&path)?;
    let mut rows = reader.rows::<f64>()?;
    let mut largest = 0f64;
    while let Some(ten) = rows.next_rows(10)? {
        largest = ten.chunks(channels).map(|row| row[0]).fold(largest, f64::max);
    }
    println!("the largest first channel: {largest}");

    // Into memory that is there, as another type: what does not fit would be an error that names the row.
    let mut values = vec![0f32; 1001 * channels];
    ReadOptions::new().cast(Cast::Checked).open(&path)?.read_into(&mut values)?;
    assert_eq!(values[5 * channels], 5.0);

    // The first rows of a large file, whatever its dtype.
    let first = Reader::open(&path)?.read_dyn_chunk(5)?;
    println!("{} of shape {:?}", first.dtype(), first.shape());

    // A slice with a shape is written without a copy, in the other order, too.
    let view = NpyView::new(&values, [1001, channels])?;
    view.write_npy(directory.join("single.npy"))?;
    WriteOptions::new().order(Order::Fortran).write(directory.join("fortran.npy"), &view)?;

    // Data without a header, as `tofile` writes it.
    let raw = directory.join("raw.bin");
    std::fs::write(&raw, first.as_bytes())?;
    let mut reader = Reader::open_headerless(&raw, "<f8".parse()?, &[channels])?;
    assert_eq!(reader.header().shape(), [5, channels]);
    assert_eq!(reader.rows::<f64>()?.next_row()?.map(|row| row[0]), Some(0.0));
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}
