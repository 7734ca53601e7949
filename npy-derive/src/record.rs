//! `NpyRecord`: structs as records.

mod generate;
mod model;

pub(crate) use generate::{fallback_record, record};
pub(crate) use model::Record;
