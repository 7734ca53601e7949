//! Files with false claims. Each is refused with an error that says where and what to do, and costs no memory.

use npy_core::{
    ByteStr, DynArray, ErrorKind, Limits, NpyArray, NpyRecord, Place, ReadNpy, ReadOptions, Reader,
    WriteNpy,
};
use npy_tests::alloc::peak;

/// The memory limit of a refusal: "a few MiB".
const FEW: usize = 4 << 20;

/// Returns a version 1.0, 2.0 or 3.0 file with this header text and this data.
fn file(version: u8, text: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let length = u32::try_from(text.len()).unwrap().to_le_bytes();
    bytes.extend(&length[..if version == 1 { 2 } else { 4 }]);
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

fn header(descr: &str, shape: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n")
}

/// Returns the error message of reading, from a stream and from a file; both must cost little.
fn refused<A: ReadNpy>(bytes: &[u8]) -> String {
    let (streamed, cost) = peak(|| A::read_npy_from(bytes));
    let message = streamed.err().expect("it is refused").to_string();
    assert!(cost < FEW, "{cost} bytes for: {message}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    std::fs::write(&path, bytes).unwrap();
    let (read, cost) = peak(|| A::read_npy(&path));
    let error = read.err().expect("it is refused");
    assert!(cost < FEW, "{cost} bytes for: {message}");
    assert_eq!(error.places().next(), Some(&Place::Path(path.clone())));
    let from_path = error.to_string();
    // A command keeps what is complete of a file, but not of a stream.
    let told = |text: &str| text.split(", or keep its complete ").next().map(str::to_owned);
    let from_path = from_path.strip_prefix(&format!("{}: ", path.display())).and_then(told);
    assert_eq!(from_path, told(&message));
    message
}

#[track_caller]
fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    for version in [1, 2, 3] {
        let whole = file(version, &header("'<i4'", "(3,)"), &[1; 12]);
        assert_eq!(Vec::<i32>::read_npy_from(&whole[..]).unwrap().len(), 3);
        // The end of a stream, and an empty file, have messages of their own.
        for end in 1..whole.len() {
            assert_says(&refused::<Vec<i32>>(&whole[..end]), &["truncated"]);
            refused::<DynArray>(&whole[..end]);
        }
    }
}

#[test]
fn what_is_no_npy_file_is_named() {
    for (start, hint) in [
        (&b"PK\x03\x04rest"[..], ".npz"),
        (b"PK\x05\x06", ".npz"),
        (b"\x80\x04\x95rest....", "pickle"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "decompress"),
        (b"a,b,c\n1,2,3\n", "not a .npy file"),
    ] {
        assert_says(&refused::<DynArray>(start), &["not a .npy file", hint]);
    }
    for version in [0, 4, 255] {
        assert_says(
            &refused::<DynArray>(&file(version, &header("'<i4'", "()"), &[0; 4])),
            &["1.0, 2.0 and 3.0"],
        );
    }
}

#[test]
fn malformed_headers_are_errors_that_name_the_byte() {
    for (text, parts) in [
        ("[1, 2]".to_owned(), &["byte 10", "dictionary"][..]),
        ("{'descr': '<f4', 'shape': (1,)}".into(), &["'fortran_order'"]),
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 0}".into(),
            &["byte 66", "unknown key 'x'"],
        ),
        (
            "{'descr': '<f4', 'fortran_order': 'no', 'shape': (1,)}".into(),
            &["byte 44", "True or False"],
        ),
        (header("'<f4'", "(-1,)"), &["byte", "-1", "dimension"]),
        (header("'<f4'", "3"), &["tuple"]),
        (header("'<q9'", "(1,)"), &["byte 20", "'<q9'"]),
        (header("'|S1000000000000000'", "(1,)"), &["2147483647"]),
        (header("'|V0'", "(18446744073709551616,)"), &["dimension"]),
        (header("'<f8'", "(4294967296, 4294967296)"), &["larger than any memory"]),
        (header("'|i1'", "(0, 9223372036854775807, 2)"), &["larger than any memory"]),
        (header("'<f4'", "(1,) * 3"), &["byte"]),
        (header("__import__('os')", "(1,)"), &["byte 20"]),
        (header("[('a', '<f4'), ('a', '<f4')]", "(1,)"), &["twice"]),
        (header("('<f4', (2,))", "(1,)"), &["sub-array"]),
        ("{'descr': '<f4".into(), &["byte 20"]),
    ] {
        assert_says(&refused::<DynArray>(&file(1, &text, &[0; 64])), parts);
    }
}

#[test]
fn a_header_of_4_gib_costs_twelve_bytes() {
    let message = refused::<DynArray>(b"\x93NUMPY\x02\x00\xff\xff\xff\xff");
    assert_says(&message, &["4294967295", "Limits::header_bytes"]);
    // A length within the limit, but missing from the file.
    assert_says(&refused::<DynArray>(b"\x93NUMPY\x02\x00\xff\xff\x0f\x00{"), &["truncated"]);
}

#[test]
fn nesting_costs_neither_stack_nor_time() {
    for open in ["[", "(", "{", "[('a', ", "-", "(-"] {
        // A small stack: recursion on the input would overflow it.
        let run = move || refused::<DynArray>(&file(2, &open.repeat(100_000), &[]));
        let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(run);
        assert!(!thread.unwrap().join().unwrap().is_empty(), "{open}");
    }
    let nested = |n: usize| format!("{}'|u1'{}", "[('a', ".repeat(n), ")]".repeat(n));
    let deep = file(1, &header(&nested(90), "(1,)"), &[7]);
    assert_eq!(DynArray::read_npy_from(&deep[..]).unwrap().as_bytes(), [7]);
    let deeper = file(1, &header(&nested(101), "(1,)"), &[7]);
    assert_says(&refused::<DynArray>(&deeper), &["Limits::nesting"]);
}

#[test]
fn a_claim_of_exabytes_takes_no_memory() {
    for descr in ["'|u1'", "'<f8'", "'|S1000000'", "[('a', '<f8'), ('b', '|V2000000000')]"] {
        let claim = file(1, &header(descr, "(1000000000,)"), &[0; 100]);
        assert_says(&refused::<DynArray>(&claim), &["truncated", "found 100"]);
    }
    assert_says(
        &refused::<Vec<u8>>(&file(1, &header("'|u1'", "(1000000000000,)"), &[0; 100])),
        &["truncated"],
    );
    let record = file(1, &header("[('x', '|u1'), ('y', '|V2000000000')]", "(9,)"), &[0; 9000]);
    assert_says(&refused::<Vec<OnlyX>>(&record), &["truncated"]);
}

#[derive(NpyRecord, Debug)]
struct OnlyX {
    #[allow(dead_code)]
    x: u8,
}

#[test]
fn items_of_no_bytes_are_counted_before_they_are_made() {
    let many = file(1, &header("'|S0'", "(1099511627776,)"), &[]);
    let (array, cost) = peak(|| DynArray::read_npy_from(&many[..]).unwrap());
    assert_eq!(array.shape(), [1 << 40]);
    assert!(cost < FEW);
    assert_says(&refused::<Vec<ByteStr<0>>>(&many), &["Limits::empty_items"]);
    assert!(array.to_vec::<ByteStr<0>>().is_err());
    let few = file(1, &header("'|S0'", "(3,)"), &[]);
    assert_eq!(Vec::<ByteStr<0>>::read_npy_from(&few[..]).unwrap().len(), 3);
}

#[test]
fn wide_headers_are_limited() {
    let names: Vec<String> = (0..70_000).map(|i| format!("('{i:x}','|b1')")).collect();
    let text = header(&format!("[{}]", names.join(",")), "(0,)");
    let message = refused_at_any_cost(&file(2, &text, &[]));
    assert_says(&message, &["Limits::header_bytes"]);
    // Ten thousand fields are allowed.
    let text = header(&format!("[{}]", names[..10_000].join(",")), "(0,)");
    assert_eq!(
        DynArray::read_npy_from(&file(2, &text, &[])[..]).unwrap().dtype().fields().len(),
        10_000
    );
    // Nested fields are counted, too.
    let mut limits = Limits::default();
    limits.fields = 3;
    for (descr, fields) in [
        ("[('a', '<f4'), ('b', '<f4'), ('c', '<f4')]", 3),
        ("[('a', [('x', '<f4')], (2,)), ('b', [('y', '<f4'), ('z', '<f4')])]", 5),
    ] {
        let bytes = file(1, &header(descr, "(0,)"), &[]);
        let result = ReadOptions::new().limits(limits).read_from::<DynArray>(&bytes[..]);
        assert_eq!(result.is_ok(), fields <= 3, "{result:?}");
    }
    // As many dimensions as fit into a header of an allowed length: more than any array has.
    let digits = header("'|b1'", &format!("({})", "1,".repeat(500_000)));
    let (result, cost) = peak(|| DynArray::read_npy_from(&file(2, &digits, &[])[..]));
    assert!(result.is_err());
    assert!(cost < 24 << 20, "{cost}");
}

fn refused_at_any_cost(bytes: &[u8]) -> String {
    DynArray::read_npy_from(bytes).unwrap_err().to_string()
}

#[test]
fn limits_can_be_lowered() {
    let bytes = file(1, &header("'|u1'", "(100,)"), &[0; 100]);
    let mut limits = Limits::default();
    limits.array_bytes = Some(99);
    let error = ReadOptions::new().limits(limits).read_from::<Vec<u8>>(&bytes[..]).unwrap_err();
    let ErrorKind::Limit { what, name, found, limit, .. } = error.kind() else { panic!("{error}") };
    assert_eq!((*what, *name, *found, *limit), ("bytes in an array", "array_bytes", 100, 99));
    limits.array_bytes = Some(100);
    assert!(ReadOptions::new().limits(limits).read_from::<Vec<u8>>(&bytes[..]).is_ok());
}

#[test]
fn objects_are_refused_by_name_or_kept_as_they_are() {
    for descr in ["'|O'", "[('a', '|O'), ('b', '<i4')]", "[('a', [('b', '|O', (2,))])]"] {
        let bytes = file(1, &header(descr, "(1,)"), b"\x80\x04N.");
        let error = Reader::new(&bytes[..]).unwrap().records::<u64>().unwrap_err().to_string();
        assert_says(&error, &["Python objects", "needs"]);
        assert_says(&refused::<Vec<u64>>(&bytes), &["the pickle is not an array"]);
        let kept = DynArray::read_npy_from(&bytes[..]).unwrap();
        assert_eq!(kept.as_bytes(), b"\x80\x04N.");
    }
}

#[derive(NpyRecord, Debug)]
struct Inner {
    #[allow(dead_code)]
    gain: f32,
}

#[derive(NpyRecord, Debug)]
struct Outer {
    #[allow(dead_code)]
    hdr: Inner,
}

#[test]
fn a_struct_that_differs_is_told_both_sides() {
    let mistyped = file(1, &header("[('hdr', [('gain', '<i2')])]", "(1,)"), &[0; 2]);
    let message = refused::<Vec<Outer>>(&mistyped);
    assert_eq!(
        message,
        "field \"hdr.gain\": the file holds '<i2', Outer expects '<f4'; \
         ReadOptions::new().cast(Cast::Lossless) widens when no value can change"
    );
    let wider = file(1, &header("[('hdr', [('gain', '<f8')])]", "(1,)"), &[0; 8]);
    assert_says(
        &refused::<Vec<Outer>>(&wider),
        &["holds '<f8', Outer expects '<f4'", "ReadOptions::new().cast(Cast::Checked) converts"],
    );
    let missing = file(1, &header("[('hdr', [('Gain', '<f4'), ('q', '<f4')])]", "(1,)"), &[0; 8]);
    let message = refused::<Vec<Outer>>(&missing);
    assert_says(
        &message,
        &["field \"hdr\"", "no field \"gain\"", "Outer", "\"Gain\", \"q\"", "rename"],
    );
    let scalar = file(1, &header("'<f4'", "(1,)"), &[0; 4]);
    assert_says(&refused::<Vec<Outer>>(&scalar), &["holds '<f4', Outer expects [('hdr'"]);
}

#[test]
fn another_rank_is_told_what_takes_it() {
    let matrix = file(1, &header("'<f4'", "(2, 3)"), &[0; 24]);
    assert_says(&refused::<Vec<f32>>(&matrix), &["(2, 3)", "Vec<f32>", "NpyArray"]);
    assert_says(&refused::<Box<[f32]>>(&matrix), &["NpyArray"]);
    assert_says(&refused::<f32>(&matrix), &["a single element", "NpyArray"]);
    assert_eq!(NpyArray::<f32>::read_npy_from(&matrix[..]).unwrap().shape(), [2, 3]);
    assert_eq!(Vec::<[f32; 3]>::read_npy_from(&matrix[..]).unwrap().len(), 2);
    assert_says(&refused::<Vec<[f32; 2]>>(&matrix), &["(2, 3)", "[f32; 2] expects (..., 2)"]);
    let point = file(1, &header("'<f4'", "()"), &[0; 4]);
    assert_says(&refused::<Vec<f32>>(&point), &["()", "one dimension"]);
}

#[test]
fn what_follows_the_array_stays_in_the_stream() {
    let mut bytes = Vec::new();
    [1u8, 2].write_npy_to(&mut bytes).unwrap();
    [1.5f64].write_npy_to(&mut bytes).unwrap();
    bytes.extend(b"rest");
    let mut stream = &bytes[..];
    assert_eq!(Vec::<u8>::read_npy_from(&mut stream).unwrap(), [1, 2]);
    assert_eq!(Vec::<f64>::read_npy_from(&mut stream).unwrap(), [1.5]);
    assert_eq!(stream, b"rest");
    assert!(Vec::<u8>::read_npy_from(&mut stream).is_err());
}
