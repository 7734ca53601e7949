//! The page `npy_core::types` against the code: each row of its tables has a type here, and states its properties.

use std::collections::BTreeMap;

use half::{bf16, f16};
use npy_core::time::{Generic, Ns, Second, Times};
use npy_core::{
    AnyArray, Bool8, ByteOrder, ByteStr, Cast, ComplexLongDouble, DateTime64, DynArray, DynView,
    Element, FixedStr, Float8, Header, LongDouble, NpyArray, NpyRecord, NpyView, Objects, Order,
    ReadNpy, ReadOptions, TimeDelta64, Void, WriteNpy, WriteOptions,
};
use num_complex::Complex;

/// Returns the rows of the table with this heading; each cell without its markup.
fn table(heads: &[&str]) -> Vec<Vec<String>> {
    let page = include_str!("../../../npy-core/src/types.rs");
    let cells = |line: &str| -> Option<Vec<String>> {
        let line = line.strip_prefix("//! |")?.strip_suffix('|')?.replace("\\|", "\0");
        Some(line.split('|').map(|cell| cell.trim().replace('\0', "|")).collect())
    };
    let mut lines = page.lines().skip_while(|line| cells(line).is_none_or(|row| row != heads));
    assert!(lines.next().is_some(), "no table of {heads:?}");
    lines.next();
    lines.map_while(cells).map(|row| row.iter().map(|cell| plain(cell)).collect()).collect()
}

/// Returns a cell without backquotes and links.
fn plain(cell: &str) -> String {
    let text = match cell.split_once("](crate") {
        Some((name, _)) => name.trim_start_matches('['),
        None => cell,
    };
    text.replace('`', "")
}

/// Every scalar, by its name in the table.
const DTYPES: [&str; 36] = [
    "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "f12", "f16", "c8",
    "c16", "c24", "c32", "M8", "M8[s]", "M8[ns]", "m8", "m8[s]", "m8[25s]", "S0", "S4", "S5", "S6",
    "U0", "U4", "U5", "U6", "V1", "V2", "V5", "O",
];

/// Computes a row of the table from the code: the dtype, and what can be read without loss.
fn row<T: Element + ReadNpy + WriteNpy>() -> (String, Vec<&'static str>) {
    let descr = T::dtype().to_string();
    let code = &descr[1..];
    let mut lossless = Vec::new();
    for dtype in DTYPES {
        let file = |order| {
            let dtype = format!("{order}{dtype}").parse().unwrap();
            Header::new(dtype, [0], Order::C).unwrap().to_bytes().unwrap()
        };
        for file in [file('<'), file('>')] {
            let exact = ReadOptions::new().read_from::<Vec<T>>(&file[..]).is_ok();
            assert_eq!(exact, dtype == code, "{descr} of {dtype}");
        }
        let read = |file: Vec<u8>| {
            ReadOptions::new().cast(Cast::Lossless).read_from::<Vec<T>>(&file[..]).is_ok()
        };
        let both = [read(file('<')), read(file('>'))];
        assert_eq!(both[0], both[1], "{descr} of {dtype}");
        if both[0] && dtype != code {
            lossless.push(dtype);
        }
    }
    comes_back::<T>();
    (descr, lossless)
}

/// Writes and reads values in both byte orders, as a list and alone.
fn comes_back<T: Element + ReadNpy + WriteNpy>() {
    // Arbitrary bytes; if they are invalid, small numbers of four bytes, which are valid code points.
    let random: Vec<u8> = (1..=T::SIZE * 40).map(|i| (i * i % 251).to_le_bytes()[0]).collect();
    let points = random.iter().enumerate().map(|(i, n)| if i % 4 == 0 { n | 1 } else { 0 });
    let bytes = if T::check(&random).is_ok() { random.clone() } else { points.collect() };
    T::check(&bytes).unwrap();
    let values: Vec<T> = bytes.chunks_exact(T::SIZE).map(T::decode).collect();
    // Several byte values are the same bool.
    assert!(canonical(&values) == bytes || T::dtype().to_string() == "|b1");
    list_comes_back(&values);
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let mut file = Vec::new();
        WriteOptions::new().byte_order(order).write_to(&mut file, &values[0]).unwrap();
        let again = T::read_npy_from(&file[..]).unwrap();
        assert_eq!(canonical(&[again]), canonical(&values[..1]));
    }
    let records = bytes.chunks_exact(6 * T::SIZE).zip(0u8..).map(|(six, i)| {
        let mut item = vec![i];
        item.extend(six);
        Within::<T>::decode(&item)
    });
    list_comes_back(&records.collect::<Vec<_>>());
}

/// Has the type at every kind of position in a record.
#[derive(NpyRecord)]
struct Within<T> {
    count: u8,
    one: T,
    pair: [T; 2],
    more: Box<[T; 2]>,
    last: T,
}

fn canonical<T: Element>(values: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * T::SIZE];
    let slots = bytes.chunks_exact_mut(T::SIZE);
    slots.zip(values).for_each(|(slot, value)| value.encode(slot).unwrap());
    bytes
}

/// Writes and reads values in both byte orders, whether bytes are swapped in a separate pass or while decoding.
fn list_comes_back<T: Element>(values: &[T]) {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let mut file = Vec::new();
        WriteOptions::new().byte_order(order).write_to(&mut file, values).unwrap();
        let dtype = DynArray::read_npy_from(&file[..]).unwrap().dtype().clone();
        assert_eq!(dtype, T::dtype_in(order));
        assert_eq!(dtype, T::dtype().with_byte_order(order));
        let again = Vec::<T>::read_npy_from(&file[..]).unwrap();
        assert_eq!(canonical(&again), canonical(values), "{dtype}");
    }
}

/// Guards the table of items: dtypes, what is read without loss, and that written values read back equal.
#[test]
fn items_are_what_the_page_says() {
    macro_rules! rows {
        ($($type:ty),* $(,)?) => {
            BTreeMap::from([$((name(stringify!($type)), row::<$type>())),*])
        };
    }
    // The name as the page has it, for example `half::f16`.
    fn name(type_name: &str) -> String {
        match type_name {
            "f16" | "bf16" => format!("half::{type_name}"),
            other => other.to_owned(),
        }
    }
    let code = rows![
        bool,
        Bool8,
        i8,
        i16,
        i32,
        i64,
        u8,
        u16,
        u32,
        u64,
        f16,
        bf16,
        f32,
        f64,
        LongDouble,
        Complex<f32>,
        Complex<f64>,
        ComplexLongDouble,
        DateTime64<Ns>,
        DateTime64<Generic>,
        TimeDelta64<Times<25, Second>>,
        TimeDelta64<Generic>,
        ByteStr<5>,
        FixedStr<5>,
        Void<5>,
        Float8,
    ];
    let features = include_str!("../../../npy-core/Cargo.toml");
    let mut page = BTreeMap::new();
    for row in table(&["Rust", "NumPy", "feature", "reads without loss"]) {
        let [rust, dtype, feature, lossless] = row.try_into().unwrap();
        let foreign = rust.starts_with("half::") || rust.starts_with("Complex<");
        assert_eq!(foreign, !feature.is_empty(), "{rust}");
        let stated = format!("\n{feature} = [");
        assert!(feature.is_empty() || features.contains(&stated), "{rust}: no feature {feature}");
        let lossless = lossless.split_whitespace().flat_map(|code| match code.strip_suffix('…') {
            Some(kind) => {
                let of_kind = DTYPES.into_iter().filter(|it| it.starts_with(kind));
                of_kind.filter(|it| *it != &dtype[1..]).collect()
            }
            None => vec![*DTYPES.iter().find(|it| **it == code).unwrap()],
        });
        let mut lossless: Vec<&str> = lossless.collect();
        lossless.sort_by_key(|code| DTYPES.iter().position(|it| it == code));
        assert!(page.insert(rust, (dtype, lossless)).is_none());
    }
    assert_eq!(page, code);
}

/// Guards the table of arrays.
#[test]
fn arrays_are_what_the_page_says() {
    fn reads<A: ReadNpy>() -> &'static str {
        let _ = A::read_npy::<&str>;
        "yes"
    }
    fn writes<A: WriteNpy + ?Sized>() -> &'static str {
        let _ = A::write_npy::<&str>;
        "yes"
    }
    macro_rules! rows {
        ($($name:literal: $type:ty, $($what:ident)*;)*) => {
            BTreeMap::from([$(($name, rows!($type, $($what)*))),*])
        };
        ($type:ty, read write) => { (reads::<$type>(), writes::<$type>()) };
        ($type:ty, write) => { ("", writes::<$type>()) };
    }
    let code: BTreeMap<&str, (&str, &str)> = rows! {
        "Vec<T>": Vec<f16>, read write;
        "Box<[T]>": Box<[f16]>, read write;
        "[T]": [f16], write;
        "[T; N]": [f16; 2], write;
        "T": f16, read write;
        "NpyArray<T>": NpyArray<f16>, read write;
        "AnyArray": AnyArray, read write;
        "DynArray": DynArray, read write;
        "NpyView<T>": NpyView<'static, f16>, write;
        "DynView": DynView<'static>, write;
        "Vec<String>": Vec<String>, read write;
        "NpyArray<String>": NpyArray<String>, read write;
        "Vec<Vec<u8>>": Vec<Vec<u8>>, read write;
        "NpyArray<Vec<u8>>": NpyArray<Vec<u8>>, read write;
        "[&str]": [&str], write;
        "[&[u8]]": [&[u8]], write;
        "Vec<&str>": Vec<&str>, write;
        "Vec<&[u8]>": Vec<&[u8]>, write;
        "Vec<Option<T>>": Vec<Option<f64>>, read write;
        "[Option<T>]": [Option<&str>], write;
        "NpyArray<Option<T>>": NpyArray<Option<bool>>, read write;
        "Objects": Objects, read write;
        "String": String, read write;
        "str": str, write;
    };
    let table = table(&["Rust", "read", "written", "dimensions"]);
    let mut page = BTreeMap::new();
    for row in &table {
        for name in row[0].split(", ") {
            assert!(page.insert(name, (&*row[1], &*row[2])).is_none());
        }
    }
    assert_eq!(page, code);
}

/// Guards the table of conversions: each works both ways.
#[test]
fn times_of_other_crates_are_what_the_page_says() {
    macro_rules! rows {
        ($($name:literal, $feature:literal, $time:ident: $type:ty;)*) => {{
            $(
                // If it compiles, the conversion exists; the values are tested in the unit tests.
                let there = <$type>::try_from($time::<Ns>::new(0)).unwrap();
                assert_eq!($time::<Ns>::try_from(there).unwrap().count(), 0);
                assert!(<$type>::try_from($time::<Ns>::NAT).is_err());
            )*
            vec![$(vec![$name, $feature, stringify!($time)]),*]
        }};
    }
    let code = rows! {
        "std::time::SystemTime", "", DateTime64: std::time::SystemTime;
        "jiff::Timestamp", "jiff", DateTime64: jiff::Timestamp;
        "jiff::civil::Date", "jiff", DateTime64: jiff::civil::Date;
        "jiff::SignedDuration", "jiff", TimeDelta64: jiff::SignedDuration;
        "chrono::DateTime<Utc>", "chrono", DateTime64: chrono::DateTime<chrono::Utc>;
        "chrono::NaiveDate", "chrono", DateTime64: chrono::NaiveDate;
        "chrono::TimeDelta", "chrono", TimeDelta64: chrono::TimeDelta;
    };
    assert_eq!(table(&["Rust", "feature", "converts to and from"]), code);
}
