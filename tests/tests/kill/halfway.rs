//! A process that is killed in the middle of a write leaves the old file, and no other one.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use npy_core::{DType, Element, InvalidValue, ReadNpy, WriteNpy, npz};

use crate::FILE;

/// The kind of write that the child does.
const CASE: &str = "NPY_KILL_CASE";
const CASES: [&str; 3] = ["array", "archive", "rows of an archive"];

/// A number whose encoding blocks forever if it is 1.
struct Endless(u8);

impl Element for Endless {
    const SIZE: usize = 1;

    fn dtype() -> DType {
        u8::dtype()
    }

    fn decode(item: &[u8]) -> Self {
        Endless(u8::decode(item))
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        if self.0 == 1 {
            wait();
        }
        self.0.encode(item)
    }
}

/// Tells the parent that it may kill this process, and waits for that.
fn wait() -> ! {
    let mut out = std::io::stdout().lock();
    out.write_all(b"\nhalfway\n").and_then(|()| out.flush()).unwrap();
    loop {
        std::thread::park();
    }
}

/// Not a test of its own: the process that is killed.
#[test]
#[ignore = "the process that the other test kills"]
fn child() {
    let (Some(path), Ok(case)) = (env::var_os(FILE), env::var(CASE)) else { return };
    // More than a block, and more than is kept in memory.
    let mut values: Vec<Endless> = (0..3 << 20).map(|_| Endless(0)).collect();
    values.push(Endless(1));
    match case.as_str() {
        "array" => values.write_npy(&path).unwrap(),
        "archive" => {
            let mut writer = npz::Writer::create(&path).unwrap();
            writer.write("x", &values).unwrap();
        }
        _ => {
            let mut writer = npz::Writer::create(&path).unwrap();
            writer.start::<Endless>("x").unwrap().extend(&values).unwrap();
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
        let names: Vec<_> =
            fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["old"], "{case}");
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
