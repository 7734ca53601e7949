//! Layer 7: arrays of other crates, each behind a feature.

#[cfg(feature = "ndarray")]
mod ndarray;
