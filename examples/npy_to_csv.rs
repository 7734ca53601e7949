//! Any `.npy` file as CSV or JSON, for a colleague who has neither Python nor the Rust types.
//!
//! `cargo run --example npy_to_csv -- traces.npy` prints CSV, or JSON with `--json` before the file; one row per line. Without a file,
//! it makes a small one and prints that.

use std::error::Error;
use std::io::Write;

use npy_core::{DynArray, NpyRecord, ReadNpy, WriteNpy};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (json, path) = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => (false, sample()?),
        ["--json"] => (true, sample()?),
        [path] => (false, path.into()),
        ["--json", path] => (true, path.into()),
        _ => return Err("usage: npy_to_csv [--json] [FILE.npy]".into()),
    };
    let array = DynArray::read_npy(&path)?;
    let out = std::io::stdout().lock();
    if json { rows_as_json(&array, out) } else { rows_as_csv(&array, out) }
}

/// Prints one row per line. A field of a nested record is called `head.gain`, a value of a sub-array `samples.0`.
fn rows_as_csv(array: &DynArray, out: impl Write) -> Result<(), Box<dyn Error>> {
    let table = array.table()?;
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(table.names())?;
    table.rows().try_for_each(|row| csv.serialize(row))?;
    Ok(csv.flush()?)
}

fn rows_as_json(array: &DynArray, mut out: impl Write) -> Result<(), Box<dyn Error>> {
    for item in array.iter() {
        serde_json::to_writer(&mut out, &item)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Makes a sample file.
fn sample() -> npy_core::Result<std::path::PathBuf> {
    #[derive(NpyRecord)]
    struct Head {
        #[npy(width = 8)]
        station: String,
        gain: f32,
    }

    #[derive(NpyRecord)]
    struct Pick {
        head: Head,
        times: [f64; 2],
    }

    let pick =
        |station: &str, gain, times| Pick { head: Head { station: station.into(), gain }, times };
    let picks = [pick("RJOB", 0.5, [1.25, 2.5]), pick("FUR", 2.0, [3.0, f64::NAN])];
    let path = std::path::PathBuf::from("target/examples/picks_nested.npy");
    std::fs::create_dir_all("target/examples")?;
    picks.write_npy(&path)?;
    Ok(path)
}
