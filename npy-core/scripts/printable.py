"""Prints npy-core/src/literal/printable.rs from the Unicode database of the Python that runs it.

python3.11 scripts/printable.py > src/literal/printable.rs
"""

import sys
import unicodedata

HEAD = '''\
//! Which characters Python prints as they are: `str.isprintable`.
//!
//! NumPy's output depends on the Unicode database of the Python it runs on. This one is Unicode
//! {version}, of CPython {python}; `scripts/printable.py` prints this file.

use std::cmp::Ordering;

/// Whether `repr` shows the code point raw; surrogates and what is no code point are not.
pub(crate) fn is_printable(c: u32) -> bool {{
    // Most text is ASCII.
    if c < 0x7f {{
        return c >= 0x20;
    }}
    let place = |&(first, last): &(u32, u32)| {{
        if last < c {{
            Ordering::Less
        }} else if first > c {{
            Ordering::Greater
        }} else {{
            Ordering::Equal
        }}
    }};
    c <= 0x10ffff && NOT_PRINTABLE.binary_search_by(place).is_err()
}}

/// First and last of each run of code points that are not printable, in order.
#[rustfmt::skip]
const NOT_PRINTABLE: [(u32, u32); {count}] = [
'''

TAIL = '''\
];

#[cfg(test)]
mod tests {{
    use super::*;

    /// Guards the search, which needs sorted ranges with a gap between them.
    #[test]
    fn ranges_are_sorted_and_apart() {{
        assert!(NOT_PRINTABLE.iter().all(|(first, last)| first <= last));
        assert!(NOT_PRINTABLE.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
    }}

    /// Guards the table against another Unicode version: the count is Python's.
    #[test]
    fn as_many_are_printable_as_python_says() {{
        assert_eq!((0..=u32::MAX >> 8).filter(|&c| is_printable(c)).count(), {printable});
        assert!(!is_printable(u32::MAX));
    }}

    /// Guards the edges of categories that a reader may know by heart.
    #[test]
    fn known_characters() {{
        for c in [' ', '~', '¡', 'é', 'ÿ', '整', '\\u{{300}}', '\\u{{fffd}}', '\\u{{1f600}}'] {{
            assert!(is_printable(c.into()), "{{c:?}}");
        }}
        for c in ['\\0', '\\x1f', '\\x7f', '\\u{{a0}}', '\\u{{ad}}', '\\u{{200b}}', '\\u{{2028}}', '\\u{{3000}}'] {{
            assert!(!is_printable(c.into()), "{{c:?}}");
        }}
        // A surrogate, private use, and emoji of Unicode 15.
        for c in [0xd800, 0xdfff, 0xe000, 0x10ffff, 0x1fae8] {{
            assert!(!is_printable(c), "{{c:x}}");
        }}
    }}
}}
'''


def ranges():
    """First and last of each run of code points that are not printable."""
    first = None
    for c in range(sys.maxunicode + 2):
        printable = c > sys.maxunicode or chr(c).isprintable()
        if not printable and first is None:
            first = c
        elif printable and first is not None:
            yield first, c - 1
            first = None


def lines(items, width=100):
    """The items, as many on a line as fit."""
    line = "   "
    for item in items:
        if len(line) + 1 + len(item) > width:
            yield line
            line = "   "
        line += " " + item
    yield line


def main():
    table = list(ranges())
    printable = sys.maxunicode + 1 - sum(last - first + 1 for first, last in table)
    python = ".".join(map(str, sys.version_info[:2]))
    sys.stdout.write(HEAD.format(version=unicodedata.unidata_version, python=python, count=len(table)))
    for line in lines(f"(0x{first:x}, 0x{last:x})," for first, last in table):
        print(line)
    sys.stdout.write(TAIL.format(printable=printable))


main()
