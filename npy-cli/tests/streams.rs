//! Inputs from standard input that a command cannot read, or reads once.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use npy_core::WriteNpy;

use crate::support::{code, ok};

/// Runs the command with a file as its standard input, and returns its exit code and its messages.
fn with_input(directory: &Path, input: &str, args: &[&str]) -> (i32, String) {
    let mut npy = Command::new(env!("CARGO_BIN_EXE_npy"));
    npy.args(args).current_dir(directory).stdin(File::open(directory.join(input)).unwrap());
    let output = npy.output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Guards messages about streams that named another problem, and commands that read a stream again.
#[test]
fn messages_about_streams_say_that_they_are_read_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    [1i32, 2].write_npy(path.join("i.npy")).unwrap();
    [0.5f64, 3.0].write_npy(path.join("f.npy")).unwrap();
    ok(path, &["convert", "f.npy", "f.safetensors"]);
    fs::write(path.join("t.csv"), "v\n1.5\n").unwrap();
    let twice = "standard input, -, is named 2 times, and can be read only once; save it to a file first, and name the file\n";
    for (input, args, part) in [
        ("i.npy", &["diff", "-", "-"][..], twice),
        ("i.npy", &["concat", "-o", "o.npy", "-", "f.npy", "-"], twice),
        ("i.npy", &["append", "f.npy", "-", "-"], twice),
        ("i.npy", &["cat", "-", "-"], twice),
        (
            "f.npy",
            &["append", "i.npy", "-"],
            "; save the input to a file IN first, which is read by now; then npy convert i.npy i-converted.npy --dtype '<f8' && npy append i-converted.npy IN joins them\n",
        ),
        (
            "f.npy",
            &["concat", "-o", "o.npy", "i.npy", "-[:1]"],
            " && npy concat i-converted.npy 'IN[:1]' -o o.npy joins them\n",
        ),
        (
            "f.safetensors",
            &["convert", "-", "o.npz"],
            "standard input: is a safetensors file, whose tensors are read from a file alone; save it first (cat > IN.safetensors), and name that\n",
        ),
        (
            "t.csv",
            &["append", "f.npy", "-"],
            "; it looks like text: npy convert - OUT.npy --from csv reads CSV\n",
        ),
        ("i.npy", &["repair", "-"], "standard input: this needs a file; save it to one first"),
        ("i.npy", &["npz", "rm", "-", "a"], "standard input: this needs a file"),
        ("i.npy", &["npz", "align", "-"], "standard input: this needs a file"),
    ] {
        let (status, message) = with_input(path, input, args);
        assert!(status == 2 && message.contains(part), "{args:?}: {message}");
    }
    // As the messages have it.
    let read = with_input(path, "t.csv", &["convert", "-", "OUT.npy", "--from", "csv"]);
    assert_eq!(read, (0, String::new()));
    fs::copy(path.join("f.npy"), path.join("IN")).unwrap();
    ok(path, &["convert", "i.npy", "i-converted.npy", "--dtype", "<f8"]);
    ok(path, &["append", "i-converted.npy", "IN"]);
    assert_eq!(code(path, &["diff", "i-converted.npy[2:]", "f.npy"]), (0, String::new()));
}
