//! The macro that handles several types of an [`AnyArray`](crate::AnyArray) in one place.

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
/// The last arm is required, as `AnyArray` may get more variants:
///
/// ```compile_fail
/// # use npy_core::{AnyArray, NpyArray, for_any};
/// # let array = AnyArray::from(NpyArray::from(vec![1u16, 2]));
/// let len = for_any!(&array, typed => { Number => typed.len() });
/// ```
#[macro_export]
macro_rules! for_any {
    ($array:expr, $typed:ident => { $($arms:tt)* }) => {
        $crate::__for_any!([$array] $typed [] $($arms)*)
    };
}

/// Collects the arms of [`for_any!`](crate::for_any). Its input is the `AnyArray`, the name of the array, the arms so far, and the rest.
#[doc(hidden)]
#[macro_export]
macro_rules! __for_any {
    ([$array:expr] $typed:ident [$($arms:tt)*] _ => $value:expr $(,)?) => {
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
        ::core::compile_error!("for_any! needs a last arm, `_ => …`, for arrays of all other types")
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
        @ $array:tt $typed:ident [$($arms:tt)*] [$variant:ident $($more:ident)*]
        { $value:expr } $($rest:tt)*
    ) => {
        $crate::__for_any!(@ $array $typed [
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
