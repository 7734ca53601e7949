//! Arrays of Python objects that we write: NumPy loads equal ones.

use std::collections::BTreeMap;

use npy_core::NpyView;
use npy_core::object::{self, AsObject};
use serde::{Serialize, Serializer};

use super::*;

/// Files of ours, each with the expression of the array that NumPy must load from it.
struct Objects {
    dir: TempDir,
    list: String,
    count: usize,
}

impl Objects {
    fn new() -> Self {
        Objects { dir: tempfile::tempdir().unwrap(), list: String::new(), count: 0 }
    }

    fn add_with<A: WriteNpy + ?Sized>(
        &mut self,
        array: &A,
        options: &WriteOptions,
        expression: &str,
    ) {
        let path = self.dir.path().join(format!("{}.npy", self.count));
        options.write(&path, array).unwrap_or_else(|error| panic!("{expression}: {error}"));
        writeln!(self.list, "{}\t{expression}", self.count).unwrap();
        self.count += 1;
    }

    /// Adds a list or array of `Option`, which is always written as objects.
    fn add<A: WriteNpy + ?Sized>(&mut self, array: &A, expression: &str) {
        self.add_with(array, &WriteOptions::new(), &format!("objects({expression})"));
    }

    /// Adds text or bytes.
    fn add_text<A: WriteNpy + ?Sized>(&mut self, array: &A, expression: &str) {
        let mut options = WriteOptions::new();
        options.objects(true);
        self.add_with(array, &options, &format!("objects({expression})"));
    }

    /// Adds a value that becomes an array without dimensions.
    fn add_value<T: Serialize + ?Sized>(&mut self, value: &T, expression: &str) {
        self.add_with(&AsObject(value), &WriteOptions::new(), &format!("single({expression})"));
    }

    /// Has Python load each file, with warnings as errors, and compare types, dtypes, shapes and values.
    fn assert_loaded(self) {
        std::fs::write(self.dir.path().join("list"), &self.list).unwrap();
        let script = r#"
import pickle, pickletools
warnings.simplefilter('error')
warnings.simplefilter('ignore', ResourceWarning)

def objects(items):
    a = np.empty(len(items), object)
    for i, item in enumerate(items):
        a[i] = item
    return a

def single(item):
    a = np.empty((), object)
    a[()] = item
    return a

def same(a, b):
    assert type(a) is type(b), (type(a), type(b))
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype and a.dtype.str == b.dtype.str and repr(a.dtype) == repr(b.dtype), (a.dtype, b.dtype)
        assert a.shape == b.shape and a.flags.fnc == b.flags.fnc, (a.shape, b.shape, a.flags, b.flags)
        if a.dtype.hasobject:
            for x, y in zip(a.ravel(), b.ravel()):
                same(x, y)
        else:
            assert a.tobytes() == b.tobytes(), (a, b)
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b), (len(a), len(b))
        for x, y in zip(a, b):
            same(x, y)
    elif isinstance(a, dict):
        same(list(a.items()), list(b.items()))
    else:
        assert repr(a) == repr(b), (a, b)

read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
for name, expression in lines():
    try:
        # NumPy's own pickles swap big-endian numbers when they are loaded.
        theirs = pickle.loads(pickle.dumps(eval(expression), 3))
        same(np.load(f'{name}.npy', allow_pickle=True), theirs)
        with open(f'{name}.npy', 'rb') as f:
            version = np.lib.format.read_magic(f)
            shape, fortran, dtype = read[version](f)
            assert (shape, fortran, dtype) == (theirs.shape, False, np.dtype(object))
            at = f.tell()
            pickle.load(f)
            assert f.read() == b'', 'bytes after the pickle'
            f.seek(at)
            pickletools.dis(f, open(os.devnull, 'w'))
            assert f.read() == b'', 'bytes after the opcodes'
    except Exception as error:
        sys.exit(f'{expression}: {type(error).__name__}: {error}')
"#;
        assert!(self.count > 0);
        python(script, self.dir.path());
    }
}

#[test]
fn text_and_options_are_objects() {
    let mut files = Objects::new();
    files.add_text(&["a", "größer", "😀", "", "nul\0"], r"['a', 'größer', '😀', '', 'nul\0']");
    files.add_text(&Vec::<String>::new(), "[]");
    let many: Vec<String> = (0..3000).map(|n| n.to_string()).collect();
    files.add_text(&many, "[str(n) for n in range(3000)]");
    files.add_text(&many[..1000], "[str(n) for n in range(1000)]");
    files.add_text(&vec![b"ab\0".to_vec(), vec![7; 300]], r"[b'ab\0', b'\7' * 300]");
    let long = "é".repeat(100_000);
    files.add_text(&[&long[..], "b"], "['é' * 100000, 'b']");
    files.add(&[Some("a".to_owned()), None], "['a', None]");
    files.add(&vec![None::<&str>; 2], "[None, None]");
    files.add(&[Some(1.5), None, Some(f64::NAN)], "[1.5, None, float('nan')]");
    files.add(&[Some(0.1f32), None], "[float(np.float32(0.1)), None]");
    files.add(&[Some(true), None, Some(false)], "[True, None, False]");
    files.add(&[Some(u64::MAX), None, Some(0)], "[2**64 - 1, None, 0]");
    files.add(
        &[Some(i64::MIN), Some(-1), Some(255), Some(256), Some(65536)],
        "[-2**63, -1, 255, 256, 65536]",
    );
    files.add(&[Some(-1i8), None], "[-1, None]");
    files.add(&[Some(&b"a"[..]), None], "[b'a', None]");

    let single = |files: &mut Objects, options: &WriteOptions| {
        files.add_with("text", options, "single('text')");
    };
    single(&mut files, WriteOptions::new().objects(true));
    single(&mut files, WriteOptions::new().objects(true).byte_order(ByteOrder::Big));
    single(&mut files, WriteOptions::new().objects(true).version(Version::V2));
    let grid: Vec<String> = ["a", "b", "c", "d", "e", "f"].map(String::from).into();
    for order in [Order::C, Order::Fortran] {
        let grid = NpyArray::new(grid.clone(), [2, 3]).unwrap().into_order(order);
        let mut options = WriteOptions::new();
        options.objects(true).order(order);
        files.add_with(&grid, &options, "objects(list('abcdef')).reshape(2, 3)");
        let some = grid.iter().cloned().map(Some).collect();
        let some = NpyArray::new(some, [2, 3]).unwrap().into_order(order);
        files.add_with(&some, &options, "objects(list('abcdef')).reshape(2, 3)");
    }
    files.assert_loaded();
}

/// Bytes, which serde's own types do not serialize as such.
struct Raw(&'static [u8]);

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Newtype(u8);

#[derive(Serialize)]
struct Pair(u8, char);

#[derive(Serialize)]
enum Variant {
    Unit,
    Newtype(Option<i8>),
    Tuple(u8, f32),
    Struct { a: u8 },
}

#[derive(Serialize)]
struct Nested {
    name: &'static str,
    parts: Vec<Nested>,
    none: Option<u8>,
}

#[test]
fn values_of_serde_are_objects() {
    let mut files = Objects::new();
    files.add_value(&true, "True");
    files.add_value(&(), "None");
    files.add_value(&None::<u8>, "None");
    files.add_value(&Unit, "None");
    files.add_value(&Newtype(7), "7");
    files.add_value(&'é', "'é'");
    files.add_value(&Raw(b"\0\xff"), r"b'\0\xff'");
    files.add_value(&i128::MIN, "-2**127");
    files.add_value(&u128::MAX, "2**128 - 1");
    files.add_value(&-2.5, "-2.5");
    files.add_value("größer", "'größer'");
    files.add_value(&BTreeMap::from([((1, "a"), 1), ((2, "b"), 2)]), "{(1, 'a'): 1, (2, 'b'): 2}");
    files.add_value(&BTreeMap::<u8, u8>::new(), "{}");
    let many: BTreeMap<i32, u32> = (0..2500).map(|n| (n - 1250, 7)).collect();
    files.add_value(&many, "{n - 1250: 7 for n in range(2500)}");
    files.add_value(&Variant::Unit, "'Unit'");
    files.add_value(&Variant::Newtype(None), "{'Newtype': None}");
    files.add_value(&Variant::Struct { a: 1 }, "{'Struct': {'a': 1}}");
    files.add_value(&Variant::Tuple(1, 0.5), "{'Tuple': (1, 0.5)}");
    let leaf = || Nested { name: "leaf", parts: vec![], none: None };
    let nested = Nested { name: "root", parts: vec![leaf(), leaf()], none: Some(3) };
    let leaf = "{'name': 'leaf', 'parts': [], 'none': None}";
    files.add_value(&nested, &format!("{{'name': 'root', 'parts': [{leaf}, {leaf}], 'none': 3}}"));
    let json = serde_json::json!({"a": [1, -2, 1.5, null, true, "x"], "b": {}});
    files.add_value(&json, "{'a': [1, -2, 1.5, None, True, 'x'], 'b': {}}");

    let add_list = |files: &mut Objects, value: &dyn Fn(&Path), expression: &str| {
        let path = files.dir.path().join(format!("{}.npy", files.count));
        value(&path);
        writeln!(files.list, "{}\tobjects({expression})", files.count).unwrap();
        files.count += 1;
    };
    let mut list =
        |value: &dyn Fn(&Path), expression: &str| add_list(&mut files, value, expression);
    let ragged = vec![vec![1, 2, 3], vec![], vec![4]];
    list(&|path| object::save(path, &ragged).unwrap(), "[[1, 2, 3], [], [4]]");
    list(&|path| object::save(path, &[1u8; 0]).unwrap(), "[]");
    list(&|path| object::save(path, &vec![7u8; 2500]).unwrap(), "[7] * 2500");
    list(
        &|path| object::save(path, &(1, "a", [2.5; 2], Pair(1, 'c'))).unwrap(),
        "[1, 'a', (2.5, 2.5), (1, 'c')]",
    );
    list(&|path| object::save(path, &Some(Pair(1, 'c'))).unwrap(), "[1, 'c']");
    list(
        &|path| object::save(path, &[Variant::Unit, Variant::Tuple(1, 0.5)]).unwrap(),
        "['Unit', {'Tuple': (1, 0.5)}]",
    );
    files.assert_loaded();
}

#[derive(Serialize)]
struct Arrays<'a> {
    name: &'a str,
    a: &'a NpyArray<f32>,
    b: DynArray,
}

#[test]
fn arrays_within_values_are_arrays() {
    let mut files = Objects::new();
    macro_rules! numbers {
        ($($type:ty: $dtype:literal),*) => {$(
            let array = NpyArray::new(vec![1 as $type, 2 as $type, 3 as $type], [3]).unwrap();
            files.add_value(&array, concat!("np.array([1, 2, 3], '", $dtype, "')"));
        )*};
    }
    numbers!(
        i8: "i1", i16: "<i2", i32: "<i4", i64: "<i8", u8: "u1", u16: "<u2", u32: "<u4", u64: "<u8", f32: "<f4",
        f64: "<f8"
    );
    let bools = NpyArray::new(vec![true, false], [2, 1]).unwrap();
    files.add_value(&bools, "np.array([[True], [False]])");
    files.add_value(&NpyArray::new(vec![7u8], []).unwrap(), "np.array(7, 'u1')");
    files.add_value(&NpyArray::<u8>::new(vec![], [2, 0, 3]).unwrap(), "np.zeros((2, 0, 3))");
    files.add_value(&NpyView::new(&[1.5, 2.5], [1, 2]).unwrap(), "np.array([[1.5, 2.5]])");
    for order in [Order::C, Order::Fortran] {
        let grid = NpyArray::new((0..6).collect(), [2, 3]).unwrap().into_order(order);
        let (as_is, letter) = match order {
            Order::C => ("np.array", 'C'),
            Order::Fortran => ("np.asfortranarray", 'F'),
        };
        files.add_value(&grid, &format!("{as_is}(np.arange(6, dtype='<i4').reshape(2, 3))"));
        let texts = NpyArray::new(vec!["a", "b", "c", "d"], [2, 2]).unwrap().into_order(order);
        files.add_value(&texts, "objects(list('abcd')).reshape(2, 2)");
        let bytes = (0..12).collect();
        let any = DynArray::new(">i2".parse().unwrap(), [2, 3], order, bytes).unwrap();
        files.add_value(
            &any,
            &format!("np.ndarray((2, 3), '>i2', bytes(range(12)), order='{letter}')"),
        );
    }
    files.add_value(&NpyArray::new(vec![Some(1), None], [2]).unwrap(), "objects([1, None])");
    files.add_value(&NpyArray::new(vec![(1, 2.5)], [1]).unwrap(), "objects([(1, 2.5)])");
    let large: Vec<f64> = (0..50_000).map(f64::from).collect();
    files.add_value(&NpyArray::from(large), "np.arange(50000.)");
    // The dtype of each file is used again where it occurs again.
    let many: Vec<NpyArray<u16>> = (0..1500).map(|n| NpyArray::from(vec![n; 3])).collect();
    files.add_with(
        &AsObject(&many),
        &WriteOptions::new(),
        "objects([np.full(3, n, '<u2') for n in range(1500)])",
    );

    // Every dtype, also more of them than the memo has room for.
    let descrs = [
        "|b1",
        "|u1",
        "<f2",
        ">f4",
        "<f8",
        "<c8",
        ">c16",
        "|S3",
        "|S1",
        "<U2",
        ">U5",
        "|V8",
        "<M8[25s]",
        ">m8[ns]",
        "<M8[as]",
        "<m8",
        "[('a', '|i1'), ('b', '<f8', (2, 3))]",
        "[('a', [('c', '<U2'), ('é', '>i4')]), ('d', '|S2')]",
        "[('a', '|u1'), ('', '|V7'), (('the title', 'b'), '<f8')]",
        "[('a', ('<f4', (2,)), (3,))]",
        "[('t', '<M8[D]', (2,)), ('', '|V3')]",
        "[]",
    ];
    let array = |descr: &str| {
        let dtype: DType = descr.parse().unwrap();
        let bytes = vec![0; 3 * dtype.itemsize()];
        DynArray::new(dtype, [3], Order::C, bytes).unwrap()
    };
    for descr in descrs {
        let literal = if descr.starts_with('[') { descr.into() } else { format!("'{descr}'") };
        let expression = format!("np.zeros(3, np.lib.format.descr_to_dtype({literal}))");
        files.add_value(&array(descr), &expression);
    }
    let widths: Vec<DynArray> = (1..300).map(|n| array(&format!("|S{n}"))).collect();
    files.add_with(
        &AsObject([&widths, &widths]),
        &WriteOptions::new(),
        "objects([[np.zeros(3, f'S{n}') for n in range(1, 300)]] * 2)",
    );
    files.assert_loaded();
}

#[test]
fn archives_have_members_of_objects() {
    let dir = tempfile::tempdir().unwrap();
    let run = Arrays {
        name: "first",
        a: &NpyArray::new(vec![0.5; 6], [2, 3]).unwrap(),
        b: DynArray::new("<i2".parse().unwrap(), [1], Order::C, vec![7, 0]).unwrap(),
    };
    for (name, options) in [
        ("stored.npz", npy_core::npz::WriteOptions::new().stored()),
        ("deflated.npz", npy_core::npz::WriteOptions::new().deflate(6)),
    ] {
        let mut npz = options.create(dir.path().join(name)).unwrap();
        npz.write("run", &AsObject(&run)).unwrap();
        npz.write("names", &[Some("a"), None]).unwrap();
        npz.write("numbers", &[1.5, 2.5]).unwrap();
        npz.finish().unwrap();
    }
    let mut stream = npy_core::npz::Writer::stream(Vec::new());
    stream.write("run", &AsObject(&run)).unwrap();
    std::fs::write(dir.path().join("stream.npz"), stream.finish().unwrap()).unwrap();
    let script = r#"
import zipfile
warnings.simplefilter('error')
for name in ('stored.npz', 'deflated.npz', 'stream.npz'):
    assert zipfile.ZipFile(name).testzip() is None
    with np.load(name, allow_pickle=True) as npz:
        run = npz['run'].item()
        assert list(run) == ['name', 'a', 'b'] and run['name'] == 'first'
        assert run['a'].dtype == '<f4' and run['a'].tolist() == [[0.5] * 3] * 2
        assert run['b'].dtype == '<i2' and run['b'].tolist() == [7]
        if 'names' in npz:
            assert npz['names'].tolist() == ['a', None] and npz['numbers'].tolist() == [1.5, 2.5]
"#;
    python(script, dir.path());
}

/// Returns a random value. At a greater depth it is more often one without parts.
fn random_value(random: &mut impl FnMut(usize) -> usize, depth: usize) -> serde_json::Value {
    use serde_json::json;

    const TEXTS: [&str; 8] =
        ["", "a", "größer", "😀", "\n\t\0", "it's \"q\"", "\u{2028}", "long text, again and again"];
    const FLOATS: [f64; 6] = [0.0, -0.0, 1.5, -1e-300, 1.7976931348623157e308, 0.1];
    let text = |random: &mut dyn FnMut(usize) -> usize| {
        TEXTS[random(TEXTS.len())].repeat(1 + random(20) * random(2))
    };
    match random(7 + 4_usize.saturating_sub(depth)) {
        0 => json!(null),
        1 => json!(random(2) == 0),
        2 => json!(FLOATS[random(FLOATS.len())]),
        3 => json!((1_u64 << random(64)) - random(2) as u64),
        4 => json!(-(1_i64 << random(63)) + random(2) as i64),
        5 | 6 => json!(text(random)),
        7 | 8 => (0..random(6)).map(|_| random_value(random, depth + 1)).collect(),
        _ => {
            let entries: Vec<_> =
                (0..random(6)).map(|_| (text(random), random_value(random, depth + 1))).collect();
            serde_json::Value::Object(entries.into_iter().collect())
        }
    }
}

/// Guards combinations of values that no other test has: Python prints the same as for the same JSON.
#[test]
fn ten_thousand_random_values_print_alike() {
    let mut state = 1_u64;
    let mut random = |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let values: Vec<_> = (0..10_000).map(|_| random_value(&mut random, 0)).collect();
    let dir = tempfile::tempdir().unwrap();
    object::save(dir.path().join("values.npy"), &values).unwrap();
    std::fs::write(dir.path().join("values.json"), serde_json::to_string(&values).unwrap())
        .unwrap();
    let script = r#"
import json
theirs = json.load(open('values.json', encoding='utf-8'))
ours = np.load('values.npy', allow_pickle=True)
assert ours.shape == (10000,), ours.shape
for a, b in zip(ours, theirs):
    assert repr(a) == repr(b), f'{a!r}\n{b!r}'
"#;
    python(script, dir.path());
}
