//! The types of the elements, each with its bytes in three forms and its fields, stated here and not by the library.

use std::fmt::Debug;

use npy_core::{ByteStr, Element, NpyElement, NpyRecord};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

/// How the elements are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Little,
    Big,
    /// Records have their fields in another order and padding between them.
    Moved,
}

impl Form {
    fn order(self) -> char {
        if self == Form::Big { '>' } else { '<' }
    }
}

/// An element of a file.
pub(crate) trait Item: Element + Clone + PartialEq + Debug {
    /// The values of a field.
    type Column: Element + PartialEq + Debug;
    /// The element as serde reads it.
    type Row: DeserializeOwned;

    /// The paths of fields of that type.
    const COLUMNS: &'static [&'static str] = &[];

    /// Returns the dtype as a header has it.
    fn descr(form: Form) -> String;

    /// Returns an element that differs from those of other numbers, if possible.
    fn nth(n: usize) -> Self;

    /// Appends its bytes.
    fn store(&self, form: Form, out: &mut Vec<u8>);

    /// Returns the field of this index in `COLUMNS`.
    fn column(&self, _: usize) -> Self::Column {
        unreachable!("no columns")
    }

    fn is(&self, row: &Self::Row) -> bool;

    /// Returns bytes that are not an element; `None` if all are.
    fn invalid() -> Option<Vec<u8>> {
        None
    }
}

macro_rules! number {
    ($($type:ty: $descr:literal, $make:expr;)*) => {$(
        impl Item for $type {
            type Column = u8;
            type Row = f64;

            fn descr(form: Form) -> String {
                format!("'{}{}'", form.order(), $descr)
            }

            fn nth(n: usize) -> Self {
                $make(n)
            }

            fn store(&self, form: Form, out: &mut Vec<u8>) {
                match form {
                    Form::Big => out.extend(self.to_be_bytes()),
                    _ => out.extend(self.to_le_bytes()),
                }
            }

            fn is(&self, row: &f64) -> bool {
                f64::from(*self).to_bits() == row.to_bits()
            }
        }
    )*};
}

number! {
    u8: "u1", |n: usize| u8::try_from(n % 251).unwrap();
    i16: "i2", |n: usize| i16::try_from(n % 65_521).unwrap_or(-7);
    f64: "f8", |n: usize| f64::from(u32::try_from(n).unwrap()) + 0.5;
}

/// An element of no bytes.
impl Item for ByteStr<0> {
    type Column = u8;
    type Row = String;

    fn descr(_: Form) -> String {
        "'|S0'".into()
    }

    fn nth(_: usize) -> Self {
        ByteStr::default()
    }

    fn store(&self, _: Form, _: &mut Vec<u8>) {}

    fn is(&self, row: &String) -> bool {
        row.is_empty()
    }
}

/// Some bytes are not a value.
#[derive(NpyElement, Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub(crate) enum Flag {
    Off,
    On,
}

impl Item for Flag {
    type Column = u8;
    type Row = u8;

    fn descr(_: Form) -> String {
        "'|u1'".into()
    }

    fn nth(n: usize) -> Self {
        if n.is_multiple_of(3) { Flag::On } else { Flag::Off }
    }

    fn store(&self, _: Form, out: &mut Vec<u8>) {
        out.push(*self as u8);
    }

    fn is(&self, row: &u8) -> bool {
        *self as u8 == *row
    }

    fn invalid() -> Option<Vec<u8>> {
        Some(vec![7])
    }
}

/// A record with a sub-array, and no padding in canonical form.
#[derive(NpyRecord, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Trace {
    id: u32,
    samples: [i16; 3],
    code: i16,
}

impl Item for Trace {
    type Column = i16;
    type Row = Trace;

    const COLUMNS: &'static [&'static str] = &["code", "samples[0]", "samples[2]"];

    fn descr(form: Form) -> String {
        let o = form.order();
        match form {
            Form::Moved => format!(
                "[('code', '{o}i2'), ('', '|V3'), ('samples', '{o}i2', (3,)), ('id', '{o}u4'), ('', '|V1')]"
            ),
            _ => {
                format!("[('id', '{o}u4'), ('samples', '{o}i2', (3,)), ('code', '{o}i2')]")
            }
        }
    }

    fn nth(n: usize) -> Self {
        let low = i16::nth(n);
        Trace { id: u32::try_from(n).unwrap(), samples: [low, -low, 7], code: low ^ 0x55 }
    }

    fn store(&self, form: Form, out: &mut Vec<u8>) {
        let samples = |out: &mut Vec<u8>| self.samples.iter().for_each(|s| s.store(form, out));
        match form {
            Form::Moved => {
                self.code.store(form, out);
                out.extend([0; 3]);
                samples(out);
                out.extend(self.id.to_le_bytes());
                out.push(0);
            }
            Form::Little => out.extend(self.id.to_le_bytes()),
            Form::Big => out.extend(self.id.to_be_bytes()),
        }
        if form != Form::Moved {
            samples(out);
            self.code.store(form, out);
        }
    }

    fn column(&self, index: usize) -> i16 {
        [self.code, self.samples[0], self.samples[2]][index]
    }

    fn is(&self, row: &Trace) -> bool {
        self == row
    }
}

/// An element that is larger than a block.
#[derive(NpyRecord, Clone, Debug, PartialEq)]
pub(crate) struct Wide {
    data: Box<[u16; 140_000]>,
}

impl Item for Wide {
    type Column = u16;
    type Row = IgnoredAny;

    const COLUMNS: &'static [&'static str] = &["data[1]", "data[139999]"];

    fn descr(form: Form) -> String {
        format!("[('data', '{}u2', (140000,))]", form.order())
    }

    fn nth(n: usize) -> Self {
        let mut data = Box::new([u16::try_from(n).unwrap(); 140_000]);
        data[1] = 77;
        Wide { data }
    }

    fn store(&self, form: Form, out: &mut Vec<u8>) {
        match form {
            Form::Big => out.extend(self.data.iter().flat_map(|n| n.to_be_bytes())),
            _ => out.extend(self.data.iter().flat_map(|n| n.to_le_bytes())),
        }
    }

    fn column(&self, index: usize) -> u16 {
        [self.data[1], self.data[139_999]][index]
    }

    fn is(&self, _: &IgnoredAny) -> bool {
        true
    }
}

/// A value that is read: an element, or an array of elements along the last dimension.
pub(crate) trait Value<T>: Element + Clone {
    /// The number of elements in it; `None` for an element itself, which has no dimension.
    const LEN: Option<usize>;

    fn items(&self) -> &[T];

    /// Makes a value, to be overwritten.
    fn filled(item: T) -> Self;
}

impl<T: Item> Value<T> for T {
    const LEN: Option<usize> = None;

    fn items(&self) -> &[T] {
        std::slice::from_ref(self)
    }

    fn filled(item: T) -> Self {
        item
    }
}

impl<T: Item, const N: usize> Value<T> for [T; N] {
    const LEN: Option<usize> = Some(N);

    fn items(&self) -> &[T] {
        self
    }

    fn filled(item: T) -> Self {
        std::array::from_fn(|_| item.clone())
    }
}
