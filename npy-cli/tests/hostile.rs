//! Files that are made to break the command, and arguments that can be read only once.

use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use npy_core::{DType, DynArray, Order, WriteNpy, npz};
use npy_tests::pickles::objects;
use npy_tests::zips::{self, Raw};

/// Runs the command in a directory.
fn npy(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap()
}

/// Returns all files of the corpus.
fn corpus() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/files")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    assert!(files.len() > 500);
    files
}

/// Guards that each file of the corpus has an exit code and messages for people, whatever is wrong with it: none names a function of the
/// library.
#[test]
fn no_message_names_a_function_of_the_library() {
    let folder = tempfile::tempdir().unwrap();
    // In quick runs every twentieth file.
    let steps = if npy_tests::is_thorough() { 1 } else { 20 };
    for file in corpus().into_iter().step_by(steps) {
        let name = file.to_str().unwrap();
        for command in [
            &["info"][..],
            &["verify"],
            &["repair"],
            &["concat", "-o", "out.npy"],
            &["append", "x.npy"],
            &["plot", "-o", "x.svg"],
        ] {
            fs::remove_file(folder.path().join("out.npy")).ok();
            [1i8].write_npy(folder.path().join("x.npy")).unwrap();
            let output = npy(folder.path(), &[command, &[name]].concat());
            assert!(output.status.code().is_some_and(|code| code < 3), "{name} {output:?}");
            let mut text = String::from_utf8(output.stderr).unwrap().replace(".npz::", "");
            let is_named = |line: &str| line.starts_with("npy: ") || line.starts_with("note: ");
            assert!(text.lines().all(is_named), "{text}");
            if command == ["verify"] || command == ["repair"] {
                text += &String::from_utf8(output.stdout).unwrap();
            }
            for word in ["npy_core", "Limits::", "Options::", "npz::", "Cast::", "Rust", "Vec<"] {
                assert!(!text.contains(word), "{command:?} {text}");
            }
        }
    }
}

/// Guards that the message says how much of the file there is, not how much there would be before the rows that were looked for.
#[test]
fn the_end_of_a_short_file_says_what_was_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    vec![0u8; 100_000].write_npy(path.join("x.npy")).unwrap();
    let file = fs::read(path.join("x.npy")).unwrap();
    fs::write(path.join("x.npy"), &file[..5128]).unwrap();
    let output = npy(path, &["tail", "x.npy"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("expected 100000 bytes of data, found 5000;"), "{text}");
}

/// Guards the bytes of a file in a message: they are not the end of it.
#[test]
fn the_start_of_a_file_is_complete_in_a_message() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.npy"), b"\xff; \x80cd").unwrap();
    let output = npy(folder.path(), &["head", "x.npy"]);
    let text = String::from_utf8(output.stderr).unwrap();
    let expected = "npy: x.npy: not a .npy file: it starts with \"\\xff; \\x80cd\" instead of \"\\x93NUMPY\"; if";
    assert!(text.starts_with(expected), "{text}");
}

/// Guards that the message is about an archive if the name of the file says that it is one.
#[test]
fn damaged_archives_are_called_archives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut writer = npz::Writer::create(path.join("x.npz")).unwrap();
    writer.write("a", &[1u8]).unwrap();
    writer.finish().unwrap();
    let archive = fs::read(path.join("x.npz")).unwrap();
    for (file, expected) in [
        (
            b"".to_vec(),
            "npy: x.npz: the archive is malformed: it is empty: the program that wrote it may not have finished; delete it or write it again\n",
        ),
        (b"PK\x03".to_vec(), "npy: x.npz: the archive is malformed: it has no end record"),
        (b"1,2,3\n".to_vec(), "npy: x.npz: not a .npz archive: it starts with \"1,2,3\\n\""),
        (
            [b"a line of text\n", &archive[..]].concat(),
            "npy: x.npz: the archive is malformed: the file begins with b\"a line\", where NumPy expects a member; npy repair x.npz -o OUT --yes restores it; or copy the file again\n",
        ),
    ] {
        fs::write(path.join("x.npz"), file).unwrap();
        let output = npy(path, &["x.npz"]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && text.starts_with(expected), "{text}");
    }
    // The name does not matter if the file is an array.
    [1u8].write_npy(path.join("x.npz")).unwrap();
    assert!(npy(path, &["x.npz"]).status.success());
}

/// Guards that nothing is extracted if one of the names leads out of the directory, or if one of the files exists.
#[test]
fn all_names_are_checked_before_a_member_is_extracted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (archive, name) in [("evil.npz", "a/../../b"), ("old.npz", "old")] {
        let mut writer = npz::Writer::create(path.join(archive)).unwrap();
        writer.write("good", &[1u8]).unwrap();
        writer.write(name, &[2u8]).unwrap();
        writer.finish().unwrap();
    }
    fs::create_dir(path.join("out")).unwrap();
    fs::write(path.join("out/old.npy"), b"").unwrap();
    for archive in ["evil.npz", "old.npz"] {
        let output = npy(path, &["npz", "extract", archive, "-C", "out"]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert_eq!(fs::read_dir(path.join("out")).unwrap().count(), 1);
    }
}

/// Guards that an archive can be written to a pipe: once, a file named `-` was made.
#[test]
fn archives_are_written_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u8, 2].write_npy(path.join("a.npy")).unwrap();
    for args in [&["convert", "a.npy", "-", "--to", "npz"][..], &["npz", "pack", "-", "a.npy"]] {
        let output = npy(path, args);
        assert!(output.status.success(), "{output:?}");
        let archive = npz::Reader::new(std::io::Cursor::new(output.stdout)).unwrap();
        assert_eq!(archive.read::<Vec<u8>>("a").unwrap(), [1, 2]);
    }
    assert_eq!(fs::read_dir(path).unwrap().count(), 1);
}

/// Guards that an archive in standard input is read once, so that each of its members is found.
#[test]
fn members_of_standard_input_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut writer = npz::Writer::create(path.join("m.npz")).unwrap();
    writer.write("a", &[1u8]).unwrap();
    writer.write("b", &[0.5, 2.0]).unwrap();
    writer.finish().unwrap();
    for args in [&["view", "-", "-o", "out"][..], &["convert", "-", "out", "--to", "npz"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
        command.args(args).current_dir(path).stdin(fs::File::open(path.join("m.npz")).unwrap());
        let output = command.output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        let text = fs::read(path.join("out")).unwrap();
        assert!(!String::from_utf8_lossy(&text).contains("not a .npy file"));
    }
    let archive = npz::Reader::open(path.join("out")).unwrap();
    assert_eq!(archive.read::<Vec<f64>>("b").unwrap(), [0.5, 2.0]);
}

/// Guards that a named pipe is opened once: the second time, nobody would write.
#[cfg(unix)]
#[test]
fn a_named_pipe_is_opened_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    vec![0.5; 100].write_npy(path.join("x.npy")).unwrap();
    assert!(Command::new("mkfifo").arg(path.join("pipe")).status().unwrap().success());
    for args in [
        &["verify", "pipe"][..],
        &["info", "pipe"],
        &["stats", "pipe"],
        &["view", "pipe", "-o", "x.html"],
        &["plot", "pipe", "-o", "x.svg"],
        &["convert", "pipe", "x.npz"],
        &["concat", "-o", "two.npy", "pipe", "x.npy"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
        command.args(args).current_dir(path).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        fs::write(path.join("pipe"), fs::read(path.join("x.npy")).unwrap()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{args:?} {output:?}");
    }
}

/// Guards that a pipe which is never closed does not hold up a command that changes a file, and that archives are written to pipes.
#[cfg(unix)]
#[test]
fn pipes_are_written_and_never_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    vec![0.5; 3].write_npy(path.join("x.npy")).unwrap();
    assert!(Command::new("mkfifo").arg(path.join("p.npz")).status().unwrap().success());
    let pipe = fs::OpenOptions::new().read(true).write(true).open(path.join("p.npz")).unwrap();
    for args in [
        &["append", "p.npz", "x.npy"][..],
        &["npz", "rm", "p.npz", "a"],
        &["npz", "mv", "p.npz", "a", "b"],
        &["npz", "align", "p.npz"],
        &["npz", "pack", "--append", "p.npz", "x.npy"],
        &["convert", "x.npy", "p.npz::q"],
    ] {
        let expected = "npy: p.npz: is a pipe or a device; name a regular file\n";
        let output = npy(path, args);
        assert_eq!(String::from_utf8(output.stderr).unwrap(), expected, "{args:?}");
    }
    for args in [&["npz", "pack", "p.npz", "x.npy"][..], &["convert", "x.npy", "p.npz"]] {
        let output = npy(path, args);
        assert!(output.status.success(), "{output:?}");
        let mut archive = vec![0; 1 << 16];
        let length = (&pipe).read(&mut archive).unwrap();
        let archive = npz::Reader::new(Cursor::new(&archive[..length])).unwrap();
        assert_eq!(archive.read::<Vec<f64>>("x").unwrap(), [0.5; 3]);
    }
}

/// Guards that pictures of many rows show the values of all of them, with a part of the memory.
#[test]
fn pictures_of_many_rows_have_their_extremes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut values = vec![0.0f64; 300_000];
    (values[7], values[299_999]) = (-3.0, 5.0);
    values[1000] = f64::NAN;
    values.write_npy(path.join("x.npy")).unwrap();
    let plot = |args: &[&str]| {
        let output = npy(path, &[&["plot", "x.npy"], args].concat());
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let lines = plot(&[]);
    assert!(lines.starts_with("value: -3.0 … 5.0\n"), "{lines}");
    assert!(lines.contains(" 200000 "), "{lines}");
    let histogram = plot(&["-k", "histogram"]);
    let counts = histogram.lines().skip(1).filter_map(|line| line.split_whitespace().last());
    assert_eq!(counts.map(|count| count.parse::<u64>().unwrap()).sum::<u64>(), 299_999);
}

/// Guards that the largest floats have a picture: the difference of two is infinite.
#[test]
fn the_range_of_a_picture_may_be_larger_than_any_float() {
    let folder = tempfile::tempdir().unwrap();
    [-1.7e308, 0.0, 1.7e308].write_npy(folder.path().join("x.npy")).unwrap();
    for kind in ["line", "histogram"] {
        let output = npy(folder.path(), &["plot", "x.npy", "-k", kind, "-o", "-"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && !text.contains("NaN"), "{text}");
    }
}

/// Guards against a panic for text in sub-arrays without elements, beside fields with bytes.
#[test]
fn verify_accepts_text_in_sub_arrays_without_elements() {
    let folder = tempfile::tempdir().unwrap();
    let text = DType::record([("e", "<U3".parse::<DType>().unwrap().array([0]).unwrap())]).unwrap();
    let dtype = DType::record([("a", "<i4".parse().unwrap()), ("n", text.array([2]).unwrap())]);
    let array = DynArray::new(dtype.unwrap(), [3], Order::C, vec![0; 12]).unwrap();
    array.write_npy(folder.path().join("x.npy")).unwrap();
    let output = npy(folder.path(), &["verify", "x.npy"]);
    assert!(output.status.success(), "{output:?}");
}

/// Guards that the problem of a member has its name.
#[test]
fn verify_names_the_member_whose_pickle_imports_code() {
    let folder = tempfile::tempdir().unwrap();
    let pickle = objects(&[1], b"cposix\ngetcwd\n(tR");
    let bytes = zips::archive(b"", &[Raw::of("a.npy", &pickle), Raw::of("b.npy", &pickle)], b"");
    fs::write(folder.path().join("x.npz"), bytes).unwrap();
    let output = npy(folder.path(), &["verify", "x.npz"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for (line, name) in text.lines().zip(["a", "b"]) {
        let start = format!("x.npz: FAILED: member \"{name}\": np.load(allow_pickle=True) would ");
        assert!(line.starts_with(&start), "{text}");
    }
    assert_eq!(text.lines().count(), 2, "{text}");
}

/// Guards the memory for a member that is compressed to a thousandth: `extract` and `verify` need a little.
#[cfg(target_os = "linux")]
#[test]
fn a_large_member_takes_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let zeros = vec![0u64; 1 << 25];
    let archive = npz::WriteOptions::new().deflate(6).create(folder.path().join("x.npz"));
    let mut archive = archive.unwrap();
    archive.write("x", &zeros).unwrap();
    archive.finish().unwrap();
    for args in [&["npz", "extract", "x.npz"][..], &["verify", "x.npz"]] {
        let mut shell = Command::new("sh");
        let script = "ulimit -v 130000; exec \"$0\" \"$@\"";
        shell.args(["-c", script, env!("CARGO_BIN_EXE_npy")]).args(args);
        let output = shell.current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let size = folder.path().join("x.npy").metadata().unwrap().len();
    assert_eq!(size, 128 + (8 << 25));
}

/// Guards the memory for rows that have a key each, as a text can have many: it follows the output, and for the advice the text.
#[cfg(target_os = "linux")]
#[test]
fn keys_of_single_rows_take_no_memory_in_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let script = "ulimit -v 130000; exec \"$0\" \"$@\"";
        let mut shell = Command::new("sh");
        shell.args(["-c", script, env!("CARGO_BIN_EXE_npy")]).args(args);
        shell.current_dir(folder.path()).output().unwrap()
    };
    let text = |keys: usize| {
        let rows: Vec<String> = (0..keys).map(|at| format!("{{\"k{at}\":1}}")).collect();
        format!("[{}]", rows.join(","))
    };
    fs::write(folder.path().join("few.json"), text(1500)).unwrap();
    let output = run(&["convert", "few.json", "few.npy"]);
    assert!(output.status.success(), "{output:?}");
    fs::write(folder.path().join("many.dat"), text(4500)).unwrap();
    let message = String::from_utf8(run(&["head", "many.dat"]).stderr).unwrap();
    assert!(
        message.ends_with("npy convert many.dat OUT.npy --from json reads a table\n"),
        "{message}"
    );
    // One text makes all rows wide.
    let wide = format!("a,b\n1,\"{}\"\n{}", "x".repeat(30_000), "1,y\n".repeat(8000));
    fs::write(folder.path().join("wide.dat"), wide).unwrap();
    let message = String::from_utf8(run(&["head", "wide.dat"]).stderr).unwrap();
    assert!(
        message.ends_with("npy convert wide.dat OUT.npy --from csv reads a table\n"),
        "{message}"
    );
}
