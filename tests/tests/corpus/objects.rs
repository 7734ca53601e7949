//! The arrays of Python objects in the corpus, object by object.

use npy_core::object::{Encoding, Kind};
use npy_core::{Header, ObjectRef, Objects, ReadOptions};

use super::*;

fn options(case: &Value) -> ReadOptions {
    let mut options = ReadOptions::new();
    options.encoding(match case["load"]["encoding"].as_str() {
        None => Encoding::Ascii,
        Some("latin1") => Encoding::Latin1,
        Some(other) => panic!("{other}"),
    });
    options
}

/// Compares objects with a case or a member of the manifest.
fn assert_objects(objects: &Objects, expected: &Value, id: &str) {
    assert_eq!(serde_json::json!(objects.header().shape()), expected["shape"], "{id}");
    if expected["dtype"]["k"] != "stringdtype" {
        assert_dtype(objects.header().dtype(), &expected["dtype"], id);
    }
    let stated = expected["objects"].as_array().unwrap();
    assert_eq!(objects.iter().len(), stated.len(), "{id}");
    let dtype = objects.header().dtype();
    for (i, (object, stated)) in objects.iter().zip(stated).enumerate() {
        assert_object(object, stated, Some(dtype), &format!("{id}[{i}]"));
    }
    if let Some(globals) = expected["pickle"]["globals"].as_array() {
        let mut found: Vec<_> = objects.globals().collect();
        let mut globals: Vec<_> = globals.iter().map(|name| name.as_str().unwrap()).collect();
        found.sort();
        globals.sort_unstable();
        assert_eq!(found, globals, "{id}");
    }
}

/// Compares an object with its tagged value; `dtype` is that of a field or an array that it is in.
fn assert_object(object: ObjectRef<'_>, expected: &Value, dtype: Option<&DType>, id: &str) {
    let v = &expected["v"];
    let same = |found: String| assert_eq!(found, v.as_str().unwrap(), "{id}");
    let parts = |v: &Value| {
        let stated = v.as_array().unwrap();
        assert_eq!(object.iter().len(), stated.len(), "{id}");
        for (i, (item, stated)) in object.iter().zip(stated).enumerate() {
            assert_object(item, stated, None, &format!("{id}[{i}]"));
        }
    };
    // Prints `name(…)`; the manifest has the text in the brackets.
    let printed = |name: &str| {
        let text = object.to_string();
        let inner = text.strip_prefix(name).and_then(|rest| rest.strip_prefix('('));
        inner.unwrap().strip_suffix(')').unwrap().replace(", ", ",").replace('\'', "")
    };
    let arguments = || object.arguments().unwrap();
    let called = |name: &str| assert_eq!(object.name().as_deref(), Some(name), "{id}");
    let kind = match expected["t"].as_str().unwrap() {
        "none" => Kind::None,
        "bool" => {
            assert_eq!(object.as_bool(), v.as_bool(), "{id}");
            Kind::Bool
        }
        "int" => {
            same(object.to_string());
            Kind::Int
        }
        "float" => {
            same(bits(object));
            Kind::Float
        }
        "complex" => {
            assert_eq!(bits(arguments().at(0).unwrap()), expected["re"].as_str().unwrap(), "{id}");
            assert_eq!(bits(arguments().at(1).unwrap()), expected["im"].as_str().unwrap(), "{id}");
            Kind::Complex
        }
        "str" => {
            assert_eq!(object.as_str().unwrap_or_else(|| panic!("{id}")), text(v), "{id}");
            Kind::Str
        }
        "bytes" => {
            same(hex(&object.as_bytes().unwrap()));
            Kind::Bytes
        }
        "bytearray" => {
            same(hex(&object.as_bytes().unwrap()));
            Kind::ByteArray
        }
        "list" => {
            parts(v);
            Kind::List
        }
        "tuple" => {
            parts(v);
            Kind::Tuple
        }
        tag @ ("set" | "frozenset") => {
            assert_eq!(object.len(), v.as_array().unwrap().len(), "{id}");
            // Sets of numbers, which are in any order.
            let mut found: Vec<_> = object.iter().map(|item| item.to_string()).collect();
            let number = |item: &Value| item["v"].as_str().unwrap().to_owned();
            let mut stated: Vec<_> = v.as_array().unwrap().iter().map(number).collect();
            found.sort();
            stated.sort();
            assert_eq!(found, stated, "{id}");
            if tag == "set" { Kind::Set } else { Kind::FrozenSet }
        }
        "dict" => {
            let stated = v.as_array().unwrap();
            assert_eq!(object.len(), stated.len(), "{id}");
            for ((key, value), stated) in object.entries().zip(stated) {
                assert_object(key, &stated[0], None, &format!("{id}, a key"));
                assert_object(value, &stated[1], None, &format!("{id}[{key}]"));
            }
            Kind::Dict
        }
        "record" => {
            let (fields, stated) = (dtype.unwrap().fields(), v.as_array().unwrap());
            assert_eq!((object.entries().count(), fields.len()), (stated.len(), stated.len()));
            for (((name, value), field), stated) in object.entries().zip(fields).zip(stated) {
                assert_eq!(name.as_str().unwrap(), text(&stated[0]), "{id}");
                assert_eq!(field.name(), text(&stated[0]), "{id}");
                let id = format!("{id}.{}", field.name());
                assert_object(value, &stated[1], Some(field.dtype()), &id);
            }
            Kind::Record
        }
        "ndarray" if expected["objects"].is_array() => {
            let header = object.header().unwrap();
            assert_eq!(serde_json::json!(header.shape()), expected["shape"], "{id}");
            parts(&expected["objects"]);
            Kind::Array
        }
        "ndarray" => {
            let array = object.as_array().unwrap();
            // NumPy swaps the numbers of nested arrays when it loads them; the dtype here is that of the file.
            let dtype = match array.dtype().fields() {
                [] => array.dtype().with_byte_order(ByteOrder::Little),
                _ => array.dtype().clone(),
            };
            assert_dtype(&dtype, &expected["dtype"], id);
            assert_eq!(serde_json::json!(array.shape()), expected["shape"], "{id}");
            assert_eq!(array.order() == Order::Fortran, expected["fortran"], "{id}");
            let (found, stated) = (canonical(&array), &expected["canonical_hex"]);
            match stated.as_str() {
                Some(stated) => assert_eq!(hex(&found), stated, "{id}"),
                None => assert_eq!(sha(&found), expected["canonical_sha256"], "{id}"),
            }
            Kind::Array
        }
        "npscalar" => {
            let stated = &expected["canonical_hex"];
            if object.kind() != Kind::Scalar {
                // The field of a record, which a pickle has as a number.
                let dtype = dtype.unwrap_or_else(|| panic!("{id}: {object}"));
                let native = dtype.with_byte_order(ByteOrder::Little);
                assert_dtype(&native, &expected["dtype"], id);
                assert_eq!(hex(&coerced(object, dtype)), stated.as_str().unwrap(), "{id}");
                return;
            }
            let array = object.as_array().unwrap();
            assert_dtype(array.dtype(), &expected["dtype"], id);
            assert_eq!(hex(&canonical(&array)), stated.as_str().unwrap(), "{id}");
            Kind::Scalar
        }
        "decimal" => {
            same(printed("Decimal"));
            Kind::Decimal
        }
        "date" => {
            same(printed("date"));
            Kind::Date
        }
        "time" => {
            same(printed("time"));
            Kind::Time
        }
        "datetime" => {
            same(printed("datetime"));
            Kind::DateTime
        }
        "timedelta" => {
            same(printed("timedelta"));
            Kind::TimeDelta
        }
        "range" => {
            let range = printed("range");
            same(if range.split(',').count() == 2 { format!("{range},1") } else { range });
            Kind::Range
        }
        "fraction" => {
            called("fractions.Fraction");
            let numbers: Vec<_> = arguments().iter().map(|part| part.to_string()).collect();
            same(numbers.join("/").replace('\'', ""));
            Kind::Object
        }
        "uuid" => {
            called("uuid.UUID");
            let number = object.state().unwrap().get("int").unwrap().as_i128().unwrap();
            assert_eq!(format!("{number:032x}"), v.as_str().unwrap().replace('-', ""), "{id}");
            Kind::Object
        }
        "path" => {
            assert!(object.name().unwrap().starts_with("pathlib."), "{object}");
            let parts: Vec<_> = arguments().iter().map(|part| part.as_str().unwrap()).collect();
            same(parts.join("/").replace("//", "/"));
            Kind::Object
        }
        "slice" => {
            called("builtins.slice");
            for (i, stated) in v.as_array().unwrap().iter().enumerate() {
                assert_object(arguments().at(i).unwrap(), stated, None, id);
            }
            Kind::Object
        }
        "ellipsis" => {
            called("builtins.Ellipsis");
            Kind::Global
        }
        other => panic!("{id}: {other} is not compared"),
    };
    assert_eq!(object.kind(), kind, "{id}: {object}");
    let is_nan = kind == Kind::Float && object.as_f64().unwrap().is_nan();
    assert_eq!(object.is_missing(), kind == Kind::None || is_nan, "{id}");
}

/// Returns a number as the bytes that it has in an array of this dtype, little-endian.
fn coerced(object: ObjectRef<'_>, dtype: &DType) -> Vec<u8> {
    let little = dtype.with_byte_order(ByteOrder::Little);
    match (&little.to_string()[1..], object.as_i128(), object.as_f64()) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it was a float32 before NumPy pickled it"
        )]
        ("f4", _, Some(float)) => (float as f32).to_le_bytes().to_vec(),
        ("f8", _, Some(float)) => float.to_le_bytes().to_vec(),
        (_, Some(int), _) => int.to_le_bytes()[..dtype.itemsize()].to_vec(),
        _ => panic!("{object} as {dtype}"),
    }
}

fn bits(object: ObjectRef<'_>) -> String {
    format!("{:016x}", object.as_f64().unwrap().to_bits())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn objects_are_those_of_the_manifest() {
    let cases = cases("valid");
    let mut read = 0;
    for case in cases.iter().filter(|case| case["objects"].is_array()) {
        let id = case["id"].as_str().unwrap();
        let bytes = bytes(case);
        let options = options(case);
        let objects: Objects =
            options.read(path(case)).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_objects(&objects, case, id);
        // The same from a stream, which must end up right after the pickle.
        let mut rest = &bytes[..];
        let again: Objects = options.read_from(&mut rest).unwrap();
        assert_eq!(again.as_bytes(), objects.as_bytes(), "{id}");
        let (_, offset) = Header::parse(&bytes).unwrap();
        let end = offset as u64 + case["pickle"]["length"].as_u64().unwrap();
        assert_eq!((bytes.len() - rest.len()) as u64, end, "{id}");
        read += 1;
    }
    assert_eq!(read, 92);
}

#[test]
fn every_case_that_needs_objects_has_a_list_of_them() {
    // A case without it would be read, and compared with nothing.
    let needs = |case: &&Value| {
        ["object", "py2_pickle", "stringdtype"].iter().any(|what| requires(case, what))
    };
    assert_eq!(cases("valid").iter().filter(needs).count(), 92);
    for case in cases("valid").iter().filter(needs) {
        assert!(case["objects"].is_array(), "{}", case["id"]);
    }
}

#[test]
fn bad_pickles_are_refused() {
    let mut refused = 0;
    for case in &cases("reject") {
        let id = case["id"].as_str().unwrap();
        let bytes = bytes(case);
        assert!(Objects::read_npy(path(case)).is_err(), "{id}");
        assert!(ReadOptions::new().read_from::<Objects>(&bytes[..]).is_err(), "{id}");
        refused += usize::from(Header::parse(&bytes).is_ok_and(|(h, _)| h.dtype().has_object()));
    }
    assert!(refused >= 5, "{refused}");
}

#[test]
fn doubtful_pickles_are_refused_or_read_right() {
    let cases = cases("either");
    let mut seen = 0;
    for case in cases.iter().filter(|case| requires(case, "object")) {
        seen += 1;
        if let Ok(objects) = options(case).read::<Objects>(path(case)) {
            assert_objects(&objects, &case["if_accepted"], case["id"].as_str().unwrap());
        }
    }
    assert_eq!(seen, 3);
}

#[test]
fn objects_in_archives_are_those_of_the_manifest() {
    let mut read = 0;
    for case in &cases_in("npz", "valid") {
        for member in case["members"].as_array().unwrap() {
            if member["objects"].is_array() {
                let id = case["id"].as_str().unwrap();
                let archive = npz::Reader::open(path(case)).unwrap();
                let objects: Objects = archive.read(member["key"].as_str().unwrap()).unwrap();
                assert_objects(&objects, member, id);
                read += 1;
            }
        }
    }
    assert_eq!(read, 5);
}
