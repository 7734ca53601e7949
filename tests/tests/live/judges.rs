//! Archives of our writer, appender and editor, and every other reader of zip that is installed.
//!
//! Python, NumPy and sozipfile are always asked. `unzip`, `7z`, Java and the GDAL of rasterio's wheel are if they are there:
//! `NPY_PYTHON=… cargo test --test live --features live judges -- --nocapture` prints how many archives each of them has read.

use std::process::{Command, Output};

use npy_core::npz::Reader;
use npy_tests::random_archive;
use npy_tests::zips::crc;

use super::*;

/// Returns the number of archives.
fn archives() -> u64 {
    npy_tests::rounds(200) as u64
}

/// Reads all members, and parts by seek indexes. `list` has a line for each member: the archive, the name, the size, the checksum, and whether it has an
/// index by which it can be read.
const PYTHON: &str = r#"
import ctypes, glob, os, zipfile, zlib
import sozipfile.sozipfile as sozip
expected = {f'{seed}.npz': [] for seed in range(len(glob.glob('*.npz')))}
for file, *member in lines():
    expected[file].append(member)
sought = 0
for file, members in expected.items():
    with zipfile.ZipFile(file) as z, sozip.ZipFile(file) as s:
        assert z.testzip() is None, file
        found = [[i.filename, str(i.file_size), str(zlib.crc32(z.read(i)))] for i in z.infolist()]
        assert found == [member[:3] for member in members], (file, found, members)
        for name, _, _, is_seekable in members:
            # sozipfile looks for the name in another encoding than it has in the file.
            if name.isascii():
                assert s.getinfo(name).is_sozip_optimized(s) == (is_seekable == 'true'), (file, name)
            if name.isascii() and is_seekable == 'true':
                whole = z.read(name)
                with s.open(name) as f:
                    for at in (len(whole) - 1, len(whole) // 2, 4096, 4095, 0):
                        f.seek(at)
                        assert f.read(5000) == whole[at:at + 5000], (file, name, at)
                sought += 1
    with np.load(file) as arrays:
        for name in arrays.files:
            arrays[name]
print(f'zipfile and NumPy: {len(expected)} archives; sozipfile: {sought} members by their indexes')

try:
    import rasterio
    libraries = os.path.join(os.path.dirname(rasterio.__file__), '..', 'rasterio.libs', 'libgdal*')
    gdal = ctypes.CDLL(glob.glob(libraries)[0])
except (ImportError, IndexError):
    raise SystemExit
gdal.VSIGetFileMetadata.restype = ctypes.POINTER(ctypes.c_char_p)
gdal.VSIFOpenL.restype = ctypes.c_void_p
gdal.VSIFSeekL.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int]
gdal.VSIFReadL.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
gdal.VSIFReadL.restype = ctypes.c_size_t
gdal.VSIFCloseL.argtypes = [ctypes.c_void_p]

def is_valid(path):
    lines = gdal.VSIGetFileMetadata(path, b'ZIP', None)
    i = 0
    while lines and lines[i]:
        if lines[i] == b'SOZIP_VALID=YES':
            return True
        i += 1
    return False

def read(path, at, count):
    file = gdal.VSIFOpenL(path, b'rb')
    assert file, path
    gdal.VSIFSeekL(file, at, 0)
    buffer = ctypes.create_string_buffer(count)
    got = gdal.VSIFReadL(buffer, 1, count, file)
    gdal.VSIFCloseL(file)
    return buffer.raw[:got]

whole_members = sought = 0
for file, members in expected.items():
    with zipfile.ZipFile(file) as z:
        for name, size, _, is_seekable in members:
            path = f'/vsizip/{{{os.path.abspath(file)}}}/{name}'.encode()
            whole = z.read(name)
            assert read(path, 0, len(whole)) == whole, (file, name)
            assert is_valid(path) == (is_seekable == 'true'), (file, name)
            whole_members += 1
            if is_seekable == 'true':
                for at in (len(whole) // 2, len(whole) - 1, 4095):
                    assert read(path, at, 5000) == whole[at:at + 5000], (file, name, at)
                sought += 1
print(f'GDAL: {whole_members} members, {sought} by their indexes')
"#;

/// Reads all members by `ZipFile`, and prints the number of archives.
const JAVA: &str = r#"
import java.nio.file.*;
import java.util.*;
import java.util.zip.*;

class Judge {
    public static void main(String[] files) throws Exception {
        for (String file : files) {
            try (ZipFile zip = new ZipFile(file)) {
                for (ZipEntry entry : Collections.list(zip.entries())) {
                    byte[] bytes = zip.getInputStream(entry).readAllBytes();
                    CRC32 sum = new CRC32();
                    sum.update(bytes);
                    if (bytes.length != entry.getSize() || sum.getValue() != entry.getCrc() || entry.getName().contains("sozip")) {
                        throw new Exception(file + ": " + entry.getName());
                    }
                }
            }
        }
        System.out.println(files.length);
    }
}
"#;

/// Guards archives of the writer, the appender and the editor against all readers: names, contents, checksums, the end record, and seek indexes.
#[test]
fn every_reader_accepts_our_archives() {
    let directory = TempDir::new().unwrap();
    let (mut list, mut empty) = (String::new(), Vec::new());
    let names: Vec<String> = (0..archives()).map(|seed| format!("{seed}.npz")).collect();
    for (seed, archive) in names.iter().enumerate() {
        let path = directory.path().join(archive);
        let members = random_archive::write(&path, seed as u64);
        let reader = Reader::open(&path).unwrap();
        if members.is_empty() {
            empty.push(archive);
        }
        for (name, contents) in members {
            let array = name.strip_suffix(".npy").unwrap();
            let is_seekable =
                reader.is_compressed(array).unwrap() && reader.is_seekable(array).unwrap();
            writeln!(
                list,
                "{archive}\t{name}\t{}\t{}\t{is_seekable}",
                contents.len(),
                crc(&contents)
            )
            .unwrap();
        }
    }
    std::fs::write(directory.path().join("list"), list).unwrap();
    print!("{}", python(PYTHON, directory.path()));

    for (program, arguments) in [("unzip", ["-t", "-qq"]), ("7z", ["t", "-bb0"])] {
        let accepted = names.iter().map_while(|archive| {
            let output = run(program, &arguments, &[archive], directory.path())?;
            let says = String::from_utf8_lossy(&output.stdout);
            let is_right = output.status.success() && !says.contains("arning");
            // `unzip` warns that nothing is in it.
            assert!(is_right || empty.contains(&archive), "{archive}: {says}");
            Some(())
        });
        println!("{program}: {} archives", accepted.count());
    }
    std::fs::write(directory.path().join("Judge.java"), JAVA).unwrap();
    let archives: Vec<&str> = names.iter().map(String::as_str).collect();
    if let Some(output) = run("java", &["Judge.java"], &archives, directory.path()) {
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        println!("Java: {} archives", String::from_utf8_lossy(&output.stdout).trim());
    }
}

/// Runs a program in a folder; `None` if it is not installed.
fn run(program: &str, arguments: &[&str], files: &[&str], directory: &Path) -> Option<Output> {
    Command::new(program).args(arguments).args(files).current_dir(directory).output().ok()
}
