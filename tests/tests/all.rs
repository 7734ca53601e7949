//! Most tests of the library. They are one program, because each program is compiled with what it uses of the library, and linked with all of it.

// For types that are nested 65 levels deep.
#![recursion_limit = "512"]

mod archives;
#[path = "attributes/main.rs"]
mod attributes;
#[path = "corpus/main.rs"]
mod corpus;
mod derive;
mod errors;
mod faults;
mod files;
mod fuzzed;
mod hostile;
#[path = "npz/main.rs"]
mod npz;
#[path = "objects/main.rs"]
mod objects;
mod parallel;
mod properties;
#[path = "reading/main.rs"]
mod reading;
mod reads_back;
mod records;
mod replace;
#[path = "repository/main.rs"]
mod repository;
#[path = "streams/main.rs"]
mod streams;
mod structs;
mod text;
mod threads;
#[path = "values/main.rs"]
mod values;
mod weight;

use npy_tests::alloc::Counting;

/// Tests measure what each call allocates.
#[global_allocator]
static ALLOCATOR: Counting = Counting;
