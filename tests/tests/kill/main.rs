//! Processes that write are killed, again and again, and what they leave is looked at: `cargo xtask kill` does it some thousand times.

mod archives;
mod halfway;
mod rows;

/// What a child is told by: the file, the seed of its random numbers, and by how much a name in the header is longer.
const FILE: &str = "NPY_KILL_FILE";
const SEED: &str = "NPY_KILL_SEED";
const NAME: &str = "NPY_KILL_NAME";

/// How often, if not as often as in every test run.
fn rounds() -> u64 {
    std::env::var("NPY_KILLS").map_or(40, |text| text.parse().unwrap())
}
