//! Several arrays in one file.

use super::structs::{PACKED, PACKED_ROWS, packed};
use super::*;

#[test]
fn two_arrays_in_one_file_are_taken_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
with open('two', 'wb') as f:
    np.save(f, np.arange(5, dtype='<i4'))
    np.save(f, make([('x', '>f8'), ('y', 'S3')], [(1.5, b'ab'), (2.5, b'')]))
with open('both', 'ab') as f:
    f.write(b'before')
    np.save(f, np.zeros((2, 3), '<f4', 'F'))
    np.save(f, np.array(7, '|u1'))
    np.save(f, np.zeros((0, 4), '<U3'))
    f.write(b'after')
"#;
    python(script, dir.path());
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Point {
        x: f64,
        y: ByteStr<3>,
    }
    let point = |x, y: &str| Point { x, y: y.try_into().unwrap() };
    let points = [point(1.5, "ab"), point(2.5, "")];

    let mut file = File::open(dir.path().join("two")).unwrap();
    assert_eq!(Vec::<i32>::read_npy_from(&mut file).unwrap(), [0, 1, 2, 3, 4]);
    assert_eq!(Vec::<Point>::read_npy_from(&mut file).unwrap(), points);
    assert!(DynArray::read_npy_from(&mut file).is_err(), "there is no third");

    let mut file = File::open(dir.path().join("two")).unwrap();
    let mut reader = Reader::new(&mut file).unwrap();
    assert_eq!((reader.header().shape(), reader.remaining()), (&[5][..], 5));
    assert_eq!(reader.read_vec::<i32>().unwrap().len(), 5);
    let mut reader = Reader::new(&mut file).unwrap();
    assert_eq!(reader.header().dtype().itemsize(), 11);
    assert_eq!(reader.read_vec::<Point>().unwrap(), points);

    // Reading by path takes the first array and ignores the rest.
    assert_eq!(Vec::<i32>::read_npy(dir.path().join("two")).unwrap().len(), 5);

    let bytes = std::fs::read(dir.path().join("both")).unwrap();
    let mut rest = bytes.strip_prefix(b"before").unwrap();
    let zeros = NpyArray::<f32>::read_npy_from(&mut rest).unwrap();
    assert_eq!((zeros.shape(), zeros.order()), (&[2, 3][..], Order::Fortran));
    assert_eq!(u8::read_npy_from(&mut rest).unwrap(), 7);
    assert_eq!(DynArray::read_npy_from(&mut rest).unwrap().shape(), [0, 4]);
    assert_eq!(rest, b"after");
}

#[test]
fn numpy_takes_what_we_append_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = File::create(dir.path().join("three")).unwrap();
    [1i16, 2, 3].write_npy_to(&mut file).unwrap();
    packed().write_npy_to(&mut file).unwrap();
    2.5f64.write_npy_to(&mut file).unwrap();
    let script = format!(
        r#"
with open('three', 'rb') as f:
    a, b, c = np.load(f), np.load(f), np.load(f)
    assert f.read() == b''
assert a.tolist() == [1, 2, 3] and a.dtype == '<i2', a
assert b.tobytes() == make({PACKED}, {PACKED_ROWS}).tobytes() and b.dtype == {PACKED}, b
assert c.shape == () and c == 2.5, c
"#
    );
    python(&script, dir.path());
}
