//! Any bytes as a header: a valid one can be written and parses to the same header; bytes and streams give the same
//! result.

use npy_core::{Header, Version};

pub(super) fn run(input: &[u8]) {
    let mut stream = input;
    let streamed = Header::read_from(&mut stream);
    let (header, offset) = match Header::parse(input) {
        Ok(parsed) => parsed,
        Err(error) => {
            let streamed = streamed.expect_err("a stream of the same bytes").to_string();
            let parsed = error.to_string();
            // The end of a stream has a message of its own.
            assert!(input.is_empty() || streamed == parsed, "{streamed}\n{parsed}");
            assert!(parsed.len() < 8 * input.len() + 2000, "an error that is larger than its file");
            return;
        }
    };
    assert_eq!(streamed.expect("a stream of the same bytes"), header);
    assert_eq!(input.len() - stream.len(), offset, "not a byte more is taken");
    assert_eq!(Version::read_from(&mut &*input).expect("it has one"), header.version());
    assert_stable(&header);
}

/// Asserts that the header reads back equal, and is then written as the same bytes.
fn assert_stable(header: &Header) {
    // Escapes may make a text longer than its limit; the limit of the whole header must hold.
    let Ok(bytes) = header.to_bytes() else { panic!("{header:?} cannot be written") };
    assert_eq!(bytes.len() % 64, 0);
    let (again, offset) = Header::parse(&bytes).unwrap_or_else(|e| panic!("{header:?}: {e}"));
    assert_eq!(again, *header);
    assert_eq!(offset, bytes.len());
    assert_eq!(again.to_bytes().expect("again"), bytes);
    assert_eq!(again.count(), header.count());
}
