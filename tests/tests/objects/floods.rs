//! A million times the same opcodes: the memory of reading them is at most 32 times the file.

use super::*;

const N: usize = 50_000;

/// Opcodes that are run once, and others that are run many times before, or after, the first ones.
type Flood = (&'static str, &'static [u8], &'static [u8], &'static [u8]);

#[test]
fn memory_is_at_most_32_times_the_file() {
    const CALLABLE: &[u8] = b"cos\nsystem\n";
    let floods: [Flood; 36] = [
        ("None", b"", b"N", b""),
        ("None, stored", b"", b"N\x94", b""),
        ("one object, stored", b"N", b"\x94", b""),
        ("stored far away, then in order", b"Nr\xff\xff\xff\x7f", b"\x94", b""),
        ("stored anywhere", b"N", b"r", b""),
        ("empty lists", b"", b"]", b""),
        ("empty tuples", b"", b")", b""),
        ("empty dictionaries", b"", b"}", b""),
        ("empty sets", b"", b"\x8f", b""),
        ("marks", b"", b"(", b"N"),
        ("duplicates", b"N", b"2", b""),
        ("a tuple in a tuple", b"N", b"\x85", b""),
        ("pairs of pairs", b"N", b"2\x86", b""),
        ("triples of triples", b"N", b"22\x87", b""),
        ("lists in lists", b"]", b"]a", b""),
        ("a list in itself", b"]", b"2a", b""),
        ("lists that grow in turn", b"]q\0]q\x01", b"h\0Nah\x01Na", b""),
        ("dictionaries in themselves", b"}", b"22s", b""),
        ("dictionaries that grow in turn", b"}q\0}q\x01", b"h\0NNsh\x01NNs", b""),
        ("calls", CALLABLE, b")R", b""),
        ("calls of themselves", CALLABLE, b"2\x85R", b""),
        ("new objects", CALLABLE, b")\x81", b""),
        ("calls with names", CALLABLE, b")}\x92", b""),
        ("calls with states", CALLABLE, b")RNb", b""),
        ("calls that are their states", CALLABLE, b")R2b", b""),
        ("calls with items", CALLABLE, b")RNa", b""),
        ("calls with entries", CALLABLE, b")RNNs", b""),
        ("instances", b"", b"(i\n\n", b""),
        ("objects", b"cos\nsystem\nq\0", b"(h\0o", b""),
        ("names", b"\x8c\x01aq\0", b"h\0h\0\x93", b""),
        ("short names", b"", b"c\n\n", b""),
        ("frozen sets", b"", b"(\x91", b""),
        ("lists from marks", b"", b"(l", b""),
        ("dictionaries from marks", b"", b"(d", b""),
        ("tuples from marks", b"", b"(t", b""),
        ("empty text", b"", b"\x8c\x00", b""),
    ];
    for (what, first, flood, last) in floods {
        // Some need an argument that differs.
        let flood: Vec<u8> = match flood {
            b"r" => (0..).step_by(7919).take(N).flat_map(|i| numbered(b'r', i)).collect(),
            _ => repeat(flood, N),
        };
        let opcodes = [first, &flood, last].concat();
        survives(what, &after(&opcodes, b"N"));
    }
}

/// Many marks, or many objects, and then as many opcodes that use them up.
#[test]
fn memory_is_at_most_32_times_the_file_if_the_floods_are_two() {
    let floods: [Flood; 8] = [
        ("lists in lists, from marks", b"(", b"N", b"l"),
        ("tuples in tuples, from marks", b"(", b"N", b"t"),
        ("sets in sets, from marks", b"(", b"N", b"\x91"),
        ("lists that are appended", b"]", b"N", b"a"),
        ("sets that grow", b"\x8f(", b"N", b"\x90"),
        ("instances in instances", b"(", b"N", b"i\n\n"),
        ("pairs of many", b"N", b"N", b"\x86"),
        ("triples of many", b"NN", b"N", b"\x87"),
    ];
    for (what, first, middle, last) in floods {
        let opcodes = [repeat(first, N), middle.to_vec(), repeat(last, N)].concat();
        survives(what, &after(&opcodes, b"N"));
    }
}

/// Growth that starts again just before the end takes the most memory.
#[test]
fn memory_is_at_most_32_times_the_file_of_any_length() {
    for n in [60_000, 65_537, 114_690] {
        for (first, flood) in [
            (&b"Nr\xff\xff\xff\x7f"[..], &b"\x94"[..]),
            (b"cos\nsystem\n", b")R"),
            (b"", b"N"),
            (b"N", b"2\x86"),
        ] {
            survives("a flood", &after(&[first, &repeat(flood, n)].concat(), b"N"));
        }
    }
}

/// Returns an opcode with a number of four bytes.
fn numbered(opcode: u8, number: u32) -> Vec<u8> {
    [&[opcode][..], &number.to_le_bytes()].concat()
}
