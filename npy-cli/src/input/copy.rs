//! Commands of a shell that copy a text with other lines, where no option reads it as it is.

use std::path::Path;

use crate::{remote, shell};

/// Returns the command that makes a copy of a file by another program, which reads the file or standard input. `effect` says what the copy differs in.
pub(super) fn advice(file: &str, program: &str, effect: &str) -> String {
    let path = Path::new(file);
    // Others are standard input, or not on this machine.
    let Some(extension) = remote::extension(path).filter(|_| path.is_file()) else {
        return format!("{program} before npy {effect}");
    };
    let copy = shell::new_output(Path::new(&format!("rows.{extension}")));
    format!("{program} < {} > {copy} {effect}", shell::path(path))
}
