//! Arrays of Python objects into types of serde, and to formats of serde. The pickles are written by hand; `live/object_serde.rs` reads
//! NumPy's and pandas' own.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Cursor;

use npy_core::time::{Day, Ms, Ns, Second};
use npy_core::{
    DType, DateTime64, DynArray, Error, ErrorKind, Limits, NpyArray, Objects, Order, Place,
    ReadNpy, ReadOptions, TimeDelta64, WriteNpy, npz, object,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Returns a file of an array of objects: the opcodes of the objects, each of which pushes one.
fn array(shape: &[u8], objects: &[Vec<u8>]) -> Vec<u8> {
    let lengths: String = shape.iter().map(|n| format!("{n},")).collect();
    let header = format!("{{'descr': '|O', 'fortran_order': False, 'shape': ({lengths}), }}");
    let mut pickle = b"\x80\x03cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01(".to_vec();
    shape.iter().for_each(|&n| pickle.extend([b'K', n]));
    pickle.extend(b"tcnumpy\ndtype\nX\x02\0\0\0O8K\0K\x01\x87R(K\x03X\x01\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89](");
    pickle.extend(objects.concat());
    pickle.extend(b"etb.");
    file(&header, &pickle)
}

fn file(header: &str, pickle: &[u8]) -> Vec<u8> {
    [b"\x93NUMPY\x01\x00\xf6\x00", format!("{header:<245}\n").as_bytes(), pickle].concat()
}

/// Returns a file of an array without dimensions.
fn single(object: Vec<u8>) -> Vec<u8> {
    array(&[], &[object])
}

fn text(text: &str) -> Vec<u8> {
    [b"X", &u32::try_from(text.len()).unwrap().to_le_bytes()[..], text.as_bytes()].concat()
}

fn bytes(bytes: &[u8]) -> Vec<u8> {
    [b"B", &u32::try_from(bytes.len()).unwrap().to_le_bytes()[..], bytes].concat()
}

fn float(number: f64) -> Vec<u8> {
    [&b"G"[..], &number.to_be_bytes()].concat()
}

fn int(number: u8) -> Vec<u8> {
    vec![b'K', number]
}

const NONE: &[u8] = b"N";

fn list(items: &[Vec<u8>]) -> Vec<u8> {
    [b"](", &items.concat()[..], b"e"].concat()
}

fn tuple(items: &[Vec<u8>]) -> Vec<u8> {
    [b"(", &items.concat()[..], b"t"].concat()
}

fn dict(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let entries = entries.iter().flat_map(|(key, value)| [text(key), value.clone()]);
    [b"}(", &entries.collect::<Vec<_>>().concat()[..], b"u"].concat()
}

fn call(global: &str, arguments: &[Vec<u8>]) -> Vec<u8> {
    let (module, name) = global.rsplit_once('.').unwrap();
    [format!("c{module}\n{name}\n").as_bytes(), &tuple(arguments), b"R"].concat()
}

/// A nested array of numbers.
fn numbers(code: &str, shape: &[u8], is_fortran: bool, data: &[u8]) -> Vec<u8> {
    let shape: Vec<_> = shape.iter().map(|&n| int(n)).collect();
    [
        &b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01"[..],
        &tuple(&shape),
        &dtype(code),
        if is_fortran { b"\x88" } else { b"\x89" },
        &bytes(data),
        b"tb",
    ]
    .concat()
}

fn dtype(code: &str) -> Vec<u8> {
    let (order, code) = code.split_at(1);
    [
        b"cnumpy\ndtype\n".to_vec(),
        text(code),
        b"K\0K\x01\x87R(K\x03".to_vec(),
        text(order),
        b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb".to_vec(),
    ]
    .concat()
}

fn load<T: DeserializeOwned>(file: &[u8]) -> Result<T, Error> {
    object::load_from(file)
}

#[track_caller]
fn fails<T: DeserializeOwned>(file: &[u8], expected: &str) {
    match load::<T>(file) {
        Ok(_) => panic!("no error, expected: {expected}"),
        Err(error) => assert_eq!(error.to_string(), expected),
    }
}

#[derive(Deserialize, Debug, PartialEq)]
enum Shape {
    Dot,
    Circle(f32),
    Line { from: (i8, i8), to: (i8, i8) },
}

/// Guards the conversion of each kind.
#[test]
fn each_kind_of_object_becomes_its_type() {
    fn is<T: DeserializeOwned + PartialEq + std::fmt::Debug>(object: Vec<u8>, expected: T) {
        assert_eq!(load::<T>(&single(object.clone())).unwrap(), expected);
        // Within a list, and borrowed from a graph.
        assert_eq!(load::<(T,)>(&array(&[1], &[object])).unwrap(), (expected,));
    }
    is(b"\x88".to_vec(), true);
    is(int(5), 5u8);
    is(int(5), 5.0f32);
    is(b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0".to_vec(), u64::MAX);
    is(b"\x8a\x09\0\0\0\0\0\0\0\0\x01".to_vec(), 1i128 << 64);
    is([b"\x8a\x11", &[0xff; 16][..], b"\0"].concat(), u128::MAX);
    is(b"\x8a\x09\0\0\0\0\0\0\0\0\x01".to_vec(), 2f64.powi(64));
    is(float(0.5), 0.5f32);
    is(call("builtins.complex", &[float(1.0), float(2.0)]), (1.0, 2.0));
    is(text("é"), 'é');
    is(text("spam"), "spam".to_owned());
    is(bytes(b"ab"), vec![97u8, 98]);
    is(bytes(b"ab"), "ab".to_owned());
    is(tuple(&[int(1), text("a"), float(0.5)]), (1i8, "a".to_owned(), 0.5f64));
    is(call("builtins.set", &[list(&[int(2), int(1)])]), BTreeSet::from([1, 2]));
    is(
        dict(&[("a", int(1)), ("b", int(2))]),
        BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)]),
    );
    is(
        [&b"}"[..], &int(3), &text("three"), b"s"].concat(),
        HashMap::from([(3u64, "three".to_owned())]),
    );
    is(call("builtins.range", &[int(1), int(8), int(3)]), vec![1i64, 4, 7]);
    is(call("builtins.range", &[int(8), int(1), b"J\xfd\xff\xff\xff".to_vec()]), vec![8i64, 5, 2]);
    is(call("builtins.range", &[int(8), int(1), int(1)]), Vec::<i64>::new());
    is(call("decimal.Decimal", &[text("1.25")]), 1.25);
    is(call("decimal.Decimal", &[text("1.250")]), "1.250".to_owned());
    is(call("decimal.Decimal", &[text("5")]), 5u8);
    is(dtype("<f4"), "<f4".parse::<DType>().unwrap());
    is(call("numpy.core.multiarray.scalar", &[dtype("<f4"), bytes(&1.5f32.to_le_bytes())]), 1.5f32);
    is(text("Dot"), Shape::Dot);
    is(dict(&[("Circle", float(2.0))]), Shape::Circle(2.0));
    let line = dict(&[("from", tuple(&[int(1), int(2)])), ("to", tuple(&[int(3), int(4)]))]);
    is(dict(&[("Line", line)]), Shape::Line { from: (1, 2), to: (3, 4) });
    is(NONE.to_vec(), ());

    let day = call("datetime.date", &[bytes(b"\x07\xd1\x02\x03")]);
    is(day.clone(), "2001-02-03".to_owned());
    is(day, "2001-02-03".parse::<DateTime64<Day>>().unwrap());
    let zone = call(
        "datetime.timezone",
        &[call("datetime.timedelta", &[int(0), b"M\x20\x1c".to_vec(), int(0)])],
    );
    let moment = bytes(b"\x07\xd1\x02\x03\x04\x05\x06\0\0\0");
    let time = call("datetime.datetime", &[moment.clone(), zone]);
    is(time.clone(), "2001-02-03T04:05:06+02:00".to_owned());
    is(time, "2001-02-03T02:05:06".parse::<DateTime64<Ms>>().unwrap());
    is(
        call("datetime.datetime", &[moment]),
        "2001-02-03T04:05:06".parse::<DateTime64<Ns>>().unwrap(),
    );
    let span = call("datetime.timedelta", &[int(1), int(40), int(0)]);
    is(span.clone(), "86440 seconds".to_owned());
    is(span, TimeDelta64::<Second>::new(86_440));
}

/// Guards that each missing value of pandas, and those of NumPy, is `None`, and that only a float is NaN.
#[test]
fn missing_values_are_none() {
    let nan = || float(f64::NAN);
    let scalar =
        |code, data: &[u8]| call("numpy.core.multiarray.scalar", &[dtype(code), bytes(data)]);
    let missing = [
        NONE.to_vec(),
        nan(),
        call("pandas._libs.tslibs.nattype._nat_unpickle", &[NONE.to_vec()]),
        // Of pandas 2.
        call("pandas._libs.tslibs.nattype.__nat_unpickle", &[NONE.to_vec()]),
        b"cpandas._libs.missing\nNA\n".to_vec(),
        b"cpandas\nNA\n".to_vec(),
        scalar("<f8", &f64::NAN.to_le_bytes()),
        scalar("<M8", &i64::MIN.to_le_bytes()),
    ];
    let count = u8::try_from(missing.len()).unwrap();
    let file = array(&[count], &missing);
    assert_eq!(load::<Vec<Option<String>>>(&file).unwrap(), vec![None; missing.len()]);
    assert_eq!(load::<Vec<Option<f64>>>(&file).unwrap(), vec![None; missing.len()]);
    assert_eq!(load::<NpyArray<Option<f64>>>(&file).unwrap().into_vec(), vec![None; missing.len()]);
    assert!(load::<f64>(&single(nan())).unwrap().is_nan());
    assert!(load::<DateTime64<Ns>>(&single(missing[2].clone())).unwrap().is_nat());
    fails::<Vec<String>>(
        &array(&[2], &[text("a"), NONE.to_vec()]),
        "row 1: expected a string, found None; read it as an Option",
    );
    fails::<String>(
        &single(nan()),
        "invalid type: floating point `NaN`, expected a string; pandas has NaN for missing values of any type: read them as an Option",
    );
    fails::<f64>(
        &single(missing[4].clone()),
        "expected f64, found a missing value: NA; read it as an Option",
    );
}

#[derive(Deserialize, Debug, PartialEq)]
struct Layer {
    w: Vec<f32>,
    bias: Option<f64>,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Model {
    layers: Vec<Layer>,
}

/// Guards the places of an error: the row, and the path from there.
#[test]
fn an_error_has_the_row_and_the_path() {
    let layer = |w: Vec<u8>| dict(&[("w", list(&[float(1.0), w])), ("bias", NONE.to_vec())]);
    let model = |w| dict(&[("layers", list(&[layer(float(2.0)), layer(w)]))]);
    let file = array(&[2], &[model(float(2.0)), model(text("no"))]);
    let error = load::<Vec<Model>>(&file).unwrap_err();
    let places: Vec<_> = error.places().cloned().collect();
    assert_eq!(places, [Place::Row(1), Place::Field("layers[1].w[1]".into())]);
    assert!(error.to_string().ends_with("invalid type: string \"no\", expected f32"), "{error}");
    let pairs = [b"}(", &int(3)[..], &int(7), &tuple(&[int(1)]), &int(7), b"u"].concat();
    fails::<HashMap<u8, u8>>(
        &single(pairs),
        "field \"[(1,)]\": invalid type: sequence, expected u8",
    );
    let grid = array(&[2, 2], &[int(1), int(2), int(3), text("x")]);
    let expected = "row 1: field \"[1]\": invalid type: string \"x\", expected u8";
    fails::<Vec<Vec<u8>>>(&grid, expected);
    fails::<NpyArray<u8>>(&grid, expected);
    // The index of an element in Fortran order.
    let nested = single(dict(&[("a", numbers("|u1", &[2, 3], true, &[0, 1, 0, 0, 0, 0]))]));
    let expected = "field \"a[1][0]\": invalid type: integer `1`, expected value zero";
    fails::<HashMap<String, NpyArray<Zero>>>(&nested, expected);
    fails::<HashMap<String, Vec<Vec<Zero>>>>(&nested, expected);
    let numbers = array(&[2], &[int(1), float(f64::NAN)]);
    let expected = "row 1: invalid type: floating point `NaN`, expected i64; pandas stores integers with missing values as floats: read them as f64 or Option<f64>";
    fails::<Vec<i64>>(&numbers, expected);
    let unnamed = dict(&[("layers", list(&[dict(&[("v", int(1)), ("bias", NONE.to_vec())])]))]);
    fails::<Model>(
        &single(unnamed),
        "field \"layers[0]\": missing field `w`; the keys are \"v\", \"bias\"",
    );
    fails::<(u8, u8)>(
        &single(tuple(&[int(1), int(2), int(3)])),
        "the type leaves 1 item unread; use one that reads all of them, such as a Vec",
    );
}

/// Guards integers that become floats: each is equal, or refused, wherever it is.
#[test]
fn no_integer_is_rounded() {
    fn refused<T: DeserializeOwned>(file: &[u8], number: &str, advice: &str) {
        let Err(error) = load::<T>(file) else { panic!("{number} is rounded") };
        let error = error.to_string();
        let found = format!(", found the integer {number}, which has more than the ");
        assert!(error.contains(&found) && error.ends_with(advice), "{error}");
    }
    let large = (1i64 << 53) + 1;
    let number = &large.to_string();
    let python = |n: i64| [&b"\x8a\x08"[..], &n.to_le_bytes()].concat();
    let scalar = |data: &[u8]| call("numpy.core.multiarray.scalar", &[dtype("<i8"), bytes(data)]);
    let data = [0, large].map(i64::to_le_bytes).concat();
    let items = [
        python(large),
        scalar(&large.to_le_bytes()),
        numbers("<i8", &[], false, &large.to_le_bytes()),
    ];
    for item in items {
        refused::<f64>(&single(item.clone()), number, "53 bits of the float; read it as i64");
        refused::<Vec<f64>>(&array(&[1], &[item.clone()]), number, "; read it as i64");
        refused::<NpyArray<f64>>(&array(&[1], &[item.clone()]), number, "; read it as i64");
        let items = single(list(&[float(0.5), item.clone()]));
        refused::<Vec<f64>>(&items, number, "; read it as i64");
        refused::<Vec<Option<f64>>>(&items, number, "; read it as i64");
        refused::<NpyArray<f64>>(&items, number, "; read it as i64");
        refused::<HashMap<String, f32>>(&single(dict(&[("x", item.clone())])), number, "i64");
        assert_eq!(load::<(f64, i64)>(&items).unwrap(), (0.5, large));
    }
    let nested = single(dict(&[("x", numbers("<i8", &[2], false, &data))]));
    refused::<HashMap<String, Vec<f64>>>(&nested, number, "; read it as i64");
    refused::<HashMap<String, NpyArray<f64>>>(&nested, number, "; read it as i64");
    assert_eq!(load::<HashMap<String, Vec<i64>>>(&nested).unwrap()["x"], [0, large]);
    let range = call("builtins.range", &[python(large), python(large + 1), int(1)]);
    refused::<Vec<f64>>(&single(range), number, "; read it as i64");
    let mut file = Vec::new();
    [0, large].write_npy_to(&mut file).unwrap();
    refused::<Vec<f64>>(&file, number, "; read it as i64");
    refused::<NpyArray<f64>>(&file, number, "; read it as i64");
    assert!(load::<Vec<f64>>(&file).unwrap_err().to_string().starts_with("row 1: expected f64, "));
    assert!(DynArray::read_npy_from(&file[..]).unwrap().to_rows::<f64>().is_err());
    file.clear();
    u64::MAX.write_npy_to(&mut file).unwrap();
    refused::<f64>(&file, &u64::MAX.to_string(), "; read it as u64");
    file.clear();
    [16_777_217i32].write_npy_to(&mut file).unwrap();
    refused::<Vec<f32>>(&file, "16777217", "24 bits of the float; read it as f64 or i64");
    assert_eq!(load::<Vec<f64>>(&file).unwrap(), [16_777_217.0]);
    let wide = single(b"\x8a\x09\x01\0\0\0\0\0\0\0\x01".to_vec());
    refused::<f64>(&wide, &((1i128 << 64) + 1).to_string(), "; read it as i128");
    assert_eq!(load::<f64>(&single(python(i64::MIN))).unwrap(), -(2f64.powi(63)));
    assert_eq!(load::<f32>(&single(python(1 << 40))).unwrap(), 2f32.powi(40));
    // JSON has integers of many digits that are meant as floats.
    let json: NpyArray<f64> = serde_json::from_str("[9007199254740993]").unwrap();
    assert_eq!(json.as_slice_memory_order(), [9_007_199_254_740_992.0]);
}

/// Guards floats that become singles: they lose digits as in `Cast::Checked`, but do not become infinite.
#[test]
fn floats_are_rounded_and_stay_finite() {
    let mut file = Vec::new();
    [0.1, f64::INFINITY, 1e300].write_npy_to(&mut file).unwrap();
    fails::<Vec<f32>>(
        &file,
        "row 2: expected f32, found 1e300, which is too large; read it as f64",
    );
    let expected = "expected f32, found 1e300, which is too large; read it as f64";
    fails::<f32>(&single(float(1e300)), expected);
    let item = format!("field \"[0]\": {expected}");
    fails::<NpyArray<f32>>(&single(list(&[float(1e300)])), &item);
    fails::<(f32, f32)>(&single(call("builtins.complex", &[float(1e300), float(2.0)])), expected);
    let numbers = single(list(&[float(0.1), float(f64::INFINITY)]));
    assert_eq!(load::<Vec<f32>>(&numbers).unwrap(), [0.1, f32::INFINITY]);
    let missing = single(list(&[list(&[float(0.5), float(f64::NAN)])]));
    let missing: NpyArray<Option<f64>> = load(&missing).unwrap();
    assert_eq!(missing.into_vec(), [Some(0.5), None]);
}

/// Guards the error for an array where a number is expected: it says what the array is.
#[test]
fn an_array_in_place_of_a_number_is_described() {
    let complex = [[0.5f32, 1.5], [2.5, 3.5]].concat();
    let data: Vec<u8> = complex.into_iter().flat_map(f32::to_le_bytes).collect();
    let of = |array| single(dict(&[("xs", array)]));
    let advice = "read a complex number as a pair, such as (f64, f64)";
    fails::<HashMap<String, Vec<f64>>>(
        &of(numbers("<c8", &[2], false, &data)),
        &format!(
            "field \"xs[0]\": invalid type: sequence, expected f64; the array has dtype '<c8' and shape (2,): {advice}"
        ),
    );
    let grid = "read it as an NpyArray, or as a Vec in a Vec for each dimension";
    fails::<HashMap<String, Vec<f64>>>(
        &of(numbers("<f4", &[2, 2], false, &data)),
        &format!(
            "field \"xs[0]\": invalid type: sequence, expected f64; the array has dtype '<f4' and shape (2, 2): {grid}"
        ),
    );
    fails::<Vec<u8>>(
        &array(&[2, 1], &[int(1), int(2)]),
        &format!(
            "row 0: invalid type: sequence, expected u8; the array has dtype '|O' and shape (2, 1): {grid}"
        ),
    );
    let mut file = Vec::new();
    [[1.0, 2.0], [3.0, 4.0]].write_npy_to(&mut file).unwrap();
    fails::<Vec<f64>>(
        &file,
        &format!(
            "row 0: invalid type: sequence, expected f64; the array has dtype '<f8' and shape (2, 2): {grid}"
        ),
    );
    fails::<f64>(
        &single(call("builtins.complex", &[float(1.0), float(2.0)])),
        &format!("expected f64, found a complex number: (1+2j); {advice}"),
    );
    fails::<HashMap<String, NpyArray<f64>>>(
        &of(NONE.to_vec()),
        "field \"xs\": expected f64, found None; read it as an Option",
    );
}

/// Only zero is a value of it.
#[derive(Debug)]
struct Zero;

impl<'de> Deserialize<'de> for Zero {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let unexpected = |n: u8| serde::de::Unexpected::Unsigned(n.into());
        match u8::deserialize(deserializer)? {
            0 => Ok(Zero),
            n => Err(serde::de::Error::invalid_type(unexpected(n), &"value zero")),
        }
    }
}

/// Guards nested arrays: each type of a field, both orders, both byte orders.
#[test]
fn nested_arrays_become_lists_and_arrays() {
    let data: Vec<u8> =
        [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_be_bytes()).collect();
    let c = single(numbers(">f4", &[2, 3], false, &data));
    let fortran = single(numbers(">f4", &[2, 3], true, &data));
    let rows = vec![vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]];
    assert_eq!(load::<Vec<Vec<f32>>>(&c).unwrap(), rows);
    assert_eq!(load::<Vec<[f64; 3]>>(&c).unwrap(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    assert_eq!(load::<Vec<NpyArray<f32>>>(&c).unwrap()[1].as_slice_memory_order(), rows[1]);
    assert_eq!(load::<Vec<Vec<f32>>>(&fortran).unwrap(), [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]);
    let array: NpyArray<f32> = load(&fortran).unwrap();
    assert_eq!((array.shape(), array.order()), (&[2, 3][..], Order::Fortran));
    assert_eq!(array.as_slice_memory_order(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let raw: DynArray = load(&fortran).unwrap();
    let expected = DynArray::new(">f4".parse().unwrap(), [2, 3], Order::Fortran, data).unwrap();
    assert_eq!(raw, expected);
    assert_eq!(load::<Value>(&c).unwrap(), json!([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]));
    assert_eq!(load::<Option<Vec<DynArray>>>(&c).unwrap().unwrap()[0].shape(), [3]);

    // Without dimensions, of text, empty, and of a ragged list.
    assert_eq!(load::<u16>(&single(numbers("|u1", &[], false, &[7]))).unwrap(), 7);
    let words = single(numbers("|S2", &[2], false, b"abc\0"));
    assert_eq!(load::<Vec<String>>(&words).unwrap(), ["ab", "c"]);
    assert_eq!(load::<NpyArray<String>>(&words).unwrap().into_vec(), ["ab", "c"]);
    let empty: NpyArray<f32> = load(&single(numbers("<f4", &[2, 0], false, &[]))).unwrap();
    assert_eq!(empty.shape(), [2, 0]);
    let ragged = ragged_list();
    assert_eq!(load::<Vec<Vec<u8>>>(&ragged).unwrap(), [vec![1], vec![2, 3]]);
    assert_eq!(
        load::<NpyArray<NpyArray<u8>>>(&ragged).unwrap().iter().map(NpyArray::len).sum::<usize>(),
        3
    );
    fails::<DynArray>(
        &ragged,
        "an array of Python objects is not a DynArray; read it as NpyArray<T> or Vec<T>",
    );
    fails::<Vec<u8>>(
        &single(numbers("<f4", &[2], false, &[0; 7])),
        "shape (2,): expected 8 bytes of data, found 7",
    );
    // Lists are arrays, too, as they are in JSON.
    let lists = single(list(&[list(&[int(1), int(2)]), list(&[int(3), int(4)])]));
    assert_eq!(load::<NpyArray<u8>>(&lists).unwrap().shape(), [2, 2]);
}

fn ragged_list() -> Vec<u8> {
    array(&[2], &[numbers("|u1", &[1], false, &[1]), numbers("|u1", &[2], false, &[2, 3])])
}

/// Guards that other formats see what they saw before arrays had a token, and that none can make an array of any dtype.
#[test]
fn other_formats_read_arrays_as_before() {
    let array: NpyArray<f32> = serde_json::from_str("[[1, 2], [3, 4]]").unwrap();
    assert_eq!(array.shape(), [2, 2]);
    assert_eq!(serde_json::from_value::<NpyArray<u8>>(json!(5)).unwrap().shape(), [0usize; 0]);
    let error = serde_json::from_str::<DynArray>("[1, 2]").unwrap_err().to_string();
    assert!(error.contains("other formats have no dtype, so read an NpyArray<T>"), "{error}");
    // A deserializer that passes newtypes on, and one for an enum.
    let seq =
        serde::de::value::SeqDeserializer::<_, serde::de::value::Error>::new([1u8, 2].into_iter());
    assert_eq!(NpyArray::<u8>::deserialize(seq).unwrap().into_vec(), [1, 2]);
    let map = serde::de::value::MapDeserializer::<_, serde::de::value::Error>::new(
        [("$npy_core::array", 1u8)].into_iter(),
    );
    let variant = serde::de::value::MapAccessDeserializer::new(map);
    DynArray::deserialize(variant).unwrap_err();
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Array(NpyArray<u8>),
    }
    let Either::Array(array) = serde_json::from_str("[1, 2]").unwrap();
    assert_eq!(array.shape(), [2]);
}

/// NumPy's pickle of `np.array([(1, 'a', 5), (2, None, 'NaT')], [('id', 'u1'), ('o', object), ('t', 'M8[ns]')])`.
const RECORDS: &[u8] = b"\x80\x03cnumpy._core.multiarray\n_reconstruct\nq\x00cnumpy\nndarray\nq\x01K\x00\x85q\x02C\x01bq\x03\x87q\x04Rq\x05(K\x01K\x02\x85q\x06cnumpy\ndtype\nq\x07X\x03\x00\x00\x00V17q\x08\x89\x88\x87q\x09Rq\n(K\x03X\x01\x00\x00\x00|q\x0bNX\x02\x00\x00\x00idq\x0cX\x01\x00\x00\x00oq\x0dX\x01\x00\x00\x00tq\x0e\x87q\x0f}q\x10(h\x0ch\x07X\x02\x00\x00\x00u1q\x11\x89\x88\x87q\x12Rq\x13(K\x03h\x0bNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tq\x14bK\x00\x86q\x15h\x0dh\x07X\x02\x00\x00\x00O8q\x16\x89\x88\x87q\x17Rq\x18(K\x03h\x0bNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tq\x19bK\x01\x86q\x1ah\x0eh\x07X\x02\x00\x00\x00M8q\x1b\x89\x88\x87q\x1cRq\x1d(K\x04X\x01\x00\x00\x00<q\x1eNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00N(C\x02nsq\x1fK\x01K\x01K\x01tq \x86q!tq\"bK\x09\x86q#uK\x11K\x01K\x1btq$b\x89]q%(K\x01X\x01\x00\x00\x00aq&K\x05\x87q'K\x02NN\x87q(etq)b.";

#[derive(Deserialize, Debug, PartialEq)]
struct Row {
    t: DateTime64<Ns>,
    o: Option<String>,
    id: u64,
}

/// Guards records: by name and by order, and times that NumPy pickles as counts.
#[test]
fn records_with_objects_become_structs() {
    let header = "{'descr': [('id', '|u1'), ('o', '|O'), ('t', '<M8[ns]')], 'fortran_order': False, 'shape': (2,), }";
    let file = file(header, RECORDS);
    let rows: Vec<Row> = load(&file).unwrap();
    assert_eq!(
        rows,
        [
            Row { t: DateTime64::new(5), o: Some("a".into()), id: 1 },
            Row { t: DateTime64::NAT, o: None, id: 2 }
        ]
    );
    type Tuple = (u8, Option<String>, Option<String>);
    let rows: Vec<Tuple> = load(&file).unwrap();
    assert_eq!(rows[0], (1, Some("a".into()), Some("1970-01-01T00:00:00.000000005".into())));
    fails::<Vec<(u8, Option<String>)>>(
        &file,
        "row 0: the type leaves 1 item unread; use one that reads all of them, such as a Vec",
    );
    let error = load::<Vec<HashMap<String, u8>>>(&file).unwrap_err();
    assert!(error.to_string().starts_with("row 0: field \"o\": "), "{error}");
    let objects = graph(&file);
    assert_eq!(
        serde_json::to_value(&objects).unwrap(),
        json!([{"id": 1, "o": "a", "t": "1970-01-01T00:00:00.000000005"}, {"id": 2, "o": null, "t": null}])
    );
}

fn graph(file: &[u8]) -> Objects {
    npy_core::ReadNpy::read_npy_from(file).unwrap()
}

/// Guards the stack and the memory: cycles, depth, and objects that are used many times.
#[test]
fn cycles_depth_and_repeated_objects_are_refused() {
    // A list that is put into itself.
    let cycle = single(dict(&[("a", b"]q\x01h\x01a".to_vec())]));
    let expected = "field \"a[0]\": a list contains itself, which no value of serde does; npy_core::Objects has its parts";
    fails::<Value>(&cycle, expected);
    let error = serde_json::to_string(&graph(&cycle)).unwrap_err().to_string();
    assert!(error.contains(&expected["field \"a[0]\": ".len()..]), "{error}");
    assert!(load::<HashMap<String, serde::de::IgnoredAny>>(&cycle).is_ok());

    let nested = |depth: usize| single([vec![b']'; depth], vec![b'a'; depth - 1]].concat());
    assert!(load::<Value>(&nested(128)).is_ok());
    let error = load::<Value>(&nested(129)).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Limit { name: "object_depth", found: 129, .. }),
        "{error}"
    );
    assert!(error.to_string().len() < 500, "{error}");
    let mut limits = Limits::default();
    limits.object_depth = 3;
    let read = |depth| {
        ReadOptions::new().limits(limits).reader(&nested(depth)[..]).unwrap().read_as::<Value>()
    };
    assert!(read(3).is_ok() && read(4).is_err());
    // The dimensions of arrays count, too.
    let array = list(&[numbers("|u1", &[1, 1, 1], false, &[0])]);
    let array =
        ReadOptions::new().limits(limits).reader(&single(array)[..]).unwrap().read_as::<Value>();
    assert!(array.unwrap_err().is_limit());

    // Ten levels of ten references each.
    let mut bomb = [text("lol"), b"q\x00".to_vec()].concat();
    for level in 1..10u8 {
        let items = [b"h", &[level - 1][..]].concat().repeat(10);
        bomb.extend([b"0](", &items[..], b"eq", &[level]].concat());
    }
    let error = load::<Value>(&single(bomb.clone())).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit { name: "object_expansion", .. }), "{error}");
    let error = serde_json::to_string(&graph(&single(bomb))).unwrap_err();
    assert!(error.to_string().contains("object_expansion"), "{error}");
    let range = call("builtins.range", &[int(0), b"J\xff\xff\xff\x7f".to_vec(), int(1)]);
    assert!(load::<Vec<u64>>(&single(range)).unwrap_err().is_limit());
    // An array that is used many times, as values and as bytes.
    let uses = |use_: &[u8]| {
        [
            numbers("|u1", &[200], false, &[0; 200]),
            b"q\x010](".to_vec(),
            use_.repeat(100_000),
            b"e".to_vec(),
        ]
        .concat()
    };
    assert!(load::<Vec<Vec<u8>>>(&single(uses(b"h\x01"))).unwrap_err().is_limit());
}

/// Guards the stack: an error about a malformed dtype or shape does not print what contains it.
#[test]
fn malformed_arrays_that_contain_themselves_are_errors() {
    let unknown =
        [call("numpy.dtype", &[text("f4")]), tuple(&[int(3), NONE.to_vec()]), b"b".to_vec()]
            .concat();
    let scalar = call("numpy.core.multiarray.scalar", &[unknown.clone(), bytes(&[0; 4])]);
    let array = [
        b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87Rq\x01(K\x01h\x01".to_vec(),
        dtype("<f4"),
        b"\x89".to_vec(),
        bytes(&[0; 4]),
        b"tb".to_vec(),
    ]
    .concat();
    for object in [unknown, scalar, array] {
        let file = single(object);
        load::<DType>(&file).unwrap_err();
        load::<Value>(&file).unwrap_err();
        load::<DynArray>(&file).unwrap_err();
        assert!(graph(&file).to_string().len() < 1000);
        assert!(serde_json::to_string(&graph(&file)).is_err());
    }
}

/// Guards objects of other classes: their attributes are read, and nothing else hides their name.
#[test]
fn objects_of_other_classes_have_attributes() {
    let thing = [
        b"cthings\nThing\n)\x81".to_vec(),
        dict(&[("w", list(&[float(1.0)])), ("bias", NONE.to_vec())]),
        b"b".to_vec(),
    ]
    .concat();
    assert_eq!(load::<Layer>(&single(thing.clone())).unwrap(), Layer { w: vec![1.0], bias: None });
    fails::<Vec<u8>>(
        &single(call("os.system", &[text("true")])),
        "expected a sequence, found an object of an unknown class: os.system; read the file as Objects, which takes any object",
    );
    let objects = graph(&array(
        &[3],
        &[thing, call("os.system", &[text("true")]), b"cos\nsystem\n".to_vec()],
    ));
    assert_eq!(
        serde_json::to_value(&objects).unwrap(),
        json!([
            {"class": "things.Thing", "arguments": [], "state": {"w": [1.0], "bias": null}},
            {"class": "os.system", "arguments": ["true"]},
            {"class": "os.system"},
        ])
    );
}

/// Guards that what is serialized equals what the same object is deserialized to.
#[test]
fn objects_are_serialized_as_they_are_deserialized() {
    let object = dict(&[
        ("none", NONE.to_vec()),
        ("text", text("a")),
        ("numbers", tuple(&[int(1), float(0.5), b"\x89".to_vec()])),
        ("big", b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0".to_vec()),
        ("complex", call("builtins.complex", &[float(1.0), float(2.0)])),
        ("array", numbers("<u2", &[2, 1], true, &[1, 0, 2, 0])),
        ("range", call("builtins.range", &[int(0), int(3), int(1)])),
        ("decimal", call("decimal.Decimal", &[text("1.5")])),
        ("date", call("datetime.date", &[bytes(b"\x07\xd1\x02\x03")])),
        ("span", call("datetime.timedelta", &[int(2), int(0), int(0)])),
        ("dtype", dtype("<f4")),
        ("scalar", call("numpy.core.multiarray.scalar", &[dtype("|u1"), bytes(&[7])])),
    ]);
    let file = array(&[1, 2], &[object.clone(), object]);
    let deserialized: Value = load(&file).unwrap();
    let objects = graph(&file);
    assert_eq!(serde_json::to_value(&objects).unwrap(), deserialized);
    assert_eq!(deserialized[0][1]["array"], json!([[1], [2]]));
    assert_eq!(deserialized[0][0]["span"], "2 days");
    assert_eq!(
        serde_json::to_value(objects.root().iter().next().unwrap()).unwrap(),
        deserialized[0][0]
    );
    assert_eq!(
        objects
            .root()
            .at(1)
            .unwrap()
            .get("numbers")
            .unwrap()
            .deserialize::<(u8, f32, bool)>()
            .unwrap(),
        (1, 0.5, false)
    );
}

/// Guards text and bytes that are borrowed from the graph.
#[test]
fn text_and_bytes_are_borrowed() {
    let objects = graph(&array(&[2], &[text("spam"), bytes(b"eggs")]));
    let (text, bytes): (&str, &[u8]) = objects.deserialize().unwrap();
    assert_eq!((text, bytes), ("spam", &b"eggs"[..]));
}

/// Guards files and members of ordinary dtypes.
#[test]
fn ordinary_files_are_read_too() {
    let mut file = Vec::new();
    NpyArray::new(vec![1u16, 2, 3, 4], [2, 2]).unwrap().write_npy_to(&mut file).unwrap();
    assert_eq!(load::<Vec<(u8, f64)>>(&file).unwrap(), [(1, 2.0), (3, 4.0)]);
    assert_eq!(load::<NpyArray<i64>>(&file).unwrap().shape(), [2, 2]);
    assert_eq!(load::<DynArray>(&file).unwrap().dtype().to_string(), "<u2");
    let error = load::<Vec<Vec<Zero>>>(&file).unwrap_err();
    let places: Vec<_> = error.places().cloned().collect();
    assert_eq!(places, [Place::Row(0), Place::Field("[0]".into())]);
    let mut number = Vec::new();
    1.5f32.write_npy_to(&mut number).unwrap();
    assert_eq!(load::<f64>(&number).unwrap(), 1.5);

    let mut writer = npz::Writer::new(Cursor::new(Vec::new())).unwrap();
    writer.write("x", &[1u8, 2]).unwrap();
    let reader = npz::Reader::new(writer.finish().unwrap()).unwrap();
    assert_eq!(reader.read_as::<Vec<i32>>("x").unwrap(), [1, 2]);
    let error = reader.read_as::<Vec<String>>("x").unwrap_err();
    assert!(error.to_string().starts_with("member \"x\": row 0: invalid type"), "{error}");
}

/// Guards times with offsets in any format.
#[test]
fn times_with_an_offset_are_converted_to_utc() {
    let time: DateTime64<Ms> = serde_json::from_str("\"2001-02-03T04:05:06+02:00\"").unwrap();
    assert_eq!(time.to_string(), "2001-02-03T02:05:06.000");
    let time: DateTime64<Ms> = serde_json::from_str("\"2001-02-03T04:05:06Z\"").unwrap();
    assert_eq!(time.to_string(), "2001-02-03T04:05:06.000");
}

/// Guards the contents of objects of other classes that are lists or dictionaries, which Python adds after the call; and the deques of
/// Python 2, which are passed to the call.
#[test]
fn subclasses_of_lists_and_dictionaries_keep_their_contents() {
    let deque = b"ccollections\ndeque\n](K\x01K\x02eK\x05\x86R".to_vec();
    assert_eq!(load::<Vec<u8>>(&single(deque)).unwrap(), [1, 2]);

    let list = single(b"capp\nL\n)\x81(K\x01K\x02e".to_vec());
    assert_eq!(load::<Vec<u8>>(&list).unwrap(), [1, 2]);
    let objects = graph(&list);
    assert_eq!(objects.root().len(), 2);
    assert_eq!(objects.to_string(), "<app.L() items [1, 2]>");
    assert_eq!(
        serde_json::to_value(&objects).unwrap(),
        json!({"class": "app.L", "arguments": [], "items": [1, 2]})
    );

    // With an attribute.
    let dict = single(b"capp\nD\n)\x81}X\x01\0\0\0aK\x03sbX\x01\0\0\0wK\x01s".to_vec());
    assert_eq!(load::<Value>(&dict).unwrap(), json!({"w": 1, "a": 3}));
    let objects = graph(&dict);
    assert_eq!(objects.root().get("w").unwrap().as_i64(), Some(1));
    assert_eq!(objects.root().get("a").unwrap().as_i64(), Some(3));
    assert_eq!(objects.to_string(), "<app.D() state {'a': 3} entries {'w': 1}>");
    assert_eq!(
        serde_json::to_value(&objects).unwrap(),
        json!({"class": "app.D", "arguments": [], "state": {"a": 3}, "entries": {"w": 1}})
    );
    // A list with an attribute is neither a sequence nor a map.
    let both = single(b"capp\nL\n)\x81}X\x01\0\0\0aK\x03sbK\x01a".to_vec());
    assert!(load::<Value>(&both).is_err());
}
