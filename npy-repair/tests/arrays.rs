//! Damaged arrays: what is kept, what is refused, and that nothing is changed in place.

use std::fs;
use std::path::{Path, PathBuf};

use npy_core::{Header, NpyArray, Order, UncountedRows, WriteNpy};
use npy_repair::{Damage, Error, Options, Plan, Raw, Uncounted, diagnose};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn diagnose(&self, bytes: &[u8], options: &Options) -> Result<Plan, Error> {
        let path = self.path("x.npy");
        fs::write(&path, bytes).unwrap();
        diagnose(path, options)
    }

    fn error(&self, bytes: &[u8]) -> String {
        match self.diagnose(bytes, &Options::new()) {
            Err(
                error @ (Error::Unrepairable { .. }
                | Error::LostHeader { .. }
                | Error::NotArray { .. }),
            ) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// Writes the repaired file, and returns it.
    fn repaired(&self, plan: &Plan) -> NpyArray<u16> {
        let out = self.path("out.npy");
        plan.write(&out).unwrap();
        npy_core::load(out).unwrap()
    }
}

fn file(shape: &[usize], order: Order) -> Vec<u8> {
    let count: usize = shape.iter().product();
    let values: Vec<u16> = (0..count).map(|n| u16::try_from(n).unwrap()).collect();
    let mut bytes = Vec::new();
    NpyArray::with_order(values, shape, order).unwrap().write_npy_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn complete_rows_are_kept_at_each_length() {
    let folder = Folder::new();
    let complete = file(&[4, 3], Order::C);
    for length in 128..complete.len() {
        let result = folder.diagnose(&complete[..length], &Options::new());
        let rows = (length - 128) / 6;
        if rows == 0 {
            assert!(result.unwrap_err().to_string().contains("not one complete row"));
            continue;
        }
        let array = folder.repaired(&result.unwrap());
        assert_eq!(array.shape(), [rows, 3]);
        assert!(array.iter().copied().eq(0..u16::try_from(3 * rows).unwrap()));
    }
}

/// Guards arrays in Fortran order, whose rows are strided: all of them lack the same columns.
#[test]
fn in_fortran_order_complete_columns_are_kept() {
    let folder = Folder::new();
    let complete = file(&[4, 3], Order::Fortran);
    let plan = folder.diagnose(&complete[..complete.len() - 3], &Options::new()).unwrap();
    assert!(matches!(
        plan.damages(),
        [Damage::Truncated { stated: 3, kept: 2, axis: 1, rest: 5, .. }]
    ));
    let array = folder.repaired(&plan);
    assert_eq!((array.shape(), array.at(&[3, 1])), (&[4, 2][..], Some(&7)));
}

#[test]
fn rows_that_are_not_counted_are_kept_on_request() {
    let folder = Folder::new();
    let mut bytes = file(&[2, 3], Order::C);
    bytes.extend([9, 0, 9, 0, 9, 0, 9, 0]);
    let plan = folder.diagnose(&bytes, &Options::new()).unwrap();
    assert!(!plan.is_needed());
    assert_eq!(
        plan.remarks(),
        ["8 bytes after the array: 1 row that the header does not count, if a writer was stopped"]
    );
    let plan = folder.diagnose(&bytes, Options::new().uncounted_rows(UncountedRows::Keep)).unwrap();
    assert_eq!(plan.damages(), [Damage::Uncounted(Uncounted { rows: 1, rest: 2, axis: 0 })]);
    assert_eq!(folder.repaired(&plan).shape(), [3, 3]);
    // With another damage, they stay after the array.
    bytes[6] = 0;
    let plan = folder.diagnose(&bytes, &Options::new()).unwrap();
    plan.write(folder.path("out.npy")).unwrap();
    assert!(fs::read(folder.path("out.npy")).unwrap().ends_with(&bytes[128..]));
}

/// Guards parts along the last dimension, which messages do not call rows, and rows of one element, which grow along the first in both orders.
#[test]
fn in_fortran_order_columns_are_counted() {
    let folder = Folder::new();
    let cases: [(&[usize], &str, &[usize]); 5] = [
        (&[2, 3], "1 column", &[2, 4]),
        (&[1, 2, 2], "2 parts along the last dimension", &[1, 2, 4]),
        (&[2, 1], "4 rows", &[6, 1]),
        (&[2, 1, 1], "4 rows", &[6, 1, 1]),
        (&[2], "4 rows", &[6]),
    ];
    for (shape, more, grown) in cases {
        let mut bytes = file(shape, Order::Fortran);
        let size = if shape == [2, 3] { 4 } else { 8 };
        bytes.resize(bytes.len() + size, 9);
        let plan = folder.diagnose(&bytes, &Options::new()).unwrap();
        let remark = format!("{size} bytes after the array: {more} that the header does not count");
        assert!(plan.remarks()[0].starts_with(&remark), "{plan}");
        let plan =
            folder.diagnose(&bytes, Options::new().uncounted_rows(UncountedRows::Keep)).unwrap();
        let damage = plan.damages()[0].to_string();
        assert!(damage.starts_with(&format!("{more} after the array")), "{damage}");
        assert_eq!(folder.repaired(&plan).shape(), grown);
    }
}

/// Guards two arrays in one file, as `np.save` writes them into an open file: the second one is not rows of the first.
#[test]
fn another_array_is_not_counted_as_rows() {
    let folder = Folder::new();
    let bytes = [file(&[2, 3], Order::C), file(&[4], Order::C)].concat();
    let plan = folder.diagnose(&bytes, Options::new().uncounted_rows(UncountedRows::Keep)).unwrap();
    assert!(!plan.is_needed());
    assert!(plan.remarks()[0].ends_with("after the array, which begin another array"), "{plan}");
    let plan =
        folder.diagnose(&bytes, Options::new().uncounted_rows(UncountedRows::Remove)).unwrap();
    assert_eq!(plan.remarks(), ["the bytes that are left out begin another array"]);
}

/// Guards translations that lose bytes, or that may not be what happened.
#[test]
fn only_an_exact_translation_is_undone() {
    let folder = Folder::new();
    let right = file(&[300], Order::C);
    let text = |bytes: &[u8]| {
        let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
        lines.join(&b"\r\n"[..])
    };
    let translated = text(&right);
    let plan = folder.diagnose(&translated, &Options::new()).unwrap();
    assert!(matches!(plan.damages(), [Damage::LineEnds { count: 3.. }]));
    assert!(folder.repaired(&plan).iter().copied().eq(0..300));
    let error = folder.error(&translated[..translated.len() - 1]);
    assert!(error.contains("the file would have 727 bytes, and its header states 728"), "{error}");
    let mut mixed = translated.clone();
    mixed.extend(b"\n");
    assert!(folder.error(&mixed).contains("1 \\n are without \\r"));
    let old: Vec<u8> = right.iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect();
    assert!(folder.error(&old).contains("ends with \\r"));
    // A program that leaves `\r\n` as it is: with one such pair in the data, a byte would be missing.
    let pair = [&right[..128], b"\r\n", &right[130..]].concat();
    let once = text(&pair).windows(3).position(|bytes| bytes == b"\r\r\n").unwrap();
    let mut kept = text(&pair);
    kept.remove(once);
    assert!(folder.error(&kept).contains("its header states 728"));
    let replaced = String::from_utf8_lossy(&right).into_owned();
    assert!(folder.error(replaced.as_bytes()).contains("U+FFFD"));
}

#[test]
fn raw_data_must_fit_its_shape() {
    let folder = Folder::new();
    let bytes = [1, 0, 2, 0, 3, 0];
    let raw = |shape: &[i64]| {
        let mut options = Options::new();
        options.raw(Raw::new("<u2".parse().unwrap(), shape));
        folder.diagnose(&bytes, &options).map(|plan| folder.repaired(&plan).shape().to_vec())
    };
    for (shape, expected) in [
        (&[-1][..], &[3][..]),
        (&[3], &[3]),
        (&[1, -1], &[1, 3]),
        (&[-1, 3], &[1, 3]),
        (&[-1, 2], &[1, 2]),
    ] {
        assert_eq!(raw(shape).unwrap(), expected);
    }
    for (shape, part) in [
        (&[2, -1][..], "a row 4: 2 are left over"),
        (&[-1, 4], "a row 8: 6 are left over"),
        (&[2], "and the array 4"),
        (&[-1, -1], "only one dimension"),
        (&[-2], "must be -1, 0 or more"),
        (&[-1, 0], "a row has no bytes"),
        (&[i64::MAX, i64::MAX], "a size of a file"),
    ] {
        let error = raw(shape).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let mut options = Options::new();
    options.raw(Raw::new("<u2".parse().unwrap(), &[-1]));
    let error = folder.diagnose(&file(&[3], Order::C), &options).unwrap_err().to_string();
    assert!(error.contains("the file has a header"), "{error}");
}

/// Guards raw data after a header whose first bytes are lost: the rest of it is no data, unless the stated array has all bytes.
#[test]
fn a_lost_header_is_left_out_of_raw_data() {
    let folder = Folder::new();
    let mut bytes = file(&[2, 3], Order::C);
    bytes[..40].fill(0);
    let raw = |bytes: &[u8], dtype: &str, shape: &[i64]| {
        let mut options = Options::new();
        options.raw(Raw::new(dtype.parse().unwrap(), shape));
        folder.diagnose(bytes, &options)
    };
    for (shape, expected, lost) in [
        (&[2, 3][..], &[2, 3][..], 0),
        (&[-1, 3], &[2, 3], 0),
        (&[-1], &[6], 0),
        (&[-1, 4], &[1, 4], 4),
    ] {
        let plan = raw(&bytes, "<u2", shape).unwrap();
        assert_eq!(folder.repaired(&plan).shape(), expected);
        let is_left_out = |damage: &Damage| matches!(damage, Damage::LostHeader { bytes: 128, rest, .. } if *rest == lost);
        assert!(plan.damages().iter().all(is_left_out), "{plan}");
    }
    let plan = raw(&bytes, "u1", &[140]).unwrap();
    assert!(matches!(plan.damages(), [Damage::NoHeader { .. }]), "{plan}");
    let error = raw(&bytes, "<u2", &[2, 4]).unwrap_err().to_string();
    assert!(error.contains("without the first 128 bytes, a damaged header, "), "{error}");
    // Without a key, blanks and a line end are a header only if the size says so.
    bytes[..100].fill(0);
    for (shape, is_left_out) in
        [(&[2, 3][..], true), (&[-1, 3], true), (&[-1], false), (&[-1, 4], false)]
    {
        let plan = raw(&bytes, "<u2", shape).unwrap();
        let is_found = matches!(plan.damages(), [Damage::LostHeader { bytes: 128, .. }]);
        assert_eq!(is_found, is_left_out, "{plan}");
    }
    let records = [[7; 7].as_slice(), &[b' '; 8], b"\n"].concat().repeat(5);
    let plan = raw(&records, "<i8", &[-1]).unwrap();
    assert!(matches!(plan.damages(), [Damage::NoHeader { .. }]), "{plan}");
    bytes[..128].fill(0);
    let error = raw(&bytes, "<u2", &[2, 3]).unwrap_err().to_string();
    assert!(
        error.contains("or cut off 128 if they are a header or come after the data"),
        "{error}"
    );
}

/// Guards the damaged file: neither its own name nor a link to it is written.
#[test]
fn the_damaged_file_is_never_replaced() {
    let folder = Folder::new();
    let complete = file(&[4, 3], Order::C);
    let bytes = &complete[..complete.len() - 1];
    let plan = folder.diagnose(bytes, &Options::new()).unwrap();
    let same = |path: &Path| matches!(plan.write(path), Err(Error::SameFile));
    assert!(same(&folder.path("x.npy")));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("x.npy", folder.path("link.npy")).unwrap();
        assert!(same(&folder.path("link.npy")));
    }
    assert!(fs::read(folder.path("x.npy")).unwrap() == bytes);
    fs::write(folder.path("x.npy"), b"other").unwrap();
    assert!(matches!(plan.write(folder.path("out.npy")), Err(Error::Changed)));
    assert!(!folder.path("out.npy").exists());
}

/// Guards objects of protocol 0, which take less than eight bytes each, after a header with blanks after its line.
#[test]
fn small_objects_need_no_repair() {
    let folder = Folder::new();
    let line = "{'descr': '|O', 'fortran_order': False, 'shape': (200,), }\n";
    let header = format!("{line:118}");
    let pickle = "cnumpy._core.multiarray\n_reconstruct\np0\n(cnumpy\nndarray\np1\n(I0\ntp2\nc_codecs\nencode\np3\n(Vb\np4\nVlatin1\np5\ntp6\nRp7\ntp8\nRp9\n(I1\n(I200\ntp10\ncnumpy\ndtype\np11\n(VO8\np12\nI00\nI01\ntp13\nRp14\n(I3\nV|\np15\nNNNI-1\nI-1\nI63\ntp16\nbI00\n(lp17\n";
    let objects = "Na".repeat(200);
    let bytes =
        [&b"\x93NUMPY\x01\0v\0"[..], header.as_bytes(), pickle.as_bytes(), objects.as_bytes()];
    let right = [&bytes.concat()[..], b"tp18\nb."].concat();
    let plan = folder.diagnose(&right, &Options::new()).unwrap();
    assert!(!plan.is_needed(), "{plan}");
    let error = folder.error(&right[..right.len() - 1]);
    assert!(error.starts_with("the pickle of its Python objects is damaged"), "{error}");
}

/// Guards files of a foreign writer, which are right although they are unusual.
#[test]
fn unusual_files_need_no_repair() {
    let folder = Folder::new();
    let header = "{'descr': '<u2', 'fortran_order': False, 'shape': (2,)}";
    let length = [u8::try_from(header.len()).unwrap(), 0];
    for data in [[1, 2, 3, 4], [b' ', b'\n', b'\n', 0], [b'\n', 0, 0, 0]] {
        let bytes = [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), &data].concat();
        let plan = folder.diagnose(&bytes, &Options::new()).unwrap();
        assert!(!plan.is_needed(), "{plan}");
    }
    let big = Header::new("<u2".parse().unwrap(), [0, 7], Order::C).unwrap().to_bytes().unwrap();
    assert!(!folder.diagnose(&big, &Options::new()).unwrap().is_needed());
}

/// Guards the advice for files of other formats, which are neither damaged arrays nor data without a header.
#[test]
fn another_format_is_named() {
    let folder = Folder::new();
    for (start, part) in [
        (&b"version https://git-lfs.github.com/spec/v1\noid sha256:4d\n"[..], "git lfs pull"),
        (b"<!DOCTYPE html><html>", "it is a web page"),
        (b"\r\n<html>", "it is a web page"),
        (b"\x1f\x8b\x08\0", "it is compressed with gzip"),
        (b"\x80\x04\x95\n\0\0\0\0", "it is a Python pickle"),
        (b"1,2\n", "if it is data without a header"),
        (&[0; 100], "if it is data without a header"),
    ] {
        let error = folder.error(start);
        assert!(error.contains(part), "{error}");
    }
}
