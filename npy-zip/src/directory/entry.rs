//! One member, as the directory of an archive describes it.

use std::io::{self, Read};

use super::TRUNCATED;
use crate::checksum::Checksum;
use crate::error::{Error, Result, Unsupported, corrupt, malformed, to_u64};
use crate::records::{CentralHeader, Common, ExtraHeader, IN_ZIP64, Method, Part};

/// The most characters of a name in a message.
const MAX_SHOWN: usize = 80;

/// A member, as the directory describes it.
#[derive(Debug)]
pub struct Entry {
    /// The name as Python reads it: up to the first NUL.
    pub(super) name: String,
    /// The bytes of the name in the headers, if they differ from those of `name`.
    raw: Option<Box<[u8]>>,
    pub(crate) flags: u16,
    pub(super) method: u16,
    pub(crate) crc: u32,
    pub(crate) compressed: u64,
    /// The number of bytes after inflating.
    pub(crate) size: u64,
    /// The position of the member's own header in the file.
    pub(super) start: u64,
    /// The position in the file of the entry that describes the member.
    pub(super) position: u64,
}

impl Entry {
    /// Reads the next member from a reader that is at `position` of the file and ends with the directory. The file has `before` bytes
    /// before the archive.
    pub(crate) fn read<R: Read>(
        directory: &mut io::Take<R>,
        position: u64,
        before: u64,
    ) -> Result<Self> {
        let head = take(directory, CentralHeader::SIZE)?;
        let Some((CentralHeader { common, comment_length, start, .. }, _)) =
            CentralHeader::split_from(&head)
        else {
            return Err(corrupt("its directory has something else where a member should begin"));
        };
        let raw = take(directory, common.name_length.into())?;
        let extra = take(directory, common.extra_length.into())?;
        take(directory, comment_length.into())?;

        let mut entry = Entry {
            name: decode_name(&raw, common.flags)?,
            raw: None,
            flags: common.flags,
            method: common.method,
            crc: common.crc,
            compressed: common.compressed.into(),
            size: common.size.into(),
            start: start.into(),
            position,
        };
        check_version(common.version)?;
        entry.apply_extra(&extra, &raw)?;
        entry.name.truncate(entry.name.find('\0').unwrap_or(entry.name.len()));
        if entry.name.as_bytes() != raw {
            entry.raw = Some(raw.into());
        }
        let start = entry.start.checked_add(before);
        entry.start = start.ok_or_else(|| corrupt("a member begins after byte 2⁶⁴"))?;
        Ok(entry)
    }

    /// Returns the name of the member, as Python reads it.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// let directory = Directory::read(writer.finish()?, &Limits::default())?;
    /// assert_eq!(directory.entries()[0].name(), "a");
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of bytes after inflating, as the directory states it.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::deflate(6, 1))?;
    /// writer.add("a", |member| {
    ///     member.begin(1000)?;
    ///     member.write_all(&[0; 1000])
    /// })?;
    /// let directory = Directory::read(writer.finish()?, &Limits::default())?;
    /// assert_eq!(directory.entries()[0].size(), 1000);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the number of bytes in the archive, as the directory states it.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::deflate(6, 1))?;
    /// writer.add("a", |member| {
    ///     member.begin(1000)?;
    ///     member.write_all(&[0; 1000])
    /// })?;
    /// let directory = Directory::read(writer.finish()?, &Limits::default())?;
    /// assert!(directory.entries()[0].compressed_size() < 20);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn compressed_size(&self) -> u64 {
        self.compressed
    }

    /// Returns the CRC-32 of the bytes of the member, as the directory states it: for programs that read a stored member themselves.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| {
    ///     member.begin(9)?;
    ///     member.write_all(b"123456789")
    /// })?;
    /// let directory = Directory::read(writer.finish()?, &Limits::default())?;
    /// assert_eq!(directory.entries()[0].checksum(), 0xcbf4_3926);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn checksum(&self) -> u32 {
        self.crc
    }

    /// Returns the position of the member's own header in the file.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// let directory = Directory::read(writer.finish()?, &Limits::default())?;
    /// assert_eq!(directory.entries()[0].header_start(), 0);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn header_start(&self) -> u64 {
        self.start
    }

    /// Returns true if the member is compressed, by any method.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::deflate(6, 1))?;
    /// writer.add("a", |member| {
    ///     member.begin(1000)?;
    ///     member.write_all(&[0; 1000])
    /// })?;
    /// let directory = Directory::read(writer.finish()?, &Limits::default())?;
    /// assert!(directory.entries()[0].is_compressed());
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn is_compressed(&self) -> bool {
        self.method != Common::STORED
    }

    pub(crate) fn is_deflated(&self) -> bool {
        self.method == Common::DEFLATED
    }

    /// Returns the method by which the member is compressed; `None` if it is stored, or if the method is not supported.
    pub(crate) fn compression(&self) -> Option<Method> {
        Method::of(self.method)
    }

    /// Returns the bytes of the name in the headers.
    pub(crate) fn raw_name(&self) -> &[u8] {
        self.raw.as_deref().unwrap_or(self.name.as_bytes())
    }

    /// Applies the extra fields that hold large numbers or a name in UTF-8.
    fn apply_extra(&mut self, mut extra: &[u8], raw: &[u8]) -> Result<()> {
        let mut raw_crc = None;
        // Ignores up to three bytes at the end, which are too few for a field.
        while let Some((ExtraHeader { id, length }, rest)) = ExtraHeader::split_from(extra) {
            let Some((field, others)) = rest.split_at_checked(length.into()) else {
                let name: String = self.name.chars().take(MAX_SHOWN).collect();
                return Err(corrupt(format!(
                    "an extra field of the member {name:?} is said to take {length} bytes, and only {} are left",
                    rest.len()
                )));
            };
            match id {
                ExtraHeader::ZIP64 => self.apply_zip64(field)?,
                ExtraHeader::UNICODE_NAME => {
                    // The checksum is computed once for each member: many such fields would otherwise cost quadratic time.
                    let raw_crc = *raw_crc.get_or_insert_with(|| Checksum::of(raw));
                    self.apply_name(field, raw_crc)?;
                }
                _ => {}
            }
            extra = others;
        }
        Ok(())
    }

    /// Reads the numbers that are too large for the header.
    fn apply_zip64(&mut self, mut field: &[u8]) -> Result<()> {
        for number in [&mut self.size, &mut self.compressed, &mut self.start] {
            if *number == u64::from(IN_ZIP64) {
                (*number, field) = u64::split_from(field)
                    .ok_or_else(|| corrupt("the zip64 field of a member lacks a number"))?;
            }
        }
        Ok(())
    }

    /// Reads a name in UTF-8. It replaces the name in the header if the field has the checksum of that name.
    fn apply_name(&mut self, field: &[u8], raw_crc: u32) -> Result<()> {
        if let Some((1, rest)) = u8::split_from(field)
            && let Some((crc, name)) = u32::split_from(rest)
            && crc == raw_crc
            && !name.is_empty()
        {
            self.name = utf8(name)?.to_owned();
        }
        Ok(())
    }
}

/// Reads the next `count` bytes of a directory.
fn take<R: Read>(directory: &mut io::Take<R>, count: usize) -> Result<Vec<u8>> {
    if directory.limit() < to_u64(count) {
        return Err(corrupt("its directory ends within a member"));
    }
    // Allocates at most 64 KiB, because a length has two bytes.
    let mut bytes = vec![0; count];
    directory.read_exact(&mut bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => corrupt(TRUNCATED),
        _ => error.into(),
    })?;
    Ok(bytes)
}

/// Refuses a member that needs a newer version of the zip format than 6.3 (2006).
fn check_version(version: u16) -> Result<()> {
    const NEWEST: u8 = 63;
    // The second byte is the number of an operating system.
    let [version, _] = version.to_le_bytes();
    if version <= NEWEST {
        return Ok(());
    }
    Err(Error::Unsupported(Unsupported::Version))
}

fn decode_name(raw: &[u8], flags: u16) -> Result<String> {
    if flags & Common::UTF8 != 0 || raw.is_ascii() {
        return Ok(utf8(raw)?.to_owned());
    }
    let old = |byte: &u8| {
        let above = byte.checked_sub(0x80).and_then(|n| CODE_PAGE_437.chars().nth(n.into()));
        above.unwrap_or(char::from(*byte))
    };
    Ok(raw.iter().map(old).collect())
}

fn utf8(raw: &[u8]) -> Result<&str> {
    std::str::from_utf8(raw).map_err(|_| {
        let name = raw.escape_ascii().to_string();
        malformed(format!(
            "the name b\"{name:.MAX_SHOWN$}\" is marked as UTF-8 and is not; write the archive again"
        ))
    })
}

/// The characters of the bytes 0x80 to 0xff in a name that is not marked as UTF-8.
const CODE_PAGE_437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards the table: one character for each byte.
    #[test]
    fn code_page_437_has_128_characters() {
        assert_eq!(CODE_PAGE_437.chars().count(), 128);
        assert_eq!(decode_name(b"caf\x82\xff", 0).unwrap(), "café\u{a0}");
        assert_eq!(decode_name("é".as_bytes(), Common::UTF8).unwrap(), "é");
    }
}
