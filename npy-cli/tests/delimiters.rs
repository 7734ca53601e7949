//! `npy convert`: the characters between the fields of a text, found or advised.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn npy(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap()
}

/// Converts a text, and returns its rows as CSV, or the message.
fn rows(directory: &Path, text: &str, args: &[&str]) -> Result<String, String> {
    fs::write(directory.join("x.csv"), text).unwrap();
    let output = npy(directory, &[&["convert", "x.csv", "x.npy"], args].concat());
    if !output.status.success() {
        return Err(String::from_utf8(output.stderr).unwrap());
    }
    let rows = npy(directory, &["cat", "x.npy", "--csv"]).stdout;
    Ok(String::from_utf8(rows).unwrap())
}

/// Guards text in one column because of a delimiter that was named: a note has the one that divides it, and no other note guesses.
#[test]
fn a_delimiter_that_divides_nothing_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (text, named, said) in [
        (
            "a,b\n1,2\n",
            ";",
            Some("\"a,b\"; if its parts are columns, use npy convert --delimiter ','"),
        ),
        ("a,b\n1,\"2,5\"\n3,4\n", ";", Some("use npy convert --delimiter ','")),
        ("a;b\n1;2\n", "\\t", Some("use npy convert --delimiter ';'")),
        ("a\tb\n1\t2\n", ";", Some("use npy convert --delimiter '\\t'")),
        ("name\nDoe, J\nRoe, R\n", ";", None),
        ("a;b\nx;y\n", ",", None),
        ("a;b\n1;2\n", ";", None),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        let output = npy(path, &["convert", "x.csv", "x.npy", "--delimiter", named]);
        let notes = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{notes}");
        match said {
            Some(said) => {
                assert!(notes.ends_with(&format!("{said}\n")), "{text}: {notes}");
                assert_eq!(notes.lines().count(), 1, "{notes}");
            }
            None => assert_eq!(notes, "", "{text}"),
        }
    }
    fs::write(path.join("x.csv"), "a,b\n1,2\n").unwrap();
    let output = npy(path, &["convert", "x.csv", "x.npy", "--no-header"]);
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(notes.contains("leave out --no-header if the first line has names"), "{notes}");
    fs::write(path.join("x.csv"), "a,b\n1\n").unwrap();
    let message = rows(path, "a,b\n1\n", &[]).unwrap_err();
    assert!(message.contains("line 2 has 1 field, and"), "{message}");
}

/// Guards text with another delimiter, which became one column of text: it is refused, also below a comment, and the options of the message read it.
#[test]
fn another_delimiter_is_advised() {
    let directory = tempfile::tempdir().unwrap();
    for (text, args, delimiter, more, expected) in [
        ("x;y\n1;2\n", &[][..], ";", &[][..], "x,y\n1,2\n"),
        ("1;2\n3;4\n", &[], ";", &["--no-header"], "[0],[1]\n1,2\n3,4\n"),
        ("# a note\nx;y\n1;2\n", &[], ";", &[], "x,y\n1,2\n"),
        ("# a;b\n1;2\n", &[], ";", &[], "a,b\n1,2\n"),
        ("# a note\nx y\n1 2\n", &[], " ", &[], "x,y\n1,2\n"),
        ("#two\nx y\n1 2\n", &[], " ", &[], "x,y\n1,2\n"),
        ("# a note\n1\t2\n", &[], "\\t", &["--no-header"], "[0],[1]\n1,2\n"),
        ("# a\tb\n1\t2\n", &[], "\\t", &[], "a,b\n1,2\n"),
        ("# a note\n1\t2\n", &["--no-header"], "\\t", &[], "[0],[1]\n1,2\n"),
        ("#two\n1\t2\n", &["--no-header"], "\\t", &[], "[0],[1]\n1,2\n"),
        ("x y\tz\n1 2\t3\n", &[], " ", &[], "x,y,z\n1,2,3\n"),
        ("size\tn\n10 500\t3\n", &[], "\\t", &[], "size,n\n10 500,3\n"),
        ("a;1\nb;2\n", &[], ";", &["--no-header"], "0,1\na,1\nb,2\n"),
        ("x;y\n1,5;2,5\n", &[], ";", &[], "x,y\n\"1,5\",\"2,5\"\n"),
        ("x;\"y;z\"\n1;2\n", &[], ";", &[], "x,y;z\n1,2\n"),
        ("\"a\";\"b c\"\n1;2\n3;4\n", &[], ";", &[], "a,b c\n1,2\n3,4\n"),
        ("\"a\";\"b\"\n\"1\";\"2\"\n", &[], ";", &[], "a,b\n1,2\n"),
        ("\"1\";\"2\"\n\"3\";\"4\"\n", &[], ";", &["--no-header"], "[0],[1]\n1,2\n3,4\n"),
        ("\"\";\"a\"\n\"r\";1,5\n", &[], ";", &[], "index,a\nr,\"1,5\"\n"),
        ("\"a\"\t\"b\"\t\"c\"\n1\t2\t3\n4\t5 6\t6\n", &[], "\\t", &[], "a,b,c\n1,2,3\n4,5 6,6\n"),
        ("\"a\" \"b c\"\n1 2\n", &[], " ", &[], "a,b c\n1,2\n"),
        ("a[0];a[1]\n1;2\n", &[], ";", &[], "a[0],a[1]\n1,2\n"),
        ("ch[0]\tch[1]\n1\t2\n", &[], "\\t", &[], "ch[0],ch[1]\n1,2\n"),
        ("[0] [1]\n1 2\n", &[], " ", &[], "[0],[1]\n1,2\n"),
    ] {
        let message = rows(directory.path(), text, args).expect_err(text);
        let option: String = more.iter().map(|option| format!(" {option}")).collect();
        let advice = format!(
            "use npy convert --delimiter '{delimiter}'{option}, and otherwise --delimiter ,\n"
        );
        assert!(message.ends_with(&advice), "{text}: {message}");
        let found =
            rows(directory.path(), text, &[args, &["--delimiter", delimiter], more].concat());
        assert_eq!(found.as_deref(), Ok(expected), "{text}");
    }
    // With the other delimiter, the lines have different numbers of fields.
    for (text, counts, more, expected) in [
        ("x\n1 2\n3 4\n", "2 fields and the first line 1, if ' '", &[][..], "x\n1 2\n3 4\n"),
        ("1\n1 2\n", "2 fields and the first line 1, if ' '", &["--no-header"], "[0]\n1\n1 2\n"),
        (
            "1;2\n1;2;3\n",
            "3 fields and the first line 2, if ';'",
            &["--no-header"],
            "[0]\n1;2\n1;2;3\n",
        ),
        ("x;y\nz\n", "1 field and the first line 2, if ';'", &[], "x;y\nz\n"),
        ("\"a b\"\n1 2\n3 4\n", "2 fields and the first line 1, if ' '", &[], "a b\n1 2\n3 4\n"),
        ("\"a;b\"\n1;2\n", "2 fields and the first line 1, if ';'", &[], "a;b\n1;2\n"),
        ("title\n1\t2\n", "2 fields and the first line 1, if '\\t'", &[], "title\n1\t2\n"),
    ] {
        let message = rows(directory.path(), text, &[]).expect_err(text);
        let option: String = more.iter().map(|option| format!(" {option}")).collect();
        let advice = format!(
            " has {counts} divides them; npy convert --delimiter ,{option} reads one column of text\n"
        );
        assert!(message.ends_with(&advice), "{text}: {message}");
        let found = rows(directory.path(), text, &[&["--delimiter", ","], more].concat());
        assert_eq!(found.as_deref(), Ok(expected), "{text}");
    }
    // Long lines are shortened.
    let line = format!("a;{}", "b".repeat(10_000));
    for next in ["1;2", &line, &format!("{line};c")] {
        let message = rows(directory.path(), &format!("{line}\n{next}\n"), &[]).unwrap_err();
        assert!(message.contains("bbb…\"") && message.len() < 400, "{message}");
    }
}

/// Guards columns of text with blanks between digits: below the names that the command writes, and in quotes, they are one column.
#[test]
fn a_column_of_text_is_not_divided_at_blanks() {
    let directory = tempfile::tempdir().unwrap();
    for (text, args, expected) in [
        ("[0]\n3 4\n", &[][..], "[0]\n3 4\n"),
        ("[0]\n3 4\n", &["--dtype", "U3"], "[0]\n3 4\n"),
        ("value\n3 4\n", &[], "value\n3 4\n"),
        ("x[0]\n3 4\n", &[], "x[0]\n3 4\n"),
        ("x y[0].z\n3 4\n", &[], "x y[0].z\n3 4\n"),
        ("[0]\n3;4\n", &[], "[0]\n3;4\n"),
        ("x\n\"1 2\"\n", &[], "x\n1 2\n"),
        ("\"1;2\"\n\"3;4\"\n", &["--no-header"], "[0]\n1;2\n3;4\n"),
    ] {
        assert_eq!(rows(directory.path(), text, args).as_deref(), Ok(expected), "{text}");
    }
}

/// Guards rows that begin with the delimiter, or with quotes, and were left out as comments.
#[test]
fn a_comment_does_not_begin_as_a_field_does() {
    let directory = tempfile::tempdir().unwrap();
    for (text, args, part) in [
        (
            "x,y\n,2\n",
            &["--comments", ","][..],
            "--comments ',': fields have this character between them; choose another one, or name the delimiter with --delimiter\n",
        ),
        (
            "x\ty\n\t2\n",
            &["--delimiter", "\\t", "--comments", "\t"],
            "--comments '\\t': fields have this character between them; choose another one\n",
        ),
        ("sep=;\nx;y\n;2\n", &["--comments", ";"], "--comments ';': fields"),
        ("x,y\n\"1\",2\n", &["--comments", "\""], "fields have quotes"),
    ] {
        let message = rows(directory.path(), text, args).expect_err(text);
        assert!(message.contains(part), "{text}: {message}");
    }
}

/// Guards the error of text whose comments have quotes: it is about the rows, which the quotes would hide.
#[test]
fn a_quote_in_a_comment_does_not_hide_the_error() {
    let directory = tempfile::tempdir().unwrap();
    for text in ["# \"quote\n1.5 2.5\n3.5 4.5\n", "1.5 2.5\n3.5 4.5\n# a \"b\n"] {
        let message = rows(directory.path(), text, &[]).expect_err(text);
        assert!(message.contains("npy convert --no-header reads it as a row"), "{text}: {message}");
        let found = rows(directory.path(), text, &["--no-header"]);
        assert_eq!(found.as_deref(), Ok("[0],[1]\n1.5,2.5\n3.5,4.5\n"), "{text}");
    }
}

/// Guards rows of numbers that `np.loadtxt` reads: with comments after them, or with both blanks and tabs between them.
#[test]
fn rows_of_numbers_are_read_as_loadtxt_reads_them() {
    const COMMENT: &str = "1 line has a comment at its end: left out";
    const BLANKS: &str = "its fields have blanks between them";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (text, args, remark, expected) in [
        (
            "1.5 2.5 # first\n3.5 4.5\n",
            &["--no-header"][..],
            COMMENT,
            "[0],[1]\n1.5,2.5\n3.5,4.5\n",
        ),
        ("1,2 # \"one\n3,4\n", &["--no-header"], COMMENT, "[0],[1]\n1,2\n3,4\n"),
        ("a,b\n1,2 # one\n3,4\n", &[], COMMENT, "a,b\n1,2\n3,4\n"),
        ("a,b\n1,2 % one\n3,4\n", &["--comments", "%"], "", "a,b\n1,2\n3,4\n"),
        ("n\n1 # one\n2\n", &["--dtype", "[('n', 'U9')]"], "", "n\n1 # one\n2\n"),
        ("1 2\t3\n4\t5 6\n", &["--no-header"], BLANKS, "[0],[1],[2]\n1,2,3\n4,5,6\n"),
        ("# x y z\n1 2\t3\n", &[], BLANKS, "x,y,z\n1,2,3\n"),
        ("1 2 # first\n3 4\n", &["--no-header"], COMMENT, "[0],[1]\n1,2\n3,4\n"),
        // The mark may be the delimiter, or within a text.
        ("1# 2\n3# 4\n", &["--delimiter", "#", "--no-header"], "", "[0],[1]\n1,2\n3,4\n"),
        ("sep=#\nn#m\n1# 2\n3# 4\n", &[], "", "n,m\n1,2\n3,4\n"),
        ("n\n12#5\n13\n", &[], "--comments '#' leaves it out", "n\n12#5\n13\n"),
    ] {
        // Of numbers with blanks between them, the name of the file need not say that they are text.
        let other_name = !text.contains([',', 'n']) && !args.contains(&"--delimiter");
        for name in ["x.csv", "x.dat"].into_iter().take(1 + usize::from(other_name)) {
            fs::write(path.join(name), text).unwrap();
            let output = npy(path, &[&["convert", name, "x.npy"], args].concat());
            let message = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success() && message.contains(remark), "{text}: {message}");
            assert_eq!(message.is_empty(), remark.is_empty(), "{text}: {message}");
            let rows = npy(path, &["cat", "x.npy", "--csv"]).stdout;
            assert_eq!(String::from_utf8(rows).unwrap(), expected, "{text}");
        }
    }
}

/// Guards comments that the option names: they end the row, whatever it has, and a mark within quotes begins none.
#[test]
fn named_comments_end_any_row() {
    let directory = tempfile::tempdir().unwrap();
    for (text, args, expected) in [
        ("a,b\n1,2 # note\n3,\n", &[][..], "a,b\n1,2.0\n3,\n"),
        ("a,b\nx,y z # u, v\n\"p#q\", w # \"\n", &[], "a,b\nx,y z\np#q, w\n"),
        ("a,b\n\"x\",\"y # z\"# \"u\"\n", &[], "a,b\nx,y # z\n"),
        (
            "t,b\n2024-01-31,True #\n2024-02-01,False\n",
            &[],
            "t,b\n2024-01-31,True\n2024-02-01,False\n",
        ),
        ("n,m\n1,007 # agent\n2,008\n", &[], "n,m\n1,007\n2,008\n"),
        ("a,b # names\n  # indented, too, long\n1,2\n", &[], "a,b\n1,2\n"),
        ("x # a;b\n1 # 2\n", &[], "x\n1\n"),
        ("n\n1 # one\n2\n", &["--dtype", "[('n', 'U9')]"], "n\n1\n2\n"),
        ("1,2#a\n3,4#b", &["--no-header"], "[0],[1]\n1,2\n3,4\n"),
        ("1  1.5 #,", &["--no-header"], "[0],[1]\n1.0,1.5\n"),
        ("1 1.5 #,\n2 2.5 #b", &["--no-header"], "[0],[1]\n1.0,1.5\n2.0,2.5\n"),
        ("\t# x\n1\t # y\n", &["--no-header", "--delimiter", "\t"], "[0],[1]\n,\n1.0,\n"),
    ] {
        let found = rows(directory.path(), text, &[&["--comments", "#"], args].concat());
        assert_eq!(found.as_deref(), Ok(expected), "{text:?}");
    }
}

/// Guards JSON in the place of an array or of CSV: as CSV, its lines become text in silence.
#[test]
fn json_is_not_called_csv() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (text, option) in [
        ("{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":4}\n", "--from jsonl"),
        ("[1,2]\n[3,4]\n", "--from jsonl"),
        ("[{\"a\":1},\n{\"a\":2}]\n", "--from json"),
        ("[\n1,\n2\n]\n", "--from json"),
        ("{\n\"a\":1,\"b\":{}}\n", "--from json"),
        ("[0]\n1\n2\n", ""),
        ("[0],[1]\n1,2\n", ""),
        ("{a}\n1\n", ""),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        let output = npy(path, &["convert", "x.csv", "o.npy", "--header"]);
        let message = String::from_utf8(output.stderr).unwrap();
        let remark = format!("it is JSON; {option} reads it as such\n");
        assert_eq!(message.ends_with(&remark), !option.is_empty(), "{text}: {message}");
        assert_eq!(message.contains("it is JSON"), !option.is_empty(), "{text}: {message}");
    }
    for (text, option) in [
        ("{\"a\": 1}\n", "jsonl reads"),
        (" [1, 2, 3]\n", "json reads"),
        ("a,b,c,d,e\n", "csv reads"),
    ] {
        fs::write(path.join("x"), text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
        command.args(["convert", "-", "o.npy"]).current_dir(path);
        let output = command.stdin(fs::File::open(path.join("x")).unwrap()).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(
            message
                .contains(&format!("; it looks like text: npy convert - OUT.npy --from {option} ")),
            "{message}"
        );
    }
}
