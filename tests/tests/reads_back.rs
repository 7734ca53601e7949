//! Every dtype that is written reads back with the default limits; one that could not is refused before anything is
//! written.

use npy_core::{
    DType, DynArray, Element, ErrorKind, Header, NpyRecord, Order, ReadNpy, Version, WriteNpy,
    WriteOptions,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

/// Wraps a value `depth` times, from the inside out.
fn nested(depth: usize, innermost: Value, wrap: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(innermost, |value, _| wrap(value))
}

fn in_record(value: Value) -> Value {
    json!({ "a": value })
}

fn in_sequence(value: Value) -> Value {
    json!([value])
}

/// Asserts that the rows read back equal from a file.
fn assert_rows_come_back(row: &Value) {
    let array = DynArray::try_from_rows(std::slice::from_ref(row)).unwrap();
    let mut file = Vec::new();
    array.write_npy_to(&mut file).unwrap();
    let rows: Vec<Value> = DynArray::read_npy_from(&file[..]).unwrap().to_rows().unwrap();
    assert_eq!(rows, std::slice::from_ref(row));
}

fn refused(row: Value) -> String {
    DynArray::try_from_rows(&[row]).unwrap_err().to_string()
}

#[test]
fn sequences_nested_64_deep_in_a_field_are_written_and_65_deep_refused() {
    let field = |depth| json!({ "x": nested(depth, json!(7), in_sequence) });
    assert_rows_come_back(&field(64));
    let error = refused(field(65));
    assert!(error.contains("field \"x\"") && error.contains("64 dimensions"), "{error}");
    // Outside of a record, the rows are the first dimension, so one level less fits.
    assert_rows_come_back(&nested(63, json!(7), in_sequence));
    let error = refused(nested(64, json!(7), in_sequence));
    assert!(error.contains("65 dimensions"), "{error}");
}

#[test]
fn records_nested_99_deep_are_written_and_100_deep_refused() {
    assert_rows_come_back(&nested(99, json!(7), in_record));
    for depth in [100, 120, 150, 199] {
        let error = refused(nested(depth, json!(7), in_record));
        assert!(error.contains("brackets"), "{depth}: {error}");
    }
    // Sequences between the records add no brackets.
    assert_rows_come_back(&nested(50, json!(7), |value| json!({ "a": [[value]] })));
}

#[test]
fn values_nested_without_end_are_refused_and_not_followed() {
    /// Serializes as records in records, forever.
    struct Endless;
    impl serde::Serialize for Endless {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map([("a", Endless)])
        }
    }
    /// Serializes as itself in an `Option`, forever.
    struct Some;
    impl serde::Serialize for Some {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_some(&Some)
        }
    }
    let error = DynArray::try_from_rows(&[Endless]).unwrap_err().to_string();
    assert!(error.contains("nested more than 200 deep"), "{error}");
    let error = DynArray::try_from_rows(&[Some]).unwrap_err().to_string();
    assert!(error.contains("nested more than 200 deep"), "{error}");
}

fn header(dtype: DType) -> Result<Header, npy_core::Error> {
    Header::new(dtype, [1], Order::C)
}

fn assert_refused(dtype: DType, what: &str) {
    let size = dtype.itemsize();
    let error = header(dtype.clone()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::DType { .. }), "{error}");
    assert!(error.to_string().contains(what), "{error}");
    assert!(DynArray::new(dtype, [1], Order::C, vec![0; size]).is_err());
}

fn records(depth: usize) -> String {
    format!("{}'|u1'{}", "[('a', ".repeat(depth), ")]".repeat(depth))
}

#[test]
fn a_dtype_that_parses_by_itself_and_not_in_a_header_is_refused() {
    assert!(header(records(99).parse().unwrap()).is_ok());
    assert_refused(records(100).parse().unwrap(), "201 brackets");
    // The brackets of a title that is not a string count, too.
    let title = format!("{}1{}", "(".repeat(195), ",)".repeat(195));
    assert!(header(format!("[(({title}, 'a'), '|u1')]").parse().unwrap()).is_ok());
    let title = format!("{}1{}", "(".repeat(197), ",)".repeat(197));
    assert_refused(format!("[(({title}, 'a'), '|u1')]").parse().unwrap(), "201 brackets");
}

/// A field with an empty name that is not padding: in NumPy only a title makes the difference.
#[test]
fn a_field_that_would_be_read_as_padding_is_refused() {
    assert_refused("[((None, ''), '|V4')]".parse().unwrap(), "padding");
    assert_refused("[('a', [((None, ''), '<f4', (2,))])]".parse().unwrap(), "padding");
    assert!(header("[('', '<f4'), (('t', 'x'), '|V4')]".parse().unwrap()).is_ok());
}

#[test]
fn rust_arrays_nested_65_deep_in_a_field_are_refused() {
    macro_rules! nest {
        ($type:ty;) => { $type };
        ($type:ty; $_one:tt $($more:tt)*) => { nest!([$type; 1]; $($more)*) };
    }
    type Eight<T> = nest!(T; 1 2 3 4 5 6 7 8);
    type SixtyFour = Eight<Eight<Eight<Eight<Eight<Eight<Eight<Eight<u8>>>>>>>>;

    #[derive(NpyRecord)]
    struct Fits {
        x: SixtyFour,
    }
    #[derive(NpyRecord)]
    struct TooMany {
        x: [SixtyFour; 1],
    }
    let mut file = Vec::new();
    [Fits { x: SixtyFour::decode(&[7]) }].write_npy_to(&mut file).unwrap();
    let [read] = <[Fits; 1]>::read_npy_from(&file[..]).unwrap();
    assert_eq!(format!("{:?}", read.x), format!("{:?}", SixtyFour::decode(&[7])));
    let mut file = Vec::new();
    let wrong = [TooMany { x: [SixtyFour::decode(&[7])] }];
    let error = wrong.write_npy_to(&mut file).unwrap_err().to_string();
    assert!(error.contains("65 dimensions") && file.is_empty(), "{error}");
}

/// A sub-array of no bytes that no reader accepts: the product of its other dimensions is larger than any item.
#[test]
fn a_sub_array_of_no_bytes_and_huge_dimensions_is_refused() {
    #[derive(NpyRecord)]
    struct Empty {
        x: [[[[f32; 0]; 1 << 30]; 1 << 30]; 1 << 30],
    }
    assert_refused(Empty::dtype(), "2147483647");
    // A product that fits in a `u64` and is too large for an array.
    assert!("[('x', '<f4', (2147483648, 4294967296, 0))]".parse::<DType>().is_err());
}

#[test]
fn more_fields_or_a_longer_header_than_a_reader_takes_are_refused() {
    let fields = |count: usize| -> serde_json::Map<String, Value> {
        (0..count).map(|i| (format!("{i:x}"), json!(true))).collect()
    };
    let row = Value::Object(fields((1 << 16) + 1));
    assert!(refused(row).contains("65537 fields"));
    let row = Value::Object(fields(1 << 16));
    let array = DynArray::try_from_rows(&[row]).unwrap();
    let mut file = Vec::new();
    let error = array.write_npy_to(&mut file).unwrap_err().to_string();
    assert!(error.contains("but a reader accepts at most 1048576") && file.is_empty(), "{error}");
    let long = format!("[('{}', '|u1')]", "n".repeat((1 << 20) - 200));
    let array = DynArray::new(long.parse().unwrap(), [1], Order::C, vec![7]).unwrap();
    let mut file = Vec::new();
    array.write_npy_to(&mut file).unwrap();
    assert_eq!(DynArray::read_npy_from(&file[..]).unwrap(), array);
}

/// A sub-array type takes the last dimensions of an array, as when a `Vec` of it is read from a file.
#[test]
fn a_dyn_array_gives_the_values_that_a_file_gives() {
    fn assert_same<T: Element + PartialEq + std::fmt::Debug>(array: &DynArray) {
        let mut file = Vec::new();
        array.write_npy_to(&mut file).unwrap();
        let read = npy_core::NpyArray::<T>::read_npy_from(&file[..]).map(|read| read.into_vec());
        match (read, array.to_vec::<T>()) {
            (Ok(read), Ok(values)) => assert_eq!(values, read, "{array:?}"),
            (Err(read), Err(error)) => {
                // The message names the array or the file, and the advice is the call for each.
                let advice = error
                    .to_string()
                    .replace("the array holds", "the file holds")
                    .replace("array.cast_with(&dtype, ", "ReadOptions::new().cast(");
                assert_eq!(advice, read.to_string());
            }
            (read, values) => panic!("{array:?}: {read:?} of the file, and {values:?}"),
        }
    }
    let numbers: Vec<u8> = (0..24).collect();
    for shape in [&[24][..], &[12, 2], &[3, 4, 2], &[2, 6, 2], &[8, 3], &[0, 2], &[24, 1]] {
        for order in [Order::C, Order::Fortran] {
            let bytes = numbers.iter().copied().take(shape.iter().product()).collect();
            let array = DynArray::new("|u1".parse().unwrap(), shape, order, bytes).unwrap();
            assert_same::<u8>(&array);
            assert_same::<[u8; 2]>(&array);
            assert_same::<[[u8; 2]; 4]>(&array);
            assert_same::<[u8; 3]>(&array);
            assert_same::<[u16; 2]>(&array);
        }
    }
    let pairs = DynArray::new("|u1".parse().unwrap(), [2, 2], Order::Fortran, vec![1, 2, 3, 4]);
    assert_eq!(pairs.unwrap().to_vec::<[u8; 2]>().unwrap(), [[1, 3], [2, 4]]);
    let none = DynArray::new("<f4".parse().unwrap(), [3, 0], Order::C, vec![]).unwrap();
    assert_same::<[f32; 0]>(&none);
    assert_eq!(none.to_vec::<[f32; 0]>().unwrap(), [[0.5f32; 0]; 3]);
}

/// Wraps a dtype: in a record, in a sub-array of 60 dimensions, under a title.
fn wrapped(inner: &str, wrap: u8) -> String {
    match wrap {
        0 => format!("[('a', {inner})]"),
        1 => format!("[('b', {inner}, ({}))]", "1, ".repeat(60)),
        2 => format!("[(('t', 'c'), {inner}), ('', '|V3'), ('d', '<U2')]"),
        3 => format!("[(((1, ({{2}},)), 'e'), {inner})]"),
        4 => format!("[((None, ''), {inner}), ('f', [])]"),
        _ => format!("[('g', ({inner}, (1, 2)), (2, 1))]"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(18),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_header_that_can_be_made_parses_back(
        scalar in select(vec!["'|u1'", "'|V0'", "'|V2'", "'<M8[25s]'", "[]", "('<f4', (0,))"]),
        wraps in vec(0u8..6, 0..110),
        few in prop_oneof![Just(0u8..1), Just(0..3), Just(0..6)],
        shape in vec(0usize..3, 0..66),
    ) {
        let wraps = wraps.iter().map(|wrap| few.start + wrap % few.end);
        let text = wraps.fold(scalar.to_owned(), |inner, wrap| wrapped(&inner, wrap));
        // Dtypes that are too deep or too large to parse are skipped.
        let Ok(dtype) = text.parse::<DType>() else { return Ok(()) };
        let Ok(made) = Header::new(dtype, shape, Order::C) else { return Ok(()) };
        let bytes = match made.to_bytes() {
            Ok(bytes) => bytes,
            // Sub-arrays of elements without bytes.
            Err(error) => {
                prop_assert!(error.to_string().contains("NumPy cannot load"), "{text}: {error}");
                return Ok(());
            }
        };
        let (parsed, offset) = Header::parse(&bytes).unwrap_or_else(|error| panic!("{text}: {error}"));
        prop_assert_eq!(&parsed, &made);
        prop_assert_eq!(offset, bytes.len());
    }
}

/// Guards files that Python cannot read: NumPy's `load` knows no sub-array of elements without bytes, except of records.
#[test]
fn what_numpy_cannot_load_is_not_written() {
    for (descr, loads) in [
        ("[('a', '<U0', (2,)), ('b', '|u1')]", false),
        ("[('a', '|V0', (2,))]", false),
        ("[('a', ('<f4', (0,)), (3,))]", false),
        ("[('a', ([('e', '<U0')], (3,)), (2,)), ('b', '|u1')]", false),
        ("[('a', '<U0')]", true),
        ("[('a', ('<f4', (3,)), (0,))]", true),
        ("[('a', [('e', '<U0')], (3,)), ('b', '|u1')]", true),
    ] {
        let dtype: DType = descr.parse().unwrap();
        let bytes = vec![0; dtype.itemsize()];
        let header = Header::new(dtype.clone(), [1], Order::C).unwrap();
        assert_eq!(header.to_bytes().is_ok(), loads, "{descr}");
        let array = DynArray::new(dtype, [1], Order::C, bytes).unwrap();
        let written = array.write_npy_to(Vec::new());
        assert_eq!(written.is_ok(), loads, "{descr}: {written:?}");
        let written = WriteOptions::new().version(Version::V2).write_to(Vec::new(), &array);
        assert_eq!(written.is_ok(), loads, "{descr}: {written:?}");
    }
    // Packing leaves no such dtype.
    let padded = "[('a', ([('', '|V3'), ('x', '<U0'), ('', '|V2')], (1, 3, 1)), (2,))]";
    let packed = padded.parse::<DType>().unwrap().packed();
    assert_eq!(packed.descr(), "[('a', [('x', '<U0')], (2, 1, 3, 1))]");
}
