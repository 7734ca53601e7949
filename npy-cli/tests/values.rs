//! Commands that read values: what `stats`, `diff` and `verify` say about them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use npy_core::{DType, DynArray, NpyArray, Order, WriteNpy, npz, object};

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
        let (exit, out, _) = run(path, &["diff", a, b]);
        assert_eq!((exit, out.lines().count()), (1, 4), "{out}");
        assert!(out.contains("dtype: "), "{out}");
        // Not a time differs from itself.
        let (_, out, _) = run(path, &["diff", a, b, "--nan-differs"]);
        assert!(out.ends_with("row 2, value: NaT → NaT\n1 of 3 rows differ\n"), "{out}");
    }
    let (_, out, _) = run(path, &["diff", "d.npy", "h.npy"]);
    assert!(
        out.ends_with("row 1, value: 1969-12-31 → 1969-12-31T01\n1 of 3 rows differ\n"),
        "{out}"
    );
    write(&path.join("minutes.npy"), "<m8[m]", 2, &counts(&[1, 2]));
    write(&path.join("seconds.npy"), "<m8[s]", 2, &counts(&[60, 121]));
    let (_, out, _) = run(path, &["diff", "minutes.npy", "seconds.npy"]);
    assert!(out.ends_with("row 1, value: 2 minutes → 121 seconds\n1 of 2 rows differ\n"), "{out}");
    // Tolerances are for numbers.
    for (other, said) in [
        (
            "seconds.npy",
            "note: minutes.npy: times and spans of time are compared exactly; --rtol and --atol are for numbers\n",
        ),
        ("minutes.npy", ""),
    ] {
        let (_, _, message) = run(path, &["diff", "minutes.npy", other, "--atol", "2"]);
        assert_eq!(message, said);
    }
}

/// Guards that NaN and "not a time" are equal to themselves among numbers and among objects, unless the option says otherwise; and that
/// the rows and the columns of objects are compared as those of numbers are.
#[test]
fn nan_is_equal_to_nan_unless_the_option_says_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1.0, f64::NAN].write_npy(path.join("f8.npy")).unwrap();
    write(&path.join("nat.npy"), "<m8[s]", 1, &i64::MIN.to_le_bytes());
    object::save(path.join("o.npy"), &vec![Some(f64::NAN), None, Some(1.5)]).unwrap();
    for (file, differs) in [("f8.npy", 1), ("nat.npy", 1), ("o.npy", 1)] {
        assert_eq!(run(path, &["diff", file, file]).0, 0, "{file}");
        let (exit, out, _) = run(path, &["diff", file, file, "--nan-differs"]);
        assert_eq!((exit, out.matches("row ").count()), (1, differs), "{out}");
    }
    object::save(path.join("p.npy"), &vec![Some(f64::NAN), None, Some(1.25)]).unwrap();
    let (exit, out, _) = run(path, &["diff", "o.npy", "p.npy"]);
    assert!(exit == 1 && out.contains("row 2, value: 1.5 → 1.25\n"), "{out}");
    assert!(out.ends_with("the largest difference is 0.25, in row 2, value\n"), "{out}");
    assert_eq!(run(path, &["diff", "o.npy", "p.npy", "--atol", "0.25"]).0, 0);
    assert_eq!(run(path, &["diff", "o.npy[:2]", "p.npy[:2]"]).0, 0);
}

/// Guards that the largest difference is infinite where an infinite number differs, and that a NaN is named where it leaves it out.
#[test]
fn diff_names_infinite_differences_and_nan() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for (a, b, last) in [
        ([1.0, inf, 1.0], [1.5, 2.0, 1.0], "; the largest difference is inf, in row 1, value"),
        ([inf, 1.0, 1.0], [-inf, 1.0, 2.0], "; the largest difference is inf, in row 0, value"),
        ([1e308, 1.0, 1.0], [-1e308, 1.0, 2.0], "; the largest difference is inf, in row 0, value"),
        (
            [1.0, nan, 1.0],
            [1.5, 2.0, 1.0],
            "; the largest difference is 0.5, in row 0, value; 1 value is NaN in one array alone, and has no difference",
        ),
        (
            [1.0, nan, inf],
            [1.0, 2.0, nan],
            "2 of 3 rows differ; 2 values are NaN in one array alone, and have no difference",
        ),
    ] {
        a.write_npy(path.join("a.npy")).unwrap();
        b.write_npy(path.join("b.npy")).unwrap();
        let (exit, out, _) = run(path, &["diff", "a.npy", "b.npy"]);
        assert!(exit == 1 && out.ends_with(&format!("{last}\n")), "{out}");
    }
    let (_, out, _) = run(path, &["diff", "a.npy", "b.npy", "--json"]);
    assert!(out.contains("\"largest_difference\":null,\"nan_in_one\":2,"), "{out}");
}

/// Guards that numbers are compared as what they are: integers beyond 53 bits with floats, zeros of long doubles, and objects of every kind.
#[test]
fn diff_compares_numbers_of_different_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    vec![(1i64 << 53) + 1].write_npy(path.join("i8.npy")).unwrap();
    vec![(1u64 << 53) as f64].write_npy(path.join("f8.npy")).unwrap();
    let (_, out, _) = run(path, &["diff", "i8.npy", "f8.npy"]);
    assert!(out.ends_with("the largest difference is 1.0, in row 0, value\n"), "{out}");
    let mut zero = [0; 16];
    write(&path.join("zero.npy"), "<f16", 1, &zero);
    (zero[9], zero[15]) = (0x80, 7);
    write(&path.join("other.npy"), "<f16", 1, &zero);
    assert_eq!(run(path, &["diff", "zero.npy", "other.npy"]).0, 0);
    // 80 bits: a sign, an exponent with a bias of 16383, and a significand whose highest bit is the units.
    let long = |exponent: u16, significand: u64| {
        [&significand.to_le_bytes()[..], &exponent.to_le_bytes(), &[0; 6]].concat()
    };
    let (units, half) = (0x3fff + 63, 1 << 63);
    let numbers = [long(units, half), long(units, half + 1)].concat();
    write(&path.join("long.npy"), "<f16", 2, &numbers);
    vec![1u64 << 63, (1 << 63) + 1].write_npy(path.join("u8.npy")).unwrap();
    let (_, out, _) = run(path, &["diff", "long.npy", "u8.npy"]);
    assert!(out.contains("dtype: <f16 → <u8\nno value differs"), "{out}");
    vec![(1u64 << 63) as f64; 2].write_npy(path.join("rounded.npy")).unwrap();
    let (_, out, _) = run(path, &["diff", "long.npy", "rounded.npy"]);
    assert!(out.contains("1 of 2 rows differ; the largest difference is 1.0, in row 1"), "{out}");
    let (_, out, _) = run(path, &["diff", "long.npy", "rounded.npy", "--atol", "1"]);
    assert!(out.contains("dtype: <f16 → <f8\nno value differs"), "{out}");
    // 0.5, the next number of 80 bits, -3, and a number with a fraction that no f8 has.
    let numbers = [
        long(0x3ffe, half),
        long(0x3ffe, half + 1),
        long(0xc000, 3 << 62),
        long(units - 1, half + 1),
    ];
    write(&path.join("long.npy"), "<f16", 4, &numbers.concat());
    [0.5, 0.5, -3.0, (1u64 << 62) as f64].write_npy(path.join("rounded.npy")).unwrap();
    let (_, out, _) = run(path, &["diff", "long.npy", "rounded.npy"]);
    assert!(out.contains("2 of 4 rows differ"), "{out}");
    assert!(out.contains("row 1, value") && out.contains("row 3, value"), "{out}");
    let (_, out, _) = run(path, &["diff", "long.npy", "rounded.npy", "--rtol", "1e-9"]);
    assert!(out.contains("dtype: <f16 → <f8\nno value differs"), "{out}");
    object::save(path.join("o.npy"), &serde_json::json!([true, 2, 3.5])).unwrap();
    object::save(path.join("p.npy"), &serde_json::json!([1, 2.0, 3.25])).unwrap();
    let (_, out, _) = run(path, &["diff", "o.npy", "p.npy"]);
    assert!(
        out.ends_with("1 of 3 rows differ; the largest difference is 0.25, in row 2, value\n"),
        "{out}"
    );
}

/// Guards that the two sides of a difference are never printed alike.
#[test]
fn differing_floats_have_enough_digits_to_differ() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [0.1f32].write_npy(path.join("f4.npy")).unwrap();
    [0.1f64].write_npy(path.join("f8.npy")).unwrap();
    let (exit, out, _) = run(path, &["diff", "f4.npy", "f8.npy"]);
    assert_eq!(exit, 1);
    assert!(out.contains("row 0, value: 0.10000000149011612 → 0.1\n"), "{out}");
    // The two nearest numbers of 80 bits.
    for (name, last) in [("a.npy", 0u8), ("b.npy", 1)] {
        let mut bytes = [0; 16];
        (bytes[0], bytes[7], bytes[8], bytes[9]) = (last, 0x80, 0xff, 0x3f);
        write(&path.join(name), "<f16", 1, &bytes);
    }
    let (exit, out, _) = run(path, &["diff", "a.npy", "b.npy"]);
    let line = out.lines().find_map(|line| line.strip_prefix("row 0, value: ")).unwrap();
    let (a, b) = line.split_once(" → ").unwrap();
    assert!(exit == 1 && a != b, "{out}");
    assert_eq!(run(path, &["diff", "a.npy", "a.npy"]).0, 0);
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

/// Guards that `info` and `verify` say which bytes nobody reads, and that `verify -q` prints problems alone.
#[test]
fn bytes_after_an_array_or_an_archive_are_remarks() {
    const UNCOUNTED: &str = " that the header does not count, if a writer was stopped; npy append x.npy --uncounted keep";
    const REMOVE: &str = "; bytes may have been inserted before them, or the dtype may lack a field; if the last values are right, npy append x.npy --uncounted remove removes all bytes after the array";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (bytes, size, remark) in [
        (1, "16 bytes; 1 byte follows the array", format!("1 byte follows the array{REMOVE}")),
        (
            9,
            "16 bytes; 9 bytes follow the array",
            format!("9 bytes follow the array: 1 row{UNCOUNTED} counts it{REMOVE}"),
        ),
        (
            16,
            "16 bytes; 16 bytes follow the array",
            format!("16 bytes follow the array: 2 rows{UNCOUNTED} counts them"),
        ),
    ] {
        let mut file = Vec::new();
        [1.0f64, 2.0].write_npy_to(&mut file).unwrap();
        file.resize(file.len() + bytes, b'x');
        fs::write(path.join("x.npy"), file).unwrap();
        let (exit, out, _) = run(path, &["info", "x.npy"]);
        assert_eq!((exit, out.contains(&format!("  size     {size}\n"))), (0, true), "{out}");
        let (_, out, _) = run(path, &["info", "--json", "x.npy"]);
        assert!(out.contains(&format!(",\"bytes_after\":{bytes}}}")), "{out}");
        let (exit, out, _) = run(path, &["verify", "x.npy"]);
        assert_eq!((exit, out.contains(&format!("x.npy: ok; {remark}\n"))), (0, true), "{out}");
        assert_eq!(run(path, &["verify", "-q", "x.npy"]), (0, String::new(), String::new()));
    }
    // Also of a file that fails: text of a number that is not a character.
    let mut file = Vec::new();
    let text = 0x11_0000u32.to_le_bytes().to_vec();
    DynArray::new("<U1".parse().unwrap(), [1], Order::C, text)
        .unwrap()
        .write_npy_to(&mut file)
        .unwrap();
    file.push(b'x');
    fs::write(path.join("x.npy"), file).unwrap();
    let (exit, out, _) = run(path, &["verify", "x.npy"]);
    assert_eq!((exit, out.lines().count()), (1, 2), "{out}");
    assert!(out.ends_with(&format!("x.npy: 1 byte follows the array{REMOVE}\n")), "{out}");
    assert_eq!(run(path, &["append", "x.npy", "--uncounted", "remove"]).0, 0);
    assert_eq!(fs::metadata(path.join("x.npy")).unwrap().len(), 128 + 4);
    // No row is added to an array without dimensions.
    let mut file = Vec::new();
    1.5f64.write_npy_to(&mut file).unwrap();
    fs::write(path.join("x.npy"), [&file[..], &[0; 8]].concat()).unwrap();
    let repair = REMOVE
        .replace("append x.npy --uncounted remove", "repair x.npy --uncounted remove -o OUT --yes");
    assert_eq!(
        run(path, &["verify", "x.npy"]).1,
        format!("x.npy: ok; 8 bytes follow the array{repair}\n")
    );
    // A blank was added to the header: the last byte of the data is not to be removed.
    let mut file = Vec::new();
    [1.5f64].write_npy_to(&mut file).unwrap();
    file.insert(100, b' ');
    fs::write(path.join("x.npy"), file).unwrap();
    let (exit, out, _) = run(path, &["verify", "x.npy"]);
    assert!(exit == 1 && !out.contains("--uncounted"), "{out}");
    assert!(out.ends_with("npy repair x.npy says where its data may begin\n"), "{out}");
    let (exit, _, message) = run(path, &["repair", "x.npy"]);
    assert!(exit == 2 && message.contains("tail -c +130 x.npy"), "{message}");
    npz::Writer::create(path.join("x.npz")).unwrap().finish().unwrap();
    let archive = fs::read(path.join("x.npz")).unwrap();
    let mut commented = archive.clone();
    *commented.iter_mut().nth_back(1).unwrap() = 2;
    commented.extend(b"hi");
    let rest = [&commented[..], b"rubbish"].concat();
    for (file, expected) in [
        (&archive, "x.npz: ok\n"),
        (&commented, "x.npz: ok\n"),
        (&rest, "x.npz: ok; 7 bytes follow the archive\n"),
    ] {
        fs::write(path.join("x.npz"), file).unwrap();
        assert_eq!(run(path, &["verify", "x.npz"]), (0, expected.to_owned(), String::new()));
    }
}

/// Guards text that cannot be a `str` of Python (an error), or cannot be written as UTF-8 (a remark).
#[test]
fn verify_finds_numbers_in_text_that_are_no_characters() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text =
        |numbers: [u32; 4]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    for (numbers, exit, expected) in [
        ([0x41, 0x10_ffff, 0xd7ff, 0], 0, "ok\n"),
        ([0x41, 0, 0xd800, 0], 0, "ok; row 1: the text has 0xd800, half of a surrogate pair"),
        ([0x41, 0x11_0000, 0, 0], 1, "FAILED: row 0: the text has the number 0x110000"),
    ] {
        let bytes = text(numbers);
        let big: Vec<u8> = numbers.iter().flat_map(|n| n.to_be_bytes()).collect();
        write(&path.join("u.npy"), "<U2", 2, &bytes);
        write(&path.join("big.npy"), "[('a', '>U1', (2,))]", 2, &big);
        for file in ["u.npy", "big.npy"] {
            let (code, out, _) = run(path, &["verify", file]);
            assert_eq!(code, exit, "{out}");
            assert!(out.starts_with(&format!("{file}: {expected}")), "{out}");
        }
        let mut archive = npz::Writer::create(path.join("u.npz")).unwrap();
        let dtype = "<U2".parse().unwrap();
        archive.write("u", &DynArray::new(dtype, [2], Order::C, bytes).unwrap()).unwrap();
        archive.finish().unwrap();
        let (code, out, _) = run(path, &["verify", "u.npz"]);
        let expected = expected.replace("row", "member \"u\": row");
        assert_eq!(code, exit, "{out}");
        assert!(out.starts_with(&format!("u.npz: {expected}")), "{out}");
    }
}

/// Guards that a table counts the columns that it does not show, also of a slice and beyond those that it could show at any width.
#[test]
fn a_table_counts_all_columns_of_a_slice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    NpyArray::new(vec![7u8; 6000], [2, 3000]).unwrap().write_npy(path.join("x.npy")).unwrap();
    let mut npy = Command::new(env!("CARGO_BIN_EXE_npy"));
    let args = ["head", "x.npy[1:, ::2]"];
    let output = npy.args(args).env("COLUMNS", "24").current_dir(path).output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(out, "   [0]  [2]  … +1498\n1    7    7  …\n");
}

/// Guards that many columns are not one line of numbers in silence.
#[test]
fn stats_say_that_many_columns_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let bytes = vec![0; 400];
    let array = DynArray::new("|u1".parse().unwrap(), [4, 100], Order::C, bytes).unwrap();
    array.write_npy(path.join("x.npy")).unwrap();
    let note =
        |count| format!("its {count} columns are summarized as one; -c chooses some of them\n");
    for (args, said) in [
        (&["x.npy"][..], note(100)),
        (&["x.npy[:, 1:]"], note(99)),
        (&["x.npy[:, :32]"], String::new()),
        (&["x.npy", "-c", "0,1"], String::new()),
    ] {
        let (exit, _, message) = run(path, &[&["stats"], args].concat());
        assert!(exit == 0 && message.ends_with(&said), "{message}");
        assert_eq!(message.is_empty(), said.is_empty(), "{message}");
    }
}

/// Guards that count and mean are of the same values, and that what is left out is said.
#[test]
fn stats_of_objects_count_what_they_have_the_mean_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let save =
        |name: &str, value: serde_json::Value| object::save(path.join(name), &value).unwrap();
    save("mix.npy", serde_json::json!([true, 2, "x", "y", 3.0, null]));
    let (exit, out, said) = run(path, &["stats", "--json", "mix.npy"]);
    assert_eq!(
        said,
        "note: mix.npy: column value: objects that are not numbers, or too large for a float, are left out: 2\n"
    );
    let counts = "\"count\":3,\"missing\":1,\"left_out\":2,\"min\":1,\"max\":3.0,\"mean\":2.0";
    assert!(exit == 0 && out.contains(counts) && out.ends_with("\"distinct\":3}\n"), "{out}");
    save("text.npy", serde_json::json!(["x", "y", "x", null]));
    let (_, out, said) = run(path, &["stats", "--json", "text.npy"]);
    assert!(out.ends_with("\"count\":3,\"missing\":1,\"distinct\":2}\n"), "{out}");
    assert!(said.is_empty(), "{said}");
}

/// Guards that arrays of three dimensions are one column, also with a slice, and that an index leaves a dimension out.
#[test]
fn stats_of_three_dimensions_are_one_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let array = NpyArray::new((0..24).collect::<Vec<i32>>(), [2, 3, 4]).unwrap();
    array.write_npy(path.join("x.npy")).unwrap();
    let parts = [("x.npy", 1, 24), ("x.npy[:1]", 1, 12), ("x.npy[0]", 4, 3), ("x.npy[0,1]", 1, 4)];
    for (file, columns, count) in parts {
        let (_, out, _) = run(path, &["stats", "--json", file]);
        assert_eq!(out.lines().count(), columns, "{file}: {out}");
        assert!(out.contains(&format!("\"count\":{count},")), "{file}: {out}");
    }
}

/// Guards columns that have one name by their paths, or were chosen twice: what is printed tells them apart.
#[test]
fn no_two_printed_columns_have_one_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(&path.join("x.npy"), "[('a', [('b', '|u1')]), ('a.b', '|u1')]", 1, &[1, 2]);
    [5u8].write_npy(path.join("v.npy")).unwrap();
    for (args, expected) in [
        (&["head", "x.npy"][..], "   a.b  a.b (2)\n0    1        2\n"),
        (&["cat", "--csv", "x.npy"], "a.b,a.b (2)\n1,2\n"),
        (&["cat", "--jsonl", "v.npy", "-c", "value"], "{\"value\":5}\n"),
        (&["cat", "--jsonl", "v.npy", "-c", "value,value"], "{\"value\":5,\"value (2)\":5}\n"),
    ] {
        let (exit, out, said) = run(path, args);
        assert_eq!((exit, out.as_str()), (0, expected), "{said}");
    }
    assert!(run(path, &["stats", "--json", "x.npy"]).1.contains("\"column\":\"a.b (2)\""));
    assert_eq!(run(path, &["diff", "x.npy", "x.npy"]).0, 0);
}

/// Guards a path with `::` that leads nowhere: the message has all of it.
#[test]
fn a_missing_file_of_two_colons_is_named_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["verify", "head", "info"] {
        let (exit, _, said) = run(folder.path(), &[command, "a::b"]);
        let expected = "npy: a::b: there is no such file, and no archive a with a member \"b\"\n";
        assert_eq!((exit, said.as_str()), (2, expected));
    }
}
