//! Headers longer than a page, in which the length is at a page boundary.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;

use super::append::{ANY, Any};
use super::*;

const PAGE: usize = 4096;

/// Returns true if a longer length would change bytes of two pages.
fn crosses_a_page(file: &[u8]) -> bool {
    let key = b"'shape': (";
    let at = file.windows(key.len()).position(|part| part == key).unwrap() + key.len();
    let blanks = file[at..].iter().take_while(|&&byte| byte == b' ').count();
    let digits = file[at + blanks..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let changing = match blanks {
        // The text after the number moves, and the number may get 19 digits.
        0 => at..at + 19 + ",), }".len(),
        // The blanks are reserved for the digits, and nothing else moves.
        _ => at + blanks + digits - 19..at + blanks + digits,
    };
    changing.start / PAGE != (changing.end - 1) / PAGE
}

fn inode(path: &Path) -> u64 {
    fs::metadata(path).unwrap().ino()
}

fn items(count: u8) -> Vec<Any<2>> {
    (0..count).map(|n| Any([n, 7])).collect()
}

/// Writes twelve items, the last ones by appending, with a field name of this length; returns true if NumPy's header
/// crosses a page.
fn assert_stays_in_its_page(length: usize) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old.npy"), dir.path().join("new.npy"));
    ANY.set(Some(format!("[('{}', '<u2')]", "n".repeat(length)).parse().unwrap()));

    items(2).write_npy(&old).unwrap();
    let moves = crosses_a_page(&fs::read(&old).unwrap());
    let before = inode(&old);
    let mut writer = Writer::<Any<2>, _>::append(&old).unwrap();
    assert_eq!(inode(&old) != before, moves, "{length}: only such a file is written anew");
    assert_eq!(Vec::<Any<2>>::read_npy(&old).unwrap(), items(2));
    writer.write_slice(&items(12)[2..]).unwrap();
    writer.finish().unwrap();
    let before = inode(&old);
    drop(Writer::<Any<2>, _>::append(&old).unwrap());
    assert_eq!(inode(&old), before, "{length}: and that once");

    let mut writer = Writer::<Any<2>, _>::create(&new).unwrap();
    writer.write_slice(&items(12)).unwrap();
    writer.finish().unwrap();

    let mut numpys = Vec::new();
    items(12).write_npy_to(&mut numpys).unwrap();
    for path in [&old, &new] {
        let bytes = fs::read(path).unwrap();
        assert!(!crosses_a_page(&bytes), "{length}");
        assert_eq!(bytes != numpys, moves, "{length}: NumPy's bytes wherever that is possible");
        assert_eq!(Vec::<Any<2>>::read_npy(path).unwrap(), items(12));
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "no temporary file is left");
    moves
}

/// Guards against a half-written length when the process is killed, in existing and in new files.
#[test]
fn a_length_that_would_cross_a_page_is_moved_to_where_it_does_not() {
    // Each in its own thread, as the dtype is set per thread.
    let case = |length| thread::spawn(move || assert_stays_in_its_page(length)).join().unwrap();
    let moved = (3990..4060).filter(|&length| case(length)).count();
    assert_eq!(moved, 19 + ",), }".len() - 1);
}
