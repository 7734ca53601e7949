//! `npy convert`: values and names that must not change on the way to text, from it, and to another dtype.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use npy_core::{DType, DynArray, NpyArray, Order, ReadNpy, WriteNpy};

fn npy(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap()
}

fn ok(directory: &Path, args: &[&str]) {
    let output = npy(directory, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
}

/// Guards bytes: no two have the same text, and each comes back.
#[test]
fn bytes_have_texts_of_their_own_that_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let mut strings = vec![Vec::new()];
    for length in 0..5 {
        let longest: Vec<Vec<u8>> =
            strings.iter().filter(|string| string.len() == length).cloned().collect();
        let longer = |string: &Vec<u8>| b"\\x\xfff5c".map(|byte| [&string[..], &[byte]].concat());
        strings.extend(longest.iter().flat_map(longer));
    }
    let padded = |string: &Vec<u8>| [&string[..], &[0; 5][string.len()..]].concat();
    let bytes: Vec<u8> = strings.iter().flat_map(padded).collect();
    let array = DynArray::new("|S5".parse().unwrap(), [strings.len()], Order::C, bytes).unwrap();
    array.write_npy(path.join("x.npy")).unwrap();
    for text in ["x.csv", "x.jsonl"] {
        ok(path, &["convert", "x.npy", text]);
        let written = fs::read_to_string(path.join(text)).unwrap();
        let lines: std::collections::HashSet<&str> = written.lines().collect();
        assert_eq!(lines.len(), strings.len() + usize::from(text == "x.csv"));
        ok(path, &["convert", text, "back.npy", "--dtype", "S"]);
        assert!(fs::read(path.join("back.npy")).unwrap() == fs::read(path.join("x.npy")).unwrap());
    }
}

/// Guards integers of JSON that a float would round, and digits in quotes, which are no count of a time.
#[test]
fn integers_of_json_are_exact_and_their_text_is_no_time() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let convert = |name: &str, text: &str, options: &[&str]| {
        fs::write(path.join(name), text).unwrap();
        let output = npy(path, &[&["convert", name, "o.npy"], options].concat());
        match output.status.success() {
            true => Ok(DynArray::read_npy(path.join("o.npy")).unwrap().to_string()),
            false => Err(String::from_utf8(output.stderr).unwrap()),
        }
    };
    for (text, options, values) in [
        ("18446744073709551615\n0\n", &[][..], "[18446744073709551615                    0]"),
        (
            "{\"18446744073709551617\": \"\\\"18446744073709551617\"}\n",
            &[],
            "[('\"18446744073709551617',)]",
        ),
        ("100000000000000000000\n0.5\n", &[], "[1e20  0.5]"),
        ("-9223372036854775808", &[], "[-9223372036854775808]"),
        // Beside text, an integer keeps its digits.
        (
            "1e20\n100000000000000000000\n\"x\"\n1e2\n-18446744073709551616\n9223372036854775808.0\n18446744073709551615\n1e30\n18446744073709551616\n",
            &[],
            "['1e20' '100000000000000000000' 'x' '100.0' '-18446744073709551616' '9.223372036854776e18' '18446744073709551615' '1e30' '18446744073709551616']",
        ),
        (
            "{\"a\": {\"b\": [1e19, 20000000000000000000]}}",
            &["--dtype", "[('a', [('b', 'U20', 2)])]"],
            "[((['1e19', '20000000000000000000'],),)]",
        ),
        ("1577836800\n", &["--dtype", "M8[s]"], "[2020-01-01T00:00:00]"),
        ("\"2020\"\n", &["--dtype", "M8[s]"], "[2020-01-01T00:00:00]"),
        ("0.1000000000000000000001\n", &["--dtype", "f8"], "[0.1]"),
        // As JavaScript prints a float.
        ("123456789012345680000\n", &[], "[1.2345678901234568e20]"),
        ("1e-400\n", &["--dtype", "f8"], "[0.0]"),
        (
            "5e-324\n123456789012345680000\n1e2\n0.0\n",
            &["--dtype", "f8", "--cast", "lossless"],
            "[               5e-324 1.2345678901234568e20                 100.0                   0.0]",
        ),
    ] {
        assert_eq!(convert("x.jsonl", text, options).as_deref(), Ok(values), "{text}");
    }
    for (name, text, options, message) in [
        (
            "x.jsonl",
            "1\n\n18446744073709551617\n",
            &[][..],
            "x.jsonl: line 3: no integer of 64 bits and no float is 18446744073709551617; in quotes",
        ),
        (
            "x.json",
            "[1,\n-9223372036854775809]",
            &[],
            "x.json: line 2: no integer of 64 bits and no float is -9223372036854775809; in quotes, it is kept as text\n",
        ),
        ("x.json", "9007199254740993123456789", &["--dtype", "f8"], "line 1: no integer"),
        (
            "x.json",
            "[0.1000000000000000000001]",
            &["--dtype", "f8", "--cast", "lossless"],
            "line 1: no ",
        ),
        ("x.json", &"123".repeat(30_000), &[], "line 1: no integer"),
        (
            "x.jsonl",
            "\"1577836800\"\n",
            &["--dtype", "M8[s]"],
            "row 0, field value: \"1577836800\" is not a time, such as 2024-01-31",
        ),
        (
            "x.jsonl",
            "\n{'a': 1}\n",
            &[],
            "row 0: key must be a string at line 2 column 2; keys are in double quotes",
        ),
        (
            "x.json",
            "['a']",
            &[],
            "; write a number such as 0.5, text in double quotes, true, false, null",
        ),
        ("x.json", "[nan]", &[], "or \"inf\" or \"-inf\" for infinity\n"),
        ("x.json", "[-Infinity]", &[], "; infinity is \"inf\" or \"-inf\"\n"),
        (
            "x.jsonl",
            "[\n1]\n",
            &[],
            "at line 1 column 1; npy convert --from json reads a list of many lines",
        ),
        ("x.jsonl", "{\"a\":1}\n{\"a\":\n2}\n", &[], "; each line must be a complete value"),
        ("x.jsonl", "{\"a\":", &[], "column 5; the file is cut off\n"),
        (
            "x.jsonl",
            "",
            &[],
            "x.jsonl: is empty; npy convert with --dtype makes an array without rows of it\n",
        ),
    ] {
        let said = convert(name, text, options).expect_err(text);
        assert!(said.contains(message), "{said}");
    }
    // CSV and JSON have one rule.
    for number in ["1e-400", "3e-324", "1e-99999999999999999999", "0.1000000000000000000001"] {
        let options = ["--dtype", "[('x', '<f8')]", "--cast", "lossless"];
        let json = convert("x.jsonl", &format!("{{\"x\": {number}}}\n"), &options);
        assert!(json.as_ref().is_err_and(|said| said.contains("line 1: no ")), "{json:?}");
        let csv = convert("x.csv", &format!("x\n{number}\n"), &options);
        assert!(csv.as_ref().is_err_and(|said| said.contains("row 0, field x: ")), "{csv:?}");
    }
}

/// Guards text with a backslash: only the escapes that are written become bytes, and without a loss none does.
#[test]
fn other_escapes_are_text() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let text = r"C:\x41\x5d\x7f\xAB\x8";
    fs::write(path.join("x.csv"), format!("value\n{text}\n")).unwrap();
    for cast in ["checked", "lossless"] {
        ok(path, &["convert", "x.csv", "o.npy", "--dtype", "S", "--cast", cast]);
        let array = DynArray::read_npy(path.join("o.npy")).unwrap();
        assert_eq!(array.as_bytes(), text.as_bytes());
    }
    fs::write(path.join("y.csv"), "value\nC:\\xab\n").unwrap();
    ok(path, &["convert", "y.csv", "o.npy", "--dtype", "S"]);
    assert_eq!(DynArray::read_npy(path.join("o.npy")).unwrap().as_bytes(), b"C:\xab");
    let output = npy(path, &["convert", "y.csv", "o.npy", "--dtype", "S", "--cast", "lossless"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("may be text or have bytes, such as \\xff; --dtype U"), "{said}");
}

/// Guards complex numbers whose parts come in the other order.
#[test]
fn parts_of_complex_numbers_have_no_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (name, text, dtype) in [
        ("x.jsonl", "{\"im\": 1, \"re\": 2}\n", "c16"),
        ("x.jsonl", "{\"re\": 2, \"im\": 1}\n{\"im\": 1, \"re\": 2}\n", "c16"),
        ("x.jsonl", "[{\"im\": 1, \"re\": 2}, {\"im\": 1, \"re\": 2}]\n", "c16"),
        ("x.jsonl", "{\"z\": {\"im\": 1, \"re\": 2}}\n", "[('z', '<c16')]"),
        ("x.csv", "im,re\n1,2\n", "c16"),
        ("x.csv", "z.im,z.re\n1,2\n", "[('z', '<c16')]"),
    ] {
        fs::write(path.join(name), text).unwrap();
        ok(path, &["convert", name, "o.npy", "--dtype", dtype]);
        let array = DynArray::read_npy(path.join("o.npy")).unwrap();
        let number = [2f64.to_le_bytes(), 1f64.to_le_bytes()].concat();
        assert!(array.as_bytes().chunks(16).all(|item| item == number), "{text}: {array}");
    }
}

/// Guards names of fields that look like parts of others: JSON keeps them, and so does CSV with the dtype; and keys, which are not lost.
#[test]
fn records_of_json_have_their_keys_as_fields() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for dtype in [
        "[('a[0]', '<i8'), ('a[1]', '<i8')]",
        "[('a.0', '<i8'), ('a.1', '<f8')]",
        "[('0', '<i8'), ('1', '<f8')]",
        "[('value', '<i8')]",
        "[('a', [('0', '<i8'), ('1', '<i8')])]",
        "[('a', [('0', '<f8'), ('1', '<i8')], (2,))]",
        "[('v', '|V2'), ('w', '|V3', (2,))]",
        "[('a[0]', [('p.q', '<i8'), ('0', '<i8', (2, 1))])]",
    ] {
        let parsed: DType = dtype.parse().unwrap();
        let bytes: Vec<u8> = (0..7).cycle().take(2 * parsed.itemsize()).collect();
        let array = DynArray::new(parsed, [2], Order::C, bytes).unwrap();
        array.write_npy(path.join("x.npy")).unwrap();
        let before = fs::read(path.join("x.npy")).unwrap();
        for (text, options) in
            [("x.json", &[][..]), ("x.jsonl", &["--dtype", dtype]), ("x.csv", &["--dtype", dtype])]
        {
            let options = if dtype.contains('V') { &["--dtype", dtype][..] } else { options };
            ok(path, &["convert", "x.npy", text]);
            ok(path, &[&["convert", text, "back.npy"], options].concat());
            assert!(fs::read(path.join("back.npy")).unwrap() == before, "{dtype} {text}");
        }
    }
    fs::write(path.join("x.jsonl"), "{\"a\": 1, \"b\": 2}\n").unwrap();
    fs::write(path.join("deep.jsonl"), "{\"a\": [{\"b\": 2}]}\n").unwrap();
    fs::write(path.join("nest.jsonl"), "{\"t\":\"2024-05-01T12:00:00Z\",\"h\":{\"v\":1}}\n")
        .unwrap();
    let keys: Vec<String> = (0..9).map(|at| format!("\"k{at}\":{at}")).collect();
    let many = format!("{{\"t\":\"x\",{},\"h\":{{\"v\":1}}}}\n", keys.join(","));
    fs::write(path.join("many.jsonl"), many).unwrap();
    fs::write(path.join("hex.csv"), "value\nff0g\n").unwrap();
    fs::write(path.join("long.csv"), "value\nff00ff\n").unwrap();
    let dicts = [serde_json::json!({"a": 1}), serde_json::json!({"a": 2})];
    npy_core::object::save(path.join("d.npy"), &dicts).unwrap();
    let lists = [["a", "b"], ["ccc", "d"]];
    npy_core::object::save(path.join("lists.npy"), &lists.map(|list| list.map(String::from)))
        .unwrap();
    for (input, dtype, message) in [
        (
            "d.npy",
            "i8",
            "d.npy: row 0: there are keys, for which '<i8' has no fields; as records: --dtype \"[('a', '<i8')]\"",
        ),
        ("x.jsonl", "f8", "as records: --dtype \"[('a', '<f8'), ('b', '<f8')]\""),
        // The advice is a dtype of all columns, which holds them.
        (
            "deep.jsonl",
            "[('a', 'i4', (1,))]",
            "row 0: there are keys, for which '<i4' has no fields; as records: --dtype \"[('a', [('b', '<i4')], (1,))]\"",
        ),
        ("nest.jsonl", "f8", "as records: --dtype \"[('t', '<U20'), ('h', [('v', '<f8')])]\"\n"),
        (
            "nest.jsonl",
            "M8[s]",
            "as records: --dtype \"[('t', '<M8[s]'), ('h', [('v', '<M8[s]')])]\"\n",
        ),
        ("nest.jsonl", "[]", "'[]' has no fields; as records: --dtype \"[('t', '<U20'), ('h', "),
        (
            "nest.jsonl",
            "[('h', [])]",
            "row 0: there are keys, for which '[]' has no fields; as records",
        ),
        ("many.jsonl", "[]", "'[]' has no fields; without --dtype they are records\n"),
        ("many.jsonl", "i8", "without --dtype they are records, and -c k0 chooses one\n"),
        ("hex.csv", "V2", "\"ff0g\" is not bytes as hexadecimal digits"),
        ("long.csv", "V2", "ff00ff does not fit '|V2'"),
        ("lists.npy", "S2", "lists.npy: row 1: element 0 of the row: b\"ccc\" does not fit '|S2'"),
    ] {
        let output = npy(path, &["convert", input, "o.npy", "--dtype", dtype]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(message), "{said}");
    }
}

/// Guards `--cast lossless`: the values decide, whatever the dtypes are, and in every file.
#[test]
fn lossless_casts_keep_every_value() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    [0.5f64, f64::NAN, -0.0].write_npy(path.join("half.npy")).unwrap();
    [0.5f64, 0.1].write_npy(path.join("tenth.npy")).unwrap();
    NpyArray::with_order(vec![1i64, 2, 300, 4], [2, 2], Order::Fortran)
        .unwrap()
        .write_npy(path.join("f.npy"))
        .unwrap();
    vec![(1u64 << 53) + 1].write_npy(path.join("u.npy")).unwrap();
    vec![0, u64::MAX].write_npy(path.join("max.npy")).unwrap();
    [0.5, f64::from_bits(0x7ff8_0000_0000_0001)].write_npy(path.join("nan.npy")).unwrap();
    let record: DType = "[('n', '<f8', (2,)), ('i', '<u8')]".parse().unwrap();
    let item = [0x7ff8_0000_0000_0001u64, 0, 7].map(u64::to_le_bytes).concat();
    let array = DynArray::new(record, [1], Order::C, item).unwrap();
    array.write_npy(path.join("r.npy")).unwrap();
    fs::write(path.join("zero.jsonl"), "\"a\"\n\"b\\u0000\"\n").unwrap();
    fs::write(path.join("z.jsonl"), "[0.5, 1]\n[0.1, 0]\n").unwrap();
    let lossless = |input: &str, dtype: &str| {
        npy(path, &["convert", input, "o.npy", "--dtype", dtype, "--cast", "lossless"])
    };
    for (input, dtype) in [
        ("half.npy", "f2"),
        ("half.npy", "f4"),
        ("f.npy", "i2"),
        ("f.npy[0]", "f2"),
        ("tenth.npy[:1]", "f4"),
        // NaN stays NaN, although f4 keeps fewer of its bits.
        ("nan.npy", "f4"),
        ("r.npy", "[('n', '<f4', (2,)), ('i', '<f4')]"),
    ] {
        let output = lossless(input, dtype);
        assert!(output.status.success(), "{input}: {output:?}");
    }
    for (input, dtype, message) in [
        ("tenth.npy", "f4", "tenth.npy: row 1: 0.1 is not in '<f4' exactly; choose a larger dtype"),
        ("f.npy", "u1", "300 does not fit"),
        ("u.npy", "f8", "row 0: 9007199254740993 is not in '<f8' exactly"),
        ("max.npy", "f8", "max.npy: row 1: 18446744073709551615 is not in '<f8' exactly"),
        ("f.npy", "M8[s]", "cannot become"),
        ("zero.jsonl", "U", "row 1, field value: \"b\\0\" ends with a zero"),
        ("zero.jsonl", "S", "ends with a zero"),
        ("z.jsonl", "c8", "row 1: (0.1+0j) is not in '<c8' exactly"),
    ] {
        let output = lossless(input, dtype);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(message), "{said}");
    }
    // The other casts round, and the help says so.
    ok(path, &["convert", "u.npy", "o.npy", "--dtype", "f8", "--cast", "checked"]);
    assert_eq!(Vec::<f64>::read_npy(path.join("o.npy")).unwrap(), [9_007_199_254_740_992.0]);
    let help = String::from_utf8(npy(path, &["convert", "--help"]).stdout).unwrap();
    let words: Vec<&str> = help.split_whitespace().collect();
    assert!(words.join(" ").contains("fits, and is rounded: 2**53 + 1 as f8"), "{help}");
}
