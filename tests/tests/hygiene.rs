//! The derive in a module without a prelude, with the crate under another name, among hostile names and strict lints.

#![no_implicit_prelude]
// For the code in this file; the unsafe code that `ZeroCopy` emits belongs to the library.
#![forbid(unsafe_code)]
#![deny(warnings, unused_qualifications, clippy::pedantic, clippy::nursery)]
// For the names in this file, not for generated code.
#![allow(missing_docs, unreachable_pub, non_upper_case_globals)]

extern crate npy_core as renamed;

/// Names that generated code could pick up by mistake.
mod hostile {
    #![allow(dead_code, non_camel_case_types)]

    pub struct Element;
    pub struct Result;
    pub struct NpyRecord;
    pub struct NpzArchive;
    pub struct Error;
    pub struct Write;
    pub struct Reader;
    pub struct bool;
    pub struct Some;
    pub struct None;
    pub mod std {}
    pub mod npz {}
    pub struct DType;
    pub struct ByteOrder;
    pub struct u8;
    pub struct usize;
    pub struct str;
    pub const FIELDS: () = ();
    pub const fn part() {}
    pub const fn record() {}
    pub mod core {}
    pub mod npy_core {}

    // In a pattern, such a name would be a constant instead of a new variable.
    pub const at: () = ();
    pub const to: () = ();
    pub static from: () = ();
    pub struct found;
    pub static member: () = ();
    pub struct item;
    pub struct items;
    pub const order: () = ();
    pub static field: () = ();
    pub static error: () = ();
}

#[allow(unused_imports)]
use self::hostile::*;

#[derive(renamed::NpyRecord)]
#[npy(crate = ::renamed)]
pub struct Fields {
    /// The same name as a variable in generated code.
    pub item: ::core::primitive::u8,
    pub items: i16,
    pub order: u32,
    pub field: [f32; 2],
    pub r#type: i64,
    pub r#fn: f64,
    pub self_: ::core::primitive::bool,
    pub size: i8,
}

#[derive(renamed::NpyRecord)]
#[npy(crate = "renamed")]
pub struct Generic<Item, E, const N: ::core::primitive::usize>(pub Item, pub [E; N]);

/// Constants named like variables in generated code.
#[derive(renamed::NpyRecord)]
#[npy(crate = renamed)]
pub struct Lengths<const order: ::core::primitive::usize, const field: ::core::primitive::usize> {
    pub a: [i8; order],
    pub b: [i8; field],
}

/// A record that is in memory as in the file.
#[derive(renamed::NpyRecord, renamed::ZeroCopy, Clone, Copy)]
#[npy(crate = renamed)]
#[repr(C)]
pub struct Viewed<Item, const order: ::core::primitive::usize> {
    pub memory: Item,
    pub fields: [Item; order],
}

#[derive(renamed::NpyRecord, renamed::ZeroCopy, Clone, Copy)]
#[npy(crate = renamed)]
#[repr(C)]
pub struct Proved {
    pub r#type: ::core::primitive::u8,
    pub size: i8,
}

/// Methods of every type, whose names generated code could call.
pub trait Blanket {
    fn of() {}
    fn plain() {}
}

impl<T> Blanket for T {}

/// A `repr(C)` record that cannot be viewed.
#[derive(renamed::NpyRecord)]
#[npy(crate = renamed)]
#[repr(C)]
pub struct Laid {
    pub a: ::core::primitive::u8,
    pub b: f32,
}

#[derive(renamed::NpyElement, renamed::ZeroCopy, Clone, Copy)]
#[npy(crate = renamed)]
#[repr(transparent)]
pub struct Newtype(pub f32);

/// Deprecated: users get the warning, the definition itself does not.
#[derive(renamed::NpyRecord, renamed::ZeroCopy, Clone, Copy)]
#[npy(crate = renamed)]
#[repr(C)]
#[deprecated]
pub struct Old {
    #[deprecated]
    pub a: i8,
}

/// Conversions of a field, with names that generated code could pick up.
pub mod codec {
    pub type Stored = f32;

    #[must_use]
    pub const fn encode(value: &f32) -> Stored {
        *value
    }

    #[must_use]
    pub const fn decode(stored: Stored) -> f32 {
        stored
    }
}

/// A default.
#[must_use]
pub const fn seven() -> i16 {
    7
}

/// Has every attribute that generates code.
#[derive(renamed::NpyRecord)]
#[npy(crate = renamed, itemsize = 100, deny_unknown_fields)]
pub struct Attributes {
    #[npy(rename = "x", alias = "y", title = "c", offset = 2, default = seven)]
    pub a: i16,
    #[npy(width = 3)]
    pub text: ::std::string::String,
    #[npy(width = 3, bytes, default)]
    pub bytes: ::std::string::String,
    #[npy(width = 3)]
    pub raw: ::std::vec::Vec<::core::primitive::u8>,
    #[npy(skip)]
    pub skipped: ::core::option::Option<i8>,
    #[npy(with = codec)]
    pub with: f32,
    #[npy(flatten)]
    pub flat: Lengths<2, 3>,
}

/// Has the attributes that generate code only for reading.
#[derive(renamed::NpyRecord)]
#[npy(crate = renamed)]
pub struct OnlyRead {
    #[npy(width = any, default)]
    pub text: ::std::string::String,
    #[npy(width = any, bytes)]
    pub bytes: ::std::string::String,
}

/// Has a default for the whole struct.
#[derive(renamed::NpyRecord)]
#[npy(crate = renamed, default)]
pub struct Defaults<T> {
    pub x: i8,
    #[npy(skip)]
    pub y: T,
}

impl<T: ::core::default::Default> ::core::default::Default for Defaults<T> {
    fn default() -> Self {
        Self { x: 1, y: T::default() }
    }
}

/// An enum stored as an integer.
#[derive(renamed::NpyElement)]
#[npy(crate = renamed)]
#[repr(i8)]
pub enum Phase {
    P,
    S,
}

/// An archive with every attribute that generates code.
#[derive(renamed::NpzArchive)]
#[npy(crate = ::renamed, deny_unknown_fields, rename_all = "camelCase")]
pub struct Archive<W, R, const at: ::core::primitive::usize, const from: ::core::primitive::usize> {
    pub r#type: ::std::vec::Vec<W>,
    pub to: [R; at],
    pub from: [i8; from],
    #[npy(rename = "x", alias = "y", default = seven)]
    pub a: i16,
    #[npy(default)]
    pub text: ::std::string::String,
    #[npy(skip)]
    pub skipped: ::core::option::Option<R>,
    #[npy(with = codec)]
    pub with: f32,
    #[npy(with = codec, default)]
    pub maybe: f32,
    #[npy(flatten)]
    pub flat: Members<i8>,
    pub inner: Members<f32>,
}

/// Has a default for the whole struct.
#[derive(renamed::NpzArchive)]
#[npy(crate = "renamed", default, bound(T: renamed::Element))]
pub struct Members<T>(::std::vec::Vec<T>, #[npy(skip)] i8);

impl<T> ::core::default::Default for Members<T> {
    fn default() -> Self {
        Self(::std::vec::Vec::new(), 1)
    }
}

/// The type of the field is private, and occurs in the bounds.
#[derive(renamed::NpzArchive)]
#[npy(crate = renamed)]
pub struct Seen<T> {
    unseen: Unseen<T>,
}

#[derive(renamed::NpzArchive)]
#[npy(crate = renamed)]
struct Unseen<T>(::std::vec::Vec<T>);

/// A record and an archive, deprecated.
#[derive(renamed::NpyRecord, renamed::NpzArchive)]
#[npy(crate = renamed, endian = "big", itemsize = 8)]
#[deprecated]
pub struct Both<T> {
    #[npy(title = "t")]
    #[deprecated]
    pub a: T,
}

#[test]
fn archives_work() {
    let bytes = ::std::io::Cursor::new(::std::vec::Vec::new());
    let mut writer = ::renamed::npz::Writer::new(bytes).unwrap();
    let archive = Archive {
        r#type: ::std::vec![1.5f32],
        to: [2u16; 2],
        from: [3; 1],
        a: 4,
        text: ::core::convert::From::from("x"),
        skipped: ::core::option::Option::Some(5),
        with: 6.0,
        maybe: 7.0,
        flat: Members(::std::vec![8], 9),
        inner: Members(::std::vec![], 9),
    };
    writer.write_fields(&archive).unwrap();
    let reader = ::renamed::npz::Reader::new(writer.finish().unwrap()).unwrap();
    let read = reader.read_fields::<Archive<f32, u16, 2, 1>>().unwrap();
    ::core::assert_eq!(read.r#type, archive.r#type);
    ::core::assert_eq!(read.flat.0, archive.flat.0);
    ::core::assert_eq!(read.flat.1, 1);
}

#[test]
fn it_works() {
    use ::renamed::{Element as _, ZeroCopy as _};
    ::core::assert_eq!(Fields::SIZE, 1 + 2 + 4 + 8 + 8 + 8 + 1 + 1);
    ::core::assert_eq!(Generic::<f32, i16, 3>::SIZE, 4 + 6);
    ::core::assert_eq!(Lengths::<2, 3>::SIZE, 5);
    ::core::assert_eq!(Attributes::SIZE, 100);
    ::core::assert_eq!(Defaults::<i8>::SIZE, 1);
    ::core::assert_eq!(Phase::SIZE, 1);
    ::core::assert_eq!(Viewed::<f32, 2>::memory_dtype().itemsize(), 12);
    ::core::assert_eq!(Proved::memory_dtype().itemsize(), 2);
    ::core::assert_eq!(Newtype::memory_dtype().itemsize(), 4);
    const { ::core::assert!(!Viewed::<f32, 2>::PADDED) };
    let value = Generic::<f32, i16, 3>::decode(&[0; 10]);
    ::core::assert_eq!(value.1, [0; 3]);
}
