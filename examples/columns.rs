//! Records as one array per field, in one `.npz` file: convenient for pandas and plotting programs.
//!
//! `cargo run --example columns`, then in Python: `dict(np.load("target/examples/picks.npz"))`.

use npy_core::{NpyRecord, npz};

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Pick {
    station: u32,
    #[npy(rename = "t0")]
    time: f64,
    amplitude: [f32; 3],
}

fn main() -> npy_core::Result<()> {
    std::fs::create_dir_all("target/examples")?;
    let path = "target/examples/picks.npz";
    let pick = |n: u8| Pick {
        station: u32::from(n % 3),
        time: f64::from(n) / 4.0,
        amplitude: [f32::from(n), 0.5, -1.0],
    };
    let picks: Vec<Pick> = (0..100).map(pick).collect();

    // Each field becomes the member of its name; a field of three numbers adds a second dimension.
    let mut writer = npz::WriteOptions::new().deflate(6).create(path)?;
    writer.write_columns(&picks)?;
    writer.write("comment", "100 picks")?;
    writer.finish()?;

    let reader = npz::Reader::open(path)?;
    let names: Vec<String> = reader.names().map(str::to_owned).collect();
    for name in &names {
        let header = reader.header(name)?;
        println!("{name}: {} {:?}", header.dtype(), header.shape());
    }

    // One column by itself, and all of them as records again.
    let times: Vec<f64> = reader.read("t0")?;
    assert_eq!(times.last(), Some(&24.75));
    assert_eq!(reader.read_columns::<Pick>()?, picks);
    Ok(())
}
