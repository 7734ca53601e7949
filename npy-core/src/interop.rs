//! Arrays of other crates, each behind a feature.

#[cfg(feature = "ndarray")]
mod ndarray;
