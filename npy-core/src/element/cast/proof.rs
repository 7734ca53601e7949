//! Layer 4: proves at compile time that a struct in memory has the layout of its dtype.

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

    /// Proves that each field of `T` is at its offset in `record`, which has `size` bytes. Returns true if there is padding.
    ///
    /// A field at another offset is a compile error. Even if `fields` has wrong offsets, the result is `false` only if the sizes of the
    /// fields add up to the size of `T`.
    #[track_caller]
    pub const fn proved<const N: usize>(
        &self,
        name: &'static str,
        aligned: bool,
        fields: [MemoryField; N],
        record: &[FieldLayout],
        size: usize,
    ) -> bool {
        Layout { name, aligned, size: size_of::<T>(), fields }.proved(record, size)
    }

    /// Like [`proved`](Self::proved), for a newtype, which is stored like its only field. An item has `size` bytes.
    #[track_caller]
    pub const fn proved_alone(
        &self,
        name: &'static str,
        aligned: bool,
        fields: [MemoryField; 1],
        size: usize,
    ) -> bool {
        self.proved(name, aligned, fields, &Packing::Packed.layout([field("", size, 1)]), size)
    }
}

/// A struct in memory, with its fields in the order of their offsets.
struct Layout<const N: usize> {
    /// The name of the struct.
    name: &'static str,
    /// True if its dtype is laid out like in C.
    aligned: bool,
    /// The size in bytes.
    size: usize,
    fields: [MemoryField; N],
}

impl<const N: usize> Layout<N> {
    // Runs at compile time, where an overflow or a bad index is an error.
    #[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
    #[track_caller]
    const fn proved(&self, record: &[FieldLayout], size: usize) -> bool {
        if record.is_empty() {
            // The derive of the record has already reported an error.
            return true;
        }
        let message = Message::new().name(self.name).text(" has other fields than its record");
        let message =
            message.text(": a view shows the struct as it is in the file, field for field");
        assert!(record.len() == N, "{}", message.get());
        let mut padded = false;
        let mut end = 0;
        let mut i = 0;
        while i < N {
            let MemoryField { name, offset, size, padded: inside, .. } = self.fields[i];
            let gaps = (offset - end, record[i].offset.saturating_sub(end));
            assert!(gaps.0 == gaps.1, "{}", self.other_padding(gaps, Some(name)).get());
            padded |= inside || gaps.0 > 0;
            end = offset + size;
            i += 1;
        }
        let gaps = (self.size - end, size.saturating_sub(end));
        assert!(gaps.0 == gaps.1, "{}", self.other_padding(gaps, None).get());
        padded || gaps.0 > 0
    }

    /// Returns the message for padding that differs in memory and in the dtype, before `field` or at the end.
    const fn other_padding(
        &self,
        (memory, dtype): (usize, usize),
        field: Option<&'static str>,
    ) -> Message {
        let message = Message::new().name(self.name).text(" has ");
        let message =
            if memory == 0 { message.text("no") } else { message.bytes(memory).text(" of") };
        let message = message.text(" padding");
        let message = match field {
            Some(name) => message.text(" before ").name(name),
            None => message.text(" at its end"),
        };
        let message = message.text(" in memory and ");
        let message = if dtype == 0 { message.text("none") } else { message.bytes(dtype) };
        message.text(" in its dtype: ").text(if memory < dtype {
            "make that padding a field of bytes"
        } else if self.aligned {
            "add #[npy(align)] to the structs inside it too, or make that padding a field of bytes"
        } else {
            "add #[npy(align)], or #[repr(C, packed)]"
        })
    }
}

/// A text that is built at compile time. A piece that does not fit is left out.
struct Message {
    bytes: [u8; Message::LONGEST],
    len: usize,
}

impl Message {
    const LONGEST: usize = 512;

    const fn new() -> Self {
        Message { bytes: [0; Message::LONGEST], len: 0 }
    }

    const fn text(mut self, text: &str) -> Self {
        let (_, free) = self.bytes.split_at_mut(self.len);
        if let Some((slot, _)) = free.split_at_mut_checked(text.len()) {
            slot.copy_from_slice(text.as_bytes());
            self.len = self.len.saturating_add(text.len());
        }
        self
    }

    const fn name(self, name: &str) -> Self {
        self.text("`").text(name).text("`")
    }

    /// `1 byte`, `7 bytes`.
    const fn bytes(self, count: usize) -> Self {
        self.number(count).text(if count == 1 { " byte" } else { " bytes" })
    }

    const fn number(self, n: usize) -> Self {
        let before = if n < 10 { self } else { self.number(n / 10) };
        let digits = "0123456789";
        let (_, digit) = digits.split_at(n % 10);
        before.text(digit.split_at(1).0)
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

    /// Compares two layouts of a field of one byte, and one of eight bytes at `offset` in memory and at `in_record` in the record.
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
        let memory = Layout { name: "Sample", aligned, size, fields };
        std::panic::catch_unwind(|| memory.proved(&record, record_size))
            .map_err(|message| *message.downcast::<String>().unwrap())
    }

    #[test]
    fn padding_is_told() {
        assert_eq!(proof((1, 9), (1, 9), false), Ok(false));
        assert_eq!(proof((8, 16), (8, 16), true), Ok(true));
        assert_eq!(proof((1, 16), (1, 16), false), Ok(true));
        let inside = MemoryField { padded: true, ..field("a", 0, 4) };
        let record = Packing::Packed.layout([super::field("a", 4, 1)]);
        let memory = Layout { name: "S", aligned: false, size: 4, fields: [inside] };
        assert!(memory.proved(&record, 4));
    }

    #[test]
    fn each_difference_is_an_error_that_says_how_much_and_where() {
        let align = "add #[npy(align)], or #[repr(C, packed)]";
        let inside =
            "add #[npy(align)] to the structs inside it too, or make that padding a field of bytes";
        let field = "make that padding a field of bytes";
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
        let memory = Layout { name: "S", aligned: false, size: 0, fields: [] };
        let record = Packing::Packed.layout([super::field("", 0, 1)]);
        let error = std::panic::catch_unwind(|| memory.proved(&record, 0)).unwrap_err();
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
        assert_eq!(Message::new().text("a").text(&long).text("b").get(), "ab");
    }
}
