//! The program of `docs/start/rust.md` that sets options.

use npy_core::{Cast, Limits, NpyRecord, ReadOptions, UncountedRows, WriteOptions};

#[derive(NpyRecord)]
struct Reading {
    time: f64,
    celsius: f32,
}

fn main() -> npy_core::Result<()> {
    // For a program that may be killed: rows that the header does not count are kept. `append` and
    // `append_or_create` of `Writer` refuse such a file.
    let mut options = WriteOptions::new();
    let mut writer = options.uncounted_rows(UncountedRows::Keep).append("readings.npy")?;
    writer.push(&Reading { time: 1.5, celsius: 19.0 })?;
    writer.sync()?; // these rows survive a loss of power; those of `flush` survive a kill
    writer.finish()?;

    // A file from a stranger: an array of more bytes is an error, and takes no memory. (A `String` takes up to 56 bytes
    // of memory for one of the file.)
    let mut limits = Limits::default();
    limits.array_bytes = Some(100 << 20);
    // Another dtype than that of the file, if it keeps each value: `f32` as `f64`.
    let mut options = ReadOptions::new();
    let mut reader = options.limits(limits).cast(Cast::Lossless).open("readings.npy")?;
    println!("{:?}", reader.read_column::<f64>("celsius")?);
    Ok(())
}
