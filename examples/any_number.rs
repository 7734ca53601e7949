//! Files of whatever number: one place that handles every dtype, and a mask that is changed in place.
//!
//! `cargo run --example any_number`, or with files of your own as arguments.

// Opening a map is unsafe.
#![allow(unsafe_code)]

use npy_core::{AnyArray, Bool8, Cast, MapMut, NpyArray, ReadNpy, WriteNpy, for_any};

/// Returns the least and the greatest number; `None` for an array of something else, and for an empty one.
fn range(array: &AnyArray) -> Option<(f64, f64)> {
    for_any!(array, typed => {
        Number => {
            let numbers = typed.iter().map(|n| *n as f64);
            let (least, most) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), n| {
                (least.min(n), most.max(n))
            });
            (!typed.is_empty()).then_some((least, most))
        }
        _ => None,
    })
}

fn main() -> npy_core::Result<()> {
    std::fs::create_dir_all("target/examples")?;
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        paths =
            ["counts", "samples", "names"].map(|name| format!("target/examples/{name}.npy")).into();
        NpyArray::new(vec![3u16, 1, 2, 5, 0, 4], [2, 3])?.write_npy(&paths[0])?;
        [0.5f32, -2.5, 1.25].write_npy(&paths[1])?;
        ["RJOB", "RMOA"].write_npy(&paths[2])?;
    }
    for path in &paths {
        let array = AnyArray::read_npy(path)?;
        println!("{path}: {} {:?} {:?}", array.dtype(), array.shape(), range(&array));
        // One type for all that fit into it; the array is moved if it has this type already.
        if let Ok(values) = array.cast::<f64>(Cast::Lossless) {
            println!("  sum {}", values.iter().sum::<f64>());
        }
    }

    // A mask in a file: NumPy's bool, changed where it is.
    let path = "target/examples/mask.npy";
    // SAFETY: nobody else has this file.
    let mut mask = unsafe { MapMut::<Bool8>::create(path, &[1000])? };
    mask.iter_mut().step_by(3).for_each(|flag| *flag = true.into());
    println!("{path}: {} of {}", mask.iter().filter(|flag| flag.get()).count(), mask.len());
    mask.flush()?;
    Ok(())
}
