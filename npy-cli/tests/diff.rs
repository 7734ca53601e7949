//! `npy diff`: members of archives, and named columns.

mod support;

use std::fs;
use std::path::Path;

use npy_core::npz;

use self::support::{code, npy, ok};

/// Guards that members of other kinds are compared, too, and that damaged ones are not equal to themselves.
#[test]
fn diff_compares_each_member() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (name, last) in [("a.npz", 3u8), ("b.npz", 4), ("c.npz", 3)] {
        let mut writer = npz::Writer::create(path.join(name)).unwrap();
        writer.write("x", &[1u8, 2, last]).unwrap();
        writer.write("same", &[0.5f32]).unwrap();
        writer.finish().unwrap();
    }
    ok(path, &["diff", "a.npz", "c.npz"]);
    let output = npy(path, &["diff", "a.npz", "b.npz"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("row 2, value: 3 → 4") && !text.contains("same"), "{text}");

    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/files");
    let file = |name: &str| corpus.join(name).to_str().unwrap().to_owned();
    let bad = file("reject/zip/r1934_zip_member_bad_version.npz");
    assert_eq!(code(path, &["diff", &bad, &bad]).0, 2);
    let text = file("valid/npz/v1220_npz_text_member.npz");
    assert_eq!(code(path, &["diff", &text, &text]).0, 0);
}

/// Guards that columns which two versions of a table share are compared, whatever other columns there are.
#[test]
fn diff_of_columns_compares_these_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (name, header, row) in [
        ("a.csv", "x,y", "1,2.5"),
        ("more.csv", "x,y,z", "1,2.5,7"),
        ("turned.csv", "y,x", "2.5,1"),
        ("other.csv", "x,y", "1.5,2.5"),
    ] {
        fs::write(path.join(name), format!("{header}\n{row}\n")).unwrap();
        ok(path, &["convert", name, &name.replace("csv", "npy")]);
    }
    for (columns, other, equal) in [
        ("x", "more.npy", true),
        ("x,y", "more.npy", true),
        ("x", "turned.npy", true),
        ("y", "other.npy", true),
        ("x", "other.npy", false),
    ] {
        let output = npy(path, &["diff", "a.npy", other, "-c", columns]);
        assert_eq!(output.status.success(), equal, "{columns} {other}: {output:?}");
    }
    let output = npy(path, &["diff", "a.npy", "other.npy", "-c", "x"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("dtype: x <i8 → x <f8"), "{text}");
    assert!(text.contains("row 0, x: 1 → 1.5"), "{text}");
    assert_eq!(code(path, &["diff", "a.npy", "more.npy", "-c", "z"]).0, 2);
}

/// Guards that a copy of narrower numbers can be compared by a tolerance.
#[test]
fn diff_of_values_takes_other_dtypes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    npy_core::save(path.join("a.npy"), &[0.1f64, 2.0]).unwrap();
    npy_core::save(path.join("b.npy"), &[0.1f32, 2.0]).unwrap();
    npy_core::save(path.join("c.npy"), &[0.1f32, 2.5]).unwrap();
    let output = npy(path, &["diff", "a.npy", "b.npy", "--rtol", "1e-6"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("dtype: <f8 → <f4") && text.contains("--values"), "{text}");
    ok(path, &["diff", "a.npy", "b.npy", "--rtol", "1e-6", "--values"]);
    assert_eq!(code(path, &["diff", "a.npy", "b.npy", "--values"]).0, 1);
    assert_eq!(code(path, &["diff", "a.npy", "c.npy", "--rtol", "1e-6", "--values"]).0, 1);
    for (name, header) in [("x.csv", "x"), ("y.csv", "y")] {
        fs::write(path.join(name), format!("{header},k\n1,2\n")).unwrap();
        ok(path, &["convert", name, &name.replace("csv", "npy")]);
    }
    assert_eq!(code(path, &["diff", "x.npy", "y.npy", "--values"]).0, 1);
}

/// Guards the last line about arrays of different shapes: it promises nothing that `--values` does not do.
#[test]
fn diff_of_other_shapes_says_what_was_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    npy_core::save(path.join("a.npy"), &[1.0f64, 2.0]).unwrap();
    npy_core::save(path.join("b.npy"), &[[1.0f64, 2.0]]).unwrap();
    npy_core::save(path.join("c.npy"), &[1.0f32, 2.0, 3.0]).unwrap();
    npy_core::save(path.join("d.npy"), &[[1.0f64], [2.0]]).unwrap();
    let in_common = "no value differs in the rows and columns that both have\n";
    for (one, other, last) in [
        ("a.npy", "b.npy", "no value was compared: there is no column that both have\n"),
        ("a.npy", "c.npy", in_common),
        ("b.npy", "d.npy", in_common),
    ] {
        for values in [&[][..], &["--values"]] {
            let output = npy(path, &[&["diff", one, other], values].concat());
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.ends_with(last), "{text}");
            assert_eq!(output.status.code(), Some(1));
        }
    }
}
