//! Archives, written by NumPy and by us.

use std::process::Command;

use npy_core::npz::{ReadOptions, Reader, WriteOptions, Writer};

use super::*;

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Pick {
    station: u8,
    time: f64,
    samples: [f32; 2],
}

fn picks() -> Vec<Pick> {
    (0..1000u16)
        .map(|n| Pick { station: 7, time: f64::from(n), samples: [0.5, f32::from(n)] })
        .collect()
}

#[test]
fn archives_of_numpy_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
arrays = dict(grid=np.arange(6.).reshape(2, 3), fortran=np.asfortranarray(np.arange(6, dtype='>i2').reshape(2, 3)),
    text=np.array(['a', 'é€']), big=np.arange(300000), records=make([('x', '<i4'), ('y', 'S3')], [(1, b'ab'), (2, b'')]))
for save, name in (np.savez, 'stored.npz'), (np.savez_compressed, 'deflated.npz'):
    save(name, np.uint8(5), np.zeros(0, '<f4'), **arrays, **{'a/b': np.int64(-1), 'größe': np.array(2.5)})
import io, zipfile
class Pipe(io.RawIOBase):
    def __init__(self, f): self.f = f
    def writable(self): return True
    def write(self, b): return self.f.write(b)
with open('piped.npz', 'wb') as f:
    np.savez_compressed(Pipe(f), np.uint8(5), np.zeros(0, '<f4'), **arrays, **{'a/b': np.int64(-1), 'größe': np.array(2.5)})
from backports.zstd import zipfile as newer
for method, name in (zipfile.ZIP_BZIP2, 'bzip2.npz'), (zipfile.ZIP_LZMA, 'lzma.npz'), (newer.ZIP_ZSTANDARD, 'zstd.npz'):
    stored = zipfile.ZipFile('stored.npz')
    with newer.ZipFile(name, 'w', method) as z:
        for member in stored.namelist():
            z.writestr(member, stored.read(member))
np.savez('empty.npz')
"#;
    python(script, dir.path());
    let open = |name: &str| Reader::open(dir.path().join(name)).unwrap();
    for name in ["stored.npz", "deflated.npz", "piped.npz", "bzip2.npz", "lzma.npz", "zstd.npz"] {
        let reader = open(name);
        let names = ["grid", "fortran", "text", "big", "records", "a/b", "größe", "arr_0", "arr_1"];
        assert!(reader.names().eq(names), "{name}");
        let grid: NpyArray<f64> = reader.read("grid").unwrap();
        assert_eq!((grid.shape(), grid.at(&[1, 0])), (&[2, 3][..], Some(&3.0)));
        let fortran: NpyArray<i16> = reader.read("fortran").unwrap();
        assert_eq!((fortran.order(), fortran.at(&[1, 0])), (Order::Fortran, Some(&3)));
        assert_eq!(reader.read::<Vec<String>>("text").unwrap(), ["a", "é€"]);
        assert!(reader.read::<Vec<i64>>("big").unwrap().into_iter().eq(0..300_000));
        assert_eq!(reader.header("records").unwrap().dtype().fields()[1].name(), "y");
        assert_eq!(reader.read::<i64>("a/b.npy").unwrap(), -1);
        assert_eq!(reader.read::<f64>("größe").unwrap(), 2.5);
        assert_eq!(reader.read::<u8>("arr_0").unwrap(), 5);
        assert!(reader.read::<Vec<f32>>("arr_1").unwrap().is_empty());
        let path = dir.path().join(name);
        let all = ReadOptions::new().threads(2).open(path).unwrap().read_all().unwrap();
        assert_eq!(all[3].1.to_vec::<i64>().unwrap().len(), 300_000);
    }
    assert!(open("empty.npz").is_empty());
}

fn fill<W: std::io::Write>(mut writer: Writer<W>) {
    writer.write("grid", &NpyArray::new(vec![1.5, 2.5, 3.5, 4.5], [2, 2]).unwrap()).unwrap();
    writer.write("a/b", &["x", "é€"]).unwrap();
    writer.write("größe", &3u8).unwrap();
    writer.write("big", &(0..300_000).collect::<Vec<i64>>()).unwrap();
    writer.write("picks", &picks()).unwrap();
    writer.write_unnamed(&[true, false]).unwrap();
    writer.write_columns(&picks()).unwrap();
    let mut rows = writer.start::<[i32; 2]>("rows").unwrap();
    rows.extend((0..50_000).map(|n| [n, -n])).unwrap();
    rows.finish().unwrap();
    writer.finish().unwrap();
}

/// Guards members by Zstandard, as the `zipfile` of Python 3.14 reads them: from a file, from a stream, and with copied members.
#[cfg(feature = "zstd-write")]
#[test]
fn members_by_zstandard_are_read_by_python() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let mut zstd = WriteOptions::new();
    zstd.zstd(3);
    fill(zstd.create(path("zstd.npz")).unwrap());
    fill(zstd.stream(File::create(path("stream.npz")).unwrap()));
    let mut writer = zstd.clone().zstd(22).create(path("appended.npz")).unwrap();
    writer.write("first", &vec![7u8; 3 << 20]).unwrap();
    writer.finish().unwrap();
    fill(zstd.append(path("appended.npz")).unwrap());
    let script = r#"
import io
from backports.zstd import zipfile
for name in ["zstd.npz", "stream.npz", "appended.npz"]:
    z = zipfile.ZipFile(name)
    assert z.testzip() is None and all(i.compress_type == 93 and i.extract_version == 63 for i in z.infolist())
    f = {i.filename[:-4]: np.load(io.BytesIO(z.read(i))) for i in z.infolist()}
    assert f["grid"].tolist() == [[1.5, 2.5], [3.5, 4.5]] and f["a/b"].tolist() == ["x", "é€"] and f["größe"] == 3
    assert (f["big"] == np.arange(300_000)).all() and (f["rows"][:, 1] == -np.arange(50_000)).all()
    assert f["picks"]["samples"][999, 1] == 999
"#;
    python(script, dir.path());
}

#[test]
fn archives_of_ours_are_read_by_numpy() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let mut deflate = WriteOptions::new();
    deflate.deflate(6);
    fill(Writer::create(path("stored.npz")).unwrap());
    fill(deflate.create(path("deflated.npz")).unwrap());
    fill(deflate.clone().threads(3).create(path("threads.npz")).unwrap());
    fill(Writer::stream(File::create(path("stream.npz")).unwrap()));
    fill(deflate.stream(File::create(path("deflated_stream.npz")).unwrap()));
    let mut writer = Writer::create(path("appended.npz")).unwrap();
    writer.write("first", &[1u8]).unwrap();
    writer.finish().unwrap();
    fill(Writer::append(path("appended.npz")).unwrap());
    let mut many = Writer::create(path("many.npz")).unwrap();
    for n in 0..65_540u32 {
        many.write(&format!("{n}"), &n).unwrap();
    }
    many.finish().unwrap();
    let script = r#"
import io, zipfile
for name in sorted(os.listdir('.')):
    if not name.endswith('.npz'):
        continue
    z = zipfile.ZipFile(name)
    f = np.load(name)
    if name == 'many.npz':
        assert len(f.files) == 65540 and f['65539'] == 65539
        continue
    assert z.testzip() is None, name
    for key in f.files:
        b = io.BytesIO()
        np.save(b, f[key])
        assert b.getvalue() == z.read(key + '.npy'), (name, key)
    for i in z.infolist():
        assert i.date_time == (1980, 1, 1, 0, 0, 0) and i.create_system == 3
    assert f['grid'][1, 0] == 3.5 and list(f['a/b']) == ['x', 'é€'] and f['größe'] == 3
    assert (f['big'] == np.arange(300000)).all() and (f['rows'] == np.arange(50000)[:, None] * [1, -1]).all()
    assert (f['picks']['time'] == f['time']).all() and f['samples'].shape == (1000, 2)
    assert list(f['arr_0']) == [True, False]
    print(name)
"#;
    assert_eq!(python(script, dir.path()).lines().count(), 6);
    // Info-ZIP, if it is installed.
    for name in ["stored.npz", "deflated.npz", "stream.npz", "deflated_stream.npz", "appended.npz"]
    {
        let Ok(output) = Command::new("unzip").arg("-t").arg(path(name)).output() else { break };
        let says = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && says.contains("No errors detected"), "{name}: {says}");
        assert!(output.stderr.is_empty(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
