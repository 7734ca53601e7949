//! Any text as a Python literal: a valid one has one canonical spelling, which parses to the same value.

use npy_core::private::literal;

pub(super) fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let three = literal(text, false);
    let two = literal(text, true);
    for spelled in three.iter().chain(&two) {
        let again = literal(spelled, false);
        assert_eq!(
            again.as_ref(),
            Some(spelled),
            "{text:?} has a canonical spelling that is not a literal"
        );
    }
    // Text that is a literal to both Python 3 and Python 2 means the same to both, as far as headers use it.
    if let (Some(three), Some(two)) = (three, two) {
        assert_eq!(three, two, "{text:?}");
    }
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = super::seeds_of_headers();
    let others = [
        "b'a\\xff\\u1' b\"b\"",
        "u'\\x41\\u1234\\U0001f600\\777\\d\\n'",
        "-1.5e-3-2j",
        "12345678901234567890",
        "00",
        "0x1f",
        "1_000",
        "3L",
        "{'a': (2,), 'b' 'c': None, }",
        "{1, 2}",
        "{}",
        "...",
        "((True))",
        "[\r\n\t1, # one\n]",
        "'a' 'b' \"c\"",
        "'''a'''",
    ];
    seeds.extend(others.map(|text| text.as_bytes().to_vec()));
    seeds
}
