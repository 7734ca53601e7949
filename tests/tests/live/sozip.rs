//! Seek indexes: sozipfile uses those that we write, and we use those that it writes.

use std::process::Command;

use npy_core::npz::{Editor, Reader, WriteOptions};

use super::*;

/// Numbers whose bytes repeat little, so that no chunk is like another.
const NUMBERS: &str =
    "(np.arange(100_000, dtype='<u4') ** 3 >> np.arange(100_000, dtype='<u4') % 13)";

fn numbers() -> Vec<u32> {
    (0..100_000u32).map(|n| n.wrapping_mul(n).wrapping_mul(n) >> (n % 13)).collect()
}

/// Compares slices of the numbers after seeks.
fn check_slices(reader: &Reader<File>, name: &str) {
    let numbers = numbers();
    let mut member = reader.member(name).unwrap();
    for row in [99_999, 1, 50_000, 50_001, 8160, 8159, 0] {
        member.seek_to(row).unwrap();
        let mut found = Vec::new();
        member.read_chunk::<u32>(&mut found, 10_000).unwrap();
        assert!(found == numbers[row..numbers.len().min(row + 10_000)], "{name}, from {row}");
    }
}

/// Guards the format, with sozipfile as the judge: positions, names, chunks of all sizes, stored ones too.
#[test]
fn indexes_of_ours_are_used_by_sozipfile() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let noise: Vec<u8> = (0..600_000u32)
        .map(|n| {
            (n.wrapping_mul(0x9e37_79b9) ^ (n >> 7).wrapping_mul(0x85eb_ca6b)).to_be_bytes()[0]
        })
        .collect();
    for (level, every) in [(1, 4096), (6, 65_536), (9, 100_000)] {
        let mut options = WriteOptions::new();
        options.deflate(level).seek_every(every).threads(2);
        let mut writer = options.create(path(&format!("level{level}.npz"))).unwrap();
        for name in ["numbers", "a/b/nested"] {
            writer.write(name, &numbers()).unwrap();
        }
        writer.write("noise", &noise).unwrap();
        writer.write("small", &[1u8, 2]).unwrap();
        writer.finish().unwrap();
    }
    std::fs::copy(path("level6.npz"), path("edited.npz")).unwrap();
    let mut editor = Editor::open(path("edited.npz")).unwrap();
    editor.remove("numbers").unwrap();
    editor.rename("a/b/nested", "numbers").unwrap();
    editor.finish().unwrap();
    let script = r#"
import glob, zipfile
import sozipfile.sozipfile as sozip
names = sorted(glob.glob('*.npz'))
for name in names:
    arrays, z = np.load(name), sozip.ZipFile(name)
    assert zipfile.ZipFile(name).testzip() is None
    assert not any('.idx' in member for member in z.namelist())
    assert (arrays['numbers'] == NUMBERS).all()
    for info in z.infolist():
        assert info.is_sozip_optimized(z) == (info.filename != 'small.npy'), (name, info)
        whole = z.read(info.filename)
        with z.open(info.filename) as f:
            for at in (len(whole) - 1, 1, len(whole) // 2, 65536, 4096, 4095):
                f.seek(at)
                assert f.read(5000) == whole[at:at + 5000], (name, info, at)
print(*names)
"#;
    let read = python(&script.replace("NUMBERS", NUMBERS), dir.path());
    assert_eq!(read.trim_end(), "edited.npz level1.npz level6.npz level9.npz");
    // Info-ZIP and 7-Zip, if they are installed.
    for (program, arguments) in [("unzip", &["-t"][..]), ("7z", &["t"])] {
        for name in read.split_whitespace() {
            let output = Command::new(program).args(arguments).arg(path(name)).output();
            let Ok(output) = output else { break };
            let says = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && !says.contains("arning"), "{name}: {says}");
            assert!(!says.contains("sozip"), "{name}: {says}");
        }
    }
}

/// Guards indexes of another writer, which have no checksums, also when the archive is edited.
#[test]
fn indexes_of_sozipfile_are_used() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import io
import sozipfile.sozipfile as sozip
b = io.BytesIO()
np.save(b, NUMBERS)
for chunk in (4096, 32768, 100_000, 1 << 23):
    with sozip.ZipFile(f'{chunk}.npz', 'w', sozip.ZIP_DEFLATED, chunk_size=chunk) as z:
        for name in ('numbers.npy', 'a/b/nested.npy', 'größe.npy'):
            z.writestr(name, b.getvalue())
"#;
    python(&script.replace("NUMBERS", NUMBERS), dir.path());
    for chunk in [4096, 32_768, 100_000, 1 << 23] {
        let path = dir.path().join(format!("{chunk}.npz"));
        let check = |names: [&str; 3]| {
            let reader = Reader::open(&path).unwrap();
            assert!(reader.names().eq(names));
            for name in names {
                let is_seekable = reader.is_seekable(name).unwrap();
                assert_eq!(is_seekable, chunk < 400_000, "{chunk}, {name}");
                assert!(reader.read::<Vec<u32>>(name).unwrap() == numbers());
                check_slices(&reader, name);
            }
        };
        check(["numbers", "a/b/nested", "größe"]);
        let mut editor = Editor::open(&path).unwrap();
        editor.rename("a/b/nested", "c/ñ").unwrap();
        editor.finish().unwrap();
        check(["numbers", "c/ñ", "größe"]);
    }
}
