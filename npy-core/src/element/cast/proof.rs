//! Proves at compile time that a struct in memory has the layout of its dtype.

use std::marker::PhantomData;

use crate::dtype::DType;
use crate::element::layout::{Packing, field};
use crate::element::record::FieldLayout;

/// Proves the layout of a `T` from the fields that derived code passes to it.
///
/// Derived code finds this type through `ZeroCopy::__MEMORY`, because `#[npy(crate = …)]` could redirect a path to another type.
#[derive(Debug)]
pub struct Memory<T>(PhantomData<fn() -> T>);

/// A field of a struct in memory; made by [`Memory::field`].
#[derive(Clone, Copy, Debug)]
pub struct MemoryField {
    /// The name in Rust.
    pub(super) name: &'static str,
    /// The offset in bytes.
    pub(super) offset: usize,
    /// The size in bytes.
    pub(super) size: usize,
    /// True if it has padding inside.
    pub(super) padded: bool,
    /// The dtype in memory.
    pub(crate) dtype: fn() -> DType,
}

impl<T> Memory<T> {
    pub(super) const fn new() -> Self {
        Memory(PhantomData)
    }

    /// Proves that each field of `T` is at its offset in `record`, an item of which has `size`
    /// bytes. Returns true if there is padding. The `skipped` fields are not in the record.
    ///
    /// A field at another offset is a compile error. Even if `fields` has wrong offsets, the result
    /// is `false` only if the sizes of all fields add up to the size of `T`.
    #[track_caller]
    pub const fn proved<const N: usize>(
        &self,
        name: &'static str,
        aligned: bool,
        fields: [MemoryField; N],
        skipped: &[MemoryField],
        record: &[FieldLayout],
        size: usize,
    ) -> bool {
        proved((name, size_of::<T>()), aligned, &fields, skipped, record, size)
    }

    /// Like [`proved`](Self::proved), for a newtype, which is stored like its only field, as an
    /// item of `size` bytes.
    #[track_caller]
    pub const fn proved_alone(
        &self,
        name: &'static str,
        aligned: bool,
        fields: [MemoryField; 1],
        size: usize,
    ) -> bool {
        self.proved(name, aligned, fields, &[], &Packing::Packed.layout([field("", size, 1)]), size)
    }
}

/// Like [`Memory::proved`], for a struct of this name and of `memory` bytes. `fields` must be in
/// the order of their offsets.
// Runs at compile time, where an overflow or a bad index is an error.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#[track_caller]
const fn proved(
    (name, memory): (&str, usize),
    aligned: bool,
    fields: &[MemoryField],
    mut skipped: &[MemoryField],
    record: &[FieldLayout],
    size: usize,
) -> bool {
    if record.is_empty() {
        // The derive of the record has already reported an error.
        return true;
    }
    let message = Message::of(&[
        "`",
        name,
        "` has other fields than its record: a view shows the struct as it is in the file, field for field",
    ]);
    assert!(record.len() == fields.len(), "{}", message.get());
    let mut padded = false;
    let mut filled = 0;
    let skips = !skipped.is_empty();
    while let [field, others @ ..] = skipped {
        padded |= field.padded;
        filled += field.size;
        skipped = others;
    }
    let mut end = 0;
    let mut i = 0;
    while i < fields.len() {
        let field = &fields[i];
        let gaps = (field.offset - end, record[i].offset.saturating_sub(end));
        let place = [" before `", field.name, "`"];
        assert!(gaps.0 == gaps.1, "{}", other_padding(name, (aligned, skips), gaps, place).get());
        padded |= field.padded;
        filled += field.size;
        end = field.offset + field.size;
        i += 1;
    }
    let gaps = (memory - end, size.saturating_sub(end));
    let place = [" at its end", "", ""];
    assert!(gaps.0 == gaps.1, "{}", other_padding(name, (aligned, skips), gaps, place).get());
    padded || filled != memory
}

/// Returns the message for padding whose size in memory differs from that in the dtype. The last
/// argument says where the padding is.
const fn other_padding(
    name: &str,
    (aligned, skips): (bool, bool),
    (memory, dtype): (usize, usize),
    [before, field, after]: [&str; 3],
) -> Message {
    let (in_memory, in_dtype) = (Message::bytes(memory), Message::bytes(dtype));
    let (amount, of) = if memory == 0 { ("no", "") } else { (in_memory.get(), " of") };
    let stated = if dtype == 0 { "none" } else { in_dtype.get() };
    let remedy = if skips {
        "fields with #[npy(skip)] fill the padding of the dtype, and no more"
    } else if memory < dtype {
        "make that padding a field of bytes, with #[npy(skip)]"
    } else if aligned {
        "add #[npy(align)] to the structs inside it too, or make that padding a field of bytes"
    } else {
        "add #[npy(align)], or #[repr(C, packed)]"
    };
    let start = Message::of(&["`", name, "` has ", amount, of, " padding", before, field, after]);
    Message::of(&[start.get(), " in memory and ", stated, " in its dtype: ", remedy])
}

/// A text that is built at compile time.
struct Message {
    bytes: [u8; Message::LONGEST],
    len: usize,
}

impl Message {
    const LONGEST: usize = 512;

    /// Joins the pieces. A piece that does not fit is left out.
    const fn of(mut pieces: &[&str]) -> Self {
        let mut message = Message { bytes: [0; Message::LONGEST], len: 0 };
        while let [piece, rest @ ..] = pieces {
            let (_, free) = message.bytes.split_at_mut(message.len);
            if let Some((slot, _)) = free.split_at_mut_checked(piece.len()) {
                slot.copy_from_slice(piece.as_bytes());
                message.len = message.len.saturating_add(piece.len());
            }
            pieces = rest;
        }
        message
    }

    /// Formats a number of bytes: `1 byte`, `7 bytes`.
    const fn bytes(count: usize) -> Self {
        let unit = if count == 1 { " byte" } else { " bytes" };
        Message::of(&[Message::number(count).get(), unit])
    }

    const fn number(n: usize) -> Self {
        let digit = "0123456789".split_at(n % 10).1.split_at(1).0;
        if n < 10 {
            return Message::of(&[digit]);
        }
        Message::of(&[Message::number(n / 10).get(), digit])
    }

    const fn get(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::zero_copy::ZeroCopy;
    use super::*;

    fn field(name: &'static str, offset: usize, size: usize) -> MemoryField {
        MemoryField { name, offset, size, padded: false, dtype: u8::memory_dtype }
    }

    /// Compares two layouts of a struct. Its first field has one byte. Its second field has eight
    /// bytes and is at `offset` in memory, and at `in_record` in the record.
    fn proof(
        (offset, size): (usize, usize),
        (in_record, record_size): (usize, usize),
        aligned: bool,
    ) -> Result<bool, String> {
        let layout = |name, offset, size| FieldLayout {
            offset,
            ..Packing::Packed.layout([super::field(name, size, 1)])[0]
        };
        let record = [layout("a", 0, 1), layout("b", in_record, 8)];
        let fields = [field("flag", 0, 1), field("value", offset, 8)];
        let prove = || proved(("Sample", size), aligned, &fields, &[], &record, record_size);
        std::panic::catch_unwind(prove).map_err(|message| *message.downcast::<String>().unwrap())
    }

    #[test]
    fn padding_is_told() {
        assert_eq!(proof((1, 9), (1, 9), false), Ok(false));
        assert_eq!(proof((8, 16), (8, 16), true), Ok(true));
        assert_eq!(proof((1, 16), (1, 16), false), Ok(true));
        let inside = MemoryField { padded: true, ..field("a", 0, 4) };
        let record = Packing::Packed.layout([super::field("a", 4, 1)]);
        assert!(proved(("S", 4), false, &[inside], &[], &record, 4));
    }

    #[test]
    fn each_difference_is_an_error_that_says_how_much_and_where() {
        let align = "add #[npy(align)], or #[repr(C, packed)]";
        let inside =
            "add #[npy(align)] to the structs inside it too, or make that padding a field of bytes";
        let field = "make that padding a field of bytes, with #[npy(skip)]";
        for (memory, record, aligned, message) in [
            (
                (8, 16),
                (1, 9),
                false,
                format!(
                    "7 bytes of padding before `value` in memory and none in its dtype: {align}"
                ),
            ),
            (
                (2, 10),
                (1, 9),
                false,
                format!(
                    "1 byte of padding before `value` in memory and none in its dtype: {align}"
                ),
            ),
            (
                (8, 16),
                (4, 12),
                true,
                format!(
                    "7 bytes of padding before `value` in memory and 3 bytes in its dtype: {inside}"
                ),
            ),
            (
                (1, 9),
                (8, 16),
                false,
                format!("no padding before `value` in memory and 7 bytes in its dtype: {field}"),
            ),
            (
                (1, 128),
                (1, 9),
                false,
                format!("119 bytes of padding at its end in memory and none in its dtype: {align}"),
            ),
            (
                (1, 9),
                (1, 10),
                true,
                format!("no padding at its end in memory and 1 byte in its dtype: {field}"),
            ),
        ] {
            assert_eq!(proof(memory, record, aligned), Err(format!("`Sample` has {message}")));
        }
        let record = Packing::Packed.layout([super::field("", 0, 1)]);
        let error =
            std::panic::catch_unwind(|| proved(("S", 0), false, &[], &[], &record, 0)).unwrap_err();
        let message = error.downcast::<String>().unwrap();
        assert!(message.starts_with("`S` has other fields than its record: "), "{message}");
    }

    /// Guards soundness: wrong offsets cannot hide padding.
    #[test]
    fn padding_is_found_whatever_the_offsets_are() {
        for (offset, size) in [(1, 16), (8, 16)] {
            let proved = proof((offset, size), (offset, size), true);
            assert_ne!(proved, Ok(false), "9 bytes of 16 are fields");
        }
    }

    #[test]
    fn a_message_that_is_too_long_stays_text() {
        let long = "é".repeat(300);
        assert_eq!(Message::of(&["a", &long, "b"]).get(), "ab");
    }
}
