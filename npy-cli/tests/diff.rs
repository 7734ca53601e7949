//! `npy diff`: members of archives, and named columns.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use npy_core::{DynArray, Order, npz};

#[cfg(unix)]
use crate::support::limited;
use crate::support::{code, npy, ok};

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
        ("x, y", "more.npy", true),
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
    for (files, file) in [(["a.npy", "more.npy"], "more.npy"), (["more.npy", "a.npy"], "more.npy")]
    {
        let text = npy(path, &[&["diff"], &files[..]].concat()).stdout;
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(&format!("{file}: column z is only here\n")), "{text}");
    }
}

/// Guards columns without names, which are compared and joined by position as in NumPy, whatever their numbers in the file.
#[test]
fn columns_of_slices_are_paired_by_position() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let save = |name: &str, shape: &[usize], numbers: &[f64]| {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let array = DynArray::new("<f8".parse().unwrap(), shape, Order::C, bytes).unwrap();
        npy_core::save(path.join(name), &array).unwrap();
    };
    let numbers: Vec<f64> = (0..12).map(f64::from).collect();
    save("b.npy", &[3, 4], &numbers);
    save("r.npy", &[3, 2], &[2., 3., 6., 7., 10., 11.]);
    save("cube.npy", &[3, 2, 2], &numbers);
    save("pairs.npy", &[2, 4], &[1., 2., 1., 2., 3., 4., 3., 4.]);
    for (a, b, equal) in [
        ("b.npy", "b.npy[:, ::-1]", false),
        ("b.npy[:, :2]", "b.npy[:, 2:]", false),
        ("r.npy", "b.npy[:, 1:3]", false),
        ("r.npy", "b.npy[:, ::2]", false),
        ("r.npy", "b.npy[:, 2:]", true),
        ("r.npy[:, ::-1]", "b.npy[:, :1:-1]", true),
        ("cube.npy[..., :1]", "cube.npy[..., 1:2]", false),
        ("cube.npy[:, 1]", "b.npy[:, 2:]", true),
        ("cube.npy[:, 1]", "b.npy[:, :2]", false),
        ("pairs.npy[:, :2]", "pairs.npy[:, 2:]", true),
    ] {
        for more in [&[][..], &["--values"], &["--json"], &["--atol", "0.5"]] {
            let found = code(path, &[&["diff", a, b], more].concat());
            assert_eq!(found.0, i32::from(!equal), "{a} {b} {more:?}: {found:?}");
        }
    }
    // The numbers that `-c` names are those in the file.
    ok(path, &["diff", "b.npy", "b.npy[:, ::-1]", "-c", "0,3"]);
    ok(path, &["diff", "cube.npy[:, :, :1]", "cube.npy[:, :, 0:2:2]", "-c", "1"]);
    assert_eq!(code(path, &["diff", "cube.npy[..., :1]", "cube.npy[..., 1:]", "-c", "1"]).0, 1);
    let found = npy(path, &["diff", "b.npy[:1, 2:]", "b.npy[:1, :2]"]);
    let found = String::from_utf8(found.stdout).unwrap();
    assert!(found.contains("row 0, [2]: 2.0 → 0.0\nrow 0, [3]: 3.0 → 1.0\n"), "{found}");

    let rows = ok(path, &["cat", "--csv", "r.npy[:1]", "b.npy[:1, 2:]"]);
    assert_eq!(rows, "[0],[1]\n2.0,3.0\n2.0,3.0\n");
    assert_eq!(code(path, &["cat", "r.npy", "b.npy"]).0, 2);
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

/// Guards that times are compared in each column, and that large integers are not rounded to those of a complex number.
#[test]
fn diff_of_values_takes_times_and_complex_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let write = |name: &str, descr: &str, items: &[i64]| {
        let bytes = items.iter().flat_map(|item| item.to_le_bytes()).collect();
        let array = DynArray::new(descr.parse().unwrap(), [1, items.len()], Order::C, bytes);
        npy_core::save(path.join(name), &array.unwrap()).unwrap();
    };
    write("hours.npy", "<m8[h]", &[1, 2]);
    write("seconds.npy", "<m8[s]", &[3600, 7200]);
    write("later.npy", "<m8[s]", &[3600, 7201]);
    ok(path, &["diff", "--values", "hours.npy", "seconds.npy"]);
    ok(path, &["diff", "--values", "seconds.npy", "hours.npy"]);
    assert_eq!(code(path, &["diff", "--values", "hours.npy", "later.npy"]).0, 1);

    npy_core::save(path.join("integer.npy"), &[i64::MAX]).unwrap();
    // 2^63, and zero.
    let bytes = [9_223_372_036_854_775_808.0_f64, 0.0].map(f64::to_le_bytes).concat();
    let complex = DynArray::new("<c16".parse().unwrap(), [1], Order::C, bytes).unwrap();
    npy_core::save(path.join("complex.npy"), &complex).unwrap();
    assert_eq!(code(path, &["diff", "--values", "integer.npy", "complex.npy"]).0, 1);
}

/// Guards raw bytes that have a byte order, as ml_dtypes saves numbers: the order decides only how they are stored.
#[test]
fn diff_of_raw_bytes_takes_both_byte_orders() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let write = |name: &str, descr: &str, bytes: &[u8]| {
        let array = DynArray::new(descr.parse().unwrap(), [2], Order::C, bytes.to_vec()).unwrap();
        npy_core::save(path.join(name), &array).unwrap();
    };
    write("little.npy", "<V2", &[0x80, 0x3f, 0, 0x40]);
    write("big.npy", ">V2", &[0x3f, 0x80, 0x40, 0]);
    write("other.npy", ">V2", &[0x80, 0x3f, 0x40, 0]);
    // As NumPy without ml_dtypes saves the little-endian ones.
    write("raw.npy", "|V2", &[0x80, 0x3f, 0, 0x40]);
    for args in [&[][..], &["--values"], &["--nan-differs"]] {
        ok(path, &[&["diff", "little.npy", "big.npy"], args].concat());
        ok(path, &[&["diff", "big.npy", "little.npy"], args].concat());
        assert_eq!(code(path, &[&["diff", "little.npy", "other.npy"], args].concat()).0, 1);
    }
    // Only the dtypes differ.
    ok(path, &["diff", "--values", "big.npy", "raw.npy"]);
    ok(path, &["diff", "--values", "raw.npy", "big.npy"]);
    assert_eq!(code(path, &["diff", "--values", "raw.npy", "other.npy"]).0, 1);
}

/// Guards that objects are compared as a whole: their texts are shortened, and differ by the order of a dict.
#[test]
fn diff_of_objects_compares_all_parts() {
    #[derive(serde::Serialize)]
    struct Forwards {
        a: Vec<f64>,
        b: u8,
    }
    #[derive(serde::Serialize)]
    struct Backwards {
        b: f64,
        a: Vec<f64>,
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let is_equal = |a: &dyn erased::Object, b: &dyn erased::Object, more: &[&str]| {
        a.save(&path.join("a.npy"));
        b.save(&path.join("b.npy"));
        let (code, _) = code(path, &[&["diff", "a.npy", "b.npy"][..], more].concat());
        assert!(code < 2);
        code == 0
    };
    let long = |last: u32| (0..100_000).chain([last]).collect::<Vec<u32>>();
    assert!(is_equal(&long(1), &long(1), &[]));
    assert!(!is_equal(&long(1), &long(2), &[]));
    let map = |last: u32| {
        (0..10_000).map(|i| (i.to_string(), i / 9999 * last)).collect::<BTreeMap<_, u32>>()
    };
    assert!(is_equal(&map(1), &map(1), &[]));
    assert!(!is_equal(&map(1), &map(2), &[]));
    let text = |last: &str| ["x".repeat(1 << 20) + last];
    assert!(!is_equal(&text("a"), &text("b"), &[]));
    let forwards = |b| Forwards { a: vec![f64::NAN, 1.0], b };
    let backwards = || Backwards { a: vec![f64::NAN, 1.0], b: 2.0 };
    assert!(is_equal(&forwards(2), &backwards(), &[]));
    assert!(!is_equal(&forwards(3), &backwards(), &[]));
    assert!(!is_equal(&forwards(2), &forwards(2), &["--nan-differs"]));
}

/// Guards keys that are alike: large numbers, and tuples, sets and bytes in the order of the file.
#[test]
fn diff_of_dicts_and_sets_finds_equal_keys_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let save = |name: &str, object: &str| save_objects(&path.join(name), "", &format!("{object}a"));
    let is_equal = |a: &str, b: &str| {
        save("a.npy", a);
        save("b.npy", b);
        let (code, _) = code(path, &["diff", "a.npy", "b.npy"]);
        assert!(code < 2, "{a} {b}");
        code == 0
    };
    let dict = |keys: &[String]| {
        let entries = keys.iter().enumerate().map(|(i, key)| format!("{key}I{}\ns", i % 7));
        format!("(d{}", entries.collect::<String>())
    };
    let backwards = |keys: &[String]| {
        let entries = keys.iter().enumerate().rev().map(|(i, key)| format!("{key}I{}\ns", i % 7));
        format!("(d{}", entries.collect::<String>())
    };
    let set = |items: &[u32]| {
        let items: String = items.iter().map(|item| format!("I{item}\na")).collect();
        format!("cbuiltins\nfrozenset\n((l{items}tR")
    };
    let large: Vec<String> = (0..9).map(|i| format!("L{}L\n", (1u64 << 60) + i)).collect();
    let tuples: Vec<String> = (0..2000).map(|i| format!("(I{i}\nt")).collect();
    let texts: Vec<String> = (0..9).map(|i| format!("(V{}{i}\nt", "x".repeat(5000))).collect();
    for keys in [&large, &tuples, &texts] {
        assert!(is_equal(&dict(keys), &backwards(keys)));
        let mut other = keys.clone();
        other.swap(0, 1);
        assert!(!is_equal(&dict(keys), &backwards(&other)));
    }
    assert!(is_equal(&dict(&[set(&[0, 8])]), &dict(&[set(&[8, 0])])));
    let sets = [set(&[0, 8]), set(&[8, 16])];
    assert!(is_equal(&dict(&sets), &backwards(&[set(&[8, 0]), set(&[16, 8])])));
    let tuples = ["(I01\nt".to_owned(), "(I5\nt".to_owned()];
    assert!(is_equal(&dict(&tuples), &backwards(&["(I1\nt".into(), "(F5.0\nt".into()])));
    // An integer beside the float that is nearest to it.
    assert!(!is_equal("L100000000000000000000000000000000000001L\n", "F1e38\n"));
    assert!(is_equal("L99999999999999997748809823456034029568L\n", "F1e38\n"));
}

/// Guards tolerances for numbers at any depth of objects, but not for keys; and that objects near to one need not be near to each other.
#[test]
fn diff_of_objects_has_tolerances() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let rows = |a: &[String], b: &[String], more: &[&str]| {
        for (name, objects) in [("a.npy", a), ("b.npy", b)] {
            let all: String = objects.iter().map(|object| format!("{object}a")).collect();
            save_objects(&path.join(name), &format!("{},", objects.len()), &all);
        }
        let output = npy(path, &[&["diff", "a.npy", "b.npy", "--json"], more].concat());
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = found["values"].as_array().unwrap().iter();
        rows.map(|value| value["row"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let all = |number: &str| {
        ["(lF#\na", "((F#\nttp1\n", "(dVk\n(lF#\nas", "(d(F#\ntI0\ns", "(d(I0\ntF#\ns"]
            .map(|object| object.replace('#', number))
    };
    let (a, b) = (all("1.0"), all("1.008"));
    assert_eq!(rows(&a, &b, &["--atol", "0.01"]), [3]);
    assert_eq!(rows(&a, &b, &["--rtol", "0.01"]), [3]);
    assert_eq!(rows(&a, &b, &["--atol", "0.001"]), [0, 1, 2, 3, 4]);
    assert_eq!(rows(&a, &b, &[]), [0, 1, 2, 3, 4]);
    // Rows share their lists.
    let list = |number: &str, memo: u8| (format!("(lF{number}\nap{memo}\n"), format!("g{memo}\n"));
    let ((one, one_again), (two, two_again)) = (list("1.0", 1), list("1.016", 2));
    let ((three, three_again), (four, four_again)) = (list("1.008", 1), list("0.992", 2));
    let (a, b) = ([one, one_again, two, two_again], [three, four, three_again, four_again]);
    assert_eq!(rows(&a, &b, &["--atol", "0.01"]), [3]);
}

/// A number of NumPy, whose comparisons have a limit: in a pickle of protocol 0, with the letter `a`.
const FLOAT: &str = "cnumpy.core.multiarray\nscalar\n(cnumpy\ndtype\n(S'f4'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntbS'\\x00\\x00\\x00?'\ntRa";

/// Saves Python objects, each a pickle of protocol 0 and the letter `a`.
fn save_objects(path: &Path, shape: &str, objects: &str) {
    let header = format!("{{'descr': '|O', 'fortran_order': False, 'shape': ({shape}), }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    file.extend(header.as_bytes());
    let shape: String = match shape.strip_suffix(',') {
        Some(length) => format!("(I{length}\nt"),
        None => "(t".to_owned(),
    };
    let array = format!(
        "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n{shape}cnumpy\ndtype\n(S'O8'\nI0\nI1\ntR(I3\nS'|'\nNNNI-1\nI-1\nI63\ntbI00\n(l{objects}tb."
    );
    file.extend(array.as_bytes());
    fs::write(path, file).unwrap();
}

/// Runs `npy diff`, which takes less than a minute of a processor, and returns what it prints.
#[cfg(unix)]
fn diff_in_a_minute(folder: &Path, a: &str, b: &str) -> String {
    let output = limited(60).args(["diff", a, b, "-n", "0"]).current_dir(folder).output().unwrap();
    assert!(output.status.code().is_some(), "npy diff {a} {b} takes more than a minute");
    String::from_utf8(output.stdout).unwrap()
}

/// Guards the time of a part that all rows share, for pairs of all kinds: equal and different, and objects that contain themselves. Compared for each row, it takes minutes.
#[cfg(unix)]
#[test]
fn diff_compares_a_part_that_rows_share_once() {
    const ROWS: usize = 10_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let numbers: String = (0..50_000).map(|i| format!("I{i}\na")).collect();
    let entries: String = (0..10_000).map(|i| format!("I{i}\nI{i}\ns")).collect();
    let list = |last: &str| format!("(lp1\n{numbers}{last}");
    let dict = |last: &str| format!("(dp1\n{entries}{last}");
    for (shared, other, last) in [
        (list("I0\na"), list("I1\na"), ["I0\n"; 2]),
        (dict("NI0\ns"), dict("NI1\ns"), ["I0\n"; 2]),
        (list(""), list(""), ["I0\n", "I1\n"]),
        (list("g1\na"), list("g1\na"), ["I0\n", "I1\n"]),
    ] {
        for (name, shared, last) in [("a.npy", shared, last[0]), ("b.npy", other, last[1])] {
            let rows = (0..ROWS).map(|row| {
                let part = if row == 0 { &shared[..] } else { "g1\n" };
                format!("(l{part}aI{row}\na{last}aa")
            });
            save_objects(&path.join(name), &format!("{ROWS},"), &rows.collect::<String>());
        }
        let text = diff_in_a_minute(path, "a.npy", "b.npy");
        assert!(text.contains("10,000 of 10,000 rows differ"), "{text}");
        assert_eq!(diff_in_a_minute(path, "a.npy", "a.npy"), "");
    }
}

/// Guards the work for objects that share the tuple of their arguments, which is one pair: compared for each object, it exceeds the limit
/// of the steps.
#[test]
fn diff_compares_shared_arguments_once() {
    const OBJECTS: usize = 1500;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let numbers: String = (0..OBJECTS).map(|i| format!("I{i}\n")).collect();
    let arguments = format!("({numbers}tp1\n");
    let objects = |last: &str| {
        let each = |i| format!("cm\nK\n{}R", if i == 0 { &arguments } else { "g1\n" });
        let objects: String = (0..OBJECTS).map(|i| format!("{}a", each(i))).collect();
        format!("(l{objects}{FLOAT}{last}a")
    };
    for (name, last) in [("a.npy", "I0\n"), ("b.npy", "I0\n"), ("c.npy", "I1\n")] {
        save_objects(&path.join(name), "1,", &format!("{}a", objects(last)));
    }
    assert_eq!(code(path, &["diff", "a.npy", "b.npy", "-n", "0"]), (0, String::new()));
    assert_eq!(code(path, &["diff", "a.npy", "c.npy", "-n", "0"]).0, 1);
}

/// Guards the work for objects that share the list which protocol 0 passes to their base: compared for each object, it exceeds the limit of the steps.
#[test]
fn diff_compares_a_shared_base_once() {
    const OBJECTS: usize = 1500;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let items = "I1\na".repeat(OBJECTS);
    let list = format!("(lp1\n{items}");
    let reconstructed = |own: &str| {
        let each = |i| {
            let shared = if i == 0 { &list } else { "g1\n" };
            format!("ccopyreg\n_reconstructor\n(cm\nK\nc__builtin__\nlist\n{shared}tR{own}a")
        };
        (0..OBJECTS).map(each).collect::<String>()
    };
    let called = |own: &str| {
        let first = format!("cm\nK\n(tRp1\n{items}{own}a");
        first + &"g1\na".repeat(OBJECTS - 1)
    };
    for (ours, theirs, differ) in [
        (reconstructed(""), called(""), false),
        (reconstructed("I2\na"), called("I2\na"), false),
        (reconstructed("I2\na"), called("I3\na"), true),
        (reconstructed(""), called("I2\na"), true),
        (reconstructed("I2\na"), called(""), true),
        (reconstructed(""), "cm\nK\n(tRa".repeat(OBJECTS), true),
    ] {
        for (name, objects) in [("a.npy", ours), ("b.npy", theirs)] {
            save_objects(&path.join(name), "1,", &format!("(l{objects}{FLOAT}a"));
        }
        for files in [["a.npy", "b.npy"], ["b.npy", "a.npy"]] {
            let (found, message) = code(path, &["diff", files[0], files[1], "-n", "0"]);
            assert_eq!((found, &*message), (i32::from(differ), ""));
        }
    }
}

/// Returns the pickle of a list of layers of lists. Each list of a layer shares two lists of the one before: those at its place, and `step` places on. The lists of the first layer
/// have `first`, and the last item is `last`.
fn layers(step: usize, first: &str, last: &str) -> String {
    const LAYERS: usize = 160;
    const LISTS: usize = 60;
    let list = |layer: usize, at: usize| match layer {
        0 => format!("(lp{at}\n{first}a"),
        layer => {
            let shared = |at| (layer - 1) * LISTS + at % LISTS;
            let id = layer * LISTS + at;
            format!("(lp{id}\ng{}\nag{}\naa", shared(at), shared(at + step))
        }
    };
    let lists = (0..LAYERS).flat_map(|layer| (0..LISTS).map(move |at| (layer, at)));
    format!("(l{}{last}", lists.map(|(layer, at)| list(layer, at)).collect::<String>())
}

/// Guards the work for objects that share parts in different ways, which the command counts: it is linear if a number that may be equal to others is not in these parts, and otherwise it ends
/// in an error, not in a wrong answer.
#[test]
fn diff_of_shared_parts_with_near_numbers_has_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let diff = |first: &str, last: [&str; 2], args: &[&str]| {
        for (name, step, last) in [("a.npy", 1, last[0]), ("b.npy", 2, last[1])] {
            save_objects(&path.join(name), "1,", &format!("{}a", layers(step, first, last)));
        }
        let output = npy(path, &[&["diff", "a.npy", "b.npy", "-n", "0"], args].concat());
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(diff("", [FLOAT; 2], &[]), (0, String::new()));
    assert_eq!(diff("", [FLOAT, "F0.5\na"], &[]).0, 0);
    assert_eq!(diff("", [FLOAT, "F0.25\na"], &[]).0, 1);
    assert_eq!(diff("Va\na", ["F0.5\na", "F0.75\na"], &["--atol", "0.5"]), (0, String::new()));
    // Each takes seconds without optimization.
    let near = [(FLOAT, &[][..]), ("F0.5\na", &["--atol", "0.5"])];
    for (first, args) in near.into_iter().take(npy_tests::rounds(2)) {
        let (code, message) = diff(first, [""; 2], args);
        let is_told = message.starts_with("npy: a.npy: row 0: the comparison takes more than ");
        assert!(code == 2 && is_told, "{message}");
    }
}

/// Values of any type, saved as a Python object.
mod erased {
    use std::path::Path;

    pub(super) trait Object {
        fn save(&self, path: &Path);
    }

    impl<T: serde::Serialize> Object for T {
        fn save(&self, path: &Path) {
            npy_core::object::save(path, self).unwrap();
        }
    }
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
