//! Commands that read values: what `stats`, `diff` and `verify` say about them.

use std::path::Path;
use std::process::{Command, Output};

use npy_core::{DType, DynArray, Order, WriteNpy};

/// Runs the command in a directory.
fn npy(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap()
}

/// Runs the command, and returns its exit code, its output and its messages.
fn run(directory: &Path, args: &[&str]) -> (i32, String, String) {
    let output = npy(directory, args);
    let [out, messages] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code().unwrap(), out, messages)
}

/// Writes an array of one dimension.
fn write(path: &Path, dtype: &str, rows: usize, bytes: &[u8]) {
    let dtype: DType = dtype.parse().unwrap();
    DynArray::new(dtype, [rows], Order::C, bytes.to_vec()).unwrap().write_npy(path).unwrap();
}

#[test]
fn stats_counts_distinct_bytes_and_texts_without_characters() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(&path.join("v.npy"), "|V4", 3, b"abcdefghabcd");
    let (_, out, _) = run(path, &["stats", "--json", "v.npy"]);
    assert!(out.ends_with("\"count\":3,\"missing\":0,\"distinct\":2}\n"), "{out}");
    write(&path.join("u.npy"), "[('empty', '<U0'), ('n', '|u1')]", 3, &[7, 8, 9]);
    let (_, out, _) = run(path, &["stats", "--json", "u.npy"]);
    assert!(out.contains("\"count\":3,\"missing\":0,\"distinct\":1}\n"), "{out}");
    write(&path.join("none.npy"), "|V4", 0, b"");
    let (_, out, _) = run(path, &["stats", "--json", "none.npy"]);
    assert!(out.ends_with("\"count\":0,\"missing\":0}\n"), "{out}");
}
