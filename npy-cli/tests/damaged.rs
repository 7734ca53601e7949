//! Damaged and incomplete files: each command that reads them names the `npy repair` that keeps the rest.

use std::fs;
use std::path::Path;

use npy_core::npz;

use crate::support::{code, npy};

/// Guards slices of a truncated file whose data are complete: nothing said that the file is not.
#[test]
fn a_complete_slice_of_a_truncated_file_has_a_note() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let rows: Vec<[f64; 2]> = (0..50).map(|row| [f64::from(row), 0.5]).collect();
    npy_core::save(path.join("a.npy"), &rows).unwrap();
    npy_core::save(path.join("b.npy"), &rows).unwrap();
    let bytes = fs::read(path.join("a.npy")).unwrap();
    fs::write(path.join("cut.npy"), &bytes[..bytes.len() - 300]).unwrap();
    let note = "truncated: expected 800 bytes of data, found 500; 31 of 50 rows are complete; npy repair cut.npy -o OUT --yes keeps them";
    for args in [
        &["cat", "cut.npy[:8]"][..],
        &["cat", "cut.npy[30::-1]"],
        &["cat", "cut.npy[30, 1]"],
        &["head", "cut.npy[:8]"],
        &["head", "cut.npy[:45]"],
        &["stats", "cut.npy[:8]"],
        &["convert", "cut.npy[:8]", "x.npy"],
        &["convert", "cut.npy[:8]", "x.csv"],
        &["concat", "-o", "x.npy", "cut.npy[:8]", "a.npy"],
        &["append", "b.npy", "cut.npy[:8]"],
        &["diff", "cut.npy[:8]", "a.npy[:8]"],
        &["plot", "cut.npy[:8]", "-o", "x.svg"],
        &["view", "cut.npy[:8]", "-o", "x.html"],
        &["npz", "pack", "x.npz", "cut.npy[:8]"],
    ] {
        let (status, message) = code(path, args);
        assert_eq!((status, message.matches(note).count()), (0, 1), "{args:?}: {message}");
        assert!(message.starts_with("note: cut.npy["), "{args:?}: {message}");
    }
    // An error says it once, too, and a complete file says nothing.
    let (status, message) = code(path, &["cat", "cut.npy[30:]"]);
    let error = note.replace("complete;", "complete, and 'cut.npy[:31]' reads them;");
    assert_eq!((status, message.matches(&*error).count()), (2, 1), "{message}");
    assert!(npy(path, &["cat", "a.npy[:8]"]).stderr.is_empty());
}

fn write_archive(path: &Path) -> Vec<u8> {
    let mut archive = npz::Writer::create(path).unwrap();
    archive.write("a", &vec![1.5f64; 500]).unwrap();
    archive.write("b", &[1u8, 2, 3]).unwrap();
    archive.finish().unwrap();
    fs::read(path).unwrap()
}

/// Guards commands that said only "copy the file again" of an archive whose other members a repair keeps.
#[test]
fn each_command_names_the_repair_of_an_archive() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let bytes = write_archive(&path.join("good.npz"));
    let find = |pattern: &[u8]| bytes.windows(pattern.len()).position(|part| part == pattern);
    let changed = |at: usize, new: &[u8]| [&bytes[..at], new, &bytes[at + new.len()..]].concat();
    let end = find(b"PK\x05\x06").unwrap();
    for (damage, damaged) in [
        ("truncated", bytes[..2000].to_vec()),
        ("no directory", bytes[..find(b"PK\x01\x02").unwrap()].to_vec()),
        ("another position", changed(end + 16, &[1, 0])),
        ("a changed value", changed(1000, b"\xff")),
    ] {
        fs::write(path.join("bad.npz"), damaged).unwrap();
        for args in [
            &["stats", "bad.npz"][..],
            &["head", "bad.npz"],
            &["cat", "bad.npz::a"],
            &["verify", "bad.npz"],
            &["convert", "bad.npz", "x.npz"],
            &["convert", "bad.npz::a", "x.npy"],
            &["npz", "extract", "bad.npz", "-C", "x"],
            &["npz", "list", "bad.npz"],
            &["npz", "align", "bad.npz"],
            &["info", "bad.npz"],
            &["diff", "bad.npz", "good.npz"],
        ] {
            // The names are those of the directory, and few rows need no checksum.
            let reads_no_data =
                matches!(args, ["info" | "head", ..] | ["npz", "list" | "align", ..]);
            if reads_no_data && matches!(damage, "a changed value" | "another position") {
                continue;
            }
            let output = npy(path, args);
            let text = [output.stdout, output.stderr].concat();
            let text = String::from_utf8_lossy(&text);
            let is_named = text.contains("; npy repair bad.npz -o OUT --yes ");
            assert!(!output.status.success() && is_named, "{damage}, {args:?}: {text}");
        }
    }
}

/// Guards the message about a wrong byte in a file that is complete.
#[test]
fn a_complete_file_is_damaged_and_not_truncated() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let mut archive = npz::WriteOptions::new().deflate(6).create(path.join("a.npz")).unwrap();
    archive.write("x", &(0..500).map(|n| f64::from(n * n)).collect::<Vec<_>>()).unwrap();
    archive.finish().unwrap();
    let bytes = fs::read(path.join("a.npz")).unwrap();
    let messages = (60..bytes.len() - 200).step_by(17).map(|at| {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        fs::write(path.join("b.npz"), damaged).unwrap();
        code(path, &["convert", "b.npz::x", "o.npy"]).1
    });
    let messages: Vec<String> = messages.collect();
    assert!(
        messages.iter().any(|message| message.contains("the member ends after ")),
        "{messages:?}"
    );
    assert!(messages.iter().all(|message| !message.contains("truncated")), "{messages:?}");
}
