//! Files that somebody may send to do harm. Each is made by a few lines, in any size.

/// A malicious file.
#[derive(Debug, Clone, Copy)]
pub struct Attack {
    /// A name that describes the file.
    pub name: &'static str,
    /// The class of weakness that it probes: a number of the Common Weakness Enumeration, <https://cwe.mitre.org>.
    pub cwe: u16,
    /// The expected outcome of reading it.
    pub outcome: Outcome,
    /// Makes the file from about this many of its smallest pieces; some attacks have one fixed size.
    pub make: fn(usize) -> Vec<u8>,
}

/// The expected outcome of reading an attack as an array of any dtype. A specific element type may refuse it, too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// An error whose message contains this text.
    Refused(&'static str),
    /// The file is strange but legal: the array is read.
    Read,
    /// The data is a pickle, which is kept unread, read as data, or refused as such.
    Pickle,
}

use Outcome::{Pickle, Read, Refused};

/// Returns a version 1.0, 2.0 or 3.0 file with this header text and this data.
///
/// # Panics
///
/// If the text is longer than a header can be.
pub fn file(version: u8, text: &str, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(text.len()).expect("below 4 GiB").to_le_bytes();
    let length = &length[..if version == 1 { 2 } else { 4 }];
    [b"\x93NUMPY", &[version, 0][..], length, text.as_bytes(), data].concat()
}

/// Returns the text of a header.
pub fn header(descr: &str, shape: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n")
}

/// Returns a file of this dtype and shape, with a few bytes of data.
fn array(descr: &str, shape: &str) -> Vec<u8> {
    file(2, &header(descr, shape), &[1; 64])
}

/// Returns a file with this dtype and no items.
fn descr(descr: &str) -> Vec<u8> {
    file(3, &header(descr, "(0,)"), &[])
}

/// Returns a descr list of `n` fields.
fn fields(n: usize, field: impl Fn(usize) -> String) -> String {
    format!("[{}]", (0..n).map(field).collect::<Vec<_>>().join(", "))
}

macro_rules! attacks {
    ($($(#[doc = $doc:literal])+ $name:ident, $cwe:literal, $outcome:expr, |$n:pat_param| $make:expr;)*) => {
        /// All attacks, grouped by kind.
        pub const ALL: &[Attack] = &[
            $(Attack { name: stringify!($name), cwe: $cwe, outcome: $outcome, make: |$n| $make },)*
        ];
    };
}

pub mod archives;

attacks! {
    // Nested and wide text.

    /// Needs a stack frame for each bracket. 674: uncontrolled recursion.
    nested_lists, 674, Refused("Limits::nesting"), |n| file(2, &"[".repeat(n), &[]);
    /// The same, closed again.
    nested_tuples, 674, Refused("Limits::nesting"),
        |n| descr(&format!("{}1{}", "(".repeat(n), ",)".repeat(n)));
    /// Redundant parentheses, which some parsers try twice at each level: 2ⁿ steps.
    nested_groups, 674, Refused("Limits::nesting"),
        |n| descr(&format!("{}'<f4'{}", "(".repeat(n), ")".repeat(n)));
    /// Dictionaries nested in each other.
    nested_dictionaries, 674, Refused("Limits::nesting"), |n| file(2, &"{'a':".repeat(n), &[]);
    /// Records in records.
    nested_records, 674, Refused("Limits::nesting"),
        |n| descr(&format!("{}'|u1'{}", "[('a', ".repeat(n), ")]".repeat(n)));
    /// Sub-arrays of sub-arrays.
    nested_sub_arrays, 674, Refused("Limits::nesting"),
        |n| descr(&format!("[('a', {}'<f4'{})]", "(".repeat(n), ", (1,))".repeat(n)));
    /// The deepest nesting that is allowed, with names as long as fit: each level of an error may copy everything below
    /// it.
    nested_long_names, 407, Read, |n| {
        let open = format!("[('{}', ", "a".repeat(n / 10));
        descr(&format!("{}'|u1'{}", open.repeat(90), ")]".repeat(90)))
    };
    /// Signs before a number; to Python each is an operator.
    many_signs, 674, Refused("header is malformed"), |n| array("'|u1'", &format!("({}1,)", "-".repeat(n)));
    /// More dimensions than an array can have. 770: allocation without limits.
    many_dimensions, 770, Refused("at most 64"),
        |n| array("'|u1'", &format!("({})", "1,".repeat(n)));
    /// More dimensions of a sub-array than an array can have.
    many_inner_dimensions, 770, Refused("NumPy has at most 64"), |n| descr(&format!("[('a', '|u1', ({}))]", "1,".repeat(n)));
    /// Many fields; the header is their only cost.
    many_fields, 407, Read, |n| descr(&fields(n, |i| format!("('{i:x}', '|u1')")));
    /// A million fields. 400: uncontrolled resource consumption.
    a_million_fields, 400, Refused("Limits::header_bytes"),
        |_| descr(&format!("[{}]", "('a','V'),".repeat(1_000_000)));
    /// As many fields as fit into a header of an allowed length.
    too_many_fields, 400, Refused("Limits::fields"), |_| descr(&fields(66_000, |i| format!("('{i:x}','V')")));
    /// Records of records of a few fields: many fields in total, though no record has many.
    many_small_records, 407, Read, |n| {
        descr(&fields(n / 2, |i| format!("('{i:x}', [('a', '|u1'), ('b', '|u1')])")))
    };
    /// Padding, which takes part of the header and is not kept.
    much_padding, 407, Read, |n| descr(&fields(n, |_| "('', '|V1')".into()));
    /// Keys of a dictionary that has no end.
    many_keys, 770, Refused("unknown key"), |n| {
        let keys: String = (0..n).map(|i| format!("'{i}': 1, ")).collect();
        file(2, &format!("{{{keys}}}"), &[])
    };
    /// The same key repeated; in Python the last one counts.
    one_key_many_times, 694, Refused("twice"), |n| file(2, &format!("{{{}}}", "'descr': '<f4', ".repeat(n)), &[]);
    /// A set where a dtype should be: Python hashes each of its values.
    wide_set, 407, Refused("sets are not read"), |n| descr(&format!("{{{}}}", "1, ".repeat(n)));

    // Text that is expensive to decode.

    /// A number of many digits; parsing it takes time that grows with their square. 407: inefficient complexity.
    huge_integer, 407, Refused("digits"), |n| array("'|u1'", &format!("({},)", "9".repeat(n + 4301)));
    /// A float of many digits, which is not a dimension.
    long_float, 407, Refused("dimension"), |n| array("'|u1'", &format!("(1.{},)", "9".repeat(n)));
    /// Many zeros before a small number.
    leading_zeros, 407, Refused("header is malformed"), |n| array("'|u1'", &format!("({}1,)", "0".repeat(n + 1)));
    /// One name in many pieces; naive concatenation copies all earlier pieces each time.
    string_in_pieces, 407, Read, |n| descr(&format!("[({}, '|u1')]", "'a' ".repeat(n)));
    /// A name made of escapes.
    many_escapes, 407, Read, |n| descr(&format!("[('{}', '|u1')]", "\\x07".repeat(n)));
    /// A name that gets longer when it is written again.
    growing_name, 405, Read, |n| descr(&format!("[('{}', '|u1')]", "\\U000e0001".repeat(n)));
    /// Characters given by name; Python has a table of those names.
    named_characters, 407, Refused("header is malformed"), |n| descr(&format!("[('{}', '|u1')]", "\\N{BELL".repeat(n)));
    /// A string literal that does not end.
    endless_text, 407, Refused("header is malformed"), |n| descr(&format!("'{}", "\\'".repeat(n)));
    /// Blanks and line breaks between two values.
    many_blanks, 407, Read, |n| descr(&format!("[{}('a', '|u1')]", " \t\r\n".repeat(n)));
    /// Comments, which headers cannot have.
    many_comments, 407, Refused("comments"), |n| descr(&format!("[#\n{}('a', '|u1')]", " #x\n".repeat(n)));
    /// Blanks before garbage at the end of the header.
    blanks_before_garbage, 407, Refused("header is malformed"),
        |n| file(1, &format!("{}{}x", header("'|u1'", "()").trim_end(), " ".repeat(n)), &[1]);

    // False lengths.

    /// A header length of 4 GiB, from twelve bytes. 789: memory allocated from an untrusted number.
    header_of_4_gib, 789, Refused("Limits::header_bytes"), |_| b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec();
    /// A header within the limit, but missing from the file. 130: a length that does not match.
    header_that_is_not_there, 130, Refused("truncated"), |_| b"\x93NUMPY\x03\x00\xff\xff\x0f\x00{".to_vec();
    /// A header length that ends in the middle of the text.
    header_that_ends_early, 130, Refused("header is malformed"), |_| {
        let mut bytes = array("'|u1'", "(3,)");
        bytes[8] -= 20;
        bytes
    };
    /// A header length that reaches into the data.
    header_that_ends_late, 130, Refused("header is malformed"), |_| {
        let mut bytes = array("'|u1'", "(3,)");
        bytes[8] += 20;
        bytes
    };
    /// A header of zero bytes.
    header_of_no_bytes, 130, Refused("header is malformed"), |_| file(1, "", &[0; 9]);

    // Shapes that overflow.

    /// Two dimensions whose product is zero in 64 bits. 190: integer overflow.
    product_overflows, 190, Refused("larger than any memory"), |_| array("'|u1'", "(4294967296, 4294967296)");
    /// The same, with a zero among the dimensions that hides the overflow.
    product_overflows_beside_zero, 190, Refused("larger than any memory"), |_| array("'|u1'", "(4294967296, 0, 4294967296)");
    /// An item count that fits in 64 bits, and a byte count that does not.
    bytes_overflow, 190, Refused("larger than any memory"), |_| array("'<f8'", "(2305843009213693952,)");
    /// A byte count that fits into `usize` but not into `isize`, which is the limit for pointer offsets.
    bytes_are_no_distance, 190, Refused("dimension"), |_| array("'|u1'", "(9223372036854775808,)");
    /// Items of no bytes whose count overflows.
    strides_overflow, 190, Refused("larger than any memory"), |_| array("'|V0'", "(4294967296, 4294967296, 2)");
    /// The same in the sub-array of a field.
    inner_product_overflows, 190, Refused("NumPy's limit"), |_| descr("[('a', '|u1', (4294967296, 4294967296))]");
    /// A sub-array whose item count is huge while its items have no bytes: the total size is zero.
    inner_product_of_nothing, 190, Read, |_| descr("[('a', '|V0', (2147483647, 2147483647))]");
    /// A negative number, which is huge as an unsigned one. 195: conversion of signed numbers.
    negative_dimension, 195, Refused("dimension"), |_| array("'|u1'", "(-1,)");
    /// 2⁶⁴: zero in 64 bits.
    dimension_beyond_64_bits, 190, Refused("dimension"), |_| array("'|V0'", "(18446744073709551616,)");
    /// A bool, which is an integer in Python. 704: conversion between types.
    dimension_is_true, 704, Refused("dimension"), |_| array("'|u1'", "(True,)");
    /// A float that is a whole number.
    dimension_is_a_float, 704, Refused("dimension"), |_| array("'|u1'", "(1e3,)");

    // Items that do not match the file.

    /// A claim of an exabyte, with a few bytes of data.
    claim_of_an_exabyte, 789, Refused("truncated"), |_| array("'|u1'", "(1152921504606846976,)");
    /// A claim that fits in the memory of any machine, so only a comparison with the file can refuse it.
    claim_of_some_memory, 789, Refused("truncated"), |_| array("'|u1'", "(500000000,)");
    /// An exabyte in Fortran order.
    fortran_claim, 789, Refused("truncated"), |_| {
        let text = header("'<f8'", "(1073741824, 100000000)").replace("False", "True");
        file(1, &text, &[1; 64])
    };
    /// A single item of 2 GiB.
    claim_of_an_item, 789, Refused("truncated"), |_| array("'|S2147483647'", "()");
    /// Data that is complete except for its last byte.
    cut_data, 130, Refused("truncated"), |n| file(1, &header("'|u1'", &format!("({},)", n + 1)), &vec![1; n]);
    /// Any number of items of no bytes, which cost the sender nothing; see also 1284, an unchecked quantity.
    items_of_no_bytes, 770, Read, |_| file(1, &header("'|V0'", "(4611686018427387904,)"), &[]);
    /// Records without fields.
    records_of_no_fields, 770, Read, |_| file(1, &header("[]", "(4611686018427387904,)"), &[]);
    /// Arrays of empty text.
    text_of_no_bytes, 770, Read, |_| file(1, &header("'<U0'", "(1073741824, 1073741824)"), &[]);
    /// Empty arrays in a record of one byte, as many as the sender likes.
    inner_lists_of_nothing, 770, Read,
        |_| file(1, &header("[('a', '|u1'), ('b', '<f4', (2147483647, 0))]", "(64,)"), &[1; 64]);
    /// A float of a size that no float has. 131: a wrong size computation.
    float_of_three_bytes, 131, Refused("'<f3'"), |_| array("'<f3'", "(1,)");
    /// An integer of size zero.
    integer_of_no_bytes, 131, Refused("'<i0'"), |_| array("'<i0'", "(1,)");
    /// A negative size.
    negative_size, 195, Refused("'|S-1'"), |_| array("'|S-1'", "(1,)");
    /// A size that does not fit in 64 bits.
    size_beyond_64_bits, 190, Refused("not a dtype"), |_| array("'|S99999999999999999999'", "(1,)");
    /// Characters of four bytes each: the count fits, the byte size does not.
    text_overflows, 190, Refused("536870911 code points"), |_| array("'<U536870912'", "(1,)");
    /// Fields that fit one by one, but not together.
    record_overflows, 190, Refused("NumPy's limit"), |_| descr("[('a', '|V2147483647'), ('b', '|u1')]");
    /// Fields with explicit offsets, which `np.dtype` accepts and no file contains. 125: reading out of bounds.
    offset_beyond_the_item, 125, Refused("a dictionary is not a dtype"),
        |_| array("{'names': ['a'], 'formats': ['<f8'], 'offsets': [1000], 'itemsize': 4}", "(1,)");
    /// The same in the older spelling.
    offset_in_a_tuple, 125, Refused("not a dtype"), |_| array("{'a': ('<f8', 1000)}", "(1,)");

    // Names.

    /// Two fields of one name: one may be checked and the other one used. 694: an identifier that occurs twice.
    duplicate_names, 694, Refused("twice"), |_| descr("[('a', '<f4'), ('a', '<i4')]");
    /// The title of one field is the name of another.
    duplicate_titles, 694, Refused("twice"), |_| descr("[(('b', 'a'), '<f4'), ('b', '<i4')]");
    /// The same name, spelled with an escape.
    duplicate_by_escape, 694, Refused("twice"), |_| descr("[('a', '<f4'), ('\\x61', '<i4')]");
    /// Fields without a name that are not padding.
    empty_names, 694, Refused("twice"), |_| descr("[('', '<f4'), ('', '<i4')]");
    /// A NUL, where C ends a string. 158: a NUL that is not neutralized.
    escaped_nul_in_a_name, 158, Read, |_| descr("[('a\\x00b', '<f4')]");
    /// The same as a byte of the header, which Python refuses.
    raw_nul_in_a_name, 158, Refused("NUL"), |_| descr("[('a\0b', '<f4')]");
    /// Bidirectional control characters, which reorder the text after them. 451: misleading display.
    bidirectional_name, 451, Read, |_| descr("[('\u{202e}dne\u{2066}', '<f4')]");
    /// The same in a key, which an error message would show.
    bidirectional_key, 451, Refused("unknown key"), |_| file(3, "{'\u{202e}\u{2066}yek': 1}", &[]);
    /// Terminal escape sequences. 150: escape sequences that are not neutralized.
    terminal_escapes, 150, Refused("unknown key"), |_| file(3, "{'\x1b]0;title\x07\x1b[2J': 1}", &[]);
    /// The same in an invalid dtype.
    terminal_escapes_in_a_dtype, 150, Refused("dtype"), |_| array("'\x1b[31m<f8\u{9b}2J'", "(1,)");
    /// The same in text that is not a Python literal.
    terminal_escapes_in_nothing, 150, Refused("malformed"), |_| file(3, "\x1b[31m\u{9b}2J", &[]);
    /// The same in place of the magic.
    terminal_escapes_for_magic, 150, Refused("not a .npy file"), |_| b"\x1b[2J\x1b]0;".to_vec();
    /// Half a surrogate pair, which is not a character.
    half_a_surrogate_pair, 176, Read, |_| descr("[('\\ud800', '<f4'), ('\\udc00', '<f4')]");
    /// Invalid UTF-8. 176: handling of encodings.
    broken_utf8, 176, Refused("UTF-8"), |_| {
        let mut bytes = descr("[('aaaa', '<f4')]");
        let at = bytes.windows(4).position(|window| window == b"aaaa").unwrap_or(0);
        bytes.splice(at..at + 4, *b"\xed\xa0\x80\xc0");
        bytes
    };
    /// A path as a name. 22: path traversal; no name is ever used as a path here.
    name_is_a_path, 22, Read, |_| descr("[('../../etc/passwd', '<f4')]");

    // Code.

    /// A header that `eval` would run. 95: code injection.
    code_in_a_header, 95, Refused("header is malformed"), |_| array("__import__('os').system('id')", "(1,)");
    /// An arithmetic expression as a shape.
    arithmetic_in_a_shape, 95, Refused("header is malformed"), |_| array("'|u1'", "(9**9**9,)");
    /// A pickle, which is a program. 502: deserialization of untrusted data.
    a_pickle_for_data, 502, Pickle,
        |_| file(1, &header("'|O'", "(1,)"), b"cos\nsystem\n(S'id'\ntR.");
    /// Objects inside a record.
    an_object_in_a_record, 502, Pickle,
        |_| file(1, &header("[('a', [('b', '|O', (2,))])]", "(1,)"), b"cos\nsystem\n(S'id'\ntR.");

    // Data.

    /// An honest file, which is read to its end.
    honest_bytes, 789, Read, |n| file(1, &header("'|u1'", &format!("({n},)")), &vec![1; n]);
    /// Small fields in large records: skipping bytes must cost no more than reading them.
    sparse_records, 407, Read, |n| {
        let text = header("[('x', '|u1'), ('rest', '|V1000')]", &format!("({},)", n / 1000));
        file(1, &text, &vec![1; n / 1000 * 1001])
    };
    /// Code points beyond Unicode. 176: handling of encodings.
    text_beyond_unicode, 176, Read, |n| file(1, &header("'<U2'", &format!("({},)", n / 8)), &vec![0xff; n / 8 * 8]);
    /// Bytes other than 0 and 1 as bools. 704; in Rust, such a `bool` is undefined behavior.
    bools_that_are_none, 704, Read, |n| file(1, &header("'|b1'", &format!("({n},)")), &vec![7; n]);
    /// Items that are adjacent in memory and far apart in the file.
    fortran_order, 407, Read, |n| {
        let text = header("'|u1'", &format!("({}, 3)", n / 3)).replace("False", "True");
        file(1, &text, &vec![1; n / 3 * 3])
    };
}
