//! The program of `docs/start/rust.md` with text, times and enums.

use npy_core::time::Ms;
use npy_core::{DateTime64, FixedStr, NpyElement, NpyRecord, Reader, save};

#[derive(NpyElement, Debug)]
#[repr(u8)] // the integer in the file: `|u1`
enum Phase {
    P = 1,
    S = 2,
}

#[derive(NpyRecord)]
struct Pick {
    station: FixedStr<5>, // `<U5`: up to five characters
    time: DateTime64<Ms>, // `<M8[ms]`: milliseconds since 1970, or "not a time"
    phase: Phase,
}

/// Reads the rows after the first `seen`. A reader has the rows that the header counted when it was
/// opened, so a program that follows a growing file opens it again.
fn rows_after(seen: usize) -> npy_core::Result<Vec<Pick>> {
    let mut reader = Reader::open("picks.npy")?;
    reader.seek_to(seen)?;
    reader.read_vec()
}

fn main() -> npy_core::Result<()> {
    let (station, time) = ("RJOB".parse()?, "2009-08-24T00:20:03.5".parse()?);
    let later = "2009-08-24T00:20:07".parse()?;
    save("picks.npy", &[
        Pick { station, time, phase: Phase::P },
        Pick { station, time: later, phase: Phase::S },
    ])?;
    for Pick { station, time, phase } in rows_after(1)? {
        println!("{station} {time} {phase:?}");
    }
    Ok(())
}
