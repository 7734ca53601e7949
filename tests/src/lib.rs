//! What the integration tests share: where the files are, a real NumPy, how much memory a call takes, and a disk that fails.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

pub mod alloc;
pub mod disk;

/// The real NumPy that `cargo xtask test` installs.
#[derive(Debug)]
pub struct Numpy;

impl Numpy {
    /// Runs a Python script, which finds the arguments in `sys.argv[1:]`, and gives what it prints.
    ///
    /// # Panics
    ///
    /// If the script fails, with what Python says; and if `NPY_PYTHON` is not set, for a test that
    /// is skipped in silence looks like one that passes.
    #[track_caller]
    pub fn run(script: &str, args: &[&OsStr]) -> String {
        let Some(python) = std::env::var_os("NPY_PYTHON") else {
            panic!(
                "NPY_PYTHON names no Python with NumPy: `cargo xtask test` makes one and runs this"
            )
        };
        // A file and not `-c`: a traceback then shows the line.
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("script.py");
        std::fs::write(&path, script).expect("the script can be written");
        // Isolated from what else is installed for Python on this machine.
        let output = Command::new(&python)
            .args(["-I", "-X", "utf8"])
            .arg(&path)
            .args(args)
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", python.display()));
        let stdout = String::from_utf8_lossy(&output.stdout);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "the script failed\n{stdout}{stderr}");
        stdout.into_owned()
    }
}

/// A file of ours by NumPy: `tests/golden/README.md`.
///
/// ```
/// assert!(npy_tests::golden("bool.npy").is_file());
/// ```
pub fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

/// Where the files with expected values are: `tests/corpus/README.md`.
pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}
