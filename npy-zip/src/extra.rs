//! The extra fields in the headers of a member.

use crate::records::{ExtraHeader, Part};

/// Returns true if the data of a written member may be at this position.
pub(crate) fn is_aligned(position: u64) -> bool {
    position.is_multiple_of(crate::ALIGNMENT.into())
}

/// Appends the extra field that aligns the data, which would be at `position` without it.
pub(crate) fn append_padding(extra: &mut Vec<u8>, position: u64) {
    // The bytes before the zeros: four of the field's header, and two of the alignment.
    const FIXED: u8 = 6;
    if is_aligned(position) {
        return;
    }
    // The alignment divides 256, so the lowest byte of the position is enough.
    let [low, ..] = position.to_le_bytes();
    let zeros = low.wrapping_add(FIXED).wrapping_neg() % crate::ALIGNMENT;
    let length = u16::from(zeros).saturating_add(2);
    ExtraHeader { id: ExtraHeader::ALIGNMENT, length }.append_to(extra);
    u16::from(crate::ALIGNMENT).append_to(extra);
    extra.extend(std::iter::repeat_n(0, zeros.into()));
}

/// Appends a field; `None` if its data is too long.
#[must_use]
pub(crate) fn append_extra(extra: &mut Vec<u8>, id: u16, data: &[u8]) -> Option<()> {
    let length = u16::try_from(data.len()).ok()?;
    ExtraHeader { id, length }.append_to(extra);
    extra.extend_from_slice(data);
    Some(())
}

/// Returns the data of the zip64 extra field, in which each number has eight bytes.
pub(crate) fn zip64(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Removes the fields of this kind from `extra`, and returns the data of the first one. Returns `None`, and removes nothing, if there is no
/// such field or `extra` is malformed.
pub(crate) fn remove(extra: &mut Vec<u8>, id: u16) -> Option<Vec<u8>> {
    let mut removed = None;
    let mut others = Vec::new();
    let mut rest = &extra[..];
    while !rest.is_empty() {
        let (header, after) = ExtraHeader::split_from(rest)?;
        let (data, after) = after.split_at_checked(header.length.into())?;
        if header.id == id {
            removed.get_or_insert_with(|| data.to_vec());
        } else {
            append_extra(&mut others, header.id, data)?;
        }
        rest = after;
    }
    if removed.is_some() {
        *extra = others;
    }
    removed
}

/// Returns true if `extra` consists of complete fields, so that another one can be appended.
pub(crate) fn is_complete(mut extra: &[u8]) -> bool {
    while let Some((header, rest)) = ExtraHeader::split_from(extra) {
        let Some(rest) = rest.get(header.length.into()..) else { return false };
        extra = rest;
    }
    extra.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards that only fields of the kind are removed, and nothing from bytes that are not fields.
    #[test]
    fn fields_are_removed_by_their_kind() {
        let mut extra = Vec::new();
        for (id, data) in [(1, &b"ab"[..]), (2, b""), (1, b"c")] {
            append_extra(&mut extra, id, data).unwrap();
        }
        assert!(is_complete(&extra));
        assert_eq!(remove(&mut extra, 3), None);
        assert_eq!(remove(&mut extra, 1), Some(b"ab".to_vec()));
        assert_eq!(extra, [2, 0, 0, 0]);
        for malformed in [&[1, 0, 0, 0, 9][..], &[1, 0, 2, 0, 9]] {
            assert!(!is_complete(malformed));
            assert_eq!(remove(&mut malformed.to_vec(), 1), None);
        }
    }
}
