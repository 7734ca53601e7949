//! Lists of text and bytes, of any width.

use npy_core::{
    ByteOrder, DType, DynArray, Header, Limits, NpyArray, Order, ReadNpy, ReadOptions, WriteNpy,
    WriteOptions,
};
use npy_tests::alloc::peak;
use npy_tests::golden;

fn written<A: WriteNpy + ?Sized>(array: &A) -> Vec<u8> {
    let mut file = Vec::new();
    array.write_npy_to(&mut file).unwrap();
    file
}

fn file(dtype: &str, shape: &[usize], data: &[u8]) -> Vec<u8> {
    let dtype: DType = dtype.parse().unwrap();
    let mut file = Header::new(dtype, shape, Order::C).unwrap().to_bytes().unwrap();
    file.extend_from_slice(data);
    file
}

/// Guards the bytes, against NumPy's: the width is that of the longest item, and at least one character.
#[test]
fn lists_are_as_wide_as_numpys() {
    let same = |name: &str, ours: Vec<u8>| {
        assert!(ours == std::fs::read(golden(&format!("{name}.npy"))).unwrap(), "{name}");
    };
    let list = ["naïve", "", "a\0b", "😀"];
    same("text_list", written(&list));
    same("text_list", written(&list[..]));
    same("text_list", written(&list.to_vec()));
    same("text_list", written(&list.map(String::from)));
    same("text_list", written(&list.map(String::from).to_vec()));
    same("text_list_empty", written::<[&str]>(&[]));
    same("text_list_empty", written(&Vec::<String>::new()));
    same("text_list_of_empty", written(&["", ""]));
    same("text_single", written("é整"));
    same("text_single", written(&"é整".to_owned()));
    let bytes = [&b"ab"[..], b"", b"a\0b", b"\xff\x80"];
    same("bytes_list", written(&bytes));
    same("bytes_list", written(&bytes.map(<[u8]>::to_vec)));
    same("bytes_list", written(&bytes.map(<[u8]>::to_vec).to_vec()));
    same("bytes_list_empty", written::<[Vec<u8>]>(&[]));
    same("bytes_list_of_empty", written(&[b"".to_vec(), b"".to_vec()]));
    let matrix = ["a", "bc", "def", "", "é", "整"].map(String::from).to_vec();
    let matrix = NpyArray::new(matrix, [3, 2]).unwrap();
    same("text_list_matrix", written(&matrix.to_order(Order::Fortran)));
    let mut big = Vec::new();
    WriteOptions::new().byte_order(ByteOrder::Big).write_to(&mut big, &["naïve", ""]).unwrap();
    same("text_list_big", big);
}

/// Guards the values, against NumPy's.
#[test]
fn lists_are_read_from_any_width() {
    let text = |name: &str| Vec::<String>::read_npy(golden(&format!("{name}.npy"))).unwrap();
    assert_eq!(text("text_list"), ["naïve", "", "a\0b", "😀"]);
    assert_eq!(text("text_list_big"), ["naïve", ""]);
    assert_eq!(text("text_list_empty"), [""; 0]);
    assert_eq!(text("text_list_of_empty"), ["", ""]);
    assert_eq!(text("U0"), ["", ""]);
    assert_eq!(text("S0"), ["", "", ""]);
    assert_eq!(String::read_npy(golden("text_single.npy")).unwrap(), "é整");
    let bytes = |name: &str| Vec::<Vec<u8>>::read_npy(golden(&format!("{name}.npy"))).unwrap();
    assert_eq!(bytes("bytes_list"), [&b"ab"[..], b"", b"a\0b", b"\xff\x80"]);
    assert_eq!(bytes("S5"), [&b""[..], b"a", b"hello", b"a\0b", b"\xff\x80"]);
    assert_eq!(bytes("S0"), [b""; 3]);
    let matrix = NpyArray::<String>::read_npy(golden("text_list_matrix.npy")).unwrap();
    assert_eq!((matrix.shape(), matrix.order()), (&[3, 2][..], Order::Fortran));
    assert!(matrix.iter().eq(["a", "bc", "def", "", "é", "整"]));
    // `S` that contains UTF-8.
    let mixed = file("|S3", &[2], b"a\xc3\xa9z\0\0");
    assert_eq!(Vec::<String>::read_npy_from(&mixed[..]).unwrap(), ["aé", "z"]);
}

/// Guards many blocks, the last one incomplete, and the row of an error in one of them.
#[test]
fn long_lists_come_back_and_errors_have_their_row() {
    let list: Vec<String> = (0..100_000).map(|i| format!("é{i}")).collect();
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let mut file = Vec::new();
        WriteOptions::new().byte_order(order).write_to(&mut file, &list).unwrap();
        assert_eq!(Vec::<String>::read_npy_from(&file[..]).unwrap(), list);
        let at = file.len() - 2 * 24;
        file[at..at + 4].copy_from_slice(&[0, 0xdc, 0xdc, 0]);
        let error = Vec::<String>::read_npy_from(&file[..]).unwrap_err().to_string();
        assert!(error.starts_with("row 99998: code point 0x"), "{error}");
    }
    // The later items are shorter: nothing of earlier blocks may remain in theirs.
    let bytes: Vec<Vec<u8>> = (0..100_000).map(|i| vec![b'x'; 9 - i / 10_001]).collect();
    assert_eq!(Vec::<Vec<u8>>::read_npy_from(&written(&bytes)[..]).unwrap(), bytes);
    // One item is larger than a block.
    let list = ["x".repeat(100_000), String::new(), "y".into()];
    assert_eq!(Vec::<String>::read_npy_from(&written(&list)[..]).unwrap(), list);
}

/// Guards invalid text: an error that says what to do, and nothing is lost silently.
#[test]
fn invalid_text_is_an_error() {
    let error = Vec::<String>::read_npy(golden("S5.npy")).unwrap_err().to_string();
    let says = r#"row 4: b"\xff\x80" is not UTF-8, and the file does not say which encoding it has; NpyArray<Vec<u8>> reads it"#;
    assert!(error.ends_with(says), "{error}");
    assert!(NpyArray::<Vec<u8>>::read_npy(golden("S5.npy")).is_ok());
    let long = file("|S2000000", &[1], &[0xff; 2_000_000]);
    let error = Vec::<String>::read_npy_from(&long[..]).unwrap_err().to_string();
    assert!(error.len() < 300, "{error}");

    let error = Vec::<Vec<u8>>::read_npy(golden("U4_le.npy")).unwrap_err().to_string();
    let says = "the file holds '<U4', Vec<u8> expects '|S' of any width; read it as the Rust type of its values (see npy_core::types), or as a DynArray, which takes any dtype";
    assert!(error.ends_with(says), "{error}");
    for name in ["i4_le", "V3", "record_le", "M8_D_le"] {
        let error = Vec::<String>::read_npy(golden(&format!("{name}.npy"))).unwrap_err();
        let says = "String expects '<U' or '|S' of any width";
        assert!(error.to_string().contains(says), "{error}");
    }
    let error = Vec::<String>::read_npy(golden("text_list_matrix.npy")).unwrap_err().to_string();
    assert!(error.contains("Vec<String> expects one dimension"), "{error}");
    let error = String::read_npy(golden("text_list.npy")).unwrap_err().to_string();
    assert!(error.contains("String expects a single element"), "{error}");

    let error = ["a", "b\0"].write_npy_to(std::io::sink()).unwrap_err().to_string();
    let says = r#"row 1: "b\0" ends with a NUL, which NumPy would drop; trim it"#;
    assert_eq!(error, says);
    let error = [vec![0u8]].write_npy_to(std::io::sink()).unwrap_err().to_string();
    assert!(error.starts_with(r#"row 0: b"\x00" ends with a NUL"#), "{error}");
}

/// Guards limits, and memory against false headers.
#[test]
fn lists_with_false_headers_cost_no_memory() {
    for dtype in ["<U0", "|S0"] {
        let many = file(dtype, &[1 << 21], &[]);
        let error = Vec::<String>::read_npy_from(&many[..]).unwrap_err().to_string();
        assert!(error.contains("Limits::empty_items"), "{error}");
        let mut limits = Limits::default();
        limits.empty_items = 1 << 22;
        let list: Vec<String> = ReadOptions::new().limits(limits).read_from(&many[..]).unwrap();
        assert_eq!(list.len(), 1 << 21);
    }
    for (dtype, count) in [("<U1", 1 << 50), ("|S2147483647", 2), ("<U536870911", 1 << 20)] {
        let claim = file(dtype, &[count], b"abcdefgh");
        let (result, cost) = peak(|| Vec::<String>::read_npy_from(&claim[..]));
        assert!(result.unwrap_err().to_string().contains("truncated"));
        assert!(cost < 1 << 20, "{cost}");
    }
    let mut limits = Limits::default();
    limits.array_bytes = Some(10);
    let result = ReadOptions::new().limits(limits).read::<Vec<String>>(golden("text_list.npy"));
    assert!(result.unwrap_err().to_string().contains("Limits::array_bytes"));
}

/// Guards the stream: bytes after the array are not consumed.
#[test]
fn reading_a_list_leaves_the_bytes_after_it() {
    let both = [written(&["a", "bc"]), written(&["é"])].concat();
    let mut rest = &both[..];
    assert_eq!(Vec::<String>::read_npy_from(&mut rest).unwrap(), ["a", "bc"]);
    assert_eq!(Vec::<String>::read_npy_from(&mut rest).unwrap(), ["é"]);
    assert!(rest.is_empty());
    assert_eq!(DynArray::read_npy_from(&both[..]).unwrap().dtype().to_string(), "<U2");
}
