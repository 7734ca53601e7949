//! Arrays to and from the types and formats of serde.

use std::collections::{BTreeMap, HashMap};

use npy_core::time::{Day, Ns};
use npy_core::{
    ByteStr, DType, DateTime64, DynArray, Element, Error, Header, Limits, NpyRecord, Order,
    ReadNpy, ReadOptions, TimeDelta64, WriteNpy,
};
use npy_tests::attacks::{file, header};
use serde::{Deserialize, Serialize};
use serde_json::json;

fn array<T: Element>(items: &[T]) -> DynArray {
    let mut file = Vec::new();
    items.write_npy_to(&mut file).unwrap();
    DynArray::read_npy_from(&file[..]).unwrap()
}

fn raw(descr: &str, shape: &[usize], order: Order, bytes: &[u8]) -> DynArray {
    DynArray::new(descr.parse().unwrap(), shape, order, bytes.to_vec()).unwrap()
}

#[derive(NpyRecord, Clone)]
struct Head {
    code: ByteStr<4>,
    time: DateTime64<Day>,
}

#[derive(NpyRecord, Clone)]
struct Trace {
    id: u64,
    head: Head,
    gain: f32,
    flag: bool,
    span: TimeDelta64<Ns>,
    samples: [[i16; 2]; 2],
    #[npy(width = 3)]
    note: String,
}

fn traces() -> Vec<Trace> {
    let trace = Trace {
        id: u64::MAX,
        head: Head { code: "RJOB".try_into().unwrap(), time: DateTime64::new(19_000) },
        gain: 0.5,
        flag: true,
        span: TimeDelta64::new(7),
        samples: [[1, 2], [3, -4]],
        note: "né".into(),
    };
    let mut other = trace.clone();
    other.head.time = DateTime64::NAT;
    vec![trace, other]
}

/// Guards the table in the documentation.
#[test]
fn every_kind_goes_to_json() {
    let value = serde_json::to_value(array(&traces())).unwrap();
    let expected = json!({
        "id": u64::MAX,
        "head": { "code": "RJOB", "time": "2022-01-08" },
        "gain": 0.5,
        "flag": true,
        "span": value[0]["span"],
        "samples": [[1, 2], [3, -4]],
        "note": "né",
    });
    assert_eq!(value[0], expected);
    assert!(value[0]["span"].as_str().unwrap().starts_with("7 n"), "{value}");
    assert_eq!(value[1]["head"]["time"], json!(null));
    let complex = raw("<c8", &[1], Order::C, &[0, 0, 0x80, 0x3f, 0, 0, 0, 0x40]);
    assert_eq!(serde_json::to_value(complex).unwrap(), json!([[1.0, 2.0]]));
    let half = raw("<f2", &[1], Order::C, &[0, 0x3c]);
    assert_eq!(serde_json::to_value(half).unwrap(), json!([1.0]));
    let bytes = raw("|S2", &[2], Order::C, &[0xff, 0, b'a', b'b']);
    assert_eq!(serde_json::to_value(bytes).unwrap(), json!([[255], "ab"]));
    let void = raw("|V2", &[1], Order::C, &[0, 9]);
    assert_eq!(serde_json::to_value(void).unwrap(), json!([[0, 9]]));
}

#[test]
fn dimensions_are_sequences_in_c_order() {
    let c = raw("|u1", &[2, 3], Order::C, &[1, 2, 3, 4, 5, 6]);
    let fortran = raw("|u1", &[2, 3], Order::Fortran, &[1, 4, 2, 5, 3, 6]);
    for array in [c, fortran] {
        assert_eq!(serde_json::to_value(&array).unwrap(), json!([[1, 2, 3], [4, 5, 6]]));
        assert_eq!(array.to_rows::<[u8; 3]>().unwrap(), [[1, 2, 3], [4, 5, 6]]);
    }
    let single = raw("|u1", &[], Order::C, &[7]);
    assert_eq!(serde_json::to_value(&single).unwrap(), json!(7));
    assert_eq!(single.to_rows::<u8>().unwrap(), [7]);
    let empty = raw("|u1", &[0, 3], Order::C, &[]);
    assert_eq!(serde_json::to_value(&empty).unwrap(), json!([]));
    assert_eq!(empty.to_rows::<Vec<u8>>().unwrap(), [[0; 0]; 0]);
}

#[derive(Deserialize, Debug, PartialEq)]
struct Row {
    note: String,
    samples: Vec<(i32, i64)>,
    head: BTreeMap<String, Option<String>>,
    #[serde(rename = "id")]
    number: u64,
    #[serde(default)]
    extra: Option<u8>,
    gain: f64,
    span: i64,
}

#[test]
fn rows_become_structs_and_maps() {
    let array = array(&traces());
    let rows: Vec<Row> = array.to_rows().unwrap();
    let head = |time: Option<&str>| {
        BTreeMap::from([
            ("code".to_owned(), Some("RJOB".to_owned())),
            ("time".to_owned(), time.map(str::to_owned)),
        ])
    };
    let row = |time| Row {
        note: "né".into(),
        samples: vec![(1, 2), (3, -4)],
        head: head(time),
        number: u64::MAX,
        extra: None,
        gain: 0.5,
        span: 7,
    };
    assert_eq!(rows, [row(Some("2022-01-08")), row(None)]);
    let maps: Vec<HashMap<String, serde_json::Value>> = array.to_rows().unwrap();
    assert_eq!(maps[0]["samples"], json!([[1, 2], [3, -4]]));
}

#[derive(Deserialize, Serialize, Debug, PartialEq, Clone, Copy)]
enum Phase {
    P,
    S,
}

#[test]
fn variants_are_names_or_numbers() {
    let names = raw("|S2", &[2], Order::C, b"P\0S\0");
    assert_eq!(names.to_rows::<Phase>().unwrap(), [Phase::P, Phase::S]);
    let numbers = raw("|u1", &[2], Order::C, &[1, 0]);
    assert_eq!(numbers.to_rows::<Phase>().unwrap(), [Phase::S, Phase::P]);
    assert!(raw("|u1", &[1], Order::C, &[2]).to_rows::<Phase>().is_err());
}

/// Returns the header of a file of the array, also if NumPy could not load it.
fn header_of(array: &DynArray) -> Vec<u8> {
    let shape: String = array.shape().iter().map(|length| format!("{length}, ")).collect();
    let descr = array.dtype().descr();
    file(2, &header(&descr, &format!("({shape})")), &[])
}

fn message<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}

/// Guards the row and the field in the error.
#[test]
fn what_does_not_fit_is_named() {
    #[derive(Deserialize, Debug)]
    struct Inner {
        #[expect(dead_code)]
        x: u8,
    }

    #[derive(Deserialize, Debug)]
    struct Outer {
        #[expect(dead_code)]
        inner: Inner,
    }

    let array = raw("[('inner', [('x', '<u2')])]", &[2], Order::C, &[1, 0, 0, 1]);
    assert_eq!(
        message(array.to_rows::<Outer>()),
        "row 1: field \"inner.x\": invalid value: integer `256`, expected u8"
    );
    let missing = raw("[('inner', [('y', '<u2')])]", &[1], Order::C, &[1, 0]);
    assert_eq!(message(missing.to_rows::<Outer>()), "row 0: field \"inner\": missing field `x`");
    let nat = array_of_nat();
    assert!(message(nat.to_rows::<i64>()).contains("row 0: NaT is not a number"));
    assert_eq!(nat.to_rows::<Option<i64>>().unwrap(), [None]);
    let surrogate = raw("<U1", &[1], Order::C, &[0, 0xd8, 0, 0]);
    assert!(message(surrogate.to_rows::<String>()).contains("U+D800 is not a character"));
}

fn array_of_nat() -> DynArray {
    array(&[DateTime64::<Ns>::NAT])
}

#[test]
fn rows_that_are_serialized_make_an_array() {
    #[derive(Serialize)]
    struct Place(f32, f64);

    #[derive(Serialize)]
    struct Pick<'a> {
        name: &'a str,
        place: Place,
        many: Vec<i16>,
        grid: [[u8; 2]; 2],
        mixed: (u8, bool),
        phase: Phase,
        sign: char,
        some: Option<i8>,
        map: BTreeMap<&'a str, u32>,
    }

    let pick = |name| Pick {
        name,
        place: Place(0.5, 1.5),
        many: vec![1, -2, 3],
        grid: [[1, 2], [3, 4]],
        mixed: (7, true),
        phase: Phase::S,
        sign: 'é',
        some: Some(-1),
        map: BTreeMap::from([("a", 1), ("b", 2)]),
    };
    let array = DynArray::try_from_rows(&[pick("x"), pick("𝄞yz")]).unwrap();
    assert_eq!(
        array.dtype().to_string(),
        "[('name', '<U3'), ('place', [('f0', '<f4'), ('f1', '<f8')]), ('many', '<i2', (3,)), \
         ('grid', '|u1', (2, 2)), ('mixed', [('f0', '|u1'), ('f1', '|b1')]), ('phase', '<U1'), ('sign', '<U1'), \
         ('some', '|i1'), ('map', [('a', '<u4'), ('b', '<u4')])]"
    );
    assert_eq!(
        array.get(&[1]).unwrap().to_string(),
        "('𝄞yz', (0.5, 1.5), [1, -2, 3], [[1, 2], [3, 4]], (7, True), 'S', 'é', -1, (1, 2))"
    );
    // A number without a type of its own gets the widest type.
    let rows = [json!({"a": 1, "b": [1.5]}), json!({"b": [2], "a": -1})];
    let array = DynArray::try_from_rows(&rows).unwrap();
    assert_eq!(array.dtype().to_string(), "[('a', '<i8'), ('b', '<f8', (1,))]");
    let array = DynArray::try_from_rows(&[json!({"a": 1}), json!({"a": "x"})]);
    assert!(message(array).contains("has one dtype"));
    let rows = [json!({"a": 1.5, "b": ["x"]}), json!({"b": ["long"], "a": -1.0})];
    let array = DynArray::try_from_rows(&rows).unwrap();
    assert_eq!(array.dtype().to_string(), "[('a', '<f8'), ('b', '<U4', (1,))]");
    assert_eq!(array.to_string(), "[(1.5, ['x']) (-1.0, ['long'])]");
    // Rows that are not records.
    let array = DynArray::try_from_rows(&[[1u8, 2], [3, 4]]).unwrap();
    assert_eq!((array.shape(), array.dtype().to_string()), (&[2, 2][..], "|u1".into()));
    assert_eq!(DynArray::try_from_rows(&["", ""]).unwrap().dtype().to_string(), "<U1");
}

#[test]
fn rows_without_a_dtype_are_refused() {
    let refused = |rows: &[serde_json::Value]| message(DynArray::try_from_rows(rows));
    assert!(refused(&[]).contains("NpyRecord"));
    assert!(refused(&[json!({"a": {"b": null}})]).contains("field \"a.b\": `()` has no dtype"));
    assert!(refused(&[json!([1]), json!([1, 2])]).contains("row 1: a sequence of 2 values"));
    assert!(refused(&[json!({"a": 1}), json!({"b": 1})]).contains("row 1: a field \"b\""));
    assert!(refused(&[json!({"a": 1, "b": 1}), json!({"b": 1})]).contains("fewer fields"));
    assert!(refused(&[json!({"": 1})]).contains("needs a name"));
    assert!(
        refused(&[json!({"a": "x\0"})]).contains("row 0: field \"a\": \"x\\0\" ends with a NUL")
    );
    assert!(message(DynArray::try_from_rows(&[Some(1), None])).contains("row 1: `None`"));
    let keys = HashMap::from([((1, 2), 3)]);
    assert!(message(DynArray::try_from_rows(&[keys])).contains("not text or a number"));
}

#[test]
fn dtypes_and_headers_there_and_back() {
    let dtype: DType = "[('a', '<f4'), ('', '|V4')]".parse().unwrap();
    let json = serde_json::to_string(&dtype).unwrap();
    assert_eq!(json, r#""[('a', '<f4'), ('', '|V4')]""#);
    assert_eq!(serde_json::from_str::<DType>(&json).unwrap(), dtype);
    let header = Header::new(dtype, [2, 3], Order::Fortran).unwrap();
    let json = serde_json::to_value(&header).unwrap();
    assert_eq!(json["fortran_order"], json!(true));
    assert_eq!(json["shape"], json!([2, 3]));
    assert_eq!(serde_json::from_value::<Header>(json).unwrap(), header);
    for wrong in [
        json!({"descr": "<f4", "shape": []}),
        json!({"descr": "<f3", "fortran_order": false, "shape": []}),
        json!({"descr": "<f4", "fortran_order": false, "shape": [u64::MAX, 2]}),
        json!({"descr": "<f4", "fortran_order": false, "shape": [], "more": 1}),
    ] {
        assert!(serde_json::from_value::<Header>(wrong).is_err());
    }
}

/// Guards time and memory: a header of a hundred bytes can claim any number of values of no bytes.
#[test]
fn values_of_no_bytes_are_counted_before_they_are_gone_through() {
    for (descr, shape) in [
        ("|S0", &[1_000_000_000_000][..]),
        ("|u1", &[1_000_000_000_000, 0]),
        ("[('x', '|S0', (1000000, 1000))]", &[1]),
        ("[('x', '|V0', (1000000, 0, 5)), ('y', '|u1', (0,))]", &[1000]),
    ] {
        let array = raw(descr, shape, Order::C, &[]);
        assert!(message(array.to_rows::<serde_json::Value>()).contains("empty_items"), "{descr}");
        assert!(serde_json::to_string(&array).unwrap_err().to_string().contains("empty_items"));
    }
    let inside = raw("[('x', '|S0', (1000, 1000)), ('y', '|u1')]", &[2], Order::C, &[1, 2]);
    assert!(inside.to_rows::<serde_json::Value>().is_err());
    // No writer writes it.
    let file = [header_of(&inside), inside.as_bytes().to_vec()].concat();
    assert!(npy_core::Reader::new(&file[..]).unwrap().deserialize::<u8>().is_err());
    let few = raw("[('x', '|S0', (2,)), ('y', '|u1', (0,))]", &[1], Order::C, &[]);
    assert_eq!(serde_json::to_value(few).unwrap(), json!([{"x": ["", ""], "y": []}]));
}

/// Guards values that do not fit the type: they are an error, and not left out.
#[test]
fn values_that_do_not_fit_the_type_are_errors() {
    let three = raw("[('x', '|u1', (3,))]", &[1], Order::C, &[1, 2, 3]);
    assert!(message(three.to_rows::<([u8; 2],)>()).contains("field \"x\""));
    assert_eq!(three.to_rows::<([u8; 3],)>().unwrap(), [([1, 2, 3],)]);
    let two = raw("[('x', '|u1'), ('y', '|u1')]", &[1], Order::C, &[1, 2]);
    assert!(message(two.to_rows::<(u8,)>()).contains("leaves 1 item unread"));
    assert!(raw("|S3", &[1], Order::C, b"abc").to_rows::<[u8; 2]>().is_err());
    assert!(raw("<c8", &[1], Order::C, &[0; 8]).to_rows::<[f32; 1]>().is_err());
}

/// Guards the numbers of JSON, and repeated names.
#[test]
fn rows_of_json_become_arrays() {
    let dtype = |rows: serde_json::Value| {
        let rows: Vec<serde_json::Value> = serde_json::from_value(rows).unwrap();
        DynArray::try_from_rows(&rows).map(|array| format!("{} {array}", array.dtype()))
    };
    assert_eq!(dtype(json!([1, -1])).unwrap(), "<i8 [ 1 -1]");
    assert_eq!(dtype(json!([{"x": 1}, {"x": 1.5}])).unwrap(), "[('x', '<f8')] [(1.0,) (1.5,)]");
    assert_eq!(dtype(json!([[1, 2.5]])).unwrap(), "<f8 [[1.0 2.5]]");
    let mixed = message(dtype(json!([u64::MAX, -1])));
    assert!(mixed.contains("row 0: no dtype holds both 18446744073709551615"), "{mixed}");
    assert!(message(dtype(json!([9_007_199_254_740_993u64, 0.5]))).contains("row 0: "));
    let text = |text: &'static str| ([["a", "b"], ["c", text]], (vec!["a"], vec![text]));
    let array = DynArray::try_from_rows(&[text("c"), text("long")]).unwrap();
    let expected = "[('f0', '<U4', (2, 2)), ('f1', '<U4', (2, 1))]";
    assert_eq!(array.dtype().to_string(), expected);

    #[derive(Serialize)]
    struct Twice {
        x: u8,
        #[serde(flatten)]
        more: BTreeMap<String, u8>,
    }

    let twice = Twice { x: 1, more: BTreeMap::from([("x".into(), 2)]) };
    assert!(message(DynArray::try_from_rows(&[twice])).contains("a second field called \"x\""));
    let surrogate = raw("<U1", &[1], Order::C, &[0, 0xd8, 0, 0]);
    assert!(serde_json::to_string(&surrogate).unwrap_err().to_string().contains("U+D800"));
}

/// Guards the limits that a program has set, whether they allow the rows or not.
#[test]
fn rows_of_no_bytes_are_as_many_as_the_reader_allows() {
    let array = raw("[('x', '|S0', (1048577,))]", &[1], Order::C, &[]);
    let bytes = header_of(&array);
    // A value counts as 128 bytes, and each 16 bytes count as an empty item.
    for (empty_items, allowed) in [(1 << 24, true), (1 << 23, false)] {
        let mut limits = Limits::default();
        limits.empty_items = empty_items;
        let mut reader = ReadOptions::new().limits(limits).reader(&bytes[..]).unwrap();
        let rows = reader.deserialize::<serde_json::Value>();
        assert_eq!(rows.is_ok_and(|mut rows| rows.next().is_some()), allowed);
    }
}
