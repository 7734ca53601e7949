//! Files for the page.

use npy_core::{Element, WriteNpy};

/// Returns the file of a list.
pub(crate) fn npy<T: Element>(items: &[T]) -> Vec<u8> {
    let mut file = Vec::new();
    items.write_npy_to(&mut file).unwrap();
    file
}

/// Returns a file that ends with its header.
pub(crate) fn header(text: &str) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    let blanks = 64 - (10 + text.len() + 1) % 64;
    let text = format!("{text}{}\n", " ".repeat(blanks));
    file.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
    file.extend(text.as_bytes());
    file
}
