//! Properties that hold for all values, all layouts and all bytes. The seed is fixed, so that failures are
//! reproducible.

use npy_core::time::{Ns, Second, Times};
use npy_core::{
    ByteOrder, ByteStr, Cast, DType, DateTime64, DynArray, Element, Header, NpyArray, NpyRecord,
    Order, ReadNpy, ReadOptions, Reader, TimeDelta64, Version, WriteNpy, WriteOptions,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;

fn config(cases: usize) -> ProptestConfig {
    ProptestConfig {
        cases: u32::try_from(npy_tests::rounds(cases)).unwrap(),
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    }
}

// ---------------------------------------------------------------------------------------------
// Values, and equality that sees the bits of a NaN and the sign of a zero.

trait Bits {
    fn bits(&self) -> Vec<u64>;
}

/// One number for each value.
macro_rules! bits {
    ($([$($generics:tt)*] $type:ty: $value:ident => $bits:expr),* $(,)?) => {$(
        impl<$($generics)*> Bits for $type {
            fn bits(&self) -> Vec<u64> {
                let $value = self;
                vec![$bits]
            }
        }
    )*};
}

bits! {
    [] bool: x => u64::from(*x),
    [] u8: x => u64::from(*x),
    [] u16: x => u64::from(*x),
    [] u32: x => u64::from(*x),
    [] u64: x => *x,
    [] i8: x => i64::from(*x).cast_unsigned(),
    [] i16: x => i64::from(*x).cast_unsigned(),
    [] i32: x => i64::from(*x).cast_unsigned(),
    [] i64: x => x.cast_unsigned(),
    [] f32: x => u64::from(x.to_bits()),
    [] f64: x => x.to_bits(),
    [U] DateTime64<U>: x => x.count().cast_unsigned(),
    [U] TimeDelta64<U>: x => x.count().cast_unsigned(),
}

impl<const N: usize> Bits for ByteStr<N> {
    fn bits(&self) -> Vec<u64> {
        self.as_array().bits()
    }
}

impl<T: Bits, const N: usize> Bits for [T; N] {
    fn bits(&self) -> Vec<u64> {
        self.as_slice().bits()
    }
}

impl<T: Bits> Bits for [T] {
    fn bits(&self) -> Vec<u64> {
        self.iter().flat_map(Bits::bits).collect()
    }
}

/// Defines a record, a strategy for instances with any bits, and its `Bits`.
macro_rules! record {
    ($(#[$meta:meta])* $name:ident, $any:ident {
        $($(#[$on_field:meta])* $field:ident: $type:ty = $strategy:expr),* $(,)?
    }) => {
        #[derive(NpyRecord, Debug, Clone)]
        $(#[$meta])*
        struct $name {
            $($(#[$on_field])* $field: $type),*
        }

        impl Bits for $name {
            fn bits(&self) -> Vec<u64> {
                [$(self.$field.bits()),*].concat()
            }
        }

        prop_compose! {
            fn $any()($($field in $strategy),*) -> $name {
                $name { $($field),* }
            }
        }
    };
}

fn any_f32() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits)
}

fn any_f64() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits)
}

fn any_text<const N: usize>() -> impl Strategy<Value = ByteStr<N>> {
    any::<[u8; N]>().prop_map(ByteStr::from)
}

fn any_time() -> impl Strategy<Value = DateTime64<Ns>> {
    any::<i64>().prop_map(DateTime64::new)
}

record! {
    #[derive(Copy)]
    Inner, any_inner { x: u32 = any::<u32>(), y: [i16; 2] = any::<[i16; 2]>() }
}

record! {
    Row, any_row {
        flag: bool = any::<bool>(),
        gain: f32 = any_f32(),
        time: DateTime64<Ns> = any_time(),
        samples: [f64; 3] = [any_f64(), any_f64(), any_f64()],
        name: ByteStr<4> = any_text(),
        inner: Inner = any_inner(),
        many: [[Inner; 2]; 1] = [[any_inner(), any_inner()]],
    }
}

record! {
    /// The fields of `Row` in another layout: another order, padding, more fields, and nested records with more fields.
    #[npy(align)]
    #[repr(C)]
    Wide, any_wide {
        before: u8 = any::<u8>(),
        many: [[WideInner; 2]; 1] = [[any_wide_inner(), any_wide_inner()]],
        name: ByteStr<4> = any_text(),
        samples: [f64; 3] = [any_f64(), any_f64(), any_f64()],
        extra: [u16; 3] = any::<[u16; 3]>(),
        flag: bool = any::<bool>(),
        inner: WideInner = any_wide_inner(),
        time: DateTime64<Ns> = any_time(),
        gain: f32 = any_f32(),
        after: bool = any::<bool>(),
    }
}

record! {
    #[derive(Copy)]
    #[npy(align)]
    #[repr(C)]
    WideInner, any_wide_inner {
        more: u8 = any::<u8>(), y: [i16; 2] = any::<[i16; 2]>(), z: f64 = any_f64(), x: u32 = any::<u32>(),
    }
}

record! {
    /// The fields of `Row`, with fixed byte orders.
    #[npy(endian = "big")]
    Mixed, any_mixed {
        gain: f32 = any_f32(),
        #[npy(endian = "little")]
        time: DateTime64<Ns> = any_time(),
        samples: [f64; 3] = [any_f64(), any_f64(), any_f64()],
        #[npy(endian = "little")]
        inner: Inner = any_inner(),
        many: [[Inner; 2]; 1] = [[any_inner(), any_inner()]],
        name: ByteStr<4> = any_text(),
        flag: bool = any::<bool>(),
    }
}

impl From<WideInner> for Inner {
    fn from(WideInner { x, y, .. }: WideInner) -> Self {
        Inner { x, y }
    }
}

impl From<Wide> for Row {
    fn from(wide: Wide) -> Self {
        let Wide { flag, gain, time, samples, name, inner, many, .. } = wide;
        let many = many.map(|many| many.map(Inner::from));
        Row { flag, gain, time, samples, name, inner: inner.into(), many }
    }
}

impl From<Mixed> for Row {
    fn from(mixed: Mixed) -> Self {
        let Mixed { flag, gain, time, samples, name, inner, many } = mixed;
        Row { flag, gain, time, samples, name, inner, many }
    }
}

// ---------------------------------------------------------------------------------------------
// There and back.

fn recode<T: Element>(value: &T) -> T {
    let mut item = vec![0; T::SIZE];
    value.encode(&mut item).unwrap();
    assert!(T::check(&item).is_ok());
    T::decode(&item)
}

fn assert_recodes<T: Element + Bits>(value: &T) {
    assert_eq!(T::SIZE, T::dtype().itemsize());
    assert_eq!(recode(value).bits(), value.bits());
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn decode_after_encode_is_the_identity(
        integers in any::<(bool, i8, i16, i32, i64)>(),
        unsigned in any::<(u8, u16, u32, u64)>(),
        floats in (any_f32(), any_f64()),
        text in (any_text::<0>(), any_text::<1>(), any_text::<9>()),
        records in (any_inner(), any_row(), any_wide(), any_mixed()),
        arrays in (any::<[u16; 5]>(), any::<[[i8; 2]; 3]>(), any::<[u64; 0]>()),
        count in any::<i64>(),
    ) {
        macro_rules! each {
            ($from:ident: $($index:tt)*) => { $(assert_recodes(&$from.$index);)* };
        }
        each!(integers: 0 1 2 3 4);
        each!(unsigned: 0 1 2 3);
        each!(floats: 0 1);
        each!(text: 0 1 2);
        each!(records: 0 1 2 3);
        each!(arrays: 0 1 2);
        assert_recodes(&DateTime64::<Times<25, Second>>::new(count));
        assert_recodes(&TimeDelta64::<Ns>::new(count));
    }
}

/// Options for writing: all versions, byte orders and orders.
fn any_options() -> impl Strategy<Value = WriteOptions> {
    let versions = select(vec![None, Some(Version::V1), Some(Version::V2), Some(Version::V3)]);
    let byte_orders = select(vec![None, Some(ByteOrder::Little), Some(ByteOrder::Big)]);
    (versions, byte_orders, select(vec![None, Some(Order::C), Some(Order::Fortran)])).prop_map(
        |(version, byte_order, order)| {
            let mut options = WriteOptions::new();
            version.map(|version| options.version(version));
            byte_order.map(|byte_order| options.byte_order(byte_order));
            order.map(|order| options.order(order));
            options
        },
    )
}

fn written<A: WriteNpy + ?Sized>(options: &WriteOptions, array: &A) -> Vec<u8> {
    let mut bytes = Vec::new();
    options.write_to(&mut bytes, array).unwrap();
    bytes
}

/// Writes and reads in every way.
fn assert_there_and_back<T>(data: Vec<T>, shape: &[usize], order: Order, options: &WriteOptions)
where
    T: Element + Bits + Clone + std::fmt::Debug,
{
    let vector = written(options, &data);
    assert_eq!(Vec::<T>::read_npy_from(&vector[..]).unwrap().bits(), data.bits());
    assert_eq!(Box::<[T]>::read_npy_from(&vector[..]).unwrap().bits(), data.bits());

    // As many items as the shape has; an empty list cannot be repeated, so its shape is empty, too.
    let count = if data.is_empty() { 0 } else { shape.iter().product() };
    let shape = if data.is_empty() { &[3, 0] } else { shape };
    let data: Vec<T> = data.iter().cycle().take(count).cloned().collect();
    let array = NpyArray::with_order(data, shape, order).unwrap();
    let file = written(options, &array);
    let mut stream = [&file[..], b"rest"].concat();
    let mut rest = &stream[..];
    let read = NpyArray::<T>::read_npy_from(&mut rest).unwrap();
    assert_eq!(rest, b"rest", "exactly one array is taken");
    assert_eq!(read.shape(), shape);
    assert_eq!(logical(&read), logical(&array));
    for order in [Order::C, Order::Fortran] {
        assert_eq!(logical(&read.to_order(order)), logical(&array));
    }
    // A `DynArray` is written again as the same bytes; so is a typed array, except as below.
    let plain = written(&WriteOptions::new(), &array);
    let dynamic = DynArray::read_npy_from(&plain[..]).unwrap();
    assert!(written(&WriteOptions::new(), &dynamic) == plain, "read as it is, and written again");
    let dynamic = DynArray::read_npy_from(&file[..]).unwrap();
    // Sub-array items of a Fortran file are returned in C order.
    if T::dtype().sub_array().is_none() {
        assert!(written(options, &read) == file, "typed, and written again");
        let in_c_order = read.to_order(Order::C);
        let bits = in_c_order.as_slice_memory_order().bits();
        assert_eq!(dynamic.to_vec::<T>().unwrap().bits(), bits);
    }
    let header = Header::parse(&file).unwrap().0;
    assert_eq!(Reader::new(&file[..]).unwrap().header(), &header);
    stream.truncate(file.len().saturating_sub(1));
    if T::SIZE > 0 && count > 0 {
        assert!(NpyArray::<T>::read_npy_from(&stream[..]).is_err(), "a byte is missing");
    }
}

/// Returns the items in index order.
fn logical<T: Bits>(array: &NpyArray<T>) -> Vec<u64> {
    array.iter().flat_map(Bits::bits).collect()
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn read_after_write_is_the_identity(
        rows in vec(any_row(), 0..4),
        wide in vec(any_wide(), 0..4),
        mixed in vec(any_mixed(), 0..4),
        floats in vec(any_f64(), 0..9),
        ints in vec(any::<i16>(), 0..9),
        text in vec(any_text::<3>(), 0..9),
        triples in vec(any::<[[u16; 3]; 2]>(), 0..9),
        shape in vec(0usize..4, 0..4),
        order in select(vec![Order::C, Order::Fortran]),
        options in any_options(),
    ) {
        assert_there_and_back(rows, &shape, order, &options);
        assert_there_and_back(wide, &shape, order, &options);
        assert_there_and_back(mixed, &shape, order, &options);
        assert_there_and_back(floats, &shape, order, &options);
        assert_there_and_back(ints, &shape, order, &options);
        assert_there_and_back(text, &shape, order, &options);
        assert_there_and_back(triples, &shape, order, &options);
    }

    /// Guards the three ways through the reader, exact, swapped and general: all give the same result.
    #[test]
    fn all_ways_through_the_reader_agree(
        wide in vec(any_wide(), 0..5),
        mixed in vec(any_mixed(), 0..5),
        repeat in prop_oneof![40 => Just(1usize), 1 => Just(2000)],
    ) {
        // Sometimes more than a block, so that items cross block boundaries.
        let wide: Vec<Wide> = wide.iter().cycle().take(wide.len() * repeat).cloned().collect();
        let rows: Vec<Row> = wide.iter().cloned().map(Row::from).collect();
        let mut big = WriteOptions::new();
        big.byte_order(ByteOrder::Big);
        let files = [
            ("exact", written(&WriteOptions::new(), &rows)),
            ("swapped", written(&big, &rows)),
            ("general", written(&WriteOptions::new(), &wide)),
            ("general, swapped", written(&big, &wide)),
        ];
        let mut lossless = ReadOptions::new();
        lossless.cast(Cast::Lossless);
        let expected = rows.bits();
        for (way, file) in &files {
            let read = Vec::<Row>::read_npy_from(&file[..]).unwrap();
            assert!(read.bits() == expected, "{way}");
            let read = lossless.read_from::<Vec<Row>>(&file[..]).unwrap();
            assert!(read.bits() == expected, "{way}, lossless");
            let dynamic = DynArray::read_npy_from(&file[..]).unwrap();
            assert!(dynamic.to_vec::<Row>().unwrap().bits() == expected, "{way}, DynArray");
            let cast = dynamic.cast(&Row::dtype()).unwrap();
            assert!(written(&WriteOptions::new(), &cast) == files[0].1, "{way}, cast");
        }

        let rows: Vec<Row> = mixed.iter().cloned().map(Row::from).collect();
        let file = written(&WriteOptions::new(), &mixed);
        assert_eq!(Vec::<Row>::read_npy_from(&file[..]).unwrap().bits(), rows.bits());
        let file = written(&WriteOptions::new(), &rows);
        assert_eq!(Vec::<Mixed>::read_npy_from(&file[..]).unwrap().bits(), mixed.bits());
    }
}

// ---------------------------------------------------------------------------------------------
// Any bytes.

/// Reads in every way. Reading may fail, but successful reads must be consistent.
fn read_in_all_ways(bytes: &[u8]) {
    let parsed = Header::parse(bytes);
    assert_eq!(parsed.is_ok(), Header::read_from(&mut &bytes[..]).is_ok());
    assert_eq!(parsed.is_ok(), Reader::new(bytes).is_ok());
    if let Ok((header, offset)) = &parsed {
        assert!(*offset <= bytes.len());
        assert_eq!(Version::read_from(&mut &bytes[..]).unwrap(), header.version());
        assert_stable(header.dtype());
        let (again, _) = Header::parse(&header.to_bytes().unwrap()).unwrap();
        assert_eq!((again.dtype(), again.shape()), (header.dtype(), header.shape()));
    }
    let _ = Vec::<Row>::read_npy_from(bytes);
    let _ = Vec::<Wide>::read_npy_from(bytes);
    let _ = Vec::<[i16; 2]>::read_npy_from(bytes);
    let _ = NpyArray::<Row>::read_npy_from(bytes);
    let _ = NpyArray::<f64>::read_npy_from(bytes);
    let _ = f64::read_npy_from(bytes);
    let mut lossless = ReadOptions::new();
    lossless.cast(Cast::Lossless);
    let _ = lossless.read_from::<NpyArray<f64>>(bytes);
    let _ = lossless.read_from::<Vec<Row>>(bytes);
    let _ = lossless.read_from::<NpyArray<ByteStr<8>>>(bytes);

    let Ok(array) = DynArray::read_npy_from(bytes) else { return };
    let again = written(&WriteOptions::new(), &array);
    let read = DynArray::read_npy_from(&again[..]).unwrap();
    assert_eq!((read.dtype(), read.shape()), (array.dtype(), array.shape()));
    assert_eq!(read.as_bytes(), array.as_bytes());
    let _ = array.to_vec::<Row>();
    let _ = array.cast(&array.dtype().packed());
    let _ = array.cast(&Row::dtype());
    // Reordering items of no bytes moves nothing, however many there are.
    let turned = array.to_order(Order::Fortran).unwrap().to_order(Order::C).unwrap();
    assert_eq!(turned.as_bytes(), array.to_order(Order::C).unwrap().as_bytes());
}

/// Asserts that printing and parsing are inverses.
fn assert_stable(dtype: &DType) {
    let descr = dtype.descr();
    let again: DType = descr.parse().unwrap_or_else(|error| panic!("{descr}: {error}"));
    assert_eq!(again, *dtype, "{descr}");
    assert_eq!(again.descr(), descr);
    assert_eq!(dtype.to_string().parse::<DType>().unwrap(), *dtype, "{descr}");
    let packed = dtype.packed();
    assert!(packed.itemsize() <= dtype.itemsize(), "{descr}");
    assert_eq!(packed.packed(), packed, "{descr}");
    let big = dtype.with_byte_order(ByteOrder::Big);
    assert_eq!(big.itemsize(), dtype.itemsize(), "{descr}");
    assert_eq!(big.with_byte_order(ByteOrder::Big), big, "{descr}");
}

/// Fragments of headers, which get further than random bytes do.
fn any_scraps() -> impl Strategy<Value = String> {
    let scraps = [
        "{'descr': ",
        "'fortran_order': False, ",
        "'shape': (2,), }",
        "'shape': ",
        "'<f8'",
        "'|u1'",
        "'<U3'",
        "'>M8[7D]'",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        ",",
        ", ",
        ":",
        "'",
        "\"",
        "\\",
        "\\N{",
        "\\x4",
        "\\ud800",
        "\n",
        " ",
        "\t",
        "#",
        "-",
        "+",
        "1",
        "0",
        "9223372036854775807",
        "18446744073709551616",
        "0x",
        "1_0",
        "1e5",
        "2L",
        "1j",
        "True",
        "None",
        "b'",
        "u'",
        "'a'",
        "'x'",
        "('', '|V4')",
        "('x', '<i4')",
        "(('t', 'y'), '<f4', (2, 3))",
        "('n', [('x', '>u2')])",
        "'|V2147483647'",
        "(2,)",
        "()",
        "é",
        "整",
        "\u{1f600}",
        "\0",
    ];
    vec(select(scraps.to_vec()), 0..24).prop_map(|scraps| scraps.concat())
}

/// Returns a file with this header text.
fn file(version: u8, text: &[u8], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap().to_le_bytes();
    let length = &length[..if version == 1 { 2 } else { 4 }];
    [b"\x93NUMPY", &[version, 0][..], length, text, data].concat()
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn random_bytes_do_no_harm(
        bytes in vec(any::<u8>(), 0..300),
        text in any_scraps(),
        data in vec(any::<u8>(), 0..100),
        version in 1u8..4,
    ) {
        read_in_all_ways(&bytes);
        read_in_all_ways(&file(version, &bytes, &data));
        read_in_all_ways(&file(version, text.as_bytes(), &data));
        let header = format!("{{'descr': {text}, 'fortran_order': False, 'shape': (3,), }}\n");
        read_in_all_ways(&file(version, header.as_bytes(), &data));
        let header = format!("{{'descr': '<i2', 'fortran_order': True, 'shape': {text}, }}\n");
        read_in_all_ways(&file(version, header.as_bytes(), &data));
    }

    #[test]
    fn random_text_is_a_stable_dtype_or_none(text in any_scraps(), any in ".{0,40}", scalar in "[<>|=]?[a-zA-Z?][0-9]{0,3}(\\[[0-9]{0,3}[a-zA-Z]{0,2}\\])?") {
        for text in [text, any, scalar] {
            if let Ok(dtype) = text.parse::<DType>() {
                assert_stable(&dtype);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Files that were valid.

/// One change to a file.
#[derive(Debug, Clone)]
enum Change {
    Flip(Index, u8),
    Cut(Index),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Double(Index, usize),
}

fn any_change() -> impl Strategy<Value = Change> {
    // Bytes with a meaning in a header, or any bytes.
    let byte = prop_oneof![select(b"0123456789'\"()[]{},:<>|\\ L-_Vf\n".to_vec()), any::<u8>()];
    prop_oneof![
        4 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Flip(at, byte)),
        1 => any::<Index>().prop_map(Change::Cut),
        4 => (any::<Index>(), vec(byte, 1..4)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        2 => (any::<Index>(), 1usize..9).prop_map(|(at, n)| Change::Remove(at, n)),
        2 => (any::<Index>(), 1usize..40).prop_map(|(at, n)| Change::Double(at, n)),
    ]
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let length = bytes.len();
        let place = |at: &Index| at.index(length + 1);
        let run = |at: &Index, n: usize| place(at)..(place(at) + n).min(length);
        match self {
            Change::Flip(at, byte) => {
                if let Some(old) = bytes.get_mut(place(at)) {
                    *old ^= byte;
                }
            }
            Change::Cut(at) => bytes.truncate(place(at)),
            Change::Insert(at, new) => drop(bytes.splice(place(at)..place(at), new.clone())),
            Change::Remove(at, n) => drop(bytes.drain(run(at, *n))),
            Change::Double(at, n) => {
                let again = bytes[run(at, *n)].to_vec();
                bytes.splice(place(at)..place(at), again);
            }
        }
    }
}

/// Files to start from; the header text is separate, so that it can change with its length kept correct.
fn any_file() -> impl Strategy<Value = (u8, Vec<u8>, Vec<u8>)> {
    let of = |file: Vec<u8>| {
        let (header, offset) = Header::parse(&file).unwrap();
        let start = if header.version() == Version::V1 { 10 } else { 12 };
        // Without most of the padding, where changes would have no effect.
        let text = file[start..offset].trim_ascii_end().to_vec();
        (header.version() as u8, text, file[offset..].to_vec())
    };
    let dynamic = |dtype: &str, shape: &[usize]| {
        let dtype: DType = dtype.parse().unwrap();
        let bytes = vec![1; dtype.itemsize() * shape.iter().product::<usize>()];
        let array = DynArray::new(dtype, shape, Order::Fortran, bytes).unwrap();
        of(written(&WriteOptions::new(), &array))
    };
    let rows = vec(any_row(), 0..3).prop_map(move |rows| of(written(&WriteOptions::new(), &rows)));
    let wide = (vec(any_wide(), 0..3), any_options());
    let wide = wide.prop_map(move |(wide, options)| of(written(&options, &wide)));
    let others = select(vec![
        of(written(&WriteOptions::new(), &[1.5f64, -2.0])),
        dynamic("<i2", &[2, 3]),
        dynamic("|S3", &[]),
        dynamic(">U2", &[3, 1, 2]),
        dynamic("|V0", &[7]),
        dynamic("[('é', '<M8[25s]'), ('', '|V3'), (('t', 'b'), '>c16', (2,))]", &[2]),
        dynamic("[('整', [('x', ('<f4', (2,)), (3,))], (1,)), (\"it's\", '|b1')]", &[2, 2]),
    ]);
    prop_oneof![rows, wide, others]
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn changed_files_do_no_harm(
        (version, mut text, data) in any_file(),
        changes in vec(any_change(), 1..4),
    ) {
        let mut whole = file(version, &text, &data);
        read_in_all_ways(&whole);
        for change in &changes {
            change.apply(&mut whole);
            change.apply(&mut text);
        }
        read_in_all_ways(&whole);
        read_in_all_ways(&file(version, &text, &data));
    }
}

// ---------------------------------------------------------------------------------------------
// Dtypes that exist.

/// A descr as NumPy may write it.
fn any_descr() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        select(vec!["b1", "i1", "u1", "V0", "V3", "S0", "S7"])
            .prop_map(|code| format!("'|{code}'")),
        (
            select(vec!['<', '>']),
            select(vec![
                "i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32",
                "U0", "U5", "M8", "m8[s]", "M8[25ns]"
            ])
        )
            .prop_map(|(order, code)| format!("'{order}{code}'")),
    ];
    scalar.prop_recursive(4, 24, 5, |inner| {
        let name = prop_oneof![
            select(vec![
                "a",
                "b",
                "it's",
                "say \\\"x\\\"",
                "\\\\",
                "é",
                "整",
                "\\ud800",
                "\\n\\x00",
                "x y"
            ])
            .prop_map(|name| format!("\"{name}\"")),
            "[a-z]{1,3}".prop_map(|name| format!("('title {name}', '{name}')")),
            "[a-z_]{1,8}".prop_map(|name| format!("'{name}'")),
        ];
        let shape = vec(0usize..4, 1..4).prop_map(|shape| {
            let dims: String = shape.iter().map(|n| format!("{n},")).collect();
            format!(", ({dims})")
        });
        let shape = prop_oneof![3 => Just(String::new()), 1 => shape];
        let field = (name, inner, shape)
            .prop_map(|(name, dtype, shape)| format!("({name}, {dtype}{shape})"));
        let padding = (1usize..9).prop_map(|n| format!("('', '|V{n}')"));
        let entry = prop_oneof![4 => field, 1 => padding];
        vec(entry, 0..6).prop_map(|fields| format!("[{}]", fields.join(", ")))
    })
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn dtypes_are_stable(descr in any_descr(), shape in vec(0usize..3, 0..4)) {
        // Only a repeated name is refused.
        let dtype = match descr.parse::<DType>() {
            Ok(dtype) => dtype,
            Err(error) => {
                assert!(error.to_string().contains("twice"), "{descr}: {error}");
                return Ok(());
            }
        };
        assert_stable(&dtype);
        let bytes = vec![7; dtype.itemsize() * shape.iter().product::<usize>()];
        let array = DynArray::new(dtype.clone(), shape, Order::C, bytes).unwrap();
        let mut file = Vec::new();
        match WriteOptions::new().write_to(&mut file, &array) {
            Ok(()) => read_in_all_ways(&file),
            // Sub-arrays of elements without bytes.
            Err(error) => assert!(error.to_string().contains("NumPy cannot load"), "{descr}: {error}"),
        }
        // Swapping bytes twice gives the same bytes, and so does adding and removing padding.
        let packed = array.cast(&dtype.packed()).unwrap();
        let big = packed.cast(&packed.dtype().with_byte_order(ByteOrder::Big)).unwrap();
        assert_eq!(big.cast(packed.dtype()).unwrap(), packed, "{descr}");
        let padded = packed.cast(&dtype).unwrap();
        assert_eq!(padded.cast(packed.dtype()).unwrap(), packed, "{descr}");
    }
}
