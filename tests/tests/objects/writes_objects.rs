//! Arrays of Python objects, written: the bytes, what is refused, and arrays within values. `live/objects.rs` has NumPy load them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;

use npy_core::object::{self, AsObject};
use npy_core::{
    DynArray, Error, ErrorKind, Header, NpyArray, Order, ReadNpy, WriteNpy, WriteOptions, npz,
};
use npy_tests::disk::Disk;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// The start of a pickle, up to the shape of its first array.
const BEFORE_SHAPE: &[u8] =
    b"\x80\x03cnumpy.core.multiarray\n_reconstruct\nq\0cnumpy\nndarray\nK\0\x85C\x01b\x87q\x01R(K\x01";
/// The dtype of objects, the first in a pickle.
const OBJECT_DTYPE: &[u8] = b"cnumpy\ndtype\nq\x02X\x02\0\0\0O8\x89\x88\x87R(K\x03X\x01\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x3ftbq\x03";

fn pickle_of(file: &[u8]) -> &[u8] {
    let (header, start) = Header::parse(file).unwrap();
    assert_eq!((header.dtype().to_string().as_str(), header.order()), ("|O", Order::C));
    &file[start..]
}

#[track_caller]
fn assert_pickle(file: &[u8], shape: &[u8], list: &[u8]) {
    let expected = [BEFORE_SHAPE, shape, OBJECT_DTYPE, b"\x89", list, b"tb."].concat();
    let found = pickle_of(file);
    assert!(found == expected, "\n{}\nexpected\n{}", found.escape_ascii(), expected.escape_ascii());
}

fn saved<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut file = Vec::new();
    object::save_to(&mut file, value).unwrap();
    file
}

#[test]
fn pickles_have_exactly_these_bytes() {
    let mut file = Vec::new();
    WriteOptions::new().objects(true).write_to(&mut file, &["a", "é"]).unwrap();
    assert_pickle(&file, b"(K\x02t", b"](X\x01\0\0\0aX\x02\0\0\0\xc3\xa9e");
    file.clear();
    [Some(7u8), None].write_npy_to(&mut file).unwrap();
    assert_pickle(&file, b"(K\x02t", b"](K\x07Ne");
    file.clear();
    NpyArray::<Option<f64>>::new(vec![], [0, 300]).unwrap().write_npy_to(&mut file).unwrap();
    assert_pickle(&file, b"(K\0M\x2c\x01t", b"]");
    let dict = b"](}(X\x01\0\0\0k](\x88G\x3f\xf8\0\0\0\0\0\0eue";
    assert_pickle(&saved(&json!({"k": [true, 1.5]})), b"(t", dict);
}

/// Guards that what arrays have in common is written once.
#[test]
fn a_second_array_takes_few_bytes() {
    let array = NpyArray::from(vec![1u8, 2]);
    let second = b"h\0h\x01R(K\x01(K\x02th\x04\x89C\x02\x01\x02tb";
    let file = saved(&[&array, &array]);
    let dtype = b"h\x02X\x02\0\0\0u1\x89\x88\x87R(K\x03X\x01\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tbq\x04";
    let first = [b"h\0h\x01R(K\x01(K\x02t", &dtype[..], b"\x89C\x02\x01\x02tb"].concat();
    assert_pickle(&file, b"(K\x02t", &[b"](", &first[..], second, b"e"].concat());
}

/// Guards options that do not concern arrays without text.
#[test]
fn numbers_and_records_are_written_as_always() {
    let written = |options: &WriteOptions| {
        let mut file = Vec::new();
        options.write_to(&mut file, &[1.5, 2.5]).unwrap();
        file
    };
    assert_eq!(written(WriteOptions::new().objects(true)), written(&WriteOptions::new()));
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(7), |inner, _| json!([inner]))
}

#[test]
fn the_depth_has_a_limit() {
    saved(&nested(128));
    let error = object::save_to(io::sink(), &nested(129)).unwrap_err();
    assert!(error.to_string().contains("nested more than 128 deep"), "{error}");

    #[derive(Serialize)]
    enum Chain {
        End,
        Link(Box<Chain>),
    }
    let chain = (0..129).fold(Chain::End, |chain, _| Chain::Link(Box::new(chain)));
    object::save_to(io::sink(), &chain).unwrap_err();
}

/// A value whose `Serialize` fails.
struct Failed;

impl Serialize for Failed {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("is out of order"))
    }
}

/// A sequence that is longer each time.
struct Growing(Cell<usize>);

impl Serialize for Growing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.set(self.0.get() + 1);
        serializer.collect_seq(0..self.0.get())
    }
}

#[test]
fn values_that_no_object_holds_are_refused() {
    #[derive(Serialize)]
    struct Outer<T> {
        field: T,
    }

    let refused = |error: Error| {
        assert!(matches!(error.kind(), ErrorKind::InvalidValue { .. }), "{error}");
        error.to_string()
    };
    let save = |value: &dyn Fn() -> npy_core::Result<()>| refused(value().unwrap_err());
    let error = save(&|| object::save_to(io::sink(), &Outer { field: Outer { field: Failed } }));
    assert_eq!(error, "field \"field.field\": is out of order");
    let key = Outer { field: BTreeMap::from([(vec![1], 2)]) };
    let error = save(&|| object::save_to(io::sink(), &key));
    assert!(error.starts_with("field \"field\": a list cannot be the key of a dict"), "{error}");
    let key = BTreeMap::from([((1, BTreeMap::<u8, u8>::new()), 2)]);
    let error = save(&|| object::save_to(io::sink(), &key));
    assert!(error.starts_with("a dict cannot be the key"), "{error}");
    let root = Growing(Cell::new(0));
    let error = save(&|| object::save_to(io::sink(), &root));
    assert!(error.contains("changed while it was written"), "{error}");
    let inner = Outer { field: Growing(Cell::new(0)) };
    let error = save(&|| object::save_to(io::sink(), &inner));
    assert!(error.contains("changed while it was written"), "{error}");

    let title = "[((5, 'a'), '|u1')]".parse().unwrap();
    let array = DynArray::new(title, [1], Order::C, vec![0]).unwrap();
    let error = save(&|| object::save_to(io::sink(), &array));
    assert!(error.starts_with("field \"a\": within objects"), "{error}");
}

/// Guards that a failing writer is not mistaken for a value that cannot be serialized.
#[test]
fn errors_of_the_writer_are_passed_on() {
    let value = json!({"a": ["x".repeat(300_000)]});
    let error = object::save_to(Disk::with_room(1000), &value).unwrap_err();
    assert!(error.is_io(), "{error}");
}

/// Guards arrays behind the serializers that serde's derive puts between a value and ours.
#[test]
fn arrays_stay_arrays_in_flattened_and_tagged_values() {
    #[derive(Serialize)]
    struct Inner {
        array: NpyArray<f32>,
    }

    #[derive(Serialize)]
    struct Flattened {
        #[serde(flatten)]
        inner: Inner,
    }

    #[derive(Serialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        Inner(Inner),
    }

    #[derive(Serialize)]
    #[serde(untagged)]
    enum Untagged {
        Array(NpyArray<f32>),
    }

    let array = || NpyArray::from(vec![1.5f32]);
    let inner = || Inner { array: array() };
    for file in [
        saved(&Flattened { inner: inner() }),
        saved(&Tagged::Inner(inner())),
        saved(&Untagged::Array(array())),
        saved(&Some(array())),
    ] {
        let pickle = pickle_of(&file);
        assert!(pickle.windows(4).any(|bytes| bytes == b"f4\x89\x88"), "{}", pickle.escape_ascii());
    }
}

/// Guards that other formats see the same of an array as ever.
#[test]
fn other_formats_see_nested_lists() {
    let array = NpyArray::new(vec![1.5f32, 2.5], [1, 2]).unwrap();
    assert_eq!(serde_json::to_value(&array).unwrap(), json!([[1.5, 2.5]]));
    assert_eq!(serde_json::to_value(array.view()).unwrap(), json!([[1.5, 2.5]]));
    let rows = DynArray::try_from_rows(&[(1u8, &array)]).unwrap();
    assert_eq!(rows.dtype().to_string(), "[('f0', '|u1'), ('f1', '<f4', (1, 2))]");
}

/// Guards the length that an archive is told before the first byte of a member.
#[test]
fn members_have_the_length_that_was_counted() {
    let value = json!({"a": vec!["text"; 50_000]});
    let mut npz = npz::Writer::stream(Vec::new());
    npz.write("value", &AsObject(&value)).unwrap();
    let archive = npz.finish().unwrap();
    let reader = npz::Reader::new(io::Cursor::new(archive)).unwrap();
    assert!(reader.header("value").unwrap().shape().is_empty());
}

/// Guards the place that an error names in an array of several dimensions: the row, and the element in it.
#[test]
fn an_object_that_is_no_value_is_located_by_its_row() {
    let objects = NpyArray::new(vec![Some(1i64), Some(2), Some(3), None], [2, 2]).unwrap();
    let mut file = Vec::new();
    objects.write_npy_to(&mut file).unwrap();
    let error = NpyArray::<i64>::read_npy_from(&file[..]).unwrap_err().to_string();
    assert!(error.starts_with("row 1: element 1 of the row: expected"), "{error}");
    assert!(error.contains("read the elements as an Option"), "{error}");
    assert_eq!(NpyArray::<Option<i64>>::read_npy_from(&file[..]).unwrap(), objects);
    // A list has one dimension.
    let single = NpyArray::new(vec![None::<String>], []).unwrap();
    let mut file = Vec::new();
    single.write_npy_to(&mut file).unwrap();
    let error = String::read_npy_from(&file[..]).unwrap_err().to_string();
    let advice = "expected text, found None; read it as an Option in an array, as in NpyArray<Option<String>>";
    assert!(error.ends_with(advice), "{error}");
    assert_eq!(NpyArray::<Option<String>>::read_npy_from(&file[..]).unwrap(), single);
}
