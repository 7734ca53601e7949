//! An archive as a store: read from several threads, changed in place, whole at any moment.
//!
//! `cargo run --example store`

use std::collections::HashMap;
use std::thread;

use npy_core::{NpyArray, npz};

fn main() -> npy_core::Result<()> {
    let directory = std::env::temp_dir().join(format!("npy-store-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let path = directory.join("runs.npz");

    // Arrays by name; `np.savez_compressed`.
    let runs: HashMap<String, Vec<f64>> =
        (0..8).map(|run| (format!("run {run}"), vec![f64::from(run); 1000])).collect();
    npz::save_compressed(&path, &runs)?;

    // A reader is shared: its clones read the same file, each member when it is asked for.
    let reader = npz::Reader::open(&path)?;
    println!("{reader:?}");
    let sums: Vec<_> = (0..2)
        .map(|half| {
            let reader = reader.clone();
            thread::spawn(move || -> npy_core::Result<f64> {
                (0..4)
                    .map(|run| reader.read::<Vec<f64>>(&format!("run {}", 4 * half + run)))
                    .map(|run| Ok(run?.iter().sum::<f64>()))
                    .sum()
            })
        })
        .collect();
    for sum in sums {
        println!("sum of four runs: {}", sum.join().expect("no panic")?);
    }

    // Members are replaced, renamed and removed. Until `finish` the file is the old one, and then it is the new one.
    let mut editor = npz::Editor::open(&path)?;
    editor.write("run 0", &NpyArray::new(vec![1.5; 6], [2, 3])?)?;
    editor.rename("run 1", "baseline")?;
    editor.remove("run 2")?;
    editor.finish()?;

    // Members go from one archive to another as they are, without being decoded.
    let other = directory.join("baseline.npz");
    npz::save(&other, &HashMap::<String, Vec<f64>>::new())?;
    let mut editor = npz::Editor::open(&other)?;
    editor.copy_from(&npz::Reader::open(&path)?, "baseline")?;
    editor.finish()?;
    assert_eq!(npz::Reader::open(&other)?.read::<Vec<f64>>("baseline")?, vec![1.0; 1000]);
    assert_eq!(npz::Reader::open(&path)?.len(), 7);
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}
