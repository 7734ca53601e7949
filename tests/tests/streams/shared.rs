//! Files that somebody else writes to at the same time, or that were opened for appending.

use std::fs::{File, OpenOptions};
use std::io::BufWriter;

use super::*;

/// Guards the length, which is to be written where the header is: the first call says that it cannot be.
#[test]
fn a_file_opened_for_appending_is_refused_before_it_has_an_item() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let open = || OpenOptions::new().append(true).open(&path).unwrap();
    for before in [&b""[..], b"what was there"] {
        let writers: [fn(File) -> Result<(), Error>; 2] = [
            |file| Writer::<u8, _>::new(file).map(drop),
            |file| Writer::<u8, _>::new(BufWriter::new(file)).map(drop),
        ];
        for writer in writers {
            fs::write(&path, before).unwrap();
            let error = writer(open()).unwrap_err().to_string();
            assert!(error.contains("the file was opened with append(true)"), "{error}");
            assert!(error.contains("Writer::append"), "{error}");
            assert!(fs::read(&path).unwrap().starts_with(before));
        }
    }
}
