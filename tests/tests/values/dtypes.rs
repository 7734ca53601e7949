//! The Rust types of every dtype, against the golden files: the values, in both byte orders, and the bytes when written
//! again.

use half::{bf16, f16};
use npy_core::dtype::Field;
use npy_core::time::{Day, Generic, Ms, Ns, Second, Times};
use npy_core::{
    ByteOrder, ByteStr, Cast, ComplexLongDouble, DType, DateTime64, DynArray, Element, FixedStr,
    Float8, LongDouble, NpyArray, NpyRecord, Order, ReadNpy, ReadOptions, TimeDelta64, Void,
    WriteNpy, WriteOptions, Writer,
};
use npy_tests::golden;
use num_complex::Complex;

/// Compares the values with a golden file (with both byte orders if the name ends with `_`), and the bytes when written
/// again.
#[track_caller]
fn assert_golden<T>(name: &str, expected: &[T])
where
    T: Element + PartialEq + std::fmt::Debug,
{
    let both = [("_le", ByteOrder::Little), ("_be", ByteOrder::Big)];
    let one = [("", ByteOrder::Little)];
    let stem = name.strip_suffix('_');
    for (suffix, order) in if stem.is_some() { &both[..] } else { &one } {
        let path = golden(&format!("{}{suffix}.npy", stem.unwrap_or(name)));
        assert_eq!(Vec::<T>::read_npy(&path).unwrap(), expected, "{path:?}");
        let mut file = Vec::new();
        WriteOptions::new().byte_order(*order).write_to(&mut file, expected).unwrap();
        assert!(file == std::fs::read(&path).unwrap(), "{path:?}");
    }
}

/// Guards values and bytes of each type, against what NumPy saved.
#[test]
fn every_dtype_has_a_rust_type_with_numpys_values() {
    let (inf, minus) = (f64::INFINITY, f64::NEG_INFINITY);
    let floats = [0.0, -0.0, 1.5, -2.25, inf, minus];
    assert_golden("f2_", &floats.map(f16::from_f64));
    let complex = [Complex::new(0.0, 0.0), Complex::new(1.5, -2.25), Complex::new(inf, -0.0)];
    assert_golden("c16_", &complex);
    #[expect(clippy::cast_possible_truncation)]
    let complex = complex.map(|z| Complex::new(z.re as f32, z.im as f32));
    assert_golden("c8_", &complex);
    let long = [0.0, 1.5, -2.0].map(LongDouble::from);
    assert_golden("f16_", &long);
    assert_golden("c32_", &[ComplexLongDouble { re: long[1], im: long[2] }]);
    assert_golden("bfloat16", &[1.0, -2.5, f32::INFINITY].map(bf16::from_f32));
    assert_golden("float8", &[0x38, 0xc0].map(Float8));
    assert_golden("V3", &[[0, 1, 2], [0xff, 0xfe, 0xfd]].map(Void));
    let text = ["", "a", "a\0b", "é整😀z"];
    assert_golden("U4_", &text.map(|text| FixedStr::<4>::new(text).unwrap()));
    let bytes = [&b""[..], b"a", b"hello", b"a\0b", b"\xff\x80"];
    assert_golden("S5", &bytes.map(|bytes| ByteStr::<5>::new(bytes).unwrap()));
    assert_golden("U0", &[FixedStr::<0>::default(); 2]);
    assert_golden("S0", &[ByteStr::<0>::default(); 3]);

    let nat = i64::MIN;
    assert_golden("M8_D_", &[0, 19_782, nat, -141_349].map(DateTime64::<Day>::new));
    assert_golden("M8_ns_", &[1, nat, i64::MAX].map(DateTime64::<Ns>::new));
    assert_golden("M8_25s_", &[0, -1, 1 << 40].map(DateTime64::<Times<25, Second>>::new));
    assert_golden("m8_ms_", &[0, -1, nat, 1 << 53].map(TimeDelta64::<Ms>::new));
    assert_golden("m8_7D_", &[0, -1, 1].map(TimeDelta64::<Times<7, Day>>::new));
    assert_golden("M8_generic", &[nat, nat].map(DateTime64::<Generic>::new));
    assert_golden("m8_generic", &[1, nat].map(TimeDelta64::<Generic>::new));
    for (name, dtype) in [("M8_generic_be", ">M8"), ("m8_generic_be", ">m8")] {
        let array = DynArray::read_npy(golden(&format!("{name}.npy"))).unwrap();
        assert_eq!(array.dtype().to_string(), dtype);
    }
    let times = Vec::<DateTime64<Generic>>::read_npy(golden("M8_generic_be.npy")).unwrap();
    assert_eq!(times, [1, nat].map(DateTime64::new));
    let spans = Vec::<TimeDelta64<Generic>>::read_npy(golden("m8_generic_be.npy")).unwrap();
    assert_eq!(spans, [1, nat].map(TimeDelta64::new));
}

#[derive(NpyRecord, Debug, PartialEq)]
struct Small {
    h: f16,
    z: Complex<f32>,
    w: Complex<f64>,
    u: FixedStr<3>,
    v: Void<2>,
    at: DateTime64<Generic>,
    took: TimeDelta64<Times<25, Second>>,
}

/// Guards the types as fields, in both byte orders.
#[test]
fn every_dtype_may_be_a_field() {
    let expected = [
        Small {
            h: f16::from_f32(1.5),
            z: Complex::new(1.0, -2.0),
            w: Complex::new(0.0, 0.5),
            u: "é整".try_into().unwrap(),
            v: Void([1, 0]),
            at: DateTime64::NAT,
            took: TimeDelta64::new(4),
        },
        Small {
            h: f16::from_f32(-2.0),
            z: Complex::default(),
            w: Complex::new(1e300, 0.0),
            u: FixedStr::default(),
            v: Void::default(),
            at: DateTime64::NAT,
            took: TimeDelta64::new(-1),
        },
    ];
    assert_golden("record_dtypes_", &expected);
}

/// Guards the values where raw bytes have an order, and where they have none.
#[test]
fn raw_bytes_count_as_little_endian_numbers() {
    let little = [0xc0, 0x3f];
    let bytes = |order| if order == ">" { [0x3f, 0xc0] } else { little };
    for from in ["<", ">", "|"] {
        let raw = DynArray::new(
            format!("{from}V2").parse().unwrap(),
            [1],
            Order::C,
            bytes(from).to_vec(),
        )
        .unwrap();
        for to in ["<", ">", "|"] {
            let cast = raw.cast(&format!("{to}V2").parse().unwrap()).unwrap();
            assert_eq!(cast.as_bytes(), bytes(to), "{from} to {to}");
        }
    }
}

/// Guards raw bytes without an order, which count as little-endian numbers of ml_dtypes, in records with fields of both kinds.
#[test]
fn raw_bytes_in_records_count_as_little_endian_numbers() {
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Row {
        n: i16,
        raw: Void<2>,
        number: bf16,
    }
    let little = [0xc0, 0x3f];
    let bytes = |descr| if descr == ">V2" { [0x3f, 0xc0] } else { little };
    let expected = Row { n: 0x0102, raw: Void(little), number: bf16::from_f32(1.5) };
    for (raw, number) in
        ["|V2", "<V2", ">V2"].map(|a| ["|V2", "<V2", ">V2"].map(|b| (a, b))).as_flattened()
    {
        let descr = format!("[('n', '>i2'), ('raw', '{raw}'), ('number', '{number}')]");
        let row = [&[1, 2], &bytes(*raw)[..], &bytes(*number)].concat();
        let array = DynArray::new(descr.parse().unwrap(), [1], Order::C, row.clone()).unwrap();
        assert_eq!(array.to_vec::<Row>().unwrap(), std::slice::from_ref(&expected), "{descr}");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.npy");
        npy_core::save(&path, &array).unwrap();
        let mut writer = Writer::<Row>::append(&path).unwrap();
        writer.push(&expected).unwrap();
        writer.finish().unwrap();
        let both = DynArray::read_npy(&path).unwrap();
        assert_eq!(both.as_bytes(), row.repeat(2), "{descr}");
    }
}

/// Guards `align=True`: NumPy's alignment of each type, not Rust's.
#[test]
fn alignments_are_numpys() {
    #[derive(NpyRecord)]
    #[npy(align)]
    #[repr(C)]
    #[allow(dead_code)]
    struct Aligned {
        a: u8,
        h: f16,
        b: u8,
        z: Complex<f32>,
        c: u8,
        w: Complex<f64>,
        d: u8,
        u: FixedStr<1>,
        e: u8,
        s: ByteStr<3>,
        v: Void<2>,
        f: u8,
        n: bf16,
    }
    assert_eq!(
        Aligned::dtype().to_string(),
        "[('a', '|u1'), ('', '|V1'), ('h', '<f2'), ('b', '|u1'), ('', '|V3'), ('z', '<c8'), ('c', '|u1'), ('', '|V7'), \
         ('w', '<c16'), ('d', '|u1'), ('', '|V3'), ('u', '<U1'), ('e', '|u1'), ('s', '|S3'), ('v', '|V2'), ('f', '|u1'), \
         ('', '|V1'), ('n', '<V2'), ('', '|V6')]"
    );
    assert_eq!([LongDouble::ALIGN, ComplexLongDouble::ALIGN, Float8::ALIGN], [16, 16, 1]);
}

/// Guards the advice for long doubles: the type that it names reads the file.
#[test]
fn the_advice_for_long_doubles_names_a_type_that_reads_them() {
    for (name, advice) in
        [("f16_le.npy", "as LongDouble, "), ("c32_le.npy", "as ComplexLongDouble, ")]
    {
        let error = Vec::<f64>::read_npy(golden(name)).unwrap_err().to_string();
        assert!(error.contains(advice), "{error}");
    }
    assert!(Vec::<LongDouble>::read_npy(golden("f16_le.npy")).is_ok());
    assert!(Vec::<ComplexLongDouble>::read_npy(golden("c32_le.npy")).is_ok());
}

/// Guards the long doubles of 32-bit machines.
#[test]
fn long_doubles_of_twelve_bytes_are_read_without_loss() {
    for name in ["f12_le.npy", "f12_be.npy"] {
        let error = Vec::<LongDouble>::read_npy(golden(name)).unwrap_err().to_string();
        assert!(error.contains("Cast::Lossless"), "{error}");
        let mut options = ReadOptions::new();
        let read: Vec<LongDouble> = options.cast(Cast::Lossless).read(golden(name)).unwrap();
        assert_eq!(read, [0.0, 1.5, -2.0].map(LongDouble::from));
    }
}

/// Guards invalid text: an error with row and field, and nothing is read.
#[test]
fn a_code_point_that_is_no_character_names_its_row() {
    for name in ["U_surrogate_le.npy", "U_surrogate_be.npy"] {
        let path = golden(name);
        let errors = [
            Vec::<FixedStr<3>>::read_npy(&path).map(drop).unwrap_err(),
            Vec::<String>::read_npy(&path).map(drop).unwrap_err(),
        ];
        for error in errors {
            let says = "row 1: code point 0xd800 is a surrogate, not a character; read the file as a DynArray, which keeps such code points";
            assert_eq!(error.to_string(), format!("{}: {says}", path.display()));
        }
        assert_eq!(DynArray::read_npy(&path).unwrap().shape(), [2]);
    }
    let mut file = Vec::new();
    let mut row = [0; Small::SIZE];
    row[26 + 4..][..4].copy_from_slice(&0x11_0000u32.to_le_bytes());
    DynArray::new(Small::dtype(), [2], npy_core::Order::C, [[0; Small::SIZE], row].concat())
        .unwrap()
        .write_npy_to(&mut file)
        .unwrap();
    let error = Vec::<Small>::read_npy_from(&file[..]).unwrap_err().to_string();
    assert!(error.starts_with("row 1: field \"u\": code point 0x110000 is beyond"), "{error}");
}

/// Guards a cast that widens text: the text stays the same.
#[test]
fn narrower_text_is_read_without_loss() {
    for name in ["U4_le.npy", "U4_be.npy"] {
        let mut options = ReadOptions::new();
        let read: Vec<FixedStr<6>> = options.cast(Cast::Lossless).read(golden(name)).unwrap();
        assert_eq!(read, ["", "a", "a\0b", "é整😀z"]);
        assert!(options.read::<Vec<FixedStr<3>>>(golden(name)).is_err());
    }
    let error = NpyArray::<FixedStr<3>>::read_npy(golden("U4_le.npy")).unwrap_err().to_string();
    assert!(error.contains("the file holds '<U4', FixedStr<3> expects '<U3'"), "{error}");
}

/// Guards records whose bytes are swapped: only the numbers change, and no offset, title or padding.
#[test]
fn a_byte_order_changes_nothing_else_of_a_record() {
    let field = |name: &str, descr: &str| Field::new(name, descr.parse().unwrap());
    let inner = DType::from_fields([field("x", "<u2").at(2)], 8).unwrap();
    let fields = [
        field("flag", "|u1"),
        Field::new("head", inner.array([2]).unwrap()).at(8),
        field("v", ">f4").at(24).title("volts"),
    ];
    let dtype = DType::from_fields(fields, 32).unwrap();
    let bytes: Vec<u8> = (0..64).collect();
    let array = DynArray::new(dtype.clone(), [2], Order::C, bytes).unwrap();
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let swapped = array.clone().into_byte_order(order).unwrap();
        let text = dtype.to_string();
        let digits = match order {
            ByteOrder::Big => text.replace('<', ">"),
            _ => text.replace('>', "<"),
        };
        assert_eq!(swapped.dtype().to_string(), digits);
        assert_eq!(swapped.to_string(), array.to_string());
        assert_eq!(swapped.cast(&dtype).unwrap().to_string(), array.to_string());
    }
}
