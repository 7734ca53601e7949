//! The records, as `.npy` files and as Parquet.

use std::path::Path;

use npy_core::{NpyRecord, WriteNpy};
use npy_datafusion::NpyOptions;

use crate::Result;

/// The number of files of each format.
pub(crate) const FILES: usize = 4;

/// A packed record of 25 bytes.
#[derive(NpyRecord, Clone, Copy)]
struct Tick {
    id: u32,
    time: i64,
    x: f64,
    y: f32,
    flag: bool,
}

/// Writes the files. The numbers are random, and the same in each run.
pub(crate) async fn write(directory: &Path, rows: usize) -> Result<()> {
    let mut state = 42u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(state >> 32).unwrap_or_default()
    };
    let ctx = npy_datafusion::session();
    for file in 0..FILES {
        let from = rows * file / FILES;
        let ticks: Vec<Tick> = (from..rows * (file + 1) / FILES)
            .map(|n| Tick {
                id: random() % 1000,
                time: 1_700_000_000_000 + i64::try_from(n).unwrap_or_default(),
                x: f64::from(random()) / 4_294_967_296.0,
                y: f32::from(u16::try_from(random() >> 16).unwrap_or_default()) / 65_536.0,
                flag: random() % 2 == 0,
            })
            .collect();
        let npy = directory.join(format!("{file}.npy"));
        ticks.write_npy(&npy)?;
        // One file as pyarrow and pandas write it: compressed with Snappy.
        let parquet = directory.join(format!("{file}.parquet"));
        let name = format!("t{file}");
        npy_datafusion::register(&ctx, &name, &npy.display().to_string(), NpyOptions::default())
            .await?;
        let sql = format!(
            "COPY (SELECT * FROM {name}) TO '{}' OPTIONS (compression 'snappy')",
            parquet.display()
        );
        ctx.sql(&sql).await?.collect().await?;
    }
    Ok(())
}
