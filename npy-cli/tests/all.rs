//! The tests of the command. They are one program, because each program is linked with all of the command's crates.

mod advice;
mod archives;
#[cfg(feature = "clouds")]
mod clouds;
mod convert;
mod damaged;
mod delimiters;
mod diff;
#[cfg(feature = "live")]
mod equal;
mod exact;
mod files;
mod foreign;
mod hostile;
#[cfg(feature = "live")]
mod live;
#[cfg(all(feature = "clouds", feature = "live"))]
mod moto;
mod names;
mod numbers;
mod objects;
mod parts;
mod pictures;
#[cfg(feature = "live")]
mod python;
mod raw;
mod remarks;
mod repair;
mod replacing;
mod safetensors;
mod snapshots;
mod sql;
mod streams;
mod support;
mod tips;
mod values;
