//! The corpus: files by NumPy 1.7 to 2.5 and by hand, each with its expected result (`tests/corpus/README.md`).

mod objects;

use std::path::Path;

use npy_core::{ByteOrder, DType, DynArray, Header, Order, ReadNpy, WriteNpy, npz};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The `.npy` cases of the manifest.
fn cases(expect: &str) -> Vec<Value> {
    cases_in("npy", expect)
}

/// The cases of the manifest that are in this container format.
fn cases_in(container: &str, expect: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(npy_tests::corpus().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let all = manifest["cases"].as_array().unwrap();
    let wanted = |case: &&Value| case["container"] == container && case["expect"] == expect;
    all.iter().filter(wanted).cloned().collect()
}

fn bytes(case: &Value) -> Vec<u8> {
    let bytes = std::fs::read(path(case)).unwrap();
    assert_eq!(sha(&bytes), case["file_sha256"], "the file itself");
    bytes
}

fn path(case: &Value) -> std::path::PathBuf {
    npy_tests::corpus().join(case["path"].as_str().unwrap())
}

fn sha(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn requires(case: &Value, what: &str) -> bool {
    case["requires"].as_array().unwrap().iter().any(|it| it == what)
}

/// Decodes a string of the manifest; a lone surrogate becomes U+FFFD, as in Rust.
fn text(value: &Value) -> String {
    let text = value.as_str().unwrap();
    let Some(hex) = text.strip_prefix("\0wtf8:") else { return text.to_owned() };
    let bytes: Vec<u8> = (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
        .collect();
    // A lone surrogate is three bytes, ED A0..BF xx, and becomes one U+FFFD.
    let mut out = String::new();
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let valid = std::str::from_utf8(rest).map_or_else(|e| e.valid_up_to(), str::len);
        out.push_str(std::str::from_utf8(&rest[..valid]).unwrap());
        rest = &rest[valid..];
        if !rest.is_empty() {
            out.push('\u{fffd}');
            rest = &rest[3..];
        }
    }
    out
}

/// Compares a dtype with the manifest's tree.
fn assert_dtype(dtype: &DType, tree: &Value, id: &str) {
    match tree["k"].as_str().unwrap() {
        "scalar" => {
            assert_eq!(dtype.to_string(), tree["str"].as_str().unwrap(), "{id}");
            assert_eq!(dtype.itemsize() as u64, tree["itemsize"].as_u64().unwrap(), "{id}");
        }
        "subarray" => {
            let (mut base, shape) = dtype.sub_array().unwrap();
            let mut shape = shape.to_vec();
            // NumPy flattens the dtype if its base is a sub-array.
            while tree["base"]["k"] != "subarray"
                && let Some((inner, more)) = base.sub_array()
            {
                shape.extend(more);
                base = inner;
            }
            assert_eq!(serde_json::json!(shape), tree["shape"], "{id}");
            assert_dtype(base, &tree["base"], id);
        }
        "struct" => {
            assert_eq!(dtype.itemsize() as u64, tree["itemsize"].as_u64().unwrap(), "{id}");
            let fields = tree["fields"].as_array().unwrap();
            assert_eq!(dtype.fields().len(), fields.len(), "{id}");
            for (field, expected) in dtype.fields().iter().zip(fields) {
                assert_eq!(field.name(), text(&expected["name"]), "{id}");
                assert_eq!(field.offset() as u64, expected["offset"].as_u64().unwrap(), "{id}");
                match &expected["title"] {
                    Value::Null => assert_eq!(field.title(), None, "{id}"),
                    Value::Object(other) => {
                        assert_eq!(field.title(), other["nonstr_repr"].as_str(), "{id}");
                    }
                    title => assert_eq!(field.title(), Some(text(title).as_str()), "{id}"),
                }
                assert_dtype(field.dtype(), &expected["dtype"], id);
            }
        }
        // Nested too deeply for the manifest.
        "omitted" => {}
        "object" => assert!(dtype.has_object(), "{id}"),
        other => panic!("{id}: {other}"),
    }
}

/// Returns the data in the canonical form of the corpus: C order, little-endian, without padding.
fn canonical(array: &DynArray) -> Vec<u8> {
    let packed = array.dtype().with_byte_order(ByteOrder::Little).packed();
    array.to_order(Order::C).unwrap().cast(&packed).unwrap().into_bytes()
}

/// Compares an array with the contents that a case states.
fn assert_array(array: &DynArray, expected: &Value, id: &str) {
    assert_eq!(serde_json::json!(array.shape()), expected["shape"], "{id}");
    assert_dtype(array.dtype(), &expected["dtype"], id);
    if let Some(raw) = expected.get("raw_sha256") {
        assert_eq!(sha(array.as_bytes()), *raw, "{id}: raw bytes");
        assert_eq!(sha(&canonical(array)), expected["canonical_sha256"], "{id}: values");
    }
}

#[test]
fn valid_files_read_to_the_stated_values() {
    let cases = cases("valid");
    let (mut read, mut objects, mut quirks) = (0, 0, Vec::new());
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let bytes = bytes(case);
        if requires(case, "object") {
            // `objects.rs` reads Python objects. A `DynArray` keeps their pickle, and writes it again.
            let (_, start) = Header::parse(&bytes).unwrap_or_else(|error| panic!("{id}: {error}"));
            let array = DynArray::read_npy(path(case)).unwrap();
            assert!(bytes[start..].starts_with(array.as_bytes()), "{id}");
            let mut again = Vec::new();
            array.write_npy_to(&mut again).unwrap();
            assert!(again.ends_with(array.as_bytes()), "{id}");
            assert_eq!(DynArray::read_npy_from(&again[..]).unwrap(), array, "{id}");
            objects += 1;
            continue;
        }
        let array = match DynArray::read_npy(path(case)) {
            Ok(array) => array,
            Err(error) if case["tier"] == "quirk" => {
                quirks.push(format!("{id}: {error}"));
                continue;
            }
            Err(error) => panic!("{id}: {error}"),
        };
        assert_array(&array, case, id);
        let (header, offset) = Header::parse(&bytes).unwrap();
        let version = serde_json::json!([header.version() as u8, 0]);
        assert_eq!(version, case["header"]["version"], "{id}");
        assert_eq!(offset as u64, case["header"]["data_offset"].as_u64().unwrap(), "{id}");
        assert_eq!(header.order() == Order::Fortran, case["fortran_order"], "{id}");
        // The same from a stream, which must end up at the position in the manifest.
        let mut rest = &bytes[..];
        assert_eq!(DynArray::read_npy_from(&mut rest).unwrap(), array, "{id}");
        assert_eq!(rest.len() as u64, case["trailing_bytes"].as_u64().unwrap(), "{id}");
        if case["numpy_resave"]["same_as_file"] == true {
            let mut again = Vec::new();
            array.write_npy_to(&mut again).unwrap();
            assert_eq!(again, bytes, "{id}: written again");
        }
        read += 1;
    }
    println!("{read} read, {objects} with objects refused, {} quirks refused", quirks.len());
    assert_eq!(read + objects + quirks.len(), cases.len());
    assert!(quirks.len() <= 15, "{quirks:#?}");
}

#[test]
fn bad_files_are_refused() {
    let cases = cases("reject");
    assert!(cases.len() > 100);
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let bytes = bytes(case);
        let from_path = DynArray::read_npy(path(case));
        assert!(from_path.is_err(), "{id}: {from_path:?}");
        assert!(DynArray::read_npy_from(&bytes[..]).is_err(), "{id}");
        assert!(!from_path.unwrap_err().to_string().is_empty(), "{id}");
    }
}

#[test]
fn doubtful_files_are_refused_or_read_right() {
    for case in &cases("either") {
        let id = case["id"].as_str().unwrap();
        // `objects.rs` compares Python objects, which a `DynArray` does not look at.
        if let Ok(array) = DynArray::read_npy(path(case))
            && case["if_accepted"].is_object()
            && !array.dtype().has_object()
        {
            assert_array(&array, &case["if_accepted"], id);
        }
    }
}

/// Compares an archive with the contents that a case states; returns the number of arrays of Python objects.
fn assert_archive(reader: &mut npz::Reader<std::fs::File>, expected: &Value, id: &str) -> usize {
    let names: Vec<_> = reader.names().map(str::to_owned).collect();
    let listed: Vec<_> = expected["numpy_files"].as_array().unwrap().iter().map(text).collect();
    assert_eq!(names, listed, "{id}");
    let members = expected["members"].as_array().unwrap();
    let mut objects = 0;
    for (key, member) in expected["lookup"].as_object().unwrap() {
        // Of several members of one name, the last one counts.
        let wanted = |other: &&Value| other["zip_name"] == *member;
        let Some(member) = members.iter().rev().find(wanted) else {
            // For large archives, the manifest lists only some members.
            reader.read::<DynArray>(key).unwrap();
            continue;
        };
        let id = format!("{id}: {key}");
        if member["is_npy"] == false {
            assert_eq!(sha(&reader.read_bytes(key).unwrap()), member["sha256"], "{id}");
            continue;
        }
        match reader.read::<DynArray>(key) {
            Ok(array) => {
                assert_array(&array, member, &id);
                objects += usize::from(array.dtype().has_object());
            }
            Err(error) => panic!("{id}: {error}"),
        }
    }
    objects
}

#[test]
fn valid_archives_read_to_the_stated_values() {
    let cases = cases_in("npz", "valid");
    assert!(cases.len() > 30);
    let mut objects = 0;
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        bytes(case);
        let mut reader =
            npz::Reader::open(path(case)).unwrap_or_else(|error| panic!("{id}: {error}"));
        objects += assert_archive(&mut reader, case, id);
    }
    println!("{} read, in them {objects} arrays of objects refused", cases.len());
}

#[test]
fn bad_archives_are_refused() {
    let cases = cases_in("npz", "reject");
    assert!(cases.len() > 20);
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        bytes(case);
        let read = npz::Reader::open(path(case)).and_then(|reader| reader.read_all());
        assert!(read.is_err(), "{id}: {read:?}");
    }
}

#[test]
fn doubtful_archives_are_refused_or_read_right() {
    let mut read = 0;
    for case in &cases_in("npz", "either") {
        let id = case["id"].as_str().unwrap();
        let Ok(mut reader) = npz::Reader::open(path(case)) else { continue };
        let whole = reader.read_all();
        if whole.is_ok()
            && case["if_accepted"].is_object()
            && reader.names().len() == case["if_accepted"]["member_count"]
        {
            assert_archive(&mut reader, &case["if_accepted"], id);
            read += 1;
        }
    }
    println!("{read} read");
}

#[test]
fn the_manifest_lists_every_file() {
    // A case without a file, or a file without a case, would be a missing test.
    let text = std::fs::read_to_string(npy_tests::corpus().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let cases = manifest["cases"].as_array().unwrap();
    assert_eq!(cases.len(), files(&npy_tests::corpus().join("files")));
    assert_eq!(cases.iter().filter(|case| case["container"] == "npy").count(), 555);
}

fn files(directory: &Path) -> usize {
    let entries = std::fs::read_dir(directory).unwrap().map(Result::unwrap);
    let count = |entry: std::fs::DirEntry| {
        if entry.file_type().unwrap().is_dir() { files(&entry.path()) } else { 1 }
    };
    entries.map(count).sum()
}
