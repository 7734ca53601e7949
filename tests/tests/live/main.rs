//! Tests against a real NumPy, both ways: what either writes, the other writes as the same bytes.
//!
//! Each test runs one Python process, which makes or checks all files of the test in one directory.

mod any;
mod archives;
mod attributes;
mod casts;
mod dtypes;
mod editing;
mod judges;
mod layouts;
mod literals;
mod maps;
mod ml_dtypes;
mod npz;
mod numpy_saves;
mod numpys_own;
mod object_serde;
mod objects;
mod objects_read;
mod positions;
mod random;
mod rows;
mod sozip;
mod sparse;
mod streams;
mod structs;
mod values;
mod views;
mod we_write;
mod writers;
mod zipfiles;

use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};

use half::f16;
use npy_core::time::{
    As, Day, Fs, Generic, Hour, Minute, Month, Ms, Ns, Ps, Second, TimeUnit, Times, Us, Week, Year,
};
use npy_core::{
    ByteOrder, ByteStr, Cast, ComplexLongDouble, DType, DateTime64, DynArray, Element, FixedStr,
    Header, LongDouble, NpyArray, NpyRecord, Order, ReadNpy, ReadOptions, Reader, TimeDelta64,
    Version, Void, WriteNpy, WriteOptions,
};
use npy_tests::Numpy;
use num_complex::Complex;
use tempfile::TempDir;

/// The start of every script. `make` fills an array without touching its padding, which stays zero.
const PRELUDE: &str = r#"
import os, random, sys, warnings
import numpy as np
warnings.simplefilter('ignore')  # "Stored array in format 2.0"
os.chdir(sys.argv[1])

def make(dtype, rows):
    a = np.zeros(len(rows), dtype)
    for i, row in enumerate(rows):
        a[i] = row
    return a

def big(a, order='>'):
    # `np.zeros` would turn '>M8' into '<M8'.
    b = np.ndarray(a.shape, a.dtype.newbyteorder(order), bytearray(a.nbytes), order='F' if a.flags.fnc else 'C')
    b[...] = a
    return b

def little(a):
    return big(a, '<')

def lines():
    return [line.split('\t') for line in open('list', encoding='utf-8').read().splitlines()]
"#;

fn python(script: &str, directory: &Path) -> String {
    Numpy::run(&format!("{PRELUDE}{script}"), &[directory.as_os_str()])
}

const VERSIONS: [Option<Version>; 4] =
    [None, Some(Version::V1), Some(Version::V2), Some(Version::V3)];

fn number(version: Version) -> &'static str {
    match version {
        Version::V1 => "1",
        Version::V2 => "2",
        Version::V3 => "3",
    }
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[track_caller]
fn assert_same_bytes(ours: &[u8], theirs: &[u8], case: &str) {
    let differ = ours.iter().zip(theirs).position(|(a, b)| a != b);
    let at = differ.unwrap_or(ours.len().min(theirs.len()));
    let excerpt = |bytes: &[u8]| bytes[at..bytes.len().min(at + 60)].escape_ascii().to_string();
    assert!(
        ours == theirs,
        "{case}\nours, {} bytes, and NumPy's, {}, differ at {at}:\n{}\n{}",
        ours.len(),
        theirs.len(),
        excerpt(ours),
        excerpt(theirs)
    );
}
