//! A process that is killed in the middle of a write leaves the old file, and no other one.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use npy_core::{ReadNpy, WriteNpy, npz};
use npy_tests::names;
use npy_tests::picky::Lucky;

use crate::FILE;

/// The kind of write that the child does.
const CASE: &str = "NPY_KILL_CASE";
const CASES: [&str; 3] = ["array", "archive", "rows of an archive"];

/// Not a test of its own: the process that is killed.
#[test]
#[ignore = "started by `a_process_that_is_killed_halfway_leaves_no_temporary_file`"]
fn child() {
    let (Some(path), Ok(case)) = (env::var_os(FILE), env::var(CASE)) else { return };
    // More than a block, and more than is kept in memory.
    let mut values = vec![Lucky(0); 1 << 20];
    values.push(Lucky::WAITS);
    match case.as_str() {
        "array" => values.write_npy(&path).unwrap(),
        "archive" => {
            let mut writer = npz::Writer::create(&path).unwrap();
            writer.write("x", &values).unwrap();
        }
        _ => {
            let mut writer = npz::Writer::create(&path).unwrap();
            writer.start::<Lucky>("x").unwrap().extend(&values).unwrap();
        }
    }
    unreachable!("it was to be killed");
}

/// Guards the directory: a killed process leaves no temporary file in it.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_is_killed_halfway_leaves_no_temporary_file() {
    // A file system that supports files without names; not all do.
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = dir.path().join("old");
    for case in CASES {
        [1u8, 2].write_npy(&path).unwrap();
        kill_halfway(&path, case);
        assert_eq!(names(dir.path()), ["old"], "{case}");
        assert_eq!(Vec::<u8>::read_npy(&path).unwrap(), [1, 2], "{case}");
    }
}

fn kill_halfway(path: &Path, case: &str) {
    let mut child = npy_tests::again("halfway::child")
        .env(FILE, path)
        .env(CASE, case)
        .env("TMPDIR", path.parent().unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let said = lines.into_iter().any(|line| line == "halfway");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(said, "{case}: the child ended before");
}
