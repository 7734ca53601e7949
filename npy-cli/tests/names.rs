//! Names: of files, which need not be text, and of subcommands.

use std::path::Path;
use std::process::Command;

use npy_core::{DynArray, Order, WriteNpy};

/// Runs the command in a directory, and returns its exit code and its messages.
fn code(directory: &Path, args: &[&str]) -> (i32, String) {
    let mut npy = Command::new(env!("CARGO_BIN_EXE_npy"));
    let output = npy.args(args).current_dir(directory).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Guards names that look like something else: a field named as a path, a column of CSV, a name with a comma.
#[test]
fn columns_are_found_by_the_names_that_are_printed() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path();
    let write = |name: &str, dtype: &str, bytes: Vec<u8>| {
        let array = DynArray::new(dtype.parse().unwrap(), [2], Order::C, bytes).unwrap();
        array.write_npy(path.join(name)).unwrap();
    };
    let fields = "[('v', '|u1', (2,)), ('v[0]', '|u1'), ('a,b', '|u1')]";
    write("v.npy", fields, vec![1, 2, 9, 5, 3, 4, 8, 6]);
    write("w.npy", fields, vec![1, 2, 0, 5, 3, 4, 0, 6]);
    let floats = [1.0f64, 2.0, 3.0, 4.0].map(f64::to_le_bytes).concat();
    write("z.npy", "<c16", floats.clone());
    write("r.npy", "[('z', '<c8'), ('n', '<f8')]", floats);
    let cat = |args: &[&str]| {
        let mut npy = Command::new(env!("CARGO_BIN_EXE_npy"));
        let output = npy.arg("cat").args(args).current_dir(path).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(cat(&["v.npy", "-c", "v[0]"]), "v[0]\n9\n8\n");
    assert_eq!(cat(&["v.npy", "-c", "v.0,a,b"]), "v[0],\"a,b\"\n1,5\n3,6\n");
    assert_eq!(code(path, &["diff", "-q", "v.npy", "w.npy", "-c", "v[0]"]).0, 1);
    assert_eq!(code(path, &["diff", "-q", "v.npy", "w.npy", "-c", "v.0"]).0, 0);
    write(
        "x.npy",
        "[('v', '|u1', (2,)), ('v[0]', '|u1'), ('x', '|u1')]",
        vec![1, 2, 9, 0, 7, 4, 8, 0],
    );
    let mut npy = Command::new(env!("CARGO_BIN_EXE_npy"));
    let output = npy.args(["diff", "v.npy", "x.npy"]).current_dir(path).output().unwrap();
    let found = String::from_utf8(output.stdout).unwrap();
    assert!(found.contains("row 1, v[0]: 3 → 7\n1 of 2 rows differ"), "{found}");
    assert_eq!(cat(&["z.npy", "-c", "value.im,value.re"]), "value.im,value.re\n2.0,1.0\n4.0,3.0\n");
    assert_eq!(cat(&["r.npy", "-c", "z.re"]).lines().count(), 3);
    for (file, column) in [("v.npy", "v[00]"), ("v.npy", "v.[0]"), ("r.npy", "n.re")] {
        let (exit, message) = code(path, &["cat", file, "-c", column]);
        assert!(exit == 2 && message.contains("there is no column"), "{message}");
    }
}

/// Guards members whose names look like slices, and files whose names look like those of members.
#[cfg(unix)]
#[test]
fn members_and_files_with_brackets_and_colons_are_found() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path();
    let mut archive = npy_core::npz::Writer::create(path.join("a::b.npz")).unwrap();
    archive.write("k", &[7u8, 8]).unwrap();
    archive.write("k[1]", &[1u8, 2]).unwrap();
    archive.write("k[x]", &[5u8]).unwrap();
    archive.finish().unwrap();
    for (target, expected) in [
        ("a::b.npz::k", "value\n7\n8\n"),
        ("a::b.npz::k[1]", "value\n1\n2\n"),
        ("a::b.npz::k[1][1:]", "value\n2\n"),
        ("a::b.npz::k[1:2]", "value\n8\n"),
        ("a::b.npz::k[x]", "value\n5\n"),
    ] {
        let mut npy = Command::new(env!("CARGO_BIN_EXE_npy"));
        let output = npy.args(["cat", target]).current_dir(path).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{target}");
    }
}

/// Guards that each subcommand reads and writes files whose names, and those of their directories, are not UTF-8; with members and slices.
#[cfg(target_os = "linux")]
#[test]
fn names_of_files_need_not_be_utf_8() {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;

    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join(OsStr::from_bytes(b"r\xe9sultats"));
    std::fs::create_dir(&folder).unwrap();
    [1.5f64, 2.5, 3.5].write_npy(folder.join(OsStr::from_bytes(b"\xff.npy"))).unwrap();
    let run = |args: &[&[u8]]| {
        let mut npy = Command::new(env!("CARGO_BIN_EXE_npy"));
        // `%` is the directory.
        let args = args.iter().map(|&arg| match arg.iter().position(|&byte| byte == b'%') {
            Some(at) => {
                let mut path = OsString::from(OsStr::from_bytes(&arg[..at]));
                path.push(folder.join(OsStr::from_bytes(&arg[at + 1..])));
                path
            }
            None => OsStr::from_bytes(arg).to_owned(),
        });
        let output = npy.args(args.collect::<Vec<_>>()).current_dir(root.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for args in [
        &[&b"%\xff.npy"[..]][..],
        &[b"info", b"%\xff.npy"],
        &[b"head", b"%\xff.npy[1:]"],
        &[b"tail", b"%\xff.npy"],
        &[b"sample", b"%\xff.npy"],
        &[b"stats", b"%\xff.npy"],
        &[b"diff", b"%\xff.npy", b"%\xff.npy"],
        &[b"verify", b"%\xff.npy"],
        &[b"struct", b"%\xff.npy", b"--name", b"Row"],
        &[b"plot", b"%\xff.npy"],
        &[b"plot", b"%\xff.npy", b"-o", b"%\xfe.svg"],
        &[b"view", b"%\xff.npy", b"-o", b"%\xfe.html"],
        &[b"convert", b"%\xff.npy", b"%\xfe.npz"],
        &[b"convert", b"%\xff.npy", b"%\xfe.npz::named"],
        &[b"convert", b"%\xff.npy", b"%\xfe.csv"],
        &[b"concat", b"-o", b"%\xfe.npy", b"%\xff.npy[:2]", b"%\xff.npy"],
        &[b"append", b"%\xfe.npy", b"%\xff.npy"],
        &[b"npz", b"pack", b"%\xfd.npz", b"x=%\xff.npy", b"y=%\xff.npy[0]"],
        &[b"npz", b"mv", b"%\xfd.npz", b"x", b"z"],
        &[b"npz", b"rm", b"%\xfd.npz", b"y"],
        &[b"npz", b"extract", b"%\xfd.npz", b"-C", b"%\xfc"],
    ] {
        run(args);
    }
    assert_eq!(run(&[b"cat", b"%\xfe.npz::named[-1:]"]), "value\n3.5\n");
    assert_eq!(run(&[b"cat", b"%\xfe.npy[3:]"]), "value\n2.5\n3.5\n1.5\n2.5\n3.5\n");
    assert_eq!(run(&[b"npz", b"list", b"%\xfd.npz"]), "z\n");
}

/// Guards that a subcommand with a slip of the fingers is not called a file, also if it has options.
#[test]
fn a_misspelled_subcommand_is_not_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u8].write_npy(path.join("t.npy")).unwrap();
    assert_eq!(code(path, &["npz", "pack", "t.npz", "a=t.npy"]).0, 0);
    std::fs::copy(path.join("t.npz"), path.join("it's.npz")).unwrap();
    for (args, meant) in [
        (&["heda", "t.npy"][..], "did you mean head?"),
        (&["heda", "-n", "1", "t.npy"], "did you mean head?"),
        (&["man", "stat"], "did you mean stats?"),
        (&["extract", "x", "x"], "did you mean npz extract?"),
        (&["slice", "--help"], "npy --help lists the subcommands"),
        (&["head", "-3", "t.npy"], "tip: the number of rows is '-n 3'"),
        (&["head", "-10", "t.npy"], "tip: the number of rows is '-n 10'"),
        (&["head", "t.npy", "3"], "tip: did you mean '-n 3'?"),
        (&["sample", "t.npy", "3"], "tip: did you mean '-n 3'?"),
        (
            &["convert", "x.csv", "o.npy", "--skip-header"],
            "tip: 'tail -n +2 IN | npy convert - OUT",
        ),
        (&["convert", "t.npy", "o.npy", "--shape", "2,2"], "tip: '--raw DTYPE,ROW' states"),
        (&["head", "t.npy", "--dtype", "f4"], "tip: data without a header is read by '--raw"),
        (&["repair", "t.npy", "--skip-header"], "tip: 'tail -c +129 FILE > rest.bin' cuts off"),
        (
            &["convert", "x.bin", "o.npy", "--raw", "<i2,3", "--offset", "16"],
            "tip: 'tail -c +129 FILE > rest.bin' cuts off",
        ),
        (&["npz", "extract", "-o", "d", "t.npz"], "tip: the directory for the files is '-C DIR'"),
        (&["head", "--limit", "3", "t.npy"], "tip: the number of rows is '-n ROWS'"),
        (
            &["cat", "--format=csv", "t.npy"],
            "tip: the format is '--csv', '--tsv', '--json' or '--jsonl'",
        ),
        (
            &["convert", "x.csv", "o.npy", "--sep", ";"],
            "tip: the character between fields is '--delimiter CHAR'",
        ),
        (
            &["convert", "x.csv", "o.npy", "--delim", ";"],
            "tip: a similar argument exists: '--delimiter'",
        ),
        (&["convert", "t.npy", "o.npy", "--cast", "unsafe"], "tip: the value is 'numeric'"),
        (
            &["convert", "t.npy", "o.npy", "--cast", "loseless"],
            "tip: a similar value exists: 'lossless'",
        ),
        (&["convert", "t.npy", "o.npy", "--endian", ">"], "tip: the value is 'big'"),
        (&["convert", "t.npy", "o.npy", "--to", "numpy"], "tip: the value is 'npy'"),
        (&["plot", "t.npy", "--kind", "hist"], "tip: the value is 'histogram'"),
        (&["npz", "rename", "t.npz", "a", "b"], "tip: the subcommand is 'mv'"),
        (&["npz", "lst", "t.npz"], "tip: a similar subcommand exists: 'list'"),
        (&["diff", "--tol", "1", "t.npy", "t.npy"], "tip: the tolerances are '--rtol R'"),
        (
            &["cat", "-n", "2", "t.npy"],
            "tip: 'npy head -n 2 FILE' prints the first rows, and FILE[0:2] has them",
        ),
        (&["cat", "--rows=3", "t.npy"], "tip: 'npy head -n 3 FILE'"),
        (&["stats", "-5", "t.npy"], "tip: 'npy head -n 5 FILE'"),
        (
            &["stats", "t.npy", "-n3"],
            "tip: 'npy head -n 3 FILE' prints the first rows, and FILE[0:3]",
        ),
        (&["t.npy", "-n", "2"], "tip: 'npy head -n 2 FILE'"),
        (
            &["verify", "-n", "2", "t.npy"],
            "has them for cat, stats, diff, plot, view, convert, concat and append",
        ),
        (&["diff", "--decimal", "1", "t.npy", "t.npy"], "tip: the tolerances are '--rtol R'"),
        (
            &["npz", "pack", "x.npz", "t.npy", "--key", "a"],
            "tip: a member gets another name by NAME=FILE",
        ),
        (
            &["npz", "pack", "x.npz", "t.npy", "-m", "a"],
            "tip: a member gets another name by NAME=FILE",
        ),
        (&["npz", "extract", "x.npz", "-m", "a"], "tip: members are arguments after the archive"),
        (&["convert", "t.npy", "o.npy", "--offset", "1"], "tip: a slice leaves out the first rows"),
        (&["head", "t.npy", "-o", "x.csv"], "tip: 'npy convert FILE OUT.csv' writes a file"),
        (&["tail", "t.npy", "--skip", "2"], "tip: a slice leaves out the first rows"),
        (&["stats", "--cols", "a", "t.npy"], "tip: the columns are '-c NAMES'"),
        (&["cat", "--sort-by", "a", "t.npy"], "tip: npy sql sorts and groups"),
        (&["convert", "t.npy", "-o", "x.csv"], "tip: the output is the second argument"),
        (&["convert", "t.npy", "x.npy", "--astype", "f4"], "tip: the dtype is '--dtype DTYPE'"),
        (&["npz", "pack", "x.npz", "t.npy", "--update"], "tip: '--append' adds the arrays"),
        (&["repair", "t.npy", "--in-place"], "tip: FILE stays as it is"),
        (&["info", "t.npy", "--shape"], "tip: 'npy info FILE' prints both"),
        (&["append", "t.npy", "t.npy", "--axis", "1"], "'npy concat --axis N -o OUT FILE IN'"),
        (&["plot", "t.npy", "--no-axes"], "tip: '--pixels' writes the pixels"),
        (&["plot", "t.npy", "--pixels", "-k", "heatmap", "-o", "x.png"], "leave out one of them"),
        (&["head", "t.npz", "a"], "tip: a member of an archive is t.npz::a\n"),
        (&["head", "it's.npz", "a"], "tip: a member of an archive is \"it's.npz::a\"\n"),
        (&["stats", "t.npz", "t.npz"], "unexpected argument 't.npz' found\n\nUsage"),
        (&["diff", "-q", "--json", "t.npy", "t.npy"], "cannot be used with '--json'"),
        (&["stats", "t.npz", "--member", "a"], "tip: a member of an archive is FILE::MEMBER"),
        (&["sample", "t.npy", "--frac", "0.5"], "tip: the number of rows is '-n ROWS'"),
        (&["convert", "t.npy", "o.npy", "--transpose"], "np.load('IN.npy').T)"),
        (&["hstack", "t.npy"], "did you mean concat --axis 1?"),
        (&["head", "-n", "1e3", "t.npy"], "for '--rows <ROWS>': write a whole number, such as 10"),
        (&["sample", "--seed", "x", "t.npy"], "write a whole number"),
    ] {
        let (exit, message) = code(path, args);
        assert!(exit == 2 && message.contains(meant), "{message}");
        assert!(message.matches("tip:").count() < 2, "{message}");
    }
    // No tip is better than one of no use.
    let (exit, message) = code(path, &["verify", "--frob", "t.npy"]);
    assert!(
        exit == 2 && message.contains("'--frob' found") && !message.contains("tip:"),
        "{message}"
    );
    let (exit, message) = code(path, &["heda.npy", "t.npy"]);
    assert!(exit == 2 && message.contains("No such file"), "{message}");
    [1u8].write_npy(path.join("heda")).unwrap();
    assert_eq!(code(path, &["heda", "t.npy"]).0, 0);
}
