//! The traits of the standard library and of serde that users expect of public types.

use std::fmt::Debug;

use npy_core::time::{Day, Ms, Ns, Second};
use npy_core::{
    Be, Bool8, ByteOrder, ByteStr, DateTime64, DynArray, FixedStr, Le, LongDouble, Map, MapAny,
    MapMut, NpyArray, NpyRecord, NpyView, NpyViewMut, Order, ReadNpy, Reader, TimeDelta64, Value,
    Version, WriteNpy, iter, npz,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(NpyRecord)]
struct Pick {
    station: u8,
    time: f64,
}

fn picks() -> Vec<u8> {
    let mut file = Vec::new();
    let picks = [Pick { station: 7, time: 1.5 }, Pick { station: 9, time: 2.5 }];
    picks.write_npy_to(&mut file).unwrap();
    file
}

/// Iterators that a user's struct holds; each needs a name.
struct Held<'a> {
    values: iter::Values<'a>,
    column: iter::ColumnValues<'a, f64>,
    elements: iter::Iter<'a, f64>,
    names: npz::Names<'a>,
}

/// Guards that `for` works on references to maps, views, columns and arrays, and that their iterators have names.
#[test]
fn containers_are_iterated_by_reference() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    std::fs::write(&path, picks()).unwrap();
    // SAFETY: the file is ours alone.
    #[expect(unsafe_code)]
    let map = unsafe { MapAny::open(&path).unwrap() };
    let column = map.column::<f64>("time").unwrap();
    let mut sum = 0.0;
    for time in &column {
        sum += time;
    }
    assert_eq!(sum, 4.0);

    let numbers = dir.path().join("numbers.npy");
    NpyArray::with_order(vec![1.0, 3.0, 2.0, 4.0], [2, 2], Order::Fortran)
        .unwrap()
        .write_npy(&numbers)
        .unwrap();
    // SAFETY: the file is ours alone.
    #[expect(unsafe_code)]
    let (map, map_mut) =
        unsafe { (Map::<f64>::open(&numbers).unwrap(), MapMut::<f64>::open(&numbers).unwrap()) };
    let mut bytes = std::fs::read(&numbers).unwrap();
    let mut found = Vec::new();
    for &x in &map {
        found.push(x);
    }
    for &x in &map_mut {
        found.push(x);
    }
    let mut copy = bytes.clone();
    for x in &NpyView::<Le<f64>>::from_bytes(&bytes).unwrap() {
        found.push(x.get());
    }
    for x in &NpyViewMut::<Le<f64>>::from_bytes(&mut copy).unwrap() {
        found.push(x.get());
    }
    let array = DynArray::read_npy_from(&bytes[..]).unwrap();
    for x in &array {
        found.push(x.as_f64().unwrap());
    }
    assert_eq!(found, [1.0, 2.0, 3.0, 4.0].repeat(5), "logical order, whatever the file's");
    bytes.clear();

    let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    writer.write("a", &[1u8]).unwrap();
    let archive = npz::Reader::new(writer.finish().unwrap()).unwrap();
    let held = Held {
        values: array.iter(),
        column: column.iter(),
        elements: map.iter(),
        names: archive.names(),
    };
    let Held { values, column, elements, names } = held;
    assert_eq!((values.len(), column.len(), elements.len(), names.len()), (4, 2, 4, 1));
    assert!(names.rev().eq(["a"]));
}

/// Guards that structs which hold ours can derive `Debug`. The lint `missing_debug_implementations` finds types that have none; this finds
/// bounds on what they hold.
#[test]
fn readers_and_iterators_print() {
    let file = picks();
    let mut reader = Reader::new(&file[..]).unwrap();
    let records = reader.records::<Pick>().unwrap();
    assert_eq!(format!("{records:?}"), "Records { left: 2, .. }");
    let rows = reader.deserialize::<serde_json::Value>().unwrap();
    assert_eq!(format!("{rows:?}"), "DeserializedRows { left: 2, .. }");
}

/// Guards that an iterator of records knows how many are left, and that its hint stays true if the file ends too early.
#[test]
fn records_know_their_length() {
    let file = picks();
    let mut reader = Reader::new(&file[..]).unwrap();
    let mut records = reader.records::<Pick>().unwrap();
    assert_eq!((records.len(), records.size_hint()), (2, (0, Some(3))));
    assert_eq!(records.next().unwrap().unwrap().station, 7);
    assert_eq!((records.len(), records.is_empty()), (1, false));
    let cut = &file[..file.len() - 1];
    let mut reader = Reader::new(cut).unwrap();
    let found: Vec<_> = reader.records::<Pick>().unwrap().collect();
    assert_eq!((found.len(), found[1].is_err()), (2, true));
    let mut reader = Reader::new(&file[..]).unwrap();
    let mut rows = reader.deserialize::<(u8, f64)>().unwrap();
    assert_eq!(rows.next().unwrap().unwrap(), (7, 1.5));
    assert_eq!((rows.len(), rows.size_hint().1), (1, Some(2)));
}

/// Guards the words in which small types print.
#[test]
fn small_types_print() {
    let all = [Version::V1, Version::V2, Version::V3].map(|version| version.to_string());
    assert_eq!(all, ["1.0", "2.0", "3.0"]);
    assert_eq!(ByteOrder::Little.to_string(), "little");
    assert_eq!(npy_core::dtype::Unit::Microsecond.to_string(), "us");
    assert_eq!(format!("{:>6.2}", LongDouble::from(0.1)), "  0.10");
}

/// Guards that text types are parsed as other types are.
#[test]
fn text_is_parsed() {
    assert_eq!("RJOB".parse::<ByteStr<4>>().unwrap(), "RJOB");
    assert_eq!("naïve".parse::<FixedStr<5>>().unwrap(), "naïve");
    assert!("too long".parse::<ByteStr<4>>().is_err());
    assert!("too long".parse::<FixedStr<4>>().is_err());
}

#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Row {
    station: ByteStr<4>,
    name: FixedStr<6>,
    start: DateTime64<Ms>,
    end: DateTime64<Ns>,
    length: TimeDelta64<Second>,
    gain: Le<f32>,
    count: Be<u16>,
}

fn row() -> Row {
    Row {
        station: "RJOB".parse().unwrap(),
        name: "naïve".parse().unwrap(),
        start: DateTime64::new(1_251_073_203_500),
        end: DateTime64::NAT,
        length: TimeDelta64::new(100),
        gain: Le::new(0.5),
        count: Be::new(7),
    }
}

fn both_ways<T: Serialize + DeserializeOwned + Debug + PartialEq>(value: &T, json: &str) {
    assert_eq!(serde_json::to_string(value).unwrap(), json);
    assert_eq!(&serde_json::from_str::<T>(json).unwrap(), value);
    // A tree of values is another deserializer, and so are the rows of an array.
    let tree = serde_json::to_value(value).unwrap();
    assert_eq!(&serde_json::from_value::<T>(tree).unwrap(), value);
}

/// Guards that a struct of our elements derives serde's traits, and that what it serializes comes back.
#[test]
fn elements_are_serialized() {
    both_ways(
        &row(),
        r#"{"station":"RJOB","name":"naïve","start":"2009-08-24T00:20:03.500","end":null,"length":"100 seconds","gain":0.5,"count":7}"#,
    );
    let bytes = ByteStr::<2>::new(b"\xff\x01").unwrap();
    both_ways(&bytes, "[255,1]");
    both_ways(&DateTime64::<Day>::new(19_000), "\"2022-01-08\"");
    both_ways(&Bool8::TRUE, "true");
    assert_eq!(serde_json::to_string(&Bool8::from_byte(7)).unwrap(), "true");
    assert!(serde_json::from_str::<Bool8>("1").is_err());
    for wrong in ["\"too long\"", "[1,2,3]", "7", "[256]"] {
        assert!(serde_json::from_str::<ByteStr<2>>(wrong).is_err(), "{wrong}");
    }
    let error = serde_json::from_str::<DateTime64<Day>>("\"noon\"").unwrap_err().to_string();
    assert!(error.contains("is not a time of '<M8[D]'"), "{error}");
    let error = serde_json::from_str::<FixedStr<2>>("null").unwrap_err().to_string();
    assert!(error.contains("expected text"), "{error}");
}

/// Guards that elements are read from the rows of an array of other types.
#[test]
fn elements_are_deserialized_from_rows() {
    #[derive(NpyRecord)]
    struct Stored {
        station: ByteStr<4>,
        start: DateTime64<Ns>,
    }
    #[derive(Deserialize, Debug, PartialEq)]
    struct Wanted {
        station: ByteStr<8>,
        start: DateTime64<Second>,
    }
    let mut file = Vec::new();
    let stored = [5_000_000_000, i64::MIN]
        .map(|count| Stored { station: "RJOB".parse().unwrap(), start: DateTime64::new(count) });
    stored.write_npy_to(&mut file).unwrap();
    let rows = DynArray::read_npy_from(&file[..]).unwrap().to_rows::<Wanted>().unwrap();
    let wanted = [DateTime64::new(5), DateTime64::NAT]
        .map(|start| Wanted { station: "RJOB".parse().unwrap(), start });
    assert_eq!(rows, wanted);
}

/// Guards that an array is nested lists, as NumPy's `tolist()`, whatever its order in memory, and comes back.
#[test]
fn arrays_are_nested_lists() {
    let array = NpyArray::new((0..6).collect(), [2, 3]).unwrap();
    both_ways(&array, "[[0,1,2],[3,4,5]]");
    let fortran = array.to_order(Order::Fortran);
    assert_eq!(serde_json::to_string(&fortran).unwrap(), "[[0,1,2],[3,4,5]]");
    both_ways(&NpyArray::new(vec![0.5f32], []).unwrap(), "0.5");
    both_ways(&NpyArray::<u8>::new(vec![], [0]).unwrap(), "[]");
    both_ways(&NpyArray::<u8>::new(vec![], [2, 0]).unwrap(), "[[],[]]");
    both_ways(&NpyArray::new(vec![true, false], [2, 1]).unwrap(), "[[true],[false]]");
    let texts = ["a", "ü"].map(|text| text.parse::<FixedStr<2>>().unwrap());
    both_ways(&NpyArray::from(texts.to_vec()), r#"["a","ü"]"#);
    let times = vec![DateTime64::<Day>::new(0), DateTime64::NAT];
    both_ways(&NpyArray::from(times), r#"["1970-01-01",null]"#);
    for ragged in ["[[1],[]]", "[[],[1]]", "[1,[2]]", "[[1],2]", "[[[]],[1]]", "[[1],[[]]]"] {
        let error = serde_json::from_str::<NpyArray<u8>>(ragged).unwrap_err().to_string();
        assert!(error.contains("the same length everywhere"), "{ragged}: {error}");
    }
    let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
    let error = serde_json::from_str::<NpyArray<u8>>(&deep).unwrap_err().to_string();
    assert!(error.contains("nested more than 64 deep"), "{error}");
}

/// Guards that values can be compared, as in a test of a user.
#[test]
fn values_are_compared() {
    let array = DynArray::read_npy_from(&picks()[..]).unwrap();
    let (first, second) = (array.get(&[0]).unwrap(), array.get(&[1]).unwrap());
    assert_eq!(first.field("station"), Some(Value::UInt(7)));
    assert_ne!(first, second);
    assert!(array.iter().eq(&array.clone()));
}

/// Guards that one import brings both the trait and the derive.
mod one_import {
    use npy_core::npz::{self, NpzArchive};

    #[derive(NpzArchive, Debug, PartialEq)]
    struct Model {
        weights: Vec<f32>,
    }

    fn members<T: NpzArchive>(_: &T) -> &'static str {
        "the trait"
    }

    #[test]
    fn trait_and_derive_come_together() {
        let model = Model { weights: vec![0.5] };
        assert_eq!(members(&model), "the trait");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.npz");
        npz::save(&path, &model).unwrap();
        assert_eq!(npz::load::<Model>(&path).unwrap(), model);
    }
}

/// Guards values without bytes next to others: there may be any number of them, and all are alike.
#[test]
fn fields_of_no_bytes_are_compared_at_once() {
    let dtype = "[('a', '|V0', (1000000000,)), ('b', '|u1')]".parse().unwrap();
    let array = DynArray::new(dtype, [1], Order::C, vec![7]).unwrap();
    assert!(array.get(&[0]) == array.get(&[0]));
}

/// Guards arrays without elements: a small file may state any number of empty lists.
#[test]
fn empty_lists_are_not_serialized_without_end() {
    let array = NpyArray::<f64>::new(Vec::new(), [1 << 30, 0]).unwrap();
    assert!(serde_json::to_string(&array).is_err());
    let array = NpyArray::<f64>::new(Vec::new(), [2, 0]).unwrap();
    assert_eq!(serde_json::to_string(&array).unwrap(), "[[],[]]");
}

#[test]
fn arrays_of_text_have_the_order_that_was_asked_for() {
    let mut file = Vec::new();
    let texts = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
    let texts = NpyArray::with_order(texts, [2, 2], Order::Fortran).unwrap();
    texts.write_npy_to(&mut file).unwrap();
    let mut options = npy_core::ReadOptions::new();
    let read: NpyArray<String> = options.order(Order::C).read_from(&file[..]).unwrap();
    assert_eq!((read.order(), read.as_slice_memory_order()[1].as_str()), (Order::C, "c"));
    assert_eq!(read, texts);
}

#[test]
fn lists_of_views_are_in_c_order() {
    let mut file = Vec::new();
    let array = NpyArray::with_order(vec![1.0, 2.0, 3.0, 4.0], [2, 2], Order::Fortran).unwrap();
    array.write_npy_to(&mut file).unwrap();
    let view = NpyView::<f64>::from_bytes(&file).unwrap();
    assert_eq!(view.to_vec(), [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(
        (view.iter().nth(1), view.iter().last(), view.iter().count()),
        (Some(&3.0), Some(&4.0), 4)
    );
}
