//! `#[derive(NpyRecord)]`: the effect of each attribute on writing and reading, also of several together.

mod with;

use npy_core::time::Second;
use npy_core::{
    Cast, DType, DateTime64, DynArray, Element, ErrorKind, NpyArray, NpyRecord, NpzArchive, Order,
    ReadNpy, ReadOptions, Reader, Void, WriteNpy, Writer,
};

fn file<T: Element>(items: &[T]) -> Vec<u8> {
    let mut file = Vec::new();
    items.write_npy_to(&mut file).unwrap();
    file
}

/// Returns a file of these bytes, with as many items as they contain.
fn raw(descr: &str, bytes: &[u8]) -> Vec<u8> {
    let dtype: DType = descr.parse().unwrap();
    let count = bytes.len() / dtype.itemsize();
    let array = DynArray::new(dtype, [count], Order::C, bytes.to_vec()).unwrap();
    let mut file = Vec::new();
    array.write_npy_to(&mut file).unwrap();
    file
}

fn read<T: Element>(file: &[u8]) -> npy_core::Result<Vec<T>> {
    Vec::<T>::read_npy_from(file)
}

#[track_caller]
fn assert_there_and_back<T: Element + PartialEq + std::fmt::Debug>(descr: &str, items: Vec<T>) {
    assert_eq!(T::dtype().to_string(), descr);
    assert_eq!(T::dtype().itemsize(), T::SIZE);
    assert_eq!(read::<T>(&file(&items)).unwrap(), items);
}

#[test]
fn an_alias_is_another_name_to_read() {
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Pick {
        #[npy(rename = "t0", alias = "time", alias = "Time")]
        time: u8,
    }

    assert_there_and_back("[('t0', '|u1')]", vec![Pick { time: 3 }]);
    for name in ["t0", "time", "Time"] {
        let file = raw(&format!("[('{name}', '|u1')]"), &[3]);
        assert_eq!(read::<Pick>(&file).unwrap(), [Pick { time: 3 }], "{name}");
    }
    // Two fields match, so it is an error.
    for descr in ["[('t0', '|u1'), ('Time', '|u1')]", "[('time', '|u1'), ('Time', '|u1')]"] {
        let error = read::<Pick>(&raw(descr, &[3, 4])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the file has a field \"Time\", which Pick does not have; it is an alias of a field that \
             the file also has by another name; drop the alias"
        );
    }
    // The error uses the name in the file.
    let error = read::<Pick>(&raw("[('Time', '<u2')]", &[0; 2])).unwrap_err();
    assert!(error.to_string().starts_with("field \"Time\": "), "{error}");
}

#[test]
fn a_title_is_written_and_ignored_when_read() {
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Pick {
        #[npy(title = "seconds since 1970")]
        time: u8,
    }

    let descr = "[(('seconds since 1970', 'time'), '|u1')]";
    assert_there_and_back(descr, vec![Pick { time: 3 }]);
    assert_eq!(Pick::FIELDS[0].title, Some("seconds since 1970"));
    assert_eq!(Pick::dtype().fields()[0].title(), Some("seconds since 1970"));
    for descr in ["[('time', '|u1')]", "[(('other', 'time'), '|u1')]"] {
        assert_eq!(read::<Pick>(&raw(descr, &[3])).unwrap(), [Pick { time: 3 }]);
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Wide {
        #[npy(title = "in dB", alias = "g")]
        gain: u16,
        time: u32,
    }

    // All numbers of a big-endian file are swapped at once, whatever the names.
    for field in ["'gain'", "'g'", "('other', 'gain')", "('in dB', 'gain')"] {
        let big = raw(&format!("[({field}, '>u2'), ('time', '>u4')]"), &[0, 7, 0, 0, 1, 2]);
        assert_eq!(read::<Wide>(&big).unwrap(), [Wide { gain: 7, time: 258 }], "{field}");
    }
}

#[test]
fn offset_and_itemsize_make_room() {
    const HERE: usize = 4;

    #[derive(NpyRecord, Debug, PartialEq)]
    #[npy(itemsize = 16)]
    struct Sparse {
        a: u8,
        #[npy(offset = HERE)]
        b: u16,
        c: u8,
        #[npy(offset = 4 + HERE)]
        d: u8,
    }

    assert_there_and_back(
        "[('a', '|u1'), ('', '|V3'), ('b', '<u2'), ('c', '|u1'), ('', '|V1'), ('d', '|u1'), ('', '|V7')]",
        vec![Sparse { a: 1, b: 2, c: 3, d: 4 }, Sparse { a: 5, b: 6, c: 7, d: 8 }],
    );
    let offsets: Vec<_> = Sparse::FIELDS.iter().map(|field| field.offset).collect();
    assert_eq!(offsets, [0, 4, 6, 8]);

    #[derive(NpyRecord, Debug, PartialEq)]
    #[npy(align, itemsize = 24)]
    #[repr(C)]
    struct Aligned {
        a: u8,
        #[npy(offset = 8)]
        b: u64,
    }

    assert_there_and_back(
        "[('a', '|u1'), ('', '|V7'), ('b', '<u8'), ('', '|V8')]",
        vec![Aligned { a: 1, b: 2 }],
    );
}

fn seven() -> u8 {
    7
}

#[test]
fn a_field_that_is_missing_has_its_default() {
    #[derive(NpyRecord, Debug, PartialEq, Default)]
    struct Inner {
        x: u16,
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Pick {
        #[npy(default)]
        a: u16,
        #[npy(default = seven)]
        b: u8,
        #[npy(default, endian = "big")]
        inner: Inner,
        #[npy(default = "seven")]
        c: u8,
        d: u8,
        #[npy(default, width = 3)]
        text: String,
    }

    let pick = Pick { a: 0, b: 7, inner: Inner { x: 0 }, c: 7, d: 1, text: String::new() };
    assert_eq!(read::<Pick>(&raw("[('d', '|u1')]", &[1])).unwrap(), [pick]);
    let some = raw("[('d', '|u1'), ('inner', [('x', '>u2')]), ('b', '|u1')]", &[1, 2, 3, 4]);
    let pick = Pick { a: 0, b: 4, inner: Inner { x: 0x203 }, c: 7, d: 1, text: String::new() };
    assert_eq!(read::<Pick>(&some).unwrap(), [pick]);
    // A field of another type does not get the default.
    let error = read::<Pick>(&raw("[('d', '|u1'), ('a', '<f2')]", &[0; 3])).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Mismatch { .. }), "{error}");
    let error = read::<Pick>(&raw("[('a', '<u2')]", &[0; 2])).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::MissingField { .. }), "{error}");
}

/// Guards defaults in the records of a sub-array, also where the file has no bytes for them.
#[test]
fn defaults_are_in_every_record() {
    #[derive(NpyRecord, Debug, PartialEq, Clone, Copy)]
    struct Inner {
        x: u8,
        #[npy(default = seven)]
        y: u8,
    }

    #[derive(NpyRecord, Debug, PartialEq, Clone, Copy)]
    struct Blank {
        #[npy(default = seven)]
        y: u8,
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Outer<T> {
        inner: [[T; 2]; 2],
    }

    let of = |x| Inner { x, y: 7 };
    let bytes = raw("[('inner', [('x', '|u1'), ('z', '|u1')], (2, 2))]", &[1, 0, 2, 0, 3, 0, 4, 0]);
    let outer = Outer { inner: [[of(1), of(2)], [of(3), of(4)]] };
    assert_eq!(read::<Outer<Inner>>(&bytes).unwrap(), [outer]);
    let blank = Outer { inner: [[Blank { y: 7 }; 2]; 2] };
    for descr in ["[('inner', [('z', '|u1')], (2, 2))]", "[('inner', [('', '|V1')], (2, 2))]"] {
        assert_eq!(read::<Outer<Blank>>(&raw(descr, &[0; 4])).unwrap(), [blank]);
    }
    // Also at the end of a record, where the file has no bytes left for it.
    #[derive(NpyRecord, Debug, PartialEq, Clone, Copy)]
    struct After {
        a: u8,
        blank: [Blank; 2],
    }

    let after = |a| After { a, blank: [Blank { y: 7 }; 2] };
    for descr in
        ["[('a', '|u1'), ('blank', [], (2,))]", "[('a', '|u1'), ('blank', [('z', '|S0')], (2,))]"]
    {
        assert_eq!(
            read::<After>(&raw(descr, &[1, 2, 3])).unwrap(),
            [1, 2, 3].map(after),
            "{descr}"
        );
        let within = raw(&format!("[('inner', {descr}, (2, 2))]"), &[1, 2, 3, 4]);
        let outer = Outer { inner: [[after(1), after(2)], [after(3), after(4)]] };
        assert_eq!(read::<Outer<After>>(&within).unwrap(), [outer], "{descr}");
    }
    // Records of no bytes.
    for descr in ["[('inner', [('z', '|S0')], (2, 2))]", "[('inner', [], (2, 2))]"] {
        let array = DynArray::new(descr.parse().unwrap(), [3], Order::C, Vec::new()).unwrap();
        let items = array.to_vec::<Outer<Blank>>().unwrap();
        assert_eq!(items, [blank, blank, blank], "{descr}");
    }
    impl Copy for Outer<Blank> {}
    impl Clone for Outer<Blank> {
        fn clone(&self) -> Self {
            *self
        }
    }
}

#[test]
fn a_default_that_does_not_fit_is_an_error() {
    fn long() -> String {
        "long".into()
    }

    #[derive(NpyRecord, Debug)]
    struct Note {
        #[npy(default = long, width = 3)]
        text: String,
    }

    let error = read::<Note>(&raw("[('x', '|u1')]", &[0])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "field \"text\": its default value cannot be stored: \"long\" has 4 characters, but `width` is 3; shorten it or raise `width`"
    );
}

#[test]
fn a_struct_can_have_defaults_as_a_whole() {
    #[derive(NpyRecord, Debug, PartialEq)]
    #[npy(default)]
    struct Pick<T> {
        a: T,
        #[npy(default)]
        b: u8,
        #[npy(skip)]
        c: String,
        d: [u8; 2],
    }

    impl<T: From<u8>> Default for Pick<T> {
        fn default() -> Self {
            Pick { a: T::from(9), b: 8, c: "skipped".into(), d: [1, 2] }
        }
    }

    let pick = Pick { a: 9u16, b: 0, c: "skipped".into(), d: [1, 2] };
    assert_eq!(read::<Pick<u16>>(&raw("[('z', '|u1')]", &[0])).unwrap(), [pick]);
    let pick = Pick { a: 3u16, b: 0, c: "skipped".into(), d: [5, 6] };
    let bytes = raw("[('d', '|u1', (2,)), ('a', '<u2')]", &[5, 6, 3, 0]);
    assert_eq!(read::<Pick<u16>>(&bytes).unwrap(), [pick]);
}

#[test]
fn a_skipped_field_is_not_in_the_file() {
    #[derive(Debug, PartialEq, Default)]
    struct NoElement(Option<String>);

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Pick<T>(
        #[npy(skip)] NoElement,
        u8,
        #[npy(skip, default = seven)] u8,
        u8,
        #[npy(skip)] T,
    );

    assert_there_and_back(
        "[('f0', '|u1'), ('f1', '|u1')]",
        vec![Pick(NoElement(None), 1, 7, 2, String::new())],
    );
}

#[test]
fn text_has_a_width() {
    #[derive(NpyRecord, Debug, PartialEq, Clone)]
    struct Note<const N: usize> {
        #[npy(width = 3)]
        text: String,
        #[npy(width = N, bytes)]
        ascii: String,
        #[npy(width = 2)]
        raw: Vec<u8>,
    }

    let note = Note::<4> { text: "né𝄞".into(), ascii: "ab".into(), raw: vec![0, 0xff] };
    let descr = "[('text', '<U3'), ('ascii', '|S4'), ('raw', '|S2')]";
    assert_there_and_back(descr, vec![note.clone()]);
    // The error names row and field, and nothing of the row is written.
    for (wrong, message) in [
        (
            Note { text: "long".into(), ..note.clone() },
            "row 1: field \"text\": \"long\" has 4 characters, but `width` is 3; shorten it or raise `width`",
        ),
        (
            Note { ascii: "ééé".into(), ..note.clone() },
            "row 1: field \"ascii\": \"ééé\" has 6 bytes, but `width` is 4; shorten it or raise `width`",
        ),
        (
            Note { raw: vec![1, 0], ..note.clone() },
            "row 1: field \"raw\": b\"\\x01\\x00\" ends with a NUL, which NumPy would drop; trim it",
        ),
    ] {
        let mut file = Vec::new();
        let error = [note.clone(), wrong].write_npy_to(&mut file).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    // A code point and bytes that are not text.
    let mut bytes = file(&[note.clone(), note]);
    let second = bytes.len() - 18;
    bytes[second..second + 4].copy_from_slice(&[0, 0xd8, 0, 0]);
    let error = read::<Note<4>>(&bytes).unwrap_err();
    assert!(error.to_string().starts_with("row 1: field \"text\": code point 0xd800"), "{error}");
    bytes[second..second + 4].copy_from_slice(&[b'a', 0, 0, 0]);
    bytes[second + 12] = 0xff;
    let error = read::<Note<4>>(&bytes).unwrap_err();
    assert!(error.to_string().starts_with("row 1: field \"ascii\": b\"\\xffb\" is not"), "{error}");
}

/// Guards that text of a smaller width is read without a cast, in both byte orders and wherever a record may be.
#[test]
fn text_is_read_from_narrower_text() {
    #[derive(NpyRecord, Debug, PartialEq, Clone)]
    struct Note {
        #[npy(width = 3)]
        text: String,
        #[npy(width = 4, bytes)]
        code: String,
        #[npy(width = 2)]
        raw: Vec<u8>,
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Page {
        notes: [Note; 2],
        last: Note,
        #[npy(flatten)]
        flat: Note,
    }

    const NOTE: &str = "[('text', '>U1'), ('code', '|S3'), ('raw', '|S0')]";
    const ITEM: &[u8] = &[0, 0, 0, 0xe9, b'a', 0xc3, 0xa9];
    let note = || Note { text: "é".into(), code: "aé".into(), raw: Vec::new() };
    assert_eq!(read::<Note>(&raw(NOTE, &ITEM.repeat(2))).unwrap(), [note(), note()]);
    assert_eq!(
        read::<Note>(&raw(&NOTE.replace('>', "<"), &[b'b', 0, 0, 0, b'c', 0, 0])).unwrap(),
        [Note { text: "b".into(), code: "c".into(), raw: Vec::new() }]
    );
    let page = format!("[('notes', {NOTE}, (2,)), ('last', {NOTE}), {}]", &NOTE[1..NOTE.len() - 1]);
    let bytes = raw(&page, &ITEM.repeat(8));
    let expected = || Page { notes: [note(), note()], last: note(), flat: note() };
    assert_eq!(read::<Page>(&bytes).unwrap(), [expected(), expected()]);

    let reader = || Reader::new(&bytes[..]).unwrap();
    let mut one_by_one = reader();
    let records: Result<Vec<Page>, _> = one_by_one.records::<Page>().unwrap().collect();
    assert_eq!(records.unwrap(), [expected(), expected()]);
    let mut in_chunks = reader();
    let mut chunk = Vec::new();
    in_chunks.read_chunk::<Page>(&mut chunk, 1).unwrap();
    assert_eq!(chunk, [expected()]);
    assert_eq!(reader().read_column::<Note>("last").unwrap(), [note(), note()]);
    assert_eq!(
        reader().read_column::<[Note; 2]>("notes").unwrap(),
        [[note(), note()], [note(), note()]]
    );
    let array = DynArray::read_npy_from(&bytes[..]).unwrap();
    assert_eq!(array.to_vec::<Page>().unwrap(), [expected(), expected()]);

    // Only the width may differ.
    for (descr, message) in [
        (
            "[('text', '<U4'), ('code', '|S4'), ('raw', '|S2')]",
            "field \"text\": the file holds '<U4', Note expects '<U3'; raise `width` to 4, or state `width = any`, which reads all but cannot be written",
        ),
        (
            "[('text', '<U3'), ('code', '|S5'), ('raw', '|S2')]",
            "field \"code\": the file holds '|S5', Note expects '|S4'; raise `width` to 5, or state `width = any`, which reads all but cannot be written",
        ),
        (
            "[('text', '|S3'), ('code', '|S4'), ('raw', '|S2')]",
            "field \"text\": the file holds '|S3', Note expects '<U3'; read bytes as \
             ByteStr<3>, or as a String with #[npy(width = 3, bytes)]",
        ),
    ] {
        let dtype: DType = descr.parse().unwrap();
        let error = read::<Note>(&raw(descr, &vec![0; dtype.itemsize()])).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

/// Guards the advice for bytes that a field of text does not read: a struct with the field that it names reads the file and writes it again.
#[test]
fn the_field_that_is_advised_for_bytes_reads_and_writes() {
    #[derive(NpyRecord, Debug)]
    struct Text {
        #[npy(width = 3)]
        text: String,
    }
    #[derive(NpyRecord, Debug)]
    struct Advised {
        #[npy(width = 3, bytes)]
        text: String,
    }
    let file = raw("[('text', '|S3')]", b"abcde\0");
    let error = read::<Text>(&file).map(|texts| texts[0].text.clone()).unwrap_err();
    let advice = "or as a String with #[npy(width = 3, bytes)]";
    assert!(error.to_string().ends_with(advice), "{error}");
    let texts = read::<Advised>(&file).unwrap();
    assert_eq!(texts[1].text, "de");
    let mut again = Vec::new();
    texts.write_npy_to(&mut again).unwrap();
    assert!(again.ends_with(b"\nabcde\0"));
}

/// Guards that a text of any width has the value of the file, wherever a record may be, also next to other fields and after defaults.
#[test]
fn text_of_any_width_is_read() {
    #[derive(NpyRecord, Debug, PartialEq, Clone)]
    struct Note {
        id: u8,
        #[npy(width = any, alias = "name")]
        text: String,
        #[npy(width = any, bytes)]
        code: String,
        #[npy(width = any)]
        raw: Vec<u8>,
        end: u16,
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Page {
        notes: [Note; 2],
        last: Note,
        #[npy(flatten)]
        flat: Note,
    }

    let record = |order: &str, [text, code, raw]: [usize; 3]| {
        format!(
            "[('id', '|u1'), ('name', '{order}U{text}'), ('code', '|S{code}'), ('raw', '|S{raw}'), ('end', '{order}u2')]"
        )
    };
    let item = |order: &str, [text, code, raw]: [usize; 3], note: &Note| {
        let points = note.text.chars().map(u32::from).chain(std::iter::repeat(0)).take(text);
        let points =
            points.flat_map(|n| if order == ">" { n.to_be_bytes() } else { n.to_le_bytes() });
        let padded = |bytes: &[u8], width| {
            bytes.iter().copied().chain(std::iter::repeat(0)).take(width).collect::<Vec<u8>>()
        };
        let end = if order == ">" { note.end.to_be_bytes() } else { note.end.to_le_bytes() };
        let points: Vec<u8> = points.collect();
        let (code, raw) = (padded(note.code.as_bytes(), code), padded(&note.raw, raw));
        [&[note.id][..], &points, &code, &raw, &end].concat()
    };
    let note = |text: &str, code: &str, raw: &[u8]| {
        let (text, code, raw) = (text.to_owned(), code.to_owned(), raw.to_vec());
        Note { id: 7, text, code, raw, end: 0x102 }
    };
    let long = |text: &str, n: usize| text.repeat(n);
    for (widths, notes) in [
        ([0, 0, 0], [note("", "", &[]), note("", "", &[])]),
        ([2, 3, 1], [note("é𝄞", "aé", &[9]), note("", "", &[])]),
        ([3, 4, 3], [note("a\0b", "\0b", &[0, 0, 1]), note("abc", "abcd", &[1, 2, 3])]),
        (
            [1024, 4096, 4096],
            [note(&long("é", 1024), &long("é", 2048), &[1; 4096]), note("a", "b", &[2])],
        ),
    ] {
        for order in ["<", ">"] {
            let descr = record(order, widths);
            let items = [0, 1, 0].map(|i| item(order, widths, &notes[i]));
            // More than one block.
            let bytes = raw(&descr, &items.concat().repeat(40));
            let found = read::<Note>(&bytes).unwrap();
            assert_eq!(found.len(), 120);
            let expected = |i: usize| &notes[usize::from(i % 3 == 1)];
            assert!(found.iter().enumerate().all(|(i, found)| found == expected(i)), "{descr}");

            let inner = &descr[1..descr.len() - 1];
            let page = format!("[('last', {descr}), {inner}, ('notes', {descr}, (2,))]");
            let parts = [0, 1, 1, 0].map(|i| item(order, widths, &notes[i]));
            let bytes = raw(&page, &parts.concat().repeat(2));
            let [a, b] = &notes;
            let expected =
                || Page { notes: [b.clone(), a.clone()], last: a.clone(), flat: b.clone() };
            assert_eq!(read::<Page>(&bytes).unwrap(), [expected(), expected()]);
            let reader = || Reader::new(&bytes[..]).unwrap();
            let mut one_by_one = reader();
            let records: Result<Vec<Page>, _> = one_by_one.records::<Page>().unwrap().collect();
            assert_eq!(records.unwrap(), [expected(), expected()]);
            let mut in_chunks = reader();
            let mut chunk = Vec::new();
            in_chunks.read_chunk::<Page>(&mut chunk, 1).unwrap();
            in_chunks.read_chunk::<Page>(&mut chunk, 1).unwrap();
            assert_eq!(chunk, [expected(), expected()]);
            assert_eq!(reader().read_column::<Note>("last").unwrap(), [a.clone(), a.clone()]);
            let array = DynArray::read_npy_from(&bytes[..]).unwrap();
            assert_eq!(array.to_vec::<Page>().unwrap(), [expected(), expected()]);
        }
    }
}

/// Guards what a text of any width cannot be: written, longer than its limit, invalid, or of another kind.
#[test]
fn text_of_any_width_has_limits() {
    fn long() -> String {
        "x".repeat(1025)
    }

    #[derive(NpyRecord, Debug, PartialEq, Clone)]
    struct Note {
        #[npy(width = any)]
        text: String,
        #[npy(width = any, bytes, default)]
        code: String,
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Page {
        notes: [Note; 2],
        #[npy(width = any, default = long)]
        title: String,
    }

    // The width 0, as NumPy writes `np.dtype('U')`.
    let dtype = Note::dtype();
    assert_eq!(dtype.fields()[0].dtype().to_string(), "<U0");
    assert_eq!(dtype.fields()[1].dtype().to_string(), "|S0");
    assert_eq!(dtype.itemsize(), Note::SIZE);
    let note = || Note { text: "a".into(), code: "b".into() };
    let says = "writing Note, a type with text of any width, needs a width for each text: \
         #[npy(width = N)] instead of #[npy(width = any)]";
    for notes in [vec![], vec![note()]] {
        let mut file = Vec::new();
        assert_eq!(notes.write_npy_to(&mut file).unwrap_err().to_string(), says);
        assert!(file.is_empty());
    }
    let error = Writer::<Note, _>::new(std::io::Cursor::new(Vec::new())).unwrap_err();
    assert_eq!(error.to_string(), says);
    let error = [[note(), note()]].write_npy_to(Vec::new()).unwrap_err();
    assert!(error.to_string().starts_with("writing [Note; 2], "), "{error}");

    let text = |text: &str| [text.as_bytes(), &[0; 3]].concat();
    let defaults = read::<Note>(&raw("[('text', '<U1')]", &text("z"))).unwrap();
    assert_eq!(defaults, [Note { text: "z".into(), code: String::new() }]);
    // A file may have the very dtype of the canonical items, whose padding is not the size of a text.
    let same = dtype.to_string();
    let found = read::<Note>(&raw(&same, &vec![0xff; dtype.itemsize()])).unwrap();
    assert_eq!(found, [Note { text: String::new(), code: String::new() }]);

    for (descr, message) in [
        (
            "[('text', '<U1025')]",
            "field \"text\": the file holds '<U1025', Note expects '<U' of any width up to 4096 bytes; \
             state its width: #[npy(width = N)]",
        ),
        (
            "[('text', '<U1'), ('code', '|S4097')]",
            "field \"code\": the file holds '|S4097', Note expects '|S' of any width up to 4096 bytes; \
             state its width: #[npy(width = N)]",
        ),
        (
            "[('text', '|S3')]",
            "field \"text\": the file holds '|S3', Note expects '<U' of any width; read bytes as \
             ByteStr<3>, or as a String with #[npy(width = 3, bytes)]",
        ),
        // Text in a sub-array is no text of another kind: `bytes` would not read it.
        (
            "[('text', '|S3', (2,))]",
            "field \"text\": the file holds ('|S3', (2,)), Note expects '<U0'; change the field to \
             [ByteStr<3>; 2]",
        ),
        (
            "'<f8'",
            "the file holds '<f8', Note expects records with the fields \"text\", \"code\"; its elements are not \
             records: change the Rust type to Vec<f64>",
        ),
    ] {
        let itemsize = descr.parse::<DType>().unwrap().itemsize();
        let error = read::<Note>(&raw(descr, &vec![0; itemsize])).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let error = read::<Note>(&raw("[('text', '<U1')]", &[0, 0xd8, 0, 0])).unwrap_err();
    assert!(error.to_string().starts_with("row 0: field \"text\": code point 0xd800"), "{error}");
    let notes = raw("[('notes', [('text', '<U1')], (2,))]", &[0; 8]);
    assert_eq!(
        read::<Page>(&notes).unwrap_err().to_string().split(" \"x").next(),
        Some("field \"title\": its default value cannot be stored:")
    );
}

#[test]
fn narrower_text_and_numbers_widen() {
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Note {
        #[npy(width = 3)]
        text: String,
        x: f64,
    }

    let bytes = raw("[('x', '>i2'), ('text', '>U1')]", &[0, 2, 0, 0, 0, b'a']);
    let read: Vec<Note> = ReadOptions::new().cast(Cast::Lossless).read_from(&bytes[..]).unwrap();
    assert_eq!(read, [Note { text: "a".into(), x: 2.0 }]);
}

#[test]
fn a_flattened_record_gives_its_fields() {
    #[derive(NpyRecord, Debug, PartialEq, Clone)]
    struct Place {
        lat: f32,
        #[npy(alias = "long", default)]
        lon: f32,
    }

    #[derive(NpyRecord, Debug, PartialEq, Clone)]
    struct Deep {
        #[npy(flatten)]
        place: Place,
        #[npy(title = "metres")]
        depth: u8,
    }

    #[derive(NpyRecord, Debug, PartialEq, Clone)]
    struct Pick {
        id: u8,
        #[npy(flatten)]
        deep: Deep,
        end: u8,
    }

    let place = Place { lat: 1.0, lon: 2.0 };
    let pick = Pick { id: 1, deep: Deep { place, depth: 3 }, end: 4 };
    assert_there_and_back(
        "[('id', '|u1'), ('lat', '<f4'), ('lon', '<f4'), (('metres', 'depth'), '|u1'), ('end', '|u1')]",
        vec![pick.clone()],
    );
    let names: Vec<_> = Pick::FIELDS.iter().map(|field| field.name).collect();
    assert_eq!(names, ["id", "", "end"]);
    assert_eq!(Pick::FIELDS[1].flattened, Deep::FIELDS);
    // The names, aliases and defaults of the inner fields apply.
    let descr =
        "[('end', '|u1'), ('depth', '|u1'), ('long', '>f4'), ('lat', '<f4'), ('id', '|u1')]";
    let bytes = [4, 3, 0x40, 0, 0, 0, 0, 0, 0x80, 0x3f, 1];
    assert_eq!(read::<Pick>(&raw(descr, &bytes)).unwrap()[0], pick);
    let descr = "[('end', '|u1'), ('depth', '|u1'), ('lat', '<f4'), ('id', '|u1')]";
    let mut other = pick;
    other.deep.place.lon = 0.0;
    assert_eq!(read::<Pick>(&raw(descr, &[4, 3, 0, 0, 0x80, 0x3f, 1])).unwrap(), [other]);
    let error = read::<Pick>(&raw("[('id', '|u1')]", &[0])).unwrap_err();
    assert!(error.to_string().contains("no field \"lat\", which Pick expects"), "{error}");
}

#[test]
fn unknown_fields_can_be_denied() {
    #[derive(NpyRecord, Debug, PartialEq, Clone, Copy)]
    #[npy(deny_unknown_fields)]
    struct Inner {
        #[npy(alias = "z")]
        x: u8,
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Outer {
        inner: [Inner; 2],
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    #[npy(deny_unknown_fields)]
    struct Flat {
        a: u8,
        #[npy(flatten)]
        inner: Inner,
    }

    assert_eq!(read::<Inner>(&raw("[('z', '|u1')]", &[1])).unwrap(), [Inner { x: 1 }]);
    let bytes = raw("[('w', '|u1'), ('inner', [('y', '|u1'), ('x', '|u1')], (2,))]", &[0; 5]);
    assert_eq!(
        read::<Outer>(&bytes).unwrap_err().to_string(),
        "field \"inner\": the file has a field \"y\", which Outer does not have; add it to the struct, or drop \
         #[npy(deny_unknown_fields)] to have such fields skipped"
    );
    let bytes = raw("[('w', '|u1'), ('inner', [('', '|V1'), ('x', '|u1')], (2,))]", &[0; 5]);
    assert!(read::<Outer>(&bytes).is_ok());
    let flat = Flat { a: 1, inner: Inner { x: 2 } };
    assert_eq!(read::<Flat>(&raw("[('x', '|u1'), ('a', '|u1')]", &[2, 1])).unwrap(), [flat]);
    let error = read::<Flat>(&raw("[('x', '|u1'), ('a', '|u1'), ('b', '|u1')]", &[0; 3]));
    assert!(matches!(error.unwrap_err().kind(), ErrorKind::UnknownField { .. }));
}

/// Everything at once: generic, nested, aligned, big-endian, flattened.
#[test]
fn attributes_go_together() {
    #[derive(NpyRecord, Debug, PartialEq, Clone)]
    #[npy(align)]
    #[repr(C)]
    struct Head<T, const N: usize> {
        flag: u8,
        #[npy(endian = "little")]
        gain: T,
        #[npy(width = N, default)]
        name: String,
    }

    #[derive(NpyRecord, Debug, PartialEq, Clone)]
    #[npy(align, endian = "big", rename_all = "camelCase", deny_unknown_fields, itemsize = 64)]
    #[repr(C)]
    struct Trace<T, const N: usize>
    where
        T: Copy,
    {
        trace_id: u16,
        #[npy(flatten)]
        head: Head<T, 2>,
        #[npy(title = "when", alias = "t0")]
        start_time: DateTime64<Second>,
        #[npy(skip)]
        note: Option<String>,
        samples: Box<[T; N]>,
    }

    let head = Head { flag: 1, gain: 2.5f32, name: "né".into() };
    let trace = Trace {
        trace_id: 3,
        head,
        start_time: DateTime64::new(77),
        note: None,
        samples: Box::new([1.0, 2.0, 3.0]),
    };
    assert_there_and_back(
        "[('traceId', '>u2'), ('', '|V2'), ('flag', '|u1'), ('', '|V3'), ('gain', '<f4'), ('name', '>U2'), \
         ('', '|V4'), (('when', 'startTime'), '>M8[s]'), ('samples', '>f4', (3,)), ('', '|V20')]",
        vec![trace.clone()],
    );
    // The same record as another program may have written it.
    let elsewhere = "[('samples', '<f4', (3,)), ('gain', '>f4'), ('t0', '<M8[s]'), ('flag', '|u1'), ('traceId', '<u2')]";
    let plan: DType = elsewhere.parse().unwrap();
    let mut bytes = Vec::new();
    [1.0f32, 2.0, 3.0].iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    bytes.extend(2.5f32.to_be_bytes());
    bytes.extend(77i64.to_le_bytes());
    bytes.extend([1, 3, 0]);
    assert_eq!(bytes.len(), plan.itemsize());
    let mut other = trace;
    other.head.name.clear();
    assert_eq!(read::<Trace<f32, 3>>(&raw(elsewhere, &bytes)).unwrap(), [other]);
}

/// Guards the stack: a record of a million samples.
#[test]
fn large_sub_arrays_stay_off_the_stack() {
    #[derive(NpyRecord)]
    struct Trace {
        id: u8,
        samples: Box<[[f64; 1024]; 1024]>,
    }

    let samples: Vec<[f64; 1024]> = (0..1024).map(|i| [f64::from(i); 1024]).collect();
    let traces = [Trace { id: 7, samples: samples.into_boxed_slice().try_into().unwrap() }];
    let read = read::<Trace>(&file(&traces)).unwrap();
    assert_eq!((read[0].id, read[0].samples[1023][5]), (7, 1023.0));
    assert!(read[0].samples == traces[0].samples);
}

/// Guards names before aliases: an alias may be the name of a field that is flattened.
#[test]
fn a_name_takes_precedence_over_an_alias() {
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Inner {
        #[npy(default)]
        x: u8,
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Outer {
        #[npy(alias = "x", default)]
        a: u8,
        #[npy(flatten)]
        inner: Inner,
    }

    let file = raw("[('x', '|u1')]", &[9]);
    assert_eq!(read::<Outer>(&file).unwrap(), [Outer { a: 0, inner: Inner { x: 9 } }]);
}

/// Guards tokens that a macro passes on: types, expressions and attributes in invisible groups.
#[test]
fn macros_can_make_structs() {
    mod codec {
        pub(super) type Stored = f32;

        pub(super) fn encode(value: &f64) -> Stored {
            f32::from(u8::from(*value > 0.0))
        }

        pub(super) fn decode(stored: Stored) -> f64 {
            stored.into()
        }
    }

    macro_rules! make {
        ($(#[$meta:meta])* $name:ident, $text:ty, $width:expr, $offset:literal, $inner:ty, $with:path) => {
            $(#[$meta])*
            struct $name {
                #[npy(width = $width)]
                text: $text,
                #[npy(offset = $offset, flatten)]
                inner: $inner,
                #[npy(with = $with)]
                with: f64,
                #[npy(skip)]
                skipped: ($text, Option<$inner>),
            }
        };
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Inner {
        x: u8,
    }

    type Text = String;
    make!(
        #[derive(NpyRecord, Debug, PartialEq)]
        One,
        Text,
        1 + 1,
        10,
        Inner,
        codec
    );
    make!(
        #[derive(NpyRecord, Debug, PartialEq)]
        Other,
        Vec<u8>,
        2usize,
        2,
        Inner,
        codec
    );
    let inner = || Inner { x: 7 };
    let skipped = (String::new(), None);
    assert_there_and_back(
        "[('text', '<U2'), ('', '|V2'), ('x', '|u1'), ('with', '<f4')]",
        vec![One { text: "é".into(), inner: inner(), with: 1.0, skipped }],
    );
    assert_there_and_back(
        "[('text', '|S2'), ('x', '|u1'), ('with', '<f4')]",
        vec![Other { text: vec![1], inner: inner(), with: 0.0, skipped: (vec![], None) }],
    );
}

/// Guards bounds: a skipped field may borrow and need not be an element; the default is made once per record.
#[test]
fn skipped_fields_need_no_element_type() {
    use std::cell::Cell;
    use std::marker::PhantomData;

    struct Nothing;

    #[derive(NpyRecord)]
    struct Borrows<'a, T> {
        x: u8,
        #[npy(skip)]
        text: &'a str,
        #[npy(skip)]
        marker: PhantomData<T>,
    }

    let read = read::<Borrows<'_, Nothing>>(&raw("[('x', '|u1')]", &[1])).unwrap();
    assert_eq!((read[0].x, read[0].text, read[0].marker), (1, "", PhantomData));

    thread_local!(static MADE: Cell<usize> = const { Cell::new(0) });

    #[derive(NpyRecord)]
    #[npy(default)]
    struct Counted {
        x: u8,
        #[npy(skip)]
        a: String,
        #[npy(skip)]
        b: String,
    }

    impl Default for Counted {
        fn default() -> Self {
            MADE.set(MADE.get() + 1);
            Counted { x: 0, a: "a".into(), b: "b".into() }
        }
    }

    let read = Vec::<Counted>::read_npy_from(&raw("[('x', '|u1')]", &[0; 100])[..]).unwrap();
    assert_eq!((read[99].x, read[99].a.as_str(), read[99].b.as_str()), (0, "a", "b"));
    assert_eq!(MADE.get(), 100);
}

/// Guards values for fields of zero width.
#[test]
fn text_for_a_field_of_zero_width_is_refused() {
    #[derive(NpyRecord)]
    struct Blank {
        #[npy(width = 0)]
        text: String,
    }

    let blank = |text: &str| Blank { text: text.into() };
    let mut out = Vec::new();
    let error = [blank(""), blank("x")].write_npy_to(&mut out).unwrap_err();
    assert!(error.to_string().starts_with("row 1: field \"text\": \"x\" has 1"), "{error}");
    assert!([blank("")].write_npy_to(&mut out).is_ok());
}

/// Guards memory: a large default, in items of no bytes.
#[test]
fn defaults_of_items_without_bytes_are_limited() {
    fn large() -> Box<[f64; 1 << 17]> {
        vec![0.0; 1 << 17].into_boxed_slice().try_into().unwrap()
    }

    #[derive(NpyRecord, Debug)]
    struct Trace {
        #[npy(default = large)]
        samples: Box<[f64; 1 << 17]>,
    }

    let array = DynArray::new("[('z', '|S0')]".parse().unwrap(), [1000], Order::C, Vec::new());
    let error = array.unwrap().to_vec::<Trace>().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit { name: "empty_items", .. }), "{error}");
    let few = read::<Trace>(&raw("[('z', '|u1')]", &[0; 2])).unwrap();
    assert_eq!(few[1].samples[9], 0.0);
}

/// Guards wide structs: 200 fields, each at its own offset.
#[test]
fn a_struct_of_two_hundred_fields_reads_back_equal() {
    macro_rules! wide {
        ($($name:ident)*) => {
            #[derive(NpyRecord, Debug, PartialEq, Default)]
            struct Wide { $($name: u16,)* }
        };
    }

    wide!(
        a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 a23 a24
        a25 a26 a27 a28 a29 a30 a31 a32 a33 a34 a35 a36 a37 a38 a39 a40 a41 a42 a43 a44 a45 a46
        a47 a48 a49 a50 a51 a52 a53 a54 a55 a56 a57 a58 a59 a60 a61 a62 a63 a64 a65 a66 a67 a68
        a69 a70 a71 a72 a73 a74 a75 a76 a77 a78 a79 a80 a81 a82 a83 a84 a85 a86 a87 a88 a89 a90
        a91 a92 a93 a94 a95 a96 a97 a98 a99 a100 a101 a102 a103 a104 a105 a106 a107 a108 a109 a110
        a111 a112 a113 a114 a115 a116 a117 a118 a119 a120 a121 a122 a123 a124 a125 a126 a127 a128
        a129 a130 a131 a132 a133 a134 a135 a136 a137 a138 a139 a140 a141 a142 a143 a144 a145 a146
        a147 a148 a149 a150 a151 a152 a153 a154 a155 a156 a157 a158 a159 a160 a161 a162 a163 a164
        a165 a166 a167 a168 a169 a170 a171 a172 a173 a174 a175 a176 a177 a178 a179 a180 a181 a182
        a183 a184 a185 a186 a187 a188 a189 a190 a191 a192 a193 a194 a195 a196 a197 a198 a199
    );
    let items: Vec<Wide> = (0..3u16)
        .map(|row| {
            let bytes: Vec<u8> = (0..200u16).flat_map(|i| (row * 1000 + i).to_le_bytes()).collect();
            Wide::decode(&bytes)
        })
        .collect();
    assert_eq!(Wide::FIELDS.len(), 200);
    assert_eq!(read::<Wide>(&file(&items)).unwrap(), items);
}

/// Guards the empty name: a name like others, except that raw bytes of that name would be padding.
#[test]
fn a_name_may_be_empty() {
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Inner {
        #[npy(rename = "")]
        x: u16,
        y: u8,
    }
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Outer {
        #[npy(rename = "")]
        inner: Inner,
        count: u8,
    }
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Flat {
        #[npy(flatten)]
        inner: Inner,
        count: u8,
    }
    #[derive(NpyRecord, Debug)]
    struct Raw {
        #[npy(rename = "")]
        raw: Void<2>,
        count: u8,
    }

    let inner = |x| Inner { x, y: 7 };
    assert_there_and_back("[('', '<u2'), ('y', '|u1')]", vec![inner(300)]);
    let descr = "[('', [('', '<u2'), ('y', '|u1')]), ('count', '|u1')]";
    assert_there_and_back(descr, vec![Outer { inner: inner(300), count: 1 }]);
    let descr = "[('', '<u2'), ('y', '|u1'), ('count', '|u1')]";
    assert_there_and_back(descr, vec![Flat { inner: inner(5), count: 2 }]);
    let saved = file(&[inner(300), inner(2)]);
    assert_eq!(Reader::new(&saved[..]).unwrap().read_column::<u16>("").unwrap(), [300, 2]);
    let error = read::<Inner>(&raw("[('', '<u4'), ('y', '|u1')]", &[0; 5])).unwrap_err();
    assert!(error.to_string().starts_with("field \"\": "), "{error}");
    let error = [Raw { raw: Void([1, 2]), count: 3 }].write_npy_to(&mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("would be read as padding"), "{error}");
    // As in a file of NumPy: the padding is skipped, and the field is missing.
    let padded = raw("[('', '|V2'), ('count', '|u1')]", &[1, 2, 3]);
    assert!(matches!(read::<Raw>(&padded).unwrap_err().kind(), ErrorKind::MissingField { .. }));
}

/// Guards a single record: it is read from an array without dimensions only, and a struct may be an archive too.
#[test]
fn an_array_without_dimensions_is_a_record() {
    #[derive(NpyRecord, NpzArchive, Debug, Clone, PartialEq)]
    struct Settings<const N: usize> {
        #[npy(alias = "hz")]
        rate: f32,
        gains: [u8; N],
    }

    let settings = Settings { rate: 0.5, gains: [1, 2] };
    let single = |settings| NpyArray::new(vec![settings], []).unwrap();
    let mut bytes = Vec::new();
    single(settings.clone()).write_npy_to(&mut bytes).unwrap();
    assert_eq!(Settings::<2>::read_npy_from(&bytes[..]).unwrap(), settings);
    let error = Settings::<3>::read_npy_from(&bytes[..]).unwrap_err();
    assert!(error.to_string().starts_with("field \"gains\": "), "{error}");
    let error = Settings::<2>::read_npy_from(&file(&[settings])[..]).unwrap_err();
    assert!(error.to_string().contains("Settings<2> expects a single element"), "{error}");
}
