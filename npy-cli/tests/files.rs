//! Commands that write files: what they write, and what is left after an error.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use npy_core::{DynArray, NpyArray, Order, ReadNpy, WriteNpy, npz};

use crate::streams::with_input;
use crate::support::{code, names, npy, ok};

/// Guards that joined rows are those of the inputs, whatever their order, byte order and slice.
#[test]
fn concat_joins_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let c = NpyArray::new((0..6).collect::<Vec<i32>>(), [3, 2]).unwrap();
    c.write_npy(path.join("c.npy")).unwrap();
    let f = NpyArray::with_order(vec![6, 8, 7, 9], [2, 2], Order::Fortran).unwrap();
    f.write_npy(path.join("f.npy")).unwrap();
    let dyn_array = DynArray::read_npy(path.join("c.npy")).unwrap();
    let big = dyn_array.cast(&">i4".parse().unwrap()).unwrap();
    big.write_npy(path.join("big.npy")).unwrap();

    ok(path, &["concat", "-o", "out.npy", "c.npy", "f.npy", "big.npy[::-2]"]);
    let out = NpyArray::<i32>::read_npy(path.join("out.npy")).unwrap();
    assert_eq!(out.shape(), [7, 2]);
    assert_eq!(out.into_vec(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 4, 5, 0, 1]);

    // A slice may drop the first dimension.
    ok(path, &["concat", "-o", "row.npy", "c.npy[1]", "c.npy[:,0]"]);
    assert_eq!(Vec::<i32>::read_npy(path.join("row.npy")).unwrap(), [2, 3, 0, 2, 4]);
    ok(path, &["append", "row.npy", "c.npy[-1]"]);
    assert_eq!(Vec::<i32>::read_npy(path.join("row.npy")).unwrap(), [2, 3, 0, 2, 4, 4, 5]);
}

/// Guards the axis: it is one of the dimensions, the message names it with both shapes, and what it advises works.
#[test]
fn concat_joins_along_an_axis() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (name, shape) in [("a.npy", [2, 3]), ("b.npy", [2, 1]), ("c.npy", [3, 1])] {
        let values = (0..shape[0] * shape[1]).map(|n| i32::try_from(n).unwrap()).collect();
        NpyArray::new(values, shape).unwrap().write_npy(path.join(name)).unwrap();
    }
    let expected = [0, 1, 2, 0, 3, 4, 5, 1];
    for axis in ["1", "-1"] {
        ok(path, &["concat", "--axis", axis, "-o", "out.npy", "a.npy", "b.npy"]);
        let out = NpyArray::<i32>::read_npy(path.join("out.npy")).unwrap();
        assert_eq!((out.shape(), out.to_vec()), (&[2, 4][..], expected.to_vec()));
    }
    // The rows of the result are divided into files, and a stream is read once.
    let args = ["concat", "--axis=1", "--target-size", "140", "-o", "parts", "a.npy", "b.npy"];
    ok(path, &args);
    ok(path, &["concat", "-o", "out.npy", "parts/part-00000.npy", "parts/part-00001.npy"]);
    assert_eq!(NpyArray::<i32>::read_npy(path.join("out.npy")).unwrap().into_vec(), expected);
    let mut child = Command::new(env!("CARGO_BIN_EXE_npy"))
        .args(["concat", "--axis", "1", "-o", "out.npy", "-", "b.npy"])
        .current_dir(path)
        .stdin(fs::File::open(path.join("a.npy")).unwrap())
        .spawn()
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(NpyArray::<i32>::read_npy(path.join("out.npy")).unwrap().into_vec(), expected);
    for (args, part) in [
        (
            &["a.npy", "b.npy"][..],
            "npy: b.npy: its shape (2, 1) does not fit that of the first input, (2, 3), along axis 0; only the lengths along the axis may differ",
        ),
        (
            &["--axis", "1", "a.npy", "c.npy"],
            "its shape (3, 1) does not fit that of the first input, (2, 3), along axis 1; only the lengths along the axis may differ",
        ),
        (
            &["a.npy", "b.npy[0]"],
            "its shape (1,) does not fit that of the first input, (2, 3), along axis 0; they need the same number of dimensions",
        ),
        (
            &["--axis", "2", "a.npy", "b.npy"],
            "there is no axis 2: the arrays have shape (2, 3), and so the axes are 0 to 1",
        ),
        (&["--axis", "-3", "a.npy", "b.npy"], "there is no axis -3: the arrays have shape (2, 3)"),
        (&["--axis", "x", "a.npy"], "an axis is the number of a dimension"),
        (&["--axis", "99999999999999999999", "a.npy"], "an axis is the number of a dimension"),
    ] {
        let (exit, message) = code(path, &[&["concat", "-o", "no.npy"], args].concat());
        assert!(exit == 2 && message.contains(part), "{message}");
    }
    assert!(!path.join("no.npy").exists());
}

/// Guards the number of open files: a system allows a few hundred.
#[cfg(unix)]
#[test]
fn concat_joins_more_files_than_can_be_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let names: Vec<String> = (0..300).map(|i| format!("{i:03}.npy")).collect();
    for (i, name) in (0..).zip(&names) {
        NpyArray::new(vec![i, 1000 + i], [2, 1]).unwrap().write_npy(path.join(name)).unwrap();
    }
    for axis in [0, 1] {
        let mut shell = Command::new("sh");
        let npy = env!("CARGO_BIN_EXE_npy");
        let concat = format!("ulimit -n 250; '{npy}' concat --axis {axis} -o out.npy [0-9]*.npy");
        assert!(shell.args(["-c", &concat]).current_dir(path).status().unwrap().success());
        let out = NpyArray::<i32>::read_npy(path.join("out.npy")).unwrap();
        let expected: Vec<i32> = match axis {
            0 => (0..300).flat_map(|i| [i, 1000 + i]).collect(),
            _ => (0..300).chain(1000..1300).collect(),
        };
        assert!(out.into_vec() == expected, "{axis}");
    }
}

/// Guards against an array in a file whose name says that it is something else.
#[test]
fn concat_writes_no_other_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u8].write_npy(path.join("a.npy")).unwrap();
    for out in ["all.csv", "all.NPZ", "all.jsonl"] {
        let (exit, message) = code(path, &["concat", "-o", out, "a.npy"]);
        assert_eq!(exit, 2);
        assert!(message.contains(&format!("npy convert all.npy {out}")), "{message}");
    }
    for out in ["all", "all.npy", "all.dat"] {
        ok(path, &["concat", "-o", out, "a.npy"]);
        assert_eq!(Vec::<u8>::read_npy(path.join(out)).unwrap(), [1]);
    }
    assert_eq!(names(path), ["a.npy", "all", "all.dat", "all.npy"]);
}

/// Guards that inputs that do not fit leave no file.
#[test]
fn concat_and_append_refuse_other_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1.5f64, 2.5].write_npy(path.join("f8.npy")).unwrap();
    vec!["text".to_owned()].write_npy(path.join("text.npy")).unwrap();
    NpyArray::new(vec![1.0f64; 4], [2, 2]).unwrap().write_npy(path.join("square.npy")).unwrap();
    7.5f64.write_npy(path.join("scalar.npy")).unwrap();
    let before = names(path);
    for other in ["text.npy", "square.npy", "scalar.npy"] {
        let (exit, message) = code(path, &["concat", "-o", "out.npy", "f8.npy", other]);
        assert_eq!(exit, 2);
        assert!(message.starts_with(&format!("npy: {other}: ")), "{message}");
        let (exit, message) = code(path, &["append", "f8.npy", other]);
        assert_eq!(exit, 2);
        assert!(message.contains(other), "{message}");
    }
    assert_eq!(names(path), before);
    assert_eq!(Vec::<f64>::read_npy(path.join("f8.npy")).unwrap(), [1.5, 2.5]);
}

#[test]
fn append_adds_rows_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let record = "../tests/golden/nested.npy";
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join(record);
    fs::copy(&record, path.join("n.npy")).unwrap();
    let rows = DynArray::read_npy(&record).unwrap().shape()[0];
    ok(path, &["append", "n.npy", record.to_str().unwrap(), record.to_str().unwrap()]);
    assert_eq!(DynArray::read_npy(path.join("n.npy")).unwrap().shape(), [3 * rows]);
    let (exit, message) = code(path, &["append", "n.npy", "n.npy"]);
    assert_eq!((exit, message.contains("cannot be appended to itself")), (2, true), "{message}");
}

/// Guards that nothing is appended if one of the inputs does not fit, and that the message says what to do.
#[test]
fn append_checks_all_inputs_before_it_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    NpyArray::new(vec![1.0f64; 8], [2, 4]).unwrap().write_npy(path.join("f8.npy")).unwrap();
    NpyArray::new(vec![1.0f32; 8], [2, 4]).unwrap().write_npy(path.join("f4.npy")).unwrap();
    fs::copy(path.join("f8.npy"), path.join("x.npy")).unwrap();
    let before = fs::read(path.join("x.npy")).unwrap();
    fs::write(path.join("short.npy"), &before[..before.len() - 8]).unwrap();
    let npy_convert = "its dtype is <f4, that of the file <f8; npy convert f4.npy f4-converted.npy --dtype '<f8' && npy append x.npy f8.npy f4-converted.npy joins them";
    for (input, expected) in [
        ("f4.npy", npy_convert),
        ("short.npy", "truncated: expected 64 bytes of data, found 56"),
        ("f8.npy[0]", "f8.npy[0:1] is an array of one row"),
        ("f8.npy[-1]", "f8.npy[-1:] is an array of one row"),
        ("f8.npy[:,1:]", "the array of shape (2, 3) does not fit rows of shape (4,)"),
    ] {
        let (exit, message) = code(path, &["append", "x.npy", "f8.npy", input]);
        assert_eq!((exit, message.contains(expected)), (2, true), "{message}");
        assert!(!message.contains("--cast"), "{message}");
        assert_eq!(fs::read(path.join("x.npy")).unwrap(), before, "{input}");
    }
    // No value is rounded: the file gets the dtype that holds all.
    let (exit, message) = code(path, &["append", "f4.npy", "f8.npy"]);
    let wider = "; npy convert f4.npy f4-converted.npy --dtype '<f8' && npy append f4-converted.npy f8.npy joins them";
    assert_eq!((exit, message.contains(wider)), (2, true), "{message}");
    // Of records, the message has the fields.
    let record = "../tests/golden/nested.npy";
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(record), path.join("r.npy")).unwrap();
    let dtype = "[('id', '|u1'), ('other', '|V6')]".parse().unwrap();
    let other = DynArray::new(dtype, [1], Order::C, vec![0; 7]).unwrap();
    other.write_npy(path.join("other.npy")).unwrap();
    for command in [&["append"][..], &["concat", "-o", "out.npy"]] {
        let (exit, message) = code(path, &[command, &["r.npy", "other.npy"]].concat());
        assert_eq!((exit, message.contains("('other', '|V6')")), (2, true), "{message}");
        assert!(message.contains("('pos', [('x', '<i2'), ('y', '<f4')])"), "{message}");
    }
    ok(path, &["append", "x.npy", "f8.npy[-1:]"]);
    assert_eq!(DynArray::read_npy(path.join("x.npy")).unwrap().shape(), [3, 4]);
}

/// Guards an array in Fortran order, to whose data columns could be added alone.
#[test]
fn append_adds_no_rows_in_fortran_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let fortran = NpyArray::with_order(vec![1i32, 2, 3, 4, 5, 6], [3, 2], Order::Fortran).unwrap();
    fortran.write_npy(path.join("f.npy")).unwrap();
    let before = fs::read(path.join("f.npy")).unwrap();
    for (name, shape, part) in [
        ("row.npy", [1, 2], "; npy concat -o OUT f.npy row.npy writes all rows in C order"),
        ("column.npy", [3, 1], "the array of shape (3, 1) does not fit rows of shape (2,)"),
    ] {
        let values = (0..shape[0] * shape[1]).map(|n| i32::try_from(n).unwrap()).collect();
        NpyArray::new(values, shape).unwrap().write_npy(path.join(name)).unwrap();
        let (exit, message) = code(path, &["append", "f.npy", name]);
        assert!(exit == 2 && message.contains(part), "{message}");
        assert_eq!(fs::read(path.join("f.npy")).unwrap(), before, "{name}");
    }
    ok(path, &["concat", "-o", "OUT", "f.npy", "row.npy"]);
    let out = NpyArray::<i32>::read_npy(path.join("OUT")).unwrap();
    assert_eq!(out.into_vec(), [1, 4, 2, 5, 3, 6, 0, 1]);
    // Rows of another dtype are converted first.
    npy_core::save(path.join("f8.npy"), &[[1.5f64, 2.0]]).unwrap();
    let (_, message) = code(path, &["append", "f.npy", "f8.npy"]);
    let advice = "; npy convert f.npy f-converted.npy --dtype '<f8' && npy concat -o OUT f-converted.npy f8.npy joins them";
    assert!(message.contains(advice), "{message}");
    // Rows of one element are not strided.
    let narrow = NpyArray::with_order(vec![1i32, 2], [2, 1], Order::Fortran).unwrap();
    narrow.write_npy(path.join("n.npy")).unwrap();
    ok(path, &["append", "n.npy", "column.npy"]);
    assert_eq!(DynArray::read_npy(path.join("n.npy")).unwrap().shape(), [5, 1]);
    let mut file = fs::read(path.join("n.npy")).unwrap();
    let at = file.windows(5).position(|part| part == b"False").unwrap();
    file[at..at + 5].copy_from_slice(b"True ");
    fs::write(path.join("n.npy"), [&file[..], &[0; 20]].concat()).unwrap();
    ok(path, &["append", "n.npy", "--uncounted", "keep"]);
    assert_eq!(DynArray::read_npy(path.join("n.npy")).unwrap().shape(), [10, 1]);
}

/// Guards rows that a killed writer left: the message says what to do, and that works.
#[test]
fn uncounted_rows_are_kept_or_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut file = Vec::new();
    [1.0f64, 2.0].write_npy_to(&mut file).unwrap();
    file.extend(3.0f64.to_le_bytes());
    for (choice, expected) in [("keep", &[1.0, 2.0, 3.0][..]), ("remove", &[1.0, 2.0])] {
        fs::write(path.join("x.npy"), &file).unwrap();
        [4.0f64].write_npy(path.join("y.npy")).unwrap();
        let (exit, message) = code(path, &["append", "x.npy", "y.npy"]);
        assert_eq!(
            (exit, message.contains("; npy append x.npy --uncounted keep counts them, ")),
            (2, true),
            "{message}"
        );
        ok(path, &["append", "x.npy", "--uncounted", choice]);
        assert_eq!(Vec::<f64>::read_npy(path.join("x.npy")).unwrap(), expected);
        assert_eq!(
            fs::metadata(path.join("x.npy")).unwrap().len(),
            128 + 8 * expected.len() as u64
        );
        ok(path, &["append", "x.npy", "y.npy", "--uncounted", choice]);
        assert_eq!(Vec::<f64>::read_npy(path.join("x.npy")).unwrap().last(), Some(&4.0));
    }
    let removed = "note: x.npy: bytes of an incomplete row after the array are removed: 3\n";
    for bytes in [&file[..], &file[..file.len() - 8]] {
        fs::write(path.join("x.npy"), [bytes, &[0; 3]].concat()).unwrap();
        let keep = ["append", "x.npy", "--uncounted", "keep"];
        assert_eq!(code(path, &keep), (0, removed.into()));
        assert_eq!(code(path, &keep), (0, String::new()));
    }
    // Without the option, they are removed by a row that is added.
    let incomplete = [&file[..file.len() - 8], &[0; 3]].concat();
    for (input, message) in [("y.npy", removed), ("y.npy[:0]", "")] {
        fs::write(path.join("x.npy"), &incomplete).unwrap();
        assert_eq!(code(path, &["append", "x.npy", input]), (0, message.into()));
    }
    assert_eq!(fs::read(path.join("x.npy")).unwrap(), incomplete);
}

/// Guards that messages name options and subcommands, and not calls of the library.
#[test]
fn errors_of_append_and_pack_say_what_the_command_can_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u8].write_npy(path.join("a.npy")).unwrap();
    ok(path, &["npz", "pack", "m.npz", "a.npy", "b=a.npy"]);
    [1u8].write_npy(path.join("...npy")).unwrap();
    NpyArray::new(vec![1u8, 2], [1, 2]).unwrap().write_npy(path.join("two.npy")).unwrap();
    fs::write(path.join("two.csv"), "a,b\n3,4\n").unwrap();
    for (args, part) in [
        (&["append", "no.npy", "a.npy"][..], "; only a file that exists grows: npy concat -o"),
        (&["append", "a.npy", "m.npz::a[0]"], "; m.npz::a[0:1] is an array of one row"),
        (
            &["append", "two.npy", "two.csv"],
            "; an array of shape (n, 2) fits, which npy convert --dtype makes of a text of numbers\n",
        ),
        (&["append", "a.npy", "two.npy"], "does not fit rows of shape (); an array of shape (n,)"),
        (&["convert", "...npy", "x.npz"], "is not a name that can be"),
        (&["append", "m.npz::a", "a.npy"], "a member of an archive does not grow; npy concat"),
        (&["npz", "pack", "--append", "m.npz", "c=m.npz::a"], "; npy convert m.npz::MEMBER m.npz"),
        (&["npz", "pack", "--append", "no.npz", "a.npy"], "; without --append, it is made"),
        (&["convert", "a.npy", "b.npy", "--from", "npy"], "[possible values: csv, tsv, json"),
        (&["head", "m.npz", "-c", "a"], "has 2 members, a, b; name one, as in m.npz::a"),
        (&["head", "a.npy", "-c", "[1,0]"], "an element is -c [1][0], and a slice follows the"),
    ] {
        let (exit, message) = code(path, args);
        assert!(exit == 2 && message.contains(part), "{message}");
        assert!(!message.contains("append_or_create"), "{message}");
    }
    ok(path, &["convert", "m.npz::a", "m.npz::c"]);
    assert_eq!(ok(path, &["npz", "list", "m.npz"]), "a\nb\nc\n");
    ok(path, &["convert", "two.csv", "more.npy", "--dtype", "u1"]);
    ok(path, &["append", "two.npy", "more.npy"]);
}

/// Guards that a file that is cut short or damaged is refused by every command, with the exit code of each, and leaves no output.
#[test]
fn damaged_files_leave_no_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let values: Vec<f64> = (0..100_000).map(f64::from).collect();
    values.write_npy(path.join("x.npy")).unwrap();
    let file = fs::read(path.join("x.npy")).unwrap();
    fs::write(path.join("short.npy"), &file[..file.len() - 8]).unwrap();
    fs::write(path.join("tiny.npy"), &file[..20]).unwrap();
    fs::write(path.join("empty.npy"), b"").unwrap();
    let mut packed = npz::Writer::create(path.join("bad.npz")).unwrap();
    packed.write("x", &values).unwrap();
    packed.finish().unwrap();
    let mut archive = fs::read(path.join("bad.npz")).unwrap();
    archive[1000] ^= 1;
    fs::write(path.join("bad.npz"), archive).unwrap();
    let before = names(path);
    for bad in ["short.npy", "tiny.npy", "empty.npy", "bad.npz"] {
        assert_eq!(code(path, &["verify", bad]).0, 1, "{bad}");
        let commands: [&[&str]; 3] = [
            &["concat", "-o", "out.npy", "x.npy", bad],
            &["npz", "pack", "out.npz", bad],
            &["diff", "x.npy", bad],
        ];
        for command in commands {
            let (exit, message) = code(path, command);
            assert_eq!(exit, 2, "{command:?} {message}");
            assert!(message.starts_with(&format!("npy: {bad}")), "{command:?} {message}");
        }
    }
    assert_eq!(names(path), before);
}

/// Guards against output without end: tiny files with any number of rows or columns.
#[test]
fn rows_without_bytes_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (name, dtype, shape) in [
        ("empty.npy", "|S0", vec![1 << 40]),
        ("record.npy", "[('a', '|S0')]", vec![1 << 40]),
        ("flat.npy", "<i4", vec![1 << 60, 0]),
        ("wide.npy", "|i1", vec![0, (1 << 62) - 1]),
        ("fields.npy", "[]", vec![1 << 30, 1 << 20]),
    ] {
        let array = DynArray::new(dtype.parse().unwrap(), shape, Order::C, Vec::new()).unwrap();
        array.write_npy(path.join(name)).unwrap();
        for form in [&["cat", "--csv"][..], &["cat", "--jsonl"], &["stats"], &["verify"]] {
            let output = npy(path, &[form, &[name]].concat());
            assert!(output.status.code().is_some_and(|code| code < 3), "{form:?} {output:?}");
        }
        ok(path, &["diff", name, name]);
        for form in [&["head"][..], &["tail", "--json"], &["sample", "--csv"], &["info"]] {
            let output = npy(path, &[form, &[name]].concat());
            assert!(output.status.code().is_some_and(|code| code < 3), "{form:?} {output:?}");
        }
    }
    let (exit, message) = code(path, &["cat", "--csv", "empty.npy"]);
    assert_eq!((exit, message.contains("have no bytes")), (2, true), "{message}");
    let (exit, message) = code(path, &["cat", "--csv", "wide.npy"]);
    assert_eq!((exit, message.contains("columns")), (2, true), "{message}");
}

/// Guards that an archive which the command writes is one that it reads: zeros shrink more by Zstandard than deflate ever does.
#[cfg(feature = "zstd-write")]
#[test]
fn packed_zeros_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    npy_core::save(path.join("zeros.npy"), &vec![0.0; 100_000]).unwrap();
    ok(path, &["npz", "pack", "--zstd", "z.npz", "zeros.npy"]);
    assert!(fs::metadata(path.join("z.npz")).unwrap().len() < 1500);
    ok(path, &["verify", "z.npz"]);
    ok(path, &["diff", "z.npz::zeros", "zeros.npy"]);
}

/// Guards that a full disk is an error with the name of the file, also for standard output.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    vec![0u8; 1 << 20].write_npy(path.join("x.npy")).unwrap();
    let (exit, message) = code(path, &["concat", "-o", "/dev/full", "x.npy"]);
    assert_eq!(exit, 2);
    assert!(message.starts_with("npy: /dev/full: No space left on device"), "{message}");
    let full = || Stdio::from(fs::File::options().write(true).open("/dev/full").unwrap());
    for args in [&["x.npy"][..], &["cat", "x.npy"], &["verify", "x.npy"], &["man"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
        let output = command.args(args).current_dir(path).stdout(full()).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?} {message}");
        assert!(message.contains("No space left on device"), "{args:?} {message}");
    }
}

/// Guards that rows of an append that failed are removed, and the next one is not refused.
#[cfg(target_os = "linux")]
#[test]
fn an_append_to_a_full_disk_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    vec![1u8; 1000].write_npy(path.join("x.npy")).unwrap();
    vec![2u8; 4 << 20].write_npy(path.join("many.npy")).unwrap();
    let before = fs::read(path.join("x.npy")).unwrap();
    // The limit of the shell is the end of the disk: 1 MiB.
    let append = "trap '' XFSZ; ulimit -f 1024; exec \"$0\" append x.npy many.npy";
    let mut command = Command::new("bash");
    let command = command.args(["-c", append, env!("CARGO_BIN_EXE_npy")]).current_dir(path);
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("File too large"), "{said}");
    assert!(fs::read(path.join("x.npy")).unwrap() == before, "{said}");
    [3u8].write_npy(path.join("one.npy")).unwrap();
    ok(path, &["append", "x.npy", "one.npy"]);
}

/// Guards that the advice for a header without blanks is a command.
#[test]
fn a_header_that_cannot_grow_is_copied_by_concat() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (9,)}\n";
    let length = u8::try_from(header.len()).unwrap();
    let start = [&b"\x93NUMPY\x01\x00"[..], &[length, 0], header.as_bytes(), &[1; 9]].concat();
    fs::write(path.join("x.npy"), start).unwrap();
    [3u8].write_npy(path.join("one.npy")).unwrap();
    let (exit, message) = code(path, &["append", "x.npy", "one.npy"]);
    assert!(exit == 2 && message.contains("npy concat writes the rows"), "{message}");
}

/// Guards that the names of columns cannot control the terminal.
#[test]
fn stats_escapes_the_names_of_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let dtype = "[('\u{1b}[2Jx', '<i8')]".parse().unwrap();
    let array = npy_core::DynArray::new(dtype, [1], npy_core::Order::C, vec![0; 8]).unwrap();
    array.write_npy(path.join("x.npy")).unwrap();
    let printed = ok(path, &["stats", "x.npy"]);
    assert!(printed.contains("[2Jx") && !printed.contains('\u{1b}'), "{printed}");
}

/// Guards that a reader of a pipe that stops early is not an error.
#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    vec![0u32; 1 << 20].write_npy(path.join("x.npy")).unwrap();
    vec![1u32; 1 << 20].write_npy(path.join("y.npy")).unwrap();
    fs::write(path.join("short.npy"), &fs::read(path.join("x.npy")).unwrap()[..1000]).unwrap();
    // The exit code of a comparison is its answer, also if nobody reads the rest.
    for (args, expected) in [
        (&["cat", "x.npy"][..], 0),
        (&["cat", "--csv", "x.npy", "y.npy"], 0),
        (&["concat", "-o", "-", "x.npy"], 0),
        (&["convert", "x.npy", "-", "--to", "npz"], 0),
        (&["npz", "pack", "-", "x.npy"], 0),
        (&["convert", "x.npy", "-", "--to", "safetensors"], 0),
        (&["diff", "x.npy", "y.npy", "-n", "100000"], 1),
        (&["diff", "x.npy", "x.npy", "--json"], 0),
        (&["verify", "short.npy", "x.npy"], 1),
        (&["verify", "missing.npy", "x.npy"], 2),
        (&["repair", "short.npy"], 1),
        (&["repair", "short.npy", "-o", "repaired.npy", "--yes"], 0),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
        command.args(args).current_dir(path).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(expected), "{args:?} {output:?}");
        assert!(output.stderr.is_empty() || expected == 2, "{args:?} {output:?}");
    }
    assert_eq!(Vec::<u32>::read_npy(path.join("repaired.npy")).unwrap().len(), 218);
}

/// Guards that completions and the man page know each subcommand.
#[test]
fn completions_and_man_page_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["head", "concat", "verify", "diff", "npz"] {
        assert!(ok(folder.path(), &["completions", "bash"]).contains(command));
        assert!(ok(folder.path(), &["man"]).contains(command));
        assert!(ok(folder.path(), &["man", command]).contains(&format!("npy\\-{command}")));
    }
}

/// Guards files that an append cannot change: those whose header has no blanks for another digit, and those with other rows. They keep uncounted rows,
/// and the start of one.
#[test]
fn an_append_that_is_refused_leaves_the_file_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    vec![1.0, 2.0].write_npy(path.join("two.npy")).unwrap();
    vec![1i32].write_npy(path.join("other.npy")).unwrap();
    let dict = b"{'descr': '<f8', 'fortran_order': False, 'shape': (9,)}\n";
    let length = u8::try_from(dict.len()).unwrap();
    let tight = [b"\x93NUMPY\x01\0", &[length, 0][..], dict, &[0; 72]].concat();
    let spacious = {
        vec![0.0; 9].write_npy(path.join("x.npy")).unwrap();
        fs::read(path.join("x.npy")).unwrap()
    };
    for (file, input, says) in [
        (&tight, "two.npy", "its header has no blanks for the digits of"),
        (&tight, "other.npy", "npy convert other.npy"),
        (&spacious, "other.npy", "npy convert other.npy"),
    ] {
        for (tail, options) in [
            (&[0u8; 3][..], &[][..]),
            (&[0; 3], &["--uncounted", "keep"]),
            (&[0; 11], &["--uncounted", "keep"]),
            (&[0; 11], &["--uncounted", "remove"]),
        ] {
            let before = [file, tail].concat();
            fs::write(path.join("x.npy"), &before).unwrap();
            let (exit, message) = code(path, &[&["append", "x.npy", input], options].concat());
            assert!(exit == 2 && message.contains(says), "{message}");
            assert!(fs::read(path.join("x.npy")).unwrap() == before, "{input} {options:?}");
        }
    }
    // Nine rows, one of them not counted, have as many digits.
    let eight = String::from_utf8_lossy(dict).replace("(9,)", "(8,)").into_bytes();
    fs::write(path.join("x.npy"), [&tight[..10], &eight, &[0; 72]].concat()).unwrap();
    ok(path, &["append", "x.npy", "--uncounted", "keep"]);
}

/// Guards a file with two arrays, as `np.save` writes them to one open file: the second is left out with a remark. So are rows that the header does not count.
#[test]
fn bytes_after_an_array_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u8, 2].write_npy(path.join("a.npy")).unwrap();
    let one = fs::read(path.join("a.npy")).unwrap();
    fs::write(path.join("two.npy"), [&one[..], &one].concat()).unwrap();
    fs::write(path.join("more.npy"), [&one[..], &[3]].concat()).unwrap();
    fs::write(path.join("grows.npy"), &one).unwrap();
    for args in [
        &["cat", "#"][..],
        &["head", "#"],
        &["tail", "#"],
        &["stats", "#"],
        &["convert", "#", "o.npy"],
        &["convert", "#", "o.npz", "--force"],
        &["convert", "#", "o.csv"],
        &["convert", "#", "o.safetensors", "--force"],
        &["npz", "pack", "p.npz", "x=#", "--force"],
        &["concat", "#", "-o", "o.npy"],
        &["append", "grows.npy", "#"],
        &["diff", "#", "a.npy"],
        &["diff", "a.npy", "#"],
        &["plot", "#", "-o", "p.svg"],
        &["view", "#", "-o", "v.html"],
    ] {
        for (name, remark) in [
            (
                "two.npy",
                "note: two.npy: left out: 130 bytes follow the array, which begin another array\n",
            ),
            (
                "more.npy",
                "note: more.npy: left out: 1 byte follows the array: 1 row that the header does not count",
            ),
            ("a.npy", ""),
        ] {
            let of = |input| args.iter().map(|arg| arg.replace('#', input)).collect::<Vec<_>>();
            let (exit, message) = code(path, &of(name));
            assert!(exit == 0 && message.starts_with(remark), "{args:?}: {message}");
            assert_eq!(message.matches("left out").count(), usize::from(!remark.is_empty()));
            // The bytes after the array of a stream are not counted.
            let remark = match name {
                "two.npy" => {
                    "note: standard input: left out: more bytes follow the array, which begin another array\n"
                }
                "more.npy" => "note: standard input: left out: more bytes follow the array\n",
                _ => "",
            };
            assert_eq!(with_input(path, name, &of("-")), (0, remark.to_owned()), "{args:?}");
        }
    }
}
