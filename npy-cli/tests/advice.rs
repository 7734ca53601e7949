//! The commands that messages advise: each is run as it is printed, by a shell, and does what the message says.
#![cfg(unix)]

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use npy_core::{DynArray, Header, NpyArray, Order, WriteNpy, npz};

use crate::support::{names, npy};

fn save(path: &Path, dtype: &str, shape: &[usize]) {
    let header = Header::new(dtype.parse().unwrap(), shape, Order::C).unwrap();
    let bytes = vec![0; usize::try_from(header.data_bytes()).unwrap()];
    let array = DynArray::new(header.dtype().clone(), shape, Order::C, bytes).unwrap();
    npy_core::save(path, &array).unwrap();
}

/// Writes the files of the cases.
fn files(path: &Path) {
    let file = |name: &str| path.join(name);
    save(&file("a.npy"), "<f8", &[5]);
    save(&file("i.npy"), "<i8", &[5]);
    save(&file("f4.npy"), "<f4", &[4]);
    for (name, dtype, bytes) in [
        ("s.npy", "<M8[s]", 1i64.to_le_bytes().to_vec()),
        ("ms.npy", "<M8[ms]", 1500i64.to_le_bytes().to_vec()),
        ("ns.npy", "<M8[ns]", 1500i64.to_le_bytes().to_vec()),
        ("digits.npy", "|S4", b"2024".to_vec()),
        ("codes.npy", "[('n', 'u1'), ('code', 'S2')]", b"\x0112".to_vec()),
        ("u3.npy", "<U3", "abc".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()),
        ("u5.npy", "<U5", "abcde".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()),
    ] {
        let array = DynArray::new(dtype.parse().unwrap(), [1], Order::C, bytes).unwrap();
        npy_core::save(file(name), &array).unwrap();
    }
    save(&file("r.npy"), "[('a', '<i4'), ('b', '<f8')]", &[2]);
    save(&file("plane.npy"), "<f8", &[2, 2]);
    save(&file("records.npy"), "[('c', '<f4'), ('d', '<i2')]", &[2, 2]);
    save(&file("float first.npy"), "[('a', '<f8'), ('b', '<i4')]", &[2]);
    save(&file("r 3.npy"), "[('a', '<i4'), ('c', 'u1'), ('b', '<f8')]", &[2]);
    save(&file("r 4.npy"), "[('a', '<i8'), ('c', 'u1'), ('b', '<f8')]", &[2]);
    save(&file("r 2.npy"), "[('a', '<i8'), ('b', '<f4')]", &[2]);
    let nine: Vec<String> = (0..9).map(|at| format!("('f {at}', '<i8')")).collect();
    save(&file("nine.npy"), &format!("[{}]", nine.join(", ")), &[2]);
    save(&file("sub.npy"), "[('v', '<f8', (3, 2)), ('s', '<U3')]", &[2]);
    save(&file("subs.npy"), "[('v', '<f8', (3, 2)), ('w', '<i8')]", &[2]);
    let mut archive = npz::Writer::create(file("m.npz")).unwrap();
    for name in ["m_b", "x/other"] {
        archive.write(name, &[1u8, 2, 3]).unwrap();
    }
    archive.finish().unwrap();
    let bytes = fs::read(file("m.npz")).unwrap();
    fs::write(file("zip"), &bytes).unwrap();
    let mut archive = npz::Writer::create(file("dash.npz")).unwrap();
    archive.write("-x", &["a".to_owned()]).unwrap();
    archive.write("m", &[1u8]).unwrap();
    archive.finish().unwrap();
    let mut archive = npz::Writer::create(file("dot.npz")).unwrap();
    archive.write("./a", &[7u8]).unwrap();
    archive.finish().unwrap();
    let mut archive = npz::Writer::create(file("sum.npz")).unwrap();
    archive.write("-x", &[1u8, 2, 77]).unwrap();
    archive.finish().unwrap();
    let mut sum = fs::read(file("sum.npz")).unwrap();
    let at = sum.windows(3).position(|part| part == [1, 2, 77]).unwrap();
    sum[at + 2] = 9;
    fs::write(file("sum.npz"), sum).unwrap();
    fs::write(file("cut.npz"), &bytes[..bytes.len() - 30]).unwrap();
    let bytes = fs::read(file("a.npy")).unwrap();
    fs::write(file("short.npy"), &bytes[..bytes.len() - 3]).unwrap();
    fs::write(file("version.npy"), [&bytes[..6], b"\x05", &bytes[7..]].concat()).unwrap();
    fs::write(file("magic.npy"), [b"\x92", &bytes[1..]].concat()).unwrap();
    fs::write(
        file("lines.npy"),
        bytes
            .iter()
            .flat_map(|byte| if *byte == b'\n' { vec![b'\r', b'\n'] } else { vec![*byte] })
            .collect::<Vec<u8>>(),
    )
    .unwrap();
    fs::write(file("more.npy"), [&bytes[..], &[0; 8]].concat()).unwrap();
    let lost = |bytes: &[u8], key: &[u8]| {
        let at = bytes.windows(key.len()).position(|part| part == key).unwrap();
        [&bytes[..at], b"X", &bytes[at + 1..]].concat()
    };
    fs::write(file("lost 1.npy"), lost(&bytes, b"fortran")).unwrap();
    let at = bytes.windows(7).position(|part| part == b"fortran").unwrap();
    let replaced = |range: Range<usize>, new: &[u8]| {
        [&bytes[..range.start], new, &bytes[range.end..]].concat()
    };
    for (name, damaged) in [
        ("lost byte.npy", replaced(at..at + 1, b"")),
        ("more byte.npy", replaced(at..at, b"x")),
        ("lost brace.npy", replaced(10..11, b"(")),
        ("lost length.npy", replaced(9..10, b"")),
        ("lost version.npy", replaced(6..11, b"\x05\0v\0(")),
        ("more version.npy", replaced(8..8, b"\0")),
        ("lost dtype.npy", replaced(at - 8..at - 3, &[0; 5])),
        ("lost text.npy", replaced(10..128, &[0; 118])),
        ("lost all.npy", replaced(6..128, &[0; 122])),
    ] {
        fs::write(file(name), damaged).unwrap();
    }
    let fortran = NpyArray::with_order(vec![1i16, 2, 3, 4, 5, 6], [2, 3], Order::Fortran).unwrap();
    fortran.write_npy(file("f.npy")).unwrap();
    [1i16, 2, 3, 4, 5, 6].write_npy(file("flat.npy")).unwrap();
    let bytes = fs::read(file("f.npy")).unwrap();
    fs::write(file("f more.npy"), [&bytes[..], &[0; 4]].concat()).unwrap();
    let integers = fs::read(file("i.npy")).unwrap();
    fs::write(file("i more.npy"), [&integers[..], &[0; 8]].concat()).unwrap();
    let flat = fs::read(file("flat.npy")).unwrap();
    fs::write(file("flat more.npy"), [&flat[..], &[0; 3]].concat()).unwrap();
    fs::write(file("header.raw"), [&[1; 5][..], &[0; 40]].concat()).unwrap();
    let bytes_of_a = fs::read(file("a.npy")).unwrap();
    for first in [8, 20, 64] {
        fs::write(file(&format!("first {first}.npy")), &bytes_of_a[first..]).unwrap();
    }
    fs::write(file("f short.npy"), &bytes[..bytes.len() - 2]).unwrap();
    fs::write(file("lost f.npy"), lost(&bytes, b"fortran")).unwrap();
    fs::write(file("x.bin"), [0, 0, 128, 63, 0, 0]).unwrap();
    fs::write(file("eight.bin"), [0; 8]).unwrap();
    fs::write(file("text.bin"), "größe,b\n1,2\n").unwrap();
    for (name, text) in [
        ("row.csv", "1,2,abc\n3,4,def\n"),
        ("blanks.csv", "1.0 2.0\n3.0 4.0\n"),
        ("comments.csv", "# a\n# b\n"),
        ("one.csv", "t\n1+2j\n3+4j\n"),
        ("two.csv", "t 1,u\n0 days 00:00:01,x\n1 days 00:00:00,y\n"),
        ("big.csv", "t\n1e400\n1\n"),
        ("zeros.csv", "t\n007\n12\n"),
        ("codes.csv", "t,u\n007,1\nNA,2\n"),
        ("flags.csv", "t\nTrue\nNA\n"),
        ("holes.csv", "t,u\nTrue,1\n,2\n"),
        ("spans.csv", "t\n1 day\nNA\n"),
        ("times.csv", "t\n2024-01-01T00:00:00Z\nNA\n"),
        ("clock.csv", "t\n0 days 12:30:00\n"),
        ("euro.txt", "0,5\n1.234\n"),
        ("words.csv", "a\n1\nNA\n2\n"),
        ("gaps.jsonl", "true\nnull\n"),
        ("mixed.csv", "t,u\nTrue,x\n0,y\n"),
        ("pandas.csv", ",a\nx,1\ny,2\n"),
        ("levels.csv", ",,a\nx,1,1\ny,2,2\n"),
        ("zone.csv", "t,u\n2024-01-01T00:00:00Z,1\n"),
        ("wide.csv", "a,b,c,d,e,f,g,h,t 1\n1,2,3,4,5,6,7,8,007\n"),
        ("lists.csv", "x.0,x.1,n\n9007199254740993,0.5,b\n"),
        ("lines.json", "{\"a\":1}\n{\"a\":2}\n"),
        ("keys.jsonl", "{\"a\":{\"b\":1},\"c\":\"x\"}\n{\"a\":{\"b\":true},\"c\":\"y\"}\n"),
        ("rows.jsonl", "[true,\"x\"]\n[1,\"y\"]\n"),
        (
            "deep.jsonl",
            "{\"a\":[{\"t\":\"2024-01-01T00:00:00Z\",\"n\":1},{\"t\":\"x\",\"n\":2}],\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1}\n",
        ),
        (
            "log.jsonl",
            "{\"t\":\"2024-01-01T00:00:00Z\",\"h\":{\"ip\":\"x\",\"port\":1},\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":2}\n",
        ),
        ("nest.jsonl", "{\"t\":\"2024-01-01T00:00:00Z\",\"h\":{\"v\":1}}\n"),
        ("dash.json", "[{\"-n\":{\"y\":1,\"z\":2}}]"),
        ("path.json", "[{\"a\":{\"b\":{\"c\":1,\"d\":2}}}]"),
        ("pairs.json", "[{\"a\":{\"x\":[1,\"y\"],\"b\":[1,2]}}]"),
        ("parts.json", "[{\"a\":{\"b\":{\"re\":1,\"im\":2}}}]"),
        ("cut.jsonl", "{\"a\":1}\n\n{\"a\":2}\n{\"a\""),
    ] {
        fs::write(file(name), text).unwrap();
    }
}

/// Returns the part of a message after the bar in `start`, up to `end`.
fn advice<'m>(message: &'m str, start: &str, end: &str) -> Option<&'m str> {
    let (before, first) = start.split_once('|')?;
    let at = message.rfind(&start.replace('|', ""))? + before.len();
    let rest = &message[at..];
    let from = first.len();
    rest[from..].find(end).map(|length| &rest[..from + length])
}

/// Guards that each command can be copied: `{}` is the advice in the command that is run.
#[test]
fn each_command_that_a_message_advises_works() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    files(path);
    let program = Path::new(env!("CARGO_BIN_EXE_npy")).parent().unwrap();
    let search = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    for (args, start, end, command) in [
        (&["head", "short.npy"][..], "|npy repair", " keeps", "{}"),
        (&["version.npy"], "|npy repair", " restores", "{}"),
        (
            &["convert", "pandas.csv", "pandas.npy"],
            "npy convert| --unnamed",
            " writes",
            "npy convert pandas.npy again.csv{} && cmp again.csv pandas.csv && npy cat --csv pandas.npy{} | cmp - pandas.csv",
        ),
        (
            &["convert", "levels.csv", "levels.npy"],
            "npy convert| --unnamed",
            " writes",
            "npy convert levels.npy again.csv{} && cmp again.csv levels.csv",
        ),
        (&["magic.npy"], "|npy repair", " restores", "{}"),
        (
            &["convert", "r.npy", "o.npy", "--dtype", "f4"],
            "|-c a",
            " converts",
            "npy convert r.npy o.npy --dtype f4 {}",
        ),
        (
            &["convert", "r.npy", "o.npy", "--dtype", "f4"],
            "|--dtype",
            " all",
            "npy convert r.npy o.npy --cast checked {}",
        ),
        // The field that loses nothing, although it is not the first.
        (
            &["convert", "float first.npy", "o.npy", "--dtype", "i8"],
            "|-c b",
            " converts",
            "npy convert 'float first.npy' o.npy --dtype i8 {}",
        ),
        (
            &["convert", "nine.npy", "o.npy", "--dtype", "f4"],
            "|-c 'f 0'",
            " converts",
            "npy convert nine.npy o.npy --dtype f4 {} --cast checked",
        ),
        (
            &["convert", "sub.npy", "o.npy", "--dtype", "i4"],
            "|-c v",
            " converts",
            "npy convert sub.npy o.npy --dtype i4 --cast checked {} && npy info o.npy | grep -q '2, 3, 2'",
        ),
        (
            &["convert", "subs.npy", "o.npy", "--dtype", "f4"],
            "|--dtype",
            " all",
            "npy convert subs.npy o.npy --cast checked {} && npy info o.npy | grep -q '3, 2'",
        ),
        (
            &["convert", "digits.npy", "OUT.npy", "--dtype", "M8[s]"],
            "|npy cat",
            "\n",
            "echo '{}' | sed 's/ IN / digits.npy /; s/OUT/times.npy/; s/DTYPE/M8[s]/' | sh && npy info times.npy | grep -q 'M8.s'",
        ),
        (
            &["convert", "s.npy", "o.npy", "--dtype", "U"],
            "|npy cat",
            "\n",
            "echo '{}' | sed 's/ IN / s.npy /; s/OUT/text.npy/; s/DTYPE/U/' | sh && npy cat text.npy | grep -q '00:00:01'",
        ),
        (
            &["convert", "codes.npy", "o.npy", "--dtype", "i8", "-c", "code"],
            "|npy cat",
            "\n",
            "echo '{}' | sed 's/NAMES/code/; s/ IN / codes.npy /; s/OUT/code.npy/; s/DTYPE/i8/' | sh && npy info code.npy | grep -q '(1,)'",
        ),
        (
            &["append", "more.npy", "a.npy"],
            "|npy append more.npy --uncounted keep",
            " counts",
            "cp more.npy o.npy && {} && mv o.npy more.npy",
        ),
        (
            &["verify", "more.npy"],
            "|npy append more.npy --uncounted keep",
            " counts",
            "cp more.npy o.npy && {} && mv o.npy more.npy",
        ),
        (
            &["append", "a.npy", "eight.bin"],
            "|npy append",
            " appends",
            "cp a.npy o.npy && {} && mv o.npy a.npy",
        ),
        (&["head", "lines.npy"], "|npy repair", " restores", "{}"),
        (&["append", "lines.npy", "a.npy"], "|npy repair", " restores", "{}"),
        (&["cat", "cut.npz::m_b"], "|npy repair", " restores", "{}"),
        (&["repair", "x.bin"], "|npy repair", " gives", "{}"),
        (&["repair", "more.npy"], "|npy repair", " counts", "{}"),
        (
            &["repair", "lost 1.npy"],
            "|tail",
            "\n",
            "{} && test \"$(npy cat OUT)\" = \"$(npy cat a.npy)\"",
        ),
        (
            &["repair", "lost byte.npy"],
            "|tail",
            "\n",
            "{} && test \"$(npy cat OUT)\" = \"$(npy cat a.npy)\"",
        ),
        (
            &["repair", "more byte.npy"],
            "|tail",
            "\n",
            "{} && test \"$(npy cat OUT)\" = \"$(npy cat a.npy)\"",
        ),
        (
            &["repair", "lost brace.npy"],
            "|tail",
            "\n",
            "{} && test \"$(npy cat OUT)\" = \"$(npy cat a.npy)\"",
        ),
        (
            &["repair", "lost length.npy"],
            "|tail",
            "\n",
            "{} && test \"$(npy cat OUT)\" = \"$(npy cat a.npy)\"",
        ),
        (
            &["repair", "lost version.npy"],
            "|tail",
            "\n",
            "{} && test \"$(npy cat OUT)\" = \"$(npy cat a.npy)\"",
        ),
        (
            &["repair", "more version.npy"],
            "|tail",
            "\n",
            "{} && test \"$(npy cat OUT)\" = \"$(npy cat a.npy)\"",
        ),
        (
            &["repair", "lost dtype.npy"],
            "|tail",
            ", with its dtype",
            "echo \"{}\" | sed 's/DTYPE/f8/; s/, with.*//' | sh && test \"$(npy cat OUT)\" = \"$(npy cat a.npy)\"",
        ),
        (
            &["repair", "lost text.npy"],
            "|tail",
            ", with its dtype",
            "echo \"{}\" | sed 's/DTYPE/f8/; s/, with.*//' | sh && test \"$(npy cat OUT)\" = \"$(npy cat a.npy)\"",
        ),
        (
            &["repair", "lost all.npy"],
            "|tail",
            ", with its dtype",
            "echo \"{}\" | sed 's/DTYPE/f8/; s/, with.*//' | sh && test \"$(npy cat OUT)\" = \"$(npy cat a.npy)\"",
        ),
        // In C order, its shape would swap the elements.
        (
            &["repair", "lost f.npy"],
            "|tail",
            ", with one",
            "{} && test \"$(npy cat OUT)\" = \"$(npy cat flat.npy)\"",
        ),
        (&["append", "f.npy", "--uncounted", "keep"], "|npy concat", " writes", "{}"),
        (&["append", "f more.npy", "--uncounted", "keep"], "|npy repair", " counts", "{}"),
        (
            &["verify", "f more.npy"],
            "|npy repair",
            " counts",
            "{} && npy info OUT | grep -q '2, 4'",
        ),
        (
            &["append", "f more.npy", "x.bin", "--uncounted", "keep", "--raw", "<i2,3"],
            "|npy repair",
            " counts",
            "{} && npy info OUT | grep -q '2, 4'",
        ),
        (
            &["append", "f more.npy", "x.bin", "--uncounted", "keep", "--raw", "<i2,3"],
            "|npy concat",
            " writes",
            "{} && npy info OUT | grep -q '3, 3'",
        ),
        (
            &["append", "f more.npy", "x.bin", "--raw", "<i2,3"],
            "which makes each row longer; |npy concat",
            " writes all rows in C order without these",
            "{} && npy info OUT | grep -q '3, 3'",
        ),
        (
            &["append", "f short.npy", "x.bin", "--raw", "<i2,3"],
            "|npy repair",
            " keeps",
            "{} && npy info OUT | grep -q '2, 2'",
        ),
        (
            &["append", "f short.npy", "--uncounted", "keep"],
            "|npy repair",
            " keeps",
            "{} && npy info OUT | grep -q '2, 2'",
        ),
        (
            &["info", "lost 1.npy"],
            "|npy repair",
            " prints",
            "test \"$({} 2>&1 | grep -c tail)\" = 1",
        ),
        (
            &["head", "lost 1.npy"],
            "|npy repair",
            " prints",
            "test \"$({} 2>&1 | grep -c tail)\" = 1",
        ),
        (
            &["append", "flat more.npy", "x.bin", "--uncounted", "keep"],
            "|npy append",
            " appends",
            "{}",
        ),
        (&["append", "f.npy", "x.bin"], "|npy concat", " writes", "{}"),
        (
            &["convert", "header.raw", "OUT.npy", "--raw", "<i2,4"],
            "|tail",
            " makes",
            "echo '{}' | sed 's/N/6/' | sh && npy info OUT --raw '<i2,4' | grep -q '(5, 4)'",
        ),
        (
            &["repair", "header.raw", "--raw", "<i2,4"],
            "|tail",
            "\n",
            "{} && npy info OUT | grep -q '(5, 4)'",
        ),
        (
            &["repair", "first 8.npy"],
            "|tail",
            "\n",
            "{} && test \"$(npy cat OUT)\" = \"$(npy cat a.npy)\"",
        ),
        (
            &["repair", "first 20.npy"],
            "|tail",
            ", with its dtype",
            "echo \"{}\" | sed 's/DTYPE/f8/; s/, with.*//' | sh && test \"$(npy cat OUT)\" = \"$(npy cat a.npy)\"",
        ),
        (&["head", "first 64.npy"], "|npy repair", " prints", "{} 2>&1 | grep -q 'tail -c +65'"),
        (&["head", "text.bin"], "|npy convert", " reads", "{}"),
        (&["info", "text.bin", "--raw", "u1"], "|npy convert", " reads", "rm OUT.npy; {}"),
        (&["head", "text.bin", "--raw", "u1"], "|npy convert", " reads", "rm OUT.npy; {}"),
        (
            &["repair", "text.bin", "--raw", "u1"],
            "|npy convert",
            " reads",
            "rm OUT.npy; {} && rm OUT.npy",
        ),
        (&["head", "x.bin"], "|npy head", " prints", "{}"),
        (&["stats", "x.bin"], "|npy head", " prints", "{}"),
        (&["npz", "pack", "q.npy", "a.npy", "n=i.npy"], "|npy npz pack", " names", "{}"),
        (
            &["npz", "pack", "z.npy", "-z", "--raw", "u1,2x3", "--no-clobber", "x.bin", "i.npy"],
            "|npy npz pack",
            " names",
            "echo \"{}\" | grep -q -e ' -z --raw .* --no-clobber ' && {} && npy info z.npz::x --json | grep -q '\"shape\": *\\[1, *2, *3\\]' ",
        ),
        (
            &["npz", "extract", "m.npz", "m_a", "-C", "d"],
            "did you mean |",
            "?",
            "npy npz extract m.npz {} -C d",
        ),
        (
            &["npz", "mv", "m.npz", "m_a", "z"],
            "did you mean |",
            "?",
            "npy npz mv m.npz {} m_b2 && npy npz mv m.npz m_b2 m_b",
        ),
        (
            &["npz", "rm", "m.npz", "m_a"],
            "did you mean |",
            "?",
            "cp m.npz c.npz && npy npz rm c.npz {}",
        ),
        // The values of a field that the first lacks would be lost.
        (
            &["append", "r.npy", "r 3.npy"],
            "it has the field \"c\", which the file lacks; |npy convert",
            " leaves",
            "{} && cp r.npy c.npy && npy append c.npy 'r 3-converted.npy' && rm c.npy 'r 3-converted.npy'",
        ),
        (
            &["append", "r.npy", "r 4.npy"],
            "it has the field \"c\", which the file lacks; |npy convert",
            " leaves",
            "{} && npy info 'r 4-converted.npy' --json | grep -q \"'a', '<i8'\" && rm 'r 4-converted.npy'",
        ),
        // Rows that the header does not count would be lost by advice about dtypes.
        (
            &["append", "i more.npy", "a.npy"],
            "|npy append 'i more.npy'",
            " counts",
            "cp 'i more.npy' o.npy && {} && npy info 'i more.npy' | grep -q '(6,)' && mv o.npy 'i more.npy'",
        ),
        (
            &["append", "more.npy", "f4.npy"],
            "|npy append more.npy",
            " counts",
            "cp more.npy o.npy && {} && npy info more.npy | grep -q '(6,)' && mv o.npy more.npy",
        ),
        (
            &["append", "i more.npy", "a.npy", "--uncounted", "keep"],
            "; |npy append 'i more.npy'",
            " joins",
            "{} && npy info 'i more-converted.npy' | grep -q '(11,)' && rm *-converted.npy",
        ),
        (
            &["concat", "r.npy", "r 3.npy", "-o", "OUT.npy"],
            "it has the field \"c\", which the first input lacks; |npy convert",
            " leaves",
            "{} && npy concat r.npy 'r 3-converted.npy' -o OUT.npy && rm OUT.npy 'r 3-converted.npy'",
        ),
        (
            &["append", "r.npy", "r 2.npy"],
            "; |npy convert r.npy",
            " joins",
            "{} && npy info r-converted.npy | grep -q '(4,)'",
        ),
        (
            &["append", "a.npy", "r.npy"],
            "|npy convert",
            " makes",
            "{} && npy append a.npy r-converted.npy",
        ),
        (
            &["concat", "i.npy", "a.npy", "-o", "o.npy"],
            "; |npy convert i.npy",
            " joins them; this rounds integers beyond 2**53, which convert --cast lossless refuses",
            "{} && npy info o.npy | grep -q 'dtype *<f8'",
        ),
        (
            &["concat", "f4.npy", "i.npy", "a.npy", "--axis", "-1", "--no-clobber", "-o", "o.npy"],
            "; |npy convert f4.npy",
            " joins them; this rounds",
            "{} && npy info o.npy | grep -q '(16,)' && ! ( {} )",
        ),
        (
            &["concat", "f4.npy", "a.npy", "a.npy", "--target-size", "64", "-o", "parts"],
            "; |npy convert f4.npy",
            " joins them\n",
            "{} && npy info parts/part-00000.npy | grep -q 'dtype *<f8' && rm -r parts",
        ),
        (
            &["append", "f4.npy", "eight.bin", "--raw", "f8"],
            "; |npy convert f4.npy",
            " joins them\n",
            "{} && npy stats f4-converted.npy",
        ),
        (
            &["append", "a.npy", "x.bin", "x.bin", "--raw", "<i2", "--uncounted", "keep"],
            "; |npy convert x.bin",
            " joins them\n",
            "cp a.npy o.npy && {} && npy info a.npy | grep -q '(13,)' && mv o.npy a.npy",
        ),
        (
            &["append", "f4.npy", "i.npy", "i.npy", "i.npy", "i.npy", "i.npy"],
            "; |npy convert f4.npy",
            " makes one that fits, and 5 more need the same; this rounds",
            "{}",
        ),
        // Such texts and times may fit.
        (
            &["concat", "u3.npy", "u5.npy", "-o", "o.npy"],
            "; |npy convert u3.npy",
            " joins them\n",
            "{} && npy cat o.npy | grep -q abcde",
        ),
        (
            &["concat", "s.npy", "ms.npy", "s.npy", "-o", "o.npy"],
            "; |npy convert s.npy",
            " joins them\n",
            "{} && npy cat o.npy | grep -q 01.500",
        ),
        // The values are not read.
        (
            &["concat", "s.npy", "ns.npy", "-o", "o.npy"],
            "; |npy convert s.npy",
            " joins them, if '<M8[ns]' holds all times: it has times from 1677-09-21T00:12:43.145224193 to 2262-04-11T23:47:16.854775807\n",
            "{} && npy cat o.npy | grep -q 01.000000000",
        ),
        // The columns of records in two dimensions are fields at each index.
        (
            &["append", "plane.npy", "records.npy"],
            "; in Python, |np.save",
            " makes one of the field \"c\"\n",
            "echo \"{}\" | grep -qF \"np.save('OUT.npy', np.load('records.npy')['c'].astype('<f8'))\"",
        ),
        (
            &["concat", "plane.npy", "records.npy", "-o", "o.npy"],
            "; in Python, |np.save",
            " makes one of the field \"c\"\n",
            "echo \"{}\" | grep -qF \"np.save('OUT.npy', np.load('records.npy')['c'].astype('<f8'))\"",
        ),
        (
            &["concat", "a.npy", "-o", "o.csv"],
            "|npy concat a",
            " writes it",
            "{} && test \"$(npy cat o.csv)\" = \"$(npy cat a.npy)\" && rm o.npy o.csv",
        ),
        (
            &["concat", "a.npy", "a.npy", "-o", "m.npz"],
            "|npy concat a",
            " writes it",
            "cp m.npz kept.npz && {} && npy npz list m.npz | grep -qx m && npy m.npz::m_b && mv kept.npz m.npz && rm m.npy",
        ),
        (
            &["concat", "i.npy", "a.npy", "-o", "joined.npz"],
            "; |npy convert i.npy",
            " joins them",
            "{} && npy info joined.npz::joined | grep -q '<f8' && rm joined.np*",
        ),
        (
            &["concat", "m.npz", "i.npy", "-o", "joined.npz"],
            "as in |m.npz::",
            "\n",
            "npy concat {} -o o.npy",
        ),
        (
            &["concat", "r.npy", "--axis", "-1", "-o", "new.npz::x/y"],
            "|npy concat --axis",
            " writes it",
            "{} && test \"$(npy cat new.npz::x/y)\" = \"$(npy cat r.npy)\" && rm new.npz",
        ),
        (
            &["npz", "pack", "new.npz::k", "z=a.npy"],
            "|npy convert",
            " writes",
            "{} && npy new.npz::k",
        ),
        (
            &["npz", "pack", "new.npz::k", "z=a.npy", "i.npy"],
            "|npy npz pack",
            " names",
            "{} && npy new.npz::z && npy new.npz::k && rm new.npz",
        ),
        (
            &["npz", "pack", "-z", "--no-clobber", "--raw", "<i2,3", "new.npz::k", "x.bin"],
            "|npy convert",
            " writes",
            "{} && npy info new.npz::k --json | grep -q '\"shape\": *\\[1, *3\\]' && test \"$(head -c 9 new.npz | tail -c 1)\" = \"$(printf '\\10')\" && ! {} && rm new.npz",
        ),
        (
            &["npz", "pack", "-z", "--no-clobber", "--raw", "<i2,3", "m.npz::k", "x.bin", "a.npy"],
            "|npy npz pack",
            " names",
            "cp m.npz kept.npz && {} && npy info m.npz::x --json | grep -q '\"shape\": *\\[1, *3\\]' && npy m.npz::m_b && mv kept.npz m.npz",
        ),
        (
            &["npz", "pack", "--force", "m.npz::k", "i.npy", "a.npy"],
            "|npy npz pack",
            " names",
            "cp m.npz kept.npz && {} && ! npy m.npz::m_b && mv kept.npz m.npz",
        ),
        (
            &["npz", "pack", "-z", "--no-clobber", "m.npz::m_b", "i.npy"],
            "|npy npz pack",
            " adds",
            "cp m.npz kept.npz && {} && test \"$(npy cat m.npz::m_b_2)\" = \"$(npy cat i.npy)\" && npy cat m.npz::m_b | grep -qx 3 && mv kept.npz m.npz",
        ),
        (
            &["npz", "pack", "--append", "m.npz::k", "i.npy", "m_b=a.npy"],
            "|npy npz pack",
            " names",
            "cp m.npz kept.npz && {} && npy m.npz::i && npy m.npz::m_b_2 && mv kept.npz m.npz",
        ),
        (
            &["npz", "pack", "m.npz::m_b", "i.npy"],
            "|npy convert",
            " replaces",
            "cp m.npz kept.npz && {} && test \"$(npy cat m.npz::m_b)\" = \"$(npy cat i.npy)\" && mv kept.npz m.npz",
        ),
        (
            &["npz", "pack", "m.npz::m_b[0]", "i.npy"],
            "|npy convert",
            " replaces",
            "cp m.npz kept.npz && {} && test \"$(npy cat m.npz::m_b)\" = \"$(npy cat i.npy)\" && mv kept.npz m.npz",
        ),
        (
            &["npz", "pack", "new.npz::k", "i.npy", "a.npy", "--append"],
            "|npy npz pack",
            " names",
            "{} && npy new.npz::i && npy new.npz::a && rm new.npz",
        ),
        (
            &["npz", "pack", "zip::k", "x.bin", "--raw", "<i2,3"],
            "|npy convert",
            " writes",
            "{} && npy zip::k",
        ),
        (
            &["concat", "a.npy", "a.npy", "-o", "zip::c"],
            "|npy concat a",
            " writes it",
            "{} && npy zip::c",
        ),
        (
            &["npz", "extract", "m.npz", "-C", "m.npz::x"],
            "|npy convert",
            " then",
            "cp a.npy FILE.npy && echo \"{}\" | sed 's/FILE/FILE.npy/; s/m.npz/new.npz/' | sh && npy new.npz::x && rm new.npz",
        ),
        (
            &["npz", "rm", "dash.npz", "x"],
            "did you mean |",
            "?",
            "cp dash.npz c.npz && npy npz rm c.npz {} && rm c.npz",
        ),
        (
            &["convert", "dash.npz", "o.safetensors"],
            "members: |cp",
            "\n",
            "{} && npy npz list dash.tensors.npz | grep -qx m",
        ),
        (
            &["npz", "pack", "--append", "dash.npz", "--", "-x=a.npy"],
            "and |--",
            " as",
            "npy npz pack --append dash.npz {}",
        ),
        (&["append", "cut.npz", "a.npy"], "|npy repair", " restores", "{} && npy OUT::m_b"),
        (&["head", "sum.npz"], "changed; |unzip", " reads", "{}; npy cat OUT.npy | grep -qx 9"),
        (
            &["convert", "dash.json", "o.npy", "-c=-n", "--dtype", "f4"],
            "no fields; |-c",
            " chooses",
            "npy convert dash.json o.npy --dtype f4 {} && npy cat o.npy | grep -qx 1.0",
        ),
        (
            &["convert", "path.json", "o.npy", "-c", "a.b", "--dtype", "c16"],
            "no fields; |-c",
            " chooses",
            "npy convert path.json o.npy --dtype c16 {} && npy info o.npy | grep -q c16",
        ),
        (
            &["convert", "pairs.json", "o.npy", "-c", "a", "--dtype", "c16"],
            "no fields; |-c",
            " chooses",
            "npy convert pairs.json o.npy --dtype c16 {} && npy cat o.npy | grep -qx 1.0,2.0",
        ),
        (
            &["convert", "parts.json", "o.npy", "-c", "a", "--dtype", "c16"],
            "no fields; |-c",
            " chooses",
            "npy convert parts.json o.npy --dtype c16 {} && npy cat o.npy | grep -qx 1.0,2.0",
        ),
        (&["npz", "extract", "dot.npz"], "with |", "\n", "{} && npy cat OUT.npy | grep -qx 7"),
        (
            &["convert", "a.npy", "a.npy.gz"],
            "and |gzip",
            " compresses",
            "npy convert a.npy OUT.npy && {} && test \"$(gzip -dc a.npy.gz | npy cat -)\" = \"$(npy cat a.npy)\"",
        ),
        (
            &["npz", "rm", "m.npz::m_b", "m_b"],
            "member: |",
            "\n",
            "cp m.npz c.npz && npy npz rm {} m_b && mv c.npz m.npz",
        ),
        (
            &["npz", "rm", "new.npz", "m_b"],
            "|npy npz pack",
            " makes",
            "{} new.npz a.npy && rm new.npz",
        ),
        (&["npz", "pack", "--append", "m.npz", "m_b=a.npy"], "|npy convert", " replaces", "{}"),
        (
            &["npz", "pack", "--append", "m.npz", "m_b=a.npy"],
            "and |",
            " as",
            "npy npz pack --append m.npz {}",
        ),
        (&["head", "m.npz::m_a"], "did you mean |", "?", "npy head {}"),
        (&["m.npz:m_a"], "two colons: |", "\n", "npy {}"),
        (&["cat", "m.npz"], "as in |", "\n", "npy cat {}"),
        (&["shape", "a.npy"], "did you mean |", "?", "npy {} a.npy"),
        (
            &["convert", "r.npy", "o.npy", "-c", "B"],
            "did you mean |",
            "?",
            "npy convert r.npy o.npy -c {}",
        ),
        (&["check", "a.npy"], "did you mean |", "?", "npy {} a.npy"),
        (&["convert", "row.csv", "o.npy"], "|npy convert", " reads", "{} row.csv o.npy"),
        (&["convert", "blanks.csv", "o.npy"], "|npy convert", " reads", "{} blanks.csv o.npy"),
        (&["convert", "comments.csv", "o.npy"], "|npy convert", " reads", "{} comments.csv o.npy"),
        (&["convert", "one.csv", "o.npy"], "|--dtype", " reads", "npy convert one.csv OUT.npy {}"),
        (&["convert", "two.csv", "o.npy"], "|--dtype", " reads", "npy convert two.csv OUT.npy {}"),
        (&["convert", "big.csv", "o.npy"], "|--dtype", " makes", "npy convert big.csv OUT.npy {}"),
        (
            &["convert", "zeros.csv", "o.npy"],
            "|--dtype",
            " reads",
            "npy convert zeros.csv OUT.npy {}",
        ),
        (
            &["convert", "codes.csv", "o.npy", "--missing", "NA"],
            "|--dtype",
            " reads",
            "npy convert codes.csv OUT.npy --missing NA {} && test \"$(npy cat OUT.npy --no-header | tr '\\n' ' ')\" = '7.0,1 ,2 '",
        ),
        (
            &["convert", "flags.csv", "o.npy", "--missing", "NA"],
            "row 1 is missing, and the others are True or False; |--dtype",
            " reads",
            "npy convert flags.csv OUT.npy --missing NA {} && npy cat OUT.npy | grep -qx 1.0",
        ),
        (
            &["convert", "holes.csv", "o.npy", "--missing", "NA"],
            "row 1 is missing, and the others are True or False; |--dtype",
            " reads",
            "npy convert holes.csv OUT.npy --missing NA {} && npy cat OUT.npy | grep -qx 1.0,1",
        ),
        (
            &["convert", "times.csv", "o.npy", "--missing", "NA"],
            "|--dtype",
            " converts",
            "npy convert times.csv OUT.npy --missing NA {} && npy info OUT.npy | grep -q 'M8'",
        ),
        (
            &["convert", "spans.csv", "o.npy", "--missing", "NA"],
            "|--dtype",
            " reads",
            "npy convert spans.csv OUT.npy --missing NA {} && npy info OUT.npy | grep -q 'm8'",
        ),
        (
            &["convert", "clock.csv", "o.npy"],
            "|--dtype",
            " reads",
            "npy convert clock.csv OUT.npy {}",
        ),
        (
            &["convert", "mixed.csv", "o.npy"],
            "|--dtype",
            " reads",
            "npy convert mixed.csv OUT.npy {}",
        ),
        (
            &["convert", "zone.csv", "o.npy"],
            "|--dtype",
            " converts",
            "npy convert zone.csv OUT.npy {}",
        ),
        // The other columns are kept, except by the option that says otherwise.
        (
            &["convert", "wide.csv", "o.npy"],
            "for this column alone, |--dtype",
            " reads",
            "npy convert wide.csv OUT.npy {} && test \"$(npy cat OUT.npy --csv --no-header)\" = 7",
        ),
        (
            &["convert", "lists.csv", "o.npy"],
            "|--dtype",
            " rounds",
            "npy convert lists.csv OUT.npy {} && test \"$(npy cat OUT.npy --jsonl)\" = '{\"x\":[9007199254740992.0,0.5],\"n\":\"b\"}'",
        ),
        (
            &["convert", "keys.jsonl", "o.npy"],
            "|--dtype",
            " reads",
            "npy convert keys.jsonl OUT.npy {} && test \"$(npy cat OUT.npy --jsonl | head -1)\" = '{\"a\":{\"b\":true},\"c\":\"x\"}'",
        ),
        (
            &["convert", "rows.jsonl", "o.npy"],
            "|--dtype",
            " reads",
            "npy convert rows.jsonl OUT.npy {} && test \"$(npy cat OUT.npy --csv --no-header | head -1)\" = True,x",
        ),
        (
            &["convert", "deep.jsonl", "o.npy"],
            "for this column alone, |--dtype",
            " converts",
            "npy convert deep.jsonl OUT.npy {} && test \"$(npy cat OUT.npy --jsonl)\" = '{\"a\":{\"0\":{\"t\":\"2024-01-01T00:00:00\"}}}'",
        ),
        (&["convert", "lines.json", "o.npy"], "|npy convert", " reads", "{} lines.json o.npy"),
        (
            &["convert", "euro.txt", "o.npy", "--from", "csv", "--delimiter", ";", "--no-header"],
            "|--decimal",
            " reads",
            "npy convert euro.txt OUT.npy --from csv --delimiter ';' --no-header {} && test \"$(npy cat OUT.npy --csv --no-header | tr '\\n' ' ')\" = '0.5 1234.0 '",
        ),
        (
            &["convert", "words.csv", "o.npy"],
            "|--missing",
            " reads",
            "npy convert words.csv OUT.npy {} && npy info OUT.npy | grep -q '<f8'",
        ),
        (
            &["convert", "gaps.jsonl", "o.npy"],
            "|--dtype",
            " reads",
            "npy convert gaps.jsonl OUT.npy {} && npy info OUT.npy | grep -q '<f8'",
        ),
        (
            &["convert", "nest.jsonl", "o.npy", "-c", "h", "--dtype", "f4"],
            "no fields; |-c",
            " chooses one\n",
            "npy convert nest.jsonl o.npy --dtype f4 {} && test \"$(npy cat o.npy --jsonl)\" = 1.0",
        ),
        (
            &["convert", "log.jsonl", "o.npy"],
            "for this column alone, |--dtype",
            " converts",
            "npy convert log.jsonl OUT.npy {} && test \"$(npy cat OUT.npy --csv --no-header)\" = '2024-01-01 00:00:00'",
        ),
        (
            &["convert", "log.jsonl", "o.npy", "--dtype", "f8"],
            "records, and |-c ",
            " chooses",
            "npy convert log.jsonl o.npy --dtype f8 {} && test \"$(npy cat o.npy --csv --no-header)\" = 1.0",
        ),
        (
            &["convert", "nest.jsonl", "o.npy", "--dtype", "f8"],
            "as records: |--dtype",
            "\n",
            "npy convert nest.jsonl o.npy {} && test \"$(npy cat o.npy --jsonl)\" = '{\"t\":\"2024-01-01T00:00:00Z\",\"h\":{\"v\":1.0}}'",
        ),
        (
            &["convert", "cut.jsonl", "o.npy"],
            "|head -n",
            " reads",
            "{} && test \"$(npy cat OUT.npy --csv --no-header | tr '\\n' ' ')\" = '1 2 '",
        ),
    ] {
        let output = npy(path, args);
        let message = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let advice = advice(&message, start, end).unwrap_or_else(|| panic!("{args:?}: {message}"));
        let command = command.replace("{}", advice);
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).env("PATH", &search).current_dir(path);
        let done = shell.output().unwrap();
        assert!(done.status.success(), "{message}{command}: {done:?}");
        for name in ["OUT", "OUT.npy", "o.npy", "rest.bin"] {
            let _ = fs::remove_file(path.join(name));
        }
        for name in names(path).iter().filter(|name| name.contains("-converted")) {
            fs::remove_file(path.join(name)).unwrap();
        }
    }
}
