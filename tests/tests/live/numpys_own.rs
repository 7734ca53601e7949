//! NumPy's own test data for its format: the arrays of `test_format.py`, and the files that come with it.

use super::*;

#[test]
fn numpys_own_arrays_come_back_byte_for_byte() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
from unittest import mock
# Its tests import it; its lists of arrays need nothing of it.
sys.modules['pytest'] = mock.MagicMock()
from numpy.lib.tests import test_format
for i, a in enumerate(test_format.basic_arrays + test_format.record_arrays):
    if a.dtype.hasobject:
        print(i, 'object')
        continue
    np.save(f'{i}.npy', a, allow_pickle=False)
    print(i, 'plain')
"#;
    let listing = python(script, dir.path());
    let mut saved = 0;
    for line in listing.lines() {
        let Some(i) = line.strip_suffix(" plain") else { continue };
        let path = dir.path().join(format!("{i}.npy"));
        let theirs = std::fs::read(&path).unwrap();
        let mut ours = Vec::new();
        DynArray::read_npy(&path).unwrap().write_npy_to(&mut ours).unwrap();
        assert_same_bytes(&ours, &theirs, line);
        saved += 1;
    }
    assert!(saved > 100, "{listing}");
    assert!(saved >= listing.lines().count() - 20, "{listing}");
}

#[test]
fn numpys_own_files_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
from pathlib import Path
import numpy.lib
for path in sorted((Path(numpy.lib.__file__).parent / 'tests/data').glob('*.npy')):
    try:
        a = np.load(path, allow_pickle=False)
        print(path, a.dtype.str, *a.shape, sep='\t')
    except Exception:
        print(path, 'pickle', sep='\t')
"#;
    let listing = python(script, dir.path());
    let mut read = 0;
    for line in listing.lines() {
        let fields: Vec<_> = line.split('\t').collect();
        let array = DynArray::read_npy(fields[0]);
        match fields[1] {
            "pickle" => assert!(array.unwrap().dtype().has_object(), "{line}"),
            dtype => {
                let array = array.unwrap();
                let shape: Vec<String> = array.shape().iter().map(usize::to_string).collect();
                assert_eq!(array.dtype().to_string(), dtype, "{line}");
                assert_eq!(shape, fields[2..], "{line}");
                read += 1;
            }
        }
    }
    assert!(read > 0, "{listing}");
}
