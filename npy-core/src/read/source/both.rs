//! Two threads that fill one room: this one from the front, the other from behind, until they meet.

use std::io::{Error, Read, Result};
use std::iter::Enumerate;
use std::slice::ChunksMut;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{Placed, Source, read_full};
use crate::limits;

/// What is done with each part as soon as it is read.
pub(super) type Turn<'t> = &'t (dyn Fn(&mut [u8]) + Sync);

/// The parts that nobody has begun to read.
type Parts<'r> = Mutex<Enumerate<ChunksMut<'r, u8>>>;

/// Where bytes are missing first, and why if the system says so.
struct Gap {
    at: usize,
    result: Result<()>,
}

/// Fills `room`, `part` bytes at a time, with what comes next, which is also what `file` gives; tells how many bytes are there from its start.
pub(super) fn fill<R: Read>(
    source: &mut Source<R>,
    file: &Placed,
    room: &mut [u8],
    part: usize,
    turn: Turn<'_>,
) -> Result<usize> {
    let whole = room.len();
    let parts = Mutex::new(room.chunks_mut(part).enumerate());
    let (found, gap) = thread::scope(|scope| {
        let work = || from_behind(file, &parts, part, turn);
        // Where the system has no thread for it, this one reads all.
        let other = thread::Builder::new().name("npy-read".into()).spawn_scoped(scope, work);
        let found = from_the_front(source, &parts, turn);
        let gap = other.map_or(Ok(None), |other| other.join());
        (found, gap.unwrap_or_else(|_| Some(Gap { at: 0, result: Err(broken()) })))
    });
    let (found, met) = found?;
    if !met {
        return Ok(found);
    }
    // Here the other thread has begun, or is at its end.
    let end = gap.as_ref().map_or(whole, |gap| gap.at.max(found));
    source.took(end.saturating_sub(found));
    gap.map_or(Ok(()), |gap| gap.result)?;
    Ok(end)
}

/// Reads parts until there are no more; tells how many bytes, and whether all of each was there.
fn from_the_front<R: Read>(
    source: &mut Source<R>,
    parts: &Parts<'_>,
    turn: Turn<'_>,
) -> Result<(usize, bool)> {
    let mut found = 0usize;
    loop {
        let Some((_, part)) = lock(parts).next() else { return Ok((found, true)) };
        let read = source.fill_slice(part);
        if !matches!(read, Ok(read) if read == part.len()) {
            // What comes behind is of no use.
            lock(parts).by_ref().for_each(drop);
            return read.map(|read| (found.saturating_add(read), false));
        }
        turn(part);
        found = found.saturating_add(part.len());
    }
}

/// Reads parts from the last one on until there are no more.
fn from_behind(file: &Placed, parts: &Parts<'_>, size: usize, turn: Turn<'_>) -> Option<Gap> {
    let mut gap = None;
    loop {
        let Some((index, part)) = lock(parts).next_back() else { return gap };
        let at = index.saturating_mul(size);
        let (read, result) = read_full(&mut file.at(limits::to_u64(at)), part);
        turn(part);
        if read < part.len() {
            gap = Some(Gap { at: at.saturating_add(read), result });
        }
    }
}

/// Nobody panics who has it.
fn lock<'p, 'r>(parts: &'p Parts<'r>) -> MutexGuard<'p, Enumerate<ChunksMut<'r, u8>>> {
    parts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What there is to say of a thread that panicked.
fn broken() -> Error {
    Error::other("the second thread has ended before its time")
}
