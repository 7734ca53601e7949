//! Codecs: tables and scans as messages, for engines whose client, scheduler and executors are different processes.
//!
//! Each message begins with [`MAGIC`], and is otherwise one of protobuf. All other messages go to the inner codec, unchanged.

mod blocks;
mod groups;
mod logical;
mod physical;

use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;
use npy_arrow::Options;
use prost::Message;

pub use logical::NpyLogicalCodec;
pub use physical::NpyPhysicalCodec;

/// The first bytes of a message of ours. A message of protobuf begins with a key, and the first of these bytes is none: wire type 6 does not exist.
const MAGIC: &[u8] = b"npy\x01";

/// Appends a message of ours.
fn encode(message: &impl Message, to: &mut Vec<u8>) {
    to.extend_from_slice(MAGIC);
    to.extend(message.encode_to_vec());
}

/// Returns the message, if these bytes are one of ours.
fn decode<M: Message + Default>(bytes: &[u8]) -> Result<Option<M>> {
    let Some(message) = bytes.strip_prefix(MAGIC) else { return Ok(None) };
    let message = M::decode(message).map_err(|error| {
        exec_datafusion_err!(
            "a message of npy-datafusion is malformed: {error}; run the same version in all processes"
        )
    })?;
    Ok(Some(message))
}

/// Returns the options by the names of those that are on.
fn options(names: &[String]) -> Result<Options> {
    let mut options = Options::new();
    match names.iter().find(|name| !options.set(name, true)) {
        None => Ok(options),
        Some(name) => Err(exec_datafusion_err!(
            "the option {name:?} is unknown; run the same version in all processes"
        )),
    }
}

/// Returns the names of the options that are on.
fn names(options: &Options) -> Vec<String> {
    options.names().map(str::to_owned).collect()
}
