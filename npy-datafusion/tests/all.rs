//! All tests of the engine but its unit tests, as one program: each program has all of DataFusion, so that linking one takes longer than most of its tests.

#[cfg(feature = "clouds")]
#[path = "support/server.rs"]
mod server;
#[path = "support/store.rs"]
mod support;

mod archives;
#[cfg(feature = "parquet")]
mod beside;
#[cfg(feature = "proto")]
mod codecs;
#[cfg(feature = "proto")]
mod distributed;
mod dtypes;
mod folders;
mod fortran;
mod functions;
mod grouping_sets;
mod index;
mod joins;
mod large_literals;
#[cfg(feature = "live")]
#[path = "live/main.rs"]
mod live;
mod locations;
mod moving;
mod nan;
mod order;
mod packed;
mod queries;
mod requests;
mod sorted;
mod spans;
mod sums;
mod times;
mod units;
mod vectors;
mod virtual_columns;
mod wide_floats;
mod writes;
