//! Several processes fill one array together, each its own part.

// Opening a map is unsafe.
#![allow(unsafe_code)]

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use npy_core::{MapMut, NpyArray, NpyRecord, ReadNpy, ZeroCopy};

const FILE: &str = "NPY_PARALLEL_FILE";
const PART: &str = "NPY_PARALLEL_PART";
const PARTS: usize = 4;
/// No part ends at a page boundary, so each process writes to pages that another one writes to.
const ROWS: usize = 6007;
const COLUMNS: usize = 5;

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[npy(endian = "native")]
#[repr(C, packed)]
struct Cell {
    row: u32,
    value: f64,
    part: u8,
}

fn cell(row: usize, column: usize) -> Cell {
    let value = row as f64 + column as f64 / 10.0;
    Cell { row: row.try_into().unwrap(), value, part: (row % PARTS).try_into().unwrap() }
}

/// Not a test of its own: fills every fourth row, so that the parts are interleaved, while the other processes fill
/// theirs.
#[test]
#[ignore = "started by `four_processes_fill_one_array`"]
fn child() {
    let (Some(path), Ok(part)) = (env::var_os(FILE), env::var(PART)) else { return };
    let part: usize = part.parse().unwrap();
    // SAFETY: each process accesses only its own rows.
    let mut map = unsafe { MapMut::<Cell>::open(path) }.unwrap();
    let mut out = std::io::stdout().lock();
    out.write_all(b"open\n").and_then(|()| out.flush()).unwrap();
    // Waits until all processes have opened the file.
    std::io::stdin().read_exact(&mut [0]).unwrap();
    for row in (part..ROWS).step_by(PARTS) {
        for column in 0..COLUMNS {
            let slot = map.at_mut(&[row, column]).unwrap();
            assert_eq!(*slot, Cell { row: 0, value: 0.0, part: 0 }, "another process wrote here");
            *slot = cell(row, column);
        }
    }
    map.flush().unwrap();
}

/// Guards concurrent writes: none is lost, and none overwrites a neighbor's bytes.
#[test]
fn four_processes_fill_one_array() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("filled.npy");
    // SAFETY: no other process has opened the file yet.
    drop(unsafe { MapMut::<Cell>::create(&path, &[ROWS, COLUMNS]) }.unwrap());
    let start = |part: usize| {
        let mut command = npy_tests::again("parallel::child");
        command.env(FILE, &path).env(PART, part.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
    };
    let mut children: Vec<_> = (0..PARTS).map(start).collect();
    for child in &mut children {
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().ends_with("open")), "it ended before it had a map");
    }
    for child in &mut children {
        child.stdin.as_mut().unwrap().write_all(b"!").unwrap();
    }
    for child in &mut children {
        let status = child.wait().unwrap();
        assert!(status.success(), "{status}");
    }

    let array = NpyArray::<Cell>::read_npy(&path).unwrap();
    assert_eq!(array.shape(), [ROWS, COLUMNS]);
    for (i, found) in array.as_slice_memory_order().iter().enumerate() {
        assert_eq!(*found, cell(i / COLUMNS, i % COLUMNS), "{i}");
    }
    #[cfg(feature = "live")]
    npy_tests::Numpy::run(
        "
import sys
import numpy as np
a = np.load(sys.argv[1])
rows, columns, parts = map(int, sys.argv[2:])
i, j = np.indices((rows, columns))
assert a.shape == (rows, columns), a.shape
assert (a['row'] == i).all() and (a['value'] == i + j / 10).all() and (a['part'] == i % parts).all()
",
        &[
            path.as_os_str(),
            ROWS.to_string().as_ref(),
            COLUMNS.to_string().as_ref(),
            PARTS.to_string().as_ref(),
        ],
    );
}
