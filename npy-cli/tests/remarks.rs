//! `npy convert`: text of `np.savetxt`, and messages and remarks that name what to do.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use npy_core::{DynArray, Header, ReadNpy, WriteNpy};

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
    let (is_done, message) = convert(&[]);
    assert!(!is_done && message.contains("--no-header reads it as a row"), "{message}");
    assert!(message.contains("have blanks between them; --delimiter ,"), "{message}");
    let (is_done, message) = convert(&["--no-header"]);
    assert!(is_done && message.contains("have blanks between them; --delimiter ,"), "{message}");
    assert_eq!(found(), plain);
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
    for args in [&blanks[..2], &[]] {
        assert!(convert(args).0);
        assert_eq!(found(), named);
    }
    // These may be single numbers, or text.
    for (text, args) in [
        ("total amount\n10 000\n20 500\n", &[][..]),
        ("10 500\n20 300\n", &["--no-header"]),
        ("12 34\n56 78\n", &["--no-header", "--dtype", "U5"]),
    ] {
        write(text);
        let (is_done, message) = convert(args);
        assert!(!is_done && message.contains("there is one column"), "{text}: {message}");
        assert!(convert(&[args, &["--delimiter", ","]].concat()).0, "{text}");
        let array = DynArray::read_npy(path.join("x.npy")).unwrap();
        assert_eq!(array.shape().iter().product::<usize>(), 2, "{text}");
    }
    // A row that begins as a comment stays if a dtype says that it is text.
    write("a,b\nx,1\n# x,3\n");
    assert!(convert(&["--dtype", "[('a', 'U3'), ('b', 'i8')]"]).0);
    assert_eq!(DynArray::read_npy(path.join("x.npy")).unwrap().shape(), [2]);
    write("# x y z\n1.0 2.0 3.0\n4.0 5.0 6.0\n# end\n");
    // The name of the file need not say that it is text.
    fs::rename(path.join("x.csv"), path.join("x.txt")).unwrap();
    assert_eq!(code(path, &["convert", "x.txt", "x.npy"]).0, 0);
    assert_eq!(found(), named);
    // Two of these lines are longer than the part of a file that is looked at.
    let row = ["1.000000000000000000e+00"; 1500].join(" ");
    fs::write(path.join("wide.txt"), format!("{row}\n{row}\n{row}\n")).unwrap();
    assert_eq!(code(path, &["convert", "wide.txt", "wide.npy", "--no-header"]).0, 0);
    assert_eq!(DynArray::read_npy(path.join("wide.npy")).unwrap().shape(), [3, 1500]);
    fs::write(path.join("notes.txt"), "some notes\nof 2024\n").unwrap();
    let (found_code, message) = code(path, &["convert", "notes.txt", "o.npy"]);
    assert!(found_code == 2 && message.contains("it looks like text"), "{message}");
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
        ("a,b\n1,2\n3\n", "line 3 has 1 field, and those before have 2; add what is missing"),
        (
            "a,b\n1,5,2,5\n",
            "line 2 has 4 fields, and those before have 2; put quotes around a field that has the delimiter in it, and write numbers with a point, not a comma",
        ),
        (
            "a,b\r\n1,2,\r\n",
            "line 2 has 3 fields, and those before have 2; the last field is empty",
        ),
        ("color,n\n#ff0000\nred,2\n", "line 2 has 1 field"),
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
        ("a,b\n1,2\n#N/A,3\n", &[], "--missing '#N/A' reads it as missing"),
        ("a,b\n1,2\n#N/A,3\n", &["--missing", "#N/A"], "column a has integers and missing values"),
        (
            "a,b\n1,2\n3,x #y\n5,6\n",
            &[],
            "because of \"x #y\" in row 1, and the other values are numbers\n",
        ),
        ("a,b\n1,2\n3,x #y\n5,6\n", &["--missing", "x #y"], "column b has integers and missing"),
        (
            "a;b\n1,5;0,5\n2;1.234\n3;1.234.567\n",
            &["--delimiter", ";"],
            "column b is text because of \"0,5\" in row 0: it has numbers with decimal commas or separators of thousands; --decimal , reads them\n",
        ),
        (
            "a\n\"1,5\"\n1\nNA\n",
            &[],
            "because of \"NA\" in row 2, and the other values are numbers; --missing NA reads it",
        ),
        (
            "a\n1\nTrue\n2\nnan\n",
            &[],
            "column a is text because of \"True\" in row 1, and the other values are numbers\n",
        ),
        ("x,ok\n1,True\nTrue,True\n3,False\n", &[], "in row 1, and the other values are numbers\n"),
        (
            "flag,n\nTrue,5\nTrue,0\nFalse,1\n0,0\n,2\n",
            &[],
            "because of \"0\" in row 3, and the other values are True or False\n",
        ),
        ("n,p\n12,5%\n10,3%\n7,12\n", &[], "column p is text because of \"12\" in row 2, and"),
        ("NA,b\nNA,1\n1,2\n2,3\n", &[], "in row 0, and the other values are numbers\n"),
        ("a,b\n1,x\nNA,NA\n3,y\n", &[], "and the other values are numbers; --missing NA reads"),
        (
            "lat;lon;h\n48.123;11.567;1,5\n48.124;11.568;2,5\n",
            &["--delimiter", ";"],
            "separators of thousands; write them with a point",
        ),
        ("v;size\n1.234.567;1.234\n", &["--delimiter", ";"], "; write them with a point"),
        ("a,b\n\"48,123\",2\n", &[], "; --decimal , reads decimal commas"),
        (
            "a;b\n1,5;1.5\n2,5;NA\n4;3\n",
            &["--delimiter", ";", "--decimal", ","],
            "\"NA\" in row 1, and the other values are numbers\n",
        ),
        (
            "a;v\nx;1,5\ny;n/a\nz;2\nx;1.000\ny;n/a\n",
            &["--delimiter", ";", "--decimal", ","],
            "and 1 other text, and the other values are numbers; --missing n/a reads it as missing\n",
        ),
        // The text keeps its own width.
        (
            "a;b\n1,234;007\nx;012\n",
            &["--delimiter", ";", "--decimal", "."],
            "--dtype \"[('a', '<U5'), ('b', '<i8')]\" reads numbers\n",
        ),
        ("a\n\"1.234,5\"\n", &["--delimiter", ";", "--decimal", "."], ""),
        ("a\nTrue\nnan\n", &[], "column a is text because of \"True\" in row 0, and the other"),
        (
            "a,t\n1,2024-01-01T00:00:00Z\n2,2024-01-01T00:00:00.5Z\n3,2024-01-01T00:00Z\n",
            &[],
            "--dtype \"[('a', '<i8'), ('t', '<M8[ms]')]\" converts them to UTC\n",
        ),
        ("a\n007\n12\n", &[], "the zeros before \"007\" in row 0 may count; --dtype i8 reads"),
        (
            "a,b\n10%,x\n20%,y\n",
            &[],
            "column a is text because of \"10%\" in row 0: it has numbers with",
        ),
        ("a\n12:30\n12:45\n", &[], "it has times of day; write them"),
        ("a\nTrue\n0\n", &[], "such as 0 in row 1; --dtype bool reads all as booleans"),
        ("a\n1\n2\nx\n3\ny\nx\n4\n", &[], "because of \"x\" in row 2 and 2 other texts, and"),
        ("a\n1\nx\n2\ny\n3\n", &[], "because of \"x\" in row 1 and 1 other text, and"),
        ("a\nNA\n1\nNA\nnull\n", &[], "because of \"NA\" in row 0 and 2 other texts, and"),
        ("a\nNA\nNA\n", &[], ""),
        ("a\nNA\n1\nx\n", &[], ""),
        ("a\n2024-01-01\nNA\n", &[], "\"NA\" in row 1, and the other values are times; --missing"),
        (
            "a\n2024-01-01T00:00:00Z\n2024-01-01T00:00:00+02:00\n",
            &[],
            "column a is text because of \"2024-01-01T00:00:00Z\" in row 0: it has times with their offsets from UTC; --dtype '<M8[s]' converts",
        ),
        (
            "a\n9007199254740993\n0.5\n",
            &[],
            "column a is text because no float has all digits of 9007199254740993 in row 0; --dtype f8 rounds it",
        ),
        ("a\n9007199254740992\n0.5\n", &[], ""),
        (
            "a,b\n+9007199254740993,1\n,2\n1,3\n",
            &[],
            "no float has all digits of 9007199254740993 in row 0",
        ),
        ("a\n+inf\n", &[], ""),
        ("a\n+5\n+7\n", &[], "have a plus sign, such as \"+5\" in row 0; --dtype i8"),
        (
            "a,b\n+5,1\n,2\n",
            &[],
            "have a plus sign, such as \"+5\" in row 0; --dtype \"[('a', '<f8'), ('b', '<i8')]\" reads",
        ),
        ("a\n+9223372036854775808\n", &[], "in row 0; --dtype f8 reads them"),
        (
            "1,0.5\n9007199254740993,1.5\n",
            &["--no-header"],
            "column 0 has another dtype than the columns of floats around it, because no float has all digits of 9007199254740993 in row 1",
        ),
        ("1,0.5\n9007199254740993,1.5\n", &["--no-header", "--dtype", "f8"], ""),
        ("1,0.5\n9007199254740992,1.5\n", &["--no-header"], ""),
        (
            "a,b,c,d,e,f\n1,1,1,1,1,1\nx,x,x,x,x,x\n2,2,2,2,2,2\n",
            &[],
            "there are 2 more columns with such a remark",
        ),
        (
            "a,b,c\n1,,1\n,2,2.5\n",
            &[],
            "columns a, b have integers and missing values, which become floats and nan, as in pandas",
        ),
        ("a,b\n1,\n9007199254740992,\n,\n", &[], "note: x.csv: column a has integers and missing"),
        ("a\n-\n1\n", &["--missing", "-"], "column a has integers and missing values"),
        ("a,b\n1.5,\n,\n", &[], ""),
        ("a,b\n1, 2\n3, 4\n", &[], ""),
        ("a,b\n1, 2\n3, x\n4, 5\n", &[], "column b is text because of \" x\" in row 1"),
        ("a,b\n1,2\n3,4\n5,6\n", &["--no-header"], "leave out --no-header"),
        (
            ",x,y\n0,1,2\n1,3,4\n",
            &["--no-header"],
            "column 1 is text because of \"x\" in row 0, and the other values are numbers; leave out --no-header",
        ),
        ("s,x\na,1\nb,3\n", &["--no-header"], "leave out --no-header"),
        ("a\n1\n\"x,y\"\n2\n", &[], "the other values are numbers\n"),
        // These names are numbers, or that of an array without names.
        (
            "0,1\nx,2\n1,3\n2,5\n",
            &["--header"],
            "because of \"x\" in row 0, and the other values are numbers\n",
        ),
        ("value\nx\n1\n2\n", &[], "because of \"x\" in row 0, and the other values are numbers\n"),
        ("# a,b\n2000,2001\n1,2\n", &["--header"], "--comments '#' leaves it out"),
        ("# a,b\n2000,2001\n1,2\n", &[], ""),
        (
            "a,b\n1,2 # note\n3,\n",
            &[],
            ": column b can only be text because of what follows # in its values; if that is a comment, npy convert --comments '#' leaves it out\n",
        ),
        ("a,t\n1,2024-01-31 #x\n3,2024-02-01\n", &[], "--comments '#' leaves it out\n"),
        ("1,2#a\n3,4#b", &["--no-header"], "--comments '#' leaves it out\n"),
        ("# a,b\n1,2#a\n3,4#b", &[], "--comments '#' --no-header leaves it out\n"),
        ("a,b\n1,2 # x\n,4\n\"3\",NA\n", &["--missing", "-"], "--comments '#' leaves it out\n"),
        ("a,b\n1,2 # x\n3,NA\n5,6\n", &[], "--comments '#' leaves it out\n"),
        (
            "a,b\n1 # x,2\n3,4\n",
            &[],
            "column a can only be text because of what follows # in its values; if that is a comment, remove it from the file, because",
        ),
        ("c,n\nx#y,1 # x\nred,2\n", &[], "column n can only be text"),
        ("a,color\n1,#f00\n2,#0f0\n", &[], ""),
        ("a,b\nx,Main St #5\ny,Elm St #6\n", &[], ""),
        ("a,b\n1,2 # note\n3,\n", &["--comments", "#"], "column b has integers and missing"),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        let (code, message) = code(path, &[&["convert", "x.csv", "x.npy"], args].concat());
        assert_eq!((code, message.contains(remark)), (0, true), "{text}: {message}");
        assert_eq!(message.is_empty(), remark.is_empty(), "{message}");
    }
    let record = ["--dtype", "[('a', 'U1'), ('b', 'i8')]"];
    for (text, args, is_advised) in [
        ("a,b\n1,2 # x, y\n3,\n", &[][..], true),
        ("a,b\n1,2 # x, y\n3,4\n", &record, true),
        ("a,b\n1,#f00\n2\n", &[], false),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        let (code, message) = code(path, &[&["convert", "x.csv", "x.npy"], args].concat());
        let advice =
            "; if # begins a comment after a row, npy convert --comments '#' leaves it out\n";
        assert_eq!((code, message.ends_with(advice)), (2, is_advised), "{text}: {message}");
    }
    // The error about the value has the remark before it.
    fs::write(path.join("x.csv"), "a,b\nx,0 # bad 0\ny,1\n").unwrap();
    let (found, message) = code(path, &[&["convert", "x.csv", "x.npy"], &record[..]].concat());
    let is_advised = message.contains("column b can only") && message.contains("--comments '#'");
    assert!(found == 2 && is_advised && message.contains("\"0 # bad 0\" is not"), "{message}");
    for (text, remark) in [
        (
            "{\"a\":9007199254740993}\n{\"a\":0.5}\n",
            "column a is text because no float has all digits of 9007199254740993 in row 0",
        ),
        ("[9007199254740993,0.5]\n", "column 0 has another dtype than the columns of floats"),
        ("{\"a\":\"+5\"}\n{\"a\":\"x\"}\n", ""),
        ("{\"a\":\"9007199254740993\"}\n{\"a\":0.5}\n", ""),
        // As in CSV.
        (
            "{\"a\":true}\n{\"a\":\"x\"}\n{\"a\":false}\n",
            "because of \"x\" in row 1, and the other values are True or False\n",
        ),
        (
            "{\"a\":1}\n{\"a\":\"NA\"}\n{\"a\":2.5}\n",
            "because of \"NA\" in row 1, and the other values are numbers; null in its place",
        ),
        (
            "{\"a\":\"2024-01-01\"}\n{\"a\":\"x\"}\n{\"a\":\"2024-01-02\"}\n",
            "because of \"x\" in row 1, and the other values are times",
        ),
        (
            "{\"a\":true}\n{\"a\":1}\n",
            "such as 1 in row 1; --dtype \"[('a', '|b1')]\" reads all as booleans",
        ),
        ("{\"a\":true}\n{}\n", "\"[('a', '<f8')]\" reads them as 1, 0 and nan"),
        ("{\"\":1}\n{\"\":\"x\"}\n{\"\":2}\n", "column \"\" is text because of \"x\""),
        ("{\"a\":\"1\"}\n{\"a\":\"0\"}\n{\"a\":\"007\"}\n", ""),
        (
            "{\"a\":\"x\",\"b\":\"y\"}\n{\"a\":null}\n",
            "columns a, b have text and missing values, which become the empty text",
        ),
        ("{\"\":\"x\"}\n{\"\":null}\n", "column \"\" has text and missing values"),
        ("{\"a\":\"x\"}\n{\"a\":null}\n{\"a\":1}\n", "column a has text and missing values"),
        ("{\"a\":1}\n{\"a\":null}\n{\"a\":true}\n", "column a has text and missing values"),
        ("{\"a\":\"x\"}\n{\"a\":\"\"}\n", ""),
        ("{\"a\":1,\"b\":2}\n{}\n", "columns a, b have integers and missing values, which become"),
        (
            "{\"a\":[],\"b\":1}\n{\"b\":2}\n",
            ": key a has [] or {} alone: left out, because no dtype",
        ),
        (
            "{\"d\":{\"e\":[{}]},\"b\":{\"c\":[],\"f\":1},\"a\":[[],[]]}\n",
            ": keys a, b.c, d have [] or {} alone",
        ),
    ] {
        fs::write(path.join("x.jsonl"), text).unwrap();
        let (code, message) = code(path, &["convert", "x.jsonl", "x.npy"]);
        assert_eq!((code, message.contains(remark)), (0, true), "{text}: {message}");
        assert_eq!(message.is_empty(), remark.is_empty(), "{message}");
    }
    fs::write(path.join("x.jsonl"), "{\"a\":[],\"b\":{}}\n").unwrap();
    let (code, message) = code(path, &["convert", "x.jsonl", "x.npy"]);
    let is_told = message.contains("keys a, b have") && message.contains("has no columns");
    assert!(code == 2 && is_told, "{message}");
}

/// Guards wide tables: for each remark, and not for those alone that are shown, a dtype of all columns was made, for minutes. That of keys was also printed.
#[test]
fn remarks_about_many_columns_are_few_and_short() {
    const COLUMNS: usize = 8000;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let join = |field: fn(usize) -> String| (0..COLUMNS).map(field).collect::<Vec<_>>().join(",");
    let table = join(|at| format!("c{at}")) + "\n" + &join(|_| "1+2j".to_owned()) + "\n";
    fs::write(path.join("x.csv"), table).unwrap();
    let keys = join(|at| format!("\"k{at}\":\"2024-01-01T00:00:00Z\""));
    fs::write(path.join("x.jsonl"), format!("{{\"a\":{{{keys}}}}}\n")).unwrap();
    for (name, advice) in [
        ("x.csv", "; for this column alone, --dtype c16 -c c0 reads them\n"),
        (
            "x.jsonl",
            "; for this column alone, --dtype \"[('a', [('k0', '<M8[s]')])]\" converts them to UTC\n",
        ),
    ] {
        let (code, message) = code(path, &["convert", name, "x.npy"]);
        assert_eq!((code, message.lines().count()), (0, 5), "{message:.2000}");
        assert!(message.contains(advice) && message.len() < 2000, "{message:.2000}");
        let more = format!("there are {} more columns with such a remark\n", COLUMNS - 4);
        assert!(message.ends_with(&more), "{message:.2000}");
    }
}

/// Guards comments of old programs: their bytes do not count, and those of rows are an error with the number of the line.
#[test]
fn bytes_that_are_not_utf8_are_refused_in_rows() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let marked = ["convert", "x.csv", "x.npy", "--comments", "%"];
    fs::write(path.join("x.csv"), b"% gr\xf6\xdfe\na,b\n1,2\n").unwrap();
    ok(path, &marked);
    fs::write(path.join("x.csv"), b"a,b\r\n\r\n1,2\r\n3,\xf6\r\n4\r\n").unwrap();
    let (found, message) = code(path, &marked);
    assert!(found == 2 && message.contains("line 4: the text is not UTF-8; iconv"), "{message}");
    fs::write(path.join("x.csv"), "a,b\r\n\r\n1,2\r\n4\r\n").unwrap();
    assert!(code(path, &marked).1.contains("line 4 has 1 field"));
}

/// Guards comments after rows of times and booleans, numbers with a plus sign, and complex numbers as `np.savetxt` writes them.
#[test]
fn times_booleans_and_complex_numbers_are_values() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (text, args, dtype, rows) in [
        (
            "t,n\n2024-01-01,1\n# a note\n2024-01-02,2\n",
            &[][..],
            "[('t', '<M8[D]'), ('n', '<i8')]",
            "2024-01-01,1\n2024-01-02,2\n",
        ),
        ("b\nTrue\n# no\nFalse\n", &[], "[('b', '|b1')]", "True\nFalse\n"),
        ("a,b\nNA,1\n# no\n5,2\n", &[], "[('a', '<U2'), ('b', '<i8')]", "NA,1\n5,2\n"),
        ("a\nNA\n# no\n", &[], "[('a', '<U2')]", "NA\n"),
        ("a\n+5.0\n-1.5\n", &[], "[('a', '<f8')]", "5.0\n-1.5\n"),
        ("a\n+5\n-1\n", &[], "[('a', '<i8')]", "5\n-1\n"),
        ("a\n+491711234567\n+1800\n", &[], "[('a', '<U13')]", "+491711234567\n+1800\n"),
        (
            "# z w\n (1.0e+00+2.0e+00j) (3.0e+00-4.0e-01j)\n (nan+0j) (1+-infj)\n",
            &["--no-header", "--delimiter", " "],
            "<c16",
            "1.0,2.0,3.0,-0.4\n,0.0,1.0,-inf\n",
        ),
        (
            "z\n(1+2j)\n2j\n",
            &["--dtype", "[('z', 'c8')]", "--cast", "lossless"],
            "[('z', '<c8')]",
            "1.0,2.0\n0.0,2.0\n",
        ),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        let (code, message) = code(path, &[&["convert", "x.csv", "x.npy"], args].concat());
        assert_eq!(code, 0, "{text}: {message}");
        let header = Header::read_npy(path.join("x.npy")).unwrap();
        assert_eq!(header.dtype().to_string(), dtype, "{text}");
        let found = npy(path, &["cat", "x.npy", "--csv", "--no-header"]).stdout;
        assert_eq!(String::from_utf8(found).unwrap(), rows, "{text}");
    }
    // Without an option, no row is lost as names.
    fs::write(path.join("x.csv"), "(1+2j),(3+4j)\n(5+6j),(7+8j)\n").unwrap();
    let (found, message) = code(path, &["convert", "x.csv", "x.npy"]);
    assert!(found == 2 && message.contains("field 0, \"(1+2j)\", is a value"), "{message}");
    fs::write(path.join("x.csv"), "z\n(0.1+2j)\n").unwrap();
    let lossless = ["convert", "x.csv", "x.npy", "--dtype", "c8", "--cast", "lossless"];
    assert_eq!(code(path, &lossless).0, 2);
}

/// Guards rows that would be lost as names, without a word.
#[test]
fn a_first_line_with_values_is_not_taken_for_names() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (text, args, part) in [
        ("1,2,abc\n3,4,def\n", &[][..], "because its field 0, \"1\", is a value"),
        ("abc,2024-01-01\ndef,2024-01-02\n", &[], "field 1, \"2024-01-01\", is a value"),
        ("abc,True\ndef,False\n", &[], "field 1, \"True\", is a value"),
        ("abc, 007\ndef,8\n", &[], "field 1, \" 007\", is a value"),
        ("abc,,x\ndef,g,y\n", &[], "field 1 is empty"),
        ("abc,NA\ndef,g\n", &["--missing", "NA"], "field 1 is empty"),
        (",a\n,1\n", &[], "field 0 is empty"),
        (",a\n", &[], "field 0 is empty"),
        ("0,1\n2,3\n", &[], "the first line has numbers"),
        ("1.5#a\n2.5\n", &[], "field 0, \"1.5#a\", is a value before #"),
        ("2026-07-15 # note\n2026-07-16\n", &[], "is a value before #"),
        ("True # note\nFalse\n", &[], "is a value before #"),
        ("\"4.063\" # note\n\"9.709\"\n", &[], "\"4.063 # note\", is a value before #"),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        let convert =
            |more: &[&str]| code(path, &[&["convert", "x.csv", "x.npy"], args, more].concat());
        let (found, message) = convert(&[]);
        assert_eq!((found, message.contains(part)), (2, true), "{text}: {message}");
        assert!(message.contains("--no-header reads it as a row, and --header as names"));
        // Both ways that the message names end in a file.
        let rows = text.lines().count();
        for (option, names) in [("--header", 1), ("--no-header", 0)] {
            let (found, message) = convert(&[option]);
            assert_eq!(found, 0, "{text}: {message}");
            let shape = Header::read_npy(path.join("x.npy")).unwrap().shape().to_vec();
            assert_eq!(shape[0], rows - names, "{text}");
        }
    }
    // Nor is one below a comment with fewer names, or more.
    for (text, names) in [
        ("# one two\n1 2 3\n4 5 6\n", "line 1, `# one two`, has 2 names for 3 columns"),
        ("# time (s) value (V) n\n1 2 3\n4 5 6\n", "has 5 names for 3 columns"),
        ("# a note\n# x, y\n1,2,3\n4,5,6\n", "line 2, `# x, y`, has 2 names for 3 columns"),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        for option in [&[][..], &["--header"], &["--dtype", "f8"]] {
            let args = [&["convert", "x.csv", "x.npy"], option].concat();
            let (found, message) = code(path, &args);
            assert!(found == 2 && message.contains(names), "{text}: {message}");
            // By no advice does the first row become names.
            let advice = "; give it 3, or npy convert --no-header reads the rows without names";
            let is_advised = message.contains(advice) && !message.contains("--header");
            assert!(is_advised, "{message}");
        }
        let both = ["convert", "x.csv", "x.npy", "--comments", "#", "--header"];
        assert_eq!(code(path, &both).0, 0, "{text}");
        let fields = "[('t', '<f8'), ('v', '<i4'), ('s', '<i2')]";
        let by_order = ["convert", "x.csv", "x.npy", "--no-header", "--dtype", fields];
        let (found, message) = code(path, &by_order);
        assert_eq!(found, 0, "{text}: {message}");
        let found = npy(path, &["cat", "x.npy", "--csv"]).stdout;
        assert_eq!(found, b"t,v,s\n1.0,2,3\n4.0,5,6\n", "{text}");
        let two =
            ["convert", "x.csv", "x.npy", "--no-header", "--dtype", "[('t', 'f8'), ('v', 'i4')]"];
        let (found, message) = code(path, &two);
        assert!(
            found == 2 && message.contains("the first row has 3 fields, and --dtype 2"),
            "{message}"
        );
    }
    fs::write(path.join("x.csv"), "# a, b\n2000,2001,2002\n1,2,3\n").unwrap();
    ok(path, &["convert", "x.csv", "x.npy", "--header", "--comments", "#"]);
    assert_eq!(npy(path, &["cat", "x.npy", "--csv"]).stdout, b"2000,2001,2002\n1,2,3\n");
    // Nor are two lines taken for names of several levels, unless those below are the ones of pandas.
    for (text, names) in [
        ("id,note,note\nk1,foo,bar\nk2,baz,qux\n", "\"note\" is there twice; "),
        ("x,x\na,b\n", "\"x\" is there twice; "),
        (",x,x\n,a,b\nk,u,v\nl,u,w\n", "df.columns = df.columns.map('.'.join)"),
        ("k,,v\n1,2,3\n", "field 1 is empty; "),
        (",x,x\n,a,b\n,c,d\n", "field 0 is empty; "),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        let (found, message) = code(path, &["convert", "x.csv", "x.npy"]);
        let is_named = message.contains(names) && message.contains("--no-header");
        assert!(found == 2 && is_named, "{text}: {message}");
    }
    fs::write(path.join("x.csv"), ",city,name\n,Paris,Al\n5,Rome,10\n").unwrap();
    assert_eq!(code(path, &["convert", "x.csv", "x.npy"]).0, 0);
    assert_eq!(Header::read_npy(path.join("x.npy")).unwrap().shape(), [2]);
    // A name that a dtype has is not taken for a comment.
    fs::write(path.join("x.csv"), "#id,a\n1,2\n").unwrap();
    for (dtype, code_of) in [
        ("[('#id', 'i8'), ('a', 'i4')]", 0),
        ("[('id', 'i8'), ('a', 'i4')]", 0),
        ("[('#i', 'i8'), ('a', 'i4')]", 2),
    ] {
        assert_eq!(
            code(path, &["convert", "x.csv", "x.npy", "--dtype", dtype]).0,
            code_of,
            "{dtype}"
        );
    }
    for text in ["a,b 2\n1,2\n", "x.0,x.1\n1,2\n", "[0],[1]\n1,2\n"] {
        fs::write(path.join("x.csv"), text).unwrap();
        ok(path, &["convert", "x.csv", "x.npy"]);
        assert_eq!(
            Header::read_npy(path.join("x.npy")).unwrap().shape()[0],
            text.lines().count() - 1
        );
    }
}

/// Guards lines that begin with `#` in a table of text: each is a comment or a row, and a remark says which, with the option that decides otherwise.
#[test]
fn lines_with_a_mark_in_a_table_of_text_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let (left_out, kept) =
        ("left out, as comments; --comments '' keeps", "kept, as text; --comments '#' leaves");
    let note = "# taken by X, at Y, on Z\n";
    let table = format!("name,city,day\nAl,Rome,Mon\n{note}Bo,Oslo,Tue\n");
    for (text, args, remark, rows) in [
        (&table[..], &[][..], left_out, "Al,Rome,Mon\nBo,Oslo,Tue\n"),
        (&table, &["--comments", "#"], "", "Al,Rome,Mon\nBo,Oslo,Tue\n"),
        (
            &table,
            &["--comments", ""],
            "",
            "Al,Rome,Mon\n\"# taken by X\", at Y, on Z\nBo,Oslo,Tue\n",
        ),
        ("a,b\nx,y\n# a note\nz,w\n", &[], left_out, "x,y\nz,w\n"),
        ("color,n\nred,a\n#f00,b\n", &[], kept, "red,a\n\"#f00\",b\n"),
        ("color,n\nred,a\n#f00,b\n", &["--comments", "#"], "", "red,a\n"),
        ("a,b\n# x,y\nu,v\n#z,w\n", &[], "--comments '' keeps both", "u,v\n\"#z\",w\n"),
        // All rows begin so.
        ("a,b\n# x,y\n", &[], kept, "\"# x\",y\n"),
        ("# x,y\nu,v\n", &["--no-header"], left_out, "u,v\n"),
        ("# x, y\nu,v\n", &[], "the names of the columns are those of a line", "u,v\n"),
        ("# x, y\nu,v\nw,z\n", &["--comments", "#"], "", "w,z\n"),
        // In a table of one column, such a line may have its name.
        ("# h\n1,2\nnan\n", &["--delimiter", ";"], left_out, "\"\"\n"),
        ("# by hand\nx,y\n1,2\n", &[], "", "1,2\n"),
        ("% x\na,b\n1,2\n%3,4\n", &["--comments", "%"], "", "1,2\n"),
        ("a,b\n1,\"x\n#y\"\n", &["--comments", "#"], "", "1,\"x\n#y\"\n"),
        ("#,1\n#x,2\n", &["--comments", "", "--no-header"], "", "\"#\",1\n\"#x\",2\n"),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        let (code, message) = code(path, &[&["convert", "x.csv", "x.npy"], args].concat());
        assert_eq!((code, message.contains(remark)), (0, true), "{text}: {message}");
        assert_eq!(message.is_empty(), remark.is_empty(), "{text}: {message}");
        let found = npy(path, &["cat", "x.npy", "--csv", "--no-header"]).stdout;
        assert_eq!(String::from_utf8(found).unwrap(), rows, "{text}");
    }
    fs::write(path.join("x.csv"), "color,n\n#f00\nred,2\n").unwrap();
    let (code, message) = code(path, &["convert", "x.csv", "x.npy"]);
    assert!(code == 2 && message.contains("--comments '#' leaves out lines"), "{message}");
}

/// Guards columns without a name: no field of an array has an empty one, which NumPy would replace.
#[test]
fn a_column_without_a_name_gets_that_of_numpy() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("x.csv"), "k,,v\n1,2,3\n").unwrap();
    let (code, message) = code(path, &["convert", "x.csv", "x.npy", "--header"]);
    assert!(code == 0 && message.contains("are named as in NumPy: f1\n"), "{message}");
    let dtype = Header::read_npy(path.join("x.npy")).unwrap().dtype().to_string();
    assert_eq!(dtype, "[('k', '<i8'), ('f1', '<i8'), ('v', '<i8')]");
}

/// Guards rows that begin with `#`: text that a dtype keeps, and a missing value.
#[test]
fn a_text_that_begins_like_a_comment_is_a_row() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (text, args, rows) in [
        ("a,b\n0,1\n#x,2\n", &["--dtype", "[('a', 'U2'), ('b', 'i4')]"][..], 2),
        ("a\n0\n#x\n", &["--dtype", "U2"], 2),
        ("a,b\n0.5,1\n#N/A,2\n", &["--missing", "#N/A"], 2),
        ("#x,1\n0,2\n", &["--dtype", "U2", "--no-header"], 2),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        ok(path, &[&["convert", "x.csv", "x.npy"], args].concat());
        assert_eq!(Header::read_npy(path.join("x.npy")).unwrap().shape()[0], rows, "{text}");
    }
}

/// Guards rows after a comment with a quote, and rows of text that begin like a comment and have several lines.
#[test]
fn a_quote_in_a_comment_hides_no_rows() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (text, args, remark, rows) in [
        (
            "1 2\n# say \"hi\n3  4\n# end \"\n5 6\n",
            &["--no-header", "--delimiter", " "][..],
            "2 lines after",
            "1,2\n3,4\n5,6\n",
        ),
        (
            "1 2\n # say \"hi\n3 4\n",
            &["--no-header", "--delimiter", " "],
            "1 line after",
            "1,2\n3,4\n",
        ),
        ("a,b\n1,2\n# x,\"y\n3,4\n# z,\"\n5,6", &[], "2 lines after", "1,2\n3,4\n5,6\n"),
        ("# made, \"by hand\n# x,\"y\n1,2\n3,4\n", &[], "", "1,2\n3,4\n"),
        ("# say,\"hi\"\n1,2\n", &[], "", "1,2\n"),
        // Of several lines, and each of them could be a row.
        (
            "a,b\n#f00,\"two\nlines\"\nred,x\n",
            &[],
            "kept, as text",
            "\"#f00\",\"two\nlines\"\nred,x\n",
        ),
        ("a,b\nx,1\n#1,\"2\n3,4\"\n", &[], "kept, as text", "x,1\n\"#1\",\"2\n3,4\"\n"),
        // The quotes end in a row, which would have a quote without its other one.
        ("a,b\n1,x\n# no,\"two\n3,4\"\n5,y\n", &[], "1 line after", "1,x\n5,y\n"),
        (
            "a,b\n0,1\n#1,\"2\n3,4\"\n",
            &["--dtype", "[('a', 'U2'), ('b', 'U9')]"],
            "",
            "0,1\n\"#1\",\"2\n3,4\"\n",
        ),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        let (code, message) = code(path, &[&["convert", "x.csv", "x.npy"], args].concat());
        assert_eq!((code, message.contains(remark)), (0, true), "{text}: {message}");
        assert_eq!(message.is_empty(), remark.is_empty(), "{text}: {message}");
        let found = npy(path, &["cat", "x.npy", "--csv", "--no-header"]).stdout;
        assert_eq!(String::from_utf8(found).unwrap(), rows, "{text}");
    }
    // A wrong row between such lines is an error, and not a part of a quoted field.
    for middle in ["5 6 7", "NA 5"] {
        let text = format!("1 2\n# say \"hi\n3 4\n{middle}\n8 9\n# end \"\n10 11\n");
        fs::write(path.join("x.csv"), &text).unwrap();
        let arguments = ["convert", "x.csv", "x.npy", "--no-header", "--delimiter", " "];
        if code(path, &arguments).0 == 0 {
            let found = npy(path, &["cat", "x.npy", "--csv", "--no-header"]).stdout;
            let found = String::from_utf8(found).unwrap();
            assert!(["3,4", "8,9", "10,11"].iter().all(|row| found.contains(row)), "{found}");
        }
    }
}

/// Guards the line that states the delimiter to Excel.
#[test]
fn the_delimiter_that_a_file_states_is_used() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (text, args, rows) in [
        ("sep=,\na,b\n1,2\n", &[][..], "1,2\n"),
        ("\u{feff}sep=;\r\na;b\r\n1;2\r\n", &[], "1,2\n"),
        ("\"sep=\t\"\n1\t2\n", &["--no-header"], "1,2\n"),
        ("sep=,\na;b\n1;2\n", &["--delimiter", ";"], "1,2\n"),
        ("sep=,x\n1,2\n", &[], "1,2\n"),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        ok(path, &[&["convert", "x.csv", "x.npy"], args].concat());
        let found = npy(path, &["cat", "x.npy", "--csv", "--no-header"]).stdout;
        assert_eq!(String::from_utf8(found).unwrap(), rows, "{text}");
    }
    fs::write(path.join("x.csv"), "sep=;\na;b\n1\n").unwrap();
    let (_, message) = code(path, &["convert", "x.csv", "x.npy"]);
    assert!(message.contains("line 3 has 1 field"), "{message}");
}

/// Guards numbers with blanks around them, text whose blanks stay, and empty text at the end of a line.
#[test]
fn blanks_around_numbers_do_not_count() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (text, args, dtype, rows) in [
        ("a,b\n1, 2\n3, 4 \n", &[][..], "[('a', '<i8'), ('b', '<i8')]", "1,2\n3,4\n"),
        ("a,b\n1, .5\n3, nan\n", &[], "[('a', '<i8'), ('b', '<f8')]", "1,0.5\n3,\n"),
        (
            "a,b\n1, 2024-01-31\n2,NaT\n",
            &["--dtype", "[('a', 'i8'), ('b', 'M8[D]')]"],
            "[('a', '<i8'), ('b', '<M8[D]')]",
            "1,2024-01-31\n2,\n",
        ),
        (
            "a,b\n True, 5\n",
            &["--dtype", "[('a', '?'), ('b', 'm8[s]')]"],
            "[('a', '|b1'), ('b', '<m8[s]')]",
            "True,5 seconds\n",
        ),
        ("a,b\n1, x\n3,y \n", &[], "[('a', '<i8'), ('b', '<U2')]", "1, x\n3,y \n"),
        ("a,b\n1, \"\" \n", &[], "[('a', '<i8'), ('b', '<U4')]", "1,\" \"\"\"\" \"\n"),
        (
            "a b\n1 \"\"\n2 \"\" \n3 x\n",
            &["--delimiter", " "],
            "[('a', '<i8'), ('b', '<U1')]",
            "1,\n2,\n3,x\n",
        ),
    ] {
        fs::write(path.join("x.csv"), text).unwrap();
        ok(path, &[&["convert", "x.csv", "x.npy"], args].concat());
        assert_eq!(Header::read_npy(path.join("x.npy")).unwrap().dtype().to_string(), dtype);
        let found = npy(path, &["cat", "x.npy", "--csv", "--no-header"]).stdout;
        assert_eq!(String::from_utf8(found).unwrap(), rows, "{text}");
    }
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
