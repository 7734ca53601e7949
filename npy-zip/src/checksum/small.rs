//! The checksum for WebAssembly, which has no instructions for it, and where `crc32fast` would add 16 KiB of tables that do not shrink in a
//! package. These tables are computed when they are first used.

use std::sync::OnceLock;

use super::{POLYNOMIAL, factor, product};

/// For each of 8 distances to the end of a word, the remainder that each byte leaves.
type Tables = [[u32; 256]; 8];

/// A CRC-32 that is being computed, with the calls of `crc32fast::Hasher`.
#[derive(Clone)]
pub(crate) struct Hasher {
    value: u32,
    bytes: u64,
}

impl Hasher {
    pub(crate) fn new() -> Self {
        Hasher { value: 0, bytes: 0 }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        let [one, two, three, four, five, six, seven, eight] = tables();
        let at = |table: &[u32; 256], byte: u8| table.get(usize::from(byte)).copied().unwrap_or(0);
        let mut value = !self.value;
        let (words, rest) = bytes.as_chunks::<8>();
        for &[a, b, c, d, e, f, g, h] in words {
            let [w, x, y, z] = (value ^ u32::from_le_bytes([a, b, c, d])).to_le_bytes();
            value = at(eight, w) ^ at(seven, x) ^ at(six, y) ^ at(five, z);
            value ^= at(four, e) ^ at(three, f) ^ at(two, g) ^ at(one, h);
        }
        for byte in rest {
            let [low, ..] = value.to_le_bytes();
            value = value >> 8 ^ at(one, low ^ byte);
        }
        self.value = !value;
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
    }

    /// Adds the bytes of another checksum.
    pub(crate) fn combine(&mut self, next: &Hasher) {
        self.value = product(self.value, factor(next.bytes)) ^ next.value;
        self.bytes = self.bytes.saturating_add(next.bytes);
    }

    pub(crate) fn finalize(self) -> u32 {
        self.value
    }
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Box<Tables>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut tables = Box::new([[0; 256]; 8]);
        let [one, more @ ..] = &mut *tables;
        for (byte, entry) in (0..).zip(one.iter_mut()) {
            *entry =
                (0..8).fold(byte, |rest, _| rest >> 1 ^ if rest & 1 == 1 { POLYNOMIAL } else { 0 });
        }
        let mut previous = *one;
        for table in more {
            for (entry, before) in table.iter_mut().zip(previous) {
                let [low, ..] = before.to_le_bytes();
                *entry = before >> 8 ^ one.get(usize::from(low)).copied().unwrap_or(0);
            }
            previous = *table;
        }
        tables
    })
}

#[cfg(test)]
mod tests {
    use super::Hasher;

    #[test]
    fn it_is_the_checksum_of_crc32fast() {
        let bytes: Vec<u8> = (0..=u8::MAX).cycle().map(|i| i.wrapping_mul(37)).take(5000).collect();
        for size in (0..40).chain([255, 256, 4999, 5000]) {
            for start in [0, 1, 3] {
                let part = bytes.get(start..size).unwrap_or_default();
                let mut small = Hasher::new();
                small.update(part);
                assert_eq!(small.clone().finalize(), crc32fast::hash(part), "{start}..{size}");
                let mut rest = Hasher::new();
                rest.update(&bytes[size..]);
                small.combine(&rest);
                let all = [part, &bytes[size..]].concat();
                assert_eq!(small.finalize(), crc32fast::hash(&all), "{start}..{size}");
            }
        }
    }
}
