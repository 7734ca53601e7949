//! Archives of NumPy and `zipfile` that are edited here, and read by Python afterwards.

use std::collections::HashMap;

use npy_core::npz;
use npy_tests::fuzz::Random;

use super::*;

/// Prints each member: its name, its bytes, and the properties that an edit must keep.
const MEMBERS: &str = r"
import zipfile
def members(path):
    with zipfile.ZipFile(path) as z:
        assert z.testzip() is None, path
        for i in z.infolist():
            kept = (i.compress_type, i.date_time, i.external_attr, i.create_system, i.flag_bits, i.extra, i.comment, i.CRC, i.compress_size)
            yield i.filename, z.read(i).hex(), kept
        yield None, z.comment
";

/// Guards members that only Python can read, and everything else about a member that is not touched: Python finds the same.
#[test]
fn python_finds_untouched_members_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let script = r"
np.savez('savez.npz', x=np.arange(5), y=np.ones((3, 4), 'f4', order='F'), z=np.array(['a', None], object))
np.savez_compressed('compressed.npz', x=np.arange(5), y=np.zeros(100000), z='text')
methods = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
with zipfile.ZipFile('zipfile.npz', 'w') as z:
    z.comment = b'of the archive'
    for n, method in enumerate(methods):
        i = zipfile.ZipInfo(f'größe {n}.txt', (2000 + n, 1, 2, 3, 4, 6))
        i.compress_type, i.comment, i.extra = method, b'of a member', b'UT\x05\0\x01abcd'
        z.writestr(i, bytes(range(256)) * 9)
    for name in ['x.npy', 'y.npy', 'z']:
        with z.open(name, 'w', force_zip64=name == 'y.npy') as f:
            np.save(f, np.arange(9))
for name in ['savez', 'compressed', 'zipfile']:
    before = [member for member in members(name + '.npz')]
    open(name + '.before', 'w').write(repr(before))
";
    python(&format!("{MEMBERS}{script}"), dir.path());
    let path = |name: &str| dir.path().join(name).with_extension("npz");
    for name in ["savez", "compressed", "zipfile"] {
        let mut editor = npz::Editor::open(path(name)).unwrap();
        editor.write("x", &[0.5f32; 1001]).unwrap();
        editor.rename("z", "größer").unwrap();
        editor.write("new", &NpyArray::new(vec![1u8, 2, 3, 4], [2, 2]).unwrap()).unwrap();
        editor.finish().unwrap();
    }
    let mut editor = npz::WriteOptions::new().deflate(6).edit(path("savez")).unwrap();
    let other = npz::Reader::open(path("zipfile")).unwrap();
    for name in other.names().filter(|name| name.starts_with("größe ")) {
        editor.copy_from(&other, name).unwrap();
    }
    editor.write("text", "höher").unwrap();
    editor.finish().unwrap();

    let script = r"
others = {}
for name in ['zipfile', 'compressed', 'savez']:
    before = eval(open(name + '.before').read())
    after = [member for member in members(name + '.npz')]
    assert after.pop() == before.pop()
    renamed = 'größer' if name == 'zipfile' else 'größer.npy'
    changed = {'x.npy': 'x.npy', 'z': renamed, 'z.npy': renamed}
    names = [changed.get(n, n) for n, _, _ in before] + ['new.npy']
    after = {n: rest for n, *rest in after}
    assert list(after)[:len(names)] == names, list(after)
    for n, *rest in before:
        if n == 'x.npy':
            continue
        new = after[changed.get(n, n)]
        assert new[0] == rest[0]
        if n not in changed:
            assert new == rest, (n, new[1], rest[1])
        else:
            assert new[1][:4] == rest[1][:4] and new[1][5:] == rest[1][5:]
    others |= {n: rest for n, *rest in before if n.startswith('größe ')}
    f = np.load(name + '.npz', allow_pickle=True)
    assert (f['x'] == np.full(1001, 0.5, 'f4')).all() and f['new'].tolist() == [[1, 2], [3, 4]]
    assert f['y'].sum() == {'savez': 12, 'compressed': 0, 'zipfile': 36}[name]
    if name == 'savez':
        assert f['größer'].tolist() == ['a', None] and f['text'] == 'höher'
        assert {n: rest for n, rest in after.items() if n in others} == others and len(others) == 4
";
    python(&format!("{MEMBERS}{script}"), dir.path());
}

/// Guards the archives that random changes make, by Python's check of every member.
#[test]
fn python_reads_archives_after_random_changes() {
    let dir = tempfile::tempdir().unwrap();
    let script = r"
for n in range(40):
    save = np.savez if n % 2 else np.savez_compressed
    save(f'{n}.npz', **{f'a{i}': np.full((n + i) * 37, i, 'u2') for i in range(6)})
";
    python(script, dir.path());
    let mut random = Random::new(2026);
    let mut list = String::new();
    for n in 0..40 {
        let path = dir.path().join(format!("{n}.npz"));
        let mut expected: HashMap<String, (usize, u16)> = (0..6u8)
            .map(|i| (format!("a{i}"), ((n + usize::from(i)) * 37, u16::from(i))))
            .collect();
        for _ in 0..3 {
            let mut editor = npz::Editor::open(&path).unwrap();
            for _ in 0..4 {
                let (name, other) =
                    (format!("a{}", random.below(6)), format!("ü{}", random.below(6)));
                if random.below(2) == 0 && editor.contains(&name) && !editor.contains(&other) {
                    editor.rename(&name, &other).unwrap();
                    let value = expected.remove(&name).unwrap();
                    expected.insert(other, value);
                } else if random.below(3) == 0 && editor.contains(&other) {
                    editor.remove(&other).unwrap();
                    expected.remove(&other);
                } else {
                    let value = (random.below(2000), u16::from(random.byte()));
                    editor.write(&name, &vec![value.1; value.0]).unwrap();
                    expected.insert(name, value);
                }
            }
            editor.finish().unwrap();
        }
        let values: Vec<String> = expected
            .iter()
            .map(|(name, (count, value))| format!("'{name}': ({count}, {value})"))
            .collect();
        writeln!(list, "{n}\t{{{}}}", values.join(", ")).unwrap();
    }
    std::fs::write(dir.path().join("list"), list).unwrap();
    let script = r"
for n, expected in lines():
    expected = eval(expected)
    assert len(list(members(n + '.npz'))) == len(expected) + 1
    f = np.load(n + '.npz')
    assert sorted(f) == sorted(expected)
    for name, (count, value) in expected.items():
        assert f[name].dtype == 'u2' and (f[name] == np.full(count, value)).all() and f[name].shape == (count,)
";
    python(&format!("{MEMBERS}{script}"), dir.path());
}

/// Guards `save_compressed` and hash maps: NumPy reads the arrays, and compresses as well.
#[test]
fn numpy_reads_compressed_maps() {
    let dir = tempfile::tempdir().unwrap();
    let values: Vec<f64> = (0..50_000).map(|n| f64::from(n % 100)).collect();
    let map: HashMap<String, Vec<f64>> =
        ["a", "b", "größe"].map(|name| (name.to_owned(), values.clone())).into();
    npz::save_compressed(dir.path().join("ours.npz"), &map).unwrap();
    let script = r"
f = dict(np.load('ours.npz'))
assert list(f) == ['a', 'b', 'größe'] and all((a == np.arange(50000) % 100).all() for a in f.values())
np.savez_compressed('theirs.npz', **f)
print(os.path.getsize('ours.npz') / os.path.getsize('theirs.npz'))
";
    let ratio: f64 = python(script, dir.path()).trim().parse().unwrap();
    assert!(ratio < 1.3, "{ratio}");
    let theirs: HashMap<String, Vec<f64>> = npz::load(dir.path().join("theirs.npz")).unwrap();
    assert_eq!(theirs, map);
}
