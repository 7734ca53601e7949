//! The program of `docs/start/rust.md`.

use npy_core::{NpyRecord, Writer, load, save};

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Reading {
    time: f64,
    celsius: f32,
}

fn main() -> npy_core::Result<()> {
    // A file of records: the array that NumPy calls structured.
    let readings = vec![
        Reading { time: 0.0, celsius: 20.5 },
        Reading { time: 0.5, celsius: 21.0 },
    ];
    save("readings.npy", &readings)?;

    // One more, at the end of the file. `finish` says that all was written.
    let mut writer = Writer::<Reading>::append("readings.npy")?;
    writer.push(&Reading { time: 1.0, celsius: 19.5 })?;
    writer.finish()?;

    let all: Vec<Reading> = load("readings.npy")?;
    println!("{} readings, the last one {:?}", all.len(), all[2]);
    Ok(())
}
