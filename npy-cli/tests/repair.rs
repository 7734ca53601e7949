//! `npy repair`: what it says, what it writes, and its exit code.

use std::fs;
use std::path::Path;
use std::process::Command;

use npy_core::{NpyArray, WriteNpy, npz};
use npy_tests::zips;

/// Runs the command in a directory, and returns its exit code, its output and its messages.
fn npy(directory: &Path, args: &[&str]) -> (i32, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Writes an array that ends too early.
fn truncated(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    NpyArray::new((0..6).collect::<Vec<i32>>(), [3, 2]).unwrap().write_npy_to(&mut bytes).unwrap();
    bytes.truncate(bytes.len() - 5);
    fs::write(path, &bytes).unwrap();
    bytes
}

#[test]
fn nothing_is_written_without_yes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let bytes = truncated(&path.join("x.npy"));
    let line = "x.npy: truncated: 5 bytes are missing; the first 2 of 3 along dimension 0 are complete and kept, and 3 bytes of an incomplete one are left out; if the file was copied as text, they may be wrong: copy it again as binary\n";
    for (args, end) in [
        (&["repair", "x.npy"][..], ", with -o OUT --yes"),
        (&["repair", "x.npy", "-o", "y.npy"], " in y.npy, with --yes"),
    ] {
        let (code, out, messages) = npy(path, args);
        let expected = format!("{line}x.npy: becomes <i4, shape (2, 2), C order{end}\n");
        assert_eq!((code, &out[..], &messages[..]), (1, &expected[..], ""));
    }
    assert!(!path.join("y.npy").exists());

    let (code, out, _) = npy(path, &["repair", "x.npy", "-o", "y.npy", "--yes"]);
    assert_eq!(
        (code, &out[..]),
        (0, &format!("{line}x.npy: becomes <i4, shape (2, 2), C order, in y.npy\n")[..])
    );
    assert_eq!(
        npy_core::load::<NpyArray<i32>>(path.join("y.npy")).unwrap().into_vec(),
        [0, 1, 2, 3]
    );
    assert!(fs::read(path.join("x.npy")).unwrap() == bytes);

    let (code, out, _) = npy(path, &["repair", "y.npy", "-o", "z.npy", "--yes"]);
    assert_eq!((code, &out[..]), (0, "y.npy: needs no repair: <i4, shape (2, 2), C order\n"));
    assert!(!path.join("z.npy").exists());
}

#[test]
fn outputs_are_kept_as_by_other_commands() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let bytes = truncated(&path.join("x.npy"));
    fs::write(path.join("y.npy"), "old").unwrap();
    for (args, part) in [
        (&["repair", "x.npy", "-o", "x.npy", "--yes"][..], "x.npy: is also an input"),
        (
            &["repair", "x.npy", "-o", "y.npy", "--yes", "--no-clobber"],
            "y.npy: exists, and --no-clobber keeps it",
        ),
        (&["repair", "x.npy", "-o", "-", "--yes"], "npy repair writes a file"),
        (&["repair", "x.npy", "--yes"], "--output <OUT>"),
        (&["repair", "none.npy"], "none.npy: No such file"),
        (&["repair", "y.npy"], "y.npy: not a .npy file"),
        (&["repair", "x.npy", "--raw", "<i2"], "x.npy: the file has a header"),
    ] {
        let (code, _, messages) = npy(path, args);
        assert!(code == 2 && messages.contains(part), "{args:?}: {code} {messages}");
    }
    assert!(fs::read(path.join("x.npy")).unwrap() == bytes);
    assert_eq!(fs::read(path.join("y.npy")).unwrap(), b"old");
}

#[test]
fn raw_data_gets_a_header() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("raw.npy"), [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]).unwrap();
    for args in [
        &["--raw", "<u2,3"][..],
        &["--raw", "u2", "--shape", "-1,3"],
        &["--raw", "u2", "--shape", "2,3"],
    ] {
        let (code, _, messages) =
            npy(path, &[&["repair", "raw.npy", "-o", "x.npy", "-y"], args].concat());
        assert_eq!(code, 0, "{messages}");
        let array = npy_core::load::<NpyArray<u16>>(path.join("x.npy")).unwrap();
        assert_eq!((array.shape(), array[[1, 0]]), (&[2, 3][..], 4));
    }
    let (code, _, messages) = npy(path, &["repair", "raw.npy", "--raw", "<u2,7"]);
    assert!(
        code == 2 && messages.contains("the file has 12 bytes, and a row 14: 12 are left over"),
        "{messages}"
    );
    let (code, out, _) = npy(path, &["repair", "raw.npy", "--raw", "<u2,4", "-o", "x.npy", "-y"]);
    assert!(
        code == 0 && out.contains(", and 4 bytes of an incomplete row at the end are left out; if its first bytes are a header of another program, cut these off first\n"),
        "{out}"
    );
    let array = npy_core::load::<NpyArray<u16>>(path.join("x.npy")).unwrap();
    assert_eq!((array.shape(), array[[0, 3]]), (&[1, 4][..], 4));
    let (code, _, messages) = npy(path, &["repair", "raw.npy", "--raw", "u1", "--shape", "11,-1"]);
    assert!(code == 2 && messages.contains(", and a row 11: 1 is left over;"), "{messages}");
    let (code, _, messages) = npy(path, &["repair", "raw.npy", "--raw", "<u2,3", "--shape", "2,3"]);
    assert!(code == 2 && messages.contains("leave out ROW"), "{messages}");
}

/// Guards files whose first bytes are gone: the commands that a message names keep each value, or the message says what they assume.
#[cfg(unix)]
#[test]
fn the_first_bytes_may_be_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let program = Path::new(env!("CARGO_BIN_EXE_npy")).parent().unwrap();
    let search = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let values: Vec<f64> = (0..3000).map(|i| f64::from(i) * 1.7).collect();
    let array = NpyArray::new(values.clone(), [1000, 3]).unwrap();
    array.write_npy(path.join("right.npy")).unwrap();
    let right = fs::read(path.join("right.npy")).unwrap();
    let load = || npy_core::load::<NpyArray<f64>>(path.join("OUT")).unwrap();
    let noise = |at: usize| u8::try_from((at * 7919 + 131) * 31 % 251).unwrap();
    for lost in [2, 6, 7, 8, 9, 10, 11, 16, 20, 24, 30, 32, 48, 60, 64, 80, 100, 120, 123, 127, 128]
    {
        for is_noise in [false, true] {
            let mut file = right.clone();
            for (at, byte) in file[..lost].iter_mut().enumerate() {
                *byte = if is_noise { noise(at) } else { 0 };
            }
            fs::write(path.join("x.npy"), file).unwrap();
            let (code, _, message) = npy(path, &["repair", "x.npy"]);
            let case = format!("{lost} {is_noise}: {message}");
            assert_eq!(code, 2, "{case}");
            let is_known = lost < 124;
            assert_eq!(message.contains("if it is data without a header"), !is_known, "{case}");
            assert_eq!(message.contains("; if its header is damaged, tail "), !is_known, "{case}");
            let command = &message[message.find("tail -c +129 x.npy").expect(&case)..];
            let command = command.split("--yes").next().unwrap().replace("DTYPE", "'<f8'");
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("{command} --yes")]).env("PATH", &search);
            let output = shell.current_dir(path).output().unwrap();
            assert!(output.status.success(), "{command}: {output:?}");
            assert_eq!(load().into_vec(), values, "{case}");
            fs::remove_file(path.join("rest.bin")).unwrap();
            if load().shape() != [1000, 3] {
                assert!(
                    message.contains("; put its shape in place of -1")
                        || message.contains("its order is C"),
                    "{case}"
                );
            }
            let (_, _, message) = npy(path, &["head", "x.npy"]);
            assert!(message.contains("npy repair x.npy prints the commands"), "{message}");
            assert_eq!(message.contains("if its header is damaged"), !is_known, "{message}");

            for shape in ["1000,3", "-1,3", "-1"] {
                let args = ["repair", "x.npy", "--raw", "<f8", "--shape", shape, "-o", "OUT", "-y"];
                let (code, out, message) = npy(path, &args);
                let case = format!("{lost} {is_noise} {shape}: {out}{message}");
                // Without its key, the size alone tells the rest of a header from data.
                if is_known && (lost < 52 || shape != "-1") {
                    let damage = "x.npy: its first 128 bytes are a damaged header; ";
                    assert!(code == 0 && out.starts_with(damage), "{case}");
                    assert_eq!(load().into_vec(), values, "{case}");
                } else {
                    let advice = format!(
                        "if the first 128 bytes are a header, this leaves them out: tail -c +129 x.npy > rest.bin && npy repair rest.bin --raw '<f8' --shape {shape} -o OUT --yes\n"
                    );
                    assert_eq!(code == 2, shape == "1000,3", "{case}");
                    assert!(message.ends_with(&advice), "{case}");
                }
            }
        }
    }
    // The stated array has all bytes, so none are a header.
    let args = ["repair", "x.npy", "--raw", "<f8", "--shape", "3016", "-o", "OUT", "-y"];
    let (code, out, message) = npy(path, &args);
    assert!(code == 0 && message.is_empty() && out.contains("it has no header"), "{out}{message}");
    // Lines of text with blanks before their ends are no header, and data of another name has no remark.
    let lines = format!("{:<63}\n", "größe").repeat(4);
    fs::write(path.join("x.bin"), &lines.as_bytes()[..256]).unwrap();
    let (_, out, message) = npy(path, &["repair", "x.bin", "--raw", "u1"]);
    assert!(out.contains("it has no header") && !message.contains("tail"), "{out}{message}");
}

#[test]
fn rows_that_are_not_counted_are_a_remark() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut bytes = Vec::new();
    [1u8, 2].write_npy_to(&mut bytes).unwrap();
    bytes.push(3);
    fs::write(path.join("x.npy"), bytes).unwrap();
    let (code, out, _) = npy(path, &["repair", "x.npy"]);
    assert_eq!(code, 0);
    assert!(
        out.starts_with("x.npy: 1 byte after the array: 1 row that the header does not count"),
        "{out}"
    );
    let advice = "x.npy: npy repair x.npy --uncounted keep -o OUT --yes counts complete rows of these, unless they begin another array; --uncounted remove leaves them out\n";
    assert!(out.contains(advice), "{out}");
    let (code, _, _) = npy(path, &["repair", "x.npy", "--uncounted", "keep", "-o", "y.npy", "-y"]);
    assert_eq!((code, npy_core::load::<Vec<u8>>(path.join("y.npy")).unwrap()), (0, vec![1, 2, 3]));
}

/// Guards members with bytes after their arrays, which NumPy reads and the other commands refuse: each message names what makes them right.
#[test]
fn bytes_after_the_array_of_a_member_are_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut bytes = Vec::new();
    [1u8, 2].write_npy_to(&mut bytes).unwrap();
    bytes.push(3);
    fs::write(path.join("m n.npz"), zips::archive(b"", &[zips::Raw::of("x.npy", &bytes)], b""))
        .unwrap();
    let advice = "; npy repair 'm n.npz' --uncounted keep -o OUT --yes counts complete rows of these, unless they begin another array; --uncounted remove leaves them out\n";
    for args in [&["verify", "m n.npz"][..], &["head", "m n.npz::x"], &["stats", "m n.npz::x"]] {
        let (code, out, messages) = npy(path, args);
        let message = out + &messages;
        assert!(code > 0 && message.ends_with(advice), "{args:?}: {message}");
    }
    let (code, out, _) = npy(path, &["repair", "m n.npz"]);
    let advice = "\nm n.npz: npy repair 'm n.npz' --uncounted keep -o OUT --yes counts complete rows of these, unless they begin another array; --uncounted remove leaves them out\n";
    assert!(code == 0 && out.contains(advice), "{out}");
    for (choice, values) in [("keep", &[1u8, 2, 3][..]), ("remove", &[1, 2])] {
        let args = ["repair", "m n.npz", "--uncounted", choice, "-o", "y.npz", "--yes"];
        let (code, out, _) = npy(path, &args);
        assert!(code == 0 && out.starts_with("m n.npz: member \"x.npy\": 1 "), "{out}");
        assert_eq!(npy(path, &["verify", "y.npz"]).0, 0);
        let archive = npz::Reader::open(path.join("y.npz")).unwrap();
        assert_eq!(archive.read::<Vec<u8>>("x").unwrap(), values);
    }
    let (code, out, _) = npy(path, &["repair", "y.npz"]);
    assert!(code == 0 && !out.contains("--uncounted"), "{out}");
}

/// Guards a member whose checksum is wrong, about which the message said that its bytes were changed, and named no way to read them.
#[cfg(unix)]
#[test]
fn a_member_with_a_wrong_checksum_is_left_out_and_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut archive = npz::Writer::create(path.join("x.npz")).unwrap();
    archive.write("x", &[1.5f64; 50]).unwrap();
    archive.write("y", &[2.5f64; 50]).unwrap();
    archive.finish().unwrap();
    let mut bytes = fs::read(path.join("x.npz")).unwrap();
    // In both places.
    for mark in [&b"PK\x03\x04"[..], b"PK\x01\x02"] {
        let member = bytes.windows(4).rposition(|part| part == mark).unwrap();
        bytes[member + if mark[2] == 3 { 14 } else { 16 }] ^= 0xff;
    }
    fs::write(path.join("x.npz"), bytes).unwrap();
    let (_, _, message) = npy(path, &["cat", "x.npz::y"]);
    let part = ": the bytes and their checksum do not match, and one of them was changed; ";
    assert!(message.contains(part), "{message}");
    let (code, out, _) = npy(path, &["repair", "x.npz", "-o", "out.npz", "--yes"]);
    let command = "unzip -p x.npz y.npy > y.npy";
    let advice = format!(
        "x.npz: {command} reads \"y.npy\" without regard to its checksum; its values may be wrong\n"
    );
    assert!(code == 0 && out.contains(part) && out.contains(&advice), "{out}");
    assert!(out.contains("; it is left out\n"), "{out}");
    // unzip would take this name for a pattern.
    fs::copy(path.join("x.npz"), path.join("x[1].npz")).unwrap();
    let (_, out, _) = npy(path, &["repair", "x[1].npz"]);
    assert!(out.contains(part) && !out.contains("unzip"), "{out}");
    let Ok(unzip) = Command::new("sh").args(["-c", command]).current_dir(path).output() else {
        return;
    };
    // Where there is no unzip, the shell says so.
    if unzip.status.code() != Some(127) {
        assert_eq!(npy_core::load::<Vec<f64>>(path.join("y.npy")).unwrap(), [2.5; 50]);
    }
}

#[test]
fn an_archive_keeps_its_complete_members() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut archive = npz::Writer::create(path.join("x.npz")).unwrap();
    for i in 0..100 {
        archive.write(&format!("a{i}"), &[i; 50]).unwrap();
    }
    archive.finish().unwrap();
    let bytes = fs::read(path.join("x.npz")).unwrap();
    let last = bytes.windows(4).rposition(|part| part == b"PK\x03\x04").unwrap();
    fs::write(path.join("x.npz"), &bytes[..last + 100]).unwrap();
    let (code, out, _) = npy(path, &["repair", "x.npz", "-o", "y.npz", "-y"]);
    assert_eq!(code, 0);
    assert!(out.ends_with("x.npz: becomes an archive of 99 members, in y.npz\n"), "{out}");
    let archive = npz::Reader::open(path.join("y.npz")).unwrap();
    assert_eq!(archive.len(), 99);
    assert!((0..99).all(|i| archive.read::<Vec<i32>>(&format!("a{i}")).unwrap() == [i; 50]));
}

/// Guards that each command that reads an incomplete file says how much of it is complete, and which command keeps that.
/// Guards an archive whose end record was overwritten: no command says that it is right.
#[test]
fn an_archive_with_an_empty_directory_is_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut writer = npz::Writer::create(path.join("x.npz")).unwrap();
    writer.write("a", &[1, 2]).unwrap();
    writer.write("b", &[3]).unwrap();
    writer.finish().unwrap();
    let mut bytes = fs::read(path.join("x.npz")).unwrap();
    let end = bytes.len() - 22;
    bytes[end + 8..end + 20].fill(0);
    fs::write(path.join("x.npz"), bytes).unwrap();
    assert_eq!(
        npy(path, &["verify", "x.npz"]),
        (
            1,
            "x.npz: FAILED: the directory names no member, and the file begins with one; npy repair finds the members by their own headers\n".to_owned(),
            String::new()
        )
    );
    let (code, out, _) = npy(path, &["repair", "x.npz", "-o", "y.npz", "--yes"]);
    assert_eq!(
        (code, &out[..]),
        (
            0,
            "x.npz: the directory names no member, and the file has some; the members are found by their own headers\nx.npz: becomes an archive of 2 members, in y.npz\n"
        )
    );
    let archive = npz::Reader::open(path.join("y.npz")).unwrap();
    assert!(archive.names().eq(["a", "b"]) && archive.read::<Vec<i32>>("a").unwrap() == [1, 2]);
    npz::Writer::create(path.join("z.npz")).unwrap().finish().unwrap();
    assert_eq!(npy(path, &["verify", "z.npz"]), (0, "z.npz: ok\n".into(), String::new()));
}

/// Guards slices of truncated files: one that has all of its data is read, in each order, also if the rest of a row is missing, and any other is an error alone.
#[test]
fn complete_slices_of_truncated_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let values: Vec<i16> = (0..9).collect();
    let array = NpyArray::new(values, [3, 3]).unwrap();
    let mut read = 0;
    for order in [npy_core::Order::C, npy_core::Order::Fortran] {
        array.clone().to_order(order).write_npy(path.join("all.npy")).unwrap();
        let bytes = fs::read(path.join("all.npy")).unwrap();
        for missing in [1, 2, 3, 6, 13, 18] {
            fs::write(path.join("x.npy"), &bytes[..bytes.len() - missing]).unwrap();
            for slice in [
                "[1:2:2]", "[1:2]", "[:2]", "[:,:1]", "[1:,:2]", "[::2,1]", "[::-1,0]", "[1]",
                "[0,1]", "[:0]", "[:,:0]", "[3:]", "[::-2]", "[:,::-1]",
            ] {
                let (code, out, messages) = npy(path, &["cat", "--json", &format!("x.npy{slice}")]);
                let expected = npy(path, &["cat", "--json", &format!("all.npy{slice}")]);
                let is_note = messages.starts_with("note: ") && messages.lines().count() == 1;
                match code {
                    0 => assert!(out == expected.1 && is_note, "{slice} -{missing}: {messages}"),
                    _ => assert!(!messages.contains("note: "), "{slice} -{missing}: {messages}"),
                }
                read += usize::from(code == 0);
            }
        }
    }
    // By NumPy, these end before the last byte that is there.
    assert_eq!(read, 95);
}

#[test]
fn messages_about_incomplete_files_name_the_repair() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    truncated(&path.join("x.npy"));
    npy_core::save(path.join("y.npy"), &[[1i32, 2]]).unwrap();
    let advice = "expected 24 bytes of data, found 19; 2 of 3 rows are complete, and 'x.npy[:2]' reads them; npy repair x.npy -o OUT --yes keeps them; or copy the file again\n";
    for args in [
        &["x.npy"][..],
        &["cat", "x.npy"],
        &["tail", "x.npy"],
        &["stats", "x.npy"],
        &["verify", "x.npy"],
        &["convert", "x.npy", "o.npy"],
        &["concat", "x.npy", "x.npy", "-o", "o.npy"],
        &["append", "y.npy", "x.npy"],
    ] {
        let (code, out, messages) = npy(path, args);
        assert!(code > 0 && (out + &messages).ends_with(advice), "{args:?}: {messages}");
    }
    // The rows that are there are shown with a remark.
    let (code, out, messages) = npy(path, &["head", "x.npy", "-n", "2"]);
    assert_eq!((code, out.lines().count()), (0, 3), "{out}");
    assert_eq!(messages, format!("note: x.npy: truncated: {advice}"));
    let mut writer = npz::Writer::create(path.join("z.npz")).unwrap();
    writer.write("a", &[1u8]).unwrap();
    writer.finish().unwrap();
    let archive = fs::read(path.join("z.npz")).unwrap();
    fs::write(path.join("z.npz"), &archive[..archive.len() - 10]).unwrap();
    for args in
        [&["z.npz"][..], &["cat", "z.npz::a"], &["verify", "z.npz"], &["convert", "z.npz", "o.npz"]]
    {
        let (code, out, messages) = npy(path, args);
        let message = out + &messages;
        assert!(
            code > 0 && message.contains("; npy repair z.npz -o OUT --yes restores"),
            "{message}"
        );
    }
    // Nothing is kept of a first row that is incomplete, nor known of a pipe.
    let bytes = fs::read(path.join("x.npy")).unwrap();
    fs::write(path.join("x.npy"), &bytes[..130]).unwrap();
    let message = npy(path, &["cat", "x.npy"]).2;
    assert!(message.ends_with("; 0 of 3 rows are complete; copy the file again\n"), "{message}");
}

/// Guards that an advice works as it is printed, whatever the name of the file.
#[cfg(unix)]
#[test]
fn an_advice_can_be_given_to_a_shell() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let program = Path::new(env!("CARGO_BIN_EXE_npy")).parent().unwrap();
    let search = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    for name in ["a b.npy", "it's.npy", "-x.npy", "$HOME.npy", "x[1].npy", "a;b&.npy", "~.npy"] {
        truncated(&path.join(name));
        let message = npy(path, &["head", "--", name]).2;
        let advice = message.split("; ").find(|part| part.starts_with("npy repair ")).unwrap();
        let command = advice.split(" OUT ").next().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{command} y.npy --yes")]).env("PATH", &search);
        let output = shell.current_dir(path).output().unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
        fs::remove_file(path.join("y.npy")).unwrap();
    }
    // The words of the advice are a path, too.
    fs::create_dir(path.join("what is")).unwrap();
    let name = "what is/m.npz";
    let mut writer = npz::Writer::create(path.join(name)).unwrap();
    writer.write("a", &[1u8]).unwrap();
    writer.write("b", &[1u8; 99]).unwrap();
    writer.finish().unwrap();
    let archive = fs::read(path.join(name)).unwrap();
    fs::write(path.join(name), &archive[..350]).unwrap();
    let message = npy(path, &["head", name]).2;
    let advice = "; npy repair 'what is/m.npz' -o OUT --yes keeps its members that are complete; ";
    assert!(message.contains(advice), "{message}");
    // The name of a new file would be a member.
    let (code, _, message) = npy(path, &["concat", "a b.npy", "-o", "a::b.csv"]);
    assert!(code == 2 && message.contains(" && npy convert OUT.npy OUT.csv "), "{message}");
}

/// Guards that each advice ends in a file or in a clear statement: if nothing can be restored, no message names the repair.
#[test]
fn no_advice_leads_in_a_circle() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let bytes = truncated(&path.join("x.npy"));
    for length in [8, 100, 127, 128, 130] {
        fs::write(path.join("x.npy"), &bytes[..length]).unwrap();
        let (code, _, message) = npy(path, &["head", "x.npy"]);
        assert!(code == 2 && !message.contains("npy repair"), "{message}");
        let (code, _, message) = npy(path, &["repair", "x.npy", "-o", "y.npy", "--yes"]);
        let end = message.trim_end();
        assert!(
            code == 2 && (end.ends_with("copy the file again") || end.ends_with("copy it again")),
            "{message}"
        );
    }
    fs::write(path.join("l.npy"), b"\x93NUMPY\x01\0v\0('descr'").unwrap();
    let (code, _, message) = npy(path, &["repair", "l.npy"]);
    assert!(code == 2 && message.ends_with("; no data follows the header; copy the file again\n"));
    npy_core::save(path.join("s.npy"), &1.5).unwrap();
    let single = fs::read(path.join("s.npy")).unwrap();
    fs::write(path.join("s.npy"), &single[..130]).unwrap();
    for command in ["info", "verify", "head"] {
        let (_, out, messages) = npy(path, &[command, "s.npy"]);
        assert!((out + &messages).ends_with("found 2; copy the file again\n"));
    }
    // The header has fewer blanks than it states, so that the data seems to end too early.
    npy_core::save(path.join("x.npy"), &[i32::from_le_bytes(*b"    "); 6]).unwrap();
    let whole = fs::read(path.join("x.npy")).unwrap();
    fs::write(path.join("x.npy"), [&whole[..100], &whole[116..]].concat()).unwrap();
    let message = npy(path, &["head", "x.npy"]).2;
    assert!(
        message.ends_with("; npy repair x.npy -o OUT --yes restores it; or copy the file again\n")
    );
    assert_eq!(npy(path, &["repair", "x.npy", "-o", "y.npy", "--yes"]).0, 0);
    assert_eq!(npy_core::load::<Vec<i32>>(path.join("y.npy")).unwrap().len(), 6);
    // The rows that are kept are those that the message counts.
    let wide = NpyArray::new((0..6).collect::<Vec<i32>>(), [1, 6]).unwrap();
    wide.write_npy(path.join("w.npy")).unwrap();
    let bytes = fs::read(path.join("w.npy")).unwrap();
    fs::write(path.join("w.npy"), &bytes[..bytes.len() - 5]).unwrap();
    let message = npy(path, &["head", "w.npy"]).2;
    assert!(message.contains("4 of 6 along the last dimension are complete; npy repair w.npy"));
    assert_eq!(npy(path, &["repair", "w.npy", "-o", "y.npy", "--yes"]).0, 0);

    // A member whose checksum is right, and of whose array nothing can be restored.
    let member = zips::Raw::of("a.npy", &single[..130]);
    fs::write(path.join("z.npz"), zips::archive(b"", &[member], b"")).unwrap();
    let (code, out, _) = npy(path, &["repair", "z.npz", "-o", "y.npz", "--yes"]);
    assert_eq!(code, 1);
    assert!(out.contains("copy the file again\n"), "{out}");
    assert!(
        out.ends_with("z.npz: cannot be repaired: an archive of 1 member, 1 of them damaged\n")
    );
    assert!(!path.join("y.npz").exists());
}

/// Guards names that would say another kind of file, and a file without anything to restore.
#[test]
fn the_output_has_the_suffix_of_its_kind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let bytes = truncated(&path.join("x.npy"));
    fs::write(path.join("misnamed.npz"), &bytes).unwrap();
    fs::write(path.join("empty.npy"), "").unwrap();
    for (file, out, part) in [
        ("x.npy", "y.npz", "a name that ends in .npy"),
        ("misnamed.npz", "y.npz", "a name that ends in .npy"),
        ("empty.npy", "y.npy", "is empty, so that nothing can be restored"),
    ] {
        let (code, _, message) = npy(path, &["repair", file, "-o", out, "--yes"]);
        assert!(code == 2 && message.contains(part), "{message}");
        assert!(!path.join(out).exists());
    }
    assert_eq!(npy(path, &["repair", "misnamed.npz", "-o", "y.npy", "--yes"]).0, 0);
}

/// Guards the command that decompresses a file, for each subcommand.
#[test]
fn a_compressed_file_is_told_with_the_command_that_helps() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("kept.npy"), "").unwrap();
    for (name, start, advice) in [
        (
            "kept.npy.gz",
            &b"\x1f\x8b\x08\0\0\0\0\0"[..],
            "it is compressed with gzip; gunzip -c kept.npy.gz > OUT.npy\n",
        ),
        (
            "x.npy.gz",
            &b"\x1f\x8b\x08\0\0\0\0\0"[..],
            "it is compressed with gzip; gunzip -c x.npy.gz > x.npy\n",
        ),
        (
            "a b.npy",
            b"\x1f\x8b\x08\0\0\0\0\0",
            "it is compressed with gzip; gunzip -c 'a b.npy' > OUT\n",
        ),
        (
            "x.npy.zst",
            b"\x28\xb5\x2f\xfd\0\0\0\0",
            "it is compressed with zstd; zstd -dc x.npy.zst > x.npy\n",
        ),
        (
            "page.npz",
            b"<!DOCTYPE html>",
            "it is a web page, such as an error or a login page: download the file again\n",
        ),
        (
            "x.npy",
            b"version https://git-lfs.github.com/spec/v1\n",
            "fetch the data with `git lfs pull`\n",
        ),
    ] {
        fs::write(path.join(name), start).unwrap();
        for subcommand in ["repair", "info", "head"] {
            let (code, _, message) = npy(path, &[subcommand, name]);
            assert!(code == 2 && message.ends_with(advice), "{subcommand}: {message}");
        }
    }
}

/// Guards text with any name: each command advises the same one, and that makes an array.
#[test]
fn text_is_told_with_the_command_that_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // More than the part of a file that is looked at.
    let numbers = "1.5\n".repeat(30_000);
    let list = format!("[\n{}\n]\n", numbers.trim().replace('\n', ",\n"));
    for (name, text, options, values) in [
        (
            "a.npy",
            "name,value\nbob,1\namy,2\n",
            " --from csv",
            "{\"name\":\"bob\",\"value\":1}\n{\"name\":\"amy\",\"value\":2}\n",
        ),
        (
            "b.npy",
            "# x y\n1.5 2.5\n3.5 4.5\n",
            " --from csv",
            "{\"x\":1.5,\"y\":2.5}\n{\"x\":3.5,\"y\":4.5}\n",
        ),
        (
            "c.npz",
            "# x y\n1.5 2.5\n3.5 4.5\n",
            " --from csv",
            "{\"x\":1.5,\"y\":2.5}\n{\"x\":3.5,\"y\":4.5}\n",
        ),
        (
            "d.safetensors",
            "# x y\n1.5 2.5\n3.5 4.5\n",
            " --from csv",
            "{\"x\":1.5,\"y\":2.5}\n{\"x\":3.5,\"y\":4.5}\n",
        ),
        ("e.dat", "1.5 2.5\n3.5 4.5\n", " --from csv --no-header", "[1.5,2.5]\n[3.5,4.5]\n"),
        ("f.dat", "% x\n1.5 2.5\n", " --from csv --comments % --no-header", "[1.5,2.5]\n"),
        ("g.npy", "a\tb\n1\t2\n", " --from tsv", "{\"a\":1,\"b\":2}\n"),
        ("h.npy", "{\"a\": 1}\n{\"a\": 2}\n", " --from jsonl", "{\"a\":1}\n{\"a\":2}\n"),
        (
            "i.npy",
            "2024-01-31,x\n2024-02-01,y\n",
            " --from csv --no-header",
            "{\"0\":\"2024-01-31\",\"1\":\"x\"}\n{\"0\":\"2024-02-01\",\"1\":\"y\"}\n",
        ),
        ("k.csv", "a,b\n1,2\n", "", "{\"a\":1,\"b\":2}\n"),
        ("l.csv", "1,2\n3,4\n", " --no-header", "[1,2]\n[3,4]\n"),
        ("m.dat", "# a note\nx;y\n1;2\n", " --from csv --delimiter ';'", "{\"x\":1,\"y\":2}\n"),
        ("n.csv", "1;2\n3;4\n", " --delimiter ';' --no-header", "[1,2]\n[3,4]\n"),
        ("o.csv", "a\tb\n1\t2\n", " --delimiter '\\t'", "{\"a\":1,\"b\":2}\n"),
        ("p.dat", "# a note\na\tb\n1\t2\n", " --from tsv", "{\"a\":1,\"b\":2}\n"),
        ("q.dat", "x y\n1 2\n", " --from csv --delimiter ' '", "{\"x\":1,\"y\":2}\n"),
        ("r.dat", "1 2\t3 # one\n4 5 6\n", " --from csv --no-header", "[1,2,3]\n[4,5,6]\n"),
        ("s.dat", "sep=;\n1;2\n", " --from csv --no-header", "[1,2]\n"),
        (
            "t.dat",
            "% x\na;b\n1;2\n",
            " --from csv --delimiter ';' --comments %",
            "{\"a\":1,\"b\":2}\n",
        ),
        ("u.tsv", "1\t2\n", " --no-header", "[1,2]\n"),
        ("v.dat", "[1, 2]\n[3, 4]\n", " --from jsonl", "[1,2]\n[3,4]\n"),
        ("w.dat", "{\"a\":1,\n\"b\":2}\n", " --from json", "{\"a\":1,\"b\":2}\n"),
        ("x.dat", "[[1,2],\n[3,4]]\n", " --from json", "[1,2]\n[3,4]\n"),
        ("y.dat", "x\n1 2\n", " --from csv --delimiter ,", "{\"x\":\"1 2\"}\n"),
        (
            "z.dat",
            "a,b\nu,2 # x, y\nv,4\n",
            " --from csv --comments '#'",
            "{\"a\":\"u\",\"b\":2}\n{\"a\":\"v\",\"b\":4}\n",
        ),
        ("aa.dat", "size\tn\n10 500\t3\n", " --from tsv", "{\"size\":\"10 500\",\"n\":3}\n"),
        (
            "ab.dat",
            "x y\tz\n1 2\t3\n",
            " --from csv --delimiter ' '",
            "{\"x\":1,\"y\":2,\"z\":3}\n",
        ),
        ("ac.dat", "x;y\n1,5;2\n", " --from csv --delimiter ';'", "{\"x\":\"1,5\",\"y\":2}\n"),
        ("ad.json", "{\"a\":1}\n{\"a\":2}\n", " --from jsonl", "{\"a\":1}\n{\"a\":2}\n"),
        ("ae.dat", &list, " --from json", &numbers),
        ("af.dat", "[0]\n3 4\n", " --from csv", "[\"3 4\"]\n"),
        ("ah.dat", "1|2\n3|4\n", " --from csv --delimiter '|' --no-header", "[1,2]\n[3,4]\n"),
        ("ai.tsv", "1;2\n3;4\n", " --delimiter ';' --no-header", "[1,2]\n[3,4]\n"),
        ("aj.dat", "\"1\"\t\"2\"\n", " --from tsv --no-header", "[1,2]\n"),
        ("ag.dat", "1.5#a\n2.5\n", " --from csv --comments '#' --no-header", "[1.5]\n[2.5]\n"),
    ] {
        fs::write(path.join(name), text).unwrap();
        let command = format!("npy convert {name} OUT.npy{options}");
        let ending = format!("; it looks like text; {command} reads a table\n");
        // Files that are named as text are read as such.
        let is_named = name.ends_with("sv") || name.ends_with(".json");
        let others = if is_named { &[][..] } else { &["info", "head", "verify"] };
        for subcommand in [&["repair"], others].concat() {
            let (code, out, messages) = npy(path, &[subcommand, name]);
            let message = out + &messages;
            assert!(code > 0 && message.ends_with(&ending), "{subcommand}: {message}");
        }
        // As a shell divides it.
        let command = command.replace("' '", "BLANK");
        let words = command.split(' ').skip(1).map(|word| word.trim_matches('\''));
        let args: Vec<&str> = words.map(|word| if word == "BLANK" { " " } else { word }).collect();
        let (code, _, messages) = npy(path, &args);
        assert_eq!(code, 0, "{command}: {messages}");
        let (_, out, _) = npy(path, &["cat", "OUT.npy", "--jsonl"]);
        assert_eq!(out, values, "{command}");
        fs::remove_file(path.join("OUT.npy")).unwrap();
    }
    // Only the start of a long text is tried.
    let joined = |separator: &str, item: &dyn Fn(usize) -> String| {
        (0..9000).map(item).collect::<Vec<_>>().join(separator)
    };
    let integers = joined(", ", &|at| format!("1000{at}"));
    let keys = joined(", ", &|at| format!("\"k{at}\": {at}"));
    let floats = joined(" ", &|at| format!("{at}.25"));
    let names = joined(",", &|at| format!("column {at}"));
    let row = joined(",", &|at| at.to_string());
    let quoted = "1,\"two\nlines\"\n".repeat(9000);
    let one = "line\n".repeat(20_000);
    for (name, text, options, shape) in [
        ("a.txt", format!("[{integers}]"), " --from json", "9000,"),
        ("b.txt", format!("[{{{keys}}},\n {{{keys}}}]"), " --from json", "2,"),
        ("c.txt", format!("{{{keys}}}\n{{{keys}}}\n"), " --from jsonl", "2,"),
        (
            "k.txt",
            format!("{{\"a\": \"{long}\"}}\n", long = "x".repeat(40_000)).repeat(3),
            " --from jsonl",
            "3,",
        ),
        ("d.txt", format!("{floats}\n{floats}\n"), " --from csv --no-header", "2, 9000"),
        ("e.txt", format!("{names}\n{row}\n"), " --from csv", "1,"),
        ("f.txt", format!("{names}\n{row}\n").replace(',', "\t"), " --from tsv", "1,"),
        ("g.txt", format!("a,b\n{quoted}"), " --from csv", "9000,"),
        ("h.txt", format!("a,b\n1,x\n2,\"{one}\"\n"), " --from csv", "2,"),
        ("i.txt", format!("a,b\n1,5\" x\n{}", "2,x\n".repeat(20_000)), " --from csv", "20001,"),
    ] {
        fs::write(path.join(name), text).unwrap();
        let command = format!("npy convert {name} OUT.npy{options}");
        let (_, _, message) = npy(path, &["head", name]);
        let ending = format!("; it looks like text; {command} reads a table\n");
        assert!(message.ends_with(&ending), "{message}");
        let (code, _, messages) = npy(path, &command.split(' ').skip(1).collect::<Vec<_>>());
        assert_eq!(code, 0, "{command}: {messages}");
        let header = npy_core::Reader::open(path.join("OUT.npy")).unwrap().header().clone();
        let found = format!("{:?}", header.shape());
        assert_eq!(found.trim_matches(['[', ']']), shape.trim_end_matches(','), "{name}");
        fs::remove_file(path.join("OUT.npy")).unwrap();
    }
    fs::write(path.join("uneven"), "# a note\n1 2\n\n3 4 5\n").unwrap();
    let (_, _, message) = npy(path, &["head", "uneven"]);
    let ending = "; its lines do not have as many numbers: line 2 has 2, and line 4 has 3\n";
    assert!(message.ends_with(ending), "{message}");
    fs::write(path.join("notes"), "Dear all,\nthis is prose, with commas, here\n").unwrap();
    let (_, _, message) = npy(path, &["head", "notes"]);
    let ending = "; it looks like text; npy convert --help has the options that read a table\n";
    assert!(message.ends_with(ending), "{message}");
}

/// Guards two sentences that were untrue: a member that is cut is kept, too, and a file that is not written becomes nothing.
#[test]
fn a_message_says_what_is_kept_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut options = npz::WriteOptions::new();
    options.stored();
    let mut writer = options.create(path.join("whole.npz")).unwrap();
    writer.write("a", &[1u8]).unwrap();
    writer.write("b", &vec![1u8; 1000]).unwrap();
    writer.finish().unwrap();
    let bytes = fs::read(path.join("whole.npz")).unwrap();
    fs::write(path.join("cut.npz"), &bytes[..bytes.len() - 700]).unwrap();
    let (_, _, message) = npy(path, &["head", "cut.npz"]);
    let kept = "keeps its members that are complete, and of \"b.npy\" the first ";
    let rest = message.split_once(kept).unwrap_or_else(|| panic!("{message}")).1;
    let (_, lines, message) = npy(path, &["repair", "cut.npz", "-o", "no/x.npz", "--yes"]);
    assert!(message.contains("no directory no"), "{message}");
    assert!(lines.contains("member \"b.npy\": truncated") && !lines.contains("becomes"), "{lines}");
    let (code, lines, _) = npy(path, &["repair", "cut.npz", "-o", "x.npz", "--yes"]);
    assert!(code == 0 && lines.ends_with("becomes an archive of 2 members, in x.npz\n"), "{lines}");
    let array: Vec<u8> = npz::Reader::open(path.join("x.npz")).unwrap().read("b").unwrap();
    assert!(rest.starts_with(&format!("{} of 1000 rows; or copy", array.len())), "{rest}");
}

/// Guards the cost of an advice about a large array: its header and its size say whether it is damaged.
#[cfg(target_os = "linux")]
#[test]
fn an_advice_about_a_large_array_reads_its_header() {
    let bytes_read = || {
        let status = fs::read_to_string("/proc/thread-self/io").unwrap();
        let line = status.lines().next().unwrap();
        line.strip_prefix("rchar: ").unwrap().parse::<usize>().unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    let header = npy_core::Header::new("<f8".parse().unwrap(), [1 << 20], npy_core::Order::C);
    fs::write(&path, header.unwrap().to_bytes().unwrap()).unwrap();
    let size = 128 + (8 << 20);
    for (length, is_damaged) in [(size, false), (size - 100, true)] {
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
        let before = bytes_read();
        let advice = npy_cli::repair_advice(&path);
        assert!(bytes_read() - before < 1 << 18);
        let command = format!("npy repair {} -o OUT --yes keeps what is complete", path.display());
        assert_eq!(advice.is_some_and(|advice| advice.starts_with(&command)), is_damaged);
    }
    // An archive that ends within its directory has all members.
    let mut writer = npz::Writer::create(folder.path().join("z.npz")).unwrap();
    writer.write("a", &[1u8]).unwrap();
    writer.finish().unwrap();
    let bytes = fs::read(folder.path().join("z.npz")).unwrap();
    assert_eq!(npy_cli::repair_advice(&folder.path().join("z.npz")), None);
    fs::write(folder.path().join("z.npz"), &bytes[..bytes.len() - 30]).unwrap();
    let advice = npy_cli::repair_advice(&folder.path().join("z.npz")).unwrap();
    assert!(advice.contains(" -o OUT --yes restores it; "), "{advice}");
    // A larger archive is not read for a message, and so it is not known that a repair would keep a member.
    fs::write(&path, &bytes[..bytes.len() - 30]).unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(257 << 20).unwrap();
    let before = bytes_read();
    let advice = npy_cli::repair_advice(&path);
    assert!(bytes_read() - before < 1 << 18);
    let command = format!("npy repair {} looks for members that are complete", path.display());
    assert_eq!(advice, Some(command));
}
