//! Commands that read values: what `stats`, `diff` and `verify` say about them.

use std::path::Path;
use std::process::{Command, Output};

use npy_core::{DType, DynArray, Order, WriteNpy};

/// Runs the command in a directory.
fn npy(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap()
}

/// Runs the command, and returns its exit code, its output and its messages.
fn run(directory: &Path, args: &[&str]) -> (i32, String, String) {
    let output = npy(directory, args);
    let [out, messages] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code().unwrap(), out, messages)
}

/// Writes an array of one dimension.
fn write(path: &Path, dtype: &str, rows: usize, bytes: &[u8]) {
    let dtype: DType = dtype.parse().unwrap();
    DynArray::new(dtype, [rows], Order::C, bytes.to_vec()).unwrap().write_npy(path).unwrap();
}

#[test]
fn stats_counts_distinct_bytes_and_texts_without_characters() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(&path.join("v.npy"), "|V4", 3, b"abcdefghabcd");
    let (_, out, _) = run(path, &["stats", "--json", "v.npy"]);
    assert!(out.ends_with("\"count\":3,\"missing\":0,\"distinct\":2}\n"), "{out}");
    write(&path.join("u.npy"), "[('empty', '<U0'), ('n', '|u1')]", 3, &[7, 8, 9]);
    let (_, out, _) = run(path, &["stats", "--json", "u.npy"]);
    assert!(out.contains("\"count\":3,\"missing\":0,\"distinct\":1}\n"), "{out}");
    write(&path.join("none.npy"), "|V4", 0, b"");
    let (_, out, _) = run(path, &["stats", "--json", "none.npy"]);
    assert!(out.ends_with("\"count\":0,\"missing\":0}\n"), "{out}");
}

/// Guards that only the dtype of equal times differs, as in NumPy; and that a time between two others does not become one of them.
#[test]
fn diff_compares_times_of_different_units() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let counts = |counts: &[i64]| counts.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    write(&path.join("d.npy"), "<M8[D]", 3, &counts(&[18_262, -1, i64::MIN]));
    write(&path.join("s.npy"), "<M8[s]", 3, &counts(&[18_262 * 86_400, -86_400, i64::MIN]));
    write(&path.join("h.npy"), "<M8[h]", 3, &counts(&[18_262 * 24, -23, i64::MIN]));
    for (a, b) in [("d.npy", "s.npy"), ("s.npy", "d.npy")] {
        let (exit, out, _) = run(path, &["diff", "--equal-nan", a, b]);
        assert_eq!((exit, out.lines().count()), (1, 3), "{out}");
        assert!(out.contains("dtype: "), "{out}");
        // Not a time differs from itself.
        let (_, out, _) = run(path, &["diff", a, b]);
        assert!(out.ends_with("row 2, value: NaT → NaT\n1 of 3 rows differ\n"), "{out}");
    }
    let (_, out, _) = run(path, &["diff", "--equal-nan", "d.npy", "h.npy"]);
    assert!(
        out.ends_with("row 1, value: 1969-12-31 → 1969-12-31T01\n1 of 3 rows differ\n"),
        "{out}"
    );
    write(&path.join("minutes.npy"), "<m8[m]", 2, &counts(&[1, 2]));
    write(&path.join("seconds.npy"), "<m8[s]", 2, &counts(&[60, 121]));
    let (_, out, _) = run(path, &["diff", "minutes.npy", "seconds.npy"]);
    assert!(out.ends_with("row 1, value: 2 minutes → 121 seconds\n1 of 2 rows differ\n"), "{out}");
}

/// Guards against a tolerance by which all numbers are equal.
#[test]
fn diff_refuses_tolerances_that_are_no_distance() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1.0f64].write_npy(path.join("a.npy")).unwrap();
    [1.1f64].write_npy(path.join("b.npy")).unwrap();
    for option in ["--rtol", "--atol"] {
        for tolerance in ["nan", "inf", "-1", "x"] {
            let (exit, _, message) = run(path, &["diff", "a.npy", "b.npy", option, tolerance]);
            assert_eq!(exit, 2, "{message}");
            assert!(message.contains("finite and not negative, such as 1e-6"), "{message}");
        }
        assert_eq!(run(path, &["diff", "a.npy", "b.npy", option, "0.2"]).0, 0);
    }
}
