//! Against a real NumPy, both ways: what either of the two writes, the other writes too, byte for byte.
//!
//! One Python process a test: it makes or checks all files of the test in one directory.

use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};

use npy_core::time::{
    As, Day, Fs, Generic, Hour, Minute, Month, Ms, Ns, Ps, Second, TimeUnit, Times, Us, Week, Year,
};
use npy_core::{
    ByteOrder, ByteStr, Cast, DType, DateTime64, DynArray, Element, Header, NpyArray, NpyRecord,
    Order, ReadNpy, ReadOptions, Reader, TimeDelta64, Version, WriteNpy, WriteOptions,
};
use npy_tests::Numpy;
use tempfile::TempDir;

/// What every script starts with. `make` fills an array without touching its padding, which stays zero.
const PRELUDE: &str = r#"
import os, random, sys, warnings
import numpy as np
warnings.simplefilter('ignore')  # "Stored array in format 2.0"
os.chdir(sys.argv[1])

def make(dtype, rows):
    a = np.zeros(len(rows), dtype)
    for i, row in enumerate(rows):
        a[i] = row
    return a

def big(a, order='>'):
    # `np.zeros` would turn '>M8' into '<M8'.
    b = np.ndarray(a.shape, a.dtype.newbyteorder(order), bytearray(a.nbytes), order='F' if a.flags.fnc else 'C')
    b[...] = a
    return b

def little(a):
    return big(a, '<')

def lines():
    return [line.split('\t') for line in open('list', encoding='utf-8').read().splitlines()]
"#;

fn python(script: &str, directory: &Path) -> String {
    Numpy::run(&format!("{PRELUDE}{script}"), &[directory.as_os_str()])
}

// ---------------------------------------------------------------------------------------------
// NumPy writes, we read and write again.

/// Saves arrays and lists what they are. `each` takes a dtype through ranks, orders and sizes; the items are random
/// bytes, padding too.
const SAVE: &str = r#"
rng = random.Random(1)
SHAPES = [(), (0,), (1,), (5,), (0, 3), (2, 3), (1, 4), (4, 1), (2, 3, 4), (2, 1, 3), (2, 0, 3)]
saved = 0

def save(a, version=None):
    global saved
    saved += 1
    with open(f'{saved}.npy', 'wb') as f:
        if version is None:
            np.save(f, a, allow_pickle=False)
        else:
            np.lib.format.write_array(f, a, (version, 0), allow_pickle=False)
    order = 'Fortran' if a.flags.fnc else 'C'
    descr = repr(np.lib.format.dtype_to_descr(a.dtype))
    print(saved, version or 0, a.dtype.itemsize, order, list(a.shape), descr, sep='\t')

def filled(dtype, shape, order):
    n = int(np.prod(shape, dtype=int))
    if n == 0 or dtype.itemsize == 0:
        return np.zeros(shape, dtype, order)
    return np.frombuffer(rng.randbytes(n * dtype.itemsize), dtype).reshape(shape, order=order)

def each(dtype, shapes=SHAPES):
    for shape in shapes:
        for order in 'CF' if len(shape) > 1 else 'C':
            save(filled(dtype, shape, order))
"#;

/// Runs a script of `save`s, and reads each file and writes it again. Gives the number of files.
fn assert_the_same_again(script: &str) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let listing = python(&format!("{SAVE}{script}"), dir.path());
    let again = dir.path().join("again.npy");
    for line in listing.lines() {
        // Messages show the whole line: version, item size, order, shape and descr.
        let [file, version, itemsize, order, shape, descr] =
            line.splitn(6, '\t').collect::<Vec<_>>().try_into().unwrap();
        let path = dir.path().join(format!("{file}.npy"));
        let fail = |error: npy_core::Error| -> ! { panic!("{line}\n{error}") };
        let header = Header::read_npy(&path).unwrap_or_else(|e| fail(e));
        assert_eq!(header.dtype().descr(), descr, "{line}");
        assert_eq!(header.dtype().itemsize().to_string(), itemsize, "{line}");
        assert_eq!(format!("{:?}", header.order()), order, "{line}");
        assert_eq!(format!("{:?}", header.shape()), shape, "{line}");
        let parsed: DType = descr.parse().unwrap_or_else(|e| fail(e));
        assert_eq!(parsed, *header.dtype(), "{line}");
        assert_eq!(parsed.to_string().parse::<DType>().unwrap_or_else(|e| fail(e)), parsed);

        let array = DynArray::read_npy(&path).unwrap_or_else(|e| fail(e));
        let mut options = WriteOptions::new();
        if let Some(version) = VERSIONS.iter().flatten().find(|v| number(**v) == version) {
            options.version(*version);
        }
        options.write(&again, &array).unwrap_or_else(|e| fail(e));
        let (theirs, ours) = (std::fs::read(&path).unwrap(), std::fs::read(&again).unwrap());
        assert_same_bytes(&ours, &theirs, line);
        let mut header_again = header.to_bytes().unwrap_or_else(|e| fail(e));
        if version == "0" {
            header_again.extend(array.as_bytes());
            assert_same_bytes(&header_again, &theirs, line);
        }
    }
    println!("{} files", listing.lines().count());
    listing.lines().count()
}

const VERSIONS: [Option<Version>; 4] =
    [None, Some(Version::V1), Some(Version::V2), Some(Version::V3)];

fn number(version: Version) -> &'static str {
    match version {
        Version::V1 => "1",
        Version::V2 => "2",
        Version::V3 => "3",
    }
}

#[track_caller]
fn assert_same_bytes(ours: &[u8], theirs: &[u8], case: &str) {
    let differ = ours.iter().zip(theirs).position(|(a, b)| a != b);
    let at = differ.unwrap_or(ours.len().min(theirs.len()));
    let excerpt = |bytes: &[u8]| bytes[at..bytes.len().min(at + 60)].escape_ascii().to_string();
    assert!(
        ours == theirs,
        "{case}\nours, {} bytes, and NumPy's, {}, differ at {at}:\n{}\n{}",
        ours.len(),
        theirs.len(),
        excerpt(ours),
        excerpt(theirs)
    );
}

#[test]
fn scalars_of_every_kind_come_back_byte_for_byte() {
    let files = assert_the_same_again(
        r#"
units = 'Y M W D h m s ms us ns ps fs as'.split()
names = ['?', 'i1', 'u1', 'V0'] + [f'{k}{n}' for k in 'SV' for n in (1, 2, 5, 300)]
names += [o + k for o in '<>' for k in 'i2 i4 i8 u2 u4 u8 f2 f4 f8 f16 c8 c16 c32 U1 U2 U5 U99'.split()]
names += [f'{o}{k}8{r}' for o in '<>' for k in 'mM'
          for r in [''] + [f'[{n}{u}]' for n in ('', 7, 2147483647) for u in units]]
for name in names:
    each(np.dtype(name))
# Alone they become S1 and U1; as a column of a record they stay.
empty = np.zeros((2, 3), [('s', 'S0'), ('u', '<U0'), ('b', '>U0')])
for name in empty.dtype.names:
    save(empty[name])
# The ten bytes of a long double that count, in slots whose other six are zero.
for dtype in '<f16', '<c32':
    a = np.zeros(6, dtype)
    a.view('u1').reshape(-1, 16)[:, :10] = np.frombuffer(rng.randbytes(a.nbytes // 16 * 10), 'u1').reshape(-1, 10)
    save(a)
"#,
    );
    assert!(files > 2000, "{files}");
}

#[test]
fn layouts_that_are_not_contiguous_come_back_byte_for_byte() {
    let files = assert_the_same_again(
        r#"
a = np.arange(60, dtype='<i4').reshape(3, 4, 5)
views = [a[::2], a[:, ::-1], a[..., 1], a.T, a.transpose(1, 0, 2), a.swapaxes(1, 2), a[1], a[:, 1:2],
         np.broadcast_to(a[0], (2, 4, 5)), np.asfortranarray(a)[:, :, 1:], a.T[1:], a[None], a.diagonal(),
         a.view(np.ndarray)[:0], np.matrix([[1, 2], [3, 4]]), np.ma.array([1, 2], mask=[0, 1]),
         np.rec.array([(1, 2.5)], dtype=[('a', 'i4'), ('b', 'f8')]), np.float32(1.5), np.array(7),
         np.zeros((1,) * 32), np.zeros((1,) * 64), np.zeros((2,) * 10, 'i1', 'F')]
records = np.zeros(4, [('a', 'i4'), ('b', 'f8'), ('c', 'i2')])
views += [records['b'], records[['a', 'c']].copy(), records[1], records[::2]]
for view in views:
    save(np.asarray(view))
    for version in 1, 2, 3:
        save(np.asarray(view), version)
# Around the lengths where the spare room of the header changes.
for n in 9, 10, 99, 100, 12345:
    for shape in (n,), (n, 1), (1, n), (2, n):
        save(np.zeros(shape, '|V1'))
        save(np.zeros(shape, '|V1', 'F'))
"#,
    );
    assert!(files > 140, "{files}");
}

#[test]
fn records_of_every_kind_come_back_byte_for_byte() {
    let files = assert_the_same_again(
        r#"
def given(names, formats, offsets, itemsize):
    return np.dtype(dict(names=names, formats=formats, offsets=offsets, itemsize=itemsize))
inner = np.dtype([('x', '>f4'), ('y', 'S3')])
padded = np.dtype([('a', 'i1'), ('b', 'f8'), ('c', 'i2')], align=True)
twice = np.dtype((np.dtype(('<f8', (5,))), (2,)))
unnamed = np.zeros(1, [('a', 'i4'), ('b', 'f4')])
unnamed.dtype.names = ('', 'b')
titles = ['title', 'naïve', '整', "it's", '', ' ', 'a\tb', 5, -1, 2.5, 1e300, 2 ** 70, True, (1, 'x'), b'raw', 1j]
names = ['a b', 'é', '整', '\ud800', 'x\udfff', "it's", 'say "hi"', '''it's "q"''', 'a\\b', '\\', 'a\n\t\r\0\x01\x7f',
         '\x80\xa0\xad', '\u200b\u2028', '\U0001f600', '\U000e0001', '\U0010ffff', "'", '"', '#', '{', '),', '10L', 'None',
         'x' * 300, 'é' * 300, '整' * 300, 'descr', '\u0301']
dtypes = [
    [('a', '<i4')], [('a', '>i4'), ('b', '<f8')], padded, [('n', inner)], [('n', padded), ('m', padded, (2, 3))],
    np.dtype([('a', 'u1'), ('n', padded), ('z', 'i1')], align=True), [('b', 'f4', (3,))], [('b', 'f4', (2, 3, 4))],
    [('b', 'f4', (1,))], [('b', 'f4', (0,))], [('b', 'f4', (3, 0, 2)), ('c', 'i2')], [('c', twice)], [('c', twice), ('d', 'i1')],
    [('c', np.dtype((twice, (3,))))], [('n', np.dtype((np.dtype([('x', 'i2', (2,))]), (2,))), (3,))], [('e', [])], [],
    [('e', []), ('f', 'i2')], given([], [], [], 8), given(['a', 'b'], ['i1', 'f4'], [3, 10], 20), given(['a'], ['f8'], [0], 9),
    given(['a'], ['f8'], [7], 15), given(['n'], [given(['a'], ['i1'], [1], 5)], [2], 11), [('n', given([], [], [], 3)), ('o', 'i1')],
    [('a', 'S0'), ('b', 'U0'), ('c', 'V0'), ('d', '<i4')], [('a', 'S0')], [('a', 'V4'), ('b', 'V1', (3,))], [('a', '?', (2,))],
    [(f, f) for f in 'i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 f16 c8 c16 c32 m8 M8[ns] S3 U3 V3 ?'.split()],
    [(f, '>' + f) for f in 'i2 i4 i8 u2 u4 u8 f2 f4 f8 f16 c8 c16 c32 m8[25s] M8[7D] U3'.split()],
    [(f'f{i}', 'f4') for i in range(200)], [(f'field_{i}', '>c16', (i % 3 + 1,)) for i in range(200)],
    np.dtype([(f'f{i}', ['i1', 'f8'][i % 2]) for i in range(200)], align=True), unnamed.dtype,
    [(('title', 'a'), 'i4'), (('Title', 'b'), 'f4', (2,))], [('n', [(('title', 'a'), 'i4')])],
    [(name, '<f4') for name in names], [(name, 'V1') for name in names[:1]],
    [(f'f{n}', 'i1') for n in range(31)], np.dtype((np.record, [('a', 'i4')])),
]
dtypes += [[(name, '<f4'), ('z', 'i1')] for name in names]
dtypes += [[((title, 'a'), 'i4')] for title in titles]
for dtype in dtypes:
    each(np.dtype(dtype), [(), (0,), (3,), (2, 3)])
# Header lengths across a multiple of 64, in every version.
for n in range(1, 140):
    save(np.zeros(2, [('n' * n, '<f4')]))
    save(np.zeros((), [('é' * n, '<f4')]))
    for version in 1, 2, 3:
        save(np.zeros(1, [('n' * n, '<f4')]), version)
# Longer than version 1.0 holds, and just at its end.
for n in 65350, 65400, 65440, 65450, 65460, 65470, 65480, 65500, 70000:
    save(np.zeros(2, [('n' * n, '<f4')]))
save(np.zeros(2, [(f'field_{i}', '<f4') for i in range(5000)]))
save(np.zeros(2, [(f'整_{i}', '<f4') for i in range(5000)]))
"#,
    );
    assert!(files > 1000, "{files}");
}

#[test]
fn random_records_come_back_byte_for_byte() {
    let files = assert_the_same_again(
        r#"
KINDS = '? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 f16 c8 c16 c32 S0 S1 S7 U0 U2 V3 M8 M8[ns] M8[3W] m8[s] m8'.split()
POOL = ['a', 'b', 'c', 'x y', 'é', '整', "it's", '"', '\\', '\n', '\ud800', 'Name', '_', '0', 'f0', '\U0001f600']

def shape():
    return tuple(rng.choice((0, 1, 2, 2, 3)) for _ in range(rng.randrange(1, 4)))

def draw(depth):
    if depth == 0 or rng.random() < 0.5:
        return np.dtype(rng.choice('<>') + rng.choice(KINDS))
    if rng.random() < 0.2:
        return several(draw(depth - 1))
    return record(depth)

def several(base):
    # NumPy has no sub-array of items of no bytes.
    return np.dtype((base, shape())) if base.itemsize else base

def record(depth):
    names = rng.sample(POOL, rng.randrange(6))
    formats = [several(f) if rng.random() < 0.3 else f for f in (draw(depth - 1) for _ in names)]
    titles = [rng.choice((f'title {name}', i)) if rng.random() < 0.2 else None for i, name in enumerate(names)]
    if rng.random() < 0.3:
        offsets, end = [], 0
        for f in formats:
            offsets.append(end + rng.choice((0, 0, 1, 5)))
            end = offsets[-1] + f.itemsize
        return np.dtype(dict(names=names, formats=formats, titles=titles, offsets=offsets, itemsize=end + rng.choice((0, 3))))
    fields = [((t, n) if t is not None else n, f) for t, n, f in zip(titles, names, formats)]
    return np.dtype(fields, align=rng.random() < 0.4)

for _ in range(500):
    each(record(3), [rng.choice(SHAPES), (2,)])
"#,
    );
    assert!(files >= 1000, "{files}");
}

#[test]
fn objects_are_named_and_refused() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
for i, dtype in enumerate(['O', [('a', 'O'), ('b', 'i4')], [('n', [('o', 'O', (2,))], (3,))]]):
    a = np.zeros(2, dtype)
    np.save(f'{i}.npy', a)
    print(repr(np.lib.format.dtype_to_descr(a.dtype)))
"#;
    for (i, descr) in python(script, dir.path()).lines().enumerate() {
        let path = dir.path().join(format!("{i}.npy"));
        let header = Header::read_npy(&path).unwrap();
        assert_eq!(header.dtype().descr(), descr);
        assert!(header.dtype().has_object(), "{descr}");
        assert!(DynArray::read_npy(&path).is_err(), "{descr}");
    }
}

// ---------------------------------------------------------------------------------------------
// We write, NumPy saves the same from an expression of its own.

/// Files of ours, and for each the array that NumPy is to make and save as the same bytes.
struct Ours {
    dir: TempDir,
    list: String,
    count: usize,
}

impl Ours {
    fn new() -> Self {
        Ours { dir: tempfile::tempdir().unwrap(), list: String::new(), count: 0 }
    }

    /// Writes one file. `version` must be the one in the options.
    fn add_with<A: WriteNpy + ?Sized>(
        &mut self,
        array: &A,
        options: &WriteOptions,
        version: Option<Version>,
        expression: &str,
    ) {
        let path = self.dir.path().join(format!("{}.npy", self.count));
        options.write(&path, array).unwrap_or_else(|error| panic!("{expression}: {error}"));
        let version = version.map_or("0", number);
        writeln!(self.list, "{}\t{version}\t{expression}", self.count).unwrap();
        self.count += 1;
    }

    /// Writes one file without options.
    fn add<A: WriteNpy + ?Sized>(&mut self, array: &A, expression: &str) {
        self.add_with(array, &WriteOptions::new(), None, expression);
    }

    /// Writes a file in each byte order.
    fn add_orders<A: WriteNpy + ?Sized>(&mut self, array: &A, expression: &str) {
        self.add(array, expression);
        let mut options = WriteOptions::new();
        options.byte_order(ByteOrder::Big);
        self.add_with(array, &options, None, &format!("big({expression})"));
    }

    /// Writes a file for each version in each byte order.
    fn add_all<A: WriteNpy + ?Sized>(&mut self, array: &A, expression: &str) {
        self.add_orders(array, expression);
        for version in VERSIONS.into_iter().flatten() {
            let mut options = WriteOptions::new();
            options.version(version).byte_order(ByteOrder::Little);
            self.add_with(array, &options, Some(version), expression);
            options.byte_order(ByteOrder::Big);
            self.add_with(array, &options, Some(version), &format!("big({expression})"));
        }
    }

    /// Has NumPy make and save each array, and compare.
    fn assert_numpys(self) -> usize {
        std::fs::write(self.dir.path().join("list"), &self.list).unwrap();
        // To a real file: for other ones NumPy copies item by item and leaves padding to chance.
        let script = r#"
wrong = []
for name, version, expression in lines():
    try:
        a = eval(expression)
        with open('theirs', 'wb') as f:
            if version == '0':
                np.save(f, a, allow_pickle=False)
            else:
                np.lib.format.write_array(f, a, (int(version), 0), allow_pickle=False)
    except Exception as error:
        wrong.append(f'{expression}: {error}')
        continue
    ours, theirs = open(f'{name}.npy', 'rb').read(), open('theirs', 'rb').read()
    if ours != theirs:
        at = next((i for i, (x, y) in enumerate(zip(ours, theirs)) if x != y), min(len(ours), len(theirs)))
        wrong.append(f'{expression}, version {version}: of {len(ours)} and {len(theirs)} bytes those at {at} differ\n'
                     f'  ours  {ours[at:at + 80]}\n  NumPy {theirs[at:at + 80]}\n  ours  {ours[:200]}\n  NumPy {theirs[:200]}')
print(len(lines()))
sys.exit(f'{len(wrong)} wrong:\n' + '\n'.join(wrong[:20]) if wrong else None)
"#;
        assert_eq!(python(script, self.dir.path()).trim(), self.count.to_string());
        println!("{} files", self.count);
        self.count
    }
}

/// Writes four values in every container. `py` is the Python expression for them.
fn add_containers<T>(ours: &mut Ours, values: [T; 4], py: &str)
where
    T: Element + WriteNpy + Copy,
{
    let many: Vec<T> = values.iter().copied().cycle().take(24).collect();
    let all = format!("np.resize({py}, 24)");
    ours.add_all(&values, py);
    ours.add_all(&many, &all);
    ours.add(&many[1..4], &format!("{all}[1:4]"));
    ours.add(&many.clone().into_boxed_slice(), &all);
    ours.add(&Vec::<T>::new(), &format!("{all}[:0]"));
    for (i, value) in values.iter().enumerate() {
        ours.add_orders(value, &format!("{py}[{i}:{i} + 1].reshape(())"));
    }
    for order in [Order::C, Order::Fortran] {
        let name = if order == Order::C { "C" } else { "F" };
        for shape in [
            &[][..],
            &[0],
            &[1],
            &[24],
            &[0, 3],
            &[1, 24],
            &[24, 1],
            &[4, 6],
            &[2, 3, 4],
            &[2, 1, 12],
            &[3, 0, 2],
        ] {
            let n = shape.iter().product();
            let array = NpyArray::with_order(many[..n].to_vec(), shape, order).unwrap();
            let expression = format!("{all}[:{n}].reshape({shape:?}, order='{name}')");
            ours.add_orders(&array, &expression);
            for (wanted, name) in [(Order::C, "C"), (Order::Fortran, "F")] {
                let mut options = WriteOptions::new();
                options.order(wanted);
                let expression = format!("np.array({expression}, order='{name}')");
                ours.add_with(&array, &options, None, &expression);
                ours.add(&array.to_order(wanted), &expression);
            }
        }
    }
    // Elements that are sub-arrays are the last dimensions.
    let triples = many.as_chunks::<3>().0.to_vec();
    let pairs = many.as_chunks::<2>().0.as_chunks::<3>().0.to_vec();
    ours.add_all(&triples, &format!("{all}.reshape(8, 3)"));
    ours.add_all(&pairs, &format!("{all}.reshape(4, 3, 2)"));
    ours.add(&triples[..0].to_vec(), &format!("{all}[:0].reshape(0, 3)"));
    let c = NpyArray::new(triples.clone(), [2, 4]).unwrap();
    let fortran = NpyArray::with_order(triples, [2, 4], Order::Fortran).unwrap();
    ours.add_all(&c, &format!("{all}.reshape(2, 4, 3)"));
    let permuted = format!("{all}.reshape(4, 2, 3).transpose(1, 0, 2)");
    ours.add_all(&fortran, &format!("np.array({permuted}, order='F')"));
    let mut options = WriteOptions::new();
    options.order(Order::C);
    ours.add_with(&fortran, &options, None, &format!("np.array({permuted}, order='C')"));
}

#[test]
fn integers_are_written_as_numpy_saves_them() {
    let mut ours = Ours::new();
    add_containers(&mut ours, [false, true, true, false], "np.array([0, 1, 1, 0], '?')");
    macro_rules! integers {
        ($($type:ty: $code:literal),*) => {$(
            let limits = concat!("np.iinfo('", $code, "')");
            let py = format!("np.array([{limits}.min, 0, 100, {limits}.max], '{}')", $code);
            add_containers(&mut ours, [<$type>::MIN, 0, 100, <$type>::MAX], &py);
        )*};
    }
    integers!(i8: "i1", i16: "i2", i32: "i4", i64: "i8", u8: "u1", u16: "u2", u32: "u4", u64: "u8");
    assert!(ours.assert_numpys() > 1000);
}

#[test]
fn floats_are_written_as_numpy_saves_them() {
    let mut ours = Ours::new();
    macro_rules! floats {
        ($($type:ty: $code:literal),*) => {$(
            let info = concat!("np.finfo('", $code, "')");
            let py = format!("np.array([-0.0, {info}.max, {info}.smallest_subnormal, 0.1], '{}')", $code);
            add_containers(&mut ours, [-0.0, <$type>::MAX, <$type>::from_bits(1), 0.1], &py);
            let py = format!("np.array([np.nan, np.inf, -np.inf, {info}.tiny], '{}')", $code);
            let values = [<$type>::NAN, <$type>::INFINITY, <$type>::NEG_INFINITY, <$type>::MIN_POSITIVE];
            add_containers(&mut ours, values, &py);
        )*};
    }
    floats!(f32: "f4", f64: "f8");
    assert!(ours.assert_numpys() > 500);
}

#[test]
fn text_and_times_are_written_as_numpy_saves_them() {
    let mut ours = Ours::new();
    fn text<const N: usize>(ours: &mut Ours, values: [&[u8]; 4], py: &str) {
        let values = values.map(|value| ByteStr::<N>::new(value).unwrap());
        add_containers(ours, values, &format!("np.array([{py}], 'S{N}')"));
    }
    text::<1>(&mut ours, [b"", b"a", b"\xff", b"z"], r"b'', b'a', b'\xff', b'z'");
    text::<5>(&mut ours, [b"RJOB", b"", b"a\0b", b"12345"], r"b'RJOB', b'', b'a\0b', b'12345'");
    text::<33>(&mut ours, [b"", b"", b"", b"33"], "b'', b'', b'', b'33'");
    macro_rules! times {
        ($($unit:ty: $code:literal),* $(,)?) => {$(
            let counts = [0, -1, 1_251_073_203, i64::MIN];
            let py = |kind| format!("np.array([0, -1, 1251073203, -2**63], '<i8').view('<{kind}8{}')", $code);
            ours.add_all(&counts.map(DateTime64::<$unit>::new), &py('M'));
            ours.add_all(&counts.map(TimeDelta64::<$unit>::new), &py('m'));
        )*};
    }
    times!(
        Generic: "", Year: "[Y]", Month: "[M]", Week: "[W]", Day: "[D]", Hour: "[h]", Minute: "[m]", Second: "[s]",
        Ms: "[ms]", Us: "[us]", Ns: "[ns]", Ps: "[ps]", Fs: "[fs]", As: "[as]", Times<25, Second>: "[25s]",
        Times<2_147_483_647, As>: "[2147483647as]",
    );
    let counts = [0, -1, 1_251_073_203, i64::MIN];
    let py = |dtype: &str| format!("np.array([0, -1, 1251073203, -2**63], '<i8').view('<{dtype}')");
    add_containers(&mut ours, counts.map(DateTime64::<Ns>::new), &py("M8[ns]"));
    add_containers(&mut ours, counts.map(TimeDelta64::<Times<7, Day>>::new), &py("m8[7D]"));
    // The calendar itself, and not only its counts.
    let moments = [1_251_073_203_500, -62_135_596_800_000, 253_402_300_799_999];
    ours.add(
        &moments.map(DateTime64::<Ms>::new),
        "np.array(['2009-08-24T00:20:03.500', '0001-01-01', '9999-12-31T23:59:59.999'], 'M8[ms]')",
    );
    ours.add(&[DateTime64::<Month>::NAT], "np.array(['NaT'], 'M8[M]')");
    assert!(ours.assert_numpys() > 1000);
}

#[test]
fn a_dtype_of_run_time_is_written_and_turned_round_as_in_numpy() {
    let mut ours = Ours::new();
    let scalars = "?b1 ?i1 i2 u4 i8 f2 f4 f8 f16 c8 c16 c32 U1 U3 M8[ns] m8[25s] M8 m8 ?S3 ?V5 ?V0";
    let mut dtypes: Vec<String> = Vec::new();
    for code in scalars.split(' ') {
        match code.strip_prefix('?') {
            Some(code) => dtypes.push(format!("|{code}")),
            None => dtypes.extend([format!("<{code}"), format!(">{code}")]),
        }
    }
    dtypes.extend(
        [
            "[('a', '>c8', (2,)), (('t', 'é'), '<M8[ns]'), ('s', '<U2', (3,)), ('g', '>c32')]",
            "[('整', '<f4'), ('n', [('x', '>i2'), ('y', '<c16')], (2,))]",
            "[('a', '|i1'), ('', '|V7'), ('b', '>f8', (2,)), ('', '|V3')]",
        ]
        .map(String::from),
    );
    for dtype in dtypes {
        let dtype: DType = dtype.parse().unwrap();
        let descr = dtype.descr();
        for (shape, order, name) in [
            (&[][..], Order::C, "C"),
            (&[4], Order::C, "C"),
            (&[2, 3], Order::Fortran, "F"),
            (&[2, 1, 3], Order::C, "C"),
        ] {
            let size = shape.iter().product::<usize>() * dtype.itemsize();
            let bytes: Vec<u8> = (0..=250).cycle().take(size).collect();
            let expression = format!(
                "np.ndarray({shape:?}, np.lib.format.descr_to_dtype({descr}), np.resize(np.arange(251, dtype='u1'), {size}).tobytes(), order='{name}')"
            );
            let array = DynArray::new(dtype.clone(), shape, order, bytes).unwrap();
            ours.add(&array, &expression);
            // Padding stays while nothing is turned round, and is zero then.
            if !descr.contains("('', ") {
                for (order, name) in [(ByteOrder::Little, "little"), (ByteOrder::Big, "big")] {
                    let mut options = WriteOptions::new();
                    options.byte_order(order);
                    ours.add_with(&array, &options, None, &format!("{name}({expression})"));
                }
            }
        }
    }
    assert!(ours.assert_numpys() > 300);
}

// ---------------------------------------------------------------------------------------------
// Structs.

#[derive(NpyRecord, Debug, Clone, PartialEq, Default)]
struct Packed {
    flag: bool,
    count: u32,
    gain: f64,
    axes: [[i16; 3]; 2],
    name: ByteStr<5>,
    time: DateTime64<Ns>,
    span: TimeDelta64<Times<25, Second>>,
}

const PACKED: &str = "[('flag', '?'), ('count', 'u4'), ('gain', 'f8'), ('axes', 'i2', (2, 3)), ('name', 'S5'), \
                      ('time', 'M8[ns]'), ('span', 'm8[25s]')]";
const PACKED_ROWS: &str = "[(True, 7, 2.5, [[1, 2, 3], [4, 5, -6]], b'RJOB', 5, -1), \
                           (False, 2**32 - 1, -np.inf, [[0] * 3] * 2, b'12345', 'NaT', 4), (True, 0, 1e-300, [[-1] * 3] * 2, b'', -1, 0)]";

fn packed() -> Vec<Packed> {
    let text = |text: &str| text.try_into().unwrap();
    vec![
        Packed {
            flag: true,
            count: 7,
            gain: 2.5,
            axes: [[1, 2, 3], [4, 5, -6]],
            name: text("RJOB"),
            time: DateTime64::new(5),
            span: TimeDelta64::new(-1),
        },
        Packed {
            flag: false,
            count: u32::MAX,
            gain: f64::NEG_INFINITY,
            axes: [[0; 3]; 2],
            name: text("12345"),
            time: DateTime64::NAT,
            span: TimeDelta64::new(4),
        },
        Packed {
            flag: true,
            count: 0,
            gain: 1e-300,
            axes: [[-1; 3]; 2],
            name: text(""),
            time: DateTime64::new(-1),
            span: TimeDelta64::new(0),
        },
    ]
}

#[derive(NpyRecord, Debug, Clone, Copy, PartialEq, Default)]
#[npy(align)]
#[repr(C)]
struct AlignedInner {
    x: u16,
    y: u8,
}

#[derive(NpyRecord, Debug, Clone, Copy, PartialEq, Default)]
#[npy(align)]
#[repr(C)]
struct Aligned {
    a: u8,
    b: f64,
    c: [u8; 3],
    d: [AlignedInner; 2],
    e: i8,
    f: AlignedInner,
    g: DateTime64<Ns>,
    h: ByteStr<3>,
    i: [f32; 2],
    j: bool,
}

#[derive(NpyRecord, Debug, Clone, Copy, PartialEq, Default)]
#[npy(align)]
#[repr(C)]
struct AlignedOutside {
    a: u8,
    // Packed inside: alignment 1.
    b: Loose,
    c: u32,
    d: [Loose; 2],
}

#[derive(NpyRecord, Debug, Clone, Copy, PartialEq, Default)]
struct Loose {
    x: u8,
    y: f64,
}

#[derive(NpyRecord, Debug, Clone, Copy, PartialEq)]
struct AlignedInLoose {
    a: u8,
    b: AlignedInner,
    c: [AlignedInner; 2],
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Plain {
    x: i32,
    y: [f32; 2],
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
#[npy(endian = "little")]
struct StatesLittle {
    x: i32,
    #[npy(endian = "big")]
    y: i16,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
#[npy(endian = "big")]
struct StatesBig {
    a: u16,
    #[npy(endian = "little")]
    b: u16,
    inherits: Plain,
    own: StatesLittle,
    #[npy(endian = "little")]
    told: Plain,
    many: [Plain; 2],
    time: DateTime64<Ms>,
    text: ByteStr<2>,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct StatesOne {
    plain: Plain,
    #[npy(endian = "big")]
    big: Plain,
    #[npy(endian = "little")]
    little: u64,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
#[npy(rename_all = "camelCase")]
struct Renamed {
    station_code: u8,
    #[npy(rename = "Größe \"x\"")]
    size: u16,
    r#type: u32,
    start_time_ns: i64,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
#[npy(rename_all = "SCREAMING_SNAKE_CASE")]
struct Loud {
    station_code: u8,
    gain: f32,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Beyond {
    #[npy(rename = "整")]
    whole: u8,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Pair(u32, [f32; 2]);

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Of<T, const N: usize> {
    head: T,
    tail: [T; N],
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Nested {
    id: u8,
    pair: Pair,
    many: [Of<i16, 2>; 3],
    grid: [[Pair; 1]; 2],
}

fn pair(n: u32) -> Pair {
    Pair(n, [0.5, -0.5])
}

fn nested() -> Vec<Nested> {
    let of = |n| Of { head: n, tail: [n + 1, n + 2] };
    let row = |id| Nested {
        id,
        pair: pair(id.into()),
        many: [of(1), of(10), of(100)],
        grid: [[pair(8)], [pair(9)]],
    };
    vec![row(1), row(255)]
}

const PAIR: &str = "[('f0', 'u4'), ('f1', 'f4', (2,))]";

/// Declarations that the expressions below share.
fn nested_expression() -> String {
    let of = "[('head', 'i2'), ('tail', 'i2', (2,))]";
    let dtype =
        format!("[('id', 'u1'), ('pair', {PAIR}), ('many', {of}, (3,)), ('grid', {PAIR}, (2, 1))]");
    let many = "[(1, [2, 3]), (10, [11, 12]), (100, [101, 102])]";
    let row = |id| {
        let pair = |n| format!("({n}, [0.5, -0.5])");
        format!("({id}, {}, {many}, [[{}], [{}]])", pair(id), pair(8), pair(9))
    };
    format!("make({dtype}, [{}, {}])", row(1), row(255))
}

#[test]
fn structs_are_written_as_numpy_saves_them() {
    let mut ours = Ours::new();
    let py = format!("make({PACKED}, {PACKED_ROWS})");
    let rows = packed();
    ours.add_all(&rows, &py);
    ours.add_all(&rows[..0], &format!("{py}[:0]"));
    for (order, name) in [(Order::C, "C"), (Order::Fortran, "F")] {
        let shape = [2, 3];
        let many: Vec<_> = rows.iter().cloned().cycle().take(6).collect();
        let array = NpyArray::with_order(many, shape, order).unwrap();
        ours.add_all(&array, &format!("np.tile({py}, 2).reshape(2, 3, order='{name}')"));
    }
    let pairs = rows[..2].as_chunks::<2>().0.to_vec();
    ours.add_all(&pairs, &format!("{py}[:2].reshape(1, 2)"));
    let single = NpyArray::new(rows[..1].to_vec(), []).unwrap();
    ours.add_all(&single, &format!("{py}[:1].reshape(())"));

    ours.add_all(&nested(), &nested_expression());
    ours.add_all(&vec![pair(3)], &format!("make({PAIR}, [(3, [0.5, -0.5])])"));
    let of = |dtype: &str| format!("[('head', '{dtype}'), ('tail', '{dtype}', (3,))]");
    ours.add_all(
        &[Of { head: 1u8, tail: [2, 3, 4] }],
        &format!("make({}, [(1, [2, 3, 4])])", of("u1")),
    );
    ours.add_all(
        &[Of { head: 1.5f64, tail: [2.5, 3.5, 4.5] }],
        &format!("make({}, [(1.5, [2.5, 3.5, 4.5])])", of("f8")),
    );
    ours.add_all(
        &[Of::<f32, 0> { head: 1.5, tail: [] }],
        "make([('head', 'f4'), ('tail', 'f4', (0,))], [(1.5, [])])",
    );
    let renamed = Renamed { station_code: 1, size: 2, r#type: 3, start_time_ns: 4 };
    ours.add_all(
        &[renamed],
        r#"make([('stationCode', 'u1'), ('Größe "x"', 'u2'), ('type', 'u4'), ('startTimeNs', 'i8')], [(1, 2, 3, 4)])"#,
    );
    ours.add_all(
        &[Loud { station_code: 1, gain: 2.5 }],
        "make([('STATION_CODE', 'u1'), ('GAIN', 'f4')], [(1, 2.5)])",
    );
    // Beyond latin-1: only version 3.0 can.
    ours.add(&[Beyond { whole: 5 }], "make([('整', 'u1')], [(5,)])");
    for version in [Version::V1, Version::V2] {
        let mut options = WriteOptions::new();
        assert!(
            options.version(version).write_to(std::io::sink(), &[Beyond { whole: 5 }]).is_err()
        );
    }
    assert!(ours.assert_numpys() > 80);
}

#[test]
fn structs_keep_the_byte_orders_they_state() {
    let mut ours = Ours::new();
    let plain = |x: i32| Plain { x, y: [1.5, -2.5] };
    let little = StatesLittle { x: -2, y: 300 };
    let row = StatesBig {
        a: 1,
        b: 2,
        inherits: plain(3),
        own: little.clone(),
        told: plain(4),
        many: [plain(5), plain(6)],
        time: DateTime64::new(7),
        text: "ab".try_into().unwrap(),
    };
    let dtype = |o: char| format!("[('x', '{o}i4'), ('y', '{o}f4', (2,))]");
    let own = "[('x', '<i4'), ('y', '>i2')]";
    let (l, b) = (dtype('<'), dtype('>'));
    let record = format!(
        "[('a', '>u2'), ('b', '<u2'), ('inherits', {b}), ('own', {own}), ('told', {l}), ('many', {b}, (2,)), ('time', '>M8[ms]'), ('text', 'S2')]"
    );
    let p = |n: i32| format!("({n}, [1.5, -2.5])");
    let py = format!(
        "make({record}, [(1, 2, {}, (-2, 300), {}, [{}, {}], 7, b'ab')])",
        p(3),
        p(4),
        p(5),
        p(6)
    );
    let little_py = format!("make({own}, [(-2, 300)])");
    // What is stated stays, whatever the options say.
    for order in [None, Some(ByteOrder::Little), Some(ByteOrder::Big)] {
        let mut options = WriteOptions::new();
        if let Some(order) = order {
            options.byte_order(order);
        }
        ours.add_with(std::slice::from_ref(&row), &options, None, &py);
        ours.add_with(std::slice::from_ref(&little), &options, None, &little_py);
        let rest = if order == Some(ByteOrder::Big) { &b } else { &l };
        let other = if order == Some(ByteOrder::Big) { '>' } else { '<' };
        let one = [StatesOne { plain: plain(1), big: plain(2), little: 3 }];
        let py = format!("[('plain', {rest}), ('big', {b}), ('little', '<u8')]");
        ours.add_with(&one, &options, None, &format!("make({py}, [({}, {}, 3)])", p(1), p(2)));
        let of = [Of { head: little.clone(), tail: [little.clone(), little.clone()] }];
        let py = format!(
            "make([('head', {own}), ('tail', {own}, (2,))], [((-2, 300), [(-2, 300)] * 2)])"
        );
        ours.add_with(&of, &options, None, &py);
        let of = [Of { head: 5u16, tail: [6, 7] }];
        let py =
            format!("make([('head', '{other}u2'), ('tail', '{other}u2', (2,))], [(5, [6, 7])])");
        ours.add_with(&of, &options, None, &py);
    }
    ours.assert_numpys();
}

const ALIGNED_INNER: &str = "np.dtype([('x', 'u2'), ('y', 'u1')], align=True)";

fn aligned() -> (Aligned, String) {
    let inner = |x| AlignedInner { x, y: 9 };
    let row = Aligned {
        a: 1,
        b: 2.5,
        c: [3, 4, 5],
        d: [inner(6), inner(7)],
        e: -8,
        f: inner(10),
        g: DateTime64::new(11),
        h: "abc".try_into().unwrap(),
        i: [0.5, 1.5],
        j: true,
    };
    let dtype = format!(
        "np.dtype([('a', 'u1'), ('b', 'f8'), ('c', 'u1', (3,)), ('d', {ALIGNED_INNER}, (2,)), ('e', 'i1'), ('f', {ALIGNED_INNER}), \
         ('g', 'M8[ns]'), ('h', 'S3'), ('i', 'f4', (2,)), ('j', '?')], align=True)"
    );
    let values = "(1, 2.5, [3, 4, 5], [(6, 9), (7, 9)], -8, (10, 9), 11, b'abc', [0.5, 1.5], True)";
    (row, format!("make({dtype}, [{values}, {values}])"))
}

#[test]
fn aligned_structs_have_numpys_aligned_layout() {
    let mut ours = Ours::new();
    let inner = |x| AlignedInner { x, y: 9 };
    ours.add_all(&[inner(1), inner(2)], &format!("make({ALIGNED_INNER}, [(1, 9), (2, 9)])"));
    let (row, py) = aligned();
    ours.add_all(&[row, row], &py);
    // NumPy's aligned layout is C's.
    let dtype = Aligned::dtype();
    assert_eq!(dtype.itemsize(), size_of::<Aligned>());
    let offset = |name: &str| dtype.field(name).unwrap().offset();
    assert_eq!(offset("d"), std::mem::offset_of!(Aligned, d));
    assert_eq!(offset("g"), std::mem::offset_of!(Aligned, g));
    assert_eq!(offset("j"), std::mem::offset_of!(Aligned, j));

    let loose = |x| Loose { x, y: 0.5 };
    // A list inside would be aligned by NumPy, too.
    let dtype = "np.dtype([('x', 'u1'), ('y', 'f8')])";
    ours.add_all(
        &[AlignedOutside { a: 1, b: loose(2), c: 3, d: [loose(4), loose(5)] }],
        &format!(
            "make(np.dtype([('a', 'u1'), ('b', {dtype}), ('c', 'u4'), ('d', {dtype}, (2,))], align=True), \
             [(1, (2, 0.5), 3, [(4, 0.5), (5, 0.5)])])"
        ),
    );
    ours.add_all(
        &[AlignedInLoose { a: 1, b: inner(2), c: [inner(3), inner(4)] }],
        &format!(
            "make([('a', 'u1'), ('b', {ALIGNED_INNER}), ('c', {ALIGNED_INNER}, (2,))], [(1, (2, 9), [(3, 9), (4, 9)])])"
        ),
    );
    ours.assert_numpys();
}

/// Has NumPy save the array of each expression. `as_` copies fields by name into another dtype, whose other bytes
/// are 0xAA.
fn saved(expressions: &[String]) -> (TempDir, Vec<PathBuf>) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("list"), expressions.join("\n")).unwrap();
    let script = r#"
def as_(dtype, a):
    dtype = np.dtype(dtype)
    b = np.frombuffer(bytearray(b'\xaa' * (dtype.itemsize * a.size)), dtype).reshape(a.shape)
    copy(a, b)
    return b

def copy(a, b):
    for name in a.dtype.names:
        if name in b.dtype.names:
            if b.dtype[name].base.names:
                copy(a[name], b[name])
            else:
                b[name] = a[name]

for i, (expression,) in enumerate(lines()):
    try:
        np.save(f'{i}.npy', eval(expression), allow_pickle=False)
    except Exception as error:
        sys.exit(f'{expression}: {error!r}')
"#;
    python(script, dir.path());
    let paths = (0..expressions.len()).map(|i| dir.path().join(format!("{i}.npy"))).collect();
    (dir, paths)
}

#[test]
fn structs_are_read_from_any_layout_of_their_fields() {
    let py = format!("make({PACKED}, {PACKED_ROWS})");
    let mut expressions = vec![py.clone(), format!("big({py})")];
    expressions.extend(
        [
            // Another order, more fields, other byte orders, other padding.
            format!("{PACKED}[::-1]"),
            format!("[('new', 'f4', (3,))] + {PACKED} + [('extra', 'S9'), ('n', [('gain', 'f4')])]"),
            format!("[f for p in zip({PACKED}, [(f'x{{i}}', 'i2') for i in range(7)]) for f in p]"),
            format!("np.dtype({PACKED}, align=True)"),
            format!("np.dtype({PACKED}[::-1], align=True).newbyteorder('>')"),
            format!("[(f[0], np.dtype(f[1]).newbyteorder('<>'[i % 2]), *f[2:]) for i, f in enumerate({PACKED})]"),
            format!("[(('title of ' + f[0], f[0]), *f[1:]) for f in {PACKED}]"),
            "dict(names=['gain', 'span', 'time', 'name', 'axes', 'count', 'flag'], \
             formats=['>f8', 'm8[25s]', '>M8[ns]', 'S5', '>(2,3)i2', 'u4', '?'], \
             offsets=[3, 12, 24, 40, 45, 64, 71], itemsize=100)"
                .into(),
            // (3,) of it twice lies in memory as (2, 3) does.
            format!("{PACKED}[:3] + [('axes', np.dtype(('>i2', (3,))), (2,))] + {PACKED}[4:]"),
        ]
        .map(|dtype| format!("as_({dtype}, {py})")),
    );
    let (_dir, paths) = saved(&expressions);
    for (path, expression) in paths.iter().zip(&expressions) {
        let fail = |error: npy_core::Error| -> ! { panic!("{expression}\n{error}") };
        let read = Vec::<Packed>::read_npy(path).unwrap_or_else(|e| fail(e));
        assert_eq!(read, packed(), "{expression}");
        let array = NpyArray::<Packed>::read_npy(path).unwrap_or_else(|e| fail(e));
        assert_eq!(array.as_slice(), packed(), "{expression}");
        let dynamic = DynArray::read_npy(path).unwrap_or_else(|e| fail(e));
        assert_eq!(dynamic.to_vec::<Packed>().unwrap_or_else(|e| fail(e)), packed());
    }
}

#[test]
fn nested_and_aligned_structs_are_read_from_any_layout() {
    let py = nested_expression();
    let of = "[('tail', '>i2', (2,)), ('more', 'f8'), ('head', 'i2')]";
    let pair = "np.dtype([('f1', '>f4', (2,)), ('x', 'u1'), ('f0', 'u4')], align=True)";
    let other = format!(
        "[('grid', {pair}, (2, 1)), ('z', 'S3'), ('many', {of}, (3,)), ('pair', {pair}), ('id', 'u1')]"
    );
    let (row, aligned_py) = aligned();
    let flat = "[('a', 'u1'), ('b', '>f8'), ('c', 'u1', (3,)), ('d', [('y', 'u1'), ('x', '>u2')], (2,)), ('e', 'i1'), \
                ('f', [('x', 'u2'), ('y', 'u1')]), ('g', 'M8[ns]'), ('h', 'S3'), ('i', 'f4', (2,)), ('j', '?')]";
    let expressions = [
        py.clone(),
        format!("as_({other}, {py})"),
        format!("as_(np.dtype({other}, align=True), {py})"),
        format!("big({py})"),
        aligned_py.clone(),
        format!("as_({flat}, {aligned_py})"),
        format!("as_({flat}[::-1], {aligned_py})"),
        format!("big({aligned_py})"),
        // What is in the file decides, not what the type would write.
        "make([('y', '<i2'), ('x', '>i4')], [(300, -2)])".into(),
    ];
    let (_dir, paths) = saved(&expressions);
    let (last, rest) = paths.split_last().unwrap();
    for (path, expression) in rest.iter().zip(&expressions) {
        let fail = |error: npy_core::Error| -> ! { panic!("{expression}\n{error}") };
        if expression.contains("'grid'") {
            let read = Vec::<Nested>::read_npy(path).unwrap_or_else(|e| fail(e));
            assert_eq!(read, nested(), "{expression}");
        } else {
            let read = Vec::<Aligned>::read_npy(path).unwrap_or_else(|e| fail(e));
            assert_eq!(read, [row, row], "{expression}");
        }
    }
    assert_eq!(Vec::<StatesLittle>::read_npy(last).unwrap(), [StatesLittle { x: -2, y: 300 }]);
}

#[test]
fn arrays_are_indexed_alike_in_every_layout() {
    let a = "np.arange(24, dtype='<i4').reshape(2, 3, 4)";
    let expressions = [
        a.into(),
        format!("np.asfortranarray({a})"),
        format!("big({a})"),
        format!("big(np.asfortranarray({a}))"),
    ];
    let (_dir, paths) = saved(&expressions);
    let nested: [[[i32; 4]; 3]; 2] = [
        [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]],
        [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]],
    ];
    for (path, expression) in paths.iter().zip(&expressions) {
        let array = NpyArray::<i32>::read_npy(path).unwrap();
        assert!(array.iter().copied().eq(0..24), "{expression}");
        for (i, plane) in nested.iter().enumerate() {
            for (j, row) in plane.iter().enumerate() {
                for (k, value) in row.iter().enumerate() {
                    assert_eq!(array.get(&[i, j, k]), Some(value), "{expression}");
                }
            }
        }
        // The last dimensions as items.
        assert_eq!(Vec::<[[i32; 4]; 3]>::read_npy(path).unwrap(), nested, "{expression}");
        let rows = NpyArray::<[i32; 4]>::read_npy(path).unwrap();
        assert_eq!(rows.shape(), [2, 3], "{expression}");
        assert_eq!(rows.get(&[1, 0]), Some(&nested[1][0]), "{expression}");
    }
}

#[test]
fn structs_take_narrower_numbers_where_asked() {
    let rows = "[(True, 7, 2.5, [[1, 2, 3], [4, 5, -6]], b'RJO', 5, -1), (False, 255, -np.inf, [[0] * 3] * 2, b'', 'NaT', 4)]";
    let dtype = "[('span', 'm8[25s]'), ('gain', '>f2'), ('x', 'f8'), ('axes', 'i1', (2, 3)), ('name', 'S3'), \
                 ('count', 'u1'), ('flag', '?'), ('time', '>M8[ns]')]";
    let expressions = [
        format!("as_({dtype}, make({PACKED}, {rows}))"),
        format!("as_(np.dtype({dtype}, align=True), make({PACKED}, {rows}))"),
        format!("as_([('gain', '>i4')] + {PACKED}[:2] + {PACKED}[3:], make({PACKED}, {rows})[:1])"),
        // Not lossless: 64 bits of integer, and a wider float.
        format!("as_([('gain', 'i8')] + {PACKED}[:2] + {PACKED}[3:], make({PACKED}, {rows})[:1])"),
        format!("as_({PACKED}[:1] + [('count', 'f8')] + {PACKED}[2:], make({PACKED}, {rows}))"),
    ];
    let mut expected = packed();
    expected.truncate(2);
    expected[0].name = "RJO".try_into().unwrap();
    expected[1].name = ByteStr::default();
    expected[1].count = 255;
    let (_dir, paths) = saved(&expressions);
    let mut lossless = ReadOptions::new();
    lossless.cast(Cast::Lossless);
    for (i, (path, expression)) in paths.iter().zip(&expressions).enumerate() {
        assert!(Vec::<Packed>::read_npy(path).is_err(), "{expression}");
        match (lossless.read::<Vec<Packed>>(path), i) {
            (Ok(read), 0 | 1) => assert_eq!(read, expected, "{expression}"),
            (Ok(read), 2) => {
                assert_eq!(read, [Packed { gain: 2.0, ..expected[0].clone() }], "{expression}");
            }
            (Err(_), 3 | 4) => {}
            (result, _) => panic!("{expression}\n{result:?}"),
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Values.

#[test]
fn casts_that_are_accepted_are_numpys_safe_ones_with_numpys_values() {
    let dir = tempfile::tempdir().unwrap();
    // For each pair: source, target, whether NumPy calls it safe, and what `astype` gives, as hex.
    let script = r#"
kinds = '? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16'.split()
targets = '? i1 i2 i4 i8 u1 u2 u4 u8 f4 f8'.split()
for kind in kinds:
    base = np.dtype(kind)
    if base.kind == '?b'[1]:
        values = np.array([0, 1, 1, 0], '?')
    elif base.kind in 'iu':
        i = np.iinfo(base)
        values = np.array([i.min, i.min + 1, 0, 1, 2, 100, i.max // 2, i.max - 1, i.max], base)
    else:
        f = np.finfo(base)
        values = np.array([0.0, -0.0, 1, -1, 0.1, 1 / 3, f.max, f.min, f.tiny, f.smallest_subnormal, -f.smallest_subnormal,
                           f.tiny - f.smallest_subnormal, f.eps, np.inf, -np.inf, np.nan], base)
        if base == 'f2':
            values = np.arange(65536, dtype='u2').view('f2')  # each there is
    for order in '<>' if base.itemsize > 1 else '<':
        np.save(f'{base.name}{"<>".index(order)}.npy', values.astype(base.newbyteorder(order)))
        for target in targets:
            target = np.dtype(target)
            cast = values.astype(target)
            cast[cast != cast] = 0 if target.kind != 'f' else np.nan  # one NaN
            print(f'{base.name}{"<>".index(order)}', target.str[1:], int(np.can_cast(base, target, 'safe')), cast.tobytes().hex())
"#;
    let listing = python(script, dir.path());
    let mut lossless = ReadOptions::new();
    lossless.cast(Cast::Lossless);
    let mut refused = Vec::new();
    for line in listing.lines() {
        let [source, target, safe, hex] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let path = dir.path().join(format!("{source}.npy"));
        macro_rules! cast {
            ($($code:literal: $type:ty),*) => {
                match target {
                    $($code => lossless.read::<Vec<$type>>(&path).map(|values| {
                        values.iter().map(|value| hex_of(*value)).collect::<String>()
                    }),)*
                    other => panic!("{other}"),
                }
            };
        }
        let result = cast!(
            "b1": bool, "i1": i8, "i2": i16, "i4": i32, "i8": i64, "u1": u8, "u2": u16, "u4": u32, "u8": u64,
            "f4": f32, "f8": f64
        );
        match result {
            Ok(ours) => {
                assert_eq!(safe, "1", "{source} to {target} is not safe to NumPy");
                assert_eq!(ours, hex, "{source} to {target}");
            }
            Err(_) if safe == "1" => refused.push(format!("{source} {target}")),
            Err(_) => {}
        }
    }
    // NumPy calls these safe, and they lose bits.
    assert_eq!(refused, ["int640 f8", "int641 f8", "uint640 f8", "uint641 f8"]);
    assert_eq!(listing.lines().count(), 25 * 11);
}

/// The little-endian bytes of a value; those of one NaN for all of them.
fn hex_of<T: Element + PartialEq + Copy>(value: T) -> String {
    let mut item = vec![0; T::SIZE];
    #[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
    let nan = value != value;
    match (nan, T::SIZE) {
        (true, 4) => item.copy_from_slice(&f32::NAN.to_le_bytes()),
        (true, _) => item.copy_from_slice(&f64::NAN.to_le_bytes()),
        (false, _) => value.encode(&mut item).unwrap(),
    }
    item.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn times_print_as_in_numpy() {
    let dir = tempfile::tempdir().unwrap();
    let mut list = String::new();
    let mut seed = 1u64;
    let mut random = || {
        // Counts of all sizes, from a linear congruence.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed.cast_signed() ^ i64::MAX) >> (seed % 61)
    };
    let random: Vec<i64> = (0..200).map(|_| random()).collect();
    let fixed =
        [0, 1, -1, 59, 60, -719_528, -719_529, -719_162, 11_016, 10_957, 2_932_896, 2_932_897];
    let ends = [i64::MIN, i64::MIN + 1, i64::MAX];
    let counts: Vec<i64> = fixed.into_iter().chain(ends).chain(random).collect();
    macro_rules! units {
        ($($code:literal: $unit:ty, $bits:literal);* $(;)?) => {$(
            for &count in &counts {
                // NumPy overflows beyond; we do not.
                if count == i64::MIN || count.unsigned_abs() < 1 << $bits {
                    let time = DateTime64::<$unit>::new(count);
                    writeln!(list, "{count}\t{}\t{time}", $code).unwrap();
                }
            }
        )*};
    }
    units! {
        "Y": Year, 62; "M": Month, 62; "W": Week, 59; "D": Day, 62; "h": Hour, 63; "m": Minute, 63; "s": Second, 63;
        "ms": Ms, 63; "us": Us, 63; "ns": Ns, 63; "ps": Ps, 63; "fs": Fs, 63; "as": As, 63;
        "25s": Times<25, Second>, 58; "7D": Times<7, Day>, 59; "3M": Times<3, Month>, 60; "10Y": Times<10, Year>, 58;
        "2147483647ns": Times<2_147_483_647, Ns>, 32; "100as": Times<100, As>, 56; "2W": Times<2, Week>, 58;
        "90m": Times<90, Minute>, 56; "12h": Times<12, Hour>, 59; "2147483647W": Times<2_147_483_647, Week>, 29;
    }
    std::fs::write(dir.path().join("list"), &list).unwrap();
    let script = r#"
wrong = []
for count, unit, text in lines():
    theirs = str(np.datetime64(int(count), unit))
    if theirs != text:
        wrong.append(f'{count} {unit}: ours {text}, NumPy {theirs}')
print(len(lines()))
sys.exit(f'{len(wrong)} wrong:\n' + '\n'.join(wrong[:50]) if wrong else None)
"#;
    let count: usize = python(script, dir.path()).trim().parse().unwrap();
    assert!(count > 4000, "{count}");
}

#[test]
fn units_of_time_are_numpys() {
    fn dtype<U: TimeUnit>() -> String {
        DateTime64::<U>::dtype().to_string()
    }
    let ours = [
        dtype::<Generic>(),
        dtype::<Year>(),
        dtype::<Month>(),
        dtype::<Week>(),
        dtype::<Day>(),
        dtype::<Hour>(),
        dtype::<Minute>(),
        dtype::<Second>(),
        dtype::<Ms>(),
        dtype::<Us>(),
        dtype::<Ns>(),
        dtype::<Ps>(),
        dtype::<Fs>(),
        dtype::<As>(),
        dtype::<Times<1, Second>>(),
        dtype::<Times<2_147_483_647, Year>>(),
    ];
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
for unit in 'generic Y M W D h m s ms us ns ps fs as 1s 2147483647Y'.split():
    print(np.dtype(f'M8[{unit}]').str)
"#;
    assert_eq!(ours.join("\n"), python(script, dir.path()).trim());
}

// ---------------------------------------------------------------------------------------------
// Several arrays in one file.

#[test]
fn two_arrays_in_one_file_are_taken_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
with open('two', 'wb') as f:
    np.save(f, np.arange(5, dtype='<i4'))
    np.save(f, make([('x', '>f8'), ('y', 'S3')], [(1.5, b'ab'), (2.5, b'')]))
with open('both', 'ab') as f:
    f.write(b'before')
    np.save(f, np.zeros((2, 3), '<f4', 'F'))
    np.save(f, np.array(7, '|u1'))
    np.save(f, np.zeros((0, 4), '<U3'))
    f.write(b'after')
"#;
    python(script, dir.path());
    #[derive(NpyRecord, Debug, PartialEq)]
    struct Point {
        x: f64,
        y: ByteStr<3>,
    }
    let point = |x, y: &str| Point { x, y: y.try_into().unwrap() };
    let points = [point(1.5, "ab"), point(2.5, "")];

    let mut file = File::open(dir.path().join("two")).unwrap();
    assert_eq!(Vec::<i32>::read_npy_from(&mut file).unwrap(), [0, 1, 2, 3, 4]);
    assert_eq!(Vec::<Point>::read_npy_from(&mut file).unwrap(), points);
    assert!(DynArray::read_npy_from(&mut file).is_err(), "there is no third");

    let mut file = File::open(dir.path().join("two")).unwrap();
    let mut reader = Reader::new(&mut file).unwrap();
    assert_eq!((reader.header().shape(), reader.remaining()), (&[5][..], 5));
    assert_eq!(reader.read_vec::<i32>().unwrap().len(), 5);
    let mut reader = Reader::new(&mut file).unwrap();
    assert_eq!(reader.header().dtype().itemsize(), 11);
    assert_eq!(reader.read_vec::<Point>().unwrap(), points);

    // By path the first is read, and what follows is not looked at.
    assert_eq!(Vec::<i32>::read_npy(dir.path().join("two")).unwrap().len(), 5);

    let bytes = std::fs::read(dir.path().join("both")).unwrap();
    let mut rest = bytes.strip_prefix(b"before").unwrap();
    let zeros = NpyArray::<f32>::read_npy_from(&mut rest).unwrap();
    assert_eq!((zeros.shape(), zeros.order()), (&[2, 3][..], Order::Fortran));
    assert_eq!(u8::read_npy_from(&mut rest).unwrap(), 7);
    assert_eq!(DynArray::read_npy_from(&mut rest).unwrap().shape(), [0, 4]);
    assert_eq!(rest, b"after");
}

#[test]
fn numpy_takes_what_we_append_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = File::create(dir.path().join("three")).unwrap();
    [1i16, 2, 3].write_npy_to(&mut file).unwrap();
    packed().write_npy_to(&mut file).unwrap();
    2.5f64.write_npy_to(&mut file).unwrap();
    let script = format!(
        r#"
with open('three', 'rb') as f:
    a, b, c = np.load(f), np.load(f), np.load(f)
    assert f.read() == b''
assert a.tolist() == [1, 2, 3] and a.dtype == '<i2', a
assert b.tobytes() == make({PACKED}, {PACKED_ROWS}).tobytes() and b.dtype == {PACKED}, b
assert c.shape == () and c == 2.5, c
"#
    );
    python(&script, dir.path());
}
