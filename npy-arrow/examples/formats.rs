//! A file of records as Parquet and as Arrow's IPC format (Feather), and back, block by block.
//!
//! `cargo run -p npy-arrow --example formats`, then in Python: `pd.read_parquet("target/examples/ticks.parquet")`.

use std::error::Error;
use std::fs::File;

use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use npy_arrow::{Batches, Options, rows};
use npy_core::time::Us;
use npy_core::{DateTime64, NpyRecord, Reader, WriteNpy, Writer};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Tick {
    id: u32,
    time: DateTime64<Us>,
    price: f64,
    #[npy(width = 4)]
    venue: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all("target/examples")?;
    let path = |end: &str| format!("target/examples/ticks.{end}");
    let tick = |n: u32| Tick {
        id: n % 100,
        time: DateTime64::new(1_700_000_000_000_000 + i64::from(n)),
        price: f64::from(n) / 4.0,
        venue: if n.is_multiple_of(2) { "XETR".into() } else { "XPAR".into() },
    };
    let ticks: Vec<Tick> = (0..100_000).map(tick).collect();
    ticks.write_npy(path("npy"))?;

    // To Parquet, 10,000 rows at a time: a file may be larger than memory.
    let batches = Batches::new(Reader::open(path("npy"))?, &Options::new())?.with_rows(10_000);
    let schema = arrow_array::RecordBatchReader::schema(&batches);
    let mut parquet = ArrowWriter::try_new(File::create(path("parquet"))?, schema.clone(), None)?;
    let mut feather = FileWriter::try_new(File::create(path("feather"))?, &schema)?;
    for batch in batches {
        let batch = batch?;
        parquet.write(&batch)?;
        feather.write(&batch)?;
    }
    parquet.close()?;
    feather.finish()?;

    // And back: the same rows, and the same bytes.
    let mut writer = Writer::<Tick>::create(path("again.npy"))?;
    for batch in ParquetRecordBatchReaderBuilder::try_new(File::open(path("parquet"))?)?.build()? {
        writer.write_slice(&rows::<Tick>(&batch?, &Options::new())?)?;
    }
    writer.finish()?;
    assert_eq!(std::fs::read(path("again.npy"))?, std::fs::read(path("npy"))?);

    let mut count = 0;
    for batch in FileReader::try_new(File::open(path("feather"))?, None)? {
        count += rows::<Tick>(&batch?, &Options::new())?.len();
    }
    assert_eq!(count, ticks.len());
    for end in ["npy", "parquet", "feather"] {
        println!("{}: {} bytes", path(end), std::fs::metadata(path(end))?.len());
    }
    Ok(())
}

#[test]
fn the_files_come_back() -> Result<(), Box<dyn Error>> {
    main()
}
