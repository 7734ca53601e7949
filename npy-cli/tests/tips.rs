//! Errors that name another command or another form of an argument.

use std::fs;

use npy_core::{DynArray, Header, NpyArray, Order, WriteNpy};
use npy_tests::zips::{Raw, archive};

use crate::support::{code, npy, ok};

/// Guards dtypes as Python and the command print them, which `--dtype` refused.
#[test]
fn dtypes_are_read_as_they_are_printed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for dtype in [
        "[('a', '|i1'), ('', '|V7'), ('b', '<f8'), ('-x', '<i2'), ('', '|V6')]",
        "[('a, {', '<f4', (2,)), ('c', [('d', '|i1'), ('', '|V3'), ('e', '<U2')])]",
        "[(('t', 'n'), '<M8[25s]'), ('', '|V2')]",
        "<c16",
    ] {
        let header = Header::new(dtype.parse().unwrap(), [2], Order::C).unwrap();
        let bytes = vec![0; usize::try_from(header.data_bytes()).unwrap()];
        let (dtype, shape) = (header.dtype().clone(), header.shape().to_vec());
        npy_core::save(path.join("a.npy"), &DynArray::new(dtype, shape, Order::C, bytes).unwrap())
            .unwrap();
        let python = ok(path, &["struct", "--python", "a.npy"]);
        let info: serde_json::Value =
            serde_json::from_str(&ok(path, &["info", "--json", "a.npy"])).unwrap();
        for text in [python.trim(), info["dtype"].as_str().unwrap()] {
            ok(path, &["convert", "a.npy", "b.npy", "--dtype", text]);
            assert_eq!(ok(path, &["struct", "--python", "b.npy"]), python, "{text}");
        }
    }
}

/// Guards messages that named no way to what was asked for.
#[test]
fn errors_name_the_command_that_does_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    npy_core::save(path.join("v.npy"), &[1.0f64, 2.0]).unwrap();
    npy_core::save(path.join("w.npy"), &[3.0f64, 4.0]).unwrap();
    ok(path, &["npz", "pack", "old.npz", "v.npy"]);
    ok(path, &["npz", "pack", "g.npz", "b=v.npy", "w/a=v.npy"]);
    let rows = DynArray::new("[('-x', '<i4')]".parse().unwrap(), [1], Order::C, vec![0; 4]);
    npy_core::save(path.join("r.npy"), &rows.unwrap()).unwrap();
    for (name, dtype) in [("f.npy", "[('a', 'u1'), ('b', 'u1')]"), ("c.npy", "[('a', '<i2')]")] {
        let rows = DynArray::new(dtype.parse().unwrap(), [2, 2], Order::Fortran, vec![0; 8]);
        npy_core::save(path.join(name), &rows.unwrap()).unwrap();
    }
    fs::write(path.join("n.csv"), "time\n5\n").unwrap();
    let text = archive(b"", &[Raw::of("t.txt", b"a,b\n1,2\n")], b"");
    fs::write(path.join("t.npz"), text).unwrap();
    let times = DynArray::new("[('time', '<M8[s]')]".parse().unwrap(), [1], Order::C, vec![0; 8]);
    npy_core::save(path.join("times.npy"), &times.unwrap()).unwrap();
    for (args, part) in [
        (
            &["concat", "--axis", "1", "v.npy", "w.npy", "-o", "o.npy"][..],
            "; in Python, np.stack makes a new axis of arrays of one shape and dtype\n",
        ),
        (&["append", "times.npy", "n.csv"], "; all need one dtype\n"),
        (
            &["append", "f.npy", "c.npy"],
            "f.npy: is in Fortran order, in which no row can be added in place; c.npy has no field \"b\"; the fields a, b are needed\n",
        ),
        (&["append", "old.npz", "-"], "; npy npz pack --append old.npz NAME=- adds them\n"),
        (&["append", "new.npz", "v.npy"], "; npy npz pack new.npz v.npy makes one of them\n"),
        (
            &["append", "new.npz", "v.npy", "--raw", "<i2"],
            "; npy npz pack --raw '<i2' new.npz v.npy makes one of them\n",
        ),
        (&["append", "old.npz", "w.npy"], "; npy npz pack --append old.npz w.npy adds them\n"),
        (
            &["append", "old.npz", "g.npz"],
            "g.npz: the archive has 2 members, b, w/a; name one, as in g.npz::b\n",
        ),
        (&["head", "t.npz"], "; it looks like text: npy npz extract copies any member\n"),
        (
            &["head", "r.npy", "-c", "-x"],
            "tip: a name that begins with a dash follows '=': -c=-x\n",
        ),
        (&["stats", "r.npy", "--columns", "-x,b"], "follows '=': --columns=-x,b\n"),
        (
            &["head", "r.npy", "-c", "-1"],
            "tip: columns are names, or numbers from 0 on; FILE[:,-1] ",
        ),
        (&["convert", "v.npy", "x.npy", "-dtype", "f4"], "tip: the option is '--dtype'\n"),
        (&["convert", "v.npy", "x.npy", "-dtype=f4"], "tip: the option is '--dtype'\n"),
        (&["npz", "pack", "x.npz", "v.npy", "-append"], "tip: the option is '--append'\n"),
        (&["head", "v.npy[0][1]"], "an array has one slice; write 'v.npy[0,1]'\n"),
        (&["head", "old.npz::v[0][1:]"], "an array has one slice; write 'old.npz::v[0,1:]'\n"),
        (&["head", "g.npz::w"], "did you mean g.npz::w/a?\n"),
        (&["head", "g.npz::B"], "did you mean g.npz::b?\n"),
        (&["head", "g.npz::c"], "its members are \"b\", \"w/a\"\n"),
        (
            &["convert", "v.npy", "y.npy.gz"],
            ".npz; write y.npy, and gzip -c y.npy > y.npy.gz compresses it\n",
        ),
        (&["convert", "v.npy", "y.gz"], "; write y.npy, and gzip -c y.npy > y.gz compresses it\n"),
        (&["convert", "v.npy", "y.tar.gz"], "; write y.npy, and gzip -c y.npy > y.tar.gz "),
        (&["convert", "v.npy", "y.gz", "--to", "csv"], "; write y, and gzip -c y > y.gz "),
        (&["convert", "v.npy", "v.npy.xz"], "write OUT.npy, and xz -c OUT.npy > v.npy.xz "),
        (&["convert", "v.npy", "y.csv.zst", "--to", "npy"], "; write y.csv, and zstd -c y.csv > "),
        (&["concat", "v.npy", "-o", "y.npy.GZ"], "; write y.npy, and gzip -c y.npy > y.npy.GZ "),
        (&["npz", "pack", "y.npz.bz2", "v.npy"], "; write y.npz, and bzip2 -c y.npz > y.npz.bz2 "),
        (&["concat", "v.npy", "-o", "y.npz::x.gz"], "npy concat writes .npy files alone; "),
        (&["repair", "v.npy", "-o", "y.npz::x.gz"], "names a member of an archive, "),
        (&["npz", "pack", "y.npy.gz", "v.npy"], "; write y.npz, and gzip -c y.npz > y.npy.gz "),
        (&["repair", "v.npy", "-o", "y.npy.gz"], "; write y.npy, and gzip -c y.npy > y.npy.gz "),
        (&["head", "v.npy[0:5"], "the slice has no ] at its end"),
    ] {
        let (status, message) = code(path, args);
        assert!(status == 2 && message.contains(part), "{args:?}: {message}");
    }
    ok(path, &["convert", "n.csv", "n.npy", "--dtype", "[('time', '<M8[s]')]"]);
    ok(path, &["append", "times.npy", "n.npy"]);
    ok(path, &["npz", "pack", "new.npz", "v.npy"]);
    ok(path, &["npz", "pack", "--append", "old.npz", "w.npy"]);
    assert_eq!(ok(path, &["npz", "list", "old.npz"]), "v\nw\n");
    assert!(ok(path, &["head", "r.npy", "-c=-x"]).contains("-x"));
}

/// Guards the list of differing values in JSON, which ended without a word.
#[test]
fn json_of_diff_says_how_many_values_are_shown() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    npy_core::save(path.join("a.npy"), &[0u8; 30]).unwrap();
    npy_core::save(path.join("b.npy"), &[1u8; 30]).unwrap();
    for (args, shown) in [(&[][..], 20), (&["-n", "40"], 30)] {
        let output = npy(path, &[&["diff", "--json", "a.npy", "b.npy"], args].concat());
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&found["values_shown"], &found["values_that_differ"]),
            (&shown.into(), &30.into())
        );
        assert_eq!(found["values"].as_array().unwrap().len(), shown);
    }
}

/// Guards the advice for masked arrays, which was that of each pickle.
#[test]
fn only_pickles_of_masked_arrays_have_their_advice() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for (bytes, is_masked) in [
        (&b"\x80\x02cnumpy.ma.core\n_mareconstruct\nq\x00("[..], true),
        (b"\x80\x04\x95\xbd\x00\x00\x00\x00\x00\x00\x00\x8c\x0dnumpy.ma.core\x94\x8c\x0f_mareconstruct\x94", true),
        (b"\x80\x04}\x94\x8c\x01a\x94K\x01s.", false),
    ] {
        fs::write(path.join("x.pkl"), bytes).unwrap();
        let (_, message) = code(path, &["head", "x.pkl"]);
        let advice = "save it with np.save, or a masked array x with np.savez(OUT, data=x.data, mask=x.mask)";
        assert_eq!(message.contains(advice), is_masked, "{message}");
        assert!(message.contains("load it in Python and save it with np.save"), "{message}");
    }
}

/// Guards columns that are chosen together with a dtype: those of the text, by their names there.
#[test]
fn columns_of_a_text_are_chosen_before_its_dtype() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let two = "[('a', 'f4'), ('c', 'i2')]";
    for (text, columns, dtype, expected) in [
        ("{\"b\":{\"c\":1,\"d\":[2,3]},\"a\":\"x\"}\n", "b.c", "f4", "1.0\n"),
        ("{\"b\":{\"c\":1,\"d\":[2,3]},\"a\":\"x\"}\n", "b.d", "f4", "[2.0,3.0]\n"),
        ("{\"b\":{\"c\":1,\"d\":[2,3]},\"a\":\"x\"}\n", "b.d", "c8", "[2.0,3.0]\n"),
        ("{\"b\":{\"c\":1,\"d\":[2,3]}}\n", "b.d", "[('b.d', 'c8')]", "[2.0,3.0]\n"),
        ("{\"b\":{\"c\":1,\"d\":[2,3]},\"a\":5}\n", "b.c,a", "f4", "[1.0,5.0]\n"),
        ("a,b,c\n1,x,3\n", "a,c", "f4", "[1.0,3.0]\n"),
        ("a,b,c\n1,x,3\n", "0,2", "f4", "[1.0,3.0]\n"),
        ("a,b,c\n1,x,3\n", "c", "i2", "3\n"),
        ("a,b,c\n1,x,3\n", "c,a", "i2", "[3,1]\n"),
        ("a,b,c\n1,x,3\n", "c", "[('c', 'i2')]", "3\n"),
        ("a,b,c\n1,x,3\n", "a,c", two, "{\"a\":1.0,\"c\":3}\n"),
        ("w.re,w.im,z.re,z.im\n1,2,3,4\n", "z", "c8", "[3.0,4.0]\n"),
        ("x.0,x.1,y.0,y.1\n1,2,3,4\n", "y", "u1", "[3,4]\n"),
    ] {
        let name = if text.starts_with('{') { "x.jsonl" } else { "x.csv" };
        fs::write(path.join(name), text).unwrap();
        ok(path, &["convert", name, "x.npy", "-c", columns, "--dtype", dtype]);
        let found = npy(path, &["cat", "x.npy", "--jsonl"]).stdout;
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{columns} {dtype}");
    }
    fs::write(path.join("x.csv"), "a,b\n1,2\n").unwrap();
    for (columns, message) in
        [("c", "there is no column \"c\"; the columns are a, b\n"), ("a,a", "is chosen twice")]
    {
        let (found, said) =
            code(path, &["convert", "x.csv", "y.npy", "-c", columns, "--dtype", "f4"]);
        assert!(found == 2 && said.contains(message), "{said}");
    }
    // A misspelt field is an error, and so is a chosen column that the dtype does not have.
    fs::write(path.join("r.csv"), "a,b,c\n1,2,3\n").unwrap();
    ok(path, &["convert", "r.csv", "r.npy"]);
    for (dtype, part) in [
        ("[('a', 'f4'), ('bb', 'f4')]", "there is no field \"bb\""),
        ("[('a', 'f4'), ('b', 'f4'), ('d', 'f4')]", "there is no field \"d\""),
        ("[('a', 'f4'), ('c', 'f4')]", "there is no field \"c\""),
        (
            "[('a', 'f4'), ('b', 'f4'), ('c', 'f4')]",
            "the field \"c\", which -c does not choose; add",
        ),
    ] {
        for input in ["r.npy", "r.csv"] {
            let args = ["convert", input, "o.npy", "-c", "a,b", "--dtype", dtype];
            let (found, said) = code(path, &args);
            assert!(found == 2 && said.contains(part) && !path.join("o.npy").exists(), "{said}");
        }
    }
}

/// Guards that messages name the command or the option that does it.
#[test]
fn messages_of_convert_name_what_does_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    [0.5f64, 0.0].write_npy(path.join("x.npy")).unwrap();
    let dtype = "<M8[s]".parse().unwrap();
    let times = DynArray::new(dtype, [1], Order::C, vec![0; 8]).unwrap();
    times.write_npy(path.join("times.npy")).unwrap();
    fs::write(path.join("r.csv"), "a,b\n1,2\n").unwrap();
    NpyArray::new(vec![1.0f64; 4], [2, 2]).unwrap().write_npy(path.join("t.npy")).unwrap();
    for (name, dtype, shape, bytes) in [
        ("void.npy", "|V2", &[1][..], b"ab".to_vec()),
        ("item.npy", "|S2", &[], b"12".to_vec()),
        ("plane.npy", "|S4", &[1, 2], b"20242025".to_vec()),
        ("records.npy", "[('a', 'S4')]", &[1, 2], b"20242025".to_vec()),
        ("raw.npy", "[('a', 'S2'), ('b', 'V2')]", &[1], b"12ab".to_vec()),
        ("complex.npy", "<c16", &[1], [1e300f64, 1.0].map(f64::to_le_bytes).concat()),
    ] {
        let array = DynArray::new(dtype.parse().unwrap(), shape, Order::C, bytes).unwrap();
        array.write_npy(path.join(name)).unwrap();
    }
    let by_text = "by text: npy cat --csv IN | npy convert - OUT --from csv --dtype DTYPE\n";
    let of_member = by_text.replace("IN", "IN::MEMBER");
    ok(path, &["convert", "plane.npy", "two.npz::plane"]);
    ok(path, &["convert", "x.npy", "two.npz::x"]);
    let no_text = "times times, S becomes S, and U becomes U\n";
    for (args, part) in [
        (&["convert", "plane.npy", "o.npy", "--dtype", "f4"][..], by_text),
        (&["convert", "two.npz", "o.npz", "--dtype", "f4"], &of_member),
        (&["convert", "two.npz::plane", "o.npy", "--dtype", "f4"], &of_member),
        (&["convert", "raw.npy", "o.npy", "--dtype", "[('a', 'f4'), ('b', 'S2')]"], no_text),
        (&["convert", "plane.npy", "o.npy", "--dtype", "M8[Y]"], no_text),
        (&["convert", "plane.npy", "o.npy", "--dtype", "bool"], no_text),
        (&["convert", "plane.npy", "o.npy", "--dtype", "M8"], "U; name a unit, such as M8[s]\n"),
        (&["convert", "records.npy", "o.npy", "--dtype", "[('a', 'f4')]"], no_text),
        (&["convert", "item.npy", "o.npy", "--dtype", "f4"], no_text),
        (&["convert", "void.npy", "o.npy", "--dtype", "f4"], no_text),
        (&["convert", "x.npy", "o.npy", "--dtype", "U"], no_text),
        (&["convert", "x.npy", "o.npy", "--dtype", "M8[s]"], no_text),
        (&["convert", "times.npy", "o.npy", "--dtype", "m8[s]"], no_text),
        (&["convert", "complex.npy", "o.npy", "--dtype", "U"], no_text),
        (
            &["convert", "complex.npy", "o.npy", "--dtype", "c8"],
            "'<c8'; --cast numeric makes it infinite\n",
        ),
        (
            &["convert", "complex.npy", "o.npy", "--dtype", "f8"],
            "'<f8'; --cast numeric converts the real part alone\n",
        ),
        (
            &["convert", "x.npy", "o.npy", "--dtype", "bool"],
            "'|b1'; --cast numeric makes it True, as any number but 0\n",
        ),
        (
            &["convert", "x.npy", "o.npy", "--dtype", "i4"],
            "; --cast numeric cuts off fractions, makes NaN 0 and floats beyond the range its nearest end,",
        ),
        (
            &["convert", "times.npy", "o.npy", "--dtype", "i8"],
            "; in Python: np.save('OUT.npy', np.load('times.npy').view('i8')) has the counts of the times",
        ),
        (&["convert", "x.npy", "o.npy", "--dtype", "flot32"], "did you mean float32?"),
        (
            &["convert", "x.npy", "o.npy", "--where", "a > 1"],
            "npy sql \"COPY (SELECT * FROM t WHERE …) TO 'out.npy'\" x.npy\n",
        ),
        (
            &["cat", "--where=a > 1", "x.npy[:1]"],
            "npy sql chooses rows: npy sql \"SELECT * FROM t WHERE …\" x.npy\n",
        ),
        (&["cat", "x.npy[a>0.5]"], "npy sql chooses rows"),
        (&["convert", "x.npy", "o.csv", "--no-header"], "IN is not CSV"),
        (&["npz", "add", "a.npz", "x.npy"], "npy npz pack --append adds members"),
        (&["npz", "pack", "o.npz", "x=x.npy", "x=t.npy"], "such as x_2=t.npy"),
        (&["append", "t.npy", "r.csv"], "npy convert --dtype makes of a text of numbers"),
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
