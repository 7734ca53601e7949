//! Reads a file with two threads, each reading one half.

// For uninitialized memory and large pages.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread;

use super::BLOCK;

/// Reads each half in its own thread, block by block, and decodes each item into its final position.
pub(crate) fn read_halves<T: Send, const SIZE: usize>(
    path: &Path,
    decode: impl Fn(&[u8; SIZE]) -> T + Copy + Send,
) -> Vec<T> {
    let (file, bytes) = super::open(path);
    let (count, start) = (bytes / SIZE, file.metadata().unwrap().len() - bytes as u64);
    let mut out = Vec::with_capacity(count);
    large_pages(out.spare_capacity_mut());
    let half = count.div_ceil(2).max(1);
    thread::scope(|scope| {
        for (i, slots) in out.spare_capacity_mut()[..count].chunks_mut(half).enumerate() {
            let file = &file;
            scope.spawn(move || {
                let mut at = start + (i * half * SIZE) as u64;
                let mut block = vec![0; BLOCK / SIZE * SIZE];
                for slots in slots.chunks_mut(BLOCK / SIZE) {
                    let block = &mut block[..slots.len() * SIZE];
                    file.read_exact_at(block, at).unwrap();
                    at += block.len() as u64;
                    for (slot, item) in slots.iter_mut().zip(block.as_chunks().0) {
                        slot.write(decode(item));
                    }
                }
            });
        }
    });
    // SAFETY: the halves are the first `count` slots, and each thread has written all of its own.
    unsafe { out.set_len(count) };
    out
}

/// Asks for pages of 2 MiB.
#[cfg(target_os = "linux")]
fn large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    let start = memory.as_mut_ptr().cast::<u8>();
    let before = start.align_offset(1 << 16);
    if let Some(length) = size_of_val(memory).checked_sub(before) {
        // SAFETY: the range is within `memory`, and the advice changes none of its bytes.
        unsafe { libc::madvise(start.add(before).cast(), length, libc::MADV_HUGEPAGE) };
    }
}

/// Does nothing: only Linux takes this advice.
#[cfg(not(target_os = "linux"))]
fn large_pages<T>(_: &mut [MaybeUninit<T>]) {}
