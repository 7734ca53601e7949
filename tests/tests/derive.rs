//! `#[derive(NpyRecord)]` through the public API.

use npy_core::time::{Ms, Ns};
use npy_core::{
    ByteOrder, ByteStr, DateTime64, Element, NpyRecord, ReadNpy, TimeDelta64, WriteNpy,
    WriteOptions,
};

/// Writes and reads, in both byte orders.
#[track_caller]
fn assert_round_trip<T: Element + PartialEq + std::fmt::Debug>(items: Vec<T>) {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let mut file = Vec::new();
        WriteOptions::new().byte_order(order).write_to(&mut file, &items).unwrap();
        assert_eq!(Vec::<T>::read_npy_from(&file[..]).unwrap(), items);
    }
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Inner {
    gain: f32,
    name: ByteStr<3>,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Everything {
    a: bool,
    b: i8,
    c: i16,
    d: i32,
    e: i64,
    f: u8,
    g: u16,
    h: u32,
    i: u64,
    j: f32,
    k: f64,
    l: ByteStr<5>,
    m: DateTime64<Ns>,
    n: TimeDelta64<Ms>,
    o: [f32; 3],
    p: [[u16; 2]; 3],
    q: Inner,
    r: [Inner; 2],
    s: [[i8; 0]; 2],
    r#type: u8,
}

fn everything(x: u8) -> Everything {
    let inner = Inner { gain: f32::from(x), name: ByteStr::new("ab").unwrap() };
    Everything {
        a: x.is_multiple_of(2),
        b: -1,
        c: -2,
        d: i32::MIN,
        e: i64::MAX,
        f: x,
        g: 515,
        h: u32::MAX,
        i: u64::MAX - 1,
        j: -0.5,
        k: 1e300,
        l: ByteStr::new("RJOB").unwrap(),
        m: DateTime64::new(1_251_073_203_000_000_000),
        n: TimeDelta64::NAT,
        o: [1.0, 2.0, 3.0],
        p: [[1, 2], [3, 4], [5, 0x0102]],
        q: inner.clone(),
        r: [inner.clone(), inner],
        s: [[], []],
        r#type: 7,
    }
}

#[test]
fn every_kind_of_field_keeps_its_value() {
    assert_round_trip((0..50).map(everything).collect());
    assert_eq!(
        Everything::dtype().to_string(),
        "[('a', '|b1'), ('b', '|i1'), ('c', '<i2'), ('d', '<i4'), ('e', '<i8'), ('f', '|u1'), ('g', '<u2'), \
         ('h', '<u4'), ('i', '<u8'), ('j', '<f4'), ('k', '<f8'), ('l', '|S5'), ('m', '<M8[ns]'), ('n', '<m8[ms]'), \
         ('o', '<f4', (3,)), ('p', '<u2', (3, 2)), ('q', [('gain', '<f4'), ('name', '|S3')]), \
         ('r', [('gain', '<f4'), ('name', '|S3')], (2,)), ('s', '|i1', (2, 0)), ('type', '|u1')]"
    );
}

#[derive(NpyRecord, Debug, PartialEq)]
struct Pair<A, B>(A, B);

#[derive(NpyRecord, Debug, PartialEq)]
struct Generic<T, const N: usize>
where
    T: Copy,
{
    first: T,
    rest: [T; N],
}

trait Unit {
    type Count;
}

/// Bounds are found inside arrays and inside other records' parameters.
#[derive(NpyRecord, Debug, PartialEq)]
struct Within<U: Unit> {
    array: [[U::Count; 2]; 3],
    pair: Pair<<U as Unit>::Count, u8>,
}

/// A type that a macro passes on is one token to the derive.
macro_rules! record {
    ($name:ident, $ty:ty, $file_name:literal) => {
        #[derive(NpyRecord, Debug, PartialEq)]
        struct $name<U: Unit> {
            #[npy(rename = $file_name)]
            count: $ty,
            array: [$ty; 2],
        }
    };
}

record!(FromMacro, U::Count, "n");

#[derive(Debug, PartialEq)]
struct Seconds;

impl Unit for Seconds {
    type Count = u32;
}

#[derive(NpyRecord, Debug, PartialEq)]
struct Associated<U: Unit> {
    count: U::Count,
}

#[test]
fn generics_are_elements_where_their_parameters_are() {
    assert_round_trip(vec![Pair(1u8, Pair(2.5f64, [true, false]))]);
    assert_eq!(Pair::<u8, i16>::dtype().to_string(), "[('f0', '|u1'), ('f1', '<i2')]");
    assert_round_trip(vec![Generic { first: 1i64, rest: [2, 3] }]);
    assert_round_trip(vec![Generic::<u8, 0> { first: 1, rest: [] }]);
    assert_eq!(Associated::<Seconds>::dtype().to_string(), "[('count', '<u4')]");
    assert_eq!(
        Within::<Seconds>::dtype().to_string(),
        "[('array', '<u4', (3, 2)), ('pair', [('f0', '<u4'), ('f1', '|u1')])]"
    );
    assert_eq!(FromMacro::<Seconds>::dtype().to_string(), "[('n', '<u4'), ('array', '<u4', (2,))]");
}

/// C's layout, with a record inside a record.
#[derive(NpyRecord, Debug, PartialEq)]
#[npy(align)]
#[repr(C)]
struct Aligned {
    a: u8,
    b: f64,
    c: [Short; 2],
    d: u8,
}

#[derive(NpyRecord, Debug, PartialEq)]
#[npy(align)]
#[repr(C)]
struct Short {
    x: u8,
    y: u16,
}

#[test]
fn aligned_records_are_laid_out_as_in_c() {
    assert_eq!(
        Aligned::dtype().to_string(),
        "[('a', '|u1'), ('', '|V7'), ('b', '<f8'), \
         ('c', [('x', '|u1'), ('', '|V1'), ('y', '<u2')], (2,)), ('d', '|u1'), ('', '|V7')]"
    );
    assert_eq!((Aligned::SIZE, Aligned::ALIGN), (size_of::<Aligned>(), align_of::<Aligned>()));
    let offsets: Vec<_> = Aligned::FIELDS.iter().map(|field| field.offset).collect();
    let c = std::mem::offset_of!(Aligned, c);
    assert_eq!(offsets, [0, std::mem::offset_of!(Aligned, b), c, c + 8]);
    let items =
        || vec![Aligned { a: 1, b: 2.0, c: [Short { x: 3, y: 4 }, Short { x: 5, y: 6 }], d: 7 }];
    assert_round_trip(items());
    // Padding is zero, whatever the buffer held before.
    let mut file = Vec::new();
    items().write_npy_to(&mut file).unwrap();
    let data = &file[file.len() - Aligned::SIZE..];
    assert_eq!(data[1..8], [0; 7]);
    assert_eq!(data[25..], [0; 7]);
}

#[derive(NpyRecord, Debug, Clone, Copy, PartialEq)]
#[repr(C, packed)]
struct Packed {
    a: u8,
    b: f64,
}

#[derive(NpyRecord, Debug, Clone, Copy, PartialEq)]
#[repr(C, packed(2))]
struct PackedPair<T>(u8, T, [T; 2]);

#[test]
fn fields_of_packed_structs_are_copied_and_not_borrowed() {
    assert_round_trip(vec![Packed { a: 1, b: -2.5 }; 3]);
    assert_round_trip(vec![PackedPair(1, -2.5f64, [0.5, 1.5]); 3]);
}

mod endian {
    use super::*;

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Plain {
        x: u16,
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    #[npy(endian = "little")]
    struct Stated {
        x: u16,
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    #[npy(endian = "big")]
    struct Outer {
        a: u32,
        plain: Plain,
        stated: Stated,
        many: [Plain; 2],
        #[npy(endian = "little")]
        little: [Plain; 2],
        #[npy(endian = "native")]
        native: u16,
        byte: u8,
    }

    #[test]
    fn the_inner_statement_wins() {
        assert_eq!(
            Outer::dtype().with_byte_order(ByteOrder::Little).to_string(),
            Outer::dtype().to_string().replace('>', "<")
        );
        let native = if ByteOrder::NATIVE == ByteOrder::Big { ">" } else { "<" };
        assert_eq!(
            Outer::dtype().to_string(),
            format!(
                "[('a', '>u4'), ('plain', [('x', '>u2')]), ('stated', [('x', '<u2')]), \
                 ('many', [('x', '>u2')], (2,)), ('little', [('x', '<u2')], (2,)), \
                 ('native', '{native}u2'), ('byte', '|u1')]"
            )
        );
        assert_round_trip(vec![Outer {
            a: 1,
            plain: Plain { x: 2 },
            stated: Stated { x: 3 },
            many: [Plain { x: 4 }, Plain { x: 5 }],
            little: [Plain { x: 6 }, Plain { x: 7 }],
            native: 8,
            byte: 9,
        }]);
    }

    #[test]
    fn what_is_written_follows_the_options_unless_stated() {
        let mut file = Vec::new();
        let items = [Pair(Plain { x: 1 }, Stated { x: 2 })];
        WriteOptions::new().byte_order(ByteOrder::Big).write_to(&mut file, &items).unwrap();
        assert_eq!(file[file.len() - 4..], [0, 1, 2, 0]);
    }
}

mod names {
    use super::*;

    #[derive(NpyRecord)]
    #[npy(rename_all = "SCREAMING_SNAKE_CASE")]
    struct Shouted {
        two_words: u8,
        #[npy(rename = "it's \"q\" é 整")]
        other: u8,
    }

    #[test]
    fn renames_are_written_as_python_writes_them() {
        assert_eq!(
            Shouted::dtype().to_string(),
            "[('TWO_WORDS', '|u1'), ('it\\'s \"q\" é 整', '|u1')]"
        );
    }
}

#[derive(NpyRecord, Debug, PartialEq)]
struct Few {
    c: u32,
    a: u8,
}

#[derive(NpyRecord, Debug, PartialEq)]
struct Many {
    a: u8,
    b: f64,
    c: u32,
}

#[test]
fn fields_are_matched_by_name() {
    let mut file = Vec::new();
    vec![Many { a: 1, b: 0.5, c: 2 }, Many { a: 3, b: 1.5, c: 4 }].write_npy_to(&mut file).unwrap();
    assert_eq!(
        Vec::<Few>::read_npy_from(&file[..]).unwrap(),
        [Few { c: 2, a: 1 }, Few { c: 4, a: 3 }]
    );
    let mut few = Vec::new();
    [Few { c: 2, a: 1 }].write_npy_to(&mut few).unwrap();
    let error = Vec::<Many>::read_npy_from(&few[..]).unwrap_err();
    assert!(error.to_string().contains("no field \"b\""), "{error}");
}

/// The reviewed expansions, compiled unchanged.
// Named and tuple structs have the same kind of expansion, which initializes tuple fields by number.
#[allow(clippy::init_numbered_fields, clippy::manual_unwrap_or_default)]
mod snapshot {
    use npy_core::Element;

    #[derive(Debug, PartialEq)]
    struct Pick {
        station: u32,
        time: f64,
    }

    include!("../../npy-derive/snapshots/pick.rs");

    #[derive(Debug, PartialEq)]
    struct Pair<T, const N: usize>(u8, [T; N]);

    include!("../../npy-derive/snapshots/pair.rs");

    struct Layer<T> {
        weights: Vec<T>,
        bias: f32,
        inner: Inner,
        cached: bool,
    }

    /// Replaces `Pick`, the type of the field in that expansion, which is not an archive here.
    #[derive(npy_core::NpzArchive)]
    struct Inner {
        x: u8,
    }

    mod layer {
        use super::{Inner as Pick, Layer};

        include!("../../npy-derive/snapshots/layer.rs");
    }

    #[test]
    fn the_snapshots_compile_and_work() {
        assert_eq!(Pick::dtype().to_string(), "[('station', '<u4'), ('time', '>f8')]");
        super::assert_round_trip(vec![Pick { station: 7, time: 1.5 }]);
        assert_eq!(
            Pair::<f32, 2>::dtype().to_string(),
            "[('f0', '|u1'), ('', '|V3'), ('f1', '<f4', (2,))]"
        );
        super::assert_round_trip(vec![Pair(7, [1.5f32, 2.5])]);
        let bytes = std::io::Cursor::new(Vec::new());
        let mut writer = npy_core::npz::Writer::new(bytes).unwrap();
        let layer = Layer { weights: vec![0.5], bias: 2.5, inner: Inner { x: 3 }, cached: true };
        writer.write_fields(&layer).unwrap();
        let reader = npy_core::npz::Reader::new(writer.finish().unwrap()).unwrap();
        assert_eq!(reader.names().collect::<Vec<_>>(), ["weights", "bias", "x"]);
        let read = reader.read_fields::<Layer<f64>>().unwrap();
        assert_eq!(
            (read.weights, read.bias, read.inner.x, read.cached),
            (vec![0.5], 2.5, 3, false)
        );
    }
}
