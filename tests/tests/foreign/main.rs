//! Arrays to and from other crates: ndarray and serde.

mod ndarray;
mod object_serde;
mod serde;
