//! `npy convert`: numbers that must be those of their text, or be refused.

use std::fs;
use std::path::Path;
use std::process::Command;

use npy_core::{DynArray, ReadNpy};
use npy_tests::pickles::objects;

#[cfg(unix)]
use crate::support::processor_time;
use crate::support::{code, ok};

/// Converts a file, and returns the values or the message.
fn converted(path: &Path, args: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
    let command = command.args(["convert", args[0], "o.npy"]).args(&args[1..]);
    let output = command.current_dir(path).output().unwrap();
    match output.status.success() {
        true => Ok(DynArray::read_npy(path.join("o.npy")).unwrap().to_string()),
        false => Err(String::from_utf8(output.stderr).unwrap()),
    }
}

/// Writes `np.array([…], object)`, whose items are pickled by protocol 2.
fn save_objects(path: &Path, count: usize, items: &[u8]) {
    fs::write(path, objects(&[count], items)).unwrap();
}

/// Guards booleans beside missing values: as floats they are 1, 0 and NaN, as NumPy converts them. Beside numbers they are an error.
#[test]
fn booleans_and_missing_values_become_floats() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    const GAP: &str = "; a float dtype reads True as 1, False as 0 and a missing value as nan\n";
    let rows = "a,f,m,b,n\n1,True,1,True,True\n2,,True,False,NA\n3,False,2,True,false\n";
    fs::write(path.join("b.csv"), rows).unwrap();
    let args = ["b.csv", "--dtype", "f4", "-c", "n", "--missing", "NA"];
    assert_eq!(converted(path, &args).unwrap(), "[1.0 nan 0.0]");
    for cast in ["checked", "lossless"] {
        let args = ["b.csv", "--dtype", "f4", "-c", "f", "--cast", cast];
        assert_eq!(converted(path, &args).unwrap(), "[1.0 nan 0.0]");
    }
    for (dtype, column, part) in [
        (
            "?",
            "f",
            "it is empty, and not True or False; of a float dtype, it is nan, True 1 and False 0",
        ),
        ("i1", "b", "\"True\" is not an integer; a bool dtype reads True and False\n"),
        ("i1", "f", GAP),
        ("c8", "f", GAP),
        ("f4", "m", "\"True\" is not a number\n"),
        (
            "f4",
            "n",
            "\"NA\" is not True or False; npy convert --missing 'NA' reads it as a missing value\n",
        ),
        ("c8", "n", GAP),
        ("i2", "n", GAP),
    ] {
        let message = converted(path, &["b.csv", "--dtype", dtype, "-c", column]);
        let message = message.unwrap_err();
        assert!(message.contains(part), "{message}");
    }
}

/// Guards the other columns: the options that a remark names change none of their values, also if all are used.
#[test]
fn options_for_a_column_keep_the_values_of_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (rows, options, values) in [
        ("iso;gdp\nNA;1.5\nNA;NA\nNA;2.5\n", &[][..], "iso,gdp\nNA,1.5\nNA,NA\nNA,2.5\n"),
        ("iso;gdp\n-;1.5\n;2.5\nNA;NA\n", &[], "iso,gdp\n-,1.5\n,2.5\nNA,NA\n"),
        ("iso;gdp\n-;1.5\n;NA\n", &["--missing NA"], "iso,gdp\n-,1.5\n,\n"),
        ("iso;gdp\nNA;1.5\nDE;NA\n", &["--missing NA"], "iso,gdp\nNA,1.5\nDE,\n"),
        ("a;b\nNA;1.5\n2;NA\n3;4\n", &["--missing NA"], "a,b\n,1.5\n2.0,\n3.0,4.0\n"),
        (
            "temp;x\n20.125;1,5\nNA;2,5\n1;3\n",
            &["--missing NA"],
            "temp,x\n20.125,\"1,5\"\n,\"2,5\"\n1.0,3\n",
        ),
        ("a;b\nNA;1\n1,5;2\n1.5;3\n1;4\n", &[], "a,b\nNA,1\n\"1,5\",2\n1.5,3\n1,4\n"),
        ("temp;x\n20.125;1,5\nwarm;2,5\n", &[], "temp,x\n20.125,\"1,5\"\nwarm,\"2,5\"\n"),
        ("n;x\n1.234;1,5\n1,5;2,5\n", &["--decimal ,"], "n,x\n1234.0,1.5\n1.5,2.5\n"),
        ("n;x\n1.234;1,5\n1.5;2,5\n", &[], "n,x\n1.234,\"1,5\"\n1.5,\"2,5\"\n"),
        ("n;x\n1.234;1,5\n1,234;2,5\n", &["--decimal ."], "n,x\n1.234,\"1,5\"\n1234.0,\"2,5\"\n"),
    ] {
        fs::write(path.join("x.csv"), rows).unwrap();
        let mut args = vec!["convert", "x.csv", "x.npy", "--delimiter", ";"];
        let message = code(path, &args).1;
        for option in ["--missing NA", "--missing -", "--decimal ,", "--decimal ."] {
            assert_eq!(message.contains(option), options.contains(&option), "{rows}: {message}");
        }
        args.extend(options.iter().flat_map(|option| option.split(' ')));
        ok(path, &args);
        assert_eq!(ok(path, &["cat", "x.npy", "--csv"]), values, "{rows}");
    }
    // The option reads the other numbers.
    fs::write(path.join("x.csv"), "a\n1,234\n1,23\n2,345,678\n4,000.5\n").unwrap();
    let args = ["convert", "x.csv", "x.npy", "--delimiter", ";", "--decimal", "."];
    let message = code(path, &args).1;
    let expected =
        "column a is text because of \"1,23\" in row 1, which --decimal . does not read\n";
    assert!(message.ends_with(expected), "{message}");
}

/// Guards integers of decimal text, which went through floats.
#[test]
fn decimal_text_becomes_the_integer_that_it_says_or_none() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let write = |name: &str, text: &str| fs::write(path.join(name), text).unwrap();
    write("a.csv", "v\n9007199254740993.0\n5e0\n");
    write("b.csv", "v\n1152921504606846975e0\n");
    write("c.csv", "v\n0.99999999999999999999\n");
    write("d.csv", "v\n-1\n");
    write("e.csv", "v\n-0.0\n");
    write("f.csv", "v\n300.7\n-1e30\ninf\n");
    write("a.json", "[893659252991e6]");
    write("b.json", "[1e18, 4503599627370497.0]");
    write("c.json", "[0.99999999999999999999]");
    write("d.json", "[{\"a\": 9007199254740993.0, \"b\": 0.1234567890123456789}]");
    write("e.json", "[{\"a\": 0.99999999999999999999, \"b\": 0.5}]");
    write("g.json", "[1152921504606846978.00, 1771310716302288332e0]");
    write("h.json", "[18446744073709551617.0]");
    write("f.json", "[{\"a\": 1,\n\"b\": 18446744073709551617}]");
    let decimal = b"cdecimal\nDecimal\nX\x13\x00\x00\x00145.000000000000005\x85R";
    save_objects(&path.join("decimal.npy"), 1, decimal);
    save_objects(&path.join("zero.npy"), 1, b"G\x80\0\0\0\0\0\0\0");
    save_objects(
        &path.join("float.npy"),
        1,
        &[b"G", &893_659_252_991e6_f64.to_be_bytes()[..]].concat(),
    );
    for (args, values) in [
        (&["a.csv", "--dtype", "i8"][..], "[9007199254740993                5]"),
        (&["a.csv", "--dtype", "u8", "--cast", "lossless"], "[9007199254740993                5]"),
        (&["b.csv", "--dtype", "u8"], "[1152921504606846975]"),
        (&["c.csv", "--dtype", "i8", "--cast", "numeric"], "[0]"),
        (&["e.csv", "--dtype", "i8"], "[0]"),
        (&["f.csv", "--dtype", "u1", "--cast", "numeric"], "[255   0 255]"),
        (&["a.json", "--dtype", "i8"], "[893659252991000000]"),
        (&["b.json", "--dtype", "i8"], "[1000000000000000000    4503599627370497]"),
        (
            &["g.json", "--dtype", "i8", "--cast", "lossless"],
            "[1152921504606846978 1771310716302288332]",
        ),
        (&["g.json", "--dtype", "u8"], "[1152921504606846978 1771310716302288332]"),
        (&["g.json", "--dtype", "i1", "--cast", "numeric"], "[127 127]"),
        (
            &["d.json", "--dtype", "[('a','i8'),('b','f8')]"],
            "[(9007199254740993, 0.12345678901234568)]",
        ),
        (&["e.json", "--dtype", "[('a','i8'),('b','f8')]", "--cast", "numeric"], "[(0, 0.5)]"),
        (&["zero.npy", "--dtype", "i8"], "[0]"),
        (&["float.npy", "--dtype", "i8"], "[893659252991000064]"),
    ] {
        assert_eq!(converted(path, args).as_deref(), Ok(values), "{args:?}");
    }
    for (args, message) in [
        (&["c.csv", "--dtype", "i8"][..], "0.99999999999999999999 is not an integer; --cast num"),
        (&["d.csv", "--dtype", "u4"], "-1 does not fit '<u4'"),
        (&["e.csv", "--dtype", "i8", "--cast", "lossless"], "-0.0 has a sign, which an integer"),
        (&["c.json", "--dtype", "i8"], "row 0, field value: 0.99999999999999999999 is not an int"),
        (
            &["c.json", "--dtype", "i8", "--cast", "lossless"],
            "line 1: no float has all digits of 0.9999",
        ),
        (&["h.json", "--dtype", "u8"], "18446744073709551617.0 does not fit '<u8'"),
        (
            &["g.json", "--dtype", "f8", "--cast", "lossless"],
            "line 1: no float has all digits of 1152921504606846978.00; in quotes",
        ),
        (&["e.json", "--dtype", "[('a','i8'),('b','f8')]"], "0.99999999999999999999 is not an int"),
        (&["f.json", "--dtype", "[('a','i8'),('b','f8')]"], "line 2: no integer of 64 bits and no"),
        (&["decimal.npy", "--dtype", "u1"], "145.000000000000005 is not an integer"),
        (&["zero.npy", "--dtype", "i8", "--cast", "lossless"], "-0.0 has a sign"),
    ] {
        let said = converted(path, args).expect_err(message);
        assert!(said.contains(message), "{args:?}: {said}");
    }
}

/// Guards integers of Python beyond the largest float, which became infinite.
#[test]
fn huge_integers_of_python_are_not_infinite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    save_objects(&path.join("x.npy"), 1, format!("I1{:0309}\n", 0).as_bytes());
    save_objects(&path.join("y.npy"), 1, format!("I1{:0300}\n", 0).as_bytes());
    for dtype in ["f8", "c16"] {
        let said = converted(path, &["x.npy", "--dtype", dtype]).unwrap_err();
        assert!(said.contains("does not fit '<f8'"), "{said}");
    }
    assert_eq!(converted(path, &["y.npy", "--dtype", "f8"]).as_deref(), Ok("[1e300]"));
}

/// Guards infinite numbers of objects, which were null in JSON.
#[test]
fn infinite_numbers_of_objects_are_text_in_json() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let high = b"G\x7f\xf0\0\0\0\0\0\0";
    let low = b"G\xff\xf0\0\0\0\0\0\0";
    let nan = b"G\x7f\xf8\0\0\0\0\0\0";
    let list = [&b"]("[..], low, nan, b"e"].concat();
    let dict = [&b"}X\x01\0\0\0a"[..], &list, b"s"].concat();
    let complex = [&b"c__builtin__\ncomplex\n"[..], high, low, b"\x86R"].concat();
    save_objects(&path.join("x.npy"), 4, &[&high[..], &list, &dict, &complex].concat());
    let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
    let output = command.args(["cat", "--jsonl", "x.npy"]).current_dir(path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = "\"inf\"\n[\"-inf\",null]\n{\"a\":[\"-inf\",null]}\n[\"inf\",\"-inf\"]\n";
    assert_eq!(text, lines);
    save_objects(&path.join("y.npy"), 2, &[&high[..], b"K\x01"].concat());
    let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
    let command = command.args(["convert", "y.npy", "y.json"]).current_dir(path);
    assert!(command.status().unwrap().success());
    assert_eq!(converted(path, &["y.json"]).as_deref(), Ok("[inf 1.0]"));
}

/// Guards rows of many columns: the names were compared with each other, which took a minute. Eight times as many columns take eight times as long, and not 64 times.
#[cfg(unix)]
#[test]
fn a_row_of_many_columns_is_read_in_linear_time() {
    const MAX_RATIO: f64 = 24.0;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let json = |columns: usize| format!("[[{}1]]", "1,".repeat(columns - 1));
    let csv = |columns: usize| {
        let names: Vec<String> = (0..columns / 2).map(|at| format!("c{at}.0,c{at}.1")).collect();
        format!("{}\n1{}\n", names.join(","), ",1".repeat(columns - 1))
    };
    let [few, many] = [10_000, 80_000].map(|columns| {
        fs::write(path.join("x.json"), json(columns)).unwrap();
        fs::write(path.join("x.csv"), csv(columns)).unwrap();
        let of_json = processor_time(path, &["convert", "x.json", "o.npy", "--dtype", "f8"]);
        of_json + processor_time(path, &["convert", "x.csv", "o.npy"])
    });
    // Less than that is the start of the program.
    let few = few.max(0.1);
    assert!(many < MAX_RATIO * few, "{many} s, and {few} s for an eighth");
}

/// Guards comments whose quotes do not end: for each of them, quotes were looked for up to the end of the file. Eight times as many lines take eight times as long, and not 64 times.
#[cfg(unix)]
#[test]
fn comments_with_open_quotes_are_read_in_linear_time() {
    const MAX_RATIO: f64 = 24.0;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let [few, many] = [4_000, 32_000].map(|lines| {
        fs::write(path.join("x.csv"), format!("a,b\n{}1,2\n", "#a\"b,\"c\n".repeat(lines)))
            .unwrap();
        processor_time(path, &["convert", "x.csv", "o.npy"])
    });
    // Less than that is the start of the program.
    let few = few.max(0.1);
    assert!(many < MAX_RATIO * few, "{many} s, and {few} s for an eighth");
}

/// Guards text, which a dtype of text would make shorter, and messages about values that have no place.
#[test]
fn values_that_do_not_fit_are_refused_with_their_reason() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    save_objects(&path.join("zero.npy"), 1, b"X\x02\0\0\0a\0");
    fs::write(path.join("span.csv"), "v\n90 seconds\n").unwrap();
    fs::write(path.join("months.csv"), "v\n5 months\n").unwrap();
    fs::write(path.join("days.csv"), "v\n31.01.2024\n").unwrap();
    fs::write(path.join("yes.csv"), "v\nyes\n").unwrap();
    // [datetime(2024, 1, 31), None]
    let times = b"cdatetime\ndatetime\nC\x0a\x07\xe8\x01\x1f\0\0\0\0\0\0\x85RN";
    save_objects(&path.join("times.npy"), 2, times);
    fs::write(path.join("no.csv"), "v\nninety\n").unwrap();
    fs::write(path.join("large.json"), "[1e400]").unwrap();
    for (args, message) in [
        (&["zero.npy", "--dtype", "U"][..], "\"a\\0\" ends with a zero"),
        (
            &["span.csv", "--dtype", "m8[m]"],
            "90 seconds does not fit '<m8[m]'; --cast numeric cuts times off to this unit\n",
        ),
        (
            &["span.csv", "--dtype", "m8[M]", "--cast", "numeric"],
            "90 seconds does not fit '<m8[M]'; a dtype '<m8[ns]' reads spans of time\n",
        ),
        (
            &["span.csv", "--dtype", "i8", "--cast", "numeric"],
            "\"90 seconds\" is not an integer; a dtype '<m8[ns]' reads spans of time\n",
        ),
        (&["months.csv", "--dtype", "M8[D]"], "00.5+02:00; a dtype '<m8[M]' reads spans of time\n"),
        (&["times.npy", "--dtype", "i8"], "is not an integer; a dtype '<M8[s]' reads times\n"),
        (&["times.npy", "--dtype", "f8"], "is not a number; a dtype '<M8[s]' reads times\n"),
        (
            &["times.npy[::-1]", "--dtype", "i8"],
            "it is missing, and not an integer; a dtype '<M8[s]' reads times\n",
        ),
        (
            &["days.csv", "--dtype", "M8[D]"],
            "00.5+02:00; npy sql makes times of text (U) by their format: to_timestamp(x, '%d.%m.%Y'), ",
        ),
        (
            &["yes.csv", "--dtype", "?"],
            "is not True or False; npy sql makes booleans of text (U): x = 'yes'\n",
        ),
        (&["no.csv", "--dtype", "m8[m]"], "\"ninety\" is not a span of time, such as 90 seconds"),
        (&["no.csv", "--cast", "lossless"], "--cast lossless is for the values of a --dtype"),
        (&["large.json"], "no float is as large; in quotes, it is kept as text"),
    ] {
        let said = converted(path, args).expect_err(message);
        assert!(said.contains(message), "{args:?}: {said}");
    }
}

/// Guards against a file of 200 bytes whose JSON would need all memory.
#[test]
fn lists_without_bytes_are_limited_in_json() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let descr = "[('a', '<i8', (1000000000, 0)), ('b', '|i1')]";
    let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (3,), }}");
    let header = format!("{header:<117}\n");
    let file = [&b"\x93NUMPY\x01\x00\x76\x00"[..], header.as_bytes(), b"abc"].concat();
    fs::write(path.join("x.npy"), file).unwrap();
    for args in [&["cat", "--json"][..], &["head", "--jsonl"], &["convert", "--to", "json"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
        let command = command.args(args).arg("x.npy").current_dir(path);
        let command = if args[0] == "convert" { command.arg("-") } else { command };
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("items without bytes, which are too many to write"), "{said}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
    let output = command.args(["cat", "--json", "-c", "b", "x.npy"]).current_dir(path).output();
    assert_eq!(output.unwrap().stdout, b"[{\"b\":97},\n{\"b\":98},\n{\"b\":99}]\n");
}

/// Guards decimal numbers that are equal in Python, and those that only have the same nearest float.
#[test]
fn distinct_decimal_numbers_are_those_that_python_finds_different() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let decimal = |text: &str| {
        let length = u8::try_from(text.len()).unwrap();
        [b"cdecimal\nDecimal\nX", &[length, 0, 0, 0][..], text.as_bytes(), b"\x85R"].concat()
    };
    let float = |value: f64| [&b"G"[..], &value.to_be_bytes()].concat();
    let integer = |text: &str| format!("I{text}\n").into_bytes();
    // len(set(items)), by Python.
    for (items, distinct) in [
        (vec![decimal("1.50"), decimal("1.5"), decimal("15e-1"), float(1.5)], 1),
        (vec![decimal("0.1"), decimal("0.10"), float(0.1)], 2),
        (
            vec![
                decimal("0.1"),
                decimal("0.1000000000000000055511151231257827021181583404541015625"),
                float(0.1),
            ],
            2,
        ),
        (vec![decimal("-0.1"), decimal("0.1"), decimal("-0.10")], 2),
        (
            vec![
                decimal("9007199254740993"),
                decimal("9007199254740992"),
                float(9007199254740992.0),
            ],
            2,
        ),
        (vec![decimal("9007199254740993.0"), integer("9007199254740993")], 1),
        (
            vec![
                decimal("18446744073709551617"),
                integer("18446744073709551617"),
                decimal("18446744073709551617.00"),
            ],
            1,
        ),
        (
            vec![
                decimal("1e-400"),
                decimal("2e-400"),
                decimal("0"),
                decimal("-0.00"),
                integer("0"),
            ],
            3,
        ),
        (vec![decimal("1e3"), integer("1000"), decimal("1000.0")], 1),
    ] {
        save_objects(&path.join("x.npy"), items.len(), &items.concat());
        let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
        let output = command.args(["stats", "--json", "x.npy"]).current_dir(path).output().unwrap();
        let found = String::from_utf8(output.stdout).unwrap();
        assert!(found.contains(&format!("\"distinct\":{distinct}")), "{distinct}: {found}");
    }
}
