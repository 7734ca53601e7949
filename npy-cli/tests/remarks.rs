//! `npy convert`: text of `np.savetxt`, and messages and remarks that name what to do.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use npy_core::{DynArray, Header, NpyArray, ReadNpy, WriteNpy};

fn npy(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap()
}

/// Runs the command, and returns its exit code and its messages.
fn code(directory: &Path, args: &[&str]) -> (i32, String) {
    let output = npy(directory, args);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn ok(directory: &Path, args: &[&str]) {
    let output = npy(directory, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    assert!(output.stderr.is_empty(), "{args:?}: {output:?}");
}

/// Guards text as `np.savetxt` writes it: fields between blanks, names and comments after `#`.
#[test]
fn text_of_savetxt_is_read_as_loadtxt_reads_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let write = |text: &str| fs::write(path.join("x.csv"), text).unwrap();
    let convert = |args: &[&str]| {
        let output = npy(path, &[&["convert", "x.csv", "x.npy"], args].concat());
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    let found = || {
        let array = DynArray::read_npy(path.join("x.npy")).unwrap();
        let values = array.as_bytes().chunks_exact(8);
        let values: Vec<f64> =
            values.map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect();
        (array.shape().to_vec(), array.dtype().to_string(), values)
    };
    let plain = (vec![2, 3], "<f8".to_owned(), vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let dtype = "[('x', '<f8'), ('y', '<f8'), ('z', '<f8')]".to_owned();
    let named = (vec![2], dtype, plain.2.clone());

    write("1.0 2.0 3.0\n4.0 5.0 6.0\n");
    for args in [&[][..], &["--no-header"]] {
        let (is_done, message) = convert(args);
        assert!(!is_done && message.contains("--delimiter ' '"), "{message}");
    }
    assert!(convert(&[]).1.contains("--delimiter ' ' --no-header,"));
    let blanks = ["--delimiter", " ", "--no-header"];
    for text in [
        "1.0 2.0 3.0\n4.0 5.0 6.0\n",
        "  1.0\t2.0   3.0 \n 4.0  5.0 6.0\r\n",
        "# x y z\n1.0 2.0 3.0\n4.0 5.0 6.0\n# end\n",
    ] {
        write(text);
        assert!(convert(&blanks).0, "{text}");
        assert_eq!(found(), plain, "{text}");
    }
    assert!(convert(&blanks[..2]).0);
    assert_eq!(found(), named);
    for text in [
        "# x,y,z\n1.0,2.0,3.0\n4.0,5.0,6.0\n",
        "#x,y,z\n1.0,2.0,3.0\n4.0,5.0,6.0\n",
        "# made by hand\n# x, y, z\n1.0,2.0,3.0\n# half of it\n#,,\n4.0,5.0,6.0\n",
        "# made by hand\nx,y,z\n1.0,2.0,3.0\n4.0,5.0,6.0\n",
    ] {
        write(text);
        assert!(convert(&[]).0, "{text}");
        assert_eq!(found(), named, "{text}");
    }
    assert!(convert(&["--header"]).0);

    // A name, and values, that begin with # are not comments.
    for (text, dtype) in [
        ("#id,color\nbob,#ff0000\n", "[('#id', '<U3'), ('color', '<U7')]"),
        ("color,n\n#ff0000,1\nred,2\n", "[('color', '<U7'), ('n', '<i8')]"),
        ("first name\nBob Smith\n", "[('first name', '<U9')]"),
    ] {
        write(text);
        assert!(convert(&[]).0, "{text}");
        assert_eq!(found().1, dtype, "{text}");
    }
    for (text, part) in [
        ("a,b\n1,2\n3\n", "line 3 has 1 fields, and those before have 2; "),
        ("color,n\n#ff0000\nred,2\n", "line 2 has 1 fields"),
    ] {
        write(text);
        let (is_done, message) = convert(&[]);
        assert!(!is_done && message.contains(part), "{message}");
    }
}

/// Guards that a column of numbers does not become text without a remark.
#[test]
fn a_single_text_among_numbers_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (text, args, remark) in [
        ("a\n1\nn/a\n3\n", &[][..], "column a is text because of \"n/a\" in row 1"),
        ("a\n1\nx\ny\n", &[], ""),
        ("a\n007\n12\n", &[], ""),
        ("a,b\n1, 2\n3, 4\n", &[], "column b is text: there are blanks around its numbers"),
        ("a,b\n1,2\n3,4\n5,6\n", &["--no-header"], "leave out --no-header"),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        let (code, message) = code(path, &[&["convert", "x.csv", "x.npy"], args].concat());
        assert_eq!((code, message.contains(remark)), (0, true), "{text}: {message}");
        assert_eq!(message.is_empty(), remark.is_empty(), "{message}");
    }
}

/// Guards that messages name the command or the option that does it.
#[test]
fn messages_of_convert_name_what_does_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    [0.5f64, 0.0].write_npy(path.join("x.npy")).unwrap();
    fs::write(path.join("r.csv"), "a,b\n1,2\n").unwrap();
    NpyArray::new(vec![1.0f64; 4], [2, 2]).unwrap().write_npy(path.join("t.npy")).unwrap();
    for (args, part) in [
        (
            &["convert", "x.npy", "o.npy", "--dtype", "i4"][..],
            "; --cast numeric cuts off fractions",
        ),
        (&["convert", "x.npy", "o.npy", "--dtype", "flot32"], "did you mean float32?"),
        (&["convert", "x.npy", "o.npy", "--where", "a > 1"], "npy sql chooses rows"),
        (&["cat", "x.npy[a>0.5]"], "npy sql chooses rows"),
        (&["convert", "x.npy", "o.csv", "--no-header"], "IN is not CSV"),
        (&["npz", "add", "a.npz", "x.npy"], "npy npz pack --append adds members"),
        (&["npz", "pack", "o.npz", "x=x.npy", "x=t.npy"], "such as x_2=t.npy"),
        (&["append", "t.npy", "r.csv"], "npy convert --dtype makes of records"),
        (&["max", "x.npy"], "did you mean stats?"),
    ] {
        let (code, message) = code(path, args);
        assert_eq!((code, message.contains(part)), (2, true), "{args:?}: {message}");
    }
    let rows = npy(path, &["cat", "t.npy", "--csv", "--no-header"]).stdout;
    assert_eq!(rows, b"1.0,1.0\n1.0,1.0\n");
    assert_eq!(code(path, &["cat", "t.npy", "--jsonl", "--no-header"]).0, 2);
    ok(path, &["convert", "x.npy", "o.npy", "--dtype", "np.dtype('<f4')"]);
    assert_eq!(Header::read_npy(path.join("o.npy")).unwrap().dtype().to_string(), "<f4");
}

/// Guards that a stored member does not come into a compressed archive without a remark.
#[test]
fn a_stored_member_among_compressed_ones_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    [0.5f64; 10].write_npy(path.join("x.npy")).unwrap();
    ok(path, &["npz", "pack", "-z", "z.npz", "x.npy"]);
    ok(path, &["npz", "pack", "s.npz", "x.npy"]);
    for (args, is_told) in [
        (&["npz", "pack", "--append", "s.npz", "y=x.npy"][..], false),
        (&["npz", "pack", "--append", "-z", "z.npz", "y=x.npy"], false),
        (&["convert", "x.npy", "z.npz::w", "--compress"], false),
        (&["npz", "pack", "--append", "z.npz", "a=x.npy"], true),
        (&["npz", "rm", "z.npz", "a"], false),
        (&["convert", "x.npy", "z.npz::w"], true),
    ] {
        let (code, message) = code(path, args);
        assert_eq!((code, message.contains("members are compressed")), (0, is_told), "{message}");
    }
}
