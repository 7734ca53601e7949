//! The layouts of the records in a zip file, for reading and for writing.

/// A part of a record: a number in little-endian order, or a record.
pub(crate) trait Part: Sized {
    /// Its size in bytes.
    const SIZE: usize;

    /// Splits the part from the start of `bytes`, and returns the rest; `None` if the part is missing or incomplete.
    fn split_from(bytes: &[u8]) -> Option<(Self, &[u8])>;

    fn append_to(&self, bytes: &mut Vec<u8>);

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::SIZE);
        self.append_to(&mut bytes);
        bytes
    }
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Part for $type {
            const SIZE: usize = size_of::<Self>();

            fn split_from(bytes: &[u8]) -> Option<(Self, &[u8])> {
                let (number, rest) = bytes.split_first_chunk()?;
                Some((Self::from_le_bytes(*number), rest))
            }

            fn append_to(&self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64);

/// Defines records. A record is a signature, which may be empty, and the parts after it.
macro_rules! records {
    ($($(#[$doc:meta])* $name:ident($signature:literal) { $($(#[$about:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct $name {
            $($(#[$about])* pub(crate) $field: $type,)*
        }

        impl $name {
            pub(crate) const SIGNATURE: &[u8] = $signature;
        }

        impl Part for $name {
            const SIZE: usize = Self::SIGNATURE.len() $(+ <$type>::SIZE)*;

            fn split_from(bytes: &[u8]) -> Option<(Self, &[u8])> {
                let rest = bytes.strip_prefix(Self::SIGNATURE)?;
                $(let ($field, rest) = <$type>::split_from(rest)?;)*
                Some(($name { $($field),* }, rest))
            }

            fn append_to(&self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(Self::SIGNATURE);
                $(self.$field.append_to(bytes);)*
            }
        }
    )*};
}

records! {
    /// The fields that both headers of a member contain.
    Common(b"") {
        /// The version of zip that a reader needs.
        version: u16,
        flags: u16,
        method: u16,
        time_and_date: u32,
        crc: u32,
        compressed: u32,
        size: u32,
        name_length: u16,
        extra_length: u16,
    }

    /// The header before the data of a member; its name and its extra fields follow.
    LocalHeader(b"PK\x03\x04") {
        common: Common,
    }

    /// The entry of a member in the directory; its name, its extra fields and its comment follow.
    CentralHeader(b"PK\x01\x02") {
        made_by: u16,
        common: Common,
        comment_length: u16,
        disk: u16,
        internal_attributes: u16,
        external_attributes: u32,
        start: u32,
    }

    /// The start of an extra field; its data follows.
    ExtraHeader(b"") {
        id: u16,
        length: u16,
    }

    /// The start of a seek index, as SOZip 0.5.0 has it; bytes that readers skip and the positions follow.
    SeekIndex(b"") {
        version: u32,
        /// The number of bytes that are skipped.
        skipped: u32,
        /// The number of bytes that each chunk but the last inflates to.
        chunk: u32,
        /// The number of bytes of a position.
        position_size: u32,
        /// The size of the member after inflating, and before.
        size: u64,
        compressed: u64,
    }

    /// The end record of an archive with large numbers.
    Zip64End(b"PK\x06\x06") {
        /// The number of bytes after this field.
        rest_length: u64,
        made_by: u16,
        version: u16,
        disk: u32,
        directory_disk: u32,
        members_here: u64,
        members: u64,
        directory_size: u64,
        directory_start: u64,
    }

    /// The record between the two end records.
    Zip64Locator(b"PK\x06\x07") {
        disk: u32,
        end_start: u64,
        disks: u32,
    }

    /// The end record that each archive has; the comment of the archive follows.
    EndRecord(b"PK\x05\x06") {
        disk: u16,
        directory_disk: u16,
        members_here: u16,
        members: u16,
        directory_size: u32,
        directory_start: u32,
        comment_length: u16,
    }
}

impl Zip64End {
    /// The `rest_length` of a record without further data.
    pub(crate) const REST_LENGTH: u64 = 44;
}

impl SeekIndex {
    pub(crate) const VERSION: u32 = 1;
    /// The start of the skipped bytes of an index of ours: the checksum of each chunk follows.
    pub(crate) const CHECKSUMS: &[u8; 8] = b"chunkcrc";

    /// Returns the number of skipped bytes with the checksums of this many chunks, which is a multiple of eight.
    pub(crate) fn checksums_size(chunks: u64) -> Option<u64> {
        chunks.checked_mul(4)?.checked_add(8)?.checked_next_multiple_of(8)
    }
}

impl CentralHeader {
    /// Returns the size of the entry: this header, the name, the extra fields and the comment.
    pub(crate) fn entry_size(&self) -> usize {
        let Common { name_length, extra_length, .. } = self.common;
        let parts = [name_length, extra_length, self.comment_length];
        crate::checked::add(Self::SIZE, parts.into_iter().map(usize::from).sum())
    }
}

impl ExtraHeader {
    /// The extra field with the numbers that do not fit into four bytes.
    pub(crate) const ZIP64: u16 = 0x0001;
    /// The extra field with the name in UTF-8.
    pub(crate) const UNICODE_NAME: u16 = 0x7075;
    /// The extra field that aligns the data.
    pub(crate) const ALIGNMENT: u16 = 0xa11e;
}

impl Common {
    /// The flag for a name and a comment in UTF-8.
    pub(crate) const UTF8: u16 = 1 << 11;
    /// The flag for sizes that come after the data.
    pub(crate) const STREAMED: u16 = 1 << 3;
    pub(crate) const PATCHED: u16 = 1 << 5;
    /// Encryption, strong encryption, and masked headers.
    pub(crate) const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
    pub(crate) const STORED: u16 = 0;
    pub(crate) const DEFLATED: u16 = 8;
    pub(crate) const BZIP2: u16 = 12;
    pub(crate) const LZMA: u16 = 14;
    pub(crate) const ZSTD: u16 = 93;
}

/// The value of a four-byte field whose number does not fit: the number is in zip64 data instead.
pub(crate) const IN_ZIP64: u32 = u32::MAX;

/// A method of compression that can be undone.
#[derive(Clone, Copy)]
pub(crate) enum Method {
    Deflate,
    #[cfg(feature = "bzip2")]
    Bzip2,
    #[cfg(feature = "lzma")]
    Lzma,
    #[cfg(feature = "zstd")]
    Zstd,
}

impl Method {
    /// Returns the method with this number in the zip format. `None` for members that are stored as they are, and for unknown methods.
    pub(crate) fn of(number: u16) -> Option<Self> {
        Some(match number {
            Common::DEFLATED => Method::Deflate,
            #[cfg(feature = "bzip2")]
            Common::BZIP2 => Method::Bzip2,
            #[cfg(feature = "lzma")]
            Common::LZMA => Method::Lzma,
            #[cfg(feature = "zstd")]
            Common::ZSTD => Method::Zstd,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards the layouts: the sizes are those of the zip specification.
    #[test]
    fn records_have_their_specified_sizes() {
        let sizes = [LocalHeader::SIZE, CentralHeader::SIZE, EndRecord::SIZE];
        assert_eq!(sizes, [30, 46, 22]);
        assert_eq!([Zip64End::SIZE, Zip64Locator::SIZE, ExtraHeader::SIZE], [56, 20, 4]);
        assert_eq!(Zip64End::REST_LENGTH, 56 - 12);
        assert_eq!(SeekIndex::SIZE, 32);
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        let locator = Zip64Locator { disk: 1, end_start: 2, disks: 3 };
        let mut bytes = locator.to_bytes();
        assert_eq!(bytes, b"PK\x06\x07\x01\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0");
        bytes.push(7);
        let (read, rest) = Zip64Locator::split_from(&bytes).unwrap();
        assert_eq!((read.disk, read.end_start, read.disks, rest), (1, 2, 3, &[7][..]));
        assert!(Zip64Locator::split_from(&bytes[..19]).is_none());
        assert!(EndRecord::split_from(&bytes).is_none());
    }
}
