//! Files and archives of many gigabytes: `cargo xtask large`.

mod archives;
mod files;
mod sparse;

use npy_tests::alloc::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;
