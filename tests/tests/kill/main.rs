//! Processes that write are killed many times, and the files they leave are checked: `cargo xtask kill` does it
//! thousands of times.

mod archives;
mod edits;
mod halfway;
mod rows;

/// The environment variables of a child: the file, the seed of its random numbers, and the number of bytes to add to a
/// name in the header.
const FILE: &str = "NPY_KILL_FILE";
const SEED: &str = "NPY_KILL_SEED";
const NAME: &str = "NPY_KILL_NAME";

/// The number of rounds, by default that of a normal test run.
fn rounds() -> u64 {
    std::env::var("NPY_KILLS").map_or(40, |text| text.parse().unwrap())
}
