//! `npy convert`: what it writes is what the library reads, and nothing is left after an error.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use npy_core::time::Second;
use npy_core::{
    DType, DateTime64, DynArray, Header, NpyArray, NpyRecord, Order, ReadNpy, WriteNpy, npz,
};

pub(super) fn npy(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap()
}

pub(super) fn ok(directory: &Path, args: &[&str]) {
    let output = npy(directory, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    assert!(output.stderr.is_empty(), "{args:?}: {output:?}");
}

/// Guards that each option changes what it names and no value.
#[test]
fn convert_changes_dtype_order_and_byte_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let array = NpyArray::new((0..12).collect::<Vec<i32>>(), [4, 3]).unwrap();
    array.write_npy(path.join("x.npy")).unwrap();
    let header = |name: &str| Header::read_npy(path.join(name)).unwrap();
    let values = |name: &str| DynArray::read_npy(path.join(name)).unwrap();

    ok(path, &["convert", "x.npy", "f.npy", "--order", "f"]);
    assert_eq!(header("f.npy").order(), Order::Fortran);
    assert_eq!(values("f.npy").to_vec::<i32>().unwrap(), array.clone().into_vec());

    ok(path, &["convert", "f.npy", "c.npy", "--order", "C", "--endian", "big"]);
    assert_eq!(header("c.npy").order(), Order::C);
    assert_eq!(header("c.npy").dtype().to_string(), ">i4");
    assert_eq!(
        NpyArray::<i32>::read_npy(path.join("c.npy")).unwrap().into_vec(),
        array.clone().into_vec()
    );

    ok(path, &["convert", "f.npy[1:3,::-1]", "d.npy", "--dtype", "f8"]);
    let expected = [5.0, 4.0, 3.0, 8.0, 7.0, 6.0];
    assert_eq!(values("d.npy").shape(), [2, 3]);
    assert_eq!(values("d.npy").to_vec::<f64>().unwrap(), expected);

    // Unchanged, the file of `np.save` is written again byte for byte.
    ok(path, &["convert", "x.npy", "same.npy"]);
    assert_eq!(fs::read(path.join("same.npy")).unwrap(), fs::read(path.join("x.npy")).unwrap());
}

/// Guards against lost values: converting numbers to text without a width would make every value empty.
#[test]
fn numbers_do_not_become_text_without_a_width() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    [1.5f64, 2.0].write_npy(path.join("x.npy")).unwrap();
    fs::write(path.join("x.csv"), "value\n1\n2\n").unwrap();
    for dtype in ["U", "S", "V", "U0"] {
        for input in ["x.npy", "x.csv"] {
            let output = npy(path, &["convert", input, "o.npy", "--dtype", dtype]);
            let written = DynArray::read_npy(path.join("o.npy"));
            let width = written.map(|array| array.dtype().itemsize());
            assert!(
                !output.status.success() || width.unwrap() > 0,
                "{input} to {dtype}: {output:?}"
            );
            let _ = fs::remove_file(path.join("o.npy"));
        }
    }
}

/// Guards rows that would be lines without text, which are lost or become numbers when they are read.
#[test]
fn an_array_without_columns_does_not_become_csv() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    NpyArray::<f64>::new(vec![], [3, 0]).unwrap().write_npy(path.join("x.npy")).unwrap();
    let empty = DynArray::new("[]".parse().unwrap(), [3], Order::C, vec![]).unwrap();
    empty.write_npy(path.join("r.npy")).unwrap();
    for name in ["x.npy", "r.npy"] {
        let output = npy(path, &["convert", name, "x.csv"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("{name}: there are no columns to write")), "{said}");
        assert!(!path.join("x.csv").exists());
        assert_eq!(npy(path, &["cat", "--csv", name]).status.code(), Some(2));
        ok(path, &["convert", name, "x.jsonl"]);
    }
}

/// Guards text that is no UTF-8: nothing of it is lost.
#[test]
fn lone_surrogates_are_escaped() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let text: Vec<u8> = [0x61u32, 0xdc80].iter().flat_map(|c| c.to_le_bytes()).collect();
    let array = DynArray::new("<U2".parse().unwrap(), [1], Order::C, text).unwrap();
    array.write_npy(path.join("x.npy")).unwrap();
    for (name, expected) in [("x.csv", "value\na\\udc80\n"), ("x.jsonl", "\"a\\udc80\"\n")] {
        ok(path, &["convert", "x.npy", name]);
        assert_eq!(fs::read_to_string(path.join(name)).unwrap(), expected);
    }
}

/// Guards the file that standard output is redirected to, which has more than this output.
#[cfg(unix)]
#[test]
fn standard_output_is_not_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    vec![7u8].write_npy(path.join("x.npy")).unwrap();
    let script =
        "{ echo before; \"$0\" convert x.npy /dev/stdout --to csv; echo after; } > out.txt";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_npy")]).current_dir(path);
    assert!(shell.status().unwrap().success());
    assert_eq!(fs::read_to_string(path.join("out.txt")).unwrap(), "before\nvalue\n7\nafter\n");
}

/// Guards that arrays pass through archives, and that other members stay.
#[test]
fn convert_writes_archives_and_members() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    vec![0.0f64; 5000].write_npy(path.join("zeros.npy")).unwrap();
    vec![1u8, 2, 3].write_npy(path.join("x.npy")).unwrap();

    ok(path, &["convert", "zeros.npy", "a.npz", "--compress"]);
    assert!(fs::metadata(path.join("a.npz")).unwrap().len() < 1000);
    ok(path, &["convert", "x.npy", "a.npz::part/x", "--compress"]);
    let archive = npz::Reader::open(path.join("a.npz")).unwrap();
    assert_eq!(archive.names().collect::<Vec<_>>(), ["zeros", "part/x"]);
    assert_eq!(archive.read::<Vec<u8>>("part/x").unwrap(), [1, 2, 3]);

    ok(path, &["convert", "a.npz", "b.npz", "--endian", "big"]);
    let archive = npz::Reader::open(path.join("b.npz")).unwrap();
    assert_eq!(archive.header("zeros").unwrap().dtype().to_string(), ">f8");
    ok(path, &["convert", "b.npz::part/x[1:]", "y.npy"]);
    assert_eq!(Vec::<u8>::read_npy(path.join("y.npy")).unwrap(), [2, 3]);
}

/// Guards that an error in a late block names the row of the file, and that the old file stays and no other is left.
#[test]
fn a_value_that_does_not_fit_leaves_the_old_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let mut values = vec![1i64; 100_000];
    values[90_000] = 1 << 40;
    values.write_npy(path.join("x.npy")).unwrap();
    fs::write(path.join("out.npy"), "old").unwrap();
    let output = npy(path, &["convert", "x.npy", "out.npy", "--dtype", "i4"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("npy: x.npy: row 90000: "), "{message}");
    assert_eq!(fs::read(path.join("out.npy")).unwrap(), b"old");
    assert_eq!(fs::read_dir(path).unwrap().count(), 2);
}

/// Guards that a file that is cut short leaves no partial output, whatever is written.
#[test]
fn a_truncated_file_leaves_no_output() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    vec![1.5f64; 100_000].write_npy(path.join("whole.npy")).unwrap();
    let bytes = fs::read(path.join("whole.npy")).unwrap();
    fs::write(path.join("x.npy"), &bytes[..bytes.len() - 5]).unwrap();
    for out in ["out.npy", "out.npz", "out.csv", "out.jsonl"] {
        let output = npy(path, &["convert", "x.npy", out]);
        assert_eq!(output.status.code(), Some(2), "{out}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("truncated"), "{out}");
        assert_eq!(fs::read_dir(path).unwrap().count(), 2, "{out}");
    }
}

/// Guards that rows that many threads print are complete and in order.
#[test]
fn text_of_many_rows_is_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let values: Vec<u32> = (0..1_000_000).collect();
    values.write_npy(path.join("x.npy")).unwrap();
    ok(path, &["convert", "x.npy", "x.csv"]);
    let csv = fs::read_to_string(path.join("x.csv")).unwrap();
    let numbers = csv.lines().skip(1).map(|line| line.parse::<u32>().unwrap());
    assert!(numbers.eq(values.iter().copied()));
    ok(path, &["convert", "x.npy", "x.json"]);
    let json = fs::read_to_string(path.join("x.json")).unwrap();
    assert_eq!(serde_json::from_str::<Vec<u32>>(&json).unwrap(), values);
}

#[derive(NpyRecord)]
struct Inner {
    t0: i64,
}

#[derive(NpyRecord)]
struct Trace {
    station: u32,
    amplitude: [f32; 2],
    grid: [[i16; 2]; 2],
    hdr: Inner,
}

/// Guards that text which the command has written becomes the same array again.
#[test]
fn text_becomes_the_array_it_was_made_of() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let dyn_of = |name: &str| DynArray::read_npy(path.join(name)).unwrap();
    [0.5, f64::NAN, -3.0].write_npy(path.join("line.npy")).unwrap();
    NpyArray::new((0..6).map(f64::from).collect(), [2, 3])
        .unwrap()
        .write_npy(path.join("matrix.npy"))
        .unwrap();
    NpyArray::new((0..12i64).collect(), [3, 2, 2])
        .unwrap()
        .write_npy(path.join("cube.npy"))
        .unwrap();
    ["a", "longer"].write_npy(path.join("text.npy")).unwrap();
    for name in ["line", "matrix", "cube", "text"] {
        for form in ["csv", "jsonl"] {
            let (text, back) = (format!("{name}.{form}"), format!("{name}_{form}.npy"));
            ok(path, &["convert", &format!("{name}.npy"), &text]);
            ok(path, &["convert", &text, &back]);
            let (before, after) = (dyn_of(&format!("{name}.npy")), dyn_of(&back));
            assert_eq!(before.shape(), after.shape(), "{name} {form}");
            assert_eq!(before.dtype(), after.dtype(), "{name} {form}");
            let [before, after] = [before, after].map(|array| format!("{array:?}"));
            assert_eq!(before, after, "{name} {form}");
        }
    }

    let trace = |n: u8| Trace {
        station: n.into(),
        amplitude: [f32::from(n), 0.5],
        grid: [[1, 2], [3, i16::from(n)]],
        hdr: Inner { t0: i64::from(n) << 40 },
    };
    (0..3).map(trace).collect::<Vec<_>>().write_npy(path.join("traces.npy")).unwrap();
    let before = dyn_of("traces.npy");
    let dtype = before.dtype().descr();
    for form in ["csv", "jsonl"] {
        let (text, back) = (format!("traces.{form}"), format!("traces_{form}.npy"));
        ok(path, &["convert", "traces.npy", &text]);
        ok(path, &["convert", &text, &back, "--dtype", &dtype]);
        assert_eq!(dyn_of(&back), before, "{form}");
        // Without the dtype, the shapes of the fields are the same.
        ok(path, &["convert", &text, &back]);
        let fields = dyn_of(&back).dtype().clone();
        let grid = fields.field("grid").unwrap().dtype().sub_array().unwrap();
        assert_eq!(grid.1, [2, 2], "{form}");
    }
}

/// Guards what text does not show: with the dtype, the array is the same again.
#[test]
fn text_with_a_dtype_becomes_the_array_it_was_made_of() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let cases = [
        ("<c16", &[2][..]),
        (">c8", &[3, 2]),
        ("[('a', '<i4'), ('c', '<c8'), ('pair', '<c16', (2,))]", &[2]),
        ("<m8[s]", &[3]),
        ("<m8[15m]", &[2]),
        ("<M8[M]", &[2]),
        ("<M8[Y]", &[2]),
        ("<M8[h]", &[2]),
        ("[('t', '<m8[D]'), ('name', '<U2')]", &[0]),
    ];
    for (dtype, shape) in cases {
        let dtype: DType = dtype.parse().unwrap();
        let count = shape.iter().product::<usize>() * dtype.itemsize();
        let bytes = [7, 0, 0, 0, 65, 0, 0, 0].into_iter().cycle().take(count).collect();
        let before = DynArray::new(dtype, shape, Order::C, bytes).unwrap();
        before.write_npy(path.join("x.npy")).unwrap();
        for text in ["x.csv", "x.jsonl", "x.json"] {
            ok(path, &["convert", "x.npy", text]);
            ok(path, &["convert", text, "y.npy", "--dtype", &before.dtype().descr()]);
            assert_eq!(DynArray::read_npy(path.join("y.npy")).unwrap(), before, "{text}");
        }
    }

    // The texts of a list of records may have different lengths.
    let dtype: DType = "[('r', [('s', '<U2'), ('n', '<i4')], (2, 2))]".parse().unwrap();
    let mut bytes = vec![0; dtype.itemsize()];
    (bytes[0], bytes[12], bytes[16]) = (b'a', b'b', b'c');
    let before = DynArray::new(dtype, [1], Order::C, bytes).unwrap();
    before.write_npy(path.join("x.npy")).unwrap();
    for text in ["x.csv", "x.jsonl", "x.json"] {
        ok(path, &["convert", "x.npy", text]);
        ok(path, &["convert", text, "y.npy", "--dtype", &before.dtype().descr()]);
        assert_eq!(DynArray::read_npy(path.join("y.npy")).unwrap(), before, "{text}");
    }

    // Infinities are not missing, integers may be written as floats, and counts may be times.
    [f64::INFINITY, f64::NEG_INFINITY, 1.5].write_npy(path.join("inf.npy")).unwrap();
    ok(path, &["convert", "inf.npy", "inf.jsonl"]);
    ok(path, &["convert", "inf.jsonl", "same.npy"]);
    let [before, after] = ["inf.npy", "same.npy"].map(|name| fs::read(path.join(name)).unwrap());
    assert_eq!(before, after);
    fs::write(path.join("ids.csv"), "value\n1.0\n-2.0\n").unwrap();
    ok(path, &["convert", "ids.csv", "ids.npy", "--dtype", "i4"]);
    assert_eq!(Vec::<i32>::read_npy(path.join("ids.npy")).unwrap(), [1, -2]);
    fs::write(path.join("ids.csv"), "value\n1.5\n").unwrap();
    assert_eq!(
        npy(path, &["convert", "ids.csv", "ids.npy", "--dtype", "i4"]).status.code(),
        Some(2)
    );
    fs::write(path.join("t.csv"), "value\n45\n\"\"\n").unwrap();
    ok(path, &["convert", "t.csv", "t.npy", "--dtype", "M8[s]"]);
    let times = DynArray::read_npy(path.join("t.npy")).unwrap();
    assert_eq!(times.to_vec::<DateTime64<Second>>().unwrap(), [45, i64::MIN].map(DateTime64::new));
}

/// Guards a dtype for all columns, delimiters and files without names.
/// Guards arrays and archives with the names of text: their first bytes count, as for each command that reads. Other bytes have a command that helps.
#[test]
fn first_bytes_say_more_than_a_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    vec![1.5f32, 2.5].write_npy(path.join("x.npy")).unwrap();
    ok(path, &["npz", "pack", "x.npz", "x.npy"]);
    for (from, name) in [
        ("x.npy", "a.csv"),
        ("x.npy", "a.tsv"),
        ("x.npy", "a.json"),
        ("x.npy", "a.jsonl"),
        ("x.npz", "z.csv"),
        ("x.npz", "z.json"),
    ] {
        fs::copy(path.join(from), path.join(name)).unwrap();
        ok(path, &["convert", name, "o.npy", "--dtype", "f8"]);
        assert_eq!(Vec::<f64>::read_npy(path.join("o.npy")).unwrap(), [1.5, 2.5], "{name}");
    }
    fs::write(path.join("g.csv"), b"\x1f\x8b\x08\x00\x00").unwrap();
    for (args, part) in [
        (
            &["x.npy", "o.npy", "--from", "csv"][..],
            "x.npy: it is an array as .npy, and not text; leave out --from",
        ),
        (
            &["z.csv", "o.npy", "--from", "json"],
            "z.csv: it is a zip archive, and not text; leave out --from",
        ),
        (&["g.csv", "o.npy"], "g.csv: it is compressed with gzip; gunzip -c g.csv > OUT"),
    ] {
        let output = npy(path, &[&["convert"], args].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && message.contains(part), "{message}");
    }
}

#[test]
fn csv_of_others_is_read_as_the_options_say() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let write = |name: &str, text: &str| fs::write(path.join(name), text).unwrap();
    let shape_and_dtype = |name: &str| {
        let header = Header::read_npy(path.join(name)).unwrap();
        (header.shape().to_vec(), header.dtype().to_string())
    };
    let refused = |args: &[&str]| {
        let output = npy(path, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
        assert!(!path.join("out.npy").exists());
        String::from_utf8(output.stderr).unwrap()
    };

    write("numbers.csv", "1,2.5\n3,4\n");
    assert!(refused(&["convert", "numbers.csv", "out.npy"]).contains("--no-header"));
    ok(path, &["convert", "numbers.csv", "n.npy", "--no-header"]);
    assert_eq!(shape_and_dtype("n.npy"), (vec![2, 2], "<f8".into()));
    ok(path, &["convert", "numbers.csv", "f4.npy", "--no-header", "--dtype", "f4"]);
    assert_eq!(
        NpyArray::<f32>::read_npy(path.join("f4.npy")).unwrap().into_vec(),
        [1.0, 2.5, 3.0, 4.0]
    );

    write("semicolons.csv", "a;b\n1;x\n");
    assert!(refused(&["convert", "semicolons.csv", "out.npy"]).contains("--delimiter ';'"));
    ok(path, &["convert", "semicolons.csv", "s.npy", "--delimiter", ";"]);
    assert_eq!(Header::read_npy(path.join("s.npy")).unwrap().dtype().fields().len(), 2);
    write("tabs.csv", "a\tb\n1\t2\n");
    ok(path, &["convert", "tabs.csv", "tabs.jsonl", "--delimiter", "\\t"]);
    assert_eq!(fs::read_to_string(path.join("tabs.jsonl")).unwrap(), "{\"a\":1,\"b\":2}\n");
    assert!(
        refused(&["convert", "s.npy", "out.npy", "--delimiter", ";"]).contains("IN is not CSV")
    );

    // Text of a given width in bytes, and times of a given unit.
    write("named.csv", "name,t\nRJOB,2024-01-01 00:00:00.5\né,2024-01-02\n");
    let dtype = "[('name', 'S8'), ('t', '<M8[ns]')]";
    ok(path, &["convert", "named.csv", "named.npy", "--dtype", dtype]);
    let named = DynArray::read_npy(path.join("named.npy")).unwrap();
    assert_eq!(named.dtype().to_string(), "[('name', '|S8'), ('t', '<M8[ns]')]");
    assert!(
        refused(&["convert", "named.csv", "out.npy", "--dtype", "[('name', 'S2')]"])
            .contains("row 0")
    );
    write("times.csv", "value\n2024-01-01 00:00:00.5\n");
    ok(path, &["convert", "times.csv", "times.npy", "--dtype", "M8[ns]"]);
    assert_eq!(shape_and_dtype("times.npy"), (vec![1], "<M8[ns]".into()));

    // Names that are numbers, texts for missing values, and files that are cut off.
    write("years.csv", "2019,2020\n1,2\n");
    assert!(refused(&["convert", "years.csv", "out.npy"]).contains("--header"));
    let dtype = "[('2019', 'i4'), ('2020', 'i4')]";
    for args in [&["--header"][..], &["--dtype", dtype]] {
        ok(path, &[&["convert", "years.csv", "years.npy"], args].concat());
        assert_eq!(shape_and_dtype("years.npy").0, [1]);
    }
    write("missing.csv", "a,b\n1.5,1\nNA,2\nnull,3\n");
    fs::write(path.join("dashes.csv"), "x\n---\n2\n-999\n").unwrap();
    ok(path, &["convert", "dashes.csv", "dashes.npy", "--missing", "---,-999", "--dtype", "f8"]);
    ok(path, &["convert", "missing.csv", "missing.npy", "--missing", "NA,null"]);
    assert_eq!(shape_and_dtype("missing.npy").1, "[('a', '<f8'), ('b', '<i8')]");
    // In a column of text, found or given, they are text.
    write("stations.csv", "station,temp\nNA,1.5\nB,NA\n");
    for dtype in [&[][..], &["--dtype", "[('station', 'U'), ('temp', 'f8')]"]] {
        let args = ["convert", "stations.csv", "stations.npy", "--missing", "NA"];
        ok(path, &[&args[..], dtype].concat());
        let printed = npy(path, &["cat", "stations.npy"]).stdout;
        assert_eq!(String::from_utf8(printed).unwrap(), "station,temp\nNA,1.5\nB,\n");
    }
    fs::write(path.join("gap.csv"), "temp\nNA\n1\n").unwrap();
    let message = refused(&["convert", "gap.csv", "out.npy", "--missing", "NA", "--dtype", "i4"]);
    assert!(message.contains(" \"NA\" is a missing value, and not an integer; "), "{message}");
    write("cut.csv", "a,b\n1,\"x\n");
    assert!(refused(&["convert", "cut.csv", "out.npy"]).contains("within quotes"));
    write("quotes.csv", "a,b\n5\" pipe,\"x\"\"\"\n1,\"\"");
    ok(path, &["convert", "quotes.csv", "quotes.npy"]);
    fs::write(path.join("latin.csv"), b"a\n\xe9\n").unwrap();
    assert!(
        refused(&["convert", "latin.csv", "out.npy"]).contains("iconv -f WINDOWS-1252 -t UTF-8 ")
    );
    fs::write(path.join("utf16.csv"), b"\xff\xfea\0\n\0").unwrap();
    assert!(refused(&["convert", "utf16.csv", "out.npy"]).contains("UTF-16"));
    write("mark.jsonl", "\u{feff}{\"a\": 1}\n");
    ok(path, &["convert", "mark.jsonl", "mark.npy"]);

    // Names that only look like a list stay; lists of different lengths are refused.
    write("pandas.csv", "x,x.1\n1,2\n");
    ok(path, &["convert", "pandas.csv", "pandas.npy"]);
    assert_eq!(
        Header::read_npy(path.join("pandas.npy")).unwrap().dtype().fields()[1].name(),
        "x.1"
    );
    write("ragged.jsonl", "[1, 2]\n[3]\n");
    assert!(refused(&["convert", "ragged.jsonl", "out.npy"]).contains("row 1"));
    // Errors within one list name their row, too.
    for (list, message) in [
        ("[[1, 2], [3]]", "row 1: the list has 1 items"),
        ("[{\"a\": 1}, {\"a\": NaN}]", "row 1: expected value"),
        ("[{\"a\": 1}, {\"a\": 1, \"a\": 2}]", "row 1: the key \"a\" is there twice"),
        ("[1,\n2,]", "row 2: trailing comma at line 2 column 3; remove the comma\n"),
        ("[1,\n2", "EOF while parsing a list at line 2 column 1; the file is cut off\n"),
        (
            "{}\n{}",
            "at line 2 column 1; npy convert --from jsonl reads values that are each in a line\n",
        ),
    ] {
        write("list.json", list);
        let said = refused(&["convert", "list.json", "out.npy"]);
        assert!(said.contains(message), "{said}");
    }
}

/// Guards what becomes of text that a dtype does not hold, or that can mean more than one thing.
#[test]
fn text_that_does_not_fit_a_dtype_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let convert = |text: &str, dtype: &str, cast: &str| {
        fs::write(path.join("x.csv"), format!("value\n{text}\n")).unwrap();
        let args = ["convert", "x.csv", "x.npy", "--dtype", dtype, "--cast", cast];
        let output = npy(path, &args);
        match output.status.success() {
            true => Ok(DynArray::read_npy(path.join("x.npy")).unwrap().to_string()),
            false => Err(String::from_utf8(output.stderr).unwrap()),
        }
    };
    for (text, dtype, value) in [
        ("3", "i4", "[3]"),
        ("1.0", "i2", "[1]"),
        ("0.5", "f4", "[0.5]"),
        ("0.5", "f2", "[0.5]"),
        ("0.1", "f8", "[0.1]"),
        ("0.10000000000000001", "f8", "[0.1]"),
        ("inf", "f4", "[inf]"),
        ("0.5\n\"\"", "f4", "[0.5 nan]"),
        ("2020", "M8[D]", "[2020-01-01]"),
        ("18262\n2020", "M8[D]", "[2020-01-01 1975-07-14]"),
        ("20240115\n5", "M8[D]", "[57385-07-21 1970-01-06]"),
        ("1577836800", "M8[s]", "[2020-01-01T00:00:00]"),
        (
            "2020-01-01T01:00:00.5+01:00\n2020-01-01T00:00Z",
            "M8[ms]",
            "[2020-01-01T00:00:00.500 2020-01-01T00:00:00.000]",
        ),
        ("TRUE\nFALSE", "?", "[True False]"),
    ] {
        assert_eq!(convert(text, dtype, "lossless").as_deref(), Ok(value), "{text}");
    }
    for (text, dtype, cast) in [
        ("9007199254740993", "f8", "lossless"),
        ("0.123456789", "f4", "lossless"),
        ("0.1", "f4", "lossless"),
        ("0.1", "f2", "lossless"),
        ("2049", "f2", "lossless"),
        ("300", "u1", "lossless"),
        ("-1", "u8", "lossless"),
        ("1.5", "i4", "lossless"),
        ("1e400", "f8", "checked"),
        ("20200101", "M8[D]", "checked"),
        ("20200101\n2020-01-02", "M8[D]", "checked"),
        ("2020-01-01T10:00:00Z", "M8[D]", "checked"),
        ("NA", "f8", "checked"),
    ] {
        let message = convert(text, dtype, cast).expect_err(text);
        assert!(message.contains("row 0"), "{message}");
    }
    assert_eq!(convert("1e400", "f8", "numeric").as_deref(), Ok("[inf]"));
    assert_eq!(convert("300", "u1", "numeric").as_deref(), Ok("[44]"));
    // Each value as alone, whatever the others are.
    assert_eq!(convert("300\n-1\n2.7\n1e9", "u1", "numeric").as_deref(), Ok("[ 44 255   2 255]"));
    let large = convert("9007199254740993\n9007199254740992.0", "i8", "numeric");
    assert_eq!(large.as_deref(), Ok("[9007199254740993 9007199254740992]"));
    // As NumPy casts them.
    let spans = "3 days 12:00:00\n-36 hours\n-1 days +23:59:59.5\nNaT\n5 days";
    let spans = convert(spans, "m8[D]", "numeric");
    assert_eq!(spans.as_deref(), Ok("[3 days -2 days -1 days NaT 5 days]"));
    let counts = convert("5\n48 hours", "m8[D]", "numeric");
    assert_eq!(counts.as_deref(), Ok("[5 days 2 days]"));
    // Not 5 hours.
    convert("5\n36 hours", "m8[D]", "numeric").unwrap_err();
}

/// Guards the message for a time that another unit does not hold: NumPy cuts off a rest, and overflows in silence. The range is that of NumPy.
#[test]
fn a_time_that_does_not_fit_a_unit_has_the_range_or_the_rest() {
    const NS: &str =
        ", which holds times from 1677-09-21T00:12:43.145224193 to 2262-04-11T23:47:16.854775807; ";
    const SPANS: &str = ", which holds spans from -9223372036854775807 nanoseconds to 9223372036854775807 nanoseconds; ";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let convert = |count: i64, from: &str, to: &str, cast: &str| {
        let bytes = count.to_le_bytes().to_vec();
        let array = DynArray::new(from.parse().unwrap(), [1], Order::C, bytes).unwrap();
        array.write_npy(path.join("x.npy")).unwrap();
        let output = npy(path, &["convert", "x.npy", "y.npy", "--dtype", to, "--cast", cast]);
        assert_eq!(output.status.code(), Some(2), "{from} {to}");
        let message = String::from_utf8(output.stderr).unwrap();
        message.split_once("does not fit ").unwrap().1.trim_end().to_owned()
    };
    for (count, from, to, range, longer) in [
        (376_200, "<M8[D]", "<M8[ns]", NS, "<M8[us]"),
        (32_503_680_000, "<M8[s]", ">M8[ns]", NS, ">M8[us]"),
        (1030, "<M8[Y]", "<M8[ns]", NS, "<M8[us]"),
        (12_360, "<M8[M]", "<M8[ns]", NS, "<M8[us]"),
        (53_742, "<M8[W]", "<M8[ns]", NS, "<M8[us]"),
        (146_000_000, "<M8[D]", "<M8[ns]", NS, "<M8[ms]"),
        (400_000, "<m8[D]", "<m8[ns]", SPANS, "<m8[us]"),
    ] {
        for cast in ["checked", "numeric", "lossless"] {
            let expected = format!("'{to}'{range}'{longer}' holds this one");
            assert_eq!(convert(count, from, to, cast), expected);
        }
    }
    for (count, from, to) in
        [(1500, "<M8[ms]", "<M8[s]"), (3, "<M8[D]", "<M8[M]"), (1, "<m8[3s]", "<m8[2s]")]
    {
        let expected = format!("'{to}'; --cast numeric cuts times off to this unit");
        for cast in ["checked", "lossless"] {
            assert_eq!(convert(count, from, to, cast), expected);
        }
    }
}

/// Guards texts without a width in `--dtype`: they get the width that they have.
#[test]
fn a_dtype_without_a_width_keeps_the_text() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("x.csv"), "a,b\nabc,xy\nd,efghi\n").unwrap();
    ok(path, &["convert", "x.csv", "x.npy", "--dtype", "[('a', 'U'), ('b', 'S')]"]);
    let array = DynArray::read_npy(path.join("x.npy")).unwrap();
    assert_eq!(array.dtype().to_string(), "[('a', '<U3'), ('b', '|S5')]");
    assert_eq!(array.to_string(), "[('abc', b'xy') ('d', b'efghi')]");
    ok(path, &["convert", "x.npy", "y.npy", "--dtype", "[('b', 'S'), ('a', 'U4')]"]);
}

/// Guards that members of an archive are not lost without a word.
#[test]
fn an_archive_with_other_members_is_not_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    vec![1u8].write_npy(path.join("a.npy")).unwrap();
    vec![2u8].write_npy(path.join("b.npy")).unwrap();
    ok(path, &["convert", "a.npy", "x.npz"]);
    ok(path, &["convert", "a.npy", "x.npz"]);
    let output = npy(path, &["convert", "b.npy", "x.npz"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("x.npz::NAME"));
    assert_eq!(npz::Reader::open(path.join("x.npz")).unwrap().names().collect::<Vec<_>>(), ["a"]);
}

/// Guards commands that are about complete arrays.
#[test]
fn a_slice_is_refused_where_it_has_no_meaning() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    [1u8, 2, 3].write_npy(path.join("x.npy")).unwrap();
    for args in [&["x.npy[1:]"][..], &["info", "x.npy[1:]"], &["struct", "x.npy[1:]"]] {
        let output = npy(path, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("leave out the slice"));
    }
}

/// Guards the dtypes of the columns that are taken, of records and of arrays without fields, in each container and after a slice.
#[test]
fn columns_that_are_taken_keep_their_dtypes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let dtype: DType = "[('a', '>i2'), ('p', [('x', '<f4'), ('n', '|S2')]), ('v', '<u2', (2, 3))]"
        .parse()
        .unwrap();
    let bytes = (0..2 * dtype.itemsize()).map(|byte| u8::try_from(byte).unwrap()).collect();
    let records = DynArray::new(dtype, [2], Order::C, bytes).unwrap();
    records.write_npy(path.join("r.npy")).unwrap();
    let array = |name: &str| DynArray::read_npy(path.join(name)).unwrap();

    ok(path, &["convert", "r.npy", "two.npy", "-c", "p.n,a"]);
    let two = array("two.npy");
    assert_eq!(two.dtype().to_string(), "[('p.n', '|S2'), ('a', '>i2')]");
    assert_eq!(two.as_bytes(), [6, 7, 0, 1, 26, 27, 20, 21]);
    ok(path, &["convert", "r.npy", "one.npy", "-c", "v"]);
    assert_eq!(array("one.npy").shape(), [2, 2, 3]);
    assert_eq!(array("one.npy").dtype().to_string(), "<u2");
    ok(path, &["convert", "r.npy[1]", "row.npz", "-c", "p", "--endian", "big"]);
    let row: DynArray = npz::Reader::open(path.join("row.npz")).unwrap().read("r").unwrap();
    assert_eq!(row.dtype().to_string(), "[('x', '>f4'), ('n', '|S2')]");
    assert_eq!((row.shape(), row.as_bytes()), (&[][..], &[25, 24, 23, 22, 26, 27][..]));

    let matrix = NpyArray::with_order((0..12).collect::<Vec<i16>>(), [3, 4], Order::Fortran);
    matrix.unwrap().write_npy(path.join("m.npy")).unwrap();
    ok(path, &["convert", "m.npy", "m2.npy", "-c", "3,0"]);
    assert_eq!(array("m2.npy").shape(), [3, 2]);
    assert_eq!(array("m2.npy").to_vec::<i16>().unwrap(), [9, 0, 10, 1, 11, 2]);
    ok(path, &["convert", "m.npy[1:, ::3]", "m3.npy", "-c", "3", "--dtype", "f8"]);
    assert_eq!(array("m3.npy").to_vec::<f64>().unwrap(), [10.0, 11.0]);
    let output = npy(path, &["convert", "m.npy[1:, ::3]", "m4.npy", "-c", "1"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("there is no column \"1\"; the columns are [0], [3]"), "{said}");
    // A record without fields.
    let empty = DynArray::new("[]".parse().unwrap(), [2], Order::C, Vec::new()).unwrap();
    npy_core::save(path.join("e.npy"), &empty).unwrap();
    let said = String::from_utf8(npy(path, &["cat", "e.npy", "-c", "x"]).stderr).unwrap();
    assert!(said.ends_with("there is no column \"x\"; the elements have none\n"), "{said}");
}

/// Guards tabs between fields, and quotes around text that has one.
#[test]
fn tsv_is_written_and_read_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("x.jsonl"), "{\"t\": \"a\\tb\", \"n,\": 1}\n{\"t\": \"c,d\", \"n,\": 2}\n")
        .unwrap();
    ok(path, &["convert", "x.jsonl", "x.npy"]);
    ok(path, &["convert", "x.npy", "x.tsv"]);
    let text = fs::read_to_string(path.join("x.tsv")).unwrap();
    assert_eq!(text, "t\tn,\n\"a\tb\"\t1\nc,d\t2\n");
    ok(path, &["convert", "x.tsv", "y.npy"]);
    fs::rename(path.join("x.tsv"), path.join("x.txt")).unwrap();
    ok(path, &["convert", "--from", "tsv", "x.txt", "z.npy"]);
    for name in ["y.npy", "z.npy"] {
        let [found, expected] = ["x.npy", name].map(|name| fs::read(path.join(name)).unwrap());
        assert!(found == expected, "{name}");
    }
}

/// Runs a conversion of objects of Python, which must be refused, and returns the message.
pub(super) fn refused(path: &Path, args: &[&str]) -> String {
    let output = npy(path, &[&["convert", args[0], "refused.npy"], &args[1..]].concat());
    assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
    assert!(!path.join("refused.npy").exists(), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Guards `--cast lossless`: numbers do not become text, and a large integer beside a float is not rounded.
#[test]
fn lossless_text_and_large_integers_stay() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("x.json"), "[\"a\", 1]").unwrap();
    fs::write(path.join("null.json"), "[\"a\", null]").unwrap();
    for name in ["x.json", "null.json"] {
        let said = refused(path, &[name, "--dtype", "U", "--cast", "lossless"]);
        assert!(said.contains("row 1") && said.contains("is not text"), "{said}");
    }
    fs::write(path.join("n.csv"), "value\n1234567890123456800\n1.0\n").unwrap();
    ok(path, &["convert", "n.csv", "n.npy", "--dtype", "i8"]);
    let found = Vec::<i64>::read_npy(path.join("n.npy")).unwrap();
    assert_eq!(found, [1_234_567_890_123_456_800, 1]);
}
