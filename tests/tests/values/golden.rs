//! The golden files, which NumPy wrote (`tests/golden/README.md`): without Python, on any machine.

use npy_core::{DType, DynArray, Header, ReadNpy, WriteOptions};

/// Guards the bytes of written files, against NumPy's, in the same version as the file.
#[test]
fn every_golden_file_is_written_again_byte_for_byte() {
    let mut files = 0;
    for entry in std::fs::read_dir(npy_tests::golden("")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "npy") {
            continue;
        }
        let name = path.display();
        let array = DynArray::read_npy(&path).unwrap_or_else(|error| panic!("{error}"));
        let header = Header::read_npy(&path).unwrap();
        assert_eq!(header.dtype(), array.dtype(), "{name}");
        let parsed: DType = header.dtype().descr().parse().unwrap();
        assert_eq!(parsed, *header.dtype(), "{name}");
        let mut again = Vec::new();
        WriteOptions::new().version(header.version()).write_to(&mut again, &array).unwrap();
        assert!(again == std::fs::read(&path).unwrap(), "{name}");
        files += 1;
    }
    assert!(files > 30, "{files}");
}
