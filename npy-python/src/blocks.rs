//! Reads a part of a file into memory, by one or more threads; each takes the next block.

use std::fs::File;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::interrupt;

/// The bytes that are read between two questions for signals.
const BLOCK: usize = 8 << 20;

/// Fills the memory with the bytes at this position of the file.
pub(crate) fn read(
    file: &File,
    position: u64,
    memory: &mut [u8],
    threads: usize,
) -> io::Result<()> {
    let blocks = memory.len().div_ceil(BLOCK);
    let positions = (0..).map(|i| position + i * BLOCK as u64);
    let work = Mutex::new(memory.chunks_mut(BLOCK).zip(positions));
    let stopped = AtomicBool::new(false);
    let each = |ask: fn() -> io::Result<()>| read_blocks(file, &work, &stopped, ask);
    thread::scope(|scope| {
        let others: Vec<_> =
            (1..threads.min(blocks)).map(|_| scope.spawn(|| each(|| Ok(())))).collect();
        // Only the thread of the caller may be the one whose signals Python handles.
        let mut result = each(interrupt::check);
        for other in others {
            let theirs = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            result = result.and(theirs);
        }
        result
    })
}

fn read_blocks<'m>(
    file: &File,
    work: &Mutex<impl Iterator<Item = (&'m mut [u8], u64)>>,
    stopped: &AtomicBool,
    ask: fn() -> io::Result<()>,
) -> io::Result<()> {
    let next = || {
        let mut blocks = work.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        blocks.next()
    };
    while !stopped.load(Ordering::Relaxed)
        && let Some((block, position)) = next()
    {
        let read = read_exact_at(file, block, position).and_then(|()| ask());
        if read.is_err() {
            stopped.store(true, Ordering::Relaxed);
            return read;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn read_exact_at(file: &File, memory: &mut [u8], position: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, memory, position)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut memory: &mut [u8], mut position: u64) -> io::Result<()> {
    while !memory.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, memory, position)?;
        if n == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        memory = &mut memory[n..];
        position += n as u64;
    }
    Ok(())
}
