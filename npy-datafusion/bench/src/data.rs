//! The records, as `.npy` files and as Parquet.

use std::path::Path;

use npy_core::{NpyRecord, WriteNpy};
use npy_datafusion::NpyOptions;

use crate::Result;

/// The number of files of each format.
pub(crate) const FILES: usize = 4;

/// A packed record of 25 bytes.
#[derive(NpyRecord, Clone, Copy)]
pub(crate) struct Tick {
    id: u32,
    time: i64,
    x: f64,
    y: f32,
    flag: bool,
}

/// Random numbers, the same in each run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new() -> Self {
        Random(42)
    }

    fn next(&mut self) -> u32 {
        let (factor, step) = (6_364_136_223_846_793_005, 1_442_695_040_888_963_407);
        self.0 = self.0.wrapping_mul(factor).wrapping_add(step);
        u32::try_from(self.0 >> 32).unwrap_or_default()
    }

    pub(crate) fn tick(&mut self, time: i64) -> Tick {
        Tick {
            id: self.next() % 1000,
            time,
            x: f64::from(self.next()) / 4_294_967_296.0,
            y: f32::from(u16::try_from(self.next() >> 16).unwrap_or_default()) / 65_536.0,
            flag: self.next().is_multiple_of(2),
        }
    }
}

/// Writes the files.
pub(crate) async fn write(directory: &Path, rows: usize) -> Result<()> {
    let mut random = Random::new();
    let ctx = npy_datafusion::session();
    for file in 0..FILES {
        let from = rows * file / FILES;
        let ticks: Vec<Tick> = (from..rows * (file + 1) / FILES)
            .map(|n| random.tick(1_700_000_000_000 + i64::try_from(n).unwrap_or_default()))
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
