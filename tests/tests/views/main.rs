//! Arrays in place: in memory, and in mapped files.

mod mmap;
mod view;
