//! The checksum of bytes that are read.

#[cfg(any(target_family = "wasm", test))]
mod small;

#[cfg(not(target_family = "wasm"))]
pub(crate) use crc32fast::Hasher;
#[cfg(target_family = "wasm")]
pub(crate) use small::Hasher;

/// A checksum (CRC-32) that is being computed.
pub(crate) struct Checksum(Hasher);

impl Checksum {
    pub(crate) fn new() -> Self {
        Checksum(Hasher::new())
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn value(&self) -> u32 {
        self.0.clone().finalize()
    }

    /// Returns the checksum of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> u32 {
        let mut checksum = Checksum::new();
        checksum.update(bytes);
        checksum.value()
    }
}

/// The checksum of bytes whose parts have known checksums.
pub(crate) struct Combined {
    pub(crate) value: u32,
    /// The usual size of a part, and the factor of such parts.
    usual: (u64, u32),
}

impl Combined {
    /// Starts without bytes; most parts have `size` bytes.
    pub(crate) fn new(size: u64) -> Self {
        Combined { value: 0, usual: (size, factor(size)) }
    }

    /// Adds a part with this checksum and this size.
    pub(crate) fn add(&mut self, part: u32, size: u64) {
        let factor = if size == self.usual.0 { self.usual.1 } else { factor(size) };
        self.value = product(self.value, factor) ^ part;
    }
}

/// The polynomial of the CRC-32. The highest bit is the constant term.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// Returns the product of two polynomials modulo that of the CRC-32.
fn product(a: u32, mut b: u32) -> u32 {
    let mut product = 0;
    for bit in (0..u32::BITS).rev() {
        if a >> bit & 1 == 1 {
            product ^= b;
        }
        b = b >> 1 ^ if b & 1 == 1 { POLYNOMIAL } else { 0 };
    }
    product
}

/// Returns the polynomial by which this many bytes after a checksum multiply it: `x` to the power of eight times their number.
fn factor(mut bytes: u64) -> u32 {
    let (mut result, mut square) = (1 << 31, 1 << 23);
    while bytes > 0 {
        if bytes & 1 == 1 {
            result = product(result, square);
        }
        square = product(square, square);
        bytes >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksums_of_parts_combine_to_that_of_all() {
        let bytes: Vec<u8> = (0..u8::MAX).cycle().take(10_000).collect();
        for size in [1, 7, 4096, 9999] {
            let mut combined = Combined::new(size as u64);
            bytes.chunks(size).for_each(|part| combined.add(Checksum::of(part), part.len() as u64));
            assert_eq!(combined.value, Checksum::of(&bytes), "{size}");
        }
    }
}
