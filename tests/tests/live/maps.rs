//! Files that NumPy and we have mapped at the same time: each sees the changes of the other, or does not, depending on
//! the mode.

// Opening a map is unsafe.
#![allow(unsafe_code)]

use super::*;
use npy_core::{Be, Bool8, ErrorKind, Le, Map, MapAny, MapAnyMut, MapMut, ViewError, ZeroCopy};
use npy_tests::Session;

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[repr(C, packed)]
struct Pick {
    station: u8,
    time: Le<f64>,
    axes: [Le<i16>; 3],
}

fn pick(i: u8) -> Pick {
    let time = Le::new(f64::from(i) / 2.0);
    Pick { station: i, time, axes: [Le::new(i.into()), Le::new(-1), Le::new(300)] }
}

/// A file of ten picks, and a NumPy session in its directory.
struct Case {
    dir: TempDir,
    numpy: Session,
}

impl Case {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let picks: Vec<_> = (0..10).map(pick).collect();
        picks.write_npy(dir.path().join("x.npy")).unwrap();
        let numpy = Numpy::session(dir.path());
        Case { dir, numpy }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("x.npy")
    }

    fn ask(&mut self, line: &str) -> String {
        self.numpy.ask(line)
    }
}

// SAFETY, for all maps here: NumPy changes items only when it is asked to, and no reference to an item is kept
// meanwhile.

fn map<T: ZeroCopy>(path: impl AsRef<Path>) -> Map<T> {
    // SAFETY: see above.
    unsafe { Map::open(path) }.unwrap()
}

fn map_any(path: impl AsRef<Path>) -> MapAny {
    // SAFETY: see above.
    unsafe { MapAny::open(path) }.unwrap()
}

fn map_mut<T: ZeroCopy>(path: impl AsRef<Path>) -> MapMut<T> {
    // SAFETY: see above.
    unsafe { MapMut::open(path) }.unwrap()
}

fn created<T: ZeroCopy>(path: impl AsRef<Path>, shape: &[usize]) -> MapMut<T> {
    // SAFETY: see above.
    unsafe { MapMut::create(path, shape) }.unwrap()
}

fn copied<T: ZeroCopy>(path: impl AsRef<Path>) -> MapMut<T> {
    // SAFETY: see above.
    unsafe { MapMut::open_copy_on_write(path) }.unwrap()
}

/// Guards `r`: changes by NumPy, in `r+` or by `np.memmap`, are visible at once.
#[test]
fn a_map_shows_what_numpy_writes() {
    let mut case = Case::new();
    let (map, any) = (map::<Pick>(case.path()), map_any(case.path()));
    let times = any.column::<f64>("time").unwrap();
    case.ask("m = np.load('x.npy', mmap_mode='r+')");
    case.ask("m['time'][3] = -1.25");
    assert_eq!((map[3].time.get(), times.get(3)), (-1.25, Some(-1.25)));
    case.ask("m[9] = (200, 1e300, (7, 8, 9))");
    case.ask("m.flush()");
    let last = Pick { station: 200, time: Le::new(1e300), axes: [7, 8, 9].map(Le::new) };
    assert_eq!((map[9], any.get::<Pick>(9).unwrap()), (last, last));
    assert_eq!(any.column::<i16>("axes[2]").unwrap().get(9), Some(9));
    assert_eq!(map[2], pick(2));
    // The same file, mapped from the end of its header on.
    case.ask("w = np.memmap('x.npy', m.dtype, 'r+', offset=m.offset, shape=(10,))");
    case.ask("w['station'][0] = 77");
    assert_eq!((map[0].station, any.column::<u8>("station").unwrap().get(0)), (77, Some(77)));
}

/// Guards `r+`: our changes are visible at once in NumPy's maps of every mode, and in the file.
#[test]
fn numpy_sees_what_is_written_in_place() {
    let mut case = Case::new();
    let mut map = map_mut::<Pick>(case.path());
    for mode in ["r", "r+", "c"] {
        case.ask(&format!("m = np.load('x.npy', mmap_mode={mode:?})"));
        map[4].station += 1;
        let expected = map[4].station;
        assert_eq!(case.ask("int(m['station'][4])"), expected.to_string(), "{mode}");
        map[5].time = Le::new(f64::from(expected));
        map.flush().unwrap();
        assert_eq!(case.ask("float(m['time'][5])"), format!("{expected}.0"), "{mode}, flushed");
    }
    // Both write, to different items.
    case.ask("m = np.load('x.npy', mmap_mode='r+')");
    case.ask("m['station'][:5] = 11");
    map[5..].iter_mut().for_each(|it| it.station = 22);
    case.ask("m.flush()");
    map.flush_range(5..10).unwrap();
    let stations: Vec<_> = map.iter().map(|it| it.station).collect();
    assert_eq!(stations, [11, 11, 11, 11, 11, 22, 22, 22, 22, 22]);
    assert_eq!(case.ask("m['station'].tolist()"), format!("{stations:?}"));
    drop(map);
    assert_eq!(case.ask("np.load('x.npy')['station'].tolist()"), format!("{stations:?}"));
}

/// Guards `c`: neither side sees changes to the other's copy.
#[test]
fn changes_to_a_copy_stay_private() {
    let mut case = Case::new();
    let before = std::fs::read(case.path()).unwrap();
    case.ask("r = np.load('x.npy', mmap_mode='r')");
    case.ask("c = np.load('x.npy', mmap_mode='c')");
    let mut copy = copied::<Pick>(case.path());
    let map = map::<Pick>(case.path());
    copy[1].station = 99;
    copy.flush().unwrap();
    case.ask("c['station'][2] = 88");
    case.ask("c.flush()");
    assert_eq!((copy[1].station, copy[2].station), (99, 2));
    assert_eq!((map[1].station, map[2].station), (1, 2));
    assert_eq!(
        case.ask("r['station'].tolist()[:3], c['station'].tolist()[:3]"),
        "([0, 1, 2], [0, 1, 88])"
    );
    drop(copy);
    assert_eq!(std::fs::read(case.path()).unwrap(), before);
}

/// Guards `w+`: one side creates the file, the other fills it.
#[test]
fn a_new_file_is_filled_by_both() {
    let mut case = Case::new();
    let dtype = "np.dtype([('station', 'u1'), ('time', '<f8'), ('axes', '<i2', (3,))])";
    case.ask(&format!("n = np.lib.format.open_memmap('n.npy', 'w+', {dtype}, (4,))"));
    let mut theirs = map_mut::<Pick>(case.dir.path().join("n.npy"));
    assert_eq!(theirs.header().dtype(), &Pick::memory_dtype());
    theirs[1] = pick(9);
    case.ask("n[2] = (8, 4.0, (8, -1, 300))");
    case.ask("n.flush()");
    let zero = Pick { station: 0, time: Le::new(0.0), axes: [Le::new(0); 3] };
    assert_eq!(*theirs, [zero, pick(9), pick(8), zero]);
    assert_eq!(
        case.ask("n['time'].tolist(), n['axes'][1].tolist()"),
        "([0.0, 4.5, 4.0, 0.0], [9, -1, 300])"
    );

    let mut ours = created::<Be<i32>>(case.dir.path().join("o.npy"), &[2, 3]);
    case.ask("o = np.lib.format.open_memmap('o.npy', 'r+')");
    assert_eq!(case.ask("o.shape, o.dtype.str, o.flags.c_contiguous"), "((2, 3), '>i4', True)");
    *ours.at_mut(&[1, 0]).unwrap() = Be::new(-7);
    case.ask("o[0, 2] = 5");
    assert_eq!(case.ask("o.tolist()"), "[[0, 0, 5], [-7, 0, 0]]");
    assert_eq!(ours.at(&[0, 2]).map(|it| it.get()), Some(5));

    // NumPy's array has the order of the file.
    case.ask("f = np.lib.format.open_memmap('f.npy', 'w+', '<f4', (2, 3), fortran_order=True)");
    let mut fortran = map_mut::<Le<f32>>(case.dir.path().join("f.npy"));
    assert_eq!((fortran.shape(), fortran.order()), (&[2, 3][..], Order::Fortran));
    *fortran.at_mut(&[1, 2]).unwrap() = Le::new(1.5);
    fortran[1] = Le::new(2.5);
    assert_eq!(case.ask("f.tolist()"), "[[0.0, 0.0, 0.0], [2.5, 0.0, 1.5]]");
}

/// Guards the bytes of a new file: the same header and zeros as from `open_memmap`.
#[test]
fn new_files_are_those_of_open_memmap() {
    #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    #[repr(C)]
    struct Nested {
        code: ByteStr<3>,
        pick: Pick,
        more: [[Pick; 2]; 1],
    }
    struct Files {
        dir: TempDir,
        list: String,
        count: usize,
    }
    impl Files {
        fn make<T: ZeroCopy>(&mut self, shape: &[usize], dtype: &str, whole: &str) {
            let name = format!("{}.npy", self.count);
            self.count += 1;
            let map = created::<T>(self.dir.path().join(&name), shape);
            assert_eq!(map.shape(), shape);
            assert_eq!(map.len(), shape.iter().product::<usize>());
            writeln!(self.list, "{name}\t{dtype}\t{whole}").unwrap();
        }
    }
    let mut files = Files { dir: tempfile::tempdir().unwrap(), list: String::new(), count: 0 };
    files.make::<f64>(&[3, 4], "'=f8'", "(3, 4)");
    files.make::<f64>(&[], "'=f8'", "()");
    files.make::<u8>(&[0], "'u1'", "(0,)");
    files.make::<u8>(&[2, 0, 3], "'u1'", "(2, 0, 3)");
    files.make::<i16>(&[1; 12], "'=i2'", "(1,) * 12");
    files.make::<[f32; 3]>(&[5], "'=f4'", "(5, 3)");
    files.make::<[[Be<u16>; 2]; 3]>(&[], "'>u2'", "(3, 2)");
    files.make::<Be<i64>>(&[100_000], "'>i8'", "(100_000,)");
    files.make::<DateTime64<Ns>>(&[7], "'=M8[ns]'", "(7,)");
    files.make::<TimeDelta64<Day>>(&[7], "'=m8[D]'", "(7,)");
    files.make::<ByteStr<5>>(&[2], "'S5'", "(2,)");
    files.make::<Void<6>>(&[2], "'V6'", "(2,)");
    files.make::<Complex<f32>>(&[2], "'=c8'", "(2,)");
    files.make::<f16>(&[2], "'=f2'", "(2,)");
    let pick = "[('station', 'u1'), ('time', '<f8'), ('axes', '<i2', (3,))]";
    files.make::<Pick>(&[33], pick, "(33,)");
    let nested = format!("[('code', 'S3'), ('pick', {pick}), ('more', {pick}, (1, 2))]");
    files.make::<Nested>(&[2, 2], &nested, "(2, 2)");
    std::fs::write(files.dir.path().join("list"), &files.list).unwrap();
    let script = r"
for name, dtype, shape in lines():
    m = np.lib.format.open_memmap('theirs.npy', 'w+', np.dtype(eval(dtype)), eval(shape))
    m.flush()
    del m
    ours, theirs = open(name, 'rb').read(), open('theirs.npy', 'rb').read()
    assert ours == theirs, (dtype, shape, len(ours), len(theirs), ours[:200], theirs[:200])
    for mode in 'r', 'r+', 'c':
        m = np.load(name, mmap_mode=mode)
        assert m.shape == eval(shape) and m.tobytes().count(0) == m.nbytes, (dtype, shape, mode)
print('done')
";
    assert_eq!(python(script, files.dir.path()).trim(), "done");
}

/// Guards the end of the file: a truncated file is refused, where NumPy's `r+` would extend it with zeros.
#[test]
fn a_short_file_is_neither_mapped_nor_made_longer() {
    let mut case = Case::new();
    let whole = std::fs::read(case.path()).unwrap();
    std::fs::write(case.path(), &whole[..whole.len() - 4]).unwrap();
    // SAFETY: see above.
    let error = unsafe { MapMut::<Pick>::open(case.path()) }.unwrap_err();
    let ViewError::Unreadable(error) = error else { panic!("{error}") };
    assert!(
        matches!(error.kind(), ErrorKind::Truncated { expected: 150, found: 146, .. }),
        "{error}"
    );
    // SAFETY: see above.
    assert!(unsafe { Map::<Pick>::open(case.path()) }.is_err());
    assert_eq!(std::fs::metadata(case.path()).unwrap().len(), whole.len() as u64 - 4);
    case.ask("m = np.load('x.npy', mmap_mode='r+')");
    assert_eq!(std::fs::metadata(case.path()).unwrap().len(), whole.len() as u64);
    assert_eq!(map::<Pick>(case.path())[8], pick(8));
}

/// Guards `Bool8`: NumPy and we see the same truths and the same bytes, and neither makes a byte other than 0 and 1 into 1.
#[test]
fn masks_and_flags_are_mapped_in_place() {
    #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    #[repr(C)]
    struct Flagged {
        flag: Bool8,
        count: u8,
    }
    let dir = tempfile::tempdir().unwrap();
    let mut numpy = Numpy::session(dir.path());
    numpy.ask("m = np.arange(256, dtype='u1').reshape(16, 16, order='F').view('?')");
    numpy.ask("np.save('mask.npy', m)");
    numpy.ask("a = np.zeros(3, [('flag', '?'), ('count', 'u1')])");
    numpy.ask("a.view('u1')[:] = [0, 1, 7, 2, 0x80, 3]");
    numpy.ask("np.save('records.npy', a)");

    let path = dir.path().join("mask.npy");
    let mask = map::<Bool8>(&path);
    assert_eq!((mask.shape(), mask.order()), (&[16, 16][..], Order::Fortran));
    assert!(mask.as_slice().iter().map(|flag| flag.byte()).eq(0..=255));
    let truths = numpy.ask("int(np.count_nonzero(np.load('mask.npy')))");
    assert_eq!(mask.iter().filter(|flag| flag.get()).count().to_string(), truths);
    // A copy has the same bytes, written at once and one by one.
    Vec::<Bool8>::from(mask.as_slice()).write_npy(dir.path().join("copy.npy")).unwrap();
    assert_eq!(numpy.ask("np.load('copy.npy').tobytes() == bytes(range(256))"), "True");
    drop(mask);
    let mut mask = map_mut::<Bool8>(&path);
    *mask.at_mut(&[2, 0]).unwrap() = false.into();
    mask.flush().unwrap();
    assert_eq!(numpy.ask("np.flatnonzero(~np.load('mask.npy').ravel('F')).tolist()"), "[0, 2]");

    let records = map::<Flagged>(dir.path().join("records.npy"));
    let flags = records.column::<Bool8>("flag").unwrap().to_vec().unwrap();
    assert_eq!(flags.iter().map(|flag| flag.byte()).collect::<Vec<_>>(), [0, 7, 0x80]);
    assert_eq!(records.iter().map(|it| it.count).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(flags, [false, true, true]);
}

/// Guards padding that is a skipped field: records of `align=True` are changed in place, and NumPy's padding keeps its bytes.
#[test]
fn aligned_records_are_changed_in_place() {
    #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    #[npy(align)]
    #[repr(C)]
    struct Event {
        id: u64,
        n: u16,
        #[npy(skip)]
        pad: [u8; 6],
        tracks: [f64; 2],
        trigger: Bool8,
        tag: ByteStr<4>,
        #[npy(skip)]
        end: [u8; 3],
    }
    /// The same layout by offsets.
    #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    #[npy(itemsize = 40)]
    #[repr(C, packed)]
    struct Placed {
        id: u64,
        #[npy(skip)]
        pad: [u8; 8],
        #[npy(offset = 16)]
        tracks: [f64; 2],
        #[npy(skip)]
        end: [u8; 8],
    }
    let dir = tempfile::tempdir().unwrap();
    let mut numpy = Numpy::session(dir.path());
    numpy.ask(
        "f = [('id', '<u8'), ('n', '<u2'), ('tracks', '<f8', 2), ('trigger', '?'), ('tag', 'S4')]",
    );
    numpy.ask("a = np.zeros(3, np.dtype(f, align=True)); a.view('u1')[:] = 1; np.save('x.npy', a)");
    // A field of the file in the place of the padding would be overwritten.
    numpy.ask(
        "g = f[:2] + [('m', 'u4'), ('o', 'V2')] + f[2:]; np.save('y.npy', np.zeros(3, np.dtype(g, align=True)))",
    );
    // SAFETY: no other program changes the file.
    let other = unsafe { MapMut::<Event>::open(dir.path().join("y.npy")) };
    let other = other.map(drop).unwrap_err().to_string();
    assert!(other.contains("'m'"), "{other}");
    let path = dir.path().join("x.npy");
    let before = std::fs::read(&path).unwrap();
    let mut events = map_mut::<Event>(&path);
    events[1].n = 0x0102;
    assert_eq!((events[1].pad, events[1].end), ([1; 6], [1; 3]));
    events.flush().unwrap();
    let after = std::fs::read(&path).unwrap();
    assert_eq!(before.iter().zip(&after).filter(|(a, b)| a != b).count(), 1);
    assert_eq!(numpy.ask("np.load('x.npy')['n'].tolist()"), "[257, 258, 257]");
    created::<Event>(dir.path().join("new.npy"), &[2])[1].tracks[1] = 0.5;
    assert_eq!(numpy.ask("np.load('new.npy').dtype == np.dtype(f, align=True)"), "True");
    assert_eq!(numpy.ask("np.load('new.npy')['tracks'].tolist()"), "[[0.0, 0.0], [0.0, 0.5]]");
    numpy.ask("d = {'names': ['id', 'tracks'], 'formats': ['<u8', ('<f8', 2)], 'offsets': [0, 16], 'itemsize': 40}");
    numpy.ask("np.save('y.npy', np.ones(2, d))");
    let mut placed = map_mut::<Placed>(dir.path().join("y.npy"));
    placed[1].tracks = [2.0, 3.0];
    placed.flush().unwrap();
    assert_eq!(numpy.ask("np.load('y.npy')['tracks'].tolist()"), "[[1.0, 1.0], [2.0, 3.0]]");
}

/// Guards new files in Fortran order and of a dtype known at run time: those of `open_memmap`, and NumPy sees what is written to them.
#[test]
fn new_files_of_any_order_and_dtype_are_those_of_open_memmap() {
    let dir = tempfile::tempdir().unwrap();
    let mut numpy = Numpy::session(dir.path());
    let mut same = |name: &str, dtype: &str, shape: &str, fortran: &str| {
        let make = "np.lib.format.open_memmap('theirs.npy', 'w+', np.dtype(";
        numpy.ask(&format!("{make}{dtype}), {shape}, {fortran}).flush()"));
        let theirs = std::fs::read(dir.path().join("theirs.npy")).unwrap();
        assert_same_bytes(&std::fs::read(dir.path().join(name)).unwrap(), &theirs, name);
        numpy.ask(&format!("m = np.load('{name}', mmap_mode='r')"));
        numpy.ask("(m.shape, m.tolist())")
    };
    for shape in [&[2, 3][..], &[], &[4], &[0, 2], &[2, 1, 3]] {
        let path = dir.path().join("x.npy");
        let text = match shape {
            [one] => format!("({one},)"),
            _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(",")),
        };
        // As `np.save`, and unlike `open_memmap`, we write C order where both are the same.
        let fortran = if shape.len() > 1 && !shape.contains(&0) { "True" } else { "False" };
        // SAFETY: see above.
        let map = unsafe { MapMut::<Be<i16>>::create_with_order(&path, shape, Order::Fortran) };
        assert_eq!(map.unwrap().shape(), shape);
        same("x.npy", "'>i2'", &text, fortran);
        for descr in ["'<f8'", "'>U3'", "[('a', '|b1'), ('', '|V3'), ('b', '>f4', (2,))]"] {
            let descr = descr.trim_matches('\'');
            let header = Header::new(descr.parse().unwrap(), shape, Order::Fortran).unwrap();
            // SAFETY: see above.
            let map = unsafe { MapAnyMut::create(&path, &header) }.unwrap();
            assert_eq!(map.header(), &header);
            let python = if descr.starts_with('[') {
                "{'names': ['a', 'b'], 'formats': ['?', ('>f4', (2,))], 'offsets': [0, 4]}".into()
            } else {
                format!("'{descr}'")
            };
            same("x.npy", &python, &text, fortran);
        }
    }
    let path = dir.path().join("x.npy");
    let header = Header::new(">i4".parse().unwrap(), [2, 3], Order::Fortran).unwrap();
    // SAFETY: see above.
    let mut map = unsafe { MapAnyMut::create(&path, &header) }.unwrap();
    *map.view_mut::<Be<i32>>().unwrap().at_mut(&[1, 2]).unwrap() = Be::new(-7);
    map.as_bytes_mut()[3] = 5;
    assert!(map.view_mut::<Le<i32>>().is_err());
    let mut numpy = Numpy::session(dir.path());
    assert_eq!(numpy.ask("np.load('x.npy').tolist()"), "[[5, 0, 0], [0, 0, -7]]");
    // SAFETY: see above.
    let map = unsafe { MapAnyMut::open(&path) }.unwrap();
    assert_eq!(map.view::<Be<i32>>().unwrap().to_vec(), [5, 0, 0, 0, 0, -7].map(Be::new));
}
