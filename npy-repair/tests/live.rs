//! Files that NumPy cannot read, made from the reports of its users: NumPy damages them, and reads what was repaired.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use npy_repair::{Options, Raw, diagnose};
use npy_tests::Numpy;

/// Writes `NAME.npy` and the array that it should be, `NAME.right`. `bad` writes the bytes that are damaged.
const MAKE: &str = r#"
import io, sys
from pathlib import Path
import numpy as np
from numpy.lib import format
folder = Path(sys.argv[1])

def right(name, array):
    with open(folder / f"{name}.right", "wb") as file:
        np.save(file, array)

def bad(name, data, array):
    (folder / f"{name}.npy").write_bytes(data)
    right(name, array)

def saved(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()

def mapped(name, values, shape, **more):
    memmap = format.open_memmap(folder / f"{name}.npy", "w+", dtype=values.dtype, shape=shape, **more)
    memmap[...] = values
    memmap.flush()
    right(name, values)

def header(array, descr):
    file = io.BytesIO()
    fields = format.header_data_from_array_1_0(array)
    format.write_array_header_1_0(file, {**fields, "descr": descr})
    return file.getvalue()

grid = np.arange(12, dtype="<f4").reshape(3, 4)
# numpy#28334, numpy#9659, numpy#13719
mapped("int64", grid, (np.int64(3), np.int64(4)))
mapped("array", grid, (3, np.array(4)))
bad("number", saved(grid[0]).replace(b"(4,), }   ", b"4, }      "), grid[0])
mapped("list", grid, [3, 4])
mapped("order", grid, (3, 4), fortran_order=1)

# numpy#14142: what was written before NumPy 2.1, which is what `descr` still is
meta = lambda of, **metadata: np.dtype(of, metadata=metadata)
records = np.zeros(2, [("a", "<f8"), ("b", meta("S3", some="stuff"))])
records["a"], records["b"] = [1, 2], [b"abc", b"def"]
bad("metadata", header(records, records.dtype.descr) + records.tobytes(), records)
nested = np.zeros(2, [("n", [("x", meta("<i2", enum={"{": 1, "'": 2}))]), ("y", meta("u1", a=bytes), (2,))])
nested["n"]["x"], nested["y"] = [5, 6], [[1, 2], [3, 4]]
bad("nested", header(nested, nested.dtype.descr) + nested.tobytes(), nested)

# git with core.autocrlf, and transfers in text mode
lines = np.arange(3000, dtype="<u2")
assert saved(lines).count(b"\n") > 12
bad("line_ends", saved(lines).replace(b"\n", b"\r\n"), lines)
pairs = np.frombuffer(b"\r\n\n\r\r\r\n" * 9, "u1")
bad("pairs", saved(pairs).replace(b"\n", b"\r\n"), pairs)
bad("utf8", saved(lines).decode("latin-1").encode(), lines)

# copies and writers that were stopped
bad("truncated", saved(lines)[:-31], lines[:-16])
fortran = np.asfortranarray(np.arange(60.).reshape(5, 12))
bad("fortran", saved(fortran)[:-81], fortran[:, :-3])
one = np.asfortranarray(np.arange(60.).reshape(60, 1))
bad("column", saved(one)[:-1], one[:-1])
three = np.arange(60, dtype="<i8").reshape(3, 4, 5)
bad("rows", saved(three)[:-200], three[:1])

# headers
named = np.zeros(3, [("größe", "<f4")])
named["größe"] = [1, 2, 3]
data = saved(named)
assert data[6] == 1
text = data[10:128].strip() + b"\n"
bad("latin1", b"\x93NUMPY\3\0" + len(text).to_bytes(4, "little") + text + named.tobytes(), named)
data = saved(grid)
bad("magic", b"\x13" + data[1:], grid)
bad("version", data[:6] + b"\0" + data[7:], grid)
bad("length", data[:8] + b"\x66" + data[9:], grid)
bad("padding", data[:70] + data[100:], grid)

"#;

/// Compares each `NAME.out` with `NAME.right`.
const COMPARE: &str = r#"
import sys
from pathlib import Path
import numpy as np
folder = Path(sys.argv[1])
names = []
for path in sorted(folder.glob("*.right")):
    found, right = np.load(path.with_suffix(".out")), np.load(path)
    assert found.dtype == right.dtype and found.shape == right.shape, (path.stem, found.dtype, found.shape)
    assert (found == right).all(), (path.stem, found, right)
    names.append(path.stem)
print(*names)
"#;

fn run(script: &str, folder: &Path) -> String {
    Numpy::run(script, &[folder.as_os_str()])
}

#[test]
fn arrays_that_numpy_does_not_read_have_their_values_again() {
    let folder = tempfile::tempdir().unwrap();
    run(MAKE, folder.path());
    let mut count = 0;
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension() != Some(OsStr::new("npy")) {
            continue;
        }
        let before = fs::read(&path).unwrap();
        let plan = diagnose(&path, &Options::new()).unwrap();
        assert!(plan.is_needed(), "{}: {plan}", path.display());
        plan.write(path.with_extension("out")).unwrap();
        assert!(fs::read(&path).unwrap() == before, "{} was changed", path.display());
        count += 1;
    }
    let names = run(COMPARE, folder.path());
    assert_eq!(names.split_whitespace().count(), count, "{names}");
    assert_eq!(count, 19);
}

/// Guards objects: their pickle states its end, and h5py gives their dtype metadata (numpy#23169).
#[test]
fn objects_with_metadata_load() {
    let make = r#"
import pickle, sys
import numpy as np
from numpy.lib import format
array = np.zeros((), [("ref", np.dtype("O", metadata={"vlen": bytes})), ("path", "O")])
array["ref"], array["path"] = b"doi", b"/a"
with open(sys.argv[1], "wb") as file:
    fields = format.header_data_from_array_1_0(array)
    format.write_array_header_1_0(file, {**fields, "descr": array.dtype.descr})
    pickle.dump(array, file, protocol=4)
try:
    np.load(sys.argv[1], allow_pickle=True)
except ValueError as error:
    print("Cannot parse header" in str(error))
"#;
    let check = "
import sys, numpy as np
array = np.load(sys.argv[1], allow_pickle=True)
print(array['ref'], array['path'], array.shape)
";
    let folder = tempfile::tempdir().unwrap();
    let (bad, good) = (folder.path().join("bad.npy"), folder.path().join("good.npy"));
    assert_eq!(run(make, &bad).trim(), "True");
    diagnose(&bad, &Options::new()).unwrap().write(&good).unwrap();
    assert_eq!(run(check, &good).trim(), "b'doi' b'/a' ()");
    // The pickle of a writer that was stopped.
    let bytes = fs::read(&bad).unwrap();
    fs::write(&bad, &bytes[..bytes.len() - 9]).unwrap();
    let error = diagnose(&bad, &Options::new()).unwrap_err().to_string();
    assert!(error.starts_with("the pickle of its Python objects is damaged"), "{error}");
}

/// Archives as NumPy writes them: to files, and to pipes; stored, and deflated.
const ARCHIVES: &str = r#"
import io, sys, zipfile
from pathlib import Path
import numpy as np
folder = Path(sys.argv[1])

class Pipe(io.RawIOBase):
    def __init__(self, file):
        self.file = file
    def writable(self):
        return True
    def write(self, data):
        return self.file.write(data)

random = np.random.default_rng(1)
arrays = {f"m/{i:02}" if i else "größe": random.random((i + 1, 20)) * i for i in range(100)}
np.save(folder / "expected.npy", np.concatenate([arrays[name] for name in sorted(arrays)]))
for kind, save in [("stored", np.savez), ("deflated", np.savez_compressed)]:
    save(folder / f"{kind}.npz", **arrays)
    with open(folder / f"{kind}_pipe.npz", "wb") as file:
        save(Pipe(file), **arrays)
for path in folder.glob("*.npz"):
    data = path.read_bytes()
    start = zipfile.ZipFile(path).infolist()[-1].header_offset
    cuts = {
        "download": data[:start + 300],
        "killed": data[:start],
        "directory": data[:data.index(b"PK\1\2") + 5000],
        "wrong": data[:-4000] + bytes(4000),
        "member": data[:start - 40] + bytes(8) + data[start - 32:],
    }
    for name, data in cuts.items():
        (folder / f"{path.stem}.{name}").write_bytes(data)
"#;

const COMPARE_ARCHIVES: &str = r#"
import sys
from pathlib import Path
import numpy as np
folder = Path(sys.argv[1])
random = np.random.default_rng(1)
arrays = {f"m/{i:02}" if i else "größe": random.random((i + 1, 20)) * i for i in range(100)}
for path in sorted(folder.glob("*.out")):
    with np.load(path) as archive:
        assert set(archive.files) <= set(arrays)
        for name in archive.files:
            assert (archive[name] == arrays[name]).all(), (path, name)
        print(path.stem, len(archive.files))
"#;

#[test]
fn archives_keep_their_complete_members() {
    let folder = tempfile::tempdir().unwrap();
    run(ARCHIVES, folder.path());
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let kind = path.extension().unwrap().to_str().unwrap();
        if ["npz", "npy"].contains(&kind) {
            continue;
        }
        let plan = diagnose(&path, &Options::new()).unwrap();
        assert!(plan.is_needed());
        let out = format!("{}_{kind}.out", path.with_extension("").display());
        plan.write(out).unwrap();
    }
    let counts = run(COMPARE_ARCHIVES, folder.path());
    for line in counts.lines() {
        let (name, count) = line.split_once(' ').unwrap();
        let expected =
            if name.ends_with("_directory") || name.ends_with("_wrong") { 100 } else { 99 };
        assert_eq!(count.parse::<usize>().unwrap(), expected, "{name}");
    }
    assert_eq!(counts.lines().count(), 20);
}

#[test]
fn raw_data_gets_a_header() {
    let folder = tempfile::tempdir().unwrap();
    let (raw, out) = (folder.path().join("raw.npy"), folder.path().join("out.npy"));
    run("import sys, numpy as np\nnp.arange(12, dtype='<u2').tofile(sys.argv[1])", &raw);
    let mut options = Options::new();
    options.raw(Raw::new("<u2".parse().unwrap(), &[-1, 3]));
    diagnose(&raw, &options).unwrap().write(&out).unwrap();
    let check =
        "import sys, numpy as np\nx = np.load(sys.argv[1])\nprint(x.dtype, x.shape, x.sum())";
    assert_eq!(run(check, &out).trim(), "uint16 (4, 3) 66");
}
