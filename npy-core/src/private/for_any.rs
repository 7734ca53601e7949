//! The macros that handle several types in one place: of an [`AnyArray`](crate::AnyArray), or of a dtype.

use std::borrow::Borrow;

use crate::any::{Variant, for_each_typed};
use crate::dtype::DType;

/// Handles an [`AnyArray`](crate::AnyArray) by its type: like `match`, but an arm can have several variants, whose arrays have different types.
///
/// The name before `=>` is the array in each arm: an [`NpyArray`](crate::NpyArray) of the type of the variant, and in the last arm, `_`, the
/// `AnyArray` itself. Each arm is compiled once for each of its variants, so it can call generic functions.
///
/// ```
/// use npy_core::{AnyArray, NpyArray, for_any};
///
/// /// A tensor of another library, which has four types.
/// enum Tensor {
///     Bytes(Vec<u8>),
///     Indices(Vec<i64>),
///     Floats(Vec<f64>),
/// }
///
/// impl From<Vec<u8>> for Tensor {
///     fn from(items: Vec<u8>) -> Self {
///         Tensor::Bytes(items)
///     }
/// }
/// impl From<Vec<i64>> for Tensor {
///     fn from(items: Vec<i64>) -> Self {
///         Tensor::Indices(items)
///     }
/// }
/// impl From<Vec<f64>> for Tensor {
///     fn from(items: Vec<f64>) -> Self {
///         Tensor::Floats(items)
///     }
/// }
///
/// fn tensor(array: AnyArray) -> Result<Tensor, String> {
///     for_any!(array, typed => {
///         U8 | I64 | F64 => Ok(typed.into_vec().into()),
///         Bool => Ok(typed.iter().map(|&flag| u8::from(flag)).collect::<Vec<_>>().into()),
///         _ => Err(format!("there are no tensors of {}", typed.dtype())),
///     })
/// }
///
/// let array = AnyArray::from(NpyArray::from(vec![0.5f64]));
/// assert!(matches!(tensor(array), Ok(Tensor::Floats(items)) if items == [0.5]));
/// let array = AnyArray::from(NpyArray::from(vec!["text".to_owned()]));
/// assert_eq!(tensor(array).err().as_deref(), Some("there are no tensors of <U4"));
/// ```
///
/// Three names stand for several variants:
///
/// | name | variants |
/// |---|---|
/// | `Integer` | `I8`, `I16`, `I32`, `I64`, `U8`, `U16`, `U32`, `U64` |
/// | `Float` | `F32`, `F64` |
/// | `Number` | all of `Integer` and `Float` |
///
/// These names will never include more variants. So the variants of the features `half` and `num-complex` are named one by one:
/// `F16 | F32 | F64 => …`.
///
/// For a reference to an `AnyArray`, the name is a reference to its array:
///
/// ```
/// use npy_core::{AnyArray, NpyArray, for_any};
///
/// let mut array = AnyArray::from(NpyArray::from(vec![1u16, 2]));
/// for_any!(&mut array, typed => {
///     Number => typed.as_slice_memory_order_mut().reverse(),
///     _ => {}
/// });
/// assert_eq!(array, NpyArray::from(vec![2u16, 1]).into());
/// ```
///
/// [`for_dtype!`](crate::for_dtype) does the same for a dtype, before there is an array.
///
/// The last arm is required, as `AnyArray` may get more variants:
///
/// ```compile_fail
/// use npy_core::{AnyArray, NpyArray, for_any};
/// let array = AnyArray::from(NpyArray::from(vec![1u16, 2]));
/// let len = for_any!(&array, typed => { Number => typed.len() });
/// ```
#[macro_export]
macro_rules! for_any {
    ($array:expr, $typed:ident => { $($arms:tt)* }) => {
        $crate::__for_any!([array $array] $typed [] $($arms)*)
    };
}

/// Handles a dtype by its Rust type: like `match`, but an arm can have several types.
///
/// The name before `=>` is the Rust type in each arm, and no type in the last arm, `_`. Each arm is compiled once for each of its types, so
/// it can call generic functions. The arms are those of [`for_any!`](crate::for_any), without those of text and times. The byte order of the
/// dtype does not matter.
///
/// It is for what is generic and has no array yet: rows that are read one by one, columns of records, and the types of another library.
///
/// ```
/// use std::io::Read;
///
/// use npy_core::{Error, NpyView, Reader, Result, WriteNpy, for_dtype};
///
/// /// Prints a matrix of any number as CSV, with only a few rows in memory.
/// fn print(file: impl Read) -> Result<String> {
///     let mut reader = Reader::new(file)?;
///     let mut csv = String::new();
///     for_dtype!(reader.header().dtype(), T => {
///         Number | Bool => {
///             let mut rows = reader.rows::<T>()?;
///             while let Some(row) = rows.next_row()? {
///                 let cells: Vec<_> = row.iter().map(T::to_string).collect();
///                 csv += &(cells.join(",") + "\n");
///             }
///             Ok(csv)
///         }
///         _ => Err(Error::custom(format!("{} is not a number", reader.header().dtype()))),
///     })
/// }
///
/// let mut file = Vec::new();
/// NpyView::new(&[1i16, -2, 3, 4], [2, 2])?.write_npy_to(&mut file)?;
/// assert_eq!(print(&file[..])?, "1,-2\n3,4\n");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[macro_export]
macro_rules! for_dtype {
    ($dtype:expr, $type:ident => { $($arms:tt)* }) => {
        $crate::__for_any!([dtype $dtype] $type [] $($arms)*)
    };
}

/// Returns the variant for arrays of this dtype, for [`for_dtype!`](crate::for_dtype).
pub fn variant(dtype: impl Borrow<DType>) -> Option<Variant> {
    Variant::of(dtype.borrow())
}

macro_rules! types {
    ($(#[doc = $doc:literal] $(#[$cfg:meta])* $variant:ident: $type:ty,)*) => {
        /// The types of the variants, by the names of these.
        pub mod rust_type {
            $(#[doc = $doc] $(#[$cfg])* pub type $variant = $type;)*
        }
    };
}

for_each_typed!(types);

/// Collects the arms of [`for_any!`](crate::for_any) and [`for_dtype!`](crate::for_dtype). Its input is the `AnyArray` or the dtype, the name of
/// the array or the type, the arms so far, and the rest.
#[doc(hidden)]
#[macro_export]
macro_rules! __for_any {
    ([dtype $dtype:expr] $type:ident [$($arms:tt)*] _ => $value:expr $(,)?) => {{
        let variant = $crate::private::variant($dtype);
        match variant {
            $($arms)*
            _ => $value,
        }
    }};
    ([array $array:expr] $typed:ident [$($arms:tt)*] _ => $value:expr $(,)?) => {
        match $array {
            $($arms)*
            // Borrowed, so that an arm that does not use the name causes no warning.
            $typed => {
                let _ = &$typed;
                $value
            }
        }
    };
    ($array:tt $typed:ident $arms:tt $($variant:ident)|+ => $value:block, $($rest:tt)*) => {
        $crate::__for_any!(@ $array $typed $arms [$($variant)+] { $value } $($rest)*)
    };
    ($array:tt $typed:ident $arms:tt $($variant:ident)|+ => $value:block $($rest:tt)*) => {
        $crate::__for_any!(@ $array $typed $arms [$($variant)+] { $value } $($rest)*)
    };
    ($array:tt $typed:ident $arms:tt $($variant:ident)|+ => $value:expr $(, $($rest:tt)*)?) => {
        $crate::__for_any!(@ $array $typed $arms [$($variant)+] { $value } $($($rest)*)?)
    };
    ($array:tt $typed:ident $arms:tt) => {
        ::core::compile_error!("a last arm is needed, `_ => …`, for all other types")
    };
    (@ $array:tt $typed:ident $arms:tt [] $value:tt $($rest:tt)*) => {
        $crate::__for_any!($array $typed $arms $($rest)*)
    };
    (@ $array:tt $typed:ident $arms:tt [Number $($more:ident)*] $($rest:tt)+) => {
        $crate::__for_any!(@ $array $typed $arms [Integer Float $($more)*] $($rest)+)
    };
    (@ $array:tt $typed:ident $arms:tt [Integer $($more:ident)*] $($rest:tt)+) => {
        $crate::__for_any!(@ $array $typed $arms [I8 I16 I32 I64 U8 U16 U32 U64 $($more)*] $($rest)+)
    };
    (@ $array:tt $typed:ident $arms:tt [Float $($more:ident)*] $($rest:tt)+) => {
        $crate::__for_any!(@ $array $typed $arms [F32 F64 $($more)*] $($rest)+)
    };
    (
        @ [dtype $dtype:expr] $type:ident [$($arms:tt)*] [$variant:ident $($more:ident)*]
        { $value:expr } $($rest:tt)*
    ) => {
        $crate::__for_any!(@ [dtype $dtype] $type [
            $($arms)*
            // As below.
            #[allow(
                unused_comparisons,
                clippy::absurd_extreme_comparisons,
                clippy::cast_lossless,
                clippy::unnecessary_cast,
                clippy::useless_conversion
            )]
            ::core::option::Option::Some($crate::private::Variant::$variant) => {
                #[allow(dead_code)]
                type $type = $crate::private::rust_type::$variant;
                $value
            }
        ] [$($more)*] { $value } $($rest)*)
    };
    (
        @ [array $array:expr] $typed:ident [$($arms:tt)*] [$variant:ident $($more:ident)*]
        { $value:expr } $($rest:tt)*
    ) => {
        $crate::__for_any!(@ [array $array] $typed [
            $($arms)*
            // These lints warn about conversions that one type needs and another does not. The `..` is the unit of times.
            #[allow(
                unused_comparisons,
                clippy::absurd_extreme_comparisons,
                clippy::cast_lossless,
                clippy::unnecessary_cast,
                clippy::useless_conversion
            )]
            $crate::AnyArray::$variant($typed, ..) => {
                let _ = &$typed;
                $value
            }
        ] [$($more)*] { $value } $($rest)*)
    };
}
