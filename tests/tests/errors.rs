//! The message of each kind of error.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use npy_core::object::Encoding;
use npy_core::{
    Be, ByteStr, Cast, DType, DynArray, DynRowAppender, Error, ErrorKind, FixedStr, Header,
    NpyArray, NpyRecord, NpyView, Objects, Order, ReadNpy, ReadOptions, Reader, UncountedRows,
    WriteNpy, WriteOptions, Writer, npz,
};
use npy_tests::picky::Even;

fn file(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    let length = u16::try_from(text.len()).unwrap();
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

/// Reads an archive that has more members than the struct.
fn strict_archive() -> Result<(), Error> {
    #[derive(npy_core::NpzArchive)]
    #[npy(deny_unknown_fields)]
    struct Strict {
        _gain: f32,
    }
    let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new()))?;
    for name in ["g", "_gain", "h/i"] {
        writer.write(name, &0.5f32)?;
    }
    npz::Reader::new(writer.finish()?)?.read_fields::<Strict>().map(drop)
}

/// An archive of a member "a".
fn archive() -> npz::Reader<Cursor<Vec<u8>>> {
    let mut writer = npz::Writer::new(Cursor::new(Vec::new())).unwrap();
    writer.write("a", &[7u8; 100]).unwrap();
    npz::Reader::new(writer.finish().unwrap()).unwrap()
}

/// The same archive with one byte changed.
fn damaged() -> npz::Reader<Cursor<Vec<u8>>> {
    let mut writer = npz::Writer::new(Cursor::new(Vec::new())).unwrap();
    writer.write("a", &[7u8; 100]).unwrap();
    let mut bytes = writer.finish().unwrap().into_inner();
    let at = bytes.windows(100).position(|part| part == [7; 100]).unwrap();
    bytes[at] = 8;
    npz::Reader::new(Cursor::new(bytes)).unwrap()
}

/// Appends to a file that another writer appends to.
fn appended_twice() -> Result<(), Error> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("npy-core-locked.npy");
    let _first = Writer::<u8, _>::create(&path)?;
    Writer::<u8, _>::append(&path).map(drop)
}

/// Appends to a file that has a row more than its header counts, as after a kill.
fn appended_after_a_kill() -> Result<(), Error> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("npy-core-uncounted.npy");
    let mut file = Vec::new();
    [1_u8, 2].write_npy_to(&mut file)?;
    std::fs::write(&path, [&file[..], &[3]].concat()).unwrap();
    Writer::<u8>::append(&path).map(drop)
}

/// A test for the kind, the failing call, and the message.
type Case = (fn(&ErrorKind) -> bool, Result<(), Error>, &'static str);

/// Guards the messages: each says what is wrong, where, and what to do.
#[test]
fn every_kind_says_what_to_do() {
    let missing = std::env::temp_dir().join("npy-core-no-such-file.npy");
    let header = |text: &str| Header::parse(text.as_bytes()).map(drop);
    let read =
        |descr, shape, data| DynArray::read_npy_from(&file(descr, shape, data)[..]).map(drop);
    let cases: Vec<Case> = vec![
        (
            |kind| matches!(kind, ErrorKind::Io(_)),
            Header::read_npy(&missing).map(drop),
            "npy-core-no-such-file.npy: ",
        ),
        (
            |kind| matches!(kind, ErrorKind::NotNpy { .. }),
            header("PK\u{3}\u{4}...."),
            r#"not a .npy file: it starts with "PK\x03\x04...." instead of "\x93NUMPY"; it is a .npz archive (or another zip): read it with npz::load or npz::Reader"#,
        ),
        (
            |kind| matches!(kind, ErrorKind::NotNpy { found, .. } if found.is_empty()),
            Vec::<u8>::read_npy_from(&mut &b""[..]).map(drop),
            "not a .npy file: it has no bytes, as a stream has none after its last array; a loop over its arrays ends when BufRead::fill_buf returns no bytes",
        ),
        (
            |kind| matches!(kind, ErrorKind::Version { .. }),
            Header::parse(b"\x93NUMPY\x07\x01").map(drop),
            "unknown format version 7.1; versions 1.0, 2.0 and 3.0 can be read: save it again with np.save",
        ),
        (
            |kind| matches!(kind, ErrorKind::Truncated { .. }),
            read("'<f8'", "(4,)", &[0; 20]),
            "truncated: expected 32 bytes of data, found 20; write or copy the complete file again",
        ),
        (
            |kind| matches!(kind, ErrorKind::Header { .. }),
            read("'<f8', 'x': 1", "(4,)", &[]),
            "byte 27: the header is malformed: unknown key 'x'",
        ),
        (
            |kind| matches!(kind, ErrorKind::DType { .. }),
            read("'<f3'", "(4,)", &[]),
            "byte 20: dtype '<f3': a float has 2, 4, 8, 12 or 16 bytes",
        ),
        (
            |kind| matches!(kind, ErrorKind::Shape { .. }),
            NpyArray::new(vec![1, 2, 3], [2, 2]).map(drop),
            "shape (2, 2): expected 4 elements, found 3; add the other 1, or state a shape of 3",
        ),
        (
            |kind| matches!(kind, ErrorKind::Limit { .. }),
            Header::parse(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").map(drop),
            "bytes in a header: 4294967295 exceeds the limit of 1048576; if you trust the source, raise Limits::header_bytes",
        ),
        (
            |kind| matches!(kind, ErrorKind::Mismatch { .. }),
            Vec::<f64>::read_npy_from(&file("'<f4'", "(1,)", &[0; 4])[..]).map(drop),
            "the file holds '<f4', f64 expects '<f8'; Vec<f32> reads it, and ReadOptions::new().cast(Cast::Lossless) widens when no value can change",
        ),
        (
            |kind| matches!(kind, ErrorKind::MissingField { .. }),
            Vec::<Reading>::read_npy_from(&file("[('Gain', '<f4')]", "(1,)", &[0; 4])[..])
                .map(drop),
            "the file has no field \"gain\", which Reading expects; its fields are \"Gain\"; give the Rust field the name from the file with #[npy(rename = \"Gain\")], or make it optional with #[npy(default)]",
        ),
        (
            |kind| matches!(kind, ErrorKind::UnknownField { .. }),
            Vec::<Strict>::read_npy_from(
                &file("[('gain', '<f4'), ('g', '|u1')]", "(1,)", &[0; 5])[..],
            )
            .map(drop),
            "the file has a field \"g\", which Strict does not have; add it to the struct, or drop #[npy(deny_unknown_fields)] to have such fields skipped",
        ),
        (
            |kind| matches!(kind, ErrorKind::UnknownMembers { .. }),
            strict_archive(),
            "the archive has members that Strict does not have: \"g\", \"h/i\"; add them to the struct (a field that is a struct or map has members \"field/…\"), or drop #[npy(deny_unknown_fields)] to have such members skipped",
        ),
        (
            |kind| matches!(kind, ErrorKind::Rank { .. }),
            Vec::<f32>::read_npy_from(&file("'<f4'", "(1, 1)", &[0; 4])[..]).map(drop),
            "the array has shape (1, 1), Vec<f32> expects one dimension; read it as an NpyArray, which takes any shape",
        ),
        (
            |kind| matches!(kind, ErrorKind::InvalidValue { .. }),
            Vec::<Even>::read_npy_from(&file("'|u1'", "(3,)", &[2, 4, 5])[..]).map(drop),
            "row 2: 5 is odd",
        ),
        (
            |kind| matches!(kind, ErrorKind::Unsupported { .. }),
            Reader::new(&file("'|O'", "(1,)", b"N.")[..]).unwrap().records::<u8>().map(drop),
            "an array of Python objects ('|O') needs another type: Vec<Option<String>>",
        ),
        (
            |kind| matches!(kind, ErrorKind::Pickle { .. }),
            Objects::read_npy_from(&file("'|O'", "(1,)", b"N0R.")[..]).map(drop),
            "the pickle is malformed at byte 2: the opcode needs an object, and there is none; save the array again",
        ),
        (
            |kind| matches!(kind, ErrorKind::View(_)),
            NpyView::<Be<f64>>::from_bytes(&file("'<f8'", "(1,)", &[0; 8]))
                .map(drop)
                .map_err(Error::from),
            "the file holds '<f8', but Be<f64> is '>f8' in memory; view integers and floats as Le<…> or Be<…>, which have a fixed byte order, open a file of any dtype as MapAny, or copy and byte-swap it with Vec::<Be<f64>>::read_npy",
        ),
        (
            |kind| matches!(kind, ErrorKind::Archive { .. }),
            npz::Reader::new(Cursor::new(b"PK\x03\x04")).map(drop),
            "the archive is malformed: it has no end record, so it is incomplete; copy the file again, or write it again",
        ),
        (
            |kind| matches!(kind, ErrorKind::MissingMember { .. }),
            archive().read::<u8>("b").map(drop),
            "the archive has no member \"b\"; its members are \"a\"",
        ),
        (
            |kind| matches!(kind, ErrorKind::MemberName { .. }),
            npz::Writer::stream(std::io::sink()).write("a\0", &1u8),
            "a member cannot be named \"a\\0\": Python ends a name at a NUL; leave it out",
        ),
        (
            |kind| matches!(kind, ErrorKind::Checksum { .. }),
            damaged().read::<Vec<u8>>("a").map(drop),
            "member \"a\": the checksum is e9fd4d54 and should be 604f22ac: ",
        ),
        (
            |kind| matches!(kind, ErrorKind::Locked),
            appended_twice(),
            "npy-core-locked.npy: another writer has it open; wait until it has finished, or write to another file",
        ),
        (
            |kind| matches!(kind, ErrorKind::NotNpz { .. }),
            npz::Reader::new(Cursor::new(b"\x89HDF\r\n\x1a\n and more")).map(drop),
            r#"not a .npz archive: it starts with "\x89HDF\r\n\x1a\n" and has no directory of members; it is HDF5: open it with an HDF5 reader"#,
        ),
        (
            |kind| matches!(kind, ErrorKind::UncountedRows { counted: 2, uncounted: 1, .. }),
            appended_after_a_kill(),
            "npy-core-uncounted.npy: the header counts 2 of 3 complete rows: a writer may have been stopped before it counted the others; count them with WriteOptions::new().uncounted_rows(UncountedRows::Keep), or remove them with WriteOptions::new().uncounted_rows(UncountedRows::Remove)",
        ),
        (
            |kind| matches!(kind, ErrorKind::Custom { .. }),
            Err(Error::custom("a picture has two dimensions")),
            "a picture has two dimensions",
        ),
        (
            |kind| matches!(kind, ErrorKind::Memory { .. }),
            Err(npy_core::private::memory_error(1 << 50)),
            "out of memory: 1125899906842624 bytes could not be allocated; read the array in parts",
        ),
    ];
    for (is_kind, result, message) in cases {
        let error = result.unwrap_err();
        assert!(is_kind(error.kind()), "{error}");
        assert!(error.to_string().contains(message), "{error}\nshould say\n{message}");
    }
}

/// Guards the advice for a path that leads to no file or to a directory, whatever the call.
#[test]
#[cfg(unix)]
#[allow(unsafe_code)]
fn errors_of_paths_say_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let missing = &dir.path().join("missing.npy");
    // SAFETY: nothing is mapped.
    let map = |path: &Path| unsafe { npy_core::Map::<f64>::open(path) }.map(drop);
    for error in [
        Vec::<f64>::read_npy(missing).map(drop).unwrap_err(),
        Reader::open(missing).map(drop).unwrap_err(),
        npz::Reader::open(missing).map(drop).unwrap_err(),
        map(missing).unwrap_err().into(),
    ] {
        let text = error.to_string();
        assert!(text.ends_with("; check the path, and from which directory it starts"), "{text}");
    }
    // The advice of `append` is a better one.
    let error = Writer::<u8>::append(missing).map(drop).unwrap_err().to_string();
    assert!(error.ends_with("create makes one, and append_or_create does both"), "{error}");
    for error in [
        [1u8].write_npy(dir.path()).unwrap_err(),
        Vec::<f64>::read_npy(dir.path()).map(drop).unwrap_err(),
        npz::Reader::open(dir.path()).map(drop).unwrap_err(),
        map(dir.path()).unwrap_err().into(),
    ] {
        let text = error.to_string();
        assert!(text.ends_with("; name a file in the directory"), "{text}");
        assert_eq!(text.matches("; ").count(), 1, "{text}");
    }
}

/// Returns the files of Rust in a directory and those in it, each with its text.
fn sources(directory: &Path) -> Vec<(PathBuf, String)> {
    let paths = npy_tests::names(directory).into_iter().map(|name| directory.join(name));
    let files = paths.map(|path| match path.is_dir() {
        true => sources(&path),
        false => vec![(path.clone(), std::fs::read_to_string(&path).unwrap())],
    });
    files.flatten().collect()
}

/// Compiles calls, and returns their text.
macro_rules! pasted {
    ($($call:expr),* $(,)?) => {
        [$({
            let _ = $call;
            stringify!($call)
        }),*]
    };
}

/// Guards the calls of options in messages: they compile as they are pasted. The options of archives are those of arrays, with `npz::` before them.
#[test]
fn options_in_messages_compile_as_they_are_pasted() {
    let compiled = pasted![
        ReadOptions::new().cast(Cast::Lossless),
        ReadOptions::new().cast(Cast::Checked),
        ReadOptions::new().cast(Cast::Numeric),
        ReadOptions::new().encoding(Encoding::Latin1),
        WriteOptions::new().order(Order::C),
        WriteOptions::new().uncounted_rows(UncountedRows::Keep),
        WriteOptions::new().uncounted_rows(UncountedRows::Remove),
        npz::WriteOptions::new().stored(),
    ];
    let _ = npz::ReadOptions::new().cast(Cast::Lossless).cast(Cast::Checked);
    let mut found = 0;
    for (path, source) in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../npy-core/src")) {
        // Parts of a line that are between quotes have odd indices.
        let in_quotes = |line: &'_ str| {
            line.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
        };
        let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        for text in code.flat_map(in_quotes).filter(|text| text.contains(' ')) {
            for (at, _) in text.match_indices("Options::") {
                let is_pasted = |call: &&str| {
                    let name = call.find("Options::").unwrap();
                    at >= name && text[at - name..].starts_with(*call)
                };
                assert!(compiled.iter().any(is_pasted), "{path:?}: {text}");
                found += 1;
            }
            // A choice is advised with the call that takes it. The calls for arrays in memory are in other tests.
            for choice in ["Cast::", "UncountedRows::"] {
                for (at, _) in text.match_indices(choice) {
                    assert!(text[..at].ends_with('('), "{path:?}: {text}");
                }
            }
        }
    }
    assert!(found > 8, "{found}");
}

/// Guards advice for texts, raw bytes and sub-arrays: the Rust type of the file's width.
#[test]
fn errors_of_texts_and_bytes_name_their_rust_type() {
    #[derive(NpyRecord, Debug)]
    struct Triple {
        id: [f32; 3],
    }

    let text = file("'<U8'", "(1,)", &[0; 32]);
    let message = |error: Error| error.to_string();
    let column = Reader::new(&text[..]).unwrap().read_vec::<ByteStr<8>>().unwrap_err();
    assert!(message(column).ends_with("; read text as Vec<String> or Vec<FixedStr<8>>"));
    let grid = NpyArray::<f64>::read_npy_from(&file("'<U3'", "(1, 1)", &[0; 12])[..]).unwrap_err();
    assert!(message(grid).ends_with("; read text as NpyArray<String> or NpyArray<FixedStr<3>>"));
    let narrow = Reader::new(&text[..]).unwrap().read_vec::<FixedStr<3>>().unwrap_err();
    let advice = "Vec<FixedStr<8>> reads it, and ReadOptions::new().cast(Cast::Lossless) converts if every value fits";
    assert!(message(narrow).contains(advice));
    let record = file("[('id', '<U8')]", "(1,)", &[0; 32]);
    let column = Reader::new(&record[..]).unwrap().read_column::<ByteStr<8>>("id").unwrap_err();
    assert!(message(column).ends_with("; read text as FixedStr<8>"));
    // Raw bytes, which NumPy's `astype` does not convert.
    for (descr, advice) in [
        (
            "|V8",
            "; change the Rust type to Vec<Void<8>>, or the file with NumPy's .view('<f8') if its bytes are that",
        ),
        ("|V5", "; change the Rust type to Vec<Void<5>>"),
        ("|V0", "; change the Rust type to Vec<Void<0>>"),
        (
            "<V2",
            "; change the Rust type to Vec<Void<2>>, or to half::bf16, with the feature half, if ml_dtypes wrote it",
        ),
    ] {
        let raw = file(&format!("'{descr}'"), "(1,)", &[0; 8][..descr[2..].parse().unwrap()]);
        let wrong = message(Vec::<f64>::read_npy_from(&raw[..]).unwrap_err());
        assert!(wrong.ends_with(advice), "{wrong}");
    }
    let raw = file("'|V5'", "(1,)", b"abcde");
    assert_eq!(Vec::<npy_core::Void<5>>::read_npy_from(&raw[..]).unwrap()[0].as_ref(), b"abcde");
    let raw = file("'|V0'", "(1,)", b"");
    assert_eq!(Vec::<npy_core::Void<0>>::read_npy_from(&raw[..]).unwrap().len(), 1);
    // A field has the type of the file; `astype` would pad a sub-array with zeros.
    let wrong = file("[('id', '<f4', (2,))]", "(1,)", &[0; 8]);
    let wrong = Vec::<Triple>::read_npy_from(&wrong[..]).unwrap_err();
    let says = "field \"id\": the file holds ('<f4', (2,)), Triple expects ('<f4', (3,)); change the field to [f32; 2]";
    assert_eq!(message(wrong), says);
    let bytes = file("'|S5'", "(1,)", &[0; 5]);
    let wrong = Reader::new(&bytes[..]).unwrap().read_vec::<f64>().unwrap_err();
    assert!(message(wrong).ends_with("; read bytes as Vec<Vec<u8>> or Vec<ByteStr<5>>"));
    assert_eq!(Vec::<Vec<u8>>::read_npy_from(&bytes[..]).unwrap(), [b""]);
}

/// Guards the advice for data that ends too early: records that are complete come before the error, and without data there is nothing to keep.
#[test]
fn complete_rows_of_truncated_data_are_read_as_the_message_says() {
    let bytes = file("'<u2'", "(4,)", &[1, 0, 2, 0, 3]);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let (rows, errors): (Vec<_>, Vec<_>) =
        reader.records::<u16>().unwrap().partition(Result::is_ok);
    assert_eq!(rows.into_iter().map(Result::unwrap).collect::<Vec<_>>(), [1, 2]);
    let [Err(error)] = &errors[..] else { panic!("{errors:?}") };
    let advice = "keep its complete rows: a loop over Reader::records returns those of a .npy file in C order before this error";
    assert!(error.to_string().ends_with(advice), "{error}");
    let none = Vec::<u16>::read_npy_from(&file("'<u2'", "(4,)", &[])[..]).unwrap_err();
    let single = u16::read_npy_from(&file("'<u2'", "()", &[1])[..]).unwrap_err();
    for error in [none.to_string(), single.to_string()] {
        assert!(error.ends_with("; write or copy the complete file again"), "{error}");
    }
    // Without a complete header, there are no rows.
    let error = Reader::new(&bytes[..40]).unwrap_err().to_string();
    assert!(error.contains("truncated") && error.ends_with("complete file again"), "{error}");
}

/// Guards the advice for data that ends too early, on each way to the error: rows are named only if there are complete ones, and columns in
/// Fortran order.
#[test]
#[allow(unsafe_code)]
fn what_is_complete_of_truncated_data_is_named_everywhere() {
    use npy_core::{Decoder, DynRowAppender, Map, MapAny, ViewError};

    let dir = tempfile::tempdir().unwrap();
    let path = &dir.path().join("x.npy");
    let rows = ", or keep its complete rows: ";
    let columns = ", or keep its complete columns: ";
    for (order, shape, data, advice) in [
        ("False", "()", 7, ""),
        ("False", "(1, 1)", 7, ""),
        ("False", "(1, 3)", 16, ""),
        ("False", "(2, 3)", 23, ""),
        ("False", "(2, 3)", 24, rows),
        ("True", "(3, 2)", 23, ""),
        ("True", "(3, 2)", 25, columns),
    ] {
        let header = format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': {shape}, }}");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.as_bytes());
        let start = bytes.len();
        bytes.extend(vec![0; data]);
        std::fs::write(path, &bytes).unwrap();
        let (parsed, _) = Header::parse(&bytes).unwrap();
        let mut decoder = Decoder::<f64>::new(&parsed).unwrap();
        decoder.feed(&bytes[start..], &mut Vec::new()).unwrap();
        let view = |error: ViewError| Error::from(error);
        let mut errors = vec![
            DynArray::read_npy(path).unwrap_err(),
            DynArray::read_npy_from(&bytes[..]).unwrap_err(),
            decoder.finish().unwrap_err(),
            NpyView::<f64>::from_bytes(&bytes).map(drop).map_err(view).unwrap_err(),
            // SAFETY: nobody else has the file.
            unsafe { Map::<f64>::open(path) }.map(drop).map_err(view).unwrap_err(),
            // SAFETY: as before.
            unsafe { MapAny::open(path) }.map(drop).unwrap_err(),
        ];
        if shape != "()" && order == "False" {
            errors.push(Writer::<f64>::append(path).map(Writer::discard).unwrap_err());
            errors.push(DynRowAppender::open(path).map(DynRowAppender::discard).unwrap_err());
        }
        for (i, error) in errors.into_iter().enumerate() {
            let text = error.to_string();
            let end = text.split_once("; write or copy the complete file again").unwrap().1;
            // The command repairs files, not bytes in memory.
            let is_file = text.contains("x.npy: ");
            assert_eq!(end.contains("npy repair FILE"), is_file && !advice.is_empty(), "{text}");
            let is_said = match advice {
                "" => end.is_empty(),
                _ => end.starts_with(advice),
            };
            assert!(is_said, "{order} {shape} {i}: {text}");
        }
    }
}

/// An array type of another crate, which reads nothing.
struct Picky;

impl npy_core::ReadNpy for Picky {
    fn read_npy_array<R: std::io::Read>(_: &mut npy_core::Reader<R>) -> npy_core::Result<Self> {
        Err(Error::custom("no such picture"))
    }
}

/// Guards that the error of another crate's type names the file, once; errors of the library have named it before.
#[test]
fn errors_of_other_types_name_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    [1u8, 2].write_npy(&path).unwrap();
    let error = Picky::read_npy(&path).map(drop).unwrap_err().to_string();
    assert_eq!(error, format!("{}: no such picture", path.display()));
    let error = Vec::<f64>::read_npy(&path).unwrap_err().to_string();
    assert_eq!(error.matches("x.npy").count(), 1, "{error}");
}

#[derive(npy_core::NpyRecord, Debug)]
struct Reading {
    #[allow(dead_code)]
    gain: f32,
}

#[derive(npy_core::NpyRecord)]
#[npy(deny_unknown_fields)]
struct Strict {
    #[allow(dead_code)]
    gain: f32,
}

/// Guards row numbers: they count on from block to block, and a failed write names the row, too.
#[test]
fn an_invalid_value_names_its_row() {
    let mut items = vec![2u8; 600_000];
    items[599_999] = 3;
    let bytes = file("'|u1'", "(600000,)", &items);
    let error = Vec::<Even>::read_npy_from(&bytes[..]).unwrap_err();
    assert_eq!(error.to_string(), "row 599999: 3 is odd");
    let items: Vec<Even> = items.into_iter().map(Even).collect();
    assert_eq!(
        items.write_npy_to(std::io::sink()).unwrap_err().to_string(),
        "row 599999: 3 is odd"
    );
}

/// Guards the use of the error type with `?`: one word in size, and `Send`, `Sync` and `'static`.
#[test]
fn an_error_is_one_word_and_send_and_sync() {
    fn travels<E: std::error::Error + Send + Sync + 'static>() {}
    travels::<Error>();
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    let error = Header::new("<f8".parse().unwrap(), [usize::MAX], Order::C).unwrap_err();
    assert_eq!(format!("{error:?}"), format!("{error}"));
}

/// Guards a file that some transfer changed: its data would be read shifted by one byte.
#[test]
fn a_copy_made_as_text_is_recognized() {
    let mut file = Vec::new();
    [1.0f32, 1.4e-44, 0.0].write_npy_to(&mut file).unwrap();
    let mut text = Vec::new();
    for &byte in &file {
        text.extend(if byte == b'\n' { &b"\r\n"[..] } else { std::slice::from_ref(&byte) });
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    std::fs::write(&path, &text).unwrap();
    let errors = [
        Vec::<f32>::read_npy(&path).unwrap_err(),
        Header::parse(&text).unwrap_err(),
        Writer::<f32, _>::append(&path).unwrap_err(),
        DynRowAppender::open(&path).unwrap_err(),
    ];
    assert_eq!(std::fs::read(&path).unwrap(), text);
    for error in errors {
        let message = error.to_string();
        assert!(
            message
                .ends_with("copied as text, which changed its data; copy the original as binary"),
            "{message}"
        );
    }
    // A header may end with any line break, and the data may begin with this byte.
    let end = file.iter().position(|&byte| byte == b'\n').unwrap();
    let mut other = file.clone();
    other[end] = b'\r';
    assert_eq!(Vec::<f32>::read_npy_from(&other[..]).unwrap()[0], 1.0);
    let mut newlines = Vec::new();
    b"\n\n".write_npy_to(&mut newlines).unwrap();
    assert_eq!(Vec::<u8>::read_npy_from(&newlines[..]).unwrap(), b"\n\n");
}

#[test]
fn fields_with_objects_are_named() {
    let descr = "[('id', '<u4'), ('name', '|O'), ('head', [('by', '|O'), ('t0', '<i8')]), ('s', [('o', '|O')], (2,))]";
    let array = DynArray::read_npy_from(&file(descr, "(1,)", b"N.")[..]).unwrap();
    let error = array.to_vec::<u8>().unwrap_err().to_string();
    let named = "a record with Python objects in the fields \"name\", \"head.by\", \"s.o\" needs";
    assert!(error.contains(named), "{error}");
}

/// Guards archives in pipes, which cannot seek, and files that should exist: the error says what to do.
#[test]
#[cfg(target_os = "linux")]
fn pipes_and_missing_files_have_advice() {
    use std::os::fd::AsRawFd;

    let (reader, writer) = std::io::pipe().unwrap();
    let path = |fd| format!("/proc/self/fd/{fd}");
    let error = npz::Reader::open(path(reader.as_raw_fd())).unwrap_err().to_string();
    assert!(error.contains("npz::Reader::new"), "{error}");
    let error = npz::Writer::create(path(writer.as_raw_fd())).unwrap_err().to_string();
    assert!(error.contains("npz::Writer::stream"), "{error}");
    let error = Writer::<u8>::append("no-such-file.npy").unwrap_err().to_string();
    assert!(error.contains("create makes one"), "{error}");
}

/// Guards the advice for the mistakes that are made most: each message names the values, and what the program can do.
#[test]
fn messages_name_the_values_and_what_to_do() {
    let says = |result: Result<(), Error>, expected: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}\nshould say\n{expected}");
    };
    let floats = file("'<f4'", "(6,)", &[0; 24]);
    says(
        Vec::<[f32; 2]>::read_npy_from(&floats[..]).map(drop),
        "the array has shape (6,), [f32; 2] expects (..., 2); ",
    );
    // The type that the rows have; a long row is better read as a slice.
    for (shape, advice) in [
        ("(2, 3)", "[f32; 2] expects (..., 2); read it as [f32; 3], or as an NpyArray of the "),
        ("(1, 2, 3)", "; read it as [[f32; 3]; 2], or as an NpyArray of the scalar, which takes "),
        ("(0, 100)", "; read it as an NpyArray of the scalar, which takes any shape"),
    ] {
        let bytes = file("'<f4'", shape, &[0; 24]);
        says(Vec::<[f32; 2]>::read_npy_from(&bytes[..]).map(drop), advice);
    }
    let rows = file("'<f8'", "(1, 3)", &[0; 24]);
    says(
        Vec::<[f32; 3]>::read_npy_from(&rows[..]).map(drop),
        "; Vec<[f64; 3]> reads it, and ReadOptions::new().cast(Cast::Checked) ",
    );
    says(
        Vec::<[f32; 2]>::read_npy_from(&file("'<f4'", "(1, 3, 2)", &[0; 24])[..]).map(drop),
        "the array has shape (1, 3, 2), Vec<[f32; 2]> expects (n, 2); ",
    );
    says(
        Vec::<[f32; 2]>::read_npy_from(&file("'<c8'", "(3,)", &[0; 24])[..]).map(drop),
        "; read complex numbers as num_complex::Complex, with the feature num-complex",
    );
    // The shape fits, and the elements do not.
    says(
        Vec::<[f32; 2]>::read_npy_from(&file("'>c8'", "(2,)", &[0; 16])[..]).map(drop),
        "[f32; 2] expects '<f4'; read complex numbers as num_complex::Complex, with the feature num-complex",
    );
    says(
        Vec::<f32>::read_npy_from(&file("'>c8'", "(2,)", &[0; 16])[..]).map(drop),
        "it drops imaginary parts, which num_complex::Complex (feature num-complex) keeps",
    );
    // Neither fits: the dtype is told, because no other shape helps.
    for (descr, advice) in [
        (
            "'|V16'",
            "the file holds '|V16', [u8; 16] expects ('|u1', (16,)); change the Rust type to Vec<Void<16>>",
        ),
        ("'|S16'", "; read bytes as Vec<Vec<u8>> or Vec<ByteStr<16>>"),
        ("'<M8[s]'", "; read it as DateTime64<time::Second>, whose count() is an integer"),
    ] {
        let bytes = file(descr, "(1,)", &[0; 16]);
        says(Vec::<[u8; 16]>::read_npy_from(&bytes[..]).map(drop), advice);
    }
    #[derive(npy_core::NpyRecord)]
    struct Paired {
        pair: [f32; 2],
    }
    says(
        Vec::<Paired>::read_npy_from(&file("[('pair', '<c8')]", "(1,)", &[0; 8])[..]).map(drop),
        "; read complex numbers as num_complex::Complex, with the feature num-complex",
    );
    says(
        NpyArray::<String>::read_npy_from(&floats[..]).map(drop),
        "; read it as the Rust type of its values (see npy_core::types), or as a DynArray, ",
    );
    says(
        npy_core::dtype::Scalar::new(npy_core::dtype::ScalarKind::Float, 3).map(drop),
        "dtype of 3 bytes: a float has ",
    );
    #[derive(npy_core::NpyRecord)]
    struct Tagged {
        tag: [u8; 8],
    }
    let tagged = file("[('tag', '|S8')]", "(1,)", b"abcdefgh");
    says(
        Vec::<Tagged>::read_npy_from(&tagged[..]).map(drop),
        "; read bytes as ByteStr<8>, or as a String with #[npy(width = 8, bytes)]",
    );
    let row: DType = "[('s', '<f4', (3,)), ('m', '<f4', (2, 2)), ('t', '<f8')]".parse().unwrap();
    let bytes = vec![0; row.itemsize()];
    let rows = file(&row.to_string(), "(1,)", &bytes);
    for (path, advice) in [
        ("s[-1]", "; the elements of \"s\" are [0] to [2]"),
        ("m[1,0]", "; the elements of \"m\" are [0][0] to [1][1]"),
        ("m[2]", "; the elements of \"m\" are [0][0] to [1][1]"),
        ("t[0]", "; use one of these paths"),
    ] {
        says(Reader::new(&rows[..]).unwrap().read_column::<f32>(path).map(drop), advice);
    }
    let reader = || Reader::new(&rows[..]).unwrap();
    let advice = "; read it as [f32; 3], or one of its elements by a path: \"s[0]\"";
    says(reader().read_column::<f32>("s").map(drop), advice);
    says(reader().read_column::<[f32; 4]>("s").map(drop), advice);
    assert_eq!(reader().read_column::<[f32; 3]>("s").unwrap(), [[0.0; 3]]);
    assert_eq!(reader().read_column::<f32>("s[0]").unwrap(), [0.0]);
    let advice = "; read it as [[f32; 2]; 2], or one of its parts by a path: \"m[0]\"";
    says(reader().read_column::<[f32; 2]>("m").map(drop), advice);
    assert_eq!(reader().read_column::<[f32; 2]>("m[0]").unwrap(), [[0.0; 2]]);
    let advice = "; read it as [[f32; 2]; 2], or one of its elements by a path: \"m[0][0]\"";
    says(reader().read_column::<f32>("m").map(drop), advice);
    assert_eq!(reader().read_column::<f32>("m[0][0]").unwrap(), [0.0]);
}

/// Guards the number of bytes that are said to be there: it is that of the file, also after a seek past its end.
#[test]
fn a_truncated_file_is_as_long_as_the_message_says() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let complete = file("'<f8'", "(100000,)", &[0; 800_000]);
    let header = complete.len() - 800_000;
    for data in [572, 4096 - header, 5000, 300_001] {
        let cut = &complete[..header + data];
        std::fs::write(&path, cut).unwrap();
        let past = |mut reader: Reader<Box<dyn ReadSeek>>| {
            reader.seek_to(99_000)?;
            reader.read_chunk::<f64>(&mut Vec::new(), 1).map(drop)
        };
        let boxed = |reader: std::fs::File| Box::new(reader) as Box<dyn ReadSeek>;
        for result in [
            Vec::<f64>::read_npy(&path).map(drop),
            Vec::<f64>::read_npy_from(cut).map(drop),
            Reader::open(&path).and_then(|mut reader| {
                reader.seek_to(99_000)?;
                reader.read_chunk::<f64>(&mut Vec::new(), 1).map(drop)
            }),
            past(Reader::new(boxed(std::fs::File::open(&path).unwrap())).unwrap()),
        ] {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(&format!("found {data};")), "{data}: {error}");
        }
    }
}

trait ReadSeek: std::io::Read + std::io::Seek {}

impl<T: std::io::Read + std::io::Seek> ReadSeek for T {}
