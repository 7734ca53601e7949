//! Small files that would become large, deep or slow.

use super::*;
use npy_tests::{is_thorough, rounds};

/// The opcodes of `levels` objects, each of which has the one before `n` times.
fn laughs(first: &[u8], open: &[u8], use_once: &[u8], close: &[u8], levels: usize) -> Vec<u8> {
    let mut opcodes = [first, b"q\x000"].concat();
    for _ in 0..levels {
        opcodes.extend([open, &repeat(use_once, 10), close, b"q\0"].concat());
        opcodes.push(b'0');
    }
    opcodes.extend(b"h\0");
    opcodes
}

#[test]
fn a_billion_laughs_is_printed_in_part() {
    for (what, first, open, use_once, close) in [
        ("lists", &b"]"[..], &b"]("[..], &b"h\0"[..], &b"e"[..]),
        ("tuples", b"]", b"(", b"h\0", b"t"),
        ("dictionaries", b"]", b"}(", b"Nh\0", b"u"),
        ("keys", b")", b"}(", b"h\0N", b"u"),
        ("sets", b"]", b"\x8f(", b"h\0", b"\x90"),
        ("frozen sets", b"]", b"(", b"h\0", b"\x91"),
        ("calls", b"]", b"cos\nsystem\n(", b"h\0", b"tR"),
        ("states", b"]", b"cos\nsystem\n)R(", b"h\0", b"tb"),
        ("deques", b"]", b"ccollections\ndeque\n)R(", b"h\0", b"e"),
    ] {
        survives(what, &one(&laughs(first, open, use_once, close, 200)));
    }
}

/// A list that has one object of this text many times.
fn shared(object: &[u8], n: usize) -> Vec<u8> {
    one(&[object, b"q\x07", b"0](", &repeat(b"h\x07", n), b"e"].concat())
}

fn text(opcode: u8, bytes: &[u8]) -> Vec<u8> {
    [&[opcode][..], &u32::try_from(bytes.len()).unwrap().to_le_bytes(), bytes].concat()
}

#[test]
fn a_long_object_that_is_used_often_is_printed_in_part() {
    let long = vec![b'1'; 200_000];
    let zeros = vec![0; 200_000];
    let call = |name: &str, arguments: &[u8]| [name.as_bytes(), arguments].concat();
    let f8 = b"cnumpy\ndtype\nX\x02\0\0\0f8K\0K\x01\x87R(K\x03X\x01\0\0\0<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb";
    for (what, object) in [
        ("text", text(b'X', &long)),
        ("bytes", text(b'B', &long)),
        ("text of Python 2", text(b'T', &long)),
        ("text of protocol 0", [b"V", &long[..], b"\n"].concat()),
        ("a large integer", text(0x8b, &long)),
        ("an integer of 1785 bytes", text(0x8b, &long[..1785])),
        ("an integer in decimal", [b"L", &long[..], b"L\n"].concat()),
        ("bytes of Python 3 in protocol 2", {
            let arguments = [text(b'X', &long), b"X\x06\0\0\0latin1\x86R".to_vec()].concat();
            call("c_codecs\nencode\n", &arguments)
        }),
        ("a decimal number", {
            call("cdecimal\nDecimal\n", &[text(b'X', &long), b"\x85R".to_vec()].concat())
        }),
        ("an array", array(b"M\xa8\x61\x85", f8, &text(b'B', &zeros))),
        ("an array of another length", array(b"K\x01\x85", f8, &text(b'B', &zeros))),
        ("a call", call("cos\nsystem\n", &[text(b'X', &long), b"\x85R".to_vec()].concat())),
    ] {
        survives(what, &shared(&object, rounds(100_000)));
    }
}

#[test]
fn long_names_that_are_used_often_are_listed_once() {
    let name = vec![b'a'; 4000];
    let strings: Vec<u8> = (0..60u8)
        .flat_map(|i| {
            [
                text(b'X', &[&name[..], &[b'a' + i % 26, b'a' + i / 26]].concat()),
                vec![b'q', i, b'0'],
            ]
            .concat()
        })
        .collect();
    let pairs: Vec<u8> = (0..60_000u32)
        .flat_map(|i| [b'h', (i % 60) as u8, b'h', (i / 60 % 60) as u8, 0x93])
        .collect();
    let file = one(&[&strings[..], b"](", &pairs, b"e"].concat());
    assert_eq!(survives("names", &file).globals().count(), 3 + 3600);
    let too_long = text(b'X', &vec![b'a'; 5000]);
    let message = refused(&one(&[&too_long[..], b"2\x93"].concat()));
    assert!(message.contains("too long"), "{message}");
}

#[test]
fn any_depth_is_read_printed_and_dropped() {
    const LEVELS: usize = 100_000;
    let mut lists = repeat(b"(", LEVELS);
    lists.extend(repeat(b"l", LEVELS));
    survives("lists", &one(&lists));
    survives("tuples", &one(&[b"N", &repeat(b"\x85", LEVELS)[..]].concat()));
    survives("calls", &one(&[b"cos\nsystem\n", &repeat(b")R", LEVELS)[..]].concat()));
    survives(
        "arguments",
        &one(&[b"Nq\0", &repeat(b"\x85cos\nsystem\nq\x01", 1)[..], b"0"].concat()),
    );
    let nested = |first: &[u8], open: &[u8], close: &[u8]| {
        one(&[&repeat(open, LEVELS / 20), first, &repeat(close, LEVELS / 20)].concat())
    };
    survives("calls within calls", &nested(b"N", b"cos\nsystem\n", b"\x85R"));
    let encode = nested(b"X\0\0\0\0", b"c_codecs\nencode\n", b"X\x06\0\0\0latin1\x86R");
    survives("bytes within bytes", &encode);
    survives("sets within sets", &nested(b"]", b"cbuiltins\nset\n", b"\x85R"));
    survives("zones within zones", &nested(b"N", b"cdatetime\ntimezone\n", b"\x85R"));
    let time = b"cdatetime\ndatetime\nC\x0a\x07\xd1\x02\x03\x04\x05\x06\0\0\x07";
    survives("times within times", &nested(b"N", time, b"\x86R"));
    let state = b"K\x03X\x01\0\0\0|";
    let sub_array = [b"cnumpy\ndtype\nX\x02\0\0\0V8\x85R(", &state[..]].concat();
    let dtype = nested(
        b"cnumpy\ndtype\nX\x02\0\0\0f8\x85R",
        &sub_array,
        b"K\x01\x85\x86NNJ\xff\xff\xff\xffK\x01K\0tb",
    );
    survives("dtypes within dtypes", &dtype);
}

#[test]
fn lengths_that_are_not_there_cost_nothing() {
    for claim in [
        &b"\x8d\xff\xff\xff\xff\xff\xff\xff\x7f"[..],
        b"\x8d\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x8e\0\0\0\0\0\0\0\x80",
        b"\x96\0\0\0\0\xff\0\0\0",
        b"\x8b\xff\xff\xff\xff",
        b"X\xff\xff\xff\xff",
        b"B\xff\xff\xff\x7f",
        b"T\xff\xff\xff\xff",
    ] {
        let message = refused(&one(claim));
        assert!(message.contains("truncated") || message.contains("limit"), "{message}");
    }
    for length in [0u64, 1 << 40, u64::MAX] {
        let frame = [&[0x95][..], &length.to_le_bytes()].concat();
        let file = after(&frame, b"N");
        if length == 0 {
            assert_eq!(objects(&file).root().to_string(), "None");
        } else {
            assert!(refused(&file).contains("frame"));
        }
    }
}

#[test]
fn memo_numbers_may_be_any() {
    let far = b"Nr\xff\xff\xff\x7fK\x07r\0\0\0\x80p4294967295\n";
    let file = one(&[b"](", &far[..], b"j\xff\xff\xff\x7fj\0\0\0\x80g4294967295\ne"].concat());
    assert_eq!(objects(&file).root().to_string(), "[None, 7, None, 7, 7]");
    for get in [&b"h\x07"[..], b"j\0\0\0\x80", b"g7\n", b"g-1\n", b"gx\n", b"p4294967296\n"] {
        refused(&one(&[b"N", get].concat()));
    }
}

#[test]
fn the_number_of_an_unnumbered_entry_is_that_of_entries_so_far() {
    // As in Python: entries 5, 1 and 2 exist, so the next has the number 3.
    let file = one(b"](Nr\x05\0\0\0K\x01\x94K\x02\x94K\x03\x94h\x01h\x02h\x03h\x05e");
    assert_eq!(objects(&file).root().to_string(), "[None, 1, 2, 3, 1, 2, 3, None]");
    let file = one(b"](K\x00r\x02\0\0\0K\x01\x94K\x02\x94h\x01h\x02e");
    assert_eq!(objects(&file).root().to_string(), "[0, 1, 2, 1, 2]");
}

/// Guards the search for a key: each of the other keys is a long text, or the same dictionary is searched for each row.
#[test]
fn a_search_in_a_large_dictionary_ends_soon() {
    #[derive(npy_core::NpyRecord, Clone, Copy)]
    struct Row {
        k: i64,
    }
    let long = [b"V", &vec![b'a'; 1 << 20][..], b"\nq\x050"].concat();
    let entries = [b"}(", &repeat(b"h\x05N", 200_000)[..], b"u"].concat();
    survives("keys", &after(&long, &entries));

    let n: usize = 100_000;
    let entries = [&b"}q\x05("[..], &repeat(b"K\x01N", n), b"X\x01\0\0\0kK\x01u0"].concat();
    let shape = [&b"J"[..], &i32::try_from(n).unwrap().to_le_bytes(), b"\x85"].concat();
    let rows = [b"](", &repeat(b"h\x05", n)[..], b"e"].concat();
    let pickle = [b"\x80\x05", &entries[..], &super::array(&shape, OBJECT, &rows), b"."].concat();
    let file = [header("'|O'", &format!("({n},)")), pickle].concat();
    let mut limits = npy_core::Limits::default();
    limits.object_expansion = 1;
    let mut options = npy_core::ReadOptions::new();
    options.limits(limits);
    let error = soon("rows", || options.read_from::<Vec<Row>>(&file[..])).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}");
}

/// Guards the memory that `Limits::object_expansion` states, for values that take few bytes in the pickle. It counted 16 bytes for each.
#[test]
fn values_of_serde_take_no_more_memory_than_the_limit_states() {
    use serde_json::Value;

    let u1 = b"cnumpy\ndtype\n\x8c\x02u1K\0K\x01\x87R(K\x03\x8c\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb";
    let keys: Vec<u8> =
        (0..20u8).flat_map(|i| [b"X\x02\0\0\0k", &[b'a' + i][..], b"K\x01"].concat()).collect();
    let kinds = [
        ("integers", b"K\x01".to_vec()),
        ("None", b"N".to_vec()),
        ("text", text(b'X', &[b'a'; 100])),
        ("empty lists", b"]".to_vec()),
        ("lists", b"]K\x01a".to_vec()),
        ("lists in lists", b"]]]K\x01aaa".to_vec()),
        ("empty dictionaries", b"}".to_vec()),
        ("dictionaries", b"}X\x01\0\0\0aK\x01s".to_vec()),
        ("larger dictionaries", [b"}(", &keys[..], b"u"].concat()),
        ("arrays", array(b"K\x64\x85", u1, &text(b'B', &[7; 100]))),
        ("ranges", b"c__builtin__\nrange\n(K\0K\x64K\x01tR".to_vec()),
    ];
    let limit = usize::try_from(npy_core::Limits::default().object_expansion).unwrap();
    let counts: &[usize] =
        if is_thorough() { &[1_000, 8_000, 30_000, 120_000, 400_000] } else { &[1_000, 30_000] };
    for (what, object) in kinds {
        let mut read_one = false;
        for &n in counts {
            let file = shared(&object, n);
            let mut reader = npy_core::Reader::new(&file[..]).unwrap();
            let (read, cost) = peak(|| reader.read_as::<Value>());
            // In addition to the values, there is the graph.
            let allowed = (16 << 20).max(limit * file.len()) + 40 * file.len() + CONSTANT;
            assert!(cost <= allowed, "{n} {what}: {} bytes took {cost}", file.len());
            read_one |= read.is_ok();
        }
        assert!(read_one, "{what}");
    }
    let file = one(&laughs(b"K\x01", b"](", b"h\0", b"e", 7));
    let (read, cost) = peak(|| npy_core::Reader::new(&file[..]).unwrap().read_as::<Value>());
    assert!(read.unwrap_err().is_limit());
    assert!(cost <= 17 << 20, "{} bytes took {cost}", file.len());
}
