//! `npy convert`: what it writes is what the library reads, and nothing is left after an error.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use npy_core::{DynArray, Header, NpyArray, Order, ReadNpy, WriteNpy, npz};

fn npy(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap()
}

fn ok(directory: &Path, args: &[&str]) {
    let output = npy(directory, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    assert!(output.stderr.is_empty(), "{args:?}: {output:?}");
}

/// Guards that each option changes what it names and no value.
#[test]
fn convert_changes_dtype_order_and_byte_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let array = NpyArray::new((0..12).collect::<Vec<i32>>(), [4, 3]).unwrap();
    array.write_npy(path.join("x.npy")).unwrap();
    let header = |name: &str| Header::read_npy(path.join(name)).unwrap();
    let values = |name: &str| DynArray::read_npy(path.join(name)).unwrap();

    ok(path, &["convert", "x.npy", "f.npy", "--order", "f"]);
    assert_eq!(header("f.npy").order(), Order::Fortran);
    assert_eq!(values("f.npy").to_vec::<i32>().unwrap(), array.clone().into_vec());

    ok(path, &["convert", "f.npy", "c.npy", "--order", "C", "--endian", "big"]);
    assert_eq!(header("c.npy").order(), Order::C);
    assert_eq!(header("c.npy").dtype().to_string(), ">i4");
    assert_eq!(
        NpyArray::<i32>::read_npy(path.join("c.npy")).unwrap().into_vec(),
        array.clone().into_vec()
    );

    ok(path, &["convert", "f.npy[1:3,::-1]", "d.npy", "--dtype", "f8"]);
    let expected = [5.0, 4.0, 3.0, 8.0, 7.0, 6.0];
    assert_eq!(values("d.npy").shape(), [2, 3]);
    assert_eq!(values("d.npy").to_vec::<f64>().unwrap(), expected);

    // Unchanged, the file of `np.save` is written again byte for byte.
    ok(path, &["convert", "x.npy", "same.npy"]);
    assert_eq!(fs::read(path.join("same.npy")).unwrap(), fs::read(path.join("x.npy")).unwrap());
}

/// Guards that arrays pass through archives, and that other members stay.
#[test]
fn convert_writes_archives_and_members() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    vec![0.0f64; 5000].write_npy(path.join("zeros.npy")).unwrap();
    vec![1u8, 2, 3].write_npy(path.join("x.npy")).unwrap();

    ok(path, &["convert", "zeros.npy", "a.npz", "--compress"]);
    assert!(fs::metadata(path.join("a.npz")).unwrap().len() < 1000);
    ok(path, &["convert", "x.npy", "a.npz::part/x"]);
    let archive = npz::Reader::open(path.join("a.npz")).unwrap();
    assert_eq!(archive.names().collect::<Vec<_>>(), ["zeros", "part/x"]);
    assert_eq!(archive.read::<Vec<u8>>("part/x").unwrap(), [1, 2, 3]);

    ok(path, &["convert", "a.npz", "b.npz", "--endian", "big"]);
    let archive = npz::Reader::open(path.join("b.npz")).unwrap();
    assert_eq!(archive.header("zeros").unwrap().dtype().to_string(), ">f8");
    ok(path, &["convert", "b.npz::part/x[1:]", "y.npy"]);
    assert_eq!(Vec::<u8>::read_npy(path.join("y.npy")).unwrap(), [2, 3]);
}

/// Guards that an error in a late block names the row of the file, and that the old file stays and no other is left.
#[test]
fn a_value_that_does_not_fit_leaves_the_old_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let mut values = vec![1i64; 100_000];
    values[90_000] = 1 << 40;
    values.write_npy(path.join("x.npy")).unwrap();
    fs::write(path.join("out.npy"), "old").unwrap();
    let output = npy(path, &["convert", "x.npy", "out.npy", "--dtype", "i4"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("npy: x.npy: row 90000: "), "{message}");
    assert_eq!(fs::read(path.join("out.npy")).unwrap(), b"old");
    assert_eq!(fs::read_dir(path).unwrap().count(), 2);
}

/// Guards that a file that is cut short leaves no partial output, whatever is written.
#[test]
fn a_truncated_file_leaves_no_output() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    vec![1.5f64; 100_000].write_npy(path.join("whole.npy")).unwrap();
    let bytes = fs::read(path.join("whole.npy")).unwrap();
    fs::write(path.join("x.npy"), &bytes[..bytes.len() - 5]).unwrap();
    for out in ["out.npy", "out.npz", "out.csv", "out.jsonl"] {
        let output = npy(path, &["convert", "x.npy", out]);
        assert_eq!(output.status.code(), Some(2), "{out}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("truncated"), "{out}");
        assert_eq!(fs::read_dir(path).unwrap().count(), 2, "{out}");
    }
}

/// Guards that rows that many threads print are complete and in order.
#[test]
fn text_of_many_rows_is_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let values: Vec<u32> = (0..1_000_000).collect();
    values.write_npy(path.join("x.npy")).unwrap();
    ok(path, &["convert", "x.npy", "x.csv"]);
    let csv = fs::read_to_string(path.join("x.csv")).unwrap();
    let numbers = csv.lines().skip(1).map(|line| line.parse::<u32>().unwrap());
    assert!(numbers.eq(values.iter().copied()));
    ok(path, &["convert", "x.npy", "x.json"]);
    let json = fs::read_to_string(path.join("x.json")).unwrap();
    assert_eq!(serde_json::from_str::<Vec<u32>>(&json).unwrap(), values);
}
