//! The derive in a module without a prelude, with the crate under another name, among hostile names.

#![no_implicit_prelude]
#![deny(warnings)]
// Of the names here, not of what is generated.
#![allow(missing_docs, unreachable_pub)]

extern crate npy_core as renamed;

/// Names that generated code could trip over.
mod hostile {
    #![allow(dead_code, non_camel_case_types)]

    pub struct Element;
    pub struct Result;
    pub struct NpyRecord;
    pub struct DType;
    pub struct ByteOrder;
    pub struct u8;
    pub struct usize;
    pub struct str;
    pub const FIELDS: () = ();
    pub fn part() {}
    pub fn record() {}
    pub mod core {}
    pub mod npy_core {}
}

#[allow(unused_imports)]
use self::hostile::*;

#[derive(renamed::NpyRecord)]
#[npy(crate = ::renamed)]
pub struct Fields {
    /// Called as what generated code calls its own.
    pub item: ::core::primitive::u8,
    pub items: i16,
    pub order: u32,
    pub field: [f32; 2],
    pub r#type: i64,
    pub r#fn: f64,
    pub self_: bool,
    pub size: i8,
}

#[derive(renamed::NpyRecord)]
#[npy(crate = "renamed")]
pub struct Generic<Item, E, const N: ::core::primitive::usize>(pub Item, pub [E; N]);

#[test]
fn it_works() {
    use ::renamed::Element as _;
    ::core::assert_eq!(Fields::SIZE, 1 + 2 + 4 + 8 + 8 + 8 + 1 + 1);
    ::core::assert_eq!(Generic::<f32, i16, 3>::SIZE, 4 + 6);
    let value = Generic::<f32, i16, 3>::decode(&[0; 10]);
    ::core::assert_eq!(value.1, [0; 3]);
}
