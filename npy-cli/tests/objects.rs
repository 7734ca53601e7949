//! `npy convert` of Python objects: what they become, and what is refused.

use std::fs;

use npy_core::{DynArray, NpyArray, ReadNpy, WriteNpy, npz};
use npy_tests::pickles::objects;

use super::convert::{npy, ok, refused};
use super::support::code;

/// Guards columns of Python objects, which were refused as if they had names.
#[test]
fn columns_of_objects_become_a_dtype() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    // [[1, 2, 3], [4, 5, 6]]
    let items = b"K\x01K\x02K\x03K\x04K\x05K\x06";
    fs::write(path.join("x.npy"), objects(&[2, 3], items)).unwrap();
    for (columns, shape, values) in [
        ("0", &[2][..], &[1.0, 4.0][..]),
        ("0,2", &[2, 2], &[1.0, 3.0, 4.0, 6.0]),
        ("2,0,1", &[2, 3], &[3.0, 1.0, 2.0, 6.0, 4.0, 5.0]),
    ] {
        ok(path, &["convert", "x.npy", "y.npy", "-c", columns, "--dtype", "f8"]);
        let found = NpyArray::<f64>::read_npy(path.join("y.npy")).unwrap();
        assert_eq!((found.shape(), found.as_slice_memory_order()), (shape, values), "{columns}");
    }
    ok(path, &["convert", "x.npy", "y.csv", "-c", "0,2"]);
    assert_eq!(fs::read_to_string(path.join("y.csv")).unwrap(), "[0],[2]\n1,3\n4,6\n");
    // A dtype with fields is for their names.
    let dtype = "[('[0]', 'i8'), ('[2]', 'f4')]";
    ok(path, &["convert", "x.npy", "y.npy", "-c", "0,2", "--dtype", dtype]);
    assert_eq!(DynArray::read_npy(path.join("y.npy")).unwrap().shape(), [2]);
}

/// Guards text with lone surrogates among Python objects: CSV has an escape, and JSON the one that `json.dumps` writes.
#[test]
fn lone_surrogates_of_objects_are_escaped() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    // ["a\udc80", ["b", "\ud800"], {"k\udfff": ("\ud800", 1)}, "plain", [{2: "\ud800"}]]
    let text =
        |bytes: &[u8]| [&[b'X', u8::try_from(bytes.len()).unwrap(), 0, 0, 0], bytes].concat();
    let high = text(b"\xed\xa0\x80");
    let items = [
        text(b"a\xed\xb2\x80"),
        [&b"]("[..], &text(b"b"), &high, b"e"].concat(),
        [&b"}"[..], &text(b"k\xed\xbf\xbf"), &high, b"K\x01\x86s"].concat(),
        text(b"plain"),
        [&b"]}K\x02"[..], &high, b"sa"].concat(),
    ];
    fs::write(path.join("x.npy"), objects(&[5], &items.concat())).unwrap();
    ok(path, &["convert", "x.npy", "x.csv"]);
    let csv = "value\na\\udc80\n\"['b', '\\ud800']\"\n\"{'k\\udfff': ('\\ud800', 1)}\"\nplain\n[{2: '\\ud800'}]\n";
    assert_eq!(fs::read_to_string(path.join("x.csv")).unwrap(), csv);
    ok(path, &["convert", "x.npy", "x.jsonl"]);
    let json = "\"a\\udc80\"\n[\"b\",\"\\ud800\"]\n{\"k\\udfff\":[\"\\ud800\",1]}\n\"plain\"\n[{\"2\":\"\\ud800\"}]\n";
    assert_eq!(fs::read_to_string(path.join("x.jsonl")).unwrap(), json);
}

/// Guards empty arrays: they have no value that is refused, and NumPy could not read the file.
#[test]
fn nothing_becomes_python_objects() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    Vec::<f64>::new().write_npy(path.join("x.npy")).unwrap();
    fs::write(path.join("x.csv"), "a,b\n").unwrap();
    for [name, dtype] in [["x.npy", "O"], ["x.csv", "[('a', 'i4'), ('b', 'O')]"]] {
        let output = npy(path, &["convert", name, "o.npy", "--dtype", dtype]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("nothing becomes Python objects"), "{said}");
        assert!(!path.join("o.npy").exists());
    }
}

/// Guards Python objects that become numbers, text and times, in each shape; and that what cannot says what to do.
#[test]
fn python_objects_become_a_dtype() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let save = |name: &str, value: serde_json::Value| {
        npy_core::object::save(path.join(name), &value).unwrap();
    };
    save("n.npy", serde_json::json!([1, 2.5, null]));
    save("t.npy", serde_json::json!(["2024-01-31", null]));
    save("u.npy", serde_json::json!(["a", "größe"]));
    for (name, dtype, text) in [
        ("n.npy", "f4", "[1.0 2.5 nan]"),
        ("n.npy[:2]", "f8", "[1.0 2.5]"),
        ("t.npy", "M8[s]", "[2024-01-31T00:00:00 NaT]"),
        ("u.npy", "U", "['a' 'größe']"),
    ] {
        for (out, read) in [("o.npy", "o.npy"), ("o.npz::o", "o.npz")] {
            ok(path, &["convert", name, out, "--dtype", dtype]);
            let array = match read {
                "o.npy" => DynArray::read_npy(path.join(read)).unwrap(),
                _ => npz::Reader::open(path.join(read)).unwrap().read("o").unwrap(),
            };
            assert_eq!(array.to_string(), text);
        }
    }
    for (args, message) in [
        (
            &["n.npy", "--dtype", "i4"][..],
            "row 1: 2.5 is not an integer; --cast numeric cuts off fractions",
        ),
        (&["n.npy[1:]"], "--dtype converts the objects, and .csv and .jsonl have them as text"),
    ] {
        let output = npy(path, &[&["convert", args[0], "out.npy"], &args[1..]].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(message), "{said}");
        assert!(!path.join("out.npy").exists());
    }
}

/// Guards that texts which nothing tells from those of `None` have a remark.
#[test]
fn none_among_objects_is_told_where_it_becomes_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    npy_core::object::save(path.join("o.npy"), &vec![Some("a"), None, Some("None"), None]).unwrap();
    npy_core::object::save(path.join("n.npy"), &vec![Some(1.5), None]).unwrap();
    for (args, note) in [
        (
            &["o.npy", "u.npy", "--dtype", "U"][..],
            "note: o.npy: 2 values are None, and become the text \"None\", where JSON has null\n",
        ),
        (
            &["o.npy[:2]", "s.npy", "--dtype", "S"],
            "note: o.npy[:2]: 1 value is None, and becomes the text \"None\", where JSON has null\n",
        ),
        (
            &["o.npy", "o.csv"],
            "note: o.npy: 2 values are None, and become empty text, where JSON has null\n",
        ),
        (&["o.npy[:1]", "o.csv"], ""),
        (&["o.npy", "o.json"], ""),
        (&["n.npy", "n2.npy", "--dtype", "f8"], ""),
    ] {
        let output = npy(path, &[&["convert"], args].concat());
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), note);
    }
    let texts = DynArray::read_npy(path.join("u.npy")).unwrap().to_string();
    assert_eq!(texts, "['a' 'None' 'None' 'None']");
}

/// Guards values: objects become what `astype` makes of them.
#[test]
fn objects_of_different_kinds_become_the_values_that_numpy_makes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    // np.array([1+2j, 3], object), np.array([b'ab', b'c\xff'], object) and np.array([float('inf'), 2.5], object), pickled by protocol 2.
    let pickles: [(&str, &[u8]); 3] = [
        ("c", b"c__builtin__\ncomplex\nG?\xf0\0\0\0\0\0\0G@\0\0\0\0\0\0\0\x86RK\x03"),
        ("b", b"C\x02abC\x02c\xff"),
        ("f", b"G\x7f\xf0\0\0\0\0\0\0G@\x04\0\0\0\0\0\0"),
    ];
    for (name, items) in pickles {
        let header =
            format!("{:<117}\n", "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }");
        let file = [
            &b"\x93NUMPY\x01\x00\x76\x00"[..],
            header.as_bytes(),
            b"\x80\x03cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01K\x02\x85cnumpy\ndtype\nX\x02\0\0\0O8K\0K\x01\x87R(K\x03X\x01\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89](",
            items,
            b"etb.",
        ];
        fs::write(path.join(format!("{name}.npy")), file.concat()).unwrap();
    }
    let save = |name: &str, value: serde_json::Value| {
        npy_core::object::save(path.join(name), &value).unwrap();
    };
    save("mix.npy", serde_json::json!([true, "2", 3.5, false]));
    save("none.npy", serde_json::json!([null, "x", 1e300]));
    save("n.npy", serde_json::json!([300, -2.7, 9_007_199_254_740_993_u64]));
    save("lists.npy", serde_json::json!([[true, 2], [3, 4]]));
    let floats = [NpyArray::from(vec![0.1f32, 2.0]), NpyArray::from(vec![f32::INFINITY, 4.0])];
    npy_core::object::save(path.join("arrays.npy"), &floats).unwrap();
    // Arrays in the place of objects, whose values are not printed on the way.
    let bools = [NpyArray::from(vec![true, false])];
    npy_core::object::save(path.join("bools.npy"), &bools).unwrap();
    for (args, values) in [
        (&["arrays.npy", "--dtype", "f8"][..], "[[0.10000000149011612 2.0] [inf 4.0]]"),
        (&["arrays.npy", "--dtype", "U4"], "[['0.1' '2.0'] ['inf' '4.0']]"),
        (&["c.npy", "--dtype", "c16"][..], "[(1+2j) (3+0j)]"),
        (&["b.npy[:1]", "--dtype", "S5"], "[b'ab']"),
        (&["b.npy", "--dtype", "S"], "[b'ab' b'c\\xff']"),
        (&["b.npy[:1]", "--dtype", "U5"], "['ab']"),
        (&["f.npy", "--dtype", "f4"], "[inf 2.5]"),
        (&["mix.npy", "--dtype", "f8"], "[1.0 2.0 3.5 0.0]"),
        (&["mix.npy", "--dtype", "i4", "--cast", "numeric"], "[1 2 3 0]"),
        (&["mix.npy", "--dtype", "U"], "['True' '2' '3.5' 'False']"),
        (&["none.npy[1:]", "--dtype", "U"], "['x' '1e+300']"),
        (&["n.npy", "--dtype", "i8", "--cast", "numeric"], "[300 -2 9007199254740993]"),
        (&["n.npy", "--dtype", "u1", "--cast", "numeric"], "[44 0 1]"),
        (&["lists.npy", "--dtype", "i4"], "[[1 2] [3 4]]"),
        (&["arrays.npy[:1]", "--dtype", "c16"], "[[(0.10000000149011612+0j) (2+0j)]]"),
        (&["bools.npy", "--dtype", "U5"], "[['True' 'False']]"),
        (&["bools.npy", "--dtype", "i4"], "[[1 0]]"),
        (&["bools.npy", "--dtype", "b1"], "[[True False]]"),
    ] {
        ok(path, &[&["convert", args[0], "o.npy"], &args[1..]].concat());
        let found = DynArray::read_npy(path.join("o.npy")).unwrap().to_string();
        let found = found.split_whitespace().collect::<Vec<_>>().join(" ").replace("[ ", "[");
        assert_eq!(found, values, "{args:?}");
    }
    for (args, message) in [
        (&["c.npy", "--dtype", "f8"][..], "row 0: (1+2j) is complex; --dtype c16"),
        (&["b.npy", "--dtype", "U5"], "row 1: b'c\\xff' is not ASCII; --dtype S"),
        (&["b.npy[:1]", "--dtype", "i4"], "row 0, field value: \"ab\" is not an integer"),
        (&["n.npy", "--dtype", "f8", "--cast", "lossless"], "row 2: 9007199254740993 is not a"),
        (&["n.npy[:2]", "--dtype", "f4", "--cast", "lossless"], "row 1: -2.7 is not in '<f4'"),
        (&["mix.npy", "--dtype", "U", "--cast", "lossless"], "row 0: True is not text"),
        (
            &["none.npy", "--dtype", "i4"],
            "value: it is missing, and not an integer; of a float dtype, it is nan\n",
        ),
    ] {
        let said = refused(path, args);
        assert!(said.contains(message), "{said}");
    }
    // Some objects, such as functions, do not become plain values.
    for file in ["f.npy", "o.npy"] {
        let (exit, said) = code(path, &["append", file, "n.npy"]);
        let advice = "; npy convert --dtype makes plain values of numbers, text and times\n";
        assert!(exit == 2 && said.ends_with(advice), "{said}");
    }
}

/// Guards keys that are not asked for: they need not have one form. Those that are asked for must, also if they are a part of a column.
#[test]
fn keys_without_one_form_are_left_out_by_a_dtype() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let flat = "{\"t\":1,\"tags\":[\"a\"],\"at\":null}\n{\"t\":2,\"tags\":[\"a\",[3]],\"at\":{\"x\":1}}\n{\"tags\":5,\"t\":3}";
    let nested =
        "{\"a\":1,\"p\":{\"x\":3,\"tags\":[\"a\"]}}\n{\"a\":2,\"p\":{\"x\":4,\"tags\":[]}}";
    let deep = "{\"a\":{\"b\":{\"x\":1,\"y\":1},\"c\":5}}\n{\"a\":{\"b\":{\"x\":2,\"y\":[]},\"c\":6}}\n{\"a\":{\"b\":7,\"c\":8}}";
    let lists = "{\"h\":[{\"x\":1,\"y\":3},{\"x\":2,\"y\":4}]}\n{\"h\":[{\"x\":5,\"y\":[]},{\"x\":6,\"y\":[]}]}";
    let points = "{\"acc.x\":1,\"acc.y\":null,\"acc\":1}\n{\"acc.x\":3,\"acc.y\":[4],\"acc\":[]}";
    let dots = "{\"p.x\":1,\"p.y\":5}\n{\"p.x\":3,\"p.y\":[4]}";
    let indices = "{\"x.0\":1,\"x.1\":2,\"x.2\":3}\n{\"x.0\":4,\"x.1\":5,\"x.2\":{}}";
    let numbers =
        "{\"t\":{},\"2020\":1,\"[1]\":2,\" s\":3}\n{\"t\":[],\"2020\":4,\"[1]\":5,\" s\":6}";
    let rows = "[1,[2],3]\n[4,5,6]";
    let empty = "{\"p\":{\"tags\":[]},\"q\":[]}\n{\"p\":{\"tags\":{}},\"q\":[1]}";
    let way = "; npy convert with a --dtype of fields leaves out keys that they do not name\n";
    for (rows, columns, dtype, expected) in [
        (flat, "", "[('t','i8')]", Ok("[(1,) (2,) (3,)]")),
        (flat, "t", "i8", Ok("[1 2 3]")),
        (flat, "0", "i8", Ok("[1 2 3]")),
        (flat, "1", "i8", Err(" in the first row that has it; lists must have one length\n")),
        (flat, "t, tags", "i8", Err("the list \"tags\" has 2")),
        (flat, "tags[0]", "U1", Err("the list \"tags\" has 2")),
        (
            flat,
            "at.x,at.y",
            "i8",
            Err("\"at\" is an object with keys, and null in the rows before; leave out the key"),
        ),
        (flat, "at.x", "", Err(way)),
        (flat, "u", "i8", Err("there is no column \"u\"; the columns are t, tags, at\n")),
        (flat, "", "[('u','i8')]", Err("there is no field \"u\"; the fields are \"t\", ")),
        (flat, "t,tags", "[('t','i8')]", Ok("[(1,) (2,) (3,)]")),
        (flat, "", "[('t','i8'),('tags','U9')]", Err("the list \"tags\" has 2")),
        (flat, "", "[('at',[('x','i8')])]", Err("\"at\" is an object")),
        (flat, "", "f8", Err(way)),
        (flat, "", "", Err(way)),
        (nested, "", "[('a','i8'),('p',[('x','i8')])]", Ok("[(1, (3,)) (2, (4,))]")),
        (nested, "p.x", "i8", Ok("[3 4]")),
        (nested, "p.tags.0", "U1", Err("the list \"p.tags\" has 0")),
        (nested, "p", "i8", Err("; -c p.x chooses one\n")),
        (
            nested,
            "",
            "[('p','i8')]",
            Err("as records: --dtype \"[('a', '<i8'), ('p', [('x', '<i8')])]\"\n"),
        ),
        (nested, "", "[('p',[('tags','U1',(1,))])]", Err("the list \"p.tags\" has 0")),
        (deep, "", "[('a',[('c','i8')])]", Ok("[((5,),) ((6,),) ((8,),)]")),
        (deep, "a.c", "i8", Ok("[5 6 8]")),
        (deep, "a.b", "i8", Err("row 2: \"a.b\" is a single value, and an object")),
        (deep, "a.b", "[('x','i8'),('y','i8')]", Err("row 2: \"a.b\" is a single value, and")),
        (deep, "a", "[('c','i8')]", Ok("[(5,) (6,) (8,)]")),
        (points, "acc", "[('x','i8'),('y','f8')]", Err("\"acc.y\" is a list of 1 items, and")),
        (dots, "p", "[('x','i8'),('y','f8')]", Err("\"p.y\" is a list of 1 items, and")),
        (deep, "", "[('a',[('b',[('x','i8')])])]", Err("row 2: \"a.b\" is a single value, and")),
        (lists, "", "[('h',[('x','i8')],(2,))]", Ok("[([(1,), (2,)],) ([(5,), (6,)],)]")),
        (lists, "", "[('h',[('y','i8')],(2,))]", Err("\"h.0.y\" is a list of 0 items, and a")),
        (points, "acc.x", "f8", Ok("[1.0 3.0]")),
        (points, "", "[('acc.x','i8')]", Ok("[(1,) (3,)]")),
        (points, "acc", "f8", Err("\"acc.y\" is a list of 1 items, and null in")),
        (points, "", "[('acc',[('x','i8')])]", Err("\"acc\" is a list of 0 items, and a")),
        (indices, "x.1,x.0", "i8", Ok("[[2 1] [5 4]]")),
        (indices, "", "[('x','i8',(2,))]", Ok("[([1, 2],) ([4, 5],)]")),
        (indices, "x", "i8", Err("\"x.2\" is an object with keys, and a single")),
        (indices, "", "[('x','i8',(3,))]", Err("\"x.2\" is an object with keys, and a single")),
        (numbers, "", "[('2020','i8')]", Ok("[(1,) (4,)]")),
        (numbers, "2020", "i8", Ok("[1 4]")),
        (numbers, " [1] ,2020", "i8", Ok("[[2 1] [5 4]]")),
        (numbers, "", "[(' s','i8')]", Ok("[(3,) (6,)]")),
        (numbers, "0", "i8", Ok("[1 4]")),
        (numbers, "t", "i8", Err("\"t\" is a list of 0 items, and an object")),
        (rows, "", "[('2','i8'),('0','i8')]", Ok("[(3, 1) (6, 4)]")),
        (rows, "1", "i8", Err("\"1\" is a single value, and a list of 1 items in")),
        (rows, "", "i8", Err("in the rows before; give all rows one form\n")),
        (empty, "", "[('t','i8')]", Err("no field \"t\"; the fields are \"p\", \"q\"\n")),
    ] {
        fs::write(path.join("x.jsonl"), format!("{rows}\n")).unwrap();
        fs::write(path.join("x.json"), format!("[{}]", rows.replace('\n', ","))).unwrap();
        let values: Vec<serde_json::Value> =
            rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
        npy_core::object::save(path.join("x.npy"), &values).unwrap();
        for file in ["x.jsonl", "x.json", "x.npy"] {
            // A column of objects is not a key.
            if file == "x.npy" && (!columns.is_empty() || dtype.is_empty()) {
                continue;
            }
            let mut args = vec!["convert", file, "y.npy"];
            args.extend(if columns.is_empty() { vec![] } else { vec!["-c", columns] });
            args.extend(if dtype.is_empty() { vec![] } else { vec!["--dtype", dtype] });
            let (code, message) = code(path, &args);
            match expected {
                Ok(values) => {
                    assert_eq!((code, &*message), (0, ""), "{args:?}");
                    let found = DynArray::read_npy(path.join("y.npy")).unwrap().to_string();
                    let found = found.split_whitespace().collect::<Vec<_>>().join(" ");
                    assert_eq!(found.replace("[ ", "["), values, "{rows}: {args:?}");
                }
                Err(part) => assert!(code == 2 && message.contains(part), "{args:?}: {message}"),
            }
        }
    }
}

/// Guards values: rows of different forms were spread over columns that none of them has.
#[test]
fn rows_of_different_forms_are_refused_by_their_number() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (rows, message) in [
        ("[1, 2]\n3\n", "row 1: it is a single value, and a list of 2 items in the rows before"),
        (
            "[1, 2]\n[3, 4]\nnull\n",
            "row 2: it is null, and a list of 2 items in the rows before; give all rows one form",
        ),
        ("{\"a\": 1}\n3\n", "row 1: it is a single value, and an object with keys"),
        ("3\n{\"a\": 1}\n", "row 1: it is an object with keys, and a single value"),
        (
            "{\"a\": [1, 2]}\n{\"a\": null}\n",
            "row 1: \"a\" is null, and a list of 2 items in the rows before; leave out the key where it is null",
        ),
        (
            "{\"a\": null}\n{\"a\": {\"b\": 1}}\n",
            "row 1: \"a\" is an object with keys, and null in the rows before; leave out the key",
        ),
        (
            "[[1, 2], 3]\n[null, 3]\n",
            "\"0\" is null, and a list of 2 items in the rows before; give all",
        ),
        ("{\"0\": 1}\n[2]\n", "row 1: it is a list of 1 items, and an object with keys"),
        ("[1, 2]\n[3]\n", "row 1: the list has 1 items, and 2 in the first row that has it"),
    ] {
        fs::write(path.join("x.jsonl"), rows).unwrap();
        let values: Vec<serde_json::Value> =
            rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
        npy_core::object::save(path.join("x.npy"), &values).unwrap();
        for args in [&["x.jsonl"][..], &["x.jsonl", "--dtype", "f8"], &["x.npy", "--dtype", "f8"]] {
            let said = refused(path, args);
            assert!(said.contains(message), "{args:?}: {said}");
        }
    }
}
