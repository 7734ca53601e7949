//! The list of element types whose single values are written and read as 0-d arrays.

/// Calls a macro with these types, each after its generics in brackets.
macro_rules! for_each_single {
    ($macro:ident) => {
        $macro! {
            [] bool, [] i8, [] i16, [] i32, [] i64, [] u8, [] u16, [] u32, [] u64, [] f32, [] f64,
            [T: crate::element::endian::Number] crate::element::endian::Le<T>,
            [T: crate::element::endian::Number] crate::element::endian::Be<T>,
            [] crate::element::longdouble::LongDouble, [] crate::element::longdouble::ComplexLongDouble,
            [] crate::element::bool8::Bool8, [] crate::element::float8::Float8,
            [const N: usize] crate::element::text::ByteStr<N>,
            [const N: usize] crate::element::ucs4::FixedStr<N>,
            [const N: usize] crate::element::void::Void<N>,
            [U: crate::element::time::TimeUnit] crate::element::time::DateTime64<U>,
            [U: crate::element::time::TimeUnit] crate::element::time::TimeDelta64<U>,
        }
        #[cfg(feature = "half")]
        $macro! { [] half::f16, [] half::bf16 }
        #[cfg(feature = "num-complex")]
        $macro! { [] num_complex::Complex<f32>, [] num_complex::Complex<f64> }
    };
}
pub(crate) use for_each_single;
