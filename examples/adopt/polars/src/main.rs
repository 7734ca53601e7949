//! A structured array and a `DataFrame` of Polars, through a stream of Arrow: rows become columns, and columns rows.

use std::error::Error;
use std::io::Cursor;

use arrow_ipc::{reader::StreamReader, writer::StreamWriter};
use npy_arrow::{Options, into_record_batch, rows};
use npy_core::{NpyRecord, load, save};
use polars::prelude::{ChunkAgg, IpcStreamReader, IpcStreamWriter, SerReader, SerWriter};

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Tick {
    id: u32,
    price: f64,
    #[npy(width = 4)]
    venue: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("ticks.npy");
    let tick = |id, price, venue: &str| Tick { id, price, venue: venue.into() };
    let ticks = vec![tick(7, 1.5, "XETR"), tick(8, 2.5, "XPAR")];
    save(&path, &ticks)?; // np.save("ticks.npy", ticks)

    let batch = into_record_batch(load(&path)?, &Options::new())?;
    let mut stream = StreamWriter::try_new(Vec::new(), &batch.schema())?;
    stream.write(&batch)?;
    let mut frame = IpcStreamReader::new(Cursor::new(stream.into_inner()?)).finish()?;
    assert_eq!(frame.shape(), (2, 3));
    assert_eq!(frame.column("price")?.f64()?.sum(), Some(4.0));

    let mut stream = Vec::new();
    IpcStreamWriter::new(&mut stream).finish(&mut frame)?;
    let mut again = Vec::<Tick>::new();
    for batch in StreamReader::try_new(&stream[..], None)? {
        again.extend(rows::<Tick>(&batch?, &Options::new())?);
    }
    save(&path, &again)?;
    assert_eq!(load::<Vec<Tick>>(&path)?, ticks);
    Ok(())
}
