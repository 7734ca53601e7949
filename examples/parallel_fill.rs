//! Several processes fill one array together: each maps the file and writes its own rows.
//!
//! `cargo run --example parallel_fill`

// Opening a map is `unsafe`: the callers promise that nobody else touches their rows meanwhile.
#![allow(unsafe_code)]

use std::process::{Command, ExitStatus};

use npy_core::{MapMut, NpyArray, ReadNpy};

const PATH: &str = "target/examples/filled.npy";
const ROWS: usize = 4_000;
const COLUMNS: usize = 250;
const WORKERS: usize = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Some(worker) = std::env::args().nth(1) {
        return fill(worker.parse()?);
    }
    std::fs::create_dir_all("target/examples")?;
    // The file is all zeros, and has its final size.
    // SAFETY: nobody else has this file yet.
    drop(unsafe { MapMut::<f64>::create(PATH, &[ROWS, COLUMNS])? });

    let workers: Vec<_> = (0..WORKERS)
        .map(|worker| Command::new(std::env::current_exe()?).arg(worker.to_string()).spawn())
        .collect::<Result<_, std::io::Error>>()?;
    for mut worker in workers {
        let status: ExitStatus = worker.wait()?;
        assert!(status.success(), "{status}");
    }

    let array = NpyArray::<f64>::read_npy(PATH)?;
    assert!(array.as_slice_memory_order().iter().enumerate().all(|(i, x)| *x == value(i)));
    println!("{WORKERS} processes filled {:?} in {PATH}", array.shape());
    Ok(())
}

/// Fills the rows of one worker.
fn fill(worker: usize) -> Result<(), Box<dyn std::error::Error>> {
    // SAFETY: each worker reads and changes only its own rows.
    let mut map = unsafe { MapMut::<f64>::open(PATH)? };
    let share = ROWS / WORKERS * COLUMNS;
    let start = worker * share;
    // Within a process, threads share a map in the same way.
    let (first, second) = map[start..start + share].split_at_mut(share / 2);
    std::thread::scope(|scope| {
        scope.spawn(|| set(first, start));
        scope.spawn(|| set(second, start + share / 2));
    });
    Ok(map.flush()?)
}

fn set(items: &mut [f64], start: usize) {
    items.iter_mut().enumerate().for_each(|(i, slot)| *slot = value(start + i));
}

fn value(i: usize) -> f64 {
    i as f64 / 2.0
}
