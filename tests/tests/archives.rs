//! `#[derive(NpzArchive)]`: what each attribute writes and reads, also together.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::io::Cursor;

use npy_core::{ByteStr, DynArray, Element, NpyArray, NpyRecord, NpzArchive, WriteNpy, npz};
use npy_tests::time::soon;

/// An archive in memory.
type Bytes = Cursor<Vec<u8>>;

fn saved(archive: &impl NpzArchive) -> Bytes {
    let mut writer = npz::Writer::new(Bytes::default()).unwrap();
    writer.write_fields(archive).unwrap();
    writer.finish().unwrap()
}

fn loaded<T: NpzArchive>(bytes: Bytes) -> npy_core::Result<T> {
    npz::Reader::new(bytes)?.read_fields()
}

/// Returns an archive of bytes, each a single value.
fn bytes(members: &[(&str, u8)]) -> Bytes {
    let mut writer = npz::Writer::new(Bytes::default()).unwrap();
    for (name, value) in members {
        writer.write(name, value).unwrap();
    }
    writer.finish().unwrap()
}

fn names(bytes: &Bytes) -> Vec<String> {
    npz::Reader::new(bytes.clone()).unwrap().names().map(str::to_owned).collect()
}

/// Returns the error message of reading.
#[track_caller]
fn refusal<T: NpzArchive>(bytes: Bytes) -> String {
    loaded::<T>(bytes).err().expect("an error").to_string()
}

/// Writes the struct, checks that the archive has these members, and reads it back.
#[track_caller]
fn assert_round_trip<T: NpzArchive + PartialEq + Debug>(archive: &T, members: &[&str]) {
    let bytes = saved(archive);
    assert_eq!(names(&bytes), members);
    assert_eq!(loaded::<T>(bytes).unwrap(), *archive);
}

#[derive(NpzArchive, Debug, PartialEq, Default)]
struct Layer {
    weights: Vec<f32>,
    bias: Option<Vec<f32>>,
}

fn layer(x: f32) -> Layer {
    Layer { weights: vec![x], bias: Some(vec![]) }
}

#[derive(NpyRecord, Debug, PartialEq, Clone)]
struct Pick {
    station: u32,
    time: f64,
}

#[derive(NpzArchive, Debug, PartialEq)]
struct Arrays {
    list: Vec<f64>,
    slice: Box<[i32]>,
    fixed: [f32; 3],
    matrix: [[u8; 2]; 3],
    any_rank: NpyArray<u16>,
    any_dtype: DynArray,
    number: i64,
    flag: bool,
    code: ByteStr<3>,
    text: String,
    texts: Vec<String>,
    records: Vec<Pick>,
    r#type: u8,
}

/// Guards the fields: each is written and read as the member of its name.
#[test]
fn every_array_is_a_member() {
    let archive = Arrays {
        list: vec![0.5, -1.0],
        slice: Box::new([3]),
        fixed: [1.0, 2.0, 3.0],
        matrix: [[1, 2], [3, 4], [5, 6]],
        any_rank: NpyArray::new(vec![1, 2], [1, 2]).unwrap(),
        any_dtype: DynArray::new(u8::dtype(), vec![1], npy_core::Order::C, vec![7]).unwrap(),
        number: -3,
        flag: true,
        code: ByteStr::new("ab").unwrap(),
        text: "höhe".into(),
        texts: vec!["a".into(), String::new()],
        records: vec![Pick { station: 7, time: 0.25 }],
        r#type: 9,
    };
    let members = [
        "list",
        "slice",
        "fixed",
        "matrix",
        "any_rank",
        "any_dtype",
        "number",
        "flag",
        "code",
        "text",
        "texts",
        "records",
        "type",
    ];
    assert_round_trip(&archive, &members);
    let reader = npz::Reader::new(saved(&archive)).unwrap();
    assert_eq!(reader.header("matrix").unwrap().shape(), [3, 2]);
    assert_eq!(reader.header("number").unwrap().shape(), [0; 0]);
}

/// Guards types of a fixed length.
#[test]
fn an_array_of_another_length_is_refused() {
    #[derive(NpzArchive)]
    struct Fixed {
        _x: [u8; 3],
    }
    let mut writer = npz::Writer::new(Bytes::default()).unwrap();
    writer.write("_x", &[1u8, 2]).unwrap();
    let error = refusal::<Fixed>(writer.finish().unwrap());
    assert!(error.contains("shape (2,)"), "{error}");
}

/// Guards nested names, and absent members.
#[test]
fn archives_nest() {
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Model {
        input: Layer,
        hidden: BTreeMap<usize, Layer>,
        output: Option<Layer>,
        scales: BTreeMap<String, f32>,
    }
    let hidden = BTreeMap::from([(2, layer(1.0)), (10, Layer::default())]);
    let mut model = Model {
        input: layer(0.0),
        hidden,
        output: Some(layer(2.0)),
        scales: BTreeMap::from([("a".into(), 1.0), ("ä b".into(), 2.0)]),
    };
    let input = ["input/weights", "input/bias"];
    let members = [
        "hidden/2/weights",
        "hidden/2/bias",
        "hidden/10/weights",
        "output/weights",
        "output/bias",
        "scales/a",
        "scales/ä b",
    ];
    assert_round_trip(&model, &[&input[..], &members].concat());
    model.hidden.clear();
    model.scales.clear();
    model.output = None;
    assert_round_trip(&model, &input);
}

/// Guards the keys: in a map of archives, a key with a `/` would come back as another one; so would `a.npy` next to `a`.
#[test]
fn a_key_that_would_not_read_back_equal_is_refused() {
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Flat(#[npy(flatten)] Option<BTreeMap<String, u8>>);
    #[derive(NpzArchive, Debug, PartialEq)]
    struct FlatFirst {
        #[npy(flatten)]
        rest: BTreeMap<String, u8>,
        w: Option<u8>,
    }
    #[derive(NpzArchive, Debug, PartialEq)]
    struct FlatLast {
        w: Option<u8>,
        #[npy(flatten)]
        rest: BTreeMap<String, u8>,
    }

    #[track_caller]
    fn assert_refused(map: &impl NpzArchive, key: &str, reason: &str) {
        let mut writer = npz::Writer::new(Bytes::default()).unwrap();
        let error = writer.write_fields(map).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("a member cannot be named {key:?}: {reason}")),
            "{error}"
        );
    }
    let map = |keys: &[&str]| BTreeMap::from_iter(keys.iter().map(|&key| (key.to_owned(), 1u8)));
    let empty = "an empty key could not be read again";
    assert_refused(&map(&[""]), "", empty);
    assert_refused(&Flat(Some(map(&[""]))), "", empty);
    assert_refused(&HashMap::from([(String::new(), Single { x: 1 })]), "", empty);
    for key in ["a/b", "/"] {
        let map = HashMap::from([(key.to_owned(), Single { x: 1 })]);
        assert_refused(&map, key, "a key that has a / could not be read again");
    }
    for keys in [["a", "a.npy"], ["b.npy", "b.npy.npy"]] {
        assert_refused(&map(&keys), keys[1], "another member has it already");
    }
    let reserved = "a key of a flattened map that is the name of another field";
    assert_refused(&FlatFirst { rest: map(&["w"]), w: None }, "w", reserved);
    let taken = "another member has it already";
    assert_refused(&FlatFirst { rest: map(&["w.npy"]), w: Some(1) }, "w", taken);
    assert_refused(&FlatLast { rest: map(&["w.npy"]), w: Some(1) }, "w.npy", taken);
    // The key that `np.savez(path, **{"w.npy": 1})` makes, and that of `w` and `w.npy` together.
    for (key, w) in [("w.npy", None), ("w.npy.npy", Some(1))] {
        let members: Vec<_> = w.map(|_| "w").into_iter().chain([key]).collect();
        assert_round_trip(&FlatLast { rest: map(&[key]), w }, &members);
        let members: Vec<_> = members.into_iter().rev().collect();
        assert_round_trip(&FlatFirst { rest: map(&[key]), w }, &members);
    }
    // Names as `Reader::names` has them if the archive has the files `a.npy` and `a.npy.npy`.
    assert_round_trip(&map(&["a", "a.npy.npy"]), &["a", "a.npy.npy"]);
    let archives = HashMap::from([("a.npy".to_owned(), Single { x: 1 })]);
    assert_round_trip(&archives, &["a.npy/x"]);
    let keys = ["a.npy", "a/b", "b.npy.npy", "c/d.npy", "d"];
    assert_round_trip(&map(&keys), &keys);
    assert_round_trip(&Flat(Some(map(&keys))), &keys);
}

/// Guards maps of arrays against losing a member whose name has a `/`, or that no value of a map of archives has.
#[test]
fn a_map_leaves_out_no_member() {
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Model {
        layers: BTreeMap<String, Option<u8>>,
        rest: Option<HashMap<String, DynArray>>,
    }
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Flat {
        single: Single,
        #[npy(flatten)]
        rest: BTreeMap<String, u8>,
    }

    let map = |keys: &[&str]| keys.iter().map(|&key| (key.to_owned(), 1u8)).collect();
    let keys = ["a", "l/w", "l/w/0", "layers/l/w"];
    assert_round_trip::<BTreeMap<String, u8>>(&map(&keys), &keys);
    let any: HashMap<String, DynArray> = loaded(bytes(&keys.map(|key| (key, 1)))).unwrap();
    assert_eq!(any.len(), 4);
    assert_eq!(names(&saved(&any)), keys);
    let model: Model =
        loaded(bytes(&[("layers/a", 1), ("layers/l/w", 1), ("rest/x/y", 1)])).unwrap();
    assert_eq!(names(&saved(&model)), ["layers/a", "layers/l/w", "rest/x/y"]);
    // A flattened map of arrays has the members of other names, also those with a `/`.
    let rest = map(&["a", "l/w", "single", "x.npy"]);
    let flat = Flat { single: Single { x: 2 }, rest };
    assert_round_trip(&flat, &["single/x", "a", "l/w", "single", "x.npy"]);

    let nested = bytes(&[("a", 1), ("b/x", 1), ("b/y/z", 1)]);
    assert_eq!(
        refusal::<BTreeMap<String, HashMap<String, u8>>>(nested.clone()),
        "the archive has members that BTreeMap<String, HashMap<String, u8>> does not have: \"a\"; npz::Reader::read reads each by its name, \
         npz::load::<BTreeMap<String, AnyArray>> reads all arrays, and a map with #[npy(flatten)] in a struct leaves them to other fields"
    );
    for (message, members) in [
        (refusal::<BTreeMap<String, Single>>(nested), "\"a\""),
        (refusal::<BTreeMap<u8, u8>>(bytes(&[("1", 1), ("01", 1), ("1/x", 1)])), "\"01\", \"1/x\""),
        (
            refusal::<BTreeMap<String, Single>>(bytes(&[("b/x", 1), ("b", 1), ("c/y", 1)])),
            "\"b\", \"c/y\"",
        ),
        (
            refusal::<BTreeMap<String, BTreeMap<u8, u8>>>(bytes(&[("b/1", 1), ("b/x", 1)])),
            "\"b/x\"",
        ),
    ] {
        assert!(
            message.contains(&format!(" does not have: {members}; npz::Reader::read")),
            "{message}"
        );
    }
    // No map has a key "".
    let nameless = bytes(&[("a", 1), ("", 2)]);
    assert_eq!(npz::Reader::new(nameless.clone()).unwrap().read::<u8>("").unwrap(), 2);
    assert_eq!(
        refusal::<BTreeMap<String, npy_core::AnyArray>>(nameless),
        "the archive has members that BTreeMap<String, AnyArray> does not have: \"\"; npz::Reader::read reads each by its name"
    );
    // A struct has only the members that it names, also in a map.
    let read: BTreeMap<String, Single> = loaded(bytes(&[("b/x", 3), ("b/y", 1)])).unwrap();
    assert_eq!(read, BTreeMap::from([("b".into(), Single { x: 3 })]));
}

/// Guards archives that a tool for zip files has made: an entry for a folder is not an array.
#[test]
fn a_folder_is_not_a_member_of_a_map() {
    let mut writer = zip::ZipWriter::new(Bytes::default());
    let options = zip::write::SimpleFileOptions::default();
    writer.add_directory("l/", options).unwrap();
    writer.start_file("l/w.npy", options).unwrap();
    1u8.write_npy_to(&mut writer).unwrap();
    let bytes = writer.finish().unwrap();
    let arrays: BTreeMap<String, u8> = loaded(bytes.clone()).unwrap();
    assert_eq!(arrays, BTreeMap::from([("l/w".into(), 1)]));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    std::fs::write(&path, bytes.get_ref()).unwrap();
    for threads in [1, 4] {
        let reader = npz::ReadOptions::new().threads(threads).open(&path).unwrap();
        let all = reader.read_all().unwrap();
        assert_eq!(all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["l/w"]);
        let error = reader.header("l/").unwrap_err().to_string();
        assert!(
            error.ends_with("it is the entry of a folder, which has no data; leave it out"),
            "{error}"
        );
    }
    let nested: BTreeMap<String, BTreeMap<String, u8>> = loaded(bytes).unwrap();
    assert_eq!(nested["l"], BTreeMap::from([("w".into(), 1)]));
}

/// Guards the keys of a map of numbers: each number has one name, and other names are not part of the map.
#[test]
fn a_key_that_is_no_number_is_not_taken() {
    #[derive(NpzArchive)]
    #[npy(deny_unknown_fields)]
    struct Strict(#[npy(flatten)] BTreeMap<i8, u8>);

    let members = [("7", 1), ("-1", 2), ("07", 3), ("+7", 4), ("x", 5), ("300", 6), ("7/x", 7)];
    #[derive(NpzArchive)]
    struct Lenient(#[npy(flatten)] BTreeMap<i8, u8>);
    let read = loaded::<Lenient>(bytes(&members)).unwrap();
    assert_eq!(read.0, BTreeMap::from([(-1, 2), (7, 1)]));
    let error = refusal::<Strict>(bytes(&members));
    assert!(error.contains(": \"+7\", \"07\", \"300\", \"7/x\", \"x\"; "), "{error}");
}

/// Guards the stack: a map may contain maps of its own type, and the names come from a file.
#[test]
fn archives_nested_more_than_64_deep_are_refused() {
    #[derive(NpzArchive, Debug, PartialEq, Default)]
    struct Tree {
        leaf: Option<u8>,
        #[npy(flatten)]
        branches: BTreeMap<String, Tree>,
    }
    fn tree(depth: usize) -> Tree {
        let mut tree = Tree { leaf: Some(1), ..Tree::default() };
        for _ in 0..depth {
            let branches = BTreeMap::from([("a".to_owned(), tree)]);
            tree = Tree { leaf: None, branches };
        }
        tree
    }
    assert_eq!(loaded::<Tree>(saved(&tree(63))).unwrap(), tree(63));
    let mut writer = npz::Writer::new(Bytes::default()).unwrap();
    let error = writer.write_fields(&tree(70)).unwrap_err().to_string();
    assert!(error.ends_with("at most 64 names deep"), "{error}");
    for depth in [64, 29_000] {
        let error = refusal::<Tree>(bytes(&[(&"a/".repeat(depth), 1)]));
        assert!(error.ends_with("at most 64 names deep"), "{error}");
    }
}

/// Guards the time: a map searches only the members below its name.
#[test]
fn maps_of_maps_are_read_in_time() {
    let map: BTreeMap<u32, BTreeMap<u32, u8>> =
        (0..5_000).map(|i| (i, BTreeMap::from([(0, 1)]))).collect();
    let archive = saved(&map);
    // It takes less than a second; if every name were compared for every key, it would take more than twenty.
    let read = soon("maps", || loaded::<BTreeMap<u32, BTreeMap<u32, u8>>>(archive));
    assert_eq!(read.unwrap(), map);

    // Each of these asks its fields for the names that a flattened map has not.
    #[derive(NpzArchive, Debug)]
    struct Tree {
        #[npy(flatten)]
        arrays: BTreeMap<u32, u8>,
        #[npy(flatten)]
        trees: BTreeMap<String, Tree>,
    }
    #[derive(NpzArchive, Debug)]
    struct Named {
        #[npy(flatten)]
        arrays: BTreeMap<String, u8>,
        trees: BTreeMap<String, Named>,
    }
    let deep = bytes(&[(&"a/".repeat(61), 1), (&format!("{}x", "trees/a/".repeat(30)), 1)]);
    drop(soon("a tree", || loaded::<Tree>(deep)));
    let deep = bytes(&[(&format!("{}x", "trees/a/".repeat(30)), 1)]);
    let named = soon("a named tree", || loaded::<Named>(deep)).unwrap();
    assert!(named.arrays.is_empty() && named.trees["a"].trees.len() == 1);
}

/// Guards half of a nested archive: it counts as present, and the error names the missing half.
#[test]
fn half_of_an_optional_archive_is_an_error() {
    #[derive(NpzArchive, Debug)]
    struct Pair {
        a: u8,
        b: u8,
    }
    #[derive(NpzArchive, Debug)]
    struct Outer {
        pair: Option<Pair>,
    }
    assert!(loaded::<Outer>(bytes(&[("pair", 1), ("a", 1)])).unwrap().pair.is_none());
    let error = refusal::<Outer>(bytes(&[("pair/b", 1)]));
    assert!(error.contains("pair/a") && error.contains("pair/b"), "{error}");
}

/// Guards the names of `rename`, `rename_all` and positions.
#[test]
fn members_are_named_by_rename_or_position() {
    #[derive(NpzArchive, Debug, PartialEq)]
    #[npy(rename_all = "camelCase", deny_unknown_fields)]
    struct Names {
        learning_rate: f64,
        #[npy(rename = "Wä x.npy")]
        weights: u8,
        inner_layer: Position,
    }
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Position(u8, #[npy(skip)] i32, Vec<u8>, #[npy(rename = "last")] u8);
    let inner_layer = Position(1, 0, vec![2], 3);
    assert_round_trip(
        &Names { learning_rate: 0.5, weights: 1, inner_layer },
        &["learningRate", "Wä x", "innerLayer/arr_0", "innerLayer/arr_1", "innerLayer/last"],
    );
}

#[derive(NpzArchive, Debug, PartialEq)]
struct Aliased {
    #[npy(alias = "old", alias = "older")]
    new: u8,
    #[npy(alias = "layer_0")]
    layer: Option<Single>,
}

#[derive(NpzArchive, Debug, PartialEq)]
struct Single {
    x: u8,
}

/// Guards aliases, and that two names for one field are an error.
#[test]
fn an_alias_is_read_like_the_name() {
    let read = loaded::<Aliased>(bytes(&[("older", 3), ("layer_0/x", 4)])).unwrap();
    assert_eq!(read, Aliased { new: 3, layer: Some(Single { x: 4 }) });
    assert_eq!(
        refusal::<Aliased>(bytes(&[("new", 3), ("older", 4)])),
        "the archive has members that Aliased does not have: \"older\"; they are aliases of a field that the archive also has by another name; drop the alias"
    );
    let error = refusal::<Aliased>(bytes(&[("x", 3)]));
    assert!(error.contains("new"), "{error}");
}

fn five() -> u8 {
    5
}

#[expect(clippy::unnecessary_wraps)]
fn some_three() -> Option<u8> {
    Some(3)
}

/// Guards missing members, and that a default is called only for those.
#[test]
fn defaults_stand_for_what_is_absent() {
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Defaults<'a> {
        #[npy(default)]
        list: Vec<f32>,
        #[npy(default = five)]
        number: u8,
        #[npy(default = some_three)]
        maybe: Option<u8>,
        #[npy(default)]
        layer: Layer,
        #[npy(skip)]
        skipped: Option<&'a str>,
        #[npy(skip, default = five)]
        cached: u8,
    }
    let absent = Defaults {
        list: vec![],
        number: 5,
        maybe: Some(3),
        layer: Layer::default(),
        skipped: None,
        cached: 5,
    };
    assert_eq!(loaded::<Defaults<'_>>(bytes(&[])).unwrap(), absent);
    let read = loaded::<Defaults<'_>>(bytes(&[("number", 1), ("cached", 2)])).unwrap();
    assert_eq!((read.number, read.cached), (1, 5));
    // Half of an archive is an error, and not replaced by the default.
    let mut writer = npz::Writer::new(Bytes::default()).unwrap();
    writer.write("layer/bias", &[1.0f32]).unwrap();
    let error = refusal::<Defaults<'_>>(writer.finish().unwrap());
    assert!(error.contains("layer/weights"), "{error}");
    let members = names(&saved(&Defaults { skipped: Some("x"), ..absent }));
    assert_eq!(members, ["list", "number", "maybe", "layer/weights"]);
}

/// Guards the default of the whole struct, field by field.
#[test]
fn a_struct_has_defaults_of_its_own() {
    #[derive(NpzArchive, Debug, PartialEq)]
    #[npy(default)]
    struct Settings<T> {
        rate: T,
        #[npy(default = five)]
        gain: u8,
        name: String,
        #[npy(skip)]
        runs: u8,
    }
    impl<T: From<u8>> Default for Settings<T> {
        fn default() -> Self {
            Settings { rate: 50.into(), gain: 9, name: "x".into(), runs: 7 }
        }
    }
    let expected = Settings { rate: 1u8, gain: 5, name: "x".into(), runs: 7 };
    assert_eq!(loaded::<Settings<u8>>(bytes(&[("rate", 1)])).unwrap(), expected);
}

/// Guards `deny_unknown_fields`: it applies to the names at the struct's own place only.
#[test]
fn unknown_members_are_refused_if_denied() {
    #[derive(NpzArchive, Debug)]
    #[npy(deny_unknown_fields)]
    struct Strict {
        #[npy(alias = "y")]
        _x: Option<u8>,
        _inner: Option<Inner>,
        _map: BTreeMap<String, Inner>,
        #[npy(flatten)]
        _flat: Flat,
    }
    #[derive(NpzArchive, Debug)]
    struct Inner {
        _a: Option<u8>,
    }
    #[derive(NpzArchive, Debug)]
    #[npy(deny_unknown_fields)]
    struct Flat {
        _f: Option<u8>,
    }
    #[derive(NpzArchive, Debug)]
    struct Outer {
        _strict: Strict,
    }
    let right = [("_x", 1), ("_inner/_a", 1), ("_map/0/_a", 1), ("_map/1/_a", 2), ("_f", 1)];
    loaded::<Strict>(bytes(&right)).unwrap();
    loaded::<Strict>(bytes(&[("y", 1)])).unwrap();
    for wrong in ["x", "_inner", "_inner/b", "_inner/_a/b", "_map/0", "_map/0/b", "y/a", "_flat/_f"]
    {
        assert_eq!(
            refusal::<Strict>(bytes(&[("_x", 1), (wrong, 1), ("z", 2)])),
            format!(
                "the archive has members that Strict does not have: {wrong:?}, \"z\"; \
                 add them to the struct (a field that is a struct or map has members \"field/…\"), or drop #[npy(deny_unknown_fields)] to have such members skipped"
            )
        );
    }
    // In a nested struct it applies to the names below that struct.
    let nested = |name| bytes(&[("_strict/_x", 1), (name, 1)]);
    loaded::<Outer>(nested("z")).unwrap();
    loaded::<Outer>(nested("_strictly/z")).unwrap();
    assert!(refusal::<Outer>(nested("_strict/z")).contains("\"_strict/z\""));
    loaded::<Flat>(bytes(&[("_f", 1)])).unwrap();
    assert!(refusal::<Flat>(bytes(&[("_g", 1)])).contains("\"_g\""));
}

/// Guards `flatten`: it adds no name of its own, at any depth.
#[test]
fn flattened_members_get_no_prefix() {
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Model {
        name: String,
        #[npy(flatten)]
        layer: Layer,
        #[npy(flatten)]
        more: Option<Single>,
        inner: Inner,
        #[npy(flatten)]
        rest: BTreeMap<String, Layer>,
    }
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Inner(#[npy(flatten)] Layer, u8);
    let mut model = Model {
        name: "a".into(),
        layer: layer(1.0),
        more: Some(Single { x: 3 }),
        inner: Inner(layer(2.0), 4),
        rest: BTreeMap::from([("rest".into(), layer(3.0))]),
    };
    let inner = ["inner/weights", "inner/bias", "inner/arr_0"];
    let rest = ["rest/weights", "rest/bias"];
    assert_round_trip(&model, &[&["name", "weights", "bias", "x"], &inner[..], &rest].concat());
    model.more = None;
    assert_round_trip(&model, &[&["name", "weights", "bias"], &inner[..], &rest].concat());
}

/// Guards the fields next to a flattened map: no member of theirs is an entry of the map, even if the archive lacks others of them, and the
/// map writes none.
#[test]
fn a_flattened_map_has_no_member_of_another_field() {
    #[derive(NpzArchive, Debug, PartialEq, Default)]
    struct Fields {
        a: Option<Layer>,
        #[npy(rename = "b c", alias = "old")]
        named: Option<BTreeMap<String, u8>>,
        #[npy(rename = "deep/x")]
        deep: Option<u8>,
        #[npy(default, alias = "n", alias = "m.npy")]
        number: u8,
        #[npy(with = seconds, default)]
        lengths: Vec<std::time::Duration>,
    }
    #[derive(NpzArchive, Debug, PartialEq, Default)]
    #[npy(deny_unknown_fields)]
    struct Outer<M: NpzArchive + Default> {
        #[npy(flatten)]
        before: M,
        #[npy(flatten)]
        fields: Fields,
        #[npy(default)]
        last: u8,
    }
    /// The map is flattened twice.
    #[derive(NpzArchive, Debug, PartialEq, Default)]
    struct Inner<M: NpzArchive + Default> {
        also: Option<Single>,
        #[npy(flatten)]
        map: M,
    }
    type Maps = BTreeMap<String, BTreeMap<String, u8>>;
    type Hashed = Option<HashMap<String, HashMap<String, u8>>>;
    type Values = Option<BTreeMap<String, Option<u8>>>;

    #[track_caller]
    fn assert_own<M: NpzArchive + PartialEq + Debug + Default>(members: &[&str], fields: Fields) {
        let bytes = bytes(&members.iter().map(|&name| (name, 1)).collect::<Vec<_>>());
        let expected = Outer { before: M::default(), fields, last: 0 };
        assert_eq!(loaded::<Outer<M>>(bytes).unwrap(), expected, "{members:?}");
    }
    let named = Fields { named: Some(BTreeMap::from([("x".into(), 1)])), ..Fields::default() };
    let other_name = Fields { named: named.named.clone(), ..Fields::default() };
    assert_own::<Maps>(&["b c/x"], named);
    assert_own::<Hashed>(&["old/x"], other_name);
    for name in ["number", "n", "m"] {
        assert_own::<Values>(&[name], Fields { number: 1, ..Fields::default() });
    }
    let deep = || Fields { deep: Some(1), ..Fields::default() };
    assert_own::<Maps>(&["deep/x"], deep());
    assert_own::<Inner<Inner<Hashed>>>(&["deep/x"], deep());
    assert_own::<Inner<Option<Inner<Values>>>>(
        &["number"],
        Fields { number: 1, ..Fields::default() },
    );
    assert_own::<BTreeMap<String, Single>>(&["deep/x"], deep());

    // Below its name, all is the field's, also what it lacks.
    for name in ["a/z", "deep/y"] {
        let error = refusal::<Outer<Maps>>(bytes(&[(name, 1)]));
        assert!(error.contains(name), "{error}");
    }
    // A name of another kind is not theirs.
    let map = |keys: &[&str]| keys.iter().map(|&key| (key.to_owned(), Some(1))).collect();
    let before: Values = Some(map(&["a", "b c", "deep", "z"]));
    assert_round_trip(
        &Outer { before, ..Outer::default() },
        &["a", "b c", "deep", "z", "number", "lengths", "last"],
    );
    let maps = |keys: &[&str]| -> Maps {
        keys.iter().map(|&key| (key.to_owned(), BTreeMap::from([("x".into(), 1)]))).collect()
    };
    let before = maps(&["last", "number", "z"]);
    let fields = || Fields { a: Some(layer(1.0)), deep: Some(2), ..Fields::default() };
    assert_round_trip(
        &Outer { before, fields: fields(), last: 3 },
        &[
            "last/x",
            "number/x",
            "z/x",
            "a/weights",
            "a/bias",
            "deep/x",
            "number",
            "lengths",
            "last",
        ],
    );

    #[track_caller]
    fn assert_refused(archive: &impl NpzArchive, key: &str) {
        let mut writer = npz::Writer::new(Bytes::default()).unwrap();
        let error = writer.write_fields(archive).unwrap_err().to_string();
        let expected = format!(
            "a member cannot be named {key:?}: a key of a flattened map that is the name of another field would be read as that field; use another key, or rename the field"
        );
        assert_eq!(error, expected);
    }
    // All fields of these names are absent.
    for key in ["a", "b c", "old", "deep"] {
        assert_refused(&Outer { before: maps(&[key]), ..Outer::default() }, key);
        let inner = Inner { also: None, map: Some(Inner { also: None, map: maps(&[key]) }) };
        assert_refused(&Outer { before: inner, ..Outer::default() }, key);
    }
    let inner = Inner { also: None, map: maps(&["also"]) };
    assert_refused(&Outer { before: inner, ..Outer::default() }, "also");
    for key in ["number", "n", "m", "lengths", "last"] {
        let before: Values = Some(map(&[key]));
        assert_refused(&Outer { before, ..Outer::default() }, key);
    }
}

/// Guards a map of structs that are flattened maps: the names of the outer fields are free inside it.
#[test]
fn a_flattened_map_in_a_map_has_fields_of_its_own() {
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Group {
        a: Single,
        #[npy(flatten)]
        groups: HashMap<String, Group>,
        #[npy(flatten)]
        values: BTreeMap<String, u8>,
    }
    let group = |groups, values: &[&str]| {
        let values = values.iter().map(|&key| (key.to_owned(), 1)).collect();
        Group { a: Single { x: 1 }, groups, values }
    };
    let inner = HashMap::from([("b".into(), group(HashMap::new(), &["b", "x"]))]);
    assert_round_trip(&group(inner, &["a"]), &["a/x", "b/a/x", "b/b", "b/x", "a"]);
}

/// Guards sparse matrices next to a flattened map of arrays.
#[test]
fn a_flattened_map_has_no_array_of_a_matrix() {
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Weighted {
        #[npy(flatten)]
        matrix: npz::sparse::Csr<u8>,
        #[npy(flatten)]
        others: BTreeMap<String, DynArray>,
    }
    let matrix = npz::sparse::Csr {
        shape: [1, 2],
        indptr: vec![0, 1],
        indices: vec![1],
        data: vec![7],
        is_array: false,
    };
    let array = DynArray::new(u8::dtype(), vec![1], npy_core::Order::C, vec![7]).unwrap();
    let others = BTreeMap::from([("weights".into(), array)]);
    let members = ["indices", "indptr", "format", "shape", "data", "weights"];
    assert_round_trip(&Weighted { matrix, others }, &members);
}

/// Guards against archives that cannot be read: a second member of the same name is not written.
#[test]
fn a_name_that_flattening_doubles_is_refused() {
    #[derive(NpzArchive)]
    struct Twice {
        weights: u8,
        #[npy(flatten)]
        layer: Layer,
    }
    let mut writer = npz::Writer::new(Bytes::default()).unwrap();
    let error = writer.write_fields(&Twice { weights: 1, layer: layer(1.0) }).unwrap_err();
    assert!(error.to_string().contains("weights"), "{error}");
}

mod seconds {
    use std::time::Duration;

    pub(super) type Stored = Vec<f64>;

    pub(super) fn encode(durations: &[Duration]) -> Stored {
        durations.iter().map(Duration::as_secs_f64).collect()
    }

    pub(super) fn decode(stored: Stored) -> Vec<Duration> {
        stored.into_iter().map(Duration::from_secs_f64).collect()
    }
}

/// Guards `with`, also together with defaults.
#[test]
fn a_field_with_a_module_is_stored_as_its_type() {
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Events {
        #[npy(with = seconds)]
        lengths: Vec<std::time::Duration>,
        #[npy(with = seconds, default, alias = "d")]
        delays: Vec<std::time::Duration>,
    }
    let second = std::time::Duration::from_secs(1);
    assert_round_trip(
        &Events { lengths: vec![second], delays: vec![second / 2] },
        &["lengths", "delays"],
    );
    let mut writer = npz::Writer::new(Bytes::default()).unwrap();
    writer.write("lengths", &[1.0]).unwrap();
    let read = loaded::<Events>(writer.finish().unwrap()).unwrap();
    assert_eq!(read, Events { lengths: vec![second], delays: vec![] });
}

/// Guards type parameters: the derive adds the bounds that the fields need, and no others.
#[test]
fn structs_may_be_generic() {
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Generic<T, A: Default, L, const N: usize>
    where
        L: NpzArchive,
    {
        list: Vec<T>,
        fixed: [T; N],
        any: A,
        #[npy(default)]
        or: A,
        layers: Option<L>,
        #[npy(flatten)]
        layer: L,
        #[npy(skip)]
        _marker: std::marker::PhantomData<fn() -> T>,
    }

    /// With the bounds that make `Vec<T>` an array.
    fn round_trip<T: Element + PartialEq + Debug + Copy>(x: T) {
        let layers = Some(Single { x: 1 });
        let any = vec!["a".to_owned()];
        let generic = Generic {
            list: vec![x],
            fixed: [x, x],
            any,
            or: vec![],
            layers,
            layer: Single { x: 2 },
            _marker: std::marker::PhantomData,
        };
        assert_round_trip(&generic, &["list", "fixed", "any", "or", "layers/x", "x"]);
    }
    round_trip(1.5f32);
    round_trip([1u8, 2]);
}

/// Guards explicit bounds.
#[test]
fn bounds_may_be_given() {
    #[derive(NpzArchive, Debug, PartialEq)]
    #[npy(bound(T: Element))]
    struct Bound<T>(Vec<T>, Option<Vec<T>>);
    assert_round_trip(&Bound(vec![1u8], None), &["arr_0"]);
}

/// Guards a struct that is both a record and an archive: attributes for records do not affect the archive.
#[test]
fn a_struct_may_be_record_and_archive() {
    #[derive(NpyRecord, NpzArchive, Debug, PartialEq, Clone)]
    #[npy(align, endian = "big", itemsize = 64, rename_all = "UPPERCASE")]
    #[repr(C)]
    struct Both<const N: usize> {
        #[npy(title = "t", offset = 8)]
        a: u32,
        #[npy(width = 5, bytes)]
        text: String,
        #[npy(endian = "little", alias = "d")]
        c: [f32; N],
    }
    #[derive(NpyRecord, NpzArchive, Debug, PartialEq, Clone)]
    #[npy(endian = "big")]
    struct Generic<T>(T);

    let both = Both { a: 1, text: "abc".into(), c: [0.5, 1.5] };
    assert_round_trip(&both, &["A", "TEXT", "C"]);
    let reader = npz::Reader::new(saved(&both)).unwrap();
    assert_eq!(reader.header("A").unwrap().dtype().to_string(), "<u4");
    assert_eq!(reader.header("TEXT").unwrap().dtype().to_string(), "<U3");
    let mut file = Vec::new();
    [both].write_npy_to(&mut file).unwrap();
    assert_eq!(Both::<2>::dtype().itemsize(), 64);
    assert_round_trip(&Generic(1.5), &["arr_0"]);
    assert_eq!(Generic::<u16>::dtype().to_string(), "[('f0', '>u2')]");
}

/// Guards the errors of members: they name the member and list the existing ones.
#[test]
fn a_member_that_is_missing_is_named() {
    let error = refusal::<Layer>(bytes(&[("wieghts", 1), ("bias", 2)]));
    assert_eq!(
        error,
        "the archive has no member \"weights\"; its members are \"wieghts\", \"bias\"; \
         name the field as in the archive with #[npy(rename = \"…\")], or use #[npy(default)] if the member may be missing"
    );
    let error = refusal::<Single>({
        let mut writer = npz::Writer::new(Bytes::default()).unwrap();
        writer.write("x", &1.5).unwrap();
        writer.finish().unwrap()
    });
    assert!(error.starts_with("member \"x\": the file holds '<f8'"), "{error}");
}

/// Guards `save` and `load`.
#[test]
fn save_and_load_keep_a_struct() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("layer.npz");
    npz::save(&path, &layer(1.0)).unwrap();
    npz::save(&path, &layer(2.0)).unwrap();
    assert_eq!(npz::load::<Layer>(&path).unwrap(), layer(2.0));
    // Each error names the file.
    #[derive(NpzArchive)]
    #[npy(deny_unknown_fields)]
    struct Denies(#[npy(rename = "weights")] Vec<f32>);
    #[derive(NpzArchive)]
    struct Misses(#[npy(alias = "weights", alias = "bias")] Vec<f32>);
    for error in [npz::load::<Denies>(&path).err(), npz::load::<Misses>(&path).err()] {
        let error = error.unwrap().to_string();
        assert_eq!(error.matches("layer.npz: ").count(), 1, "{error}");
    }
}

/// Guards hash maps: they have the members of a sorted map, in an order that does not depend on the hashes.
#[test]
fn hash_maps_are_archives_like_sorted_ones() {
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Hashed {
        layers: HashMap<String, Layer>,
        #[npy(flatten)]
        counts: HashMap<u16, HashMap<String, i64>>,
    }

    let layers = ["z", "größe", "a"].map(|name| (name.to_owned(), layer(1.0)));
    let inner = |n: i64| HashMap::from([("x".to_owned(), n), ("y".to_owned(), -n)]);
    let counts = HashMap::from([(10, inner(1)), (9, inner(2))]);
    let archive = Hashed { layers: layers.into(), counts };
    assert_round_trip(
        &archive,
        &[
            "layers/a/weights",
            "layers/a/bias",
            "layers/größe/weights",
            "layers/größe/bias",
            "layers/z/weights",
            "layers/z/bias",
            "10/x",
            "10/y",
            "9/x",
            "9/y",
        ],
    );
    let sorted: BTreeMap<u16, BTreeMap<String, i64>> = loaded(saved(&archive.counts)).unwrap();
    assert_eq!(sorted[&9]["y"], -2);
    let wrong = HashMap::from([("a/b".to_owned(), layer(1.0))]);
    let error = npz::Writer::new(Bytes::default()).unwrap().write_fields(&wrong).unwrap_err();
    assert!(error.to_string().contains("could not be read again"), "{error}");
    assert_eq!(refusal::<HashMap<String, u32>>(bytes(&[("x", 1)])).matches("<u4").count(), 1);
}

/// Guards advice that goes in a circle: the type that reads one member does not read the next one.
#[test]
fn a_map_of_one_dtype_advises_a_map_of_any() {
    #[derive(NpzArchive)]
    struct Rest<T: npz::ArchiveField> {
        #[npy(flatten)]
        rest: BTreeMap<String, T>,
    }
    let mut writer = npz::Writer::new(Bytes::default()).unwrap();
    writer.write("count", &[1i64]).unwrap();
    writer.write("name", "x").unwrap();
    let file = writer.finish().unwrap();
    let any = "a map of AnyArray (or DynArray) reads members of any dtype";

    let error = refusal::<BTreeMap<String, Vec<f64>>>(file.clone());
    assert!(
        error.contains(&format!("; {any}, and npz::ReadOptions::new().cast(Cast::")),
        "{error}"
    );
    assert!(!error.contains("Vec<i64> reads it"), "{error}");
    for error in [
        refusal::<Rest<Vec<i64>>>(file.clone()),
        refusal::<HashMap<String, Vec<i64>>>(file.clone()),
        npz::ReadOptions::new()
            .cast(npy_core::Cast::Numeric)
            .reader(file.clone())
            .and_then(|archive| archive.read_fields::<Rest<Vec<f64>>>())
            .err()
            .unwrap()
            .to_string(),
    ] {
        assert!(error.ends_with(any), "{error}");
    }
    assert_eq!(loaded::<Rest<npy_core::AnyArray>>(file).unwrap().rest.len(), 2);
}
