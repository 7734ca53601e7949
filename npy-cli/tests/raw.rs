//! `--raw`: files without a header, in each subcommand that reads.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};

use npy_core::{NpyArray, WriteNpy, npz};

fn run(directory: &Path, args: &[&str], input: Option<&str>) -> Output {
    let mut npy = Command::new(env!("CARGO_BIN_EXE_npy"));
    if let Some(input) = input {
        npy.stdin(File::open(directory.join(input)).unwrap());
    }
    npy.args(args).current_dir(directory).output().unwrap()
}

fn ok(directory: &Path, args: &[&str]) -> String {
    let output = run(directory, args, None);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Writes twelve numbers without a header, as rows of three, and the same as an array.
fn files(folder: &Path) {
    let array = NpyArray::new((0..12).collect::<Vec<i16>>(), [4, 3]).unwrap();
    array.write_npy(folder.join("x.npy")).unwrap();
    fs::write(folder.join("x.bin"), &fs::read(folder.join("x.npy")).unwrap()[128..]).unwrap();
}

#[test]
fn each_subcommand_reads_raw_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    files(path);
    let raw = ["--raw", "<i2,3"];
    let both = |args: &[&str]| {
        let of = |file| ok(path, &[args, &[file], &raw].concat()).replace(file, "FILE");
        let (found, expected) = (of("x.bin"), of("x.npy"));
        assert_eq!(found, expected, "{args:?}");
    };
    for args in [
        &["head", "-n", "2"][..],
        &["tail", "-n", "1"],
        &["sample", "-n", "2", "--seed", "1"],
        &["cat", "--csv"],
        &["cat", "--jsonl"],
        &["stats"],
        &["stats", "--json"],
        &["plot"],
        &["verify"],
        &["diff", "x.npy"],
        &["struct", "--python"],
    ] {
        both(args);
    }
    assert_eq!(ok(path, &["cat", "--csv", "--raw", "<i2,3", "x.bin[1:3,0]"]), "value\n3\n6\n");
    let info = ok(path, &["--raw", "i2,3", "x.bin"]);
    assert!(info.contains("format   data without a header\n  shape    (4, 3), C order"), "{info}");
    assert!(!ok(path, &["info", "--json", "--raw", "i2,3", "x.bin"]).contains("version"));
    for (args, out) in [
        (&["convert", "x.bin", "a.npy"][..], "a.npy"),
        (&["concat", "-o", "b.npy", "x.bin"], "b.npy"),
        (&["npz", "pack", "c.npz", "x=x.bin"], "c.npz"),
        (&["view", "x.bin", "-o", "d.html"], "d.html"),
    ] {
        ok(path, &[args, &raw].concat());
        let out = path.join(out);
        match out.extension().unwrap().to_str().unwrap() {
            "npy" => assert!(fs::read(&out).unwrap() == fs::read(path.join("x.npy")).unwrap()),
            "npz" => {
                let array: NpyArray<i16> = npz::Reader::open(&out).unwrap().read("x").unwrap();
                assert_eq!(array.shape(), [4, 3]);
            }
            _ => assert!(fs::read_to_string(out).unwrap().contains("11")),
        }
    }
    ok(path, &["append", "b.npy", "x.bin", "--raw", "<i2,3"]);
    assert_eq!(npy_core::load::<NpyArray<i16>>(path.join("b.npy")).unwrap().shape(), [8, 3]);
}

#[test]
fn a_pipe_is_read_like_a_file() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    for args in [
        &["cat", "--csv", "-", "--raw", "<i2,3"][..],
        &["tail", "-n", "4", "--csv", "-", "--raw", "<i2,3"],
    ] {
        let output = run(folder.path(), args, Some("x.bin"));
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            "[0],[1],[2]\n0,1,2\n3,4,5\n6,7,8\n9,10,11\n"
        );
    }
    let output = run(folder.path(), &["head", "-", "--raw", "<i2,5"], Some("x.bin"));
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        message,
        "npy: standard input: a row has 10 bytes, and the input 24: 4 too many; if the data starts at byte N (from 1), tail -c +N | npy … - begins there, and if they come after the data, head -c 20 | npy … -\n"
    );
}

#[test]
fn sizes_and_dtypes_that_do_not_fit_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    for (raw, part) in [
        (
            "<i2,5",
            "a row has 10 bytes, and the file 24: 4 too many; if the data starts at byte N (from 1), tail -c +N x.bin > OUT makes a file of it, and if they come after the data, head -c 20 x.bin > OUT",
        ),
        ("<i8,2x2", "a row has 32 bytes, and the file 24: 24 too many\n"),
        ("S5", "npy: x.bin: an element has 5 bytes, and the file 24: 4 too many; if"),
        ("x9", "write DTYPE or DTYPE,ROW"),
        ("<i2,0", "a row has no bytes"),
        ("O", "Python objects"),
    ] {
        let output = run(folder.path(), &["head", "--raw", raw, "x.bin"], None);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && message.contains(part), "{raw}: {message}");
    }
}
