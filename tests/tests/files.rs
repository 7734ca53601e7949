//! Writing to a path: afterwards it has the complete new file or the unchanged old one.

use std::fs;
use std::path::PathBuf;

use npy_core::{DType, Element, ErrorKind, InvalidValue, NpyArray, Order, ReadNpy, WriteNpy, npz};
use npy_tests::names;
use npy_tests::picky::Even;

/// Guards the temporary file: a write that fails halfway leaves the old file and nothing else.
#[test]
fn a_write_that_fails_leaves_the_old_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    [1u8, 2].write_npy(&path).unwrap();
    // The invalid value comes after blocks that were written.
    let mut numbers: Vec<Even> = (0..1_000_000).map(|_| Even(0)).collect();
    numbers.push(Even(1));
    let error = numbers.write_npy(&path).unwrap_err();
    assert_eq!(error.to_string(), format!("{}: row 1000000: 1 is odd", path.display()));
    assert_eq!(Vec::<u8>::read_npy(&path).unwrap(), [1, 2]);
    assert_eq!(names(directory.path()), ["x.npy"]);
}

#[test]
fn a_missing_directory_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("no/x.npy");
    let error = [1u8].write_npy(&path).unwrap_err();
    let expected = format!(
        "{}: no directory {}; create it first",
        path.display(),
        path.parent().unwrap().display()
    );
    assert_eq!(error.to_string(), expected);
    assert!(matches!(error.kind(), ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::NotFound));
}

/// Guards a directory that exists, in which no file can be created.
#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_exists_is_not_called_missing() {
    let error = [1u8].write_npy("/proc/x.npy").unwrap_err().to_string();
    assert!(error.starts_with("/proc/x.npy: cannot create a file in /proc"), "{error}");
}

#[test]
fn an_archive_that_does_not_exist_is_not_changed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let errors = [
        npz::Writer::append(&path).unwrap_err().to_string(),
        npz::Editor::open(&path).unwrap_err().to_string(),
    ];
    for error in errors {
        assert!(error.ends_with("; npz::Writer::create makes one"), "{error}");
    }
    assert!(names(directory.path()).is_empty());
}

/// Guards the type to write, which a program that fails with another one needs first.
#[test]
fn an_error_about_the_dtype_names_the_rust_type() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    [1.0f64].write_npy(&path).unwrap();
    let message = |result: Result<(), npy_core::Error>| result.unwrap_err().to_string();
    let of_list = message(npy_core::load::<Vec<f32>>(&path).map(drop));
    assert!(
        of_list.contains("; Vec<f64> reads it, and ReadOptions::new().cast(Cast::Checked)"),
        "{of_list}"
    );
    let of_text = message(npy_core::load::<Vec<npy_core::FixedStr<2>>>(&path).map(drop));
    assert!(of_text.contains("change the Rust type to Vec<f64>"), "{of_text}");
    1u16.write_npy(&path).unwrap();
    let of_one = message(npy_core::load::<i32>(&path).map(drop));
    assert!(of_one.contains("; u16 reads it, and"), "{of_one}");
    NpyArray::new(vec![1u16; 4], [2, 2]).unwrap().write_npy(&path).unwrap();
    let of_matrix = message(npy_core::load::<Vec<i32>>(&path).map(drop));
    assert!(
        of_matrix.contains("NpyArray<u16> reads it, and ReadOptions::new().cast"),
        "{of_matrix}"
    );
}

/// Guards against arrays of objects whose items would be addresses.
#[test]
fn python_objects_are_not_written() {
    struct Object;

    impl Element for Object {
        const SIZE: usize = 8;

        fn dtype() -> DType {
            "|O".parse().unwrap()
        }

        fn decode(_: &[u8]) -> Self {
            Object
        }

        fn encode(&self, _: &mut [u8]) -> Result<(), InvalidValue> {
            Ok(())
        }
    }

    let mut file = Vec::new();
    let error = [Object].write_npy_to(&mut file).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
    assert!(file.is_empty());
}

/// Guards a type's own byte order where its parts are strided in the file.
#[test]
fn a_stated_byte_order_stays_in_fortran_order() {
    use npy_core::{ByteOrder, NpyRecord, Reader, WriteOptions};

    #[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
    struct Big {
        #[npy(endian = "big")]
        x: u16,
        y: u16,
    }

    let pairs = [[Big { x: 1, y: 2 }; 3], [Big { x: 3, y: 4 }; 3]];
    let array = NpyArray::new(pairs.to_vec(), [2]).unwrap();
    for (order, y) in [(ByteOrder::Little, "<u2"), (ByteOrder::Big, ">u2")] {
        let mut file = Vec::new();
        let mut options = WriteOptions::new();
        options.order(Order::Fortran).byte_order(order).write_to(&mut file, &array).unwrap();
        let mut reader = Reader::new(&file[..]).unwrap();
        let descr = format!("[('x', '>u2'), ('y', '{y}')]");
        assert_eq!(reader.header().dtype().to_string(), descr);
        assert_eq!(reader.header().order(), Order::Fortran);
        assert_eq!(reader.read_vec::<[Big; 3]>().unwrap(), pairs);
    }
}

/// Guards relative paths: they lead to the same file after the process has changed its directory.
#[test]
fn a_process_may_move_while_it_writes() {
    let directory = tempfile::tempdir().unwrap();
    let child = npy_tests::again("files::child_that_moves")
        .current_dir(directory.path())
        .env("TMPDIR", "")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&[child.stdout, child.stderr].concat()).into_owned();
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!(names(directory.path()), ["elsewhere", "x.npz"]);
    assert_eq!(names(&directory.path().join("elsewhere")), [""; 0]);
}

/// Not a test of its own: a process that changes its directory.
#[test]
#[ignore = "started by `a_process_may_move_while_it_writes`"]
fn child_that_moves() {
    let mut writer = npz::Writer::create("x.npz").unwrap();
    fs::create_dir("elsewhere").unwrap();
    std::env::set_current_dir("elsewhere").unwrap();
    let mut rows = writer.start::<u64>("rows").unwrap();
    (0..500_000).for_each(|n| rows.push(&n).unwrap());
    rows.finish().unwrap();
    writer.finish().unwrap();
    let reader = npz::Reader::open("../x.npz").unwrap();
    assert!(reader.read::<Vec<u64>>("rows").unwrap().into_iter().eq(0..500_000));
    // An archive in memory, whose rows are spooled to a file without a name if the system has such files: here with an
    // empty `TMPDIR`.
    let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    let mut rows = writer.start::<u64>("rows").unwrap();
    (0..500_000).for_each(|n| rows.push(&n).unwrap());
    rows.finish().unwrap();
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// Guards symbolic links: the target is written, whether it exists or not, and the links stay.
    #[test]
    fn links_are_followed() {
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().join("inner");
        fs::create_dir(&inner).unwrap();
        symlink("inner/target.npy", directory.path().join("link.npy")).unwrap();
        symlink("link.npy", directory.path().join("link2.npy")).unwrap();
        for (path, values) in [("link2.npy", [1u8, 2]), ("link.npy", [3, 4])] {
            values.write_npy(directory.path().join(path)).unwrap();
            assert_eq!(Vec::<u8>::read_npy(inner.join("target.npy")).unwrap(), values);
            assert!(directory.path().join(path).is_symlink());
            assert_eq!(names(&inner), ["target.npy"]);
        }
        assert_eq!(names(directory.path()), ["inner", "link.npy", "link2.npy"]);
        // A link to itself is an error, not an endless loop.
        symlink("loop.npy", directory.path().join("loop.npy")).unwrap();
        assert!([1u8].write_npy(directory.path().join("loop.npy")).is_err());
    }

    #[test]
    fn permissions_stay() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.npy");
        [1u8].write_npy(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        [2u8].write_npy(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    /// Guards private files: while they are written, nobody else can read them either.
    #[test]
    fn a_private_file_stays_private_while_it_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.npz");
        fs::write(&path, []).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let mut writer = npz::Writer::create(&path).unwrap();
        writer.write("secret", &[1u8; 100_000]).unwrap();
        let mut files: Vec<_> =
            names(directory.path()).iter().map(|name| directory.path().join(name)).collect();
        // On most Linux file systems the new file has no name, and is found among the open files of this process.
        if cfg!(target_os = "linux") {
            let here = fs::canonicalize(directory.path()).unwrap();
            let open = fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap().path());
            let has_no_name = |fd: &PathBuf| {
                fs::read_link(fd).is_ok_and(|file| file.starts_with(&here) && !file.exists())
            };
            files.extend(open.filter(has_no_name));
        }
        assert_eq!(files.len(), 2, "the old file and the new one: {files:?}");
        for file in files {
            let mode = fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        }
    }
}
