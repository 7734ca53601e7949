//! The Rust types and their NumPy dtypes. This module is documentation only.
//!
//! # Items
//!
//! Every type here is an [`Element`](crate::Element). It can be an item of a `Vec`, a slice or an [`NpyArray`](crate::NpyArray), a field of
//! a struct, or by itself a 0-d array (a record is read so, and written as an `NpyArray` without dimensions). It is written as the dtype in the second column, and read from that dtype in either byte order. A
//! value that is written and read again does not change.
//!
//! With [`Cast::Lossless`](crate::Cast::Lossless) it is also read from the dtypes in the last
//! column. `…` means every other length of text, or every other unit of a time. A text or time that
//! does not fit is an error. So is any dtype that the table does not list.
//! [`Cast::Checked`](crate::Cast::Checked), which rounds, and [`Cast::Numeric`](crate::Cast::Numeric) also read
//! any number as any other, except long doubles and bfloat16.
//!
//! | Rust | NumPy | feature | reads without loss |
//! |---|---|---|---|
//! | `bool` | `\|b1` | | |
//! | [`Bool8`](crate::Bool8) | `\|b1` | | |
//! | `i8` | `\|i1` | | `b1` |
//! | `i16` | `<i2` | | `b1 i1 u1` |
//! | `i32` | `<i4` | | `b1 i1 i2 u1 u2` |
//! | `i64` | `<i8` | | `b1 i1 i2 i4 u1 u2 u4` |
//! | `u8` | `\|u1` | | `b1` |
//! | `u16` | `<u2` | | `b1 u1` |
//! | `u32` | `<u4` | | `b1 u1 u2` |
//! | `u64` | `<u8` | | `b1 u1 u2 u4` |
//! | `half::f16` | `<f2` | `half` | `b1 i1 u1` |
//! | `f32` | `<f4` | | `b1 i1 i2 u1 u2 f2` |
//! | `f64` | `<f8` | | `b1 i1 i2 i4 u1 u2 u4 f2 f4` |
//! | [`LongDouble`](crate::LongDouble) | `<f16` | | `f12` |
//! | `Complex<f32>` | `<c8` | `num-complex` | `b1 i1 i2 u1 u2 f2 f4` |
//! | `Complex<f64>` | `<c16` | `num-complex` | `b1 i1 i2 i4 u1 u2 u4 f2 f4 f8 c8` |
//! | [`ComplexLongDouble`](crate::ComplexLongDouble) | `<c32` | | `c24` |
//! | [`DateTime64<Ns>`](crate::DateTime64) | `<M8[ns]` | | `M8[…` |
//! | [`DateTime64<Generic>`](crate::DateTime64) | `<M8` | | |
//! | [`TimeDelta64<Times<25, Second>>`](crate::TimeDelta64) | `<m8[25s]` | | `m8[…` |
//! | [`TimeDelta64<Generic>`](crate::TimeDelta64) | `<m8` | | |
//! | [`ByteStr<5>`](crate::ByteStr) | `\|S5` | | `S…` |
//! | [`FixedStr<5>`](crate::FixedStr) | `<U5` | | `U…` |
//! | [`Void<5>`](crate::Void) | `\|V5` | | |
//! | `half::bf16` | `<V2` | `half` | |
//! | [`Float8`](crate::Float8) | `<V1` | | |
//!
//! Times count in any unit of NumPy, or in a multiple of one ([`time`](crate::time)); they are never rounded.
//! In a record, `[T; N]` and `Box<[T; N]>` are a sub-array; elsewhere they are the last dimensions of the array. They may be nested.
//! [`Le<T>`](crate::Le) and [`Be<T>`](crate::Be) are the number `T` in a fixed byte order, little or big endian.
//! A struct that derives [`NpyRecord`](macro@crate::NpyRecord) is a record.
//!
//! - Floats keep all their bits, even those of a NaN. A `bool` is true for any byte except zero, and true is written as one;
//!   [`Bool8`](crate::Bool8) keeps the byte, as NumPy does, and can be viewed in place.
//! - Text and bytes lose trailing zeros, as in NumPy; a NUL before other characters is kept. A code point that is not a character (a
//!   surrogate, or over U+10FFFF) is an error that names the row.
//! - [`LongDouble::to_f64`](crate::LongDouble::to_f64) rounds; the value itself keeps all its bytes.
//! - bfloat16 and the floats of one byte are types of ml_dtypes. Without ml_dtypes, NumPy treats
//!   them as raw bytes. This crate reads both dtypes as either type: `half::bf16` also reads `|V2`,
//!   as little-endian, and [`Void<2>`](crate::Void) also reads `<V2`.
//!
//! # Arrays
//!
//! | Rust | read | written | dimensions |
//! |---|---|---|---|
//! | `Vec<T>`, `Box<[T]>` | yes | yes | one |
//! | `[T]`, `[T; N]` | | yes | one |
//! | `T` | yes | yes | none; an item of the first table |
//! | `NpyArray<T>` | yes | yes | any |
//! | [`AnyArray`](crate::AnyArray) | yes | yes | any; an `NpyArray` of the type that the file has |
//! | `DynArray` | yes | yes | any; every dtype, Python objects as their pickle |
//! | [`NpyView<T>`](crate::NpyView) | | yes | any; a slice with a shape |
//! | [`DynView`](crate::DynView) | | yes | any; bytes with a dtype and a shape |
//! | [`Objects`](crate::Objects) | yes | yes | any; Python objects, also those in fields of records |
//! | `Vec<String>`, `NpyArray<String>` | yes | yes | one, any; `U` and `S` of any width, written as `U` |
//! | `Vec<Vec<u8>>`, `NpyArray<Vec<u8>>` | yes | yes | one, any; `S` of any width |
//! | `[&str]`, `[&[u8]]`, `Vec<&str>`, `Vec<&[u8]>` | | yes | one; as `U` and `S` |
//! | `Vec<Option<T>>`, `NpyArray<Option<T>>` | yes | yes | one, any; `T` as above, or text or bytes; written as Python objects, if `T` is `bool`, a number, text or bytes |
//! | `[Option<T>]` | | yes | one; as Python objects |
//! | `String` | yes | yes | none |
//! | `str` | | yes | none |
//!
//! A struct that derives [`NpyRecord`](macro@crate::NpyRecord) is also read from an array without dimensions: a single record. To write one, use
//! `NpyArray::new(vec![record], [])`.
//!
//! With the feature `ndarray`, an `ndarray::Array` of items of the first table is read and written, too, but not of text or `Option`.
//!
//! A list of `Option` becomes Python objects, which `np.load` reads with `allow_pickle=True` alone. For floats, write NaN instead of `None`.
//!
//! `AnyArray`, `DynArray` and `Objects` keep Python objects (`|O`) as they are. All other types
//! that can be read also read arrays of Python objects: text from `str`, numbers from `int` and
//! `float`, times from `datetime`, records from tuples. A value must fit exactly.
//!
//! In a list or array of optional values, a float NaN and `NaT` are `None`, whatever the dtype; in
//! an array of Python objects, so are Python's `None` and pandas' `NA`.
//!
//! All text of a list is written with the width of the longest, at least one character. Writing
//! text that ends with a NUL is an error, as reading it would drop the NUL. With
//! [`WriteOptions::objects`](crate::WriteOptions::objects), text and bytes are written as Python
//! objects, each of its own length.
//!
//! ```
//! use npy_core::{Header, ReadNpy, WriteNpy};
//!
//! let mut file = Vec::new();
//! ["RJOB", "naïve"].write_npy_to(&mut file)?;
//! assert_eq!(Header::parse(&file)?.0.dtype().to_string(), "<U5");
//! assert_eq!(Vec::<String>::read_npy_from(&file[..])?, ["RJOB", "naïve"]);
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! # Times of other crates
//!
//! `TryFrom` converts exactly in both directions. A value that does not fit, a fraction of a unit and "not a time" are errors.
//!
//! | Rust | feature | converts to and from |
//! |---|---|---|
//! | `std::time::SystemTime` | | `DateTime64` |
//! | `jiff::Timestamp` | `jiff` | `DateTime64` |
//! | `jiff::civil::Date` | `jiff` | `DateTime64` |
//! | `jiff::SignedDuration` | `jiff` | `TimeDelta64` |
//! | `chrono::DateTime<Utc>` | `chrono` | `DateTime64` |
//! | `chrono::NaiveDate` | `chrono` | `DateTime64` |
//! | `chrono::TimeDelta` | `chrono` | `TimeDelta64` |
//!
//! NumPy's times have no time zone; `jiff::Timestamp` and `chrono::DateTime<Utc>` treat them as UTC. A struct for
//! [`object::load`](crate::object::load) has a `DateTime64`: serde of jiff itself reads a `Timestamp` from text with an offset alone.
//!
//! ```
//! # #[cfg(feature = "jiff")] {
//! use npy_core::DateTime64;
//! use npy_core::time::{Day, Ms};
//!
//! let stamp = jiff::Timestamp::try_from(DateTime64::<Ms>::new(1_251_073_203_500))?;
//! assert_eq!(stamp.to_string(), "2009-08-24T00:20:03.5Z");
//! assert!(DateTime64::<Day>::try_from(stamp).is_err());
//! assert!(jiff::civil::Date::try_from(DateTime64::<Day>::NAT).is_err());
//! # }
//! # Ok::<(), npy_core::InvalidValue>(())
//! ```
