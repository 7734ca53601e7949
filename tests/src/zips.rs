//! Zip files made by hand, also invalid ones.

use npy_core::WriteNpy;

/// One member and the headers that describe it. Made by [`Raw::of`], then changed.
#[derive(Clone, Debug)]
pub struct Raw {
    /// The name in the directory.
    pub name: Vec<u8>,
    /// The name in the member's own header, if it differs.
    pub local_name: Option<Vec<u8>>,
    /// The bytes of the member in the archive.
    pub data: Vec<u8>,
    /// The size of the member after inflation.
    pub size: u64,
    /// The compressed size in the headers.
    pub compressed: u64,
    /// The checksum in the headers.
    pub crc: u32,
    /// 0 for stored, 8 for deflated; others are not supported.
    pub method: u16,
    /// Bit 0: encrypted; bit 11: the name is UTF-8.
    pub flags: u16,
    /// True if the sizes and the checksum in the member's own header are wrong.
    pub local_lies: bool,
    /// True if the sizes follow the data.
    pub descriptor: bool,
    /// True if sizes and position are in the zip64 extra field.
    pub zip64: bool,
    /// Extra fields, in both headers.
    pub extra: Vec<u8>,
    /// The comment in the directory.
    pub comment: Vec<u8>,
    /// The position of the member that the directory states, if it is wrong.
    pub place: Option<u64>,
}

/// The CRC-32 remainder of each byte.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u32;
    while byte < 256 {
        let (mut crc, mut bit) = (byte, 0);
        while bit < 8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & 0u32.wrapping_sub(crc & 1));
            bit += 1;
        }
        table[byte as usize] = crc;
        byte += 1;
    }
    table
};

/// Returns the CRC-32 as zip uses it.
pub fn crc(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        let [low, ..] = crc.to_le_bytes();
        crc = (crc >> 8) ^ TABLE[usize::from(low ^ byte)];
    }
    !crc
}

/// Returns the `.npy` file of an array.
///
/// # Panics
///
/// If it cannot be written.
pub fn npy<A: WriteNpy + ?Sized>(array: &A) -> Vec<u8> {
    let mut file = Vec::new();
    array.write_npy_to(&mut file).expect("it fits");
    file
}

impl Raw {
    /// Makes a stored member of these bytes.
    pub fn of(name: &str, data: &[u8]) -> Self {
        Raw {
            name: name.into(),
            local_name: None,
            data: data.to_vec(),
            size: data.len() as u64,
            compressed: data.len() as u64,
            crc: crc(data),
            method: 0,
            flags: if name.is_ascii() { 0 } else { 0x800 },
            local_lies: false,
            descriptor: false,
            zip64: false,
            extra: Vec::new(),
            comment: Vec::new(),
            place: None,
        }
    }

    /// Returns the same member deflated, as stored blocks of at most 65,535 bytes.
    ///
    /// # Panics
    ///
    /// Never.
    pub fn deflated(mut self) -> Self {
        let mut out = Vec::new();
        let mut chunks = self.data.chunks(65_535).peekable();
        while let Some(chunk) = chunks.next() {
            out.push(u8::from(chunks.peek().is_none()));
            let length = u16::try_from(chunk.len()).expect("it fits");
            out.extend(length.to_le_bytes());
            out.extend((!length).to_le_bytes());
            out.extend(chunk);
        }
        self.method = 8;
        self.compressed = out.len() as u64;
        self.data = out;
        self
    }
}

fn zip64(values: &[u64]) -> Vec<u8> {
    let mut field = vec![1, 0];
    field.extend(u16::try_from(8 * values.len()).expect("it fits").to_le_bytes());
    values.iter().for_each(|value| field.extend(value.to_le_bytes()));
    field
}

fn clamp(value: u64, zip64: bool) -> [u8; 4] {
    let value = if zip64 { u32::MAX } else { u32::try_from(value).unwrap_or(u32::MAX) };
    value.to_le_bytes()
}

/// Returns an archive of these members.
///
/// # Panics
///
/// If a name, the directory or a count does not fit into the plain (not zip64) form.
pub fn archive(prefix: &[u8], members: &[Raw], comment: &[u8]) -> Vec<u8> {
    let mut out = prefix.to_vec();
    let mut directory = Vec::new();
    for member in members {
        let place = member.place.unwrap_or((out.len() - prefix.len()) as u64);
        let name = member.local_name.as_ref().unwrap_or(&member.name);
        let flags = member.flags | if member.descriptor { 8 } else { 0 };
        let lies = member.local_lies || member.descriptor;
        let (crc, size, compressed) =
            if lies { (0, 0, 0) } else { (member.crc, member.size, member.compressed) };
        let mut extra = if member.zip64 { zip64(&[size, compressed]) } else { Vec::new() };
        extra.extend(&member.extra);
        out.extend(b"PK\x03\x04\x2d\x00");
        out.extend(flags.to_le_bytes());
        out.extend(member.method.to_le_bytes());
        out.extend([0, 0, 0x21, 0]);
        out.extend(crc.to_le_bytes());
        out.extend(clamp(compressed, member.zip64));
        out.extend(clamp(size, member.zip64));
        out.extend(u16::try_from(name.len()).expect("it fits").to_le_bytes());
        out.extend(u16::try_from(extra.len()).expect("it fits").to_le_bytes());
        out.extend(name);
        out.extend(&extra);
        out.extend(&member.data);
        if member.descriptor {
            out.extend(b"PK\x07\x08");
            out.extend(member.crc.to_le_bytes());
            out.extend(u32::try_from(member.compressed).unwrap_or(u32::MAX).to_le_bytes());
            out.extend(u32::try_from(member.size).unwrap_or(u32::MAX).to_le_bytes());
        }
        let mut extra = Vec::new();
        if member.zip64 {
            extra.extend(zip64(&[member.size, member.compressed, place]));
        }
        extra.extend(&member.extra);
        directory.extend(b"PK\x01\x02\x2d\x03\x2d\x00");
        directory.extend(flags.to_le_bytes());
        directory.extend(member.method.to_le_bytes());
        directory.extend([0, 0, 0x21, 0]);
        directory.extend(member.crc.to_le_bytes());
        directory.extend(clamp(member.compressed, member.zip64));
        directory.extend(clamp(member.size, member.zip64));
        directory.extend(u16::try_from(member.name.len()).expect("it fits").to_le_bytes());
        directory.extend(u16::try_from(extra.len()).expect("it fits").to_le_bytes());
        directory.extend(u16::try_from(member.comment.len()).expect("it fits").to_le_bytes());
        directory.extend([0; 4]);
        directory.extend([0, 0, 0x80, 1]);
        directory.extend(clamp(place, member.zip64));
        directory.extend(&member.name);
        directory.extend(&extra);
        directory.extend(&member.comment);
    }
    let start = out.len() - prefix.len();
    out.extend(&directory);
    let count = u16::try_from(members.len()).unwrap_or(u16::MAX);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(u32::try_from(directory.len()).expect("it fits").to_le_bytes());
    out.extend(u32::try_from(start).expect("it fits").to_le_bytes());
    out.extend(u16::try_from(comment.len()).expect("it fits").to_le_bytes());
    out.extend(comment);
    out
}

/// Returns the directory entries of an archive without zip64 and without a comment that looks like an end record.
///
/// # Panics
///
/// If it has no such directory.
pub fn entries(archive: &[u8]) -> Vec<Vec<u8>> {
    let end = archive.windows(4).rposition(|four| four == b"PK\x05\x06").expect("an end");
    let number =
        |bytes: &[u8], at: usize| usize::from(bytes[at]) + (usize::from(bytes[at + 1]) << 8);
    let size = number(archive, end + 12) + (number(archive, end + 14) << 16);
    let mut rest = &archive[end - size..end];
    let mut entries = Vec::new();
    while !rest.is_empty() {
        assert!(rest.starts_with(b"PK\x01\x02"), "an entry");
        let (entry, more) =
            rest.split_at(46 + number(rest, 28) + number(rest, 30) + number(rest, 32));
        entries.push(entry.to_vec());
        rest = more;
    }
    assert_eq!(entries.len(), number(archive, end + 10));
    entries
}
