//! The checksum of bytes that are read.

#[cfg(not(target_family = "wasm"))]
use crc32fast::Hasher;
/// For WebAssembly this uses the CRC of `flate2`, whose 8 KiB table is linked anyway; `crc32fast` would add 16 KiB and is no faster there.
#[cfg(target_family = "wasm")]
use flate2::Crc as Hasher;

/// A checksum (CRC-32) that is being computed.
pub(crate) struct Checksum(Hasher);

impl Checksum {
    pub(crate) fn new() -> Self {
        Checksum(Hasher::new())
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn value(&self) -> u32 {
        self.0.clone().finalize()
    }

    #[cfg(target_family = "wasm")]
    pub(crate) fn value(&self) -> u32 {
        self.0.sum()
    }

    /// Returns the checksum of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> u32 {
        let mut checksum = Checksum::new();
        checksum.update(bytes);
        checksum.value()
    }
}
