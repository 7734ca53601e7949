//! Pickles whose parts contradict each other, or the header.

use super::*;

/// The opcodes of a dtype with a state: the order, sub-array, names, fields and item size.
fn dtype(code: &[u8], state: &[u8]) -> Vec<u8> {
    let length = [u8::try_from(code.len()).unwrap()];
    [b"cnumpy\ndtype\n\x8c", &length[..], code, b"K\0K\x01\x87R(K\x03", state, b"tb"].concat()
}

fn record(names: &[u8], fields: &[u8], itemsize: &[u8]) -> Vec<u8> {
    dtype(b"V8", &[b"\x8c\x01|N", names, fields, itemsize, b"K\x01K\0"].concat())
}

const I4: &[u8] = b"cnumpy\ndtype\n\x8c\x02i4K\0K\x01\x87R(K\x03\x8c\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb";

fn field(name: &[u8], offset: &[u8]) -> Vec<u8> {
    [name, I4, offset, b"\x86s"].concat()
}

#[test]
fn a_nested_array_with_a_false_dtype_is_an_error() {
    let (a, b) = (&b"\x8c\x01a"[..], &b"\x8c\x01b"[..]);
    let ab = [b"(", a, b, b"t"].concat();
    let fields = |of_b: &[u8]| [b"}", &field(a, b"K\0")[..], of_b].concat();
    let good = record(&ab, &fields(&field(b, b"K\x04")), b"K\x08");
    let nested = |dtype: &[u8]| one(&array(b"K\x01\x85", dtype, b"C\x08\x01\0\0\0\x02\0\0\0"));
    assert_eq!(objects(&nested(&good)).root().to_string(), "array([(1, 2)])");
    for (what, dtype) in [
        ("overlapping fields", record(&ab, &fields(&field(b, b"K\x02")), b"K\x08")),
        ("fields at one offset", record(&ab, &fields(&field(b, b"K\0")), b"K\x08")),
        ("a negative offset", record(&ab, &fields(&field(b, b"J\xff\xff\xff\xff")), b"K\x08")),
        ("a huge offset", record(&ab, &fields(&field(b, b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f")), b"K\x08")),
        ("a huge item size", record(&ab, &fields(&field(b, b"K\x04")), b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f")),
        ("a small item size", record(&ab, &fields(&field(b, b"K\x04")), b"K\x07")),
        ("another item size", record(&ab, &fields(&field(b, b"K\x04")), b"K\x0c")),
        ("a name without a field", record(&ab, &fields(b""), b"K\x08")),
        ("a name twice", record(&[b"(", a, a, b"t"].concat(), &fields(b""), b"K\x08")),
        ("a name that is not text", record(b"K\x01\x85", &fields(b""), b"K\x08")),
        ("fields that are a list", record(&ab, b"]", b"K\x08")),
        ("a field without an offset", record(&[a, b"\x85"].concat(), &[b"}", a, I4, b"\x85s"].concat(), b"K\x08")),
        ("text of another size", dtype(b"S8", b"\x8c\x01|NNNK\x04K\x01K\0")),
        ("a number of another size", dtype(b"i8", b"\x8c\x01<NNNK\x04K\x04K\0")),
        ("a byte order that is none", dtype(b"i8", b"\x8c\x01xNNNJ\xff\xff\xff\xffK\x04K\0")),
        ("a code that is none", dtype(b"zz", b"\x8c\x01<NNNJ\xff\xff\xff\xffK\x04K\0")),
        ("a huge code", dtype(b"V99999999999999999999", b"\x8c\x01|NNNJ\xff\xff\xff\xffK\x04K\0")),
        ("a unit of zero", dtype(b"M8", b"\x8c\x01<NNNJ\xff\xff\xff\xffK\x08K\0N(\x8c\x01sK\0K\x01K\x01t\x86")),
        ("a negative unit", dtype(b"M8", b"\x8c\x01<NNNJ\xff\xff\xff\xffK\x08K\0N(\x8c\x01sJ\xff\xff\xff\xffK\x01K\x01t\x86")),
        ("half a unit", dtype(b"M8", b"\x8c\x01<NNNJ\xff\xff\xff\xffK\x08K\0N(\x8c\x01sK\x01K\x02K\x01t\x86")),
        ("objects in bytes", dtype(b"O8", b"\x8c\x01|NNNJ\xff\xff\xff\xffK\x08K\x3f")),
        ("None", b"N".to_vec()),
        ("a dtype in itself", b"cnumpy\ndtype\n\x8c\x02V8\x85Rq\x09(K\x03\x8c\x01|h\x09K\x01\x85\x86NNK\x08K\x01K\0tb".to_vec()),
        ("a record in itself", b"cnumpy\ndtype\n\x8c\x02V8\x85Rq\x09(K\x03\x8c\x01|N\x8c\x01a\x85}\x8c\x01ah\x09K\0\x86sK\x08K\x01K\0tb".to_vec()),
        ("a dtype that is its state", b"cnumpy\ndtype\n\x8c\x02V8\x85R2b".to_vec()),
    ] {
        let objects = survives(what, &nested(&dtype));
        assert!(objects.root().as_array().is_err(), "{what}: {objects}");
        let shown = objects.to_string();
        assert!(shown.contains("malformed") || shown.contains("object"), "{what}: {shown}");
    }
}

#[test]
fn a_nested_array_with_a_false_shape_is_an_error() {
    for shape in [
        &b"K\x02\x85"[..],
        b")",
        b"K\0\x85",
        b"J\xff\xff\xff\xff\x85",
        b"N",
        b"]",
        b"N\x85",
        b"G\0\0\0\0\0\0\0\0\x85",
        b"\x8a\x08\0\0\0\0\0\0\0@2\x86",
        b"\x8a\x09\0\0\0\0\0\0\0\0\x01\x85",
        b"\x88\x85",
    ] {
        let file = one(&array(shape, I4, b"C\x0c\0\0\0\0\0\0\0\0\0\0\0\0"));
        assert!(survives("a shape", &file).root().as_array().is_err(), "{}", shape.escape_ascii());
    }
    // A shape that is the array itself, within a list.
    let cycle = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85C\x01b\x87Rq\x09(K\x01]h\x09a";
    survives("a shape that has the array", &one(&[cycle, I4, b"\x89C\0tb"].concat()));
    let many = [b"(", &repeat(b"K\x01", 65)[..], b"t"].concat();
    let file = one(&array(&many, I4, b"C\x04\0\0\0\0"));
    assert!(survives("65 dimensions", &file).root().as_array().is_err());
}

#[test]
fn an_array_that_is_not_that_of_the_header_is_refused() {
    let file = |head: &str, shape: &[u8], dtype: &[u8], data: &[u8]| {
        [header("'|O'", head), b"\x80\x05".to_vec(), array(shape, dtype, data), b".".to_vec()]
            .concat()
    };
    assert_eq!(
        objects(&file("(2,)", b"K\x02\x85", OBJECT, b"](NNe")).to_string(),
        "array([None, None], dtype=object)"
    );
    let cube = file("(2, 2, 1)", b"K\x02K\x02K\x01\x87", OBJECT, b"](NK\x01K\x02Ne");
    assert_eq!(objects(&cube).to_string(), "array([[[None], [1]], [[2], [None]]], dtype=object)",);
    for (what, file) in [
        ("another length", file("(3,)", b"K\x02\x85", OBJECT, b"](NNe")),
        ("another number of dimensions", file("(2, 1)", b"K\x02\x85", OBJECT, b"](NNe")),
        ("a short list", file("(2,)", b"K\x02\x85", OBJECT, b"](Ne")),
        ("a long list", file("(2,)", b"K\x02\x85", OBJECT, b"](NNNe")),
        ("a tuple", file("(2,)", b"K\x02\x85", OBJECT, b"NN\x86")),
        ("bytes", file("(2,)", b"K\x02\x85", OBJECT, b"C\x02ab")),
        ("numbers", file("(2,)", b"K\x02\x85", I4, b"C\x08\0\0\0\0\0\0\0\0")),
        (
            "an array without a state",
            [header("'|O'", "()"), b"cnumpy.core.multiarray\n_reconstruct\n)R.".to_vec()].concat(),
        ),
        ("None", [header("'|O'", "()"), b"N.".to_vec()].concat()),
        ("a list", [header("'|O'", "(1,)"), b"]Na.".to_vec()].concat()),
        (
            "records",
            [header("[('a', '|O')]", "(2,)"), array(b"K\x02\x85", OBJECT, b"](NNe"), b".".to_vec()]
                .concat(),
        ),
    ] {
        let message = refused(&file);
        assert!(message.contains("save") || message.contains("read it"), "{what}: {message}");
    }
}

#[test]
fn a_record_with_another_number_of_fields_is_not_read_as_one() {
    let a = &b"\x8c\x01a"[..];
    let names = [a, b"\x85"].concat();
    let dtype = dtype(
        b"V8",
        &[b"\x8c\x01|N", &names[..], b"}", a, OBJECT, b"K\0\x86s", b"K\x08K\x01K\x3f"].concat(),
    );
    let file = |item: &[u8]| {
        let data = [b"](", item, b"e"].concat();
        [header("[('a', '|O')]", "(1,)"), array(b"K\x01\x85", &dtype, &data), b".".to_vec()]
            .concat()
    };
    let good = objects(&file(b"K\x07\x85"));
    assert_eq!(good.iter().next().unwrap().get("a").unwrap().as_i64(), Some(7));
    for item in [&b")"[..], b"NN\x86", b"N", b"]"] {
        let objects = survives("a record", &file(item));
        assert!(objects.iter().next().unwrap().get("a").is_err(), "{objects}");
    }
}

/// Many short records of a dtype with many fields: none of them looks at all of the fields.
#[test]
fn a_wide_dtype_of_short_records_costs_little() {
    let (mut names, mut fields) = (b"(".to_vec(), b"}".to_vec());
    for i in 0..20_000u32 {
        let name = [
            &b"X\x04\0\0\0"[..],
            &(0x6161_6161 + i % 20 + ((i / 20 % 20) << 8) + ((i / 400) << 16)).to_le_bytes(),
        ]
        .concat();
        names.extend(&name);
        fields.extend([&name[..], b"h\x08M", &[0, 0], b"\x86s"].concat());
    }
    names.push(b't');
    let dtype = [
        OBJECT,
        b"q\x080",
        &dtype(b"V8", &[b"\x8c\x01|N", &names[..], &fields, b"K\x08K\x01K\x3f"].concat()),
    ]
    .concat();
    let data = [b"Nq\x090](", &repeat(b")", 100_000)[..], b"e"].concat();
    survives("wide", &one(&array(b"J\xa0\x86\x01\0\x85", &dtype, &data)));
    let data = [b"](", &repeat(b"N\x85", 100_000)[..], b"e"].concat();
    survives("wide", &one(&array(b"J\xa0\x86\x01\0\x85", &dtype, &data)));
}

/// Guards the states of arrays: NumPy knows the versions 0 and 1, and states without one.
#[test]
fn a_state_of_an_unknown_version_is_no_array() {
    let with = |version: &[u8]| {
        let start = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85C\x01b\x87R(";
        [&start[..], version, b"K\x01\x85", I4, b"\x89C\x04\x07\0\0\0tb"].concat()
    };
    for version in [&b""[..], b"K\0", b"K\x01"] {
        assert_eq!(objects(&one(&with(version))).root().to_string(), "array([7])");
    }
    for version in [&b"K\x02"[..], b"K\x63", b"J\xff\xff\xff\xff", b"N"] {
        let objects = survives("a version", &one(&with(version)));
        assert_eq!(objects.root().kind(), Kind::Object);
        assert!(objects.root().as_array().is_err());
        // The same for the array that the file consists of.
        let list = [&b"](K\x05e"[..]].concat();
        let whole =
            [&with(version)[..with(version).len() - I4.len() - 9], OBJECT, b"\x89", &list, b"tb."]
                .concat();
        refused(&[header("'|O'", "(1,)"), b"\x80\x05".to_vec(), whole].concat());
    }
}

/// Guards dtypes with Python objects, whose bytes would be addresses: scalars and arrays of both forms.
#[test]
fn objects_in_bytes_are_refused() {
    let record = dtype(
        b"V8",
        &[b"\x8c\x01|N\x8c\x01a\x85}\x8c\x01a", OBJECT, b"K\0\x86sK\x08K\x01K\x3f"].concat(),
    );
    for dtype in [OBJECT, &record] {
        for object in [
            [b"cnumpy.core.multiarray\nscalar\n", dtype, b"C\x08\0\0\0\0\0\0\0\0\x86R"].concat(),
            [
                b"cnumpy.core.numeric\n_frombuffer\n(C\x08\0\0\0\0\0\0\0\0",
                dtype,
                b"K\x01\x85\x8c\x01CtR",
            ]
            .concat(),
            array(b"K\x01\x85", dtype, b"C\x08\0\0\0\0\0\0\0\0"),
        ] {
            let file = one(&object);
            let objects = survives("objects in bytes", &file);
            assert!(objects.root().as_array().is_err(), "{objects}");
            let read = npy_core::Reader::new(&file[..]).unwrap().read_as::<serde_json::Value>();
            read.unwrap_err();
            let read = npy_core::Reader::new(&file[..]).unwrap().read_as::<npy_core::DynArray>();
            read.unwrap_err();
        }
    }
}

/// Guards the lengths of frames, against those that Python's unpicklers refuse.
#[test]
fn a_frame_of_a_wrong_length_is_refused() {
    let frame = |length: u64| [&b"\x95"[..], &length.to_le_bytes()].concat();
    let body = array(b")", OBJECT, b"](X\x03\0\0\0abce");
    let text = body.windows(3).position(|bytes| bytes == b"abc").unwrap() as u64;
    let file = |frames: &[u8], end: &[u8]| {
        [header("'|O'", "()"), [b"\x80\x04", frames, &body, end].concat()].concat()
    };
    let length = body.len() as u64;
    for (frames, end) in [
        (frame(length + 1), b".".to_vec()),
        (frame(length), b".".to_vec()),
        (frame(length), [&frame(1)[..], b"."].concat()),
        ([frame(0), frame(length + 1)].concat(), b".".to_vec()),
    ] {
        assert_eq!(objects(&file(&frames, &end)).root().to_string(), "'abc'");
    }
    for (frames, end, reason) in [
        (frame(length + 2), &b"."[..], "ends before its last frame"),
        (frame(length + 2), b".x", "ends before its last frame"),
        (frame(text + 1), b".", "continues after the end of its frame"),
        ([frame(20), frame(length)].concat(), b".", "before the end of the last one"),
        (frame(u64::MAX), b".", "a frame of 2"),
        (frame(1 << 63), b".", "a frame of 2"),
    ] {
        let error = refused(&file(&frames, end));
        assert!(error.contains(reason), "{reason}: {error}");
    }
    // The same if the contents of large bytes stay in the file.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let contents = vec![b'a'; 1 << 20];
    let bytes = [b"B", &(1u32 << 20).to_le_bytes()[..], &contents].concat();
    let body = array(b")", OBJECT, &[b"](", &bytes[..], b"e"].concat());
    let length = body.len() as u64;
    for (frames, is_good) in [
        (frame(length + 1), true),
        (frame(length + 2), false),
        (frame(length - 10), false),
        (frame(1 << 20), false),
    ] {
        let pickle = [b"\x80\x04", &frames[..], &body, b"."].concat();
        std::fs::write(&path, [header("'|O'", "()"), pickle].concat()).unwrap();
        let read = npy_core::NpyArray::<Option<Vec<u8>>>::read_npy(&path);
        assert_eq!(read.is_ok(), is_good, "{:?}", read.err());
    }
}
