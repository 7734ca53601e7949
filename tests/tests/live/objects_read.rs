//! Arrays of Python objects that Python pickles: random trees with each protocol, and lists of plain values.

use std::sync::atomic::{AtomicU32, Ordering};

use npy_core::object::{Encoding, Kind};
use npy_core::{ObjectRef, Objects, npz, object};

use super::*;

/// Prints an object with all that `tree` below makes, in the same text as `show` in Rust.
const SHOW: &str = r#"
import collections, datetime, decimal, pickle, struct
def bits(x):
    return 'nan' if x != x else struct.pack('>d', x).hex()
def raw(a):
    # NumPy makes an array of `U1` of an empty text.
    if a.dtype.itemsize == 0: return ''
    a = np.ascontiguousarray(a)
    return a.astype(a.dtype.newbyteorder('<')).tobytes().hex()
def many(xs):
    return ' '.join(map(show, xs))
def show(x):
    t = type(x)
    if x is None: return 'None'
    if t is bool: return 'bool:%d' % x
    if t is int: return 'int:%d' % x
    if t is float: return 'float:' + bits(x)
    if t is complex: return 'complex:%s,%s' % (bits(x.real), bits(x.imag))
    if t is str: return 'str:' + x.encode().hex()
    if t is bytes: return 'bytes:' + x.hex()
    if t is bytearray: return 'bytearray:' + x.hex()
    if t in (list, collections.deque): return '[' + many(x) + ']'
    if t is tuple: return '(' + many(x) + ')'
    if t is set: return 'set{' + ' '.join(sorted(map(show, x))) + '}'
    if t is frozenset: return 'frozenset{' + ' '.join(sorted(map(show, x))) + '}'
    if isinstance(x, dict): return '{' + ' '.join(show(k) + '=' + show(v) for k, v in x.items()) + '}'
    if t is np.ndarray and x.dtype == object:
        return 'objects%s[%s]' % (list(x.shape), many(x.ravel().tolist()))
    if t is np.ndarray: return 'array%s%s:%s' % (x.dtype.newbyteorder('<').str, list(x.shape), raw(x))
    if isinstance(x, np.generic): return 'scalar%s:%s' % (x.dtype.newbyteorder('<').str, raw(x))
    if t is datetime.datetime: return 'datetime:' + x.isoformat()
    if t is datetime.date: return 'date:' + x.isoformat()
    if t is datetime.time: return 'time:' + x.isoformat()
    if t is datetime.timedelta: return 'timedelta:%d, %d, %d' % (x.days, x.seconds, x.microseconds)
    if t is decimal.Decimal: return 'decimal:%s' % x
    if t is range: return 'range:%d, %d, %d' % (x.start, x.stop, x.step)
    raise TypeError(t)
"#;

const TREES: &str = r#"
rng = random.Random(11)
KINDS = '? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 S3 U3 M8[ns] M8[3W] m8[s] V5'.split()
def text():
    return ''.join(chr(rng.choice([rng.randrange(32, 127), rng.randrange(1, 0xd800), rng.randrange(0xe000, 0x110000)])) for _ in range(rng.choice((0, 1, 3, 9, 70))))
def integer():
    n = rng.getrandbits(rng.choice((1, 7, 8, 15, 16, 31, 32, 33, 62, 63, 64, 65, 127, 128, 129, 300, 2100)))
    return rng.choice((n, -n, -n - 1))
def number():
    return rng.choice((0.0, -0.0, 1.5, float('nan'), float('inf'), -float('inf'), 5e-324, rng.random(), rng.gauss(0, 1e300)))
def zone():
    return rng.choice((None, datetime.timezone.utc, datetime.timezone(datetime.timedelta(seconds=60 * rng.randrange(-900, 900)))))
def dtype():
    if rng.random() < 0.2:
        return np.dtype([('a', rng.choice('<>') + rng.choice(KINDS)), ('b', rng.choice('<>') + 'f4', rng.choice(((), (2,), (2, 3))))], align=False)
    return np.dtype(rng.choice('<>') + rng.choice(KINDS))
def array():
    d, shape = dtype(), tuple(rng.choice((0, 1, 2, 3)) for _ in range(rng.randrange(4)))
    n = int(np.prod(shape, dtype=int))
    values = np.array([rng.randrange(97, 120) for _ in range(n)])
    a = np.zeros(n, d)
    if d.names: a['b'] = rng.random()
    elif d.kind in 'biufcSU': a[...] = values
    elif d.kind in 'mM': a[...] = values.view('m8[s]') if d.kind == 'm' else values.astype('M8[D]')
    return np.asarray(a.reshape(shape), order=rng.choice('CF'))
def leaf():
    us = rng.randrange(10**6)
    return rng.choice((
        lambda: None, lambda: rng.random() < 0.5, integer, number, lambda: complex(number(), number()), text,
        lambda: rng.randbytes(rng.choice((0, 1, 5, 300))), lambda: bytearray(rng.randbytes(5)), array,
        lambda: np.dtype(rng.choice(KINDS[:14])).type(rng.randrange(2)), lambda: np.datetime64('2001-02-03', 'ns'), lambda: np.str_(text().strip('\0')),
        lambda: datetime.datetime(rng.randrange(1, 9999), 2, 28, 4, 5, 6, us, zone()),
        lambda: datetime.date(rng.randrange(1, 9999), 12, 31), lambda: datetime.time(23, 59, 58, us, zone()),
        lambda: datetime.timedelta(rng.randrange(-10**6, 10**6), rng.randrange(86400), us),
        lambda: decimal.Decimal(rng.choice(('1.50', '-0', 'NaN', '1E+30', 'Infinity', '0.1'))), lambda: range(rng.randrange(9), rng.randrange(99), rng.choice((1, 3, -2)))))()
def key(depth=2):
    return rng.choice((lambda: None, lambda: True, integer, lambda: 2.5, text, lambda: rng.randbytes(3), lambda: datetime.date(2000, 1, 2),
                       lambda: decimal.Decimal('7.25'), lambda: tuple(key(depth - 1) for _ in range(2)) if depth else 3, lambda: frozenset((1, 'x'))))()
def tree(depth, shared):
    if shared and rng.random() < 0.1:
        return rng.choice(shared)
    if depth == 0 or rng.random() < 0.3:
        x = leaf()
    else:
        n = rng.choice((0, 1, 2, 3, 5))
        items = [tree(depth - 1, shared) for _ in range(n)]
        def nested():
            a = np.empty(n, object)
            for i, x in enumerate(items): a[i] = x
            return a
        x = rng.choice((lambda: items, lambda: tuple(items), lambda: {key(): x for x in items}, lambda: {key() for _ in items}, nested,
                        lambda: frozenset(key() for _ in items), lambda: collections.OrderedDict((key(), x) for x in items),
                        lambda: collections.defaultdict(list, {key(): x for x in items}), lambda: collections.deque(items)))()
    shared.append(x)
    return x
with open('all', 'wb') as f:
    for i in range(1000):
        shape = rng.choice(((), (1,), (3,), (0,), (2, 2), (2, 1, 3)))
        a = np.empty(shape, object, order=rng.choice('CF'))
        shared = []
        for at in np.ndindex(*shape): a[at] = tree(4, shared)
        np.lib.format.write_array_header_1_0(f, np.lib.format.header_data_from_array_1_0(a))
        pickle.dump(a, f, protocol=i % 6)
        print(many([a[at] for at in np.ndindex(*shape)]))
"#;

/// A stream that supplies a byte at a time.
struct Bytewise<'a>(&'a [u8]);

impl std::io::Read for Bytewise<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = buffer.len().min(1);
        std::io::Read::read(&mut self.0, &mut buffer[..n])
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bits(number: f64) -> String {
    if number.is_nan() { "nan".into() } else { format!("{:016x}", number.to_bits()) }
}

fn many<'a>(items: impl Iterator<Item = ObjectRef<'a>>) -> String {
    items.map(show).collect::<Vec<_>>().join(" ")
}

fn sorted(object: ObjectRef<'_>) -> String {
    let mut items: Vec<_> = object.iter().map(show).collect();
    items.sort();
    items.join(" ")
}

/// Prints an object as `show` in Python does.
fn show(object: ObjectRef<'_>) -> String {
    let inner = || {
        let text = object.to_string();
        text[text.find('(').unwrap() + 1..text.len() - 1].replace('\'', "")
    };
    let raw = |array: &DynArray| {
        let packed = array.dtype().with_byte_order(ByteOrder::Little).packed();
        hex(array.to_order(Order::C).unwrap().cast(&packed).unwrap().as_bytes())
    };
    let code = |array: &DynArray| match array.dtype().fields() {
        [] => array.dtype().with_byte_order(ByteOrder::Little).to_string(),
        _ => format!("|V{}", array.dtype().itemsize()),
    };
    match object.kind() {
        Kind::None => "None".into(),
        Kind::Bool => format!("bool:{}", u8::from(object.as_bool().unwrap())),
        Kind::Int => format!("int:{object}"),
        Kind::Float => format!("float:{}", bits(object.as_f64().unwrap())),
        Kind::Complex => {
            let part = |i| bits(object.arguments().unwrap().at(i).unwrap().as_f64().unwrap());
            format!("complex:{},{}", part(0), part(1))
        }
        Kind::Str => format!("str:{}", hex(object.as_str().unwrap().as_bytes())),
        Kind::Bytes => format!("bytes:{}", hex(&object.as_bytes().unwrap())),
        Kind::ByteArray => format!("bytearray:{}", hex(&object.as_bytes().unwrap())),
        Kind::List => format!("[{}]", many(object.iter())),
        Kind::Tuple => format!("({})", many(object.iter())),
        Kind::Set => format!("set{{{}}}", sorted(object)),
        Kind::FrozenSet => format!("frozenset{{{}}}", sorted(object)),
        Kind::Dict => {
            let entry = |(key, value)| format!("{}={}", show(key), show(value));
            format!("{{{}}}", object.entries().map(entry).collect::<Vec<_>>().join(" "))
        }
        Kind::Array => match object.as_array() {
            Ok(array) => format!("array{}{:?}:{}", code(&array), array.shape(), raw(&array)),
            Err(_) => {
                let header = object.header().unwrap();
                format!("objects{:?}[{}]", header.shape(), many(object.iter()))
            }
        },
        Kind::Scalar => {
            let array = object.as_array().unwrap();
            format!("scalar{}:{}", code(&array), raw(&array))
        }
        Kind::Date => format!("date:{}", inner()),
        Kind::Time => format!("time:{}", inner()),
        Kind::DateTime => format!("datetime:{}", inner()),
        Kind::TimeDelta => format!("timedelta:{}", inner()),
        Kind::Decimal => format!("decimal:{}", inner()),
        Kind::Range => {
            let text = inner();
            let step = if text.matches(',').count() == 1 { ", 1" } else { "" };
            format!("range:{text}{step}")
        }
        other => panic!("{other}: {object}"),
    }
}

#[test]
fn a_thousand_random_trees_of_objects_read_equal() {
    let dir = tempfile::tempdir().unwrap();
    let script = format!("{SHOW}{TREES}");
    let stated = python(&script, dir.path());
    let file = std::fs::read(dir.path().join("all")).unwrap();
    // The files are one after the other in one stream, which each read leaves right after the pickle.
    let mut stream = &file[..];
    for (i, stated) in stated.lines().enumerate() {
        let objects = Objects::read_npy_from(&mut stream).unwrap_or_else(|e| panic!("{i}: {e}"));
        let text = many(objects.iter());
        let same = text.bytes().zip(stated.bytes()).take_while(|(a, b)| a == b).count();
        let (found, stated) = (&text[same..], &stated[same..]);
        let before = &text[same.saturating_sub(60)..same];
        assert!(found == stated, "{i}: after {before}: {found:.100} for {stated:.100}");
    }
    assert_eq!((stream.len(), stated.lines().count()), (0, 1000));
}

#[test]
fn lists_of_plain_values_are_read_from_files_streams_and_archives() {
    let dir = tempfile::tempdir().unwrap();
    python(
        r#"
text = np.array(['a', 'é\U0001f600', ''], object)
some = np.array(['a', None, float('nan')], object)
numbers = np.array([1, 2.5, None, np.float32(0.5), float('nan')], object)
ints = np.array([1, None, np.int64(-3), 2**62], object)
matrix = np.asfortranarray(np.array([[1, 2, 3], [4, 5, 6]], object))
cube = np.asfortranarray(np.arange(24).reshape(2, 3, 4).astype(object))
for name, a in dict(text=text, some=some, numbers=numbers, ints=ints, matrix=matrix, cube=cube).items():
    np.save(name, a)
np.savez('stored', text=text, ints=ints)
np.savez_compressed('deflated', text=text, ints=ints)
if hasattr(np.dtypes, 'StringDType'):
    S = np.dtypes.StringDType
    np.save('strings', np.array(['a', 'é', 'long' * 30], S()))
    np.save('strings_none', np.array(['a', None], S(na_object=None)))
    np.save('strings_nan', np.array(['a', float('nan')], S(na_object=float('nan'))))
np.save('empty', np.empty((0,), object))
np.save('single', np.array('one', object))
"#,
        dir.path(),
    );
    let path = |name: &str| dir.path().join(format!("{name}.npy"));
    let some = |texts: &[Option<&str>]| {
        texts.iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>()
    };
    let text = ["a", "é😀", ""];
    assert_eq!(Vec::<String>::read_npy(path("text")).unwrap(), text);
    assert_eq!(
        Vec::<Option<String>>::read_npy(path("some")).unwrap(),
        some(&[Some("a"), None, None])
    );
    let error = Vec::<String>::read_npy(path("some")).unwrap_err().to_string();
    assert!(error.contains("row 1"), "{error}");
    let numbers = Vec::<Option<f64>>::read_npy(path("numbers")).unwrap();
    assert_eq!(numbers, [Some(1.0), Some(2.5), None, Some(0.5), None]);
    let ints = Vec::<Option<i64>>::read_npy(path("ints")).unwrap();
    assert_eq!(ints, [Some(1), None, Some(-3), Some(1 << 62)]);
    let matrix = NpyArray::<i32>::read_npy(path("matrix")).unwrap();
    assert_eq!(matrix.shape(), [2, 3]);
    assert_eq!(matrix.into_vec(), [1, 2, 3, 4, 5, 6]);
    let cube = NpyArray::<Option<u8>>::read_npy(path("cube")).unwrap();
    assert_eq!(cube.shape(), [2, 3, 4]);
    assert!(cube.into_vec().into_iter().eq((0..24).map(Some)));
    assert!(Vec::<String>::read_npy(path("empty")).unwrap().is_empty());
    assert_eq!(Objects::read_npy(path("single")).unwrap().root().as_str().unwrap(), "one");
    // Byte by byte, two in one stream.
    let two =
        [std::fs::read(path("text")).unwrap(), std::fs::read(path("numbers")).unwrap()].concat();
    let mut stream = Bytewise(&two);
    assert_eq!(Vec::<String>::read_npy_from(&mut stream).unwrap(), text);
    assert_eq!(Vec::<Option<f64>>::read_npy_from(&mut stream).unwrap().len(), 5);
    for name in ["stored.npz", "deflated.npz"] {
        let archive = npz::Reader::open(dir.path().join(name)).unwrap();
        assert_eq!(archive.read::<Vec<String>>("text").unwrap(), text);
        assert_eq!(archive.read::<Vec<Option<i64>>>("ints").unwrap(), ints);
    }
    if path("strings").exists() {
        let long = "long".repeat(30);
        assert_eq!(Vec::<String>::read_npy(path("strings")).unwrap(), ["a", "é", &long]);
        for name in ["strings_none", "strings_nan"] {
            let found = Vec::<Option<String>>::read_npy(path(name)).unwrap();
            assert_eq!(found, some(&[Some("a"), None]), "{name}");
        }
    }
}

#[derive(NpyRecord, Debug, PartialEq)]
struct Station {
    id: i64,
    #[npy(width = any)]
    name: String,
    #[npy(width = any)]
    code: Vec<u8>,
}

/// Guards text of any width in the records of a frame of pandas, where text is objects, or has a width in the file.
#[test]
fn text_of_any_width_is_read_from_objects() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import pandas as pd
frame = pd.DataFrame({'id': [1, 2], 'name': pd.Series(['RJOB', 'é😀'], dtype=object), 'code': pd.Series([b'a\0b', b''], dtype=object)})
np.save('objects.npy', frame.to_records(index=False))
np.save('widths.npy', frame.to_records(index=False, column_dtypes={'name': 'U9', 'code': 'S3'}))
long = pd.DataFrame({'id': [1], 'name': pd.Series(['x' * 1025], dtype=object), 'code': pd.Series([b''], dtype=object)})
np.save('long.npy', long.to_records(index=False))
"#;
    python(script, dir.path());
    let expected = [
        Station { id: 1, name: "RJOB".into(), code: b"a\0b".to_vec() },
        Station { id: 2, name: "é😀".into(), code: Vec::new() },
    ];
    for name in ["objects.npy", "widths.npy"] {
        assert_eq!(Vec::<Station>::read_npy(dir.path().join(name)).unwrap(), expected, "{name}");
    }
    let error = Vec::<Station>::read_npy(dir.path().join("long.npy")).unwrap_err().to_string();
    assert!(error.contains("text of at most 4096 bytes"), "{error}");
}

/// Guards that defaults, aliases and refused fields are those of plain records where a record has an object field, and where a dictionary
/// is read: the same rows with text of a fixed width give the same values.
#[test]
fn rules_of_derived_records_hold_for_objects() {
    fn counted() -> f64 {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        f64::from(CALLS.fetch_add(1, Ordering::Relaxed))
    }
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Row {
        #[npy(width = 4, alias = "who", alias = "whom")]
        name: String,
        #[npy(default)]
        y: i32,
        #[npy(default = counted)]
        gain: f64,
        #[npy(default, width = any)]
        note: String,
    }
    #[derive(NpyRecord, Debug, PartialEq)]
    #[npy(default)]
    struct Whole {
        q: i64,
        #[npy(width = 4)]
        code: String,
        #[npy(flatten)]
        inner: Inner,
    }
    impl Default for Whole {
        fn default() -> Self {
            Whole { q: 7, code: "none".into(), inner: Inner { z: 0 } }
        }
    }
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Inner {
        #[npy(default, alias = "zed")]
        z: u8,
    }
    #[derive(NpyRecord, Debug)]
    #[npy(deny_unknown_fields)]
    struct Deny {
        #[npy(width = 4, alias = "who")]
        name: String,
    }
    #[derive(NpyRecord, Debug)]
    struct Narrow {
        #[npy(width = 2)]
        name: String,
    }
    #[derive(NpyRecord, Debug)]
    struct Number {
        name: f64,
        lost: f64,
    }

    let dir = tempfile::tempdir().unwrap();
    let script = r#"
def save(name, rows, fields):
    np.save(name + '_objects', np.array(rows, fields))
    np.save(name + '_plain', np.array(rows, [(field, code.replace('O', 'U3')) for field, code in fields]))
    dicts = np.empty(len(rows), object)
    dicts[:] = [dict(zip([field for field, _ in fields], row)) for row in rows]
    np.save(name + '_dicts', dicts)
save('own', [('Ann', 1), ('Bo', 2)], [('name', 'O'), ('q', '>i8')])
save('alias', [(1, 'Ann'), (2, 'Bo')], [('zed', 'u1'), ('who', 'O')])
save('both', [('Ann', 'Bo')], [('who', 'O'), ('name', 'O')])
save('two', [('Ann', 'Bo')], [('whom', 'O'), ('who', 'O')])
save('city', [('Ann', 'Ulm')], [('name', 'O'), ('city', 'O')])
save('number', [('Ann', 1)], [('name', 'O'), ('q', 'f8')])
np.save('five', np.array([5, {1: 2}], object))
np.save('keys', np.array([{1: 2, 'name': 'Ann'}, None], object)[:1])
"#;
    python(script, dir.path());
    let path = |name: &str, kind: &str| dir.path().join(format!("{name}{kind}.npy"));
    let row = |name: &str, gain| Row { name: name.into(), y: 0, gain, note: String::new() };
    let whole = |q, z| Whole { q, code: "none".into(), inner: Inner { z } };
    for kind in ["_objects", "_plain", "_dicts"] {
        for name in ["own", "alias"] {
            let rows = Vec::<Row>::read_npy(path(name, kind)).unwrap();
            let gain = rows[0].gain; // made once per file
            assert_eq!(rows, [row("Ann", gain), row("Bo", gain)], "{name}{kind}");
        }
        let wholes = Vec::<Whole>::read_npy(path("own", kind)).unwrap();
        assert_eq!(wholes, [whole(1, 0), whole(2, 0)], "{kind}");
        let wholes = Vec::<Whole>::read_npy(path("alias", kind)).unwrap();
        assert_eq!(wholes, [whole(7, 1), whole(7, 2)], "{kind}");
        assert!(Vec::<Deny>::read_npy(path("number", kind)).is_err(), "{kind}");
        for (error, message) in [
            (
                Vec::<Deny>::read_npy(path("city", kind)).unwrap_err(),
                "the file has a field \"city\", which Deny does not have; add it to the struct",
            ),
            (
                Vec::<Deny>::read_npy(path("both", kind)).unwrap_err(),
                "the file has a field \"who\", which Deny does not have; it is an alias",
            ),
            (
                Vec::<Row>::read_npy(path("two", kind)).unwrap_err(),
                "the file has a field \"whom\", which Row does not have; it is an alias",
            ),
            (Vec::<Narrow>::read_npy(path("own", kind)).unwrap_err(), "raise `width` to 3, or"),
            (Vec::<Number>::read_npy(path("own", kind)).unwrap_err(), "field \"name\": "),
            (
                Vec::<Inner>::read_npy(dir.path().join("five.npy")).unwrap_err(),
                "in 5, which is not",
            ),
            (Vec::<Narrow>::read_npy(path("alias", kind)).unwrap_err(), "#[npy(default)]"),
            (Vec::<Deny>::read_npy(path("keys", "")).unwrap_err(), "has a field \"1\""),
        ] {
            assert!(error.to_string().contains(message), "{kind}: {error}");
        }
    }
}

/// Guards NaN and NaT as missing values, whether an array holds objects or numbers and times.
#[test]
fn missing_values_are_none_in_any_dtype() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
x = np.array([0.5, np.nan]); t = np.array(['2001-02-03', 'NaT'], 'M8[s]')
records = np.zeros(2, [('x', 'f8'), ('t', '>M8[s]'), ('h', 'f2')]); records['x'] = x; records['t'] = t; records['h'] = x
np.save('x.npy', x); np.save('t.npy', t); np.save('records.npy', records)
np.save('object_x.npy', x.astype(object)); np.save('half.npy', x.astype('>f2'))
np.save('grid.npy', np.array([[1, np.nan], [np.nan, 2]], 'f4', order='F'))
"#;
    python(script, dir.path());
    let path = |name: &str| dir.path().join(format!("{name}.npy"));
    for name in ["x", "object_x", "half"] {
        let cast = ReadOptions::new().cast(Cast::Lossless).clone();
        let read: Vec<Option<f64>> = cast.read(path(name)).unwrap();
        assert_eq!(read, [Some(0.5), None], "{name}");
        assert_eq!(object::load::<Vec<Option<f64>>>(path(name)).unwrap(), read, "{name}");
    }
    let time: DateTime64<Second> = "2001-02-03".parse().unwrap();
    assert_eq!(Vec::<Option<DateTime64<Second>>>::read_npy(path("t")).unwrap(), [Some(time), None]);
    let loaded: Vec<Option<DateTime64<Second>>> = object::load(path("t")).unwrap();
    assert_eq!(loaded, [Some(time), None]);
    let grid = NpyArray::<Option<f32>>::read_npy(path("grid")).unwrap();
    assert_eq!(grid.into_vec(), [Some(1.0), None, None, Some(2.0)]);
    type Row = (Option<f64>, Option<DateTime64<Second>>, Option<f32>);
    let rows: Vec<Row> = object::load(path("records")).unwrap();
    assert_eq!(rows, [(Some(0.5), Some(time), Some(0.5)), (None, None, None)]);
    let table = DynArray::read_npy(path("records")).unwrap();
    assert_eq!(table.to_rows::<Row>().unwrap(), rows);
}

/// The files of Python 2 in NumPy's own tests.
#[test]
fn the_pickles_in_numpys_own_tests_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let folder = python(
        "print(os.path.join(os.path.dirname(np.lib.__file__), 'tests', 'data'), end='')",
        dir.path(),
    );
    let folder = Path::new(&folder);
    let mut seen = 0;
    for name in ["py2-objarr", "py2-np0-objarr", "py3-objarr"] {
        let path = folder.join(format!("{name}.npy"));
        if !path.exists() {
            continue;
        }
        for encoding in [Encoding::Latin1, Encoding::Bytes] {
            let mut options = ReadOptions::new();
            options.encoding(encoding);
            let objects: Objects = options.read(&path).unwrap();
            let shown: Vec<_> = objects.iter().map(|object| object.to_string()).collect();
            let range =
                if name == "py3-objarr" { "<builtins.range>" } else { "<__builtin__.xrange>" };
            assert_eq!(shown[..3], ["None", range, "'優良'"], "{name}");
            let last = objects.iter().nth(3).unwrap();
            assert_eq!(last.as_bytes().unwrap(), "不良".as_bytes());
            let is_text = name != "py3-objarr" && encoding == Encoding::Latin1;
            assert_eq!(last.kind(), if is_text { Kind::Str } else { Kind::Bytes });
        }
        seen += 1;
    }
    assert!(seen >= 2, "{seen} files");
}

/// Guards the unit of times that NumPy pickles as counts, and numbers of NumPy that another type holds exactly.
#[test]
fn counts_of_times_keep_their_unit_in_derived_records() {
    #[derive(NpyRecord, Debug, PartialEq, Clone, Copy)]
    struct Row {
        t: DateTime64<npy_core::time::Second>,
    }
    let dir = tempfile::tempdir().unwrap();
    python(
        r#"
def save(name, unit, count):
    a = np.zeros(2, [('o', 'O'), ('t', 'M8[%s]' % unit)])
    a['t'][0] = np.datetime64(count, unit)
    a['t'][1] = 'NaT'
    np.save(name, a)
save('whole', 'ns', 5 * 10**9)
save('fraction', 'ns', 5)
np.save('counts', np.array([5], object))
np.save('scalars', np.array([np.int64(5), np.uint8(7), 2**64], object))
"#,
        dir.path(),
    );
    let path = |name: &str| dir.path().join(format!("{name}.npy"));
    let rows = Vec::<Row>::read_npy(path("whole")).unwrap();
    assert_eq!(rows, [Row { t: DateTime64::new(5) }, Row { t: DateTime64::NAT }]);
    assert!(Vec::<Row>::read_npy(path("fraction")).is_err());
    assert!(Vec::<DateTime64<npy_core::time::Second>>::read_npy(path("counts")).is_err());
    let numbers = Vec::<f64>::read_npy(path("scalars")).unwrap();
    assert_eq!(numbers, [5.0, 7.0, 18_446_744_073_709_551_616.0]);
}

/// Guards the casts of numbers that are Python objects, also in records with objects: they are those of arrays of the numbers.
#[test]
fn objects_are_cast_as_numbers_are() {
    use npy_core::{Cast, ReadOptions};

    #[derive(NpyRecord, Debug, PartialEq)]
    struct Row {
        n: i32,
        xs: [i16; 2],
    }
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
def save(name, dtype, values):
    np.save(name, np.array(values, object))
    np.save(name + ' cast', np.array([np.asarray(x).astype(dtype) for x in values]))
save('integers', 'u1', [300, -1, True, np.int64(70000), 2**63 + 1])
save('reals', 'f4', [1.5, -0.5, 2**24 + 1, True, np.float64(2.1), 0.1, 2**63 + 1, float('inf')])
save('complex', 'c8', [1.5, 3, True, 0.1 + 2.1j, np.complex128(0.1)])
large = [2**70 + 1, -2**63 - 1, 2**127 + 2**74 + 1, -2**1023 - 1, 2**64 - 1, -2**200 + 5]
save('large', 'f8', large)
np.save('low', np.array([value % 2**64 for value in large], 'u8'))
np.save('infinite', np.array([2**1024, -2**30000, 10**5000], object))
np.save('missing', np.array([1.5, None, -0.5, float('nan')], object))
np.save('rows', np.array([('a', 1.5, [1, 2.5])], [('name', 'O'), ('n', '>f8'), ('xs', '>f8', (2,))]))
np.save('one', np.array(1.5, object))
np.save('mixed', np.array([1.5, 2, True], object))
"#;
    python(script, dir.path());
    let path = |name: &str| dir.path().join(name).with_extension("npy");
    let casts = [Cast::Exact, Cast::Lossless, Cast::Checked, Cast::Numeric];
    let [exact, lossless, checked, numeric] =
        casts.map(|cast| ReadOptions::new().cast(cast).clone());

    let integers = npy_core::load::<Vec<u8>>(path("integers cast")).unwrap();
    assert_eq!(numeric.read::<Vec<u8>>(path("integers")).unwrap(), integers);
    let reals = npy_core::load::<Vec<f32>>(path("reals cast")).unwrap();
    let complex = npy_core::load::<Vec<Complex<f32>>>(path("complex cast")).unwrap();
    for options in [&checked, &numeric] {
        assert_eq!(options.read::<NpyArray<f32>>(path("reals")).unwrap().into_vec(), reals);
        assert_eq!(options.read::<Vec<Complex<f32>>>(path("complex")).unwrap(), complex);
    }
    let floats = npy_core::load::<Vec<f64>>(path("large cast")).unwrap();
    for options in [&checked, &numeric] {
        assert_eq!(options.read::<Vec<f64>>(path("large")).unwrap(), floats);
    }
    let low = npy_core::load::<Vec<u64>>(path("low")).unwrap();
    assert_eq!(numeric.read::<Vec<u64>>(path("large")).unwrap(), low);
    let infinite = numeric.read::<Vec<f64>>(path("infinite")).unwrap();
    assert_eq!(infinite, [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY]);
    assert!(checked.read::<Vec<f64>>(path("infinite")).is_err());
    assert!(checked.read::<Vec<i64>>(path("large")).is_err());
    let missing = numeric.read::<Vec<Option<i32>>>(path("missing")).unwrap();
    assert_eq!(missing, [Some(1), None, Some(0), None]);
    let rows = numeric.read::<Vec<Row>>(path("rows")).unwrap();
    assert_eq!(rows, [Row { n: 1, xs: [1, 2] }]);
    assert_eq!(numeric.read::<i32>(path("one")).unwrap(), 1);

    // The advice is the cast that reads them.
    assert_eq!(checked.read::<Vec<f64>>(path("mixed")).unwrap(), [1.5, 2.0, 1.0]);
    assert_eq!(numeric.read::<Vec<i8>>(path("mixed")).unwrap(), [1, 2, 1]);
    for (error, advice) in [
        (
            exact.read::<Vec<f64>>(path("mixed")).map(drop),
            "row 2: expected a value of dtype <f8, found a bool: True; ReadOptions::new().cast(Cast::Checked) converts it, or change the Rust type to one that holds it",
        ),
        (
            exact.read::<Vec<i8>>(path("mixed")).map(drop),
            "found a float: 1.5; change the Rust type to one that holds it, ",
        ),
        (
            exact.read::<Vec<FixedStr<3>>>(path("mixed")).map(drop),
            "found a float: 1.5; change the Rust type to one that holds it, ",
        ),
    ] {
        let error = error.unwrap_err().to_string();
        assert!(error.contains(advice), "{error}");
    }
    for options in [&exact, &lossless] {
        assert!(options.read::<Vec<f32>>(path("reals")).is_err());
        assert!(options.read::<Vec<Complex<f32>>>(path("complex")).is_err());
    }
    for options in [&exact, &lossless, &checked] {
        assert!(options.read::<Vec<u8>>(path("integers")).is_err());
        assert!(options.read::<Vec<Option<i32>>>(path("missing")).is_err());
        assert!(options.read::<Vec<Row>>(path("rows")).is_err());
        assert!(options.read::<i32>(path("one")).is_err());
    }
}

/// Guards text and bytes of NumPy among objects, and sub-arrays in records with objects, which NumPy pickles as arrays.
#[test]
fn scalars_of_text_and_sub_arrays_of_records_are_read() {
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Row {
        name: FixedStr<4>,
        gains: [f32; 3],
    }

    let dir = tempfile::tempdir().unwrap();
    let script = r#"
np.save('texts', np.array([np.str_('abc'), 'é', None, np.str_('')], object))
np.save('bytes', np.array([np.bytes_(b'ab'), b'c'], object))
np.save('rows', np.array([('a', [1, 2, 3]), ('b', [4, 5, 6])], [('name', 'O'), ('gains', '>f4', (3,))]))
"#;
    python(script, dir.path());
    let path = |name: &str| dir.path().join(name).with_extension("npy");
    let texts = Vec::<Option<String>>::read_npy(path("texts")).unwrap();
    assert_eq!(texts, [Some("abc".into()), Some("é".into()), None, Some(String::new())]);
    assert_eq!(Vec::<Vec<u8>>::read_npy(path("bytes")).unwrap(), [&b"ab"[..], b"c"]);
    let name = |name: &str| FixedStr::new(name).unwrap();
    let rows = Vec::<Row>::read_npy(path("rows")).unwrap();
    let expected = [
        Row { name: name("a"), gains: [1.0, 2.0, 3.0] },
        Row { name: name("b"), gains: [4.0, 5.0, 6.0] },
    ];
    assert_eq!(rows, expected);
}

/// Guards that the fields of records with objects are those of NumPy, for each dtype that a field can have, and that each object is found
/// by its index.
#[test]
fn records_are_split_into_data_and_objects() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
fields = [('o', 'O'), ('s', 'S3'), ('u', '>U2'), ('empty', 'S0'), ('flag', '?'), ('i1', 'i1'), ('i2', '>i2'), ('u8', 'u8'), ('h', 'f2'),
    ('f', 'f4'), ('d', '>f8'), ('g', 'g'), ('c', 'c8'), ('z', '>c16'), ('v', 'V3'), ('list', 'O', (2,)), ('xs', '>f4', (2, 2)), ('times', 'M8[ns]', (2,)),
    ('n', [('a', '>i4'), ('o', 'O'), ('x', 'U2')]), ('q', [('o', 'O'), ('k', '>i2')], (2,)), ('plain', [('a', '>i4'), ('t', 'M8[s]')], (2,))]
units = 'Y M W D h m s ms us ns ps 25s'.split()
fields += [('M8' + unit, 'M8[%s]' % unit) for unit in units] + [('m8' + unit, '>m8[%s]' % unit) for unit in units]
record = np.dtype(fields)
padded = np.dtype([('o', 'O'), ('i1', 'i1'), ('d', '>f8')], align=True)
rng = np.random.default_rng(5)
def fill(dtype, shape):
    made = np.zeros(shape, dtype)
    if dtype.names:
        for name in dtype.names:
            made[name] = fill(*sub(dtype[name], shape))
    elif dtype.hasobject:
        made.ravel()[...] = [('text', None, 7, 2.5, [1])[n] for n in rng.integers(0, 5, made.size)]
    elif dtype.kind in 'SU':
        made[...] = rng.choice(['', 'a', 'xyz'], shape)
    elif dtype.kind in 'Mm':
        made[...] = rng.choice([0, 1, 25, -(1 << 63)], shape).view(dtype.newbyteorder('='))
    elif dtype.kind == 'V':
        made = np.frombuffer(rng.bytes(made.nbytes), dtype).reshape(shape)
    else:
        made[...] = rng.choice([0, 1, 25], shape)
    return made
def sub(dtype, shape):
    return (dtype.base, shape + dtype.shape)
def paths(array, path):
    for name in array.dtype.names:
        inner = array[name]
        if array.dtype[name].base.names and not array.dtype[name].shape:
            paths(inner, path + [name])
        elif not inner.dtype.hasobject:
            np.save('%s.npy' % '.'.join(path + [name]), inner)
            print(count, '.'.join(path + [name]))
count = 0
for dtype, shape, order in [(record, (5,), 'C'), (record, (2, 3), 'F'), (record, (), 'C'), (record, (0,), 'C'), (padded, (3,), 'C')]:
    array = np.asarray(fill(dtype, shape), order=order)
    os.mkdir(str(count)); os.chdir(str(count))
    np.save('array.npy', array)
    np.save('objects.npy', array['o'])
    paths(array, [])
    os.chdir('..')
    count += 1
"#;
    let listing = python(script, dir.path());
    let mut fields = 0;
    for line in listing.lines() {
        let (count, field) = line.split_once(' ').unwrap();
        let directory = dir.path().join(count);
        let array = Objects::read_npy(directory.join("array.npy")).unwrap();
        let (records, objects) = array.split().unwrap();
        let found = records.field(field).unwrap();
        let wanted = DynArray::read_npy(directory.join(format!("{field}.npy"))).unwrap();
        let wanted = wanted.to_order(Order::C).unwrap().into_byte_order(ByteOrder::Little).unwrap();
        assert_eq!(found.shape(), wanted.shape(), "{line}");
        assert!(found.as_bytes() == wanted.as_bytes(), "{line}: {found} instead of {wanted}");
        let alone = Objects::read_npy(directory.join("objects.npy")).unwrap();
        for (index, wanted) in
            records.field("o").unwrap().to_vec::<u64>().unwrap().iter().zip(alone.iter())
        {
            let found = objects[usize::try_from(*index).unwrap()];
            assert_eq!(found.to_string(), wanted.to_string(), "{line}");
        }
        fields += 1;
    }
    assert!(fields > 150, "{fields}");
}
