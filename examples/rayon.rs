//! A mapped file is summed by all cores, and the columns of its records, too.
//!
//! `cargo run --example rayon`

use npy_core::{Map, MapAny, NpyRecord, WriteNpy, ZeroCopy};
use rayon::prelude::*;

#[derive(NpyRecord, ZeroCopy, Clone, Copy)]
#[repr(C, packed)]
struct Sample {
    channel: u16,
    value: f32,
}

fn main() -> npy_core::Result<()> {
    let path = std::env::temp_dir().join(format!("npy-rayon-{}.npy", std::process::id()));
    let samples: Vec<Sample> = (0..1_000_000u32)
        .map(|n| Sample { channel: (n % 4) as u16, value: (n % 100) as f32 })
        .collect();
    samples.write_npy(&path)?;

    // SAFETY: no other program changes the file while it is mapped.
    #[allow(unsafe_code)]
    let map = unsafe { Map::<Sample>::open(&path)? };

    // Records: a map is a slice, which rayon divides.
    let first_channel: f64 = map
        .as_slice()
        .par_chunks(64 << 10)
        .map(|part| {
            part.iter()
                .filter(|sample| sample.channel == 0)
                .map(|sample| f64::from(sample.value))
                .sum::<f64>()
        })
        .sum();

    // One field: ranges of a column, each iterated by one thread.
    let values = map.column::<f32>("value")?;
    let starts: Vec<usize> = (0..values.len()).step_by(64 << 10).collect();
    let sum: f64 = starts
        .into_par_iter()
        .filter_map(|start| values.range(start..values.len().min(start + (64 << 10))))
        .map(|part| part.iter().map(f64::from).sum::<f64>())
        .sum();
    println!("{} samples: sum {sum}, of the first channel {first_channel}", values.len());

    // A file of any layout is decoded by several threads, each its own rows.
    // SAFETY: as before.
    #[allow(unsafe_code)]
    let any = unsafe { MapAny::open(&path)? };
    let rows = any.header().count();
    let decoded: f64 = (0..rows.div_ceil(100_000))
        .into_par_iter()
        .map(|block| any.read::<Sample>(block * 100_000..rows.min((block + 1) * 100_000)))
        .map(|part| part.map(|part| part.iter().map(|sample| f64::from(sample.value)).sum::<f64>()))
        .sum::<npy_core::Result<f64>>()?;
    assert_eq!(sum, decoded);
    assert_eq!(sum, samples.iter().map(|sample| f64::from(sample.value)).sum::<f64>());
    drop((map, any));
    std::fs::remove_file(&path)?;
    Ok(())
}
