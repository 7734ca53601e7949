//! Inputs from standard input that a command cannot read, or reads once.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use npy_core::WriteNpy;

use crate::support::{code, ok};

/// Runs the command with a file as its standard input, and returns its exit code and its messages.
pub(crate) fn with_input(
    directory: &Path,
    input: &str,
    args: &[impl AsRef<OsStr>],
) -> (i32, String) {
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
    for (name, text) in [
        ("names.csv", "[0],[1]\n1,2\n"),
        ("name.csv", "[0]\n-1\n"),
        ("text.csv", "[0]\nab\n"),
        ("fields.csv", "[0].x,[0].y\n1,2\n"),
        ("list.json", "[0,1]\n"),
        ("short.json", "[5]\n"),
    ] {
        fs::write(path.join(name), text).unwrap();
    }
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
        (
            "names.csv",
            &["head", "-"],
            "; it looks like text: npy convert - OUT.npy --from csv reads CSV\n",
        ),
        (
            "name.csv",
            &["head", "-"],
            "; it looks like text: npy convert - OUT.npy --from csv reads CSV\n",
        ),
        (
            "text.csv",
            &["head", "-"],
            "; it looks like text: npy convert - OUT.npy --from csv reads CSV\n",
        ),
        (
            "fields.csv",
            &["head", "-"],
            "; it looks like text: npy convert - OUT.npy --from csv reads CSV\n",
        ),
        (
            "short.json",
            &["head", "-"],
            "; it looks like text: npy convert - OUT.npy --from json reads a JSON list\n",
        ),
        (
            "list.json",
            &["head", "-"],
            "; it looks like text: npy convert - OUT.npy --from json reads a JSON list\n",
        ),
        ("f.npy", &["convert", "-", "-", "--to", "npy", "--compress"], "npy: --compress is for"),
        ("f.npy", &["convert", "-", "-", "--to", "csv", "--order", "f"], "npy: --dtype, --order"),
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

/// Guards bytes after the array of a stream: what `verify` says of them, and slices that end before them, after which nothing is read.
#[test]
fn bytes_after_a_stream_are_told_if_it_was_read_to_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    [1u8, 2].write_npy(path.join("a.npy")).unwrap();
    let one = fs::read(path.join("a.npy")).unwrap();
    let mut tight = one.clone();
    tight[127] = b' ';
    let more = "more bytes follow the array";
    for (bytes, told) in [
        (one.clone(), ": ok\n".to_owned()),
        ([&one[..], &one].concat(), format!(": ok; {more}, which begin another array\n")),
        ([&one[..], &[3]].concat(), format!(": ok; {more}\n")),
        (tight.clone(), ": ok\n".to_owned()),
        (
            [&tight[..], &[3]].concat(),
            format!(
                ": FAILED: {more}, and its header does not end with a line end, as if bytes were added to it; save the input to a file IN first: npy repair IN says where its data may begin\n"
            ),
        ),
    ] {
        fs::write(path.join("IN"), bytes).unwrap();
        let mut npy = Command::new(env!("CARGO_BIN_EXE_npy"));
        npy.args(["verify", "-"]).stdin(File::open(path.join("IN")).unwrap());
        let output = npy.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said, format!("standard input{told}"));
        let exit = code(path, &["verify", "IN"]).0;
        assert_eq!(output.status.code(), Some(exit), "{said}");
    }
    fs::write(path.join("two.npy"), [&one[..], &one].concat()).unwrap();
    for args in [
        &["cat", "-[:1]"][..],
        &["head", "-n", "1", "-"],
        &["info", "-"],
        &["diff", "-q", "-", "a.npy"],
    ] {
        assert_eq!(with_input(path, "two.npy", args), (0, String::new()), "{args:?}");
    }
}

/// Guards that a stream which stays open after its array is printed at once, and that its end is waited for only if all of it is printed.
#[test]
fn rows_of_a_stream_are_printed_before_its_end_is_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    [1u8, 2].write_npy(directory.path().join("a.npy")).unwrap();
    let array = fs::read(directory.path().join("a.npy")).unwrap();
    for (args, rows, waits) in [
        (&["cat", "-"][..], "value\n1\n2\n", true),
        (&["cat", "-[:1]"], "value\n1\n", false),
        (&["head", "--csv", "-n", "1", "-"], "value\n1\n", false),
    ] {
        let mut npy = Command::new(env!("CARGO_BIN_EXE_npy"));
        npy.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut npy = npy.spawn().unwrap();
        let mut input = npy.stdin.take().unwrap();
        input.write_all(&array).unwrap();
        let mut read = vec![0; rows.len()];
        npy.stdout.as_mut().unwrap().read_exact(&mut read).unwrap();
        assert_eq!(String::from_utf8(read).unwrap(), rows);
        let mut said = String::new();
        if waits {
            assert_eq!(npy.try_wait().unwrap(), None);
            input.write_all(&array).unwrap();
            drop(input);
            npy.stderr.as_mut().unwrap().read_to_string(&mut said).unwrap();
            assert!(
                said.contains("more bytes follow the array, which begin another array"),
                "{said}"
            );
        }
        assert!(npy.wait().unwrap().success());
    }
}
