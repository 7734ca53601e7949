//! A struct to a NumPy file and back.
//!
//! `cargo run --example quickstart`, then in Python: `np.load("target/examples/picks.npy")`.

use npy_core::{NpyRecord, ReadNpy, WriteNpy};

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Pick {
    station: u32,
    #[npy(rename = "t0")]
    time: f64,
    amplitude: [f32; 3],
}

fn main() -> npy_core::Result<()> {
    std::fs::create_dir_all("target/examples")?;

    // An array of numbers.
    let numbers = vec![1.0, 2.5, -3.0];
    numbers.write_npy("target/examples/numbers.npy")?;
    assert_eq!(Vec::<f64>::read_npy("target/examples/numbers.npy")?, numbers);

    // An array of records.
    let picks = vec![
        Pick { station: 7, time: 12.25, amplitude: [0.5, -1.0, 2.0] },
        Pick { station: 9, time: 12.75, amplitude: [0.25, 0.0, -4.0] },
    ];
    picks.write_npy("target/examples/picks.npy")?;
    assert_eq!(Vec::<Pick>::read_npy("target/examples/picks.npy")?, picks);

    let header = npy_core::Header::read_npy("target/examples/picks.npy")?;
    println!("numbers.npy: {numbers:?}");
    println!("picks.npy:   {} records of {}", header.count(), header.dtype());
    Ok(())
}
