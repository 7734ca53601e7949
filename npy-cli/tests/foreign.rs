//! `npy convert`: text of other programs, with their comments, titles, units and commas. The commands of messages read it as pasted.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{npy, ok};

/// Converts a text, and returns its rows as CSV, and the messages.
fn convert(directory: &Path, text: &str, args: &[&str]) -> (Option<String>, String) {
    fs::write(directory.join("x.csv"), text).unwrap();
    let output = npy(directory, &[&["convert", "x.csv", "x.npy"], args].concat());
    let rows = output.status.success().then(|| ok(directory, &["cat", "x.npy", "--csv"]));
    (rows, String::from_utf8(output.stderr).unwrap())
}

/// Guards the comments of MATLAB, which make numbers text: a remark or an error has the option that leaves them out. Rows that begin with the mark stay rows.
#[test]
fn lines_of_matlab_have_an_option() {
    let directory = tempfile::tempdir().unwrap();
    for (text, expected) in [
        ("% a note\n% more\n1 2\n3 4\n", "[0],[1]\n1,2\n3,4\n"),
        ("% a note\n1,2\n3,4\n", "[0],[1]\n1,2\n3,4\n"),
        ("% a note\na,b\n1,2\n", "a,b\n1,2\n"),
        ("%a note\r\n\r\n%%\r\na,b\r\n1,2\r\n", "a,b\n1,2\n"),
        ("% a note, with a comma\na,b\n1,2\n", "a,b\n1,2\n"),
    ] {
        let (_, messages) = convert(directory.path(), text, &[]);
        let (_, advice) = messages.split_once("begin with % are comments, npy convert ").unwrap();
        let option = advice.split_once(" leaves them out").unwrap().0;
        let args: Vec<&str> = option.split(' ').collect();
        let (rows, messages) = convert(directory.path(), text, &args);
        assert_eq!(rows.as_deref(), Some(expected), "{text:?}: {messages}");
    }
    // These are names or rows.
    for (text, args, expected) in [
        ("%idle,%user\n1,2\n", &[][..], "%idle,%user\n1,2\n"),
        ("% a,b\nx,y\nz,w\n", &[], "% a,b\nx,y\nz,w\n"),
        ("%\n12\n", &[], "%\n12\n"),
        ("%1,2\n% n,4\n%0,3\n", &["--no-header"], "0,1\n%1,2\n% n,4\n%0,3\n"),
        (
            "%5;1;\n%6;2;x\n7;3;y\n",
            &["--no-header", "--delimiter", ";"],
            "0,1,2\n%5,1,\n%6,2,x\n7,3,y\n",
        ),
    ] {
        let (rows, messages) = convert(directory.path(), text, args);
        assert_eq!(rows.as_deref(), Some(expected), "{text:?}: {messages}");
        assert!(!messages.contains("comments"), "{text:?}: {messages}");
    }
}

/// Guards lines with the mark of another program, which are an error that named no option.
#[test]
fn the_comments_of_other_programs_have_an_option() {
    let directory = tempfile::tempdir().unwrap();
    for (text, mark, advice) in [
        ("; a note\na,b\n1,2\n", ";", "--comments ';'"),
        ("// a note\n1,2\n3,4\n", "/", "--comments / --no-header"),
        ("! a note\na,b\n1,2\n", "!", "--comments '!'"),
        ("a,b\n1,2\n% in the middle\n3,4\n", "%", "--comments %"),
        ("% a note\n1,2\n% in the middle\n3,4\n", "%", "--comments % --no-header"),
        ("' a note\na,b\n1,2\n", "'", "--comments \"'\""),
    ] {
        let (_, message) = convert(directory.path(), text, &[]);
        let part = format!("are comments, npy convert {advice} leaves them out\n");
        assert!(message.ends_with(&part), "{text:?}: {message}");
        let mut args = vec!["--comments", mark];
        args.extend(advice.split(' ').skip(2));
        let (rows, message) = convert(directory.path(), text, &args);
        assert!(rows.is_some_and(|rows| rows.contains("\n1,2\n")), "{text:?}: {message}");
    }
    // Other errors do not name a mark.
    let (_, message) = convert(directory.path(), "a,b\n1,2\n3\n", &[]);
    assert!(message.ends_with("add what is missing\n"), "{message}");
}

/// Guards numbers that a person sees and that are text, or an error: the command in the message makes a file that is read as numbers.
#[cfg(unix)]
#[test]
fn titles_and_units_have_a_command() {
    let directory = tempfile::tempdir().unwrap();
    for (text, args, before, expected) in [
        ("time,speed\ns,m/s\n1,2.5\n", &[][..], "if the line has units, ", "time,speed\n1,2.5\n"),
        ("# c\nt,v,n\n\ns,m/s,\n1,2,a\n", &[], "if the line has units, ", "t,v,n\n1,2,a\n"),
        ("my title\na,b\n1,2\n", &[], "if a title precedes it, ", "a,b\n1,2\n"),
        ("\"title\"\r\n\r\na,b\r\n1,2\r\n", &[], "if a title precedes it, ", "a,b\n1,2\n"),
    ] {
        let (_, messages) = convert(directory.path(), text, args);
        let (_, advice) = messages.lines().next().unwrap().split_once(before).expect(&messages);
        let command = advice.split_once(" > rows.csv ").expect(&messages).0;
        let copy = Command::new("sh").args(["-c", command]).current_dir(directory.path()).output();
        let copy = String::from_utf8(copy.unwrap().stdout).unwrap();
        let (rows, messages) = convert(directory.path(), &copy, args);
        assert_eq!(rows.as_deref(), Some(expected), "{text:?}: {copy:?} {messages}");
        assert!(messages.is_empty(), "{text:?}: {messages}");
    }
    // One text among numbers is not certain.
    let (_, messages) = convert(directory.path(), "a,b\nx,y\n1,z\n2,w\n", &[]);
    assert!(
        messages.ends_with("because of \"x\" in row 0, and the other values are numbers\n"),
        "{messages}"
    );
}

/// Guards numbers with a comma: the option reads them, without a change of any text, and nothing that may be another number.
#[test]
fn decimal_commas_are_read_by_an_option() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (text, delimiter, option, expected) in [
        ("a;b\n1,5;2\n", ";", "--decimal ,", "a,b\n1.5,2\n"),
        (
            "a;b\n-1.234,5;2.000\n,5;-1.000.000\n+2,5e3;3\n",
            ";",
            "--decimal ,",
            "a,b\n-1234.5,2000\n0.5,-1000000\n2500.0,3\n",
        ),
        ("a;b\n1,234.5;2\n", ";", "--decimal .", "a,b\n1234.5,2\n"),
        ("a,b\n\"1,234,567.5\",\"1,234\"\n", ",", "--decimal .", "a,b\n1234567.5,1234\n"),
        (
            "a;b\n1,5;S\u{fc}d, 3.5 m\n2,5;1,5\n",
            ";",
            "--decimal ,",
            "a,b\n1.5,\"S\u{fc}d, 3.5 m\"\n2.5,\"1,5\"\n",
        ),
        (
            "a;b\n1,5;31.12.2024\n;01.01.2025\n",
            ";",
            "--decimal ,",
            "a,b\n1.5,31.12.2024\n,01.01.2025\n",
        ),
    ] {
        let (_, messages) = convert(path, text, &["--delimiter", delimiter]);
        assert!(messages.contains(&format!("{option} reads them")), "{messages}");
        let mut args = vec!["--delimiter", delimiter];
        args.extend(option.split(' '));
        let (rows, messages) = convert(path, text, &args);
        assert_eq!(rows.as_deref(), Some(expected), "{text:?}: {messages}");
    }
    let german = |text: &str, args: &[&str]| {
        convert(path, text, &[&["--delimiter", ";", "--decimal", ","], args].concat())
    };
    let mixed = "a;b\n1,5;1.5\n2,5;2.5\n";
    let records = "[('a', 'f4'), ('b', 'U')]";
    assert_eq!(german(mixed, &["--dtype", records]).0.as_deref(), Some("a,b\n1.5,1.5\n2.5,2.5\n"));
    for args in [&[][..], &["--dtype", "f8"], &["--dtype", "i8", "--cast", "numeric"]] {
        let (rows, messages) = german(mixed, args);
        assert!(
            rows.is_none() && messages.contains("row 0, field b: \"1.5\" has a point, "),
            "{messages}"
        );
    }
    // Of `0.500`, the point is decimal, and a comma is not between fields, too.
    let (_, messages) = german("a;b\n-0.500;1\n1,5;2\n", &[]);
    assert!(messages.contains("\"-0.500\" has a point, "), "{messages}");
    for text in ["1,5;2,5\n3,5;4,5\n", "x\n1,5\n2,5\n", "1,5 2,5\n"] {
        let (rows, messages) = convert(path, text, &["--decimal", ",", "--no-header"]);
        let says = messages.contains("name what is between fields, such as --delimiter ';'");
        assert!(rows.is_none() && says, "{messages}");
    }
    // A row is not lost as names, and a word is what makes a column text.
    assert!(german("1,5;2,5\n3,5;4,5\n", &[]).1.contains("--no-header"));
    let (rows, messages) = german("a;b\n1,5;1\nabc;2\n2,5;3\n", &[]);
    assert_eq!(rows.as_deref(), Some("a,b\n\"1,5\",1\nabc,2\n\"2,5\",3\n"));
    assert!(messages.contains("because of \"abc\" in row 1"), "{messages}");
}
