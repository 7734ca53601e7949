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
        "rb'a' B\"\"\"b\n\"\"\"",
        "u'\\N{DASH}\\x41\\u1234\\U0001f600\\777'",
        "-1.5e-3-2J",
        "(-# 3\n 7)",
        "0x_fF",
        "0b1",
        "0o17",
        "3L",
        "{1, (2,), None}",
        "{}",
        "...",
        "((True))",
        "[\r\n\t1,\\\n]",
        "'a' 'b' \"c\"",
    ];
    seeds.extend(others.map(|text| text.as_bytes().to_vec()));
    seeds
}
