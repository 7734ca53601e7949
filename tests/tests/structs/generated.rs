// Made by tests/structs.rs, which says how to make it again.

pub(crate) mod dtype_0 {
/// One item of the array.
pub type Item = npy_core::DateTime64<npy_core::time::Generic>;
}

pub(crate) mod dtype_1 {
/// One item of the array.
pub type Item = npy_core::DateTime64<npy_core::time::Times<25, npy_core::time::Second>>;
}

pub(crate) mod dtype_2 {
/// One item of the array.
pub type Item = npy_core::DateTime64<npy_core::time::Day>;
}

pub(crate) mod dtype_3 {
/// One item of the array.
pub type Item = npy_core::DateTime64<npy_core::time::Week>;
}

pub(crate) mod dtype_4 {
/// One item of the array.
pub type Item = npy_core::DateTime64<npy_core::time::Hour>;
}

pub(crate) mod dtype_5 {
/// One item of the array.
pub type Item = npy_core::DateTime64<npy_core::time::Minute>;
}

pub(crate) mod dtype_6 {
/// One item of the array.
pub type Item = npy_core::DateTime64<npy_core::time::Ns>;
}

pub(crate) mod dtype_7 {
/// One item of the array.
pub type Item = npy_core::DateTime64<npy_core::time::Second>;
}

pub(crate) mod dtype_8 {
/// One item of the array.
pub type Item = npy_core::FixedStr<0>;
}

pub(crate) mod dtype_9 {
/// One item of the array.
pub type Item = npy_core::FixedStr<1>;
}

pub(crate) mod dtype_10 {
/// One item of the array.
pub type Item = npy_core::FixedStr<2>;
}

pub(crate) mod dtype_11 {
/// One item of the array.
pub type Item = npy_core::FixedStr<3>;
}

pub(crate) mod dtype_12 {
/// One item of the array.
pub type Item = npy_core::FixedStr<4>;
}

pub(crate) mod dtype_13 {
/// One item of the array.
pub type Item = npy_core::FixedStr<5>;
}

pub(crate) mod dtype_14 {
/// One item of the array.
pub type Item = npy_core::Float8;
}

pub(crate) mod dtype_15 {
/// One item of the array.
pub type Item = half::bf16;
}

pub(crate) mod dtype_16 {
/// One item of the array.
pub type Item = num_complex::Complex<f64>;
}

pub(crate) mod dtype_17 {
/// One item of the array.
pub type Item = npy_core::ComplexLongDouble;
}

pub(crate) mod dtype_18 {
/// One item of the array.
pub type Item = num_complex::Complex<f32>;
}

pub(crate) mod dtype_19 {
/// One item of the array.
// Differs: <f12 in the file, which Cast::Lossless reads.
pub type Item = npy_core::LongDouble;
}

pub(crate) mod dtype_20 {
/// One item of the array.
pub type Item = npy_core::LongDouble;
}

pub(crate) mod dtype_21 {
/// One item of the array.
pub type Item = half::f16;
}

pub(crate) mod dtype_22 {
/// One item of the array.
pub type Item = f32;
}

pub(crate) mod dtype_23 {
/// One item of the array.
pub type Item = f64;
}

pub(crate) mod dtype_24 {
/// One item of the array.
pub type Item = i16;
}

pub(crate) mod dtype_25 {
/// One item of the array.
pub type Item = i32;
}

pub(crate) mod dtype_26 {
/// One item of the array.
pub type Item = i64;
}

pub(crate) mod dtype_27 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Generic>;
}

pub(crate) mod dtype_28 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Times<25, npy_core::time::Second>>;
}

pub(crate) mod dtype_29 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Times<7, npy_core::time::Day>>;
}

pub(crate) mod dtype_30 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Month>;
}

pub(crate) mod dtype_31 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Week>;
}

pub(crate) mod dtype_32 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Year>;
}

pub(crate) mod dtype_33 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::As>;
}

pub(crate) mod dtype_34 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Fs>;
}

pub(crate) mod dtype_35 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Hour>;
}

pub(crate) mod dtype_36 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Minute>;
}

pub(crate) mod dtype_37 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Ms>;
}

pub(crate) mod dtype_38 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Ps>;
}

pub(crate) mod dtype_39 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Second>;
}

pub(crate) mod dtype_40 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Us>;
}

pub(crate) mod dtype_41 {
/// One item of the array.
pub type Item = u16;
}

pub(crate) mod dtype_42 {
/// One item of the array.
pub type Item = u32;
}

pub(crate) mod dtype_43 {
/// One item of the array.
pub type Item = u64;
}

pub(crate) mod dtype_44 {
/// One item of the array.
pub type Item = npy_core::DateTime64<npy_core::time::Generic>;
}

pub(crate) mod dtype_45 {
/// One item of the array.
pub type Item = npy_core::DateTime64<npy_core::time::Times<25, npy_core::time::Second>>;
}

pub(crate) mod dtype_46 {
/// One item of the array.
pub type Item = npy_core::DateTime64<npy_core::time::Day>;
}

pub(crate) mod dtype_47 {
/// One item of the array.
pub type Item = npy_core::DateTime64<npy_core::time::Ns>;
}

pub(crate) mod dtype_48 {
/// One item of the array.
pub type Item = npy_core::FixedStr<3>;
}

pub(crate) mod dtype_49 {
/// One item of the array.
pub type Item = npy_core::FixedStr<4>;
}

pub(crate) mod dtype_50 {
/// One item of the array.
pub type Item = npy_core::FixedStr<5>;
}

pub(crate) mod dtype_51 {
/// One item of the array.
pub type Item = num_complex::Complex<f64>;
}

pub(crate) mod dtype_52 {
/// One item of the array.
pub type Item = npy_core::ComplexLongDouble;
}

pub(crate) mod dtype_53 {
/// One item of the array.
pub type Item = num_complex::Complex<f32>;
}

pub(crate) mod dtype_54 {
/// One item of the array.
// Differs: >f12 in the file, which Cast::Lossless reads.
pub type Item = npy_core::LongDouble;
}

pub(crate) mod dtype_55 {
/// One item of the array.
pub type Item = npy_core::LongDouble;
}

pub(crate) mod dtype_56 {
/// One item of the array.
pub type Item = half::f16;
}

pub(crate) mod dtype_57 {
/// One item of the array.
pub type Item = f32;
}

pub(crate) mod dtype_58 {
/// One item of the array.
pub type Item = f64;
}

pub(crate) mod dtype_59 {
/// One item of the array.
pub type Item = i16;
}

pub(crate) mod dtype_60 {
/// One item of the array.
pub type Item = i32;
}

pub(crate) mod dtype_61 {
/// One item of the array.
pub type Item = i64;
}

pub(crate) mod dtype_62 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Generic>;
}

pub(crate) mod dtype_63 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Times<7, npy_core::time::Day>>;
}

pub(crate) mod dtype_64 {
/// One item of the array.
pub type Item = npy_core::TimeDelta64<npy_core::time::Ms>;
}

pub(crate) mod dtype_65 {
/// One item of the array.
pub type Item = u16;
}

pub(crate) mod dtype_66 {
/// One item of the array.
pub type Item = u32;
}

pub(crate) mod dtype_67 {
/// One item of the array.
pub type Item = u64;
}

pub(crate) mod dtype_68 {
/// One item of the array.
pub type Item = npy_core::Objects;
}

pub(crate) mod dtype_69 {
/// One item of the array.
pub type Item = npy_core::ByteStr<0>;
}

pub(crate) mod dtype_70 {
/// One item of the array.
pub type Item = npy_core::ByteStr<1>;
}

pub(crate) mod dtype_71 {
/// One item of the array.
pub type Item = npy_core::ByteStr<3>;
}

pub(crate) mod dtype_72 {
/// One item of the array.
pub type Item = npy_core::ByteStr<300000>;
}

pub(crate) mod dtype_73 {
/// One item of the array.
pub type Item = npy_core::ByteStr<4>;
}

pub(crate) mod dtype_74 {
/// One item of the array.
pub type Item = npy_core::ByteStr<5>;
}

pub(crate) mod dtype_75 {
/// One item of the array.
pub type Item = npy_core::Void<1>;
}

pub(crate) mod dtype_76 {
/// One item of the array.
pub type Item = npy_core::Void<16>;
}

pub(crate) mod dtype_77 {
/// One item of the array.
pub type Item = npy_core::Void<3>;
}

pub(crate) mod dtype_78 {
/// One item of the array.
pub type Item = bool;
}

pub(crate) mod dtype_79 {
/// One item of the array.
pub type Item = i8;
}

pub(crate) mod dtype_80 {
/// One item of the array.
pub type Item = u8;
}

pub(crate) mod dtype_81 {
/// A record of 8 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(rename = "it's")]
    pub it_s: u8,
    #[npy(rename = "say \"hi\"")]
    pub say_hi: u8,
    #[npy(rename = "both ' and \"")]
    pub both_and: u8,
    #[npy(rename = "back\\slash")]
    pub back_slash: u8,
    #[npy(rename = "new\nline")]
    pub new_line: u8,
    #[npy(rename = "nul\0")]
    pub nul: u8,
    #[npy(rename = "\u{200b}")]
    pub unnamed: u8,
    #[npy(rename = " ")]
    pub unnamed_2: u8,
}
}

pub(crate) mod dtype_82 {
/// A record of 8 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(rename = "")]
    pub unnamed: npy_core::ByteStr<4>,
    pub a: f32,
}
}

pub(crate) mod dtype_83 {
/// A record of 21 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(itemsize = 21)]
pub struct Item {
    #[npy(offset = 3)]
    pub a: i32,
    #[npy(offset = 9)]
    pub b: i32,
}
}

pub(crate) mod dtype_84 {
/// A record of 8 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(offset = 4)]
    pub a: f32,
}
}

pub(crate) mod dtype_85 {
/// A record of 20 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(itemsize = 20)]
pub struct Item {
    #[npy(offset = 4)]
    pub a: i16,
    #[npy(offset = 10)]
    pub b: i32,
}
}

pub(crate) mod dtype_86 {
/// A record of 2 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(rename = "(a, [b")]
    pub a_b: u8,
    #[npy(rename = "{c: 'd'}")]
    pub c_d: u8,
}
}

pub(crate) mod dtype_87 {
/// One item of the array.
// Differs: a record without fields, which only `npy_core::DynArray` reads.
pub type Item = npy_core::Void<4>;
}

pub(crate) mod dtype_88 {
/// A record of 10 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: [f32; 2],
    pub b: i16,
}
}

pub(crate) mod dtype_89 {
/// A record of 16 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: f64,
    pub b: [f32; 2],
}
}

pub(crate) mod dtype_90 {
/// A record of 16 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(align)]
#[repr(C)]
pub struct Item {
    pub a: f64,
    pub b: u8,
}
}

pub(crate) mod dtype_91 {
/// A record of 32 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: i16,
    #[npy(endian = "big")]
    pub b: i16,
    #[npy(endian = "big")]
    pub c: f32,
    pub d: num_complex::Complex<f32>,
    #[npy(endian = "big")]
    pub e: num_complex::Complex<f64>,
}
}

pub(crate) mod dtype_92 {
/// A record of 5 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: [[i16; 1]; 2],
    pub b: u8,
}
}

pub(crate) mod dtype_93 {
/// A record of 12 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: i32,
    #[npy(rename = "")]
    pub unnamed: i32,
    pub b: i32,
}
}

pub(crate) mod dtype_94 {
/// A record of 18 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: i32,
    #[npy(endian = "big")]
    pub b: i32,
    pub c: f64,
    #[npy(endian = "big")]
    pub d: u16,
}
}

pub(crate) mod dtype_95 {
/// A record of 24 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: [[i32; 2]; 2],
    pub b: f64,
}
}

pub(crate) mod dtype_96 {
/// A record of 24 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(align)]
#[repr(C)]
pub struct Item {
    pub a: i8,
    pub b: f64,
    pub c: i16,
}
}

pub(crate) mod dtype_97 {
/// A record of 40 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(align)]
#[repr(C)]
pub struct Item {
    pub a: i8,
    pub n: ItemN,
    pub c: i16,
}

/// A record of 24 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(align)]
#[repr(C)]
pub struct ItemN {
    pub x: i8,
    pub y: f64,
    pub z: i8,
}
}

pub(crate) mod dtype_98 {
/// A record of 9 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: i8,
    pub b: f64,
}
}

pub(crate) mod dtype_99 {
/// A record of 3 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: i8,
    pub b: u8,
    pub c: bool,
}
}

pub(crate) mod dtype_100 {
/// A record of 10 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: i8,
    pub n: ItemN,
}

/// A record of 9 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(endian = "big")]
pub struct ItemN {
    pub x: f32,
    pub y: npy_core::ByteStr<3>,
    pub z: ItemNZ,
}

/// A record of 2 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(endian = "little")]
pub struct ItemNZ {
    pub q: u16,
}
}

pub(crate) mod dtype_101 {
/// A record of 26 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: [[i8; 3]; 2],
    #[npy(endian = "big")]
    pub b: [f32; 3],
    pub c: [f64; 1],
}
}

pub(crate) mod dtype_102 {
/// A record of 24 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(align)]
#[repr(C)]
pub struct Item {
    pub a: u8,
    pub b: i32,
    pub c: i16,
    pub d: f64,
}
}

pub(crate) mod dtype_103 {
/// A record of 7 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: u8,
    #[npy(endian = "big")]
    pub b: u16,
    pub c: f32,
}
}

pub(crate) mod dtype_104 {
/// A record of 7 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: ItemA,
}

/// A record of 7 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct ItemA {
    pub b: ItemAB,
}

/// A record of 7 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct ItemAB {
    pub c: ItemABC,
    pub f: u8,
}

/// A record of 6 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct ItemABC {
    pub d: i16,
    #[npy(endian = "big")]
    pub e: i32,
}
}

pub(crate) mod dtype_105 {
/// A record of 3 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub a: ItemA,
}

/// A record of 3 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct ItemA {
    #[npy(title = "t")]
    pub x: i16,
    pub y: u8,
}
}

pub(crate) mod dtype_106 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub d: i32,
    // Left out: fields with a lone surrogate in the name or without fields of their own (1).
}
}

pub(crate) mod dtype_107 {
/// One item of the array.
// Differs: a record without fields, which only `npy_core::DynArray` reads.
pub type Item = npy_core::Void<4>;
}

pub(crate) mod dtype_108 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(rename = "a\u{a0}b")]
    pub a_b: f32,
}
}

pub(crate) mod dtype_109 {
/// A record of 16 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub at: npy_core::DateTime64<npy_core::time::Ms>,
    pub took: npy_core::TimeDelta64<npy_core::time::Times<25, npy_core::time::Us>>,
}
}

pub(crate) mod dtype_110 {
/// A record of 87 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub b: bool,
    pub i: i64,
    #[npy(endian = "big")]
    pub u: u32,
    pub f: half::f16,
    #[npy(endian = "big")]
    pub g: f64,
    pub c: num_complex::Complex<f64>,
    #[npy(rename = "S")]
    pub s: npy_core::ByteStr<3>,
    #[npy(rename = "U", width = 2, endian = "big")]
    pub u_2: String,
    #[npy(rename = "V")]
    pub v: npy_core::Void<5>,
    #[npy(rename = "M")]
    pub m_2: npy_core::DateTime64<npy_core::time::Ns>,
    #[npy(endian = "big")]
    pub m: npy_core::TimeDelta64<npy_core::time::Times<25, npy_core::time::Second>>,
    pub q: npy_core::LongDouble,
}
}

pub(crate) mod dtype_111 {
/// A record of 80 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    // Differs: a sub-array of sub-arrays in the file.
    pub c: [[f64; 5]; 2],
}
}

pub(crate) mod dtype_112 {
/// A record of 5 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub café: f32,
    pub ü: u8,
}
}

pub(crate) mod dtype_113 {
/// A record of 6 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub café: i32,
    pub b: i16,
}
}

pub(crate) mod dtype_114 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub café: i32,
}
}

pub(crate) mod dtype_115 {
/// A record of 8 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub f0: i32,
    #[npy(rename = "")]
    pub unnamed: f32,
}
}

pub(crate) mod dtype_116 {
/// A record of 375 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub f0: i8,
    pub f1: i16,
    pub f2: i32,
    pub f3: i64,
    pub f4: i8,
    pub f5: i16,
    pub f6: i32,
    pub f7: i64,
    pub f8: i8,
    pub f9: i16,
    pub f10: i32,
    pub f11: i64,
    pub f12: i8,
    pub f13: i16,
    pub f14: i32,
    pub f15: i64,
    pub f16: i8,
    pub f17: i16,
    pub f18: i32,
    pub f19: i64,
    pub f20: i8,
    pub f21: i16,
    pub f22: i32,
    pub f23: i64,
    pub f24: i8,
    pub f25: i16,
    pub f26: i32,
    pub f27: i64,
    pub f28: i8,
    pub f29: i16,
    pub f30: i32,
    pub f31: i64,
    pub f32: i8,
    pub f33: i16,
    pub f34: i32,
    pub f35: i64,
    pub f36: i8,
    pub f37: i16,
    pub f38: i32,
    pub f39: i64,
    pub f40: i8,
    pub f41: i16,
    pub f42: i32,
    pub f43: i64,
    pub f44: i8,
    pub f45: i16,
    pub f46: i32,
    pub f47: i64,
    pub f48: i8,
    pub f49: i16,
    pub f50: i32,
    pub f51: i64,
    pub f52: i8,
    pub f53: i16,
    pub f54: i32,
    pub f55: i64,
    pub f56: i8,
    pub f57: i16,
    pub f58: i32,
    pub f59: i64,
    pub f60: i8,
    pub f61: i16,
    pub f62: i32,
    pub f63: i64,
    pub f64: i8,
    pub f65: i16,
    pub f66: i32,
    pub f67: i64,
    pub f68: i8,
    pub f69: i16,
    pub f70: i32,
    pub f71: i64,
    pub f72: i8,
    pub f73: i16,
    pub f74: i32,
    pub f75: i64,
    pub f76: i8,
    pub f77: i16,
    pub f78: i32,
    pub f79: i64,
    pub f80: i8,
    pub f81: i16,
    pub f82: i32,
    pub f83: i64,
    pub f84: i8,
    pub f85: i16,
    pub f86: i32,
    pub f87: i64,
    pub f88: i8,
    pub f89: i16,
    pub f90: i32,
    pub f91: i64,
    pub f92: i8,
    pub f93: i16,
    pub f94: i32,
    pub f95: i64,
    pub f96: i8,
    pub f97: i16,
    pub f98: i32,
    pub f99: i64,
}
}

pub(crate) mod dtype_117 {
/// A record of 40 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(align)]
#[repr(C)]
pub struct Item {
    pub flag: u8,
    pub pair: ItemPair,
    pub last: i16,
}

/// A record of 24 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(align)]
#[repr(C)]
pub struct ItemPair {
    pub a: u8,
    pub b: i32,
    pub c: i16,
    pub d: f64,
}
}

pub(crate) mod dtype_118 {
/// A record of 56 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub h: half::f16,
    pub z: num_complex::Complex<f32>,
    pub w: num_complex::Complex<f64>,
    #[npy(width = 3)]
    pub u: String,
    pub v: npy_core::Void<2>,
    pub at: npy_core::DateTime64<npy_core::time::Generic>,
    pub took: npy_core::TimeDelta64<npy_core::time::Times<25, npy_core::time::Second>>,
}
}

pub(crate) mod dtype_119 {
/// A record of 56 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(endian = "big")]
pub struct Item {
    pub h: half::f16,
    pub z: num_complex::Complex<f32>,
    pub w: num_complex::Complex<f64>,
    #[npy(width = 3)]
    pub u: String,
    pub v: npy_core::Void<2>,
    pub at: npy_core::DateTime64<npy_core::time::Generic>,
    pub took: npy_core::TimeDelta64<npy_core::time::Times<25, npy_core::time::Second>>,
}
}

pub(crate) mod dtype_120 {
/// A record of 16 bytes.
#[derive(serde::Deserialize, Debug, Clone, PartialEq)]
pub struct Item {
    pub i: i8,
    // Python objects: replace the type by that of the objects.
    pub o: Option<String>,
}
}

pub(crate) mod dtype_121 {
/// A record of 18 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub id: u16,
    pub samples: [f32; 4],
}
}

pub(crate) mod dtype_122 {
/// A record of 80 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub id: u32,
    pub picks: [ItemPicks; 2],
    pub cov: [[f64; 2]; 2],
}

/// A record of 22 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct ItemPicks {
    pub phase: npy_core::ByteStr<2>,
    pub at: f64,
    pub weights: [f32; 3],
}
}

pub(crate) mod dtype_123 {
/// A record of 32 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub id: u32,
    pub pos: ItemPos,
    pub hist: [[i16; 3]; 2],
}

/// A record of 16 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct ItemPos {
    pub lat: f64,
    pub lon: f64,
}
}

pub(crate) mod dtype_124 {
/// A record of 18 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(endian = "big")]
pub struct Item {
    pub id: u16,
    pub samples: [f32; 4],
}
}

pub(crate) mod dtype_125 {
/// A record of 1 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub id: u8,
    pub m: [[i16; 3]; 0],
}
}

pub(crate) mod dtype_126 {
/// A record of 7 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub id: u8,
    pub pos: ItemPos,
}

/// A record of 6 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct ItemPos {
    pub x: i16,
    pub y: f32,
}
}

pub(crate) mod dtype_127 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub id: u8,
    #[npy(title = "Straße")]
    pub street: npy_core::ByteStr<3>,
}
}

pub(crate) mod dtype_128 {
/// A record of 2 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub m: [i16; 1],
}
}

pub(crate) mod dtype_129 {
/// A record of 12 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub m: [[i16; 3]; 2],
}
}

pub(crate) mod dtype_130 {
/// A record of 12 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    // Differs: a sub-array of sub-arrays in the file.
    pub m: [[i16; 3]; 2],
}
}

pub(crate) mod dtype_131 {
/// A record of 22 bytes.
#[derive(serde::Deserialize, Debug, Clone, PartialEq)]
pub struct Item {
    // Python objects: replace the type by that of the objects.
    pub name: Option<String>,
    pub v: f32,
    pub n: ItemN,
}

/// A record of 10 bytes.
#[derive(serde::Deserialize, Debug, Clone, PartialEq)]
pub struct ItemN {
    pub x: i16,
    // Python objects: replace the type by that of the objects.
    pub o: Option<String>,
}
}

pub(crate) mod dtype_132 {
/// A record of 12 bytes.
#[derive(serde::Deserialize, Debug, Clone, PartialEq)]
pub struct Item {
    // Python objects: replace the type by that of the objects.
    pub name: Option<String>,
    pub v: f32,
}
}

pub(crate) mod dtype_133 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub nnnnnnnnnnnnnnnnnnnnnnnnnnnnnn: f32,
}
}

pub(crate) mod dtype_134 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn: f32,
}
}

pub(crate) mod dtype_135 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn: f32,
}
}

pub(crate) mod dtype_136 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn: f32,
}
}

pub(crate) mod dtype_137 {
/// A record of 1 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub s: npy_core::ByteStr<0>,
    pub n: u8,
    pub u: npy_core::FixedStr<0>,
}
}

pub(crate) mod dtype_138 {
/// A record of 8 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub s: npy_core::ByteStr<3>,
    pub t: npy_core::ByteStr<2>,
    pub v: npy_core::Void<3>,
}
}

pub(crate) mod dtype_139 {
/// A record of 22 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub s: [npy_core::ByteStr<3>; 2],
    pub u: [npy_core::FixedStr<2>; 2],
}
}

pub(crate) mod dtype_140 {
/// A record of 21 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub station: u32,
    pub t0: i64,
    pub gain: f32,
    pub ok: bool,
    pub code: npy_core::ByteStr<4>,
}
}

pub(crate) mod dtype_141 {
/// A record of 21 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(endian = "big")]
pub struct Item {
    pub station: u32,
    pub t0: i64,
    pub gain: f32,
    pub ok: bool,
    pub code: npy_core::ByteStr<4>,
}
}

pub(crate) mod dtype_142 {
/// A record of 24 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub t: npy_core::DateTime64<npy_core::time::Us>,
    pub dt: npy_core::TimeDelta64<npy_core::time::Ms>,
    pub g: npy_core::DateTime64<npy_core::time::Generic>,
}
}

pub(crate) mod dtype_143 {
/// A record of 8 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub x: f64,
}
}

pub(crate) mod dtype_144 {
/// A record of 3 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub x: i16,
    pub y: u8,
}
}

pub(crate) mod dtype_145 {
/// A record of 12 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub x: i32,
    pub y: f64,
}
}

pub(crate) mod dtype_146 {
/// A record of 16 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub x: i32,
    #[npy(endian = "big")]
    pub y: f64,
    pub tag: npy_core::ByteStr<4>,
}
}

pub(crate) mod dtype_147 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub x: i32,
}
}

pub(crate) mod dtype_148 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: i32,
}
}

pub(crate) mod dtype_149 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: i32,
}
}

pub(crate) mod dtype_150 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: i32,
}
}

pub(crate) mod dtype_151 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: i32,
}
}

pub(crate) mod dtype_152 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(rename = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")]
    pub xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: i32,
}
}

pub(crate) mod dtype_153 {
/// A record of 6 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub é: f32,
    #[npy(rename = "ÿ¡")]
    pub ÿ: i16,
}
}

pub(crate) mod dtype_154 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(rename = "ÿþ\u{a0}")]
    pub ÿþ: f32,
}
}

pub(crate) mod dtype_155 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(rename = "שלום")]
    pub unnamed: f32,
}
}

pub(crate) mod dtype_156 {
/// A record of 6 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub 整形: i32,
    pub b: i16,
}
}

pub(crate) mod dtype_157 {
/// A record of 12 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    pub 整数: i32,
    pub 浮: f64,
}
}

pub(crate) mod dtype_158 {
/// A record of 7 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(rename = "😀")]
    pub unnamed: f32,
    pub b: ItemB,
}

/// A record of 3 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct ItemB {
    pub é: i16,
    #[npy(rename = "ß→")]
    pub ß: u8,
}
}

pub(crate) mod dtype_159 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(rename = "😀")]
    pub unnamed: i32,
}
}

pub(crate) mod dtype_160 {
/// A record of 12 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(title = "The X value")]
    pub x: i32,
    #[npy(title = "The Y value")]
    pub y: [f32; 2],
}
}

pub(crate) mod dtype_161 {
/// A record of 9 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(title = "The X")]
    pub x: f32,
    #[npy(title = "The Y", endian = "big")]
    pub y: [i16; 2],
    pub z: i8,
}
}

pub(crate) mod dtype_162 {
/// A record of 4 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(title = "Tïtre")]
    pub x: i32,
}
}

pub(crate) mod dtype_163 {
/// A record of 5 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct Item {
    #[npy(title = "the gain")]
    pub gain: f32,
    pub id: u8,
}
}

pub(crate) mod dtype_164 {
/// One item of the array.
// Differs: a record without fields, which only `npy_core::DynArray` reads.
pub type Item = npy_core::Void<0>;
}

pub(crate) mod archive_0 {
/// An archive without arrays.
#[derive(Debug, Clone, PartialEq)]
pub struct Archive {
}
}

pub(crate) mod archive_1 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone)]
pub struct Archive {
    pub o: npy_core::Objects,
    pub f: Vec<f64>,
}
}

pub(crate) mod archive_2 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub a: Vec<i32>,
    pub b: Vec<i32>,
}
}

pub(crate) mod archive_3 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub a: Vec<i32>,
    pub b: npy_core::NpyArray<f64>,
    pub c: Vec<ArchiveC>,
}

/// A record of 7 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct ArchiveC {
    pub a: i32,
    pub b: npy_core::ByteStr<3>,
}
}

pub(crate) mod archive_4 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub a: Vec<i8>,
}
}

pub(crate) mod archive_5 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub a: npy_core::NpyArray<f64>,
    pub b: Vec<i64>,
}
}

pub(crate) mod archive_6 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub arr_0: Vec<i32>,
    pub arr_1: npy_core::NpyArray<f64>,
}
}

pub(crate) mod archive_7 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub b: Vec<bool>,
    pub i1: Vec<i8>,
    pub i8: Vec<i64>,
    pub f2: Vec<half::f16>,
    pub f8: Vec<f64>,
    pub c16: Vec<num_complex::Complex<f64>>,
    #[npy(rename = "S")]
    pub s: Vec<Vec<u8>>,
    #[npy(rename = "U")]
    pub u: Vec<String>,
    #[npy(rename = "M")]
    pub m: Vec<npy_core::DateTime64<npy_core::time::Ns>>,
    #[npy(rename = "V")]
    pub v: Vec<npy_core::Void<3>>,
}
}

pub(crate) mod archive_8 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub indices: Vec<i32>,
    pub indptr: Vec<i32>,
    pub format: npy_core::ByteStr<3>,
    pub shape: Vec<i64>,
    pub data: Vec<f64>,
}
}

pub(crate) mod archive_9 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub indices: Vec<i32>,
    pub indptr: Vec<i32>,
    pub format: npy_core::ByteStr<3>,
    pub shape: Vec<i64>,
    pub data: npy_core::NpyArray<f64>,
}
}

pub(crate) mod archive_10 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub k0000: i16,
    pub k0001: i16,
    pub k0002: i16,
    pub k0003: i16,
    pub k0004: i16,
    pub k0005: i16,
    pub k0006: i16,
    pub k0007: i16,
    pub k0008: i16,
    pub k0009: i16,
    pub k0010: i16,
    pub k0011: i16,
    pub k0012: i16,
    pub k0013: i16,
    pub k0014: i16,
    pub k0015: i16,
    pub k0016: i16,
    pub k0017: i16,
    pub k0018: i16,
    pub k0019: i16,
    pub k0020: i16,
    pub k0021: i16,
    pub k0022: i16,
    pub k0023: i16,
    pub k0024: i16,
    pub k0025: i16,
    pub k0026: i16,
    pub k0027: i16,
    pub k0028: i16,
    pub k0029: i16,
    pub k0030: i16,
    pub k0031: i16,
    pub k0032: i16,
    pub k0033: i16,
    pub k0034: i16,
    pub k0035: i16,
    pub k0036: i16,
    pub k0037: i16,
    pub k0038: i16,
    pub k0039: i16,
    pub k0040: i16,
    pub k0041: i16,
    pub k0042: i16,
    pub k0043: i16,
    pub k0044: i16,
    pub k0045: i16,
    pub k0046: i16,
    pub k0047: i16,
    pub k0048: i16,
    pub k0049: i16,
    pub k0050: i16,
    pub k0051: i16,
    pub k0052: i16,
    pub k0053: i16,
    pub k0054: i16,
    pub k0055: i16,
    pub k0056: i16,
    pub k0057: i16,
    pub k0058: i16,
    pub k0059: i16,
    pub k0060: i16,
    pub k0061: i16,
    pub k0062: i16,
    pub k0063: i16,
    pub k0064: i16,
    pub k0065: i16,
    pub k0066: i16,
    pub k0067: i16,
    pub k0068: i16,
    pub k0069: i16,
    pub k0070: i16,
    pub k0071: i16,
    pub k0072: i16,
    pub k0073: i16,
    pub k0074: i16,
    pub k0075: i16,
    pub k0076: i16,
    pub k0077: i16,
    pub k0078: i16,
    pub k0079: i16,
    pub k0080: i16,
    pub k0081: i16,
    pub k0082: i16,
    pub k0083: i16,
    pub k0084: i16,
    pub k0085: i16,
    pub k0086: i16,
    pub k0087: i16,
    pub k0088: i16,
    pub k0089: i16,
    pub k0090: i16,
    pub k0091: i16,
    pub k0092: i16,
    pub k0093: i16,
    pub k0094: i16,
    pub k0095: i16,
    pub k0096: i16,
    pub k0097: i16,
    pub k0098: i16,
    pub k0099: i16,
    pub k0100: i16,
    pub k0101: i16,
    pub k0102: i16,
    pub k0103: i16,
    pub k0104: i16,
    pub k0105: i16,
    pub k0106: i16,
    pub k0107: i16,
    pub k0108: i16,
    pub k0109: i16,
    pub k0110: i16,
    pub k0111: i16,
    pub k0112: i16,
    pub k0113: i16,
    pub k0114: i16,
    pub k0115: i16,
    pub k0116: i16,
    pub k0117: i16,
    pub k0118: i16,
    pub k0119: i16,
    pub k0120: i16,
    pub k0121: i16,
    pub k0122: i16,
    pub k0123: i16,
    pub k0124: i16,
    pub k0125: i16,
    pub k0126: i16,
    pub k0127: i16,
    pub k0128: i16,
    pub k0129: i16,
    pub k0130: i16,
    pub k0131: i16,
    pub k0132: i16,
    pub k0133: i16,
    pub k0134: i16,
    pub k0135: i16,
    pub k0136: i16,
    pub k0137: i16,
    pub k0138: i16,
    pub k0139: i16,
    pub k0140: i16,
    pub k0141: i16,
    pub k0142: i16,
    pub k0143: i16,
    pub k0144: i16,
    pub k0145: i16,
    pub k0146: i16,
    pub k0147: i16,
    pub k0148: i16,
    pub k0149: i16,
    pub k0150: i16,
    pub k0151: i16,
    pub k0152: i16,
    pub k0153: i16,
    pub k0154: i16,
    pub k0155: i16,
    pub k0156: i16,
    pub k0157: i16,
    pub k0158: i16,
    pub k0159: i16,
    pub k0160: i16,
    pub k0161: i16,
    pub k0162: i16,
    pub k0163: i16,
    pub k0164: i16,
    pub k0165: i16,
    pub k0166: i16,
    pub k0167: i16,
    pub k0168: i16,
    pub k0169: i16,
    pub k0170: i16,
    pub k0171: i16,
    pub k0172: i16,
    pub k0173: i16,
    pub k0174: i16,
    pub k0175: i16,
    pub k0176: i16,
    pub k0177: i16,
    pub k0178: i16,
    pub k0179: i16,
    pub k0180: i16,
    pub k0181: i16,
    pub k0182: i16,
    pub k0183: i16,
    pub k0184: i16,
    pub k0185: i16,
    pub k0186: i16,
    pub k0187: i16,
    pub k0188: i16,
    pub k0189: i16,
    pub k0190: i16,
    pub k0191: i16,
    pub k0192: i16,
    pub k0193: i16,
    pub k0194: i16,
    pub k0195: i16,
    pub k0196: i16,
    pub k0197: i16,
    pub k0198: i16,
    pub k0199: i16,
    pub k0200: i16,
    pub k0201: i16,
    pub k0202: i16,
    pub k0203: i16,
    pub k0204: i16,
    pub k0205: i16,
    pub k0206: i16,
    pub k0207: i16,
    pub k0208: i16,
    pub k0209: i16,
    pub k0210: i16,
    pub k0211: i16,
    pub k0212: i16,
    pub k0213: i16,
    pub k0214: i16,
    pub k0215: i16,
    pub k0216: i16,
    pub k0217: i16,
    pub k0218: i16,
    pub k0219: i16,
    pub k0220: i16,
    pub k0221: i16,
    pub k0222: i16,
    pub k0223: i16,
    pub k0224: i16,
    pub k0225: i16,
    pub k0226: i16,
    pub k0227: i16,
    pub k0228: i16,
    pub k0229: i16,
    pub k0230: i16,
    pub k0231: i16,
    pub k0232: i16,
    pub k0233: i16,
    pub k0234: i16,
    pub k0235: i16,
    pub k0236: i16,
    pub k0237: i16,
    pub k0238: i16,
    pub k0239: i16,
    pub k0240: i16,
    pub k0241: i16,
    pub k0242: i16,
    pub k0243: i16,
    pub k0244: i16,
    pub k0245: i16,
    pub k0246: i16,
    pub k0247: i16,
    pub k0248: i16,
    pub k0249: i16,
    pub k0250: i16,
    pub k0251: i16,
    pub k0252: i16,
    pub k0253: i16,
    pub k0254: i16,
    pub k0255: i16,
    pub k0256: i16,
    pub k0257: i16,
    pub k0258: i16,
    pub k0259: i16,
    pub k0260: i16,
    pub k0261: i16,
    pub k0262: i16,
    pub k0263: i16,
    pub k0264: i16,
    pub k0265: i16,
    pub k0266: i16,
    pub k0267: i16,
    pub k0268: i16,
    pub k0269: i16,
    pub k0270: i16,
    pub k0271: i16,
    pub k0272: i16,
    pub k0273: i16,
    pub k0274: i16,
    pub k0275: i16,
    pub k0276: i16,
    pub k0277: i16,
    pub k0278: i16,
    pub k0279: i16,
    pub k0280: i16,
    pub k0281: i16,
    pub k0282: i16,
    pub k0283: i16,
    pub k0284: i16,
    pub k0285: i16,
    pub k0286: i16,
    pub k0287: i16,
    pub k0288: i16,
    pub k0289: i16,
    pub k0290: i16,
    pub k0291: i16,
    pub k0292: i16,
    pub k0293: i16,
    pub k0294: i16,
    pub k0295: i16,
    pub k0296: i16,
    pub k0297: i16,
    pub k0298: i16,
    pub k0299: i16,
}
}

pub(crate) mod archive_11 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub layers: std::collections::BTreeMap<usize, ArchiveLayersItem>,
    pub r#type: String,
    #[npy(rename = "a b")]
    pub a_b: String,
}

/// A part of an archive.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct ArchiveLayersItem {
    pub w: String,
}
}

pub(crate) mod archive_12 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub offsets: Vec<i32>,
    pub format: npy_core::ByteStr<3>,
    pub shape: Vec<i64>,
    pub data: npy_core::NpyArray<f64>,
}
}

pub(crate) mod archive_13 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub row: Vec<i32>,
    pub col: Vec<i32>,
    pub format: npy_core::ByteStr<3>,
    pub shape: Vec<i64>,
    pub data: Vec<f64>,
}
}

pub(crate) mod archive_14 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub s: Vec<ArchiveS>,
    pub f: npy_core::NpyArray<f64>,
}

/// A record of 16 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
#[npy(align)]
#[repr(C)]
pub struct ArchiveS {
    pub a: i8,
    pub b: f64,
}
}

pub(crate) mod archive_15 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub x: Vec<f64>,
    pub y: Vec<ArchiveY>,
    pub arr_0: Vec<i32>,
}

/// A record of 16 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct ArchiveY {
    pub x: i32,
    #[npy(endian = "big")]
    pub y: f64,
    pub tag: npy_core::ByteStr<4>,
}
}

pub(crate) mod archive_16 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub x: Vec<i32>,
    #[npy(rename = "data.bin")]
    pub data_bin: npy_core::NpyArray<f64>,
}
}

pub(crate) mod archive_17 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub x: Vec<i32>,
    pub y: npy_core::NpyArray<f64>,
}
}

pub(crate) mod archive_18 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub x: Vec<i32>,
}
}

pub(crate) mod archive_19 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub x: npy_core::NpyArray<i16>,
}
}

pub(crate) mod archive_20 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub y: Vec<ArchiveY>,
    pub x: Vec<f64>,
    pub arr_0: Vec<i32>,
}

/// A record of 16 bytes.
#[derive(npy_core::NpyRecord, Debug, Clone, PartialEq)]
pub struct ArchiveY {
    pub x: i32,
    #[npy(endian = "big")]
    pub y: f64,
    pub tag: npy_core::ByteStr<4>,
}
}

pub(crate) mod archive_21 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
///
/// Left out: members that are not arrays (1).
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub a: Vec<i32>,
    pub sub: ArchiveSub,
    #[npy(rename = "├⌐")]
    pub unnamed: npy_core::NpyArray<i16>,
}

/// A part of an archive.
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct ArchiveSub {
    pub b: npy_core::NpyArray<f64>,
}
}

pub(crate) mod archive_22 {
/// An archive: `npy_core::npz::load::<Archive>(path)` reads it.
///
/// Left out: members that are not arrays (1).
#[derive(npy_core::NpzArchive, Debug, Clone, PartialEq)]
pub struct Archive {
    pub x: Vec<i32>,
}
}

/// Returns the dtype of each file, that of its type, and true if the code says that they differ.
pub(crate) fn dtypes() -> Vec<(&'static str, npy_core::DType, bool)> {
    vec![
        ("'<M8'", <dtype_0::Item as npy_core::Element>::dtype(), false),
        ("'<M8[25s]'", <dtype_1::Item as npy_core::Element>::dtype(), false),
        ("'<M8[D]'", <dtype_2::Item as npy_core::Element>::dtype(), false),
        ("'<M8[W]'", <dtype_3::Item as npy_core::Element>::dtype(), false),
        ("'<M8[h]'", <dtype_4::Item as npy_core::Element>::dtype(), false),
        ("'<M8[m]'", <dtype_5::Item as npy_core::Element>::dtype(), false),
        ("'<M8[ns]'", <dtype_6::Item as npy_core::Element>::dtype(), false),
        ("'<M8[s]'", <dtype_7::Item as npy_core::Element>::dtype(), false),
        ("'<U0'", <dtype_8::Item as npy_core::Element>::dtype(), false),
        ("'<U1'", <dtype_9::Item as npy_core::Element>::dtype(), false),
        ("'<U2'", <dtype_10::Item as npy_core::Element>::dtype(), false),
        ("'<U3'", <dtype_11::Item as npy_core::Element>::dtype(), false),
        ("'<U4'", <dtype_12::Item as npy_core::Element>::dtype(), false),
        ("'<U5'", <dtype_13::Item as npy_core::Element>::dtype(), false),
        ("'<V1'", <dtype_14::Item as npy_core::Element>::dtype(), false),
        ("'<V2'", <dtype_15::Item as npy_core::Element>::dtype(), false),
        ("'<c16'", <dtype_16::Item as npy_core::Element>::dtype(), false),
        ("'<c32'", <dtype_17::Item as npy_core::Element>::dtype(), false),
        ("'<c8'", <dtype_18::Item as npy_core::Element>::dtype(), false),
        ("'<f12'", <dtype_19::Item as npy_core::Element>::dtype(), true),
        ("'<f16'", <dtype_20::Item as npy_core::Element>::dtype(), false),
        ("'<f2'", <dtype_21::Item as npy_core::Element>::dtype(), false),
        ("'<f4'", <dtype_22::Item as npy_core::Element>::dtype(), false),
        ("'<f8'", <dtype_23::Item as npy_core::Element>::dtype(), false),
        ("'<i2'", <dtype_24::Item as npy_core::Element>::dtype(), false),
        ("'<i4'", <dtype_25::Item as npy_core::Element>::dtype(), false),
        ("'<i8'", <dtype_26::Item as npy_core::Element>::dtype(), false),
        ("'<m8'", <dtype_27::Item as npy_core::Element>::dtype(), false),
        ("'<m8[25s]'", <dtype_28::Item as npy_core::Element>::dtype(), false),
        ("'<m8[7D]'", <dtype_29::Item as npy_core::Element>::dtype(), false),
        ("'<m8[M]'", <dtype_30::Item as npy_core::Element>::dtype(), false),
        ("'<m8[W]'", <dtype_31::Item as npy_core::Element>::dtype(), false),
        ("'<m8[Y]'", <dtype_32::Item as npy_core::Element>::dtype(), false),
        ("'<m8[as]'", <dtype_33::Item as npy_core::Element>::dtype(), false),
        ("'<m8[fs]'", <dtype_34::Item as npy_core::Element>::dtype(), false),
        ("'<m8[h]'", <dtype_35::Item as npy_core::Element>::dtype(), false),
        ("'<m8[m]'", <dtype_36::Item as npy_core::Element>::dtype(), false),
        ("'<m8[ms]'", <dtype_37::Item as npy_core::Element>::dtype(), false),
        ("'<m8[ps]'", <dtype_38::Item as npy_core::Element>::dtype(), false),
        ("'<m8[s]'", <dtype_39::Item as npy_core::Element>::dtype(), false),
        ("'<m8[us]'", <dtype_40::Item as npy_core::Element>::dtype(), false),
        ("'<u2'", <dtype_41::Item as npy_core::Element>::dtype(), false),
        ("'<u4'", <dtype_42::Item as npy_core::Element>::dtype(), false),
        ("'<u8'", <dtype_43::Item as npy_core::Element>::dtype(), false),
        ("'>M8'", <dtype_44::Item as npy_core::Element>::dtype(), false),
        ("'>M8[25s]'", <dtype_45::Item as npy_core::Element>::dtype(), false),
        ("'>M8[D]'", <dtype_46::Item as npy_core::Element>::dtype(), false),
        ("'>M8[ns]'", <dtype_47::Item as npy_core::Element>::dtype(), false),
        ("'>U3'", <dtype_48::Item as npy_core::Element>::dtype(), false),
        ("'>U4'", <dtype_49::Item as npy_core::Element>::dtype(), false),
        ("'>U5'", <dtype_50::Item as npy_core::Element>::dtype(), false),
        ("'>c16'", <dtype_51::Item as npy_core::Element>::dtype(), false),
        ("'>c32'", <dtype_52::Item as npy_core::Element>::dtype(), false),
        ("'>c8'", <dtype_53::Item as npy_core::Element>::dtype(), false),
        ("'>f12'", <dtype_54::Item as npy_core::Element>::dtype(), true),
        ("'>f16'", <dtype_55::Item as npy_core::Element>::dtype(), false),
        ("'>f2'", <dtype_56::Item as npy_core::Element>::dtype(), false),
        ("'>f4'", <dtype_57::Item as npy_core::Element>::dtype(), false),
        ("'>f8'", <dtype_58::Item as npy_core::Element>::dtype(), false),
        ("'>i2'", <dtype_59::Item as npy_core::Element>::dtype(), false),
        ("'>i4'", <dtype_60::Item as npy_core::Element>::dtype(), false),
        ("'>i8'", <dtype_61::Item as npy_core::Element>::dtype(), false),
        ("'>m8'", <dtype_62::Item as npy_core::Element>::dtype(), false),
        ("'>m8[7D]'", <dtype_63::Item as npy_core::Element>::dtype(), false),
        ("'>m8[ms]'", <dtype_64::Item as npy_core::Element>::dtype(), false),
        ("'>u2'", <dtype_65::Item as npy_core::Element>::dtype(), false),
        ("'>u4'", <dtype_66::Item as npy_core::Element>::dtype(), false),
        ("'>u8'", <dtype_67::Item as npy_core::Element>::dtype(), false),
        ("'|S0'", <dtype_69::Item as npy_core::Element>::dtype(), false),
        ("'|S1'", <dtype_70::Item as npy_core::Element>::dtype(), false),
        ("'|S3'", <dtype_71::Item as npy_core::Element>::dtype(), false),
        ("'|S300000'", <dtype_72::Item as npy_core::Element>::dtype(), false),
        ("'|S4'", <dtype_73::Item as npy_core::Element>::dtype(), false),
        ("'|S5'", <dtype_74::Item as npy_core::Element>::dtype(), false),
        ("'|V1'", <dtype_75::Item as npy_core::Element>::dtype(), false),
        ("'|V16'", <dtype_76::Item as npy_core::Element>::dtype(), false),
        ("'|V3'", <dtype_77::Item as npy_core::Element>::dtype(), false),
        ("'|b1'", <dtype_78::Item as npy_core::Element>::dtype(), false),
        ("'|i1'", <dtype_79::Item as npy_core::Element>::dtype(), false),
        ("'|u1'", <dtype_80::Item as npy_core::Element>::dtype(), false),
        ("[(\"it's\", '|u1'), ('say \"hi\"', '|u1'), ('both \\' and \"', '|u1'), ('back\\\\slash', '|u1'), ('new\\nline', '|u1'), ('nul\\x00', '|u1'), ('\\u200b', '|u1'), (' ', '|u1')]", <dtype_81::Item as npy_core::Element>::dtype(), false),
        ("[('', '|S4'), ('a', '<f4')]", <dtype_82::Item as npy_core::Element>::dtype(), false),
        ("[('', '|V3'), ('a', '<i4'), ('', '|V2'), ('b', '<i4'), ('', '|V8')]", <dtype_83::Item as npy_core::Element>::dtype(), false),
        ("[('', '|V4'), ('a', '<f4')]", <dtype_84::Item as npy_core::Element>::dtype(), false),
        ("[('', '|V4'), ('a', '<i2'), ('', '|V4'), ('b', '<i4'), ('', '|V6')]", <dtype_85::Item as npy_core::Element>::dtype(), false),
        ("[('(a, [b', '|u1'), (\"{c: 'd'}\", '|u1')]", <dtype_86::Item as npy_core::Element>::dtype(), false),
        ("[('\\ud800x\\udfff', '<f4')]", <dtype_87::Item as npy_core::Element>::dtype(), true),
        ("[('a', '<f4', (2,)), ('b', '<i2')]", <dtype_88::Item as npy_core::Element>::dtype(), false),
        ("[('a', '<f8'), ('b', '<f4', (2,))]", <dtype_89::Item as npy_core::Element>::dtype(), false),
        ("[('a', '<f8'), ('b', '|u1'), ('', '|V7')]", <dtype_90::Item as npy_core::Element>::dtype(), false),
        ("[('a', '<i2'), ('b', '>i2'), ('c', '>f4'), ('d', '<c8'), ('e', '>c16')]", <dtype_91::Item as npy_core::Element>::dtype(), false),
        ("[('a', '<i2', (2, 1)), ('b', '|u1')]", <dtype_92::Item as npy_core::Element>::dtype(), false),
        ("[('a', '<i4'), ('', '<i4'), ('b', '<i4')]", <dtype_93::Item as npy_core::Element>::dtype(), false),
        ("[('a', '<i4'), ('b', '>i4'), ('c', '<f8'), ('d', '>u2')]", <dtype_94::Item as npy_core::Element>::dtype(), false),
        ("[('a', '<i4', (2, 2)), ('b', '<f8')]", <dtype_95::Item as npy_core::Element>::dtype(), false),
        ("[('a', '|i1'), ('', '|V7'), ('b', '<f8'), ('c', '<i2'), ('', '|V6')]", <dtype_96::Item as npy_core::Element>::dtype(), false),
        ("[('a', '|i1'), ('', '|V7'), ('n', [('x', '|i1'), ('', '|V7'), ('y', '<f8'), ('z', '|i1'), ('', '|V7')]), ('c', '<i2'), ('', '|V6')]", <dtype_97::Item as npy_core::Element>::dtype(), false),
        ("[('a', '|i1'), ('b', '<f8')]", <dtype_98::Item as npy_core::Element>::dtype(), false),
        ("[('a', '|i1'), ('b', '|u1'), ('c', '|b1')]", <dtype_99::Item as npy_core::Element>::dtype(), false),
        ("[('a', '|i1'), ('n', [('x', '>f4'), ('y', '|S3'), ('z', [('q', '<u2')])])]", <dtype_100::Item as npy_core::Element>::dtype(), false),
        ("[('a', '|i1', (2, 3)), ('b', '>f4', (3,)), ('c', '<f8', (1,))]", <dtype_101::Item as npy_core::Element>::dtype(), false),
        ("[('a', '|u1'), ('', '|V3'), ('b', '<i4'), ('c', '<i2'), ('', '|V6'), ('d', '<f8')]", <dtype_102::Item as npy_core::Element>::dtype(), false),
        ("[('a', '|u1'), ('b', '>u2'), ('c', '<f4')]", <dtype_103::Item as npy_core::Element>::dtype(), false),
        ("[('a', [('b', [('c', [('d', '<i2'), ('e', '>i4')]), ('f', '|u1')])])]", <dtype_104::Item as npy_core::Element>::dtype(), false),
        ("[('a', [(('t', 'x'), '<i2'), ('y', '|u1')])]", <dtype_105::Item as npy_core::Element>::dtype(), false),
        ("[('a', []), ('d', '<i4')]", <dtype_106::Item as npy_core::Element>::dtype(), true),
        ("[('a\\ud800b', '<i4')]", <dtype_107::Item as npy_core::Element>::dtype(), true),
        ("[('a\\xa0b', '<f4')]", <dtype_108::Item as npy_core::Element>::dtype(), false),
        ("[('at', '<M8[ms]'), ('took', '<m8[25us]')]", <dtype_109::Item as npy_core::Element>::dtype(), false),
        ("[('b', '|b1'), ('i', '<i8'), ('u', '>u4'), ('f', '<f2'), ('g', '>f8'), ('c', '<c16'), ('S', '|S3'), ('U', '>U2'), ('V', '|V5'), ('M', '<M8[ns]'), ('m', '>m8[25s]'), ('q', '<f16')]", <dtype_110::Item as npy_core::Element>::dtype(), false),
        ("[('c', ('<f8', (5,)), (2,))]", <dtype_111::Item as npy_core::Element>::dtype(), true),
        ("[('café', '<f4'), ('ü', '|u1')]", <dtype_112::Item as npy_core::Element>::dtype(), false),
        ("[('café', '<i4'), ('b', '<i2')]", <dtype_113::Item as npy_core::Element>::dtype(), false),
        ("[('café', '<i4')]", <dtype_114::Item as npy_core::Element>::dtype(), false),
        ("[('f0', '<i4'), ('', '<f4')]", <dtype_115::Item as npy_core::Element>::dtype(), false),
        ("[('f0', '|i1'), ('f1', '<i2'), ('f2', '<i4'), ('f3', '<i8'), ('f4', '|i1'), ('f5', '<i2'), ('f6', '<i4'), ('f7', '<i8'), ('f8', '|i1'), ('f9', '<i2'), ('f10', '<i4'), ('f11', '<i8'), ('f12', '|i1'), ('f13', '<i2'), ('f14', '<i4'), ('f15', '<i8'), ('f16', '|i1'), ('f17', '<i2'), ('f18', '<i4'), ('f19', '<i8'), ('f20', '|i1'), ('f21', '<i2'), ('f22', '<i4'), ('f23', '<i8'), ('f24', '|i1'), ('f25', '<i2'), ('f26', '<i4'), ('f27', '<i8'), ('f28', '|i1'), ('f29', '<i2'), ('f30', '<i4'), ('f31', '<i8'), ('f32', '|i1'), ('f33', '<i2'), ('f34', '<i4'), ('f35', '<i8'), ('f36', '|i1'), ('f37', '<i2'), ('f38', '<i4'), ('f39', '<i8'), ('f40', '|i1'), ('f41', '<i2'), ('f42', '<i4'), ('f43', '<i8'), ('f44', '|i1'), ('f45', '<i2'), ('f46', '<i4'), ('f47', '<i8'), ('f48', '|i1'), ('f49', '<i2'), ('f50', '<i4'), ('f51', '<i8'), ('f52', '|i1'), ('f53', '<i2'), ('f54', '<i4'), ('f55', '<i8'), ('f56', '|i1'), ('f57', '<i2'), ('f58', '<i4'), ('f59', '<i8'), ('f60', '|i1'), ('f61', '<i2'), ('f62', '<i4'), ('f63', '<i8'), ('f64', '|i1'), ('f65', '<i2'), ('f66', '<i4'), ('f67', '<i8'), ('f68', '|i1'), ('f69', '<i2'), ('f70', '<i4'), ('f71', '<i8'), ('f72', '|i1'), ('f73', '<i2'), ('f74', '<i4'), ('f75', '<i8'), ('f76', '|i1'), ('f77', '<i2'), ('f78', '<i4'), ('f79', '<i8'), ('f80', '|i1'), ('f81', '<i2'), ('f82', '<i4'), ('f83', '<i8'), ('f84', '|i1'), ('f85', '<i2'), ('f86', '<i4'), ('f87', '<i8'), ('f88', '|i1'), ('f89', '<i2'), ('f90', '<i4'), ('f91', '<i8'), ('f92', '|i1'), ('f93', '<i2'), ('f94', '<i4'), ('f95', '<i8'), ('f96', '|i1'), ('f97', '<i2'), ('f98', '<i4'), ('f99', '<i8')]", <dtype_116::Item as npy_core::Element>::dtype(), false),
        ("[('flag', '|u1'), ('', '|V7'), ('pair', [('a', '|u1'), ('', '|V3'), ('b', '<i4'), ('c', '<i2'), ('', '|V6'), ('d', '<f8')]), ('last', '<i2'), ('', '|V6')]", <dtype_117::Item as npy_core::Element>::dtype(), false),
        ("[('h', '<f2'), ('z', '<c8'), ('w', '<c16'), ('u', '<U3'), ('v', '|V2'), ('at', '<M8'), ('took', '<m8[25s]')]", <dtype_118::Item as npy_core::Element>::dtype(), false),
        ("[('h', '>f2'), ('z', '>c8'), ('w', '>c16'), ('u', '>U3'), ('v', '|V2'), ('at', '>M8'), ('took', '>m8[25s]')]", <dtype_119::Item as npy_core::Element>::dtype(), false),
        ("[('id', '<u2'), ('samples', '<f4', (4,))]", <dtype_121::Item as npy_core::Element>::dtype(), false),
        ("[('id', '<u4'), ('picks', [('phase', '|S2'), ('at', '<f8'), ('weights', '<f4', (3,))], (2,)), ('cov', '<f8', (2, 2))]", <dtype_122::Item as npy_core::Element>::dtype(), false),
        ("[('id', '<u4'), ('pos', [('lat', '<f8'), ('lon', '<f8')]), ('hist', '<i2', (2, 3))]", <dtype_123::Item as npy_core::Element>::dtype(), false),
        ("[('id', '>u2'), ('samples', '>f4', (4,))]", <dtype_124::Item as npy_core::Element>::dtype(), false),
        ("[('id', '|u1'), ('m', '<i2', (0, 3))]", <dtype_125::Item as npy_core::Element>::dtype(), false),
        ("[('id', '|u1'), ('pos', [('x', '<i2'), ('y', '<f4')])]", <dtype_126::Item as npy_core::Element>::dtype(), false),
        ("[('id', '|u1'), (('Straße', 'street'), '|S3')]", <dtype_127::Item as npy_core::Element>::dtype(), false),
        ("[('m', '<i2', (1,))]", <dtype_128::Item as npy_core::Element>::dtype(), false),
        ("[('m', '<i2', (2, 3))]", <dtype_129::Item as npy_core::Element>::dtype(), false),
        ("[('m', ('<i2', (3,)), (2,))]", <dtype_130::Item as npy_core::Element>::dtype(), true),
        ("[('nnnnnnnnnnnnnnnnnnnnnnnnnnnnnn', '<f4')]", <dtype_133::Item as npy_core::Element>::dtype(), false),
        ("[('nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn', '<f4')]", <dtype_134::Item as npy_core::Element>::dtype(), false),
        ("[('nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn', '<f4')]", <dtype_135::Item as npy_core::Element>::dtype(), false),
        ("[('nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn', '<f4')]", <dtype_136::Item as npy_core::Element>::dtype(), false),
        ("[('s', '|S0'), ('n', '|u1'), ('u', '<U0')]", <dtype_137::Item as npy_core::Element>::dtype(), false),
        ("[('s', '|S3'), ('t', '|S2'), ('v', '|V3')]", <dtype_138::Item as npy_core::Element>::dtype(), false),
        ("[('s', '|S3', (2,)), ('u', '<U2', (2,))]", <dtype_139::Item as npy_core::Element>::dtype(), false),
        ("[('station', '<u4'), ('t0', '<i8'), ('gain', '<f4'), ('ok', '|b1'), ('code', '|S4')]", <dtype_140::Item as npy_core::Element>::dtype(), false),
        ("[('station', '>u4'), ('t0', '>i8'), ('gain', '>f4'), ('ok', '|b1'), ('code', '|S4')]", <dtype_141::Item as npy_core::Element>::dtype(), false),
        ("[('t', '<M8[us]'), ('dt', '<m8[ms]'), ('g', '<M8')]", <dtype_142::Item as npy_core::Element>::dtype(), false),
        ("[('x', '<f8')]", <dtype_143::Item as npy_core::Element>::dtype(), false),
        ("[('x', '<i2'), ('y', '|u1')]", <dtype_144::Item as npy_core::Element>::dtype(), false),
        ("[('x', '<i4'), ('y', '<f8')]", <dtype_145::Item as npy_core::Element>::dtype(), false),
        ("[('x', '<i4'), ('y', '>f8'), ('tag', '|S4')]", <dtype_146::Item as npy_core::Element>::dtype(), false),
        ("[('x', '<i4')]", <dtype_147::Item as npy_core::Element>::dtype(), false),
        ("[('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '<i4')]", <dtype_148::Item as npy_core::Element>::dtype(), false),
        ("[('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '<i4')]", <dtype_149::Item as npy_core::Element>::dtype(), false),
        ("[('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '<i4')]", <dtype_150::Item as npy_core::Element>::dtype(), false),
        ("[('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '<i4')]", <dtype_151::Item as npy_core::Element>::dtype(), false),
        ("[('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '<i4')]", <dtype_152::Item as npy_core::Element>::dtype(), false),
        ("[('é', '<f4'), ('ÿ¡', '<i2')]", <dtype_153::Item as npy_core::Element>::dtype(), false),
        ("[('ÿþ\\xa0', '<f4')]", <dtype_154::Item as npy_core::Element>::dtype(), false),
        ("[('שלום', '<f4')]", <dtype_155::Item as npy_core::Element>::dtype(), false),
        ("[('整形', '<i4'), ('b', '<i2')]", <dtype_156::Item as npy_core::Element>::dtype(), false),
        ("[('整数', '<i4'), ('浮', '<f8')]", <dtype_157::Item as npy_core::Element>::dtype(), false),
        ("[('😀', '<f4'), ('b', [('é', '<i2'), ('ß→', '|u1')])]", <dtype_158::Item as npy_core::Element>::dtype(), false),
        ("[('😀', '<i4')]", <dtype_159::Item as npy_core::Element>::dtype(), false),
        ("[(('The X value', 'x'), '<i4'), (('The Y value', 'y'), '<f4', (2,))]", <dtype_160::Item as npy_core::Element>::dtype(), false),
        ("[(('The X', 'x'), '<f4'), (('The Y', 'y'), '>i2', (2,)), ('z', '|i1')]", <dtype_161::Item as npy_core::Element>::dtype(), false),
        ("[(('Tïtre', 'x'), '<i4')]", <dtype_162::Item as npy_core::Element>::dtype(), false),
        ("[(('the gain', 'gain'), '<f4'), ('id', '|u1')]", <dtype_163::Item as npy_core::Element>::dtype(), false),
        ("[]", <dtype_164::Item as npy_core::Element>::dtype(), true),
    ]
}
