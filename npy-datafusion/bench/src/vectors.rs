//! The ten nearest of many vectors, by one thread: the engine, and NumPy with a map of the file.

use std::fmt::Write as _;

use datafusion::prelude::{SessionConfig, SessionContext};
use npy_core::{NpyArray, WriteNpy};
use npy_datafusion::NpyOptions;

use crate::engine::cpu_ms;
use crate::numpy::Numpy;
use crate::{Result, engine, report};

/// The number of `f32` of a vector.
const SIZE: usize = 256;

/// The goal: at most this multiple of NumPy's time, and a fifth more, as machines differ.
const GOAL: f64 = 1.5;

/// The elements of the query, which `numpy.py` makes, too.
fn query() -> impl Iterator<Item = f64> {
    (0..SIZE as u16).map(|n| f64::from((n * 37) % 101) / 101.0 - 0.5)
}

/// Measures both, and prints a line.
pub(crate) async fn run(rows: usize, rounds: usize) -> Result<()> {
    let mut state = 7u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from(u16::try_from(state >> 16).unwrap_or_default()) / 65_536.0 - 0.5
    };
    let values: Vec<f32> = (0..rows * SIZE).map(|_| random()).collect();
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("vectors.npy");
    NpyArray::new(values, [rows, SIZE])?.write_npy(&path)?;
    let ctx: SessionContext =
        npy_datafusion::session_with_config(SessionConfig::new().with_target_partitions(1));
    let location = path.display().to_string();
    npy_datafusion::register(&ctx, "t", &location, NpyOptions::default()).await?;
    let mut list = String::new();
    for value in query() {
        write!(list, "{value:?}, ")?;
    }
    let list = list.trim_end_matches(", ");
    let sql = format!("SELECT 0, npy_dot(value, [{list}]) AS d FROM t ORDER BY d DESC LIMIT 10");
    let mut numpy = Numpy::start(directory.path())?;
    let (mut own, mut theirs) = (Vec::new(), Vec::new());
    // The first round fills caches, and is not counted.
    for round in 0..=rounds {
        let start = cpu_ms();
        let found = ctx.sql(&sql).await?.collect().await?;
        let cpu = cpu_ms() - start;
        let mut sum = 0.0;
        for batch in &found {
            sum += engine::sum_of(batch)?;
        }
        let (cpu_numpy, sum_numpy) = numpy.ask("nearest")?;
        // NumPy adds in 32 bits.
        if (sum - sum_numpy).abs() > 1e-3 {
            return Err(format!("nearest: the results differ: {sum} and {sum_numpy}").into());
        }
        if round > 0 {
            own.push(cpu);
            theirs.push(cpu_numpy);
        }
    }
    let ratios: Vec<f64> = own.iter().zip(&theirs).map(|(own, theirs)| own / theirs).collect();
    let ratio = report::median(&ratios);
    let mark = if ratio > 1.2 * GOAL { " ✗" } else { "" };
    println!("\nThe ten nearest of {rows} vectors of {SIZE} f32, one thread, CPU ms\n");
    println!(
        "| `ORDER BY npy_dot(value, […]) DESC LIMIT 10` | `X @ q`, argpartition | ratio |\n|---|---|---|"
    );
    println!("| {:.1} | {:.1} | {ratio:.2}{mark} |", report::median(&own), report::median(&theirs));
    Ok(())
}
