//! Layer 7: what the directory of an archive says of one member.

use std::io::{self, Read};

use super::numbers::Numbers;
use super::{malformed, unsupported};
use crate::error::Result;
use crate::limits::to_u64;
use crate::npz::name;

/// What the directory says of a member.
pub(super) struct Listed {
    /// The name, as Python reads it: it ends at a NUL.
    pub(super) name: String,
    /// The bytes of the name in the headers, where they are not those of `name`.
    raw: Option<Box<[u8]>>,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) compressed: u64,
    /// The number of bytes when inflated.
    pub(super) size: u64,
    /// The position of the member's own header in the file.
    pub(super) start: u64,
}

/// The name and the comment are in UTF-8.
pub(super) const UTF8: u16 = 1 << 11;

const FIXED: usize = 46;

impl Listed {
    /// Reads the next member of a directory, which ends where the reader does; `before` bytes are before the archive.
    pub(super) fn read<R: Read>(directory: &mut io::Take<R>, before: u64) -> Result<Self> {
        let head = take(directory, FIXED)?;
        let mut numbers = Numbers(&head);
        if &numbers.bytes()? != b"PK\x01\x02" {
            return Err(malformed(
                "its directory has something else where a member is to begin; copy the file again, or make it anew",
            ));
        }
        let _made_by = numbers.u16()?;
        let [version, _system] = numbers.bytes()?;
        let (flags, method) = (numbers.u16()?, numbers.u16()?);
        let _time_and_date = numbers.u32()?;
        let crc = numbers.u32()?;
        let (compressed, size) = (numbers.u32()?, numbers.u32()?);
        let lengths = [numbers.u16()?, numbers.u16()?, numbers.u16()?].map(usize::from);
        let _disk_and_attributes: [u8; 8] = numbers.bytes()?;
        let place = numbers.u32()?;

        let [name_length, extra_length, comment] = lengths;
        let raw = take(directory, name_length)?;
        let extra = take(directory, extra_length)?;
        take(directory, comment)?;

        let mut listed = Listed {
            name: decoded(&raw, flags)?,
            raw: None,
            flags,
            method,
            crc,
            compressed: compressed.into(),
            size: size.into(),
            start: place.into(),
        };
        newer(version)?;
        listed.add(&extra, &raw)?;
        listed.name.truncate(listed.name.find('\0').unwrap_or(listed.name.len()));
        if listed.name.as_bytes() != raw {
            listed.raw = Some(raw.into());
        }
        let start = listed.start.checked_add(before);
        listed.start = start.ok_or_else(|| malformed("a member begins after byte 2⁶⁴"))?;
        Ok(listed)
    }

    /// The bytes of the name in the headers.
    pub(super) fn raw_name(&self) -> &[u8] {
        self.raw.as_deref().unwrap_or(self.name.as_bytes())
    }

    /// Adds what the extra fields say.
    fn add(&mut self, mut extra: &[u8], raw: &[u8]) -> Result<()> {
        let mut crc = None;
        // What is left at the end is no field.
        while let Some((&[a, b, c, d], rest)) = extra.split_first_chunk() {
            let (id, length) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
            let Some((field, others)) = rest.split_at_checked(length.into()) else {
                let name = name::excerpt(&self.name);
                return Err(malformed(format!(
                    "an extra field of the member {name:?} is said to take {length} bytes, and only {} are left; make it anew",
                    rest.len()
                )));
            };
            match id {
                0x0001 => self.add_large(field)?,
                0x7075 => {
                    // Once a member, however many such fields it has.
                    let crc = *crc.get_or_insert_with(|| crc32fast::hash(raw));
                    self.rename(field, crc)?;
                }
                _ => {}
            }
            extra = others;
        }
        Ok(())
    }

    /// Takes the numbers that are too large for the header.
    fn add_large(&mut self, field: &[u8]) -> Result<()> {
        const MAXED: u64 = 0xffff_ffff;
        let mut numbers = Numbers(field);
        for number in [&mut self.size, &mut self.compressed, &mut self.start] {
            if *number == MAXED {
                *number = numbers.u64().map_err(|_| {
                    malformed("a member has a zip64 field without the number that is to be there")
                })?;
            }
        }
        Ok(())
    }

    /// Takes a name in UTF-8 that is given beside that of the header, if it is one of that.
    fn rename(&mut self, field: &[u8], name_crc: u32) -> Result<()> {
        let mut numbers = Numbers(field);
        let (Ok([version]), Ok(crc)) = (numbers.bytes(), numbers.u32()) else { return Ok(()) };
        let name = numbers.0;
        if version != 1 || crc != name_crc || name.is_empty() {
            return Ok(());
        }
        self.name = utf8(name)?.to_owned();
        Ok(())
    }
}

/// The next bytes of a directory.
fn take<R: Read>(directory: &mut io::Take<R>, count: usize) -> Result<Vec<u8>> {
    if directory.limit() < to_u64(count) {
        return Err(malformed(
            "its directory ends within a member; copy the file again, or make it anew",
        ));
    }
    // At most 64 KiB: a length has two bytes.
    let mut bytes = vec![0; count];
    directory.read_exact(&mut bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => malformed(super::CUT),
        _ => error.into(),
    })?;
    Ok(bytes)
}

/// Refuses what a newer zip is needed for than there is.
fn newer(version: u8) -> Result<()> {
    // 6.3, of 2006.
    const NEWEST: u8 = 63;
    if version <= NEWEST {
        return Ok(());
    }
    Err(unsupported("a member of a newer kind of zip", "a tool of its time to unpack it"))
}

fn decoded(raw: &[u8], flags: u16) -> Result<String> {
    if flags & UTF8 != 0 || raw.is_ascii() {
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
        let name = name::excerpt(&raw.escape_ascii().to_string());
        malformed(format!(
            "the name b\"{name}\" is marked as UTF-8 and is not; write the archive again"
        ))
    })
}

/// The characters from 0x80 on of a name that is not marked as UTF-8.
const CODE_PAGE_437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards the table: one character for each byte.
    #[test]
    fn code_page_437_has_128_characters() {
        assert_eq!(CODE_PAGE_437.chars().count(), 128);
        assert_eq!(decoded(b"caf\x82\xff", 0).unwrap(), "café\u{a0}");
        assert_eq!(decoded("é".as_bytes(), UTF8).unwrap(), "é");
    }
}
