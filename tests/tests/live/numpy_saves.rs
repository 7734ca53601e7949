//! Files by NumPy: we read them and write them again.

use npy_tests::rounds;

use super::*;

/// Saves arrays and lists their properties. `each` saves a dtype in many ranks, orders and sizes; the items are random
/// bytes, padding included.
const SAVE: &str = r#"
rng = random.Random(1)
SHAPES = [(), (0,), (1,), (5,), (0, 3), (2, 3), (1, 4), (4, 1), (2, 3, 4), (2, 1, 3), (2, 0, 3)]
# In quick runs, each dtype has some of them.
TAKEN = len(SHAPES) if 'NPY_THOROUGH' in os.environ else 2
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
    for shape in shapes if len(shapes) <= TAKEN else rng.sample(shapes, TAKEN):
        for order in 'CF' if len(shape) > 1 else 'C':
            save(filled(dtype, shape, order))
"#;

/// Runs a script of `save`s; reads each file and writes it again. Returns the number of files.
fn assert_the_same_again(script: &str) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let listing = python(&format!("{SAVE}{script}"), dir.path());
    let again = dir.path().join("again.npy");
    for line in listing.lines() {
        // Error messages show the complete line: version, item size, order, shape and descr.
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
    assert!(files > rounds(2000), "{files}");
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
for n in range(1, 140) if 'NPY_THOROUGH' in os.environ else range(1, 70):
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
    assert!(files > rounds(1000), "{files}");
}

#[test]
fn objects_are_named_and_read() {
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
        assert_eq!(npy_core::Objects::read_npy(&path).unwrap().iter().len(), 2, "{descr}");
        let kept = DynArray::read_npy(&path).unwrap();
        assert!(std::fs::read(&path).unwrap().ends_with(kept.as_bytes()), "{descr}");
    }
}
