//! Processes that write are killed, again and again, and what they leave is looked at: `cargo xtask kill` does it some thousand times.

mod archives;
mod halfway;
mod rows;

/// What a child is told by: the file, and the seed of its random numbers.
const FILE: &str = "NPY_KILL_FILE";
const SEED: &str = "NPY_KILL_SEED";

/// How often, if not as often as in every test run.
fn rounds() -> u64 {
    std::env::var("NPY_KILLS").map_or(40, |text| text.parse().unwrap())
}
