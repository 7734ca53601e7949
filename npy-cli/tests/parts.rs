//! Many files that become few of some size.

use std::fs;

use npy_core::{DynArray, NpyArray, Order, ReadNpy, WriteNpy};

use crate::support::{code, names, ok};

/// Guards a size without its unit, for which each row was a file.
#[test]
fn a_size_of_thousands_of_files_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    vec![1u8; 10_001].write_npy(path.join("x.npy")).unwrap();
    let (status, message) = code(path, &["concat", "--target-size", "1", "-o", "out", "x.npy"]);
    let part = "out: --target-size 1 writes 10001 files; a size in megabytes is written as 1MB, and --force writes them\n";
    assert!(status == 2 && message.contains(part), "{message}");
    assert_eq!(names(path), ["x.npy"]);
    ok(path, &["concat", "--target-size", "1", "-o", "out", "x.npy[1:]"]);
    assert_eq!(names(&path.join("out")).len(), 10_000);
}

/// Guards that many files become few, with their rows in order, each at most as large as the option says.
#[test]
fn concat_makes_files_of_a_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut inputs = Vec::new();
    for part in 0..25i64 {
        let rows = NpyArray::new((part * 30..part * 30 + 30).collect(), [10, 3]).unwrap();
        inputs.push(format!("in{part:02}.npy"));
        rows.write_npy(path.join(&inputs[inputs.len() - 1])).unwrap();
    }
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    // 250 rows of 24 bytes; 36 of them are in 1000 bytes with the header.
    ok(path, &[&["concat", "--target-size", "1kB", "-o", "out/"], &inputs[..]].concat());
    let parts = names(&path.join("out"));
    assert_eq!((parts.len(), &*parts[0], &*parts[6]), (7, "part-00000.npy", "part-00006.npy"));
    let mut found = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let file = path.join("out").join(part);
        assert!(fs::metadata(&file).unwrap().len() <= 1000);
        let rows = NpyArray::<i64>::read_npy(&file).unwrap();
        assert_eq!(rows.shape(), [if i < 6 { 36 } else { 34 }, 3]);
        found.extend(rows.into_vec());
    }
    assert!(found.into_iter().eq(0..750));

    // The files are joined again, also those of a slice and of a member; a row that is larger than a file is a file.
    let parts: Vec<String> = parts.iter().map(|name| format!("out/{name}")).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    ok(path, &[&["concat", "-o", "one.npy"], &parts[..]].concat());
    ok(path, &[&["npz", "pack", "x.npz"], &inputs[..2]].concat());
    let args = ["concat", "--target-size", "10", "-o", "rows", "one.npy[:2]", "x.npz::in01[:1]"];
    ok(path, &args);
    assert_eq!(names(&path.join("rows")).len(), 3);
    let last = NpyArray::<i64>::read_npy(path.join("rows/part-00002.npy")).unwrap();
    assert_eq!((last.shape(), last.to_vec()), (&[1, 3][..], vec![30, 31, 32]));
    // Without rows there is one file.
    ok(path, &["concat", "--target-size", "1MB", "-o", "none", "one.npy[:0]"]);
    assert_eq!(names(&path.join("none")), ["part-00000.npy"]);
}

/// Guards a directory that has files already, and one that an error leaves as it was.
#[test]
fn concat_replaces_a_directory_by_force_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    vec![7u8; 1000].write_npy(path.join("a.npy")).unwrap();
    let concat = |size: &str, more: &[&str]| {
        code(path, &[&["concat", "--target-size", size, "-o", "out", "a.npy"], more].concat())
    };
    fs::create_dir(path.join("out")).unwrap();
    assert_eq!(concat("300B", &[]).0, 0);
    assert_eq!(names(&path.join("out")).len(), 6);
    fs::write(path.join("out/notes.txt"), "kept").unwrap();
    for more in [&[][..], &["--no-clobber"]] {
        let (exit, message) = concat("600", more);
        assert!(exit == 2 && message.contains("is not empty; name a new directory"), "{message}");
    }
    // An input that cannot be joined.
    "text".write_npy(path.join("text.npy")).unwrap();
    assert_eq!(concat("600", &["text.npy", "--force"]).0, 2);
    assert_eq!(names(&path.join("out")).len(), 7);
    // A file of an earlier run would be an output.
    let (exit, message) = concat("600", &["out/part-00001.npy", "--force"]);
    assert!(exit == 2 && message.contains("is also an input"), "{message}");
    assert_eq!(concat("600", &["--force"]).0, 0);
    let expected = ["notes.txt", "part-00000.npy", "part-00001.npy", "part-00002.npy"];
    assert_eq!(names(&path.join("out")), expected);
    let (exit, message) = code(path, &["concat", "--force", "-o", "out", "a.npy"]);
    assert!(exit == 2 && message.contains("--target-size"), "{message}");
    let file = "is the name of a file, and --target-size writes several; name a directory for them, such as parts\n";
    for (name, part) in [
        ("a.npy", file),
        ("a.npy/", file),
        ("new.npy", file),
        ("new.npz", file),
        ("new.csv/", file),
        ("-", file),
        ("new/parts", "no directory new; create it first\n"),
    ] {
        let (exit, message) = code(path, &["concat", "--target-size", "1MB", "-o", name, "a.npy"]);
        assert!(exit == 2 && message.ends_with(part), "{message}");
    }
    for output in ["new/", "new.csv/"] {
        let (exit, message) = code(path, &["concat", "-o", output, "a.npy"]);
        assert!(exit == 2 && message.contains("is a directory; name a file in it"), "{message}");
    }
    assert_eq!(names(path), ["a.npy", "out", "text.npy"]);
}

/// Guards the numbers of ml_dtypes: raw bytes without an order, as NumPy saves them, count as little-endian.
#[test]
fn concat_keeps_the_numbers_that_raw_bytes_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (name, descr, bytes) in [("v.npy", "|V2", [0xc0, 0x3f]), ("b.npy", ">V2", [0x3f, 0xc0])] {
        let array = DynArray::new(descr.parse().unwrap(), [1], Order::C, bytes.to_vec()).unwrap();
        npy_core::save(path.join(name), &array).unwrap();
    }
    for (inputs, expected) in
        [(["v.npy", "b.npy"], [0xc0, 0x3f]), (["b.npy", "v.npy"], [0x3f, 0xc0])]
    {
        ok(path, &[&["concat", "-o", "out.npy"], &inputs[..]].concat());
        let both = DynArray::read_npy(path.join("out.npy")).unwrap();
        assert_eq!(both.as_bytes(), expected.repeat(2), "{inputs:?}");
    }
    ok(path, &["convert", "--dtype", "V2", "b.npy", "raw.npy"]);
    assert_eq!(DynArray::read_npy(path.join("raw.npy")).unwrap().as_bytes(), [0xc0, 0x3f]);
}
