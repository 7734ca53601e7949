//! Which Rust type is which NumPy dtype. A page of documentation; there is no code here.
//!
//! # Items
//!
//! Every type here is an [`Element`](crate::Element): it may be an item of a `Vec`, a slice or an
//! [`NpyArray`](crate::NpyArray), a field of a struct, or an array without dimensions by itself. Each is written as the dtype
//! beside it, and read from that in either byte order: no value changes on the way there and back.
//!
//! With [`Cast::Lossless`](crate::Cast::Lossless) it is read from the narrower dtypes of the last column, too, each
//! of whose values fits exactly; from any other it is an error. `…` stands for every width that is smaller.
//!
//! | Rust | NumPy | feature | reads without loss |
//! |---|---|---|---|
//! | `bool` | `\|b1` | | |
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
//! | [`DateTime64<Ns>`](crate::DateTime64) | `<M8[ns]` | | |
//! | [`DateTime64<Generic>`](crate::DateTime64) | `<M8` | | |
//! | [`TimeDelta64<Times<25, Second>>`](crate::TimeDelta64) | `<m8[25s]` | | |
//! | [`TimeDelta64<Generic>`](crate::TimeDelta64) | `<m8` | | |
//! | [`ByteStr<5>`](crate::ByteStr) | `\|S5` | | `S…` |
//! | [`FixedStr<5>`](crate::FixedStr) | `<U5` | | `U…` |
//! | [`Void<5>`](crate::Void) | `\|V5` | | |
//! | `half::bf16` | `<V2` | `half` | |
//! | [`Float8`](crate::Float8) | `<V1` | | |
//!
//! Times have all units of NumPy's, and multiples of them: [`time`](crate::time). They count; nothing is rounded.
//! An array `[T; N]` of elements, also of arrays, and `Box<[T; N]>` is a sub-array in a record and the last dimensions elsewhere.
//! [`Le<T>`](crate::Le) and [`Be<T>`](crate::Be) are what the number is, and state its byte order. A struct is a record:
//! [`NpyRecord`](macro@crate::NpyRecord).
//!
//! What the values are worth:
//!
//! - Floats keep their bits, those of NaN too. A `bool` is true for any byte but zero, and written as one.
//! - Text and bytes lose the zeros at their end, as in NumPy; a NUL between others is kept. A code point that is no character
//!   (a surrogate, or beyond U+10FFFF) is an error with its row.
//! - [`LongDouble::to_f64`](crate::LongDouble::to_f64) rounds, and says how. The bytes stay as they are.
//! - bfloat16 and the floats of one byte are ml_dtypes'; NumPy by itself takes them for raw bytes, and so does this crate:
//!   `half::bf16` reads `|V2` and [`Void<2>`](crate::Void) reads `<V2`.
//!
//! # Arrays
//!
//! | Rust | read | written | dimensions |
//! |---|---|---|---|
//! | `Vec<T>`, `Box<[T]>` | yes | yes | one |
//! | `[T]`, `[T; N]` | | yes | one |
//! | `T` | yes | yes | none; an item of the first table |
//! | `NpyArray<T>` | yes | yes | any |
//! | `DynArray` | yes | yes | any; every dtype but Python objects |
//! | `Vec<String>`, `NpyArray<String>` | yes | yes | one, any; `U` and `S` of any width, written as `U` |
//! | `Vec<Vec<u8>>`, `NpyArray<Vec<u8>>` | yes | yes | one, any; `S` of any width |
//! | `[&str]`, `[&[u8]]`, `Vec<&str>`, `Vec<&[u8]>` | | yes | one; as `U` and `S` |
//! | `String` | yes | yes | none |
//! | `str` | | yes | none |
//!
//! Text is written as wide as the longest of the list, at least one character. A text that ends with a NUL is an error: it
//! would come back shorter.
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
//! `TryFrom` converts both ways, exactly: what does not fit, or is no whole number of units, or is "not a time", is an error.
//!
//! | Rust | feature | of |
//! |---|---|---|
//! | `jiff::Timestamp` | `jiff` | `DateTime64` |
//! | `jiff::civil::Date` | `jiff` | `DateTime64` |
//! | `jiff::SignedDuration` | `jiff` | `TimeDelta64` |
//! | `chrono::DateTime<Utc>` | `chrono` | `DateTime64` |
//! | `chrono::NaiveDate` | `chrono` | `DateTime64` |
//! | `chrono::TimeDelta` | `chrono` | `TimeDelta64` |
//!
//! NumPy's times are of no time zone; `jiff::Timestamp` and `chrono::DateTime<Utc>` take them for UTC.
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
