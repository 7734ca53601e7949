//! The headers of a member that gets another position or another name.

use crate::checked;
use crate::error::to_u64;
use crate::extra;
use crate::records::{CentralHeader, Common, ExtraHeader, IN_ZIP64, LocalHeader, Part};

/// The version of zip that introduced large numbers.
const ZIP64_VERSION: u16 = 45;

/// Returns the header before the data for a member at `position`, with another name if there is one.
///
/// If `is_aligned`, the data stays aligned: the padding among the extra fields is replaced. Returns `None` if `old` is not a header.
pub(super) fn local(
    old: &[u8],
    name: Option<&str>,
    is_aligned: bool,
    position: u64,
) -> Option<Vec<u8>> {
    let (LocalHeader { mut common }, rest) = LocalHeader::split_from(old)?;
    let (old_name, old_extra) = rest.split_at_checked(common.name_length.into())?;
    let new_name = rename(&mut common, name, old_name)?;
    let size = checked::add(LocalHeader::SIZE, new_name.len());
    let data = |extra: &[u8]| checked::add(position, to_u64(checked::add(size, extra.len())));

    let mut new_extra = old_extra.to_vec();
    if is_aligned && !extra::is_aligned(data(old_extra)) && extra::is_complete(old_extra) {
        extra::remove(&mut new_extra, ExtraHeader::ALIGNMENT);
        let unpadded = data(&new_extra);
        extra::append_padding(&mut new_extra, unpadded);
        if u16::try_from(new_extra.len()).is_err() {
            new_extra = old_extra.to_vec();
        }
    }
    common.extra_length = u16::try_from(new_extra.len()).ok()?;
    let mut header = LocalHeader { common }.to_bytes();
    header.extend(new_name);
    header.extend(new_extra);
    Some(header)
}

/// Returns the entry in the directory for a member at `position`, with another name if there is one; `None` if `old` is not an entry. The
/// entry of a member that stays where it is does not change.
pub(super) fn central(old: &[u8], name: Option<&str>, position: u64) -> Option<Vec<u8>> {
    let (mut header, rest) = CentralHeader::split_from(old)?;
    let (old_name, rest) = rest.split_at_checked(header.common.name_length.into())?;
    let (old_extra, comment) = rest.split_at_checked(header.common.extra_length.into())?;
    let start = u32::try_from(position).unwrap_or(IN_ZIP64);
    let mut new_extra = old_extra.to_vec();
    if header.start == IN_ZIP64 || start == IN_ZIP64 {
        let numbers = extra::remove(&mut new_extra, ExtraHeader::ZIP64).unwrap_or_default();
        let sizes = [header.common.size, header.common.compressed];
        let sizes = sizes.iter().filter(|&&size| size == IN_ZIP64).count();
        let (kept, after) = numbers.split_at_checked(sizes.saturating_mul(u64::SIZE))?;
        // The position comes after the sizes, and before the number of a disk.
        let (old_position, after) = match header.start {
            IN_ZIP64 => u64::split_from(after)?,
            start => (start.into(), after),
        };
        if name.is_none() && position == old_position {
            return Some(old.to_vec());
        }
        let mut numbers = kept.to_vec();
        if start == IN_ZIP64 {
            position.append_to(&mut numbers);
            header.common.version = header.common.version.max(ZIP64_VERSION);
        }
        numbers.extend(after);
        if !numbers.is_empty() {
            extra::append_extra(&mut new_extra, ExtraHeader::ZIP64, &numbers)?;
        }
    }
    if name.is_some() {
        extra::remove(&mut new_extra, ExtraHeader::UNICODE_NAME);
    }
    header.start = start;
    let new_name = rename(&mut header.common, name, old_name)?;
    header.common.extra_length = u16::try_from(new_extra.len()).ok()?;
    let mut entry = header.to_bytes();
    for part in [new_name, &new_extra, comment] {
        entry.extend(part);
    }
    Some(entry)
}

/// Applies a new name, if there is one, and returns the bytes of the name. Returns `None` if it is too long.
fn rename<'n>(common: &mut Common, name: Option<&'n str>, old: &'n [u8]) -> Option<&'n [u8]> {
    let Some(name) = name else { return Some(old) };
    if !name.is_ascii() {
        common.flags |= Common::UTF8;
    }
    common.name_length = u16::try_from(name.len()).ok()?;
    Some(name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an entry named `x.npy` with these sizes and this position, and these numbers in its zip64 field.
    fn entry(size: u32, start: u32, large: &[u64]) -> Vec<u8> {
        let mut fields = Vec::new();
        extra::append_extra(&mut fields, 9, b"other").unwrap();
        if !large.is_empty() {
            extra::append_extra(&mut fields, ExtraHeader::ZIP64, &extra::zip64(large)).unwrap();
        }
        let common = Common {
            version: 20,
            compressed: size,
            size,
            name_length: 5,
            extra_length: fields.len().try_into().unwrap(),
            ..Common::default()
        };
        let header = CentralHeader { common, comment_length: 2, start, ..CentralHeader::default() };
        [&header.to_bytes(), &b"x.npy"[..], &fields, b"hi"].concat()
    }

    /// Guards positions below and above 4 GiB, with sizes of four and of eight bytes.
    #[test]
    fn a_position_is_in_the_zip64_field_exactly_if_it_is_large() {
        const LARGE: u64 = 5 << 32;
        for (size, sizes) in [(7, &[][..]), (IN_ZIP64, &[7, 7])] {
            let small = entry(size, 5, sizes);
            let large = entry(size, IN_ZIP64, &[sizes, &[LARGE]].concat());
            let mut large_version = large.clone();
            large_version[6] = 45;
            assert_eq!(central(&small, None, LARGE).unwrap(), large_version);
            assert_eq!(central(&large, None, 5).unwrap(), small);
            assert_eq!(central(&large, None, LARGE).unwrap(), large);
            assert_eq!(central(&small, None, 5).unwrap(), small);
            assert_eq!(central(&large[..large.len() - 3], None, 5), None);
        }
        assert_eq!(central(&entry(IN_ZIP64, 5, &[]), None, LARGE), None, "sizes are missing");
    }

    #[test]
    fn a_name_that_is_not_ascii_is_marked() {
        let renamed = central(&entry(7, 5, &[]), Some("é"), 5).unwrap();
        let (header, rest) = CentralHeader::split_from(&renamed).unwrap();
        assert_eq!((header.common.flags, header.common.name_length), (Common::UTF8, 2));
        assert!(rest.starts_with("é".as_bytes()) && rest.ends_with(b"hi"));
    }

    /// Guards that the data stays aligned, and that a header which need not change does not.
    #[test]
    fn only_the_padding_of_a_header_changes() {
        let mut fields = Vec::new();
        extra::append_extra(&mut fields, 9, b"other").unwrap();
        extra::append_padding(&mut fields, 35 + 9);
        let common = Common {
            name_length: 5,
            extra_length: fields.len().try_into().unwrap(),
            ..Common::default()
        };
        let old = [&LocalHeader { common }.to_bytes(), &b"x.npy"[..], &fields].concat();
        assert_eq!(old.len(), 64);
        for position in [0, 1, 10, 63, 64, 1 << 40] {
            assert_eq!(local(&old, None, false, position).unwrap(), old);
            for name in [None, Some("much longer.npy")] {
                let new = local(&old, name, true, position).unwrap();
                assert!(extra::is_aligned(position + new.len() as u64), "{position}");
                assert!(new.windows(5).any(|bytes| bytes == b"other"));
                assert_eq!(new == old, position % 64 == 0 && name.is_none());
            }
        }
    }
}
