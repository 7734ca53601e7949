//! Archives: members that are packed, removed, renamed, extracted and aligned.

use std::fs;

use npy_core::{ReadNpy, WriteNpy, npz};
use npy_tests::zips::{Raw, archive, npy as npy_file};

use crate::support::{code, names, npy, ok};

/// `np.arange(3, dtype="u1")` as Python's `zipfile` writes it with `ZIP_BZIP2` and `ZIP_LZMA`.
const OTHER_METHODS: [(&str, &[u8]); 2] = [
    ("bzip2.npz", b"PK\x03\x04.\0\0\0\x0c\0\0\0!\0H\xeaf\xect\0\0\0\x83\0\0\0\x05\0\0\0a.npyBZh91AY&SY\xe9\x0e\xd3\xec\0\0%\xdf\xa0p\x10@\
    \xe4(P\x01\x03B \xafE\xdf\x0e\x08\0 \0TD\x9eQ\x90\x19\0\0f\xa3\xd2\x11O\x14\xc8\x0d44\x1ah\x1a\x1e\xa0e\xdb\xa56{8V\x0d\
    \x02\x12\xb20\x14X\x02\x9a\xab\xafGL\xb9\x05\xfff\xfd:\x85\xb1B\xa9\x0e\0B\xf0y\x89\xe6\x88\x02\x94W\x13\x02\xd2?\x8b\
    \xb9\"\x9c(Ht\x87i\xf6\0PK\x01\x02.\x03.\0\0\0\x0c\0\0\0!\0H\xeaf\xect\0\0\0\x83\0\0\0\x05\0\0\0\0\0\0\0\0\0\0\0\x80\x01\
    \0\0\0\0a.npyPK\x05\x06\0\0\0\0\x01\0\x01\x003\0\0\0\x97\0\0\0\0\0"),
    ("lzma.npz", b"PK\x03\x04?\0\x02\0\x0e\0\0\0!\0H\xeaf\xecY\0\0\0\x83\0\0\0\x05\0\0\0a.npy\x09\x04\x05\0]\0\0\x80\0\0I\x93\x86\xa4\xde\
    \xd3\x82yj[\x0d#86\xab\x9d\x9dLM\xee\xe3m\xc31ik\xfb\x114w,]~ 3\x8e\xad,9w-\x8dj\xc5*\xf3\xdbw\x89\x9e-\xc6\xc2\xb3M\x9b\
    F\xa7\x1c\xe8\x12(22\x96t\xe7\x96P,\xc2\xb6v\x80\xff\xf9\xc0\xb8\0PK\x01\x02?\x03?\0\x02\0\x0e\0\0\0!\0H\xeaf\xecY\0\0\0\
    \x83\0\0\0\x05\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\0\0\0a.npyPK\x05\x06\0\0\0\0\x01\0\x01\x003\0\0\0|\0\0\0\0\0"),
];

/// Guards that members survive packing, renaming, removing and extracting.
#[test]
fn archives_are_packed_edited_and_extracted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u8, 2, 3].write_npy(path.join("a.npy")).unwrap();
    vec![Some("x".to_owned()), None].write_npy(path.join("objects.npy")).unwrap();
    ok(path, &["npz", "pack", "m.npz", "-z", "a.npy", "last=a.npy[-1:]", "objects.npy"]);
    assert_eq!(ok(path, &["npz", "list", "m.npz"]), "a\nlast\nobjects\n");
    ok(path, &["npz", "mv", "m.npz", "last", "deep/last"]);
    ok(path, &["npz", "rm", "m.npz", "a"]);
    let (_, message) = code(path, &["npz", "pack", "m.npz", "--append", "objects.npy"]);
    assert!(message.contains("already") && !message.contains("note"), "{message}");
    let (_, message) = code(path, &["npz", "pack", "m.npz", "--append", "b=a.npy"]);
    assert!(message.contains("what is added is not; -z compresses it"), "{message}");
    assert_eq!(ok(path, &["npz", "list", "m.npz"]), "deep/last\nobjects\nb\n");

    ok(path, &["npz", "extract", "m.npz", "-C", "out"]);
    assert_eq!(Vec::<u8>::read_npy(path.join("out/deep/last.npy")).unwrap(), [3]);
    assert_eq!(fs::read(path.join("out/b.npy")).unwrap(), fs::read(path.join("a.npy")).unwrap());
    let objects = Vec::<Option<String>>::read_npy(path.join("out/objects.npy")).unwrap();
    assert_eq!(objects, [Some("x".to_owned()), None]);
    let (exit, message) = code(path, &["npz", "extract", "m.npz", "b", "-C", "out"]);
    assert_eq!((exit, message.contains("exists")), (2, true), "{message}");
    ok(path, &["npz", "extract", "m.npz", "b", "-C", "out", "--force"]);
    let (exit, _) = code(path, &["npz", "pack", "m.npz", "a.npy", "out/../a.npy", "a=a.npy"]);
    assert_eq!(exit, 2);
    assert_eq!(ok(path, &["npz", "list", "m.npz"]), "deep/last\nobjects\nb\n");
}

/// Guards against members that are lost because another archive is packed, and an array because the name of the archive was forgotten.
#[test]
fn pack_loses_no_members_unless_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u8].write_npy(path.join("a.npy")).unwrap();
    ok(path, &["npz", "pack", "m.npz", "a.npy", "b=a.npy"]);
    let (exit, message) = code(path, &["npz", "pack", "m.npz", "a.npy"]);
    assert_eq!(exit, 2);
    assert!(message.contains("its member \"b\" would be lost; --force replaces"), "{message}");
    assert_eq!(ok(path, &["npz", "list", "m.npz"]), "a\nb\n");
    ok(path, &["npz", "pack", "m.npz", "b=a.npy", "a.npy", "c=a.npy"]);
    [2u8].write_npy(path.join("z.npy")).unwrap();
    let (exit, message) = code(path, &["npz", "pack", "a.npy", "z.npy"]);
    assert_eq!(exit, 2);
    assert!(message.contains("a.npy: is not an archive; name the archive first"), "{message}");
    ok(path, &["npz", "pack", "--force", "m.npz", "a.npy"]);
    assert_eq!(ok(path, &["npz", "list", "m.npz"]), "a\n");
}

/// Guards against members that other programs would extract to another directory.
#[test]
fn members_get_no_name_that_leads_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u8].write_npy(path.join("a.npy")).unwrap();
    ok(path, &["npz", "pack", "m.npz", "a.npy"]);
    for name in ["../../evil", "/evil", "x\\..\\..\\evil"] {
        let file = format!("{name}=a.npy");
        for args in [
            &["npz", "mv", "m.npz", "a", name][..],
            &["npz", "pack", "new.npz", &file],
            &["npz", "pack", "--append", "m.npz", &file],
        ] {
            let (exit, message) = code(path, args);
            assert_eq!(
                (exit, message.contains("is not a name that can be extracted")),
                (2, true),
                "{message}"
            );
        }
    }
    let rule = "is not a name that can be extracted; one has parts between / that are not empty, . or .., and no \\ or :\n";
    for name in ["../e", "/e", "", "./a", "..", "x:y", "x\\y", "x/"] {
        let member = format!("m.npz::{name}");
        for args in [&["npz", "mv", "m.npz", "a", name][..], &["convert", "a.npy", &member]] {
            let (exit, message) = code(path, args);
            assert!(exit == 2 && message.ends_with(rule), "{message}");
        }
    }
    assert_eq!(ok(path, &["npz", "list", "m.npz"]), "a\n");
    assert_eq!(names(path), ["a.npy", "m.npz"]);
}

/// Guards the message about a member that is not there: it lists all that are, because none was removed.
#[test]
fn nothing_is_removed_if_a_name_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u8].write_npy(path.join("a.npy")).unwrap();
    ok(path, &["npz", "pack", "m.npz", "a.npy", "b=a.npy"]);
    let list = "its members are \"a\", \"b\"";
    let pattern = "; names are compared as they are, without patterns: write each one";
    for (args, end) in [
        (&["rm", "m.npz", "a", "nope"][..], list.to_owned()),
        (&["rm", "m.npz", "a", "a", "nope"], list.to_owned()),
        (&["rm", "m.npz", "a", "b*"], format!("{list}{pattern}")),
        (&["extract", "m.npz", "b?"], format!("{list}{pattern}")),
    ] {
        let (exit, message) = code(path, &[&["npz"], args].concat());
        assert!(exit == 2 && message.trim_end().ends_with(&end), "{message}");
    }
    assert_eq!(ok(path, &["npz", "list", "m.npz"]), "a\nb\n");
}

/// Guards that nothing is written if one of the members is wrong, and nothing outside of the directory.
#[test]
fn extract_writes_all_or_nothing_and_follows_no_link() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u8].write_npy(path.join("a.npy")).unwrap();
    ok(path, &["npz", "pack", "m.npz", "a.npy", "d/b=a.npy"]);
    for (members, part) in [
        (["a", "nope"], "the archive has no member \"nope\"; its members are \"a\", \"d/b\""),
        (["a", "a"], "two of the members would be written to it; name each once"),
    ] {
        let args = [&["npz", "extract", "m.npz", "-C", "out"][..], &members].concat();
        let (exit, message) = code(path, &args);
        assert!(exit == 2 && message.contains(part), "{message}");
    }
    assert_eq!(names(path), ["a.npy", "m.npz"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        for dir in ["out", "elsewhere"] {
            fs::create_dir(path.join(dir)).unwrap();
        }
        fs::write(path.join("elsewhere/x"), "kept").unwrap();
        for (link, to) in [("out/a.npy", "../elsewhere/x"), ("out/d", "../elsewhere")] {
            symlink(to, path.join(link)).unwrap();
            let (exit, message) = code(path, &["npz", "extract", "--force", "m.npz", "-C", "out"]);
            let expected = format!("npy: {link}: is a symbolic link, which npz extract does not");
            assert!(exit == 2 && message.starts_with(&expected), "{message}");
            fs::remove_file(path.join(link)).unwrap();
        }
        assert_eq!(fs::read(path.join("elsewhere/x")).unwrap(), b"kept");
        assert_eq!(names(&path.join("elsewhere")), ["x"]);
        // The directory itself may be a link.
        symlink("out", path.join("link")).unwrap();
        ok(path, &["npz", "extract", "m.npz", "-C", "link"]);
        assert_eq!(names(&path.join("out")), ["a.npy", "d"]);
    }
}

/// Guards a member that is named twice, which was missing the second time.
#[test]
fn a_member_that_is_named_twice_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u8].write_npy(path.join("x.npy")).unwrap();
    ok(path, &["npz", "pack", "m.npz", "a=x.npy", "b=x.npy"]);
    ok(path, &["npz", "rm", "m.npz", "b", "b.npy", "b"]);
    assert_eq!(ok(path, &["npz", "list", "m.npz"]), "a\n");
}

/// Guards members whose names differ by `.npy`: a name is first the one that is listed.
#[test]
fn members_are_removed_by_the_name_that_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u8].write_npy(path.join("x.npy")).unwrap();
    for (members, left) in [
        (&["a.npy.npy"][..], "a\n"),
        (&["a.npy"], "a.npy\n"),
        (&["a"], "a.npy\n"),
        (&["a", "a.npy"], "a.npy\n"),
        (&["a.npy.npy", "a"], ""),
        (&["a.npy", "a.npy.npy", "a"], ""),
    ] {
        // The members `a.npy` and `a.npy.npy` of `np.savez`.
        let mut writer = npz::Writer::create(path.join("m.npz")).unwrap();
        for name in ["a.npy.npy", "a"] {
            writer.write(name, &[1u8]).unwrap();
        }
        writer.finish().unwrap();
        ok(path, &[&["npz", "rm", "m.npz"], members].concat());
        assert_eq!(ok(path, &["npz", "list", "m.npz"]), left, "{members:?}");
    }
}

/// Guards members of one name. Readers find only the last; none is lost without a word.
#[test]
fn members_of_one_name_are_not_lost_silently() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let file = |n: u8| Raw::of("a.npy", &npy_file(&[n]));
    let twice = archive(b"", &[file(1), Raw::of("b.npy", &npy_file(&[2u8])), file(3)], b"");
    let write = || fs::write(path.join("m.npz"), &twice).unwrap();
    write();
    let (exit, message) = code(path, &["npz", "mv", "m.npz", "a", "c"]);
    assert_eq!((exit, message.contains("2 members have the name \"a\"")), (2, true), "{message}");
    assert_eq!(fs::read(path.join("m.npz")).unwrap(), twice);
    let (exit, message) = code(path, &["npz", "mv", "m.npz", "b", "a"]);
    assert_eq!((exit, message.contains("another member has it already")), (2, true), "{message}");
    assert_eq!(fs::read(path.join("m.npz")).unwrap(), twice);
    // The way that the message names.
    ok(path, &["convert", "m.npz::a", "m.npz::c"]);
    let said = "note: m.npz: 2 members had the name \"a\"; all were removed\n";
    assert_eq!(code(path, &["npz", "rm", "m.npz", "a", "b"]), (0, said.to_owned()));
    assert_eq!(npz::Reader::open(path.join("m.npz")).unwrap().read::<Vec<u8>>("c").unwrap(), [3]);
    write();
    let said = "note: m.npz: 2 members had the name \"a\"; all were replaced\n";
    assert_eq!(code(path, &["convert", "m.npz::b", "m.npz::a"]), (0, said.to_owned()));
    assert_eq!(npz::Reader::open(path.join("m.npz")).unwrap().read::<Vec<u8>>("a").unwrap(), [2]);
    assert_eq!(code(path, &["npz", "rm", "m.npz", "a"]), (0, String::new()));
    let both = ["a", "a.npy"].map(|name| Raw::of(name, &npy_file(&[1u8])));
    fs::write(path.join("m.npz"), archive(b"", &both, b"")).unwrap();
    let (exit, message) = code(path, &["convert", "m.npz", "n.npz"]);
    let said = "has it already; give each its own name, as npy npz mv does in an archive\n";
    assert!(exit == 2 && message.ends_with(said), "{message}");
    ok(path, &["npz", "mv", "m.npz", "a.npy", "b"]);
    ok(path, &["convert", "m.npz", "n.npz"]);
    assert_eq!(ok(path, &["npz", "list", "n.npz"]), "a\nb\n");
}

/// Guards the name of the file, which got `.npy` twice.
#[test]
fn a_member_that_is_named_with_its_ending_is_extracted_without_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (members, arguments, files) in [
        (&["a.npy"][..], &["a.npy"][..], &["a.npy"][..]),
        (&["a.npy.npy"], &["a.npy.npy"], &["a.npy.npy"]),
        (&["a.npy.npy"], &["a.npy"], &["a.npy.npy"]),
        (&["a.npy", "a.npy.npy"], &["a.npy", "a.npy.npy"], &["a.npy", "a.npy.npy"]),
        (&["a", "a.npy"], &[], &["a.npy", "a.npy.npy"]),
        (&["a", "a.npy.npy"], &["a.npy"], &["a.npy.npy"]),
    ] {
        let raw: Vec<Raw> = members.iter().map(|name| Raw::of(name, &npy_file(&[1u8]))).collect();
        fs::write(path.join("m.npz"), archive(b"", &raw, b"")).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let to = directory.path().to_str().unwrap();
        ok(path, &[&["npz", "extract", "m.npz", "-C", to], arguments].concat());
        assert_eq!(names(directory.path()), files, "{members:?} {arguments:?}");
    }
}

/// Guards members of the other methods that Python's `zipfile` has.
#[test]
fn members_of_other_methods_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (name, file) in OTHER_METHODS {
        fs::write(path.join(name), file).unwrap();
        assert_eq!(ok(path, &["cat", "--jsonl", name]), "0\n1\n2\n", "{name}");
        // If its checksum is wrong, not every unzip reads it.
        let (method, flags) = if name == "lzma.npz" { (14, 2) } else { (12, 0) };
        let end = file.windows(4).position(|part| part == b"PK\x01\x02").unwrap();
        let data = file["PK".len() + 28 + "a.npy".len()..end].to_vec();
        let compressed = data.len().try_into().unwrap();
        let of = Raw::of("a.npy", &npy_file(&[0u8; 3]));
        let member = Raw { data, compressed, crc: 7, method, flags, ..of };
        let members = [member, Raw::of("b.npy", &npy_file(&[1u8]))];
        fs::write(path.join("m.npz"), archive(b"", &members, b"")).unwrap();
        let out = String::from_utf8(npy(path, &["repair", "m.npz"]).stdout).unwrap();
        assert!(out.contains("the checksum is") && !out.contains("unzip"), "{out}");
    }
}

/// Guards that no file is replaced if one of the members cannot be written beside the others, or beside what is there.
#[test]
fn extract_refuses_conflicts_before_it_replaces_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1u8].write_npy(path.join("x.npy")).unwrap();
    ok(path, &["npz", "pack", "m.npz", "a=x.npy", "a.npy/b=x.npy"]);
    ok(path, &["npz", "pack", "d.npz", "a=x.npy", "d/b=x.npy"]);
    ok(path, &["npz", "pack", "s.npz", "a=x.npy", "self=x.npy"]);
    fs::create_dir(path.join("out")).unwrap();
    for (archive, args, part) in [
        (
            "m.npz",
            &[][..],
            "out/a.npy: would be the file of one member and the directory of \"a.npy/b\"",
        ),
        ("d.npz", &["out/d"], "out/d: is not a directory"),
        ("d.npz", &["out/d/b.npy/"], "out/d/b.npy: is a directory"),
        ("out/self.npy", &[], "self.npy: is also an input"),
    ] {
        fs::remove_dir_all(path.join("out")).unwrap();
        fs::create_dir(path.join("out")).unwrap();
        fs::copy(path.join("s.npz"), path.join("out/self.npy")).unwrap();
        fs::write(path.join("out/a.npy"), "kept").unwrap();
        for file in args {
            match file.strip_suffix('/') {
                Some(directory) => fs::create_dir_all(path.join(directory)).unwrap(),
                None => fs::write(path.join(file), "").unwrap(),
            }
        }
        let (exit, message) = code(path, &["npz", "extract", "--force", archive, "-C", "out"]);
        assert!(exit == 2 && message.contains(part), "{message}");
        assert_eq!(fs::read(path.join("out/a.npy")).unwrap(), b"kept", "{archive}");
    }
}

/// Guards against members whose names lead out of the directory.
#[test]
fn extract_stays_in_its_directory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for name in ["../evil", "/tmp/npy-evil", "a\\..\\b"] {
        let mut writer = npz::Writer::create(path.join("evil.npz")).unwrap();
        // The library refuses to write some of these names itself.
        if writer.write(name, &[1u8]).is_err() {
            continue;
        }
        writer.finish().unwrap();
        let (exit, message) = code(path, &["npz", "extract", "evil.npz", "-C", "out"]);
        assert_eq!((exit, message.contains("no safe path")), (2, true), "{message}");
        let (exit, _) = code(path, &["verify", "evil.npz"]);
        assert_eq!(exit, 1, "{name}");
    }
    assert_eq!(names(path), ["evil.npz"]);
}

/// Guards that a slice of a compressed member is that of the array, and that a seek index which is wrong is found.
#[test]
fn compressed_members_are_sliced_by_their_seek_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let values: Vec<u64> = (0..100_000).collect();
    let mut options = npz::WriteOptions::new();
    let mut packed = options.deflate(6).seek_every(4096).create(path.join("x.npz")).unwrap();
    packed.write("x", &values).unwrap();
    packed.finish().unwrap();
    assert_eq!(ok(path, &["cat", "x.npz::x[99990:99993]"]), "value\n99990\n99991\n99992\n");
    assert!(ok(path, &["tail", "-n", "2", "x.npz::x"]).ends_with("99999  99999\n"));
    assert_eq!(code(path, &["verify", "x.npz"]), (0, String::new()));

    let mut archive = fs::read(path.join("x.npz")).unwrap();
    let name = b".x.npy.sozip.idx";
    let named = archive.windows(name.len()).position(|part| part == name).unwrap();
    let size = u32::from_le_bytes(archive[named - 8..named - 4].try_into().unwrap());
    let (header, index) = (named - 30, named + name.len());
    let index = index..index + usize::try_from(size).unwrap();
    // The last position, and the checksum of the index.
    archive[index.end - 8] ^= 1;
    fs::write(path.join("damaged.npz"), &archive).unwrap();
    let verified = npy(path, &["verify", "damaged.npz"]);
    let says = String::from_utf8(verified.stdout).unwrap();
    assert!(says.contains("member \"x\": its seek index is wrong"), "{says}");
    let crc = npy_tests::zips::crc(&archive[index]).to_le_bytes();
    archive[header + 14..header + 18].copy_from_slice(&crc);
    fs::write(path.join("x.npz"), archive).unwrap();
    let verified = npy(path, &["verify", "x.npz"]);
    let says = String::from_utf8(verified.stdout).unwrap();
    assert!(says.contains("member \"x\": its seek index is wrong"), "{says}");
    assert!(ok(path, &["tail", "-n", "1", "x.npz::x"]).ends_with("99999  99999\n"));
}

/// Guards that `npz align` moves stored members to multiples of 64 bytes and, with `--seekable`, adds seek indexes, and changes no byte of a member.
#[test]
fn npz_align_moves_members_and_makes_them_seekable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let numbers: Vec<u32> = (0..400_000).collect();
    let mut options = npz::WriteOptions::new();
    let mut writer = options.deflate(6).seek_every(0).create(path.join("packed.npz")).unwrap();
    writer.write("n", &numbers).unwrap();
    writer.write("small", &[1u8, 2]).unwrap();
    writer.finish().unwrap();
    fs::write(
        path.join("stored.npz"),
        archive(b"", &[Raw::of("a.npy", &npy_file(&[1.5f64]))], b""),
    )
    .unwrap();
    let is_aligned = || {
        let reader = npz::Reader::open(path.join("stored.npz")).unwrap();
        reader.stored_range("a").unwrap().unwrap().start.is_multiple_of(64)
    };
    assert!(!is_aligned());
    ok(path, &["npz", "align", "stored.npz"]);
    assert!(is_aligned());
    assert_eq!(
        npz::Reader::open(path.join("stored.npz")).unwrap().read::<Vec<f64>>("a").unwrap(),
        [1.5]
    );

    let before = npz::Reader::open(path.join("packed.npz")).unwrap().read_bytes("n").unwrap();
    let unchanged = fs::read(path.join("packed.npz")).unwrap();
    ok(path, &["npz", "align", "packed.npz"]);
    assert_eq!(fs::read(path.join("packed.npz")).unwrap(), unchanged);
    ok(path, &["npz", "align", "--seekable", "packed.npz"]);
    let after = npz::Reader::open(path.join("packed.npz")).unwrap();
    assert!(after.is_seekable("n").unwrap() && after.is_compressed("small").unwrap());
    assert_eq!(after.read_bytes("n").unwrap(), before);
    assert!(after.names().eq(["n", "small"]));
    assert_eq!(names(path), ["packed.npz", "stored.npz"]);
}

/// Guards that an archive whose member is damaged stays as it is when it is aligned.
#[test]
fn npz_align_keeps_an_archive_that_it_cannot_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut options = npz::WriteOptions::new();
    let mut writer = options.deflate(1).seek_every(0).create(path.join("x.npz")).unwrap();
    writer.write("n", &(0..600_000u32).collect::<Vec<_>>()).unwrap();
    writer.finish().unwrap();
    let mut bytes = fs::read(path.join("x.npz")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    fs::write(path.join("x.npz"), &bytes).unwrap();
    let (code, message) = code(path, &["npz", "align", "--seekable", "x.npz"]);
    assert_eq!(code, 2, "{message}");
    assert!(message.starts_with("npy: x.npz: member \"n.npy\": "), "{message}");
    assert_eq!(fs::read(path.join("x.npz")).unwrap(), bytes);
    assert_eq!(names(path), ["x.npz"]);
}

/// Guards two members that one name can mean: neither is renamed to the other.
#[test]
fn a_member_is_not_renamed_to_a_name_that_finds_another() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let members = ["k[1].npy", "k[1]"].map(|name| Raw::of(name, b"text"));
    fs::write(path.join("q.npz"), archive(b"", &members, b"")).unwrap();
    let before = fs::read(path.join("q.npz")).unwrap();
    let (exit, message) = code(path, &["npz", "mv", "q.npz", "k[1].npy", "k[1]"]);
    assert!(exit == 2 && message.contains("another member has it already"), "{message}");
    assert!(fs::read(path.join("q.npz")).unwrap() == before);
}

/// Guards that a new archive says what it does not keep of the old one, and that the advice about a member that is not an array is a command.
#[test]
fn a_copy_of_an_archive_tells_of_what_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let one = npy_file(&[1.5f64]);
    let old = archive(b"", &[Raw::of("x.npy", &one), Raw::of("bare", &one)], b"hi");
    fs::write(path.join("c.npz"), old).unwrap();
    let expected = "note: c.npz: what follows the directory of the archive, such as its comment, is left out\nnote: c.npz: names of members without .npy, such as \"bare\", get it\n";
    assert_eq!(code(path, &["convert", "c.npz", "d.npz"]), (0, expected.into()));
    assert_eq!(code(path, &["convert", "d.npz", "e.npz"]), (0, String::new()));

    let readme = archive(b"", &[Raw::of("x.npy", &one), Raw::of("README.txt", b"1,2\n")], b"");
    fs::write(path.join("r.npz"), readme).unwrap();
    let (exit, message) = code(path, &["convert", "r.npz", "s.npz"]);
    let expected = "npy: r.npz::README.txt: is not an array; cp r.npz copy.npz && npy npz rm copy.npz README.txt makes a copy without it\n";
    assert_eq!((exit, &*message), (2, expected));
    fs::copy(path.join("r.npz"), path.join("copy.npz")).unwrap();
    ok(path, &["npz", "rm", "copy.npz", "README.txt"]);
    ok(path, &["convert", "copy.npz", "s.npz"]);
    // A directory has no format.
    fs::create_dir(path.join("d")).unwrap();
    for args in [&["convert", "c.npz::x", "d/"][..], &["append", "d/", "c.npz::x"]] {
        let expected = "npy: d/: is a directory; name a file in it\n";
        assert_eq!(code(path, args), (2, expected.into()), "{args:?}");
    }
}
