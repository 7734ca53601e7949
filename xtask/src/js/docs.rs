//! The pages of the package's documentation, made by TypeDoc.

use crate::Result;
use crate::command::run as run_command;
use crate::npm::Package;

/// Makes the pages in `target/js/docs`. A public name without documentation is an error, and so is a link that leads nowhere.
pub(super) fn run() -> Result {
    let npm = Package::install("npy-js/docs")?;
    run_command(&mut npm.tool("typedoc"))
}
