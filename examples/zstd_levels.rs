//! Measures what the levels of Zstandard cost beside those of deflate, on three kinds of data or on a file:
//! `cargo run --release -p npy-examples --features zstd-write --example zstd_levels [FILE.npy]`.

use std::io::Cursor;
use std::time::Instant;

use npy_core::{DynArray, NpyArray, ReadNpy, Result, WriteNpy, npz};

/// The number of values of each kind.
const COUNT: usize = 4 << 20;

fn main() -> Result<()> {
    let arrays = match std::env::args().nth(1) {
        Some(path) => vec![(path.clone(), DynArray::read_npy(path)?)],
        None => kinds()?,
    };
    for (name, array) in arrays {
        println!("{name}\n\n| | size | write | read |\n|---|---|---|---|");
        for level in [1, 6, 9] {
            measure(&array, &format!("deflate {level}"), npz::WriteOptions::new().deflate(level))?;
        }
        for level in [1, 3, 6, 9, 12, 19] {
            measure(&array, &format!("zstd {level}"), npz::WriteOptions::new().zstd(level))?;
        }
        println!();
    }
    Ok(())
}

/// Prints a line of the table: the best of three rounds.
fn measure(array: &DynArray, name: &str, options: &npz::WriteOptions) -> Result<()> {
    let megabytes = array.as_bytes().len() as f64 / 1e6;
    let (mut write, mut read) = (f64::INFINITY, f64::INFINITY);
    let mut size = 0;
    for _ in 0..3 {
        let start = Instant::now();
        let mut writer = options.writer(Cursor::new(Vec::new()))?;
        writer.write("x", array)?;
        let file = writer.finish()?;
        write = write.min(start.elapsed().as_secs_f64());
        size = file.get_ref().len();
        let start = Instant::now();
        let found: DynArray = npz::Reader::new(file)?.read("x")?;
        read = read.min(start.elapsed().as_secs_f64());
        assert_eq!(found.as_bytes(), array.as_bytes());
    }
    let percent = size as f64 / 1e4 / megabytes;
    let (write, read) = (megabytes / write, megabytes / read);
    println!("| {name} | {percent:.1} % | {write:.0} MB/s | {read:.0} MB/s |");
    Ok(())
}

/// Returns a measured signal, counters, and a mask.
#[expect(clippy::cast_possible_truncation, reason = "numbers of a signal")]
fn kinds() -> Result<Vec<(String, DynArray)>> {
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    let signal = (0..COUNT).map(|i| ((i as f64 / 50.0).sin() * 8.0 + random() * 0.06) as f32);
    let counters = (1_700_000_000_000..).step_by(1000).take(COUNT);
    let mask = (0..COUNT).map(|i| (i / 977) % 5 == 0);
    Ok(vec![
        (
            "A signal with noise, f4".into(),
            any(NpyArray::new(signal.collect::<Vec<f32>>(), [COUNT])?)?,
        ),
        (
            "Times in steps of a second, i8".into(),
            any(NpyArray::new(counters.collect::<Vec<i64>>(), [COUNT])?)?,
        ),
        ("A mask, bool".into(), any(NpyArray::new(mask.collect::<Vec<bool>>(), [COUNT])?)?),
    ])
}

/// Returns an array without its type.
fn any(array: impl WriteNpy) -> Result<DynArray> {
    let mut file = Vec::new();
    array.write_npy_to(&mut file)?;
    DynArray::read_npy_from(&file[..])
}
