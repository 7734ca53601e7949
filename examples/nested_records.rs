//! Nested records in a mapped file: opened at once, whatever its size, to read a row, a column and a summary.
//!
//! `cargo run --example nested_records`

// Opening a map is `unsafe`: the caller promises that nobody changes or shortens the file meanwhile.
#![allow(unsafe_code)]

use npy_core::{ByteStr, Map, NpyRecord, WriteNpy, ZeroCopy};

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy)]
#[repr(C)]
struct Statistics {
    mean: f64,
    low: f64,
    high: f64,
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy)]
#[repr(C)]
struct Station {
    code: ByteStr<8>,
    temperature: Statistics,
    wind: [Statistics; 2],
}

fn main() -> npy_core::Result<()> {
    let path = "target/examples/stations.npy";
    std::fs::create_dir_all("target/examples")?;
    let stations: Vec<Station> = (0..100_000).map(station).collect();
    stations.write_npy(path)?;

    // SAFETY: nobody else has this file.
    let map = unsafe { Map::<Station>::open(path)? };
    println!("{} stations: {}", map.len(), map.header().dtype());
    // A row, in place in the file.
    println!("{:?}", map[42_000]);
    // A field of every record; it may be in a nested record.
    let means = map.column::<f64>("temperature.mean")?;
    let (low, high) = means
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), mean| (low.min(mean), high.max(mean)));
    println!("means from {low:.2} to {high:.2} degrees");
    // It may also be in an item of a sub-array.
    let gusts = map.column::<f64>("wind[1].high")?;
    println!("highest gust: {:.2?} m/s", gusts.iter().reduce(f64::max));
    // A map is a slice of its items, with all methods of a slice.
    let coldest = map.iter().min_by(|a, b| a.temperature.low.total_cmp(&b.temperature.low));
    println!("coldest: {:?}", coldest.map(|station| station.code));
    Ok(())
}

/// Returns made-up figures.
fn station(i: u32) -> Station {
    let statistics =
        |mean: f64, spread: f64| Statistics { mean, low: mean - spread, high: mean + spread };
    let x = f64::from(i) / 1000.0;
    Station {
        code: format!("S{i:05}").as_str().try_into().unwrap_or_default(),
        temperature: statistics(10.0 + x.sin() * 15.0, 5.0 + x.cos()),
        wind: [statistics(4.0, 2.0), statistics(x.cos() * 3.0, 1.0)],
    }
}
