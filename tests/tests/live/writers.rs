//! Writing item by item: NumPy reads a streamed file, and a file that NumPy saved grows as if NumPy had saved all of
//! it.

use npy_core::Writer;
use npy_tests::disk::Disk;

use super::structs::{PACKED, PACKED_ROWS, Packed, packed};
use super::*;

#[test]
fn numpy_follows_what_is_flushed_and_loads_what_is_finished() {
    let dir = tempfile::tempdir().unwrap();
    let create = |name: &str| Writer::<Packed, _>::create(dir.path().join(name)).unwrap();
    let mut whole = create("whole.npy");
    // Three rows at a time: more than a block in total.
    for _ in 0..3000 {
        whole.extend(packed()).unwrap();
    }
    whole.finish().unwrap();
    let empty = create("empty.npy");
    let mut flushed = create("flushed.npy");
    flushed.write_slice(&packed()).unwrap();
    flushed.flush().unwrap();
    flushed.push(&packed()[0]).unwrap();
    let write = |name: &str| {
        let mut writer = create(name);
        writer.write_slice(&packed()).unwrap();
        writer.flush().unwrap();
        for _ in 0..3000 {
            writer.extend(packed()).unwrap();
        }
        writer
    };
    // A writer that is dropped writes what it has.
    drop(write("dropped.npy"));
    // Like a killed process: the blocks of this file are written, but its header does not count them.
    std::mem::forget(write("stopped.npy"));
    assert!(std::fs::metadata(dir.path().join("stopped.npy")).unwrap().len() > 1 << 18);
    let script = format!(
        r#"
rows = make({PACKED}, {PACKED_ROWS})
for name, expected in [('whole', np.tile(rows, 3000)), ('empty', rows[:0]), ('flushed', rows), ('dropped', np.tile(rows, 3001)), ('stopped', rows)]:
    for mode in [None, 'r']:
        a = np.load(name + '.npy', mmap_mode=mode)
        assert a.dtype == expected.dtype and a.shape == expected.shape, (name, a)
        assert a.tobytes() == expected.tobytes(), name
np.save('again.npy', np.tile(rows, 3000))
assert open('again.npy', 'rb').read() == open('whole.npy', 'rb').read()
"#
    );
    python(&script, dir.path());
    flushed.finish().unwrap();
    drop(empty);
}

#[test]
fn numpy_loads_what_a_disk_that_failed_has() {
    let dir = tempfile::tempdir().unwrap();
    let rows = || packed().into_iter().cycle();
    let mut list = String::new();
    let mut save = |disk: Disk| {
        let Ok(mut writer) = Writer::<Packed, _>::new(disk.clone()) else { return 0 };
        let (mut taken, mut flushed) = (0, 0);
        for count in [2, 7, 3, 90] {
            taken += count;
            if writer.extend(rows().skip(taken - count).take(count)).is_ok()
                && writer.flush().is_ok()
            {
                flushed = taken;
            }
        }
        let name = list.lines().count();
        std::fs::write(dir.path().join(format!("{name}.npy")), disk.bytes()).unwrap();
        writeln!(list, "{name}\t{flushed}").unwrap();
        disk.bytes().len()
    };
    let whole = save(Disk::sound());
    for room in (0..whole).step_by(if npy_tests::is_thorough() { 1 } else { 5 }) {
        save(Disk::with_room(room));
    }
    for calls in 0..40 {
        save(Disk::with_calls(calls));
    }
    std::fs::write(dir.path().join("list"), list).unwrap();
    let script = format!(
        r#"
rows = np.tile(make({PACKED}, {PACKED_ROWS}), 40)
seen = set()
for name, flushed in lines():
    a = np.load(name + '.npy')
    assert int(flushed) <= len(a) <= 102, (name, flushed, len(a))
    assert a.tobytes() == rows[:len(a)].tobytes(), name
    seen.add(len(a))
assert seen == {{0, 2, 9, 12, 102}}, seen
"#
    );
    python(&script, dir.path());
}

#[derive(NpyRecord, Debug)]
#[npy(align)]
#[repr(C)]
struct Aligned {
    a: u8,
    b: f64,
    c: [u16; 3],
}

/// Arrays that NumPy saves completely and in part; the part is then extended to the complete array.
struct Parts {
    list: String,
    #[expect(clippy::type_complexity)]
    grow: Vec<(String, fn(&Path, &Path))>,
}

impl Parts {
    fn new() -> Self {
        Parts { list: String::new(), grow: Vec::new() }
    }

    /// `cut` is an expression of the part, in which `n` is its number of rows.
    fn add<T: Element>(&mut self, array: &str, cut: &str, lengths: &[usize]) {
        for version in VERSIONS {
            let version = version.map_or("0", number);
            for n in lengths {
                let name = self.grow.len().to_string();
                writeln!(self.list, "{name}\t{version}\t{array}\t{n}\t{cut}").unwrap();
                self.grow.push((name, grow::<T>));
            }
        }
    }

    fn assert_grow(self) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("list"), &self.list).unwrap();
        let script = r#"
for name, version, expression, n, cut in lines():
    a = eval(expression)
    part = eval(cut, globals(), {'a': a, 'n': int(n)})
    for array, kind in [(a, 'whole'), (part, 'part')]:
        with open(f'{name}.{kind}', 'wb') as f:
            if version == '0':
                np.save(f, array, allow_pickle=False)
            else:
                np.lib.format.write_array(f, array, (int(version), 0), allow_pickle=False)
"#;
        python(script, dir.path());
        for (name, grow) in &self.grow {
            let path = |kind| dir.path().join(format!("{name}.{kind}"));
            grow(&path("part"), &path("whole"));
            let (ours, theirs) =
                [path("part"), path("whole")].map(|it| std::fs::read(it).unwrap()).into();
            let line = self.list.lines().nth(name.parse().unwrap()).unwrap();
            assert_same_bytes(&ours, &theirs, line);
        }
        println!("{} files", self.grow.len());
    }
}

/// Appends the missing items to a part.
fn grow<T: Element>(part: &Path, whole: &Path) {
    let whole = NpyArray::<T>::read_npy(whole).unwrap();
    let mut writer = Writer::<T, _>::append(part).unwrap();
    let missing = &whole.as_slice_memory_order()[writer.count()..];
    let (one, rest) = missing.split_at(missing.len().min(1));
    one.iter().for_each(|item| writer.push(item).unwrap());
    writer.flush().unwrap();
    writer.write_slice(rest).unwrap();
    writer.finish().unwrap();
}

#[test]
fn what_numpy_saved_grows_as_numpy_would_have_saved_it() {
    let mut parts = Parts::new();
    let lengths = [0, 1, 9, 10, 99, 119, 120];
    for (code, little) in [("?", true), ("<f8", true), (">f8", false), (">u2", false)] {
        let array = format!("{}(np.arange(120).astype('{code}'))", if little { "" } else { "big" });
        match code {
            "?" => parts.add::<bool>(&array, "a[:n]", &lengths),
            ">u2" => parts.add::<u16>(&array, "a[:n]", &lengths),
            _ => parts.add::<f64>(&array, "a[:n]", &lengths),
        }
    }
    parts.add::<ByteStr<7>>("np.resize(np.array([b'a', b'1234567', b'']), 120)", "a[:n]", &lengths);
    let rows = format!("np.tile(make({PACKED}, {PACKED_ROWS}), 40)");
    parts.add::<Packed>(&rows, "a[:n]", &lengths);
    parts.add::<Packed>(&format!("big({rows})"), "big(a[:n])", &lengths);
    let aligned = "make(np.dtype([('a', 'u1'), ('b', 'f8'), ('c', 'u2', 3)], align=True), [(i, i / 2, i) for i in range(120)])";
    parts.add::<Aligned>(aligned, "a[:n]", &lengths);
    // The same fields in another layout than the struct's.
    let other = "make([('c', '>u2', (3,)), ('b', '>f8'), ('a', 'u1')], [([1, 2, i], i, i) for i in range(120)])";
    parts.add::<Aligned>(other, "a[:n]", &lengths);
    // An array of several dimensions, extended by items and by rows.
    let cube = "np.arange(120 * 6, dtype='<i4').reshape(120, 3, 2)";
    parts.add::<i32>(cube, "a[:n]", &lengths);
    parts.add::<[i32; 2]>(cube, "a[:n]", &lengths);
    parts.add::<[[i32; 2]; 3]>(cube, "a[:n]", &lengths);
    parts.assert_grow();
}
