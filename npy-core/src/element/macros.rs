//! Macros for the implementations that several element types share.

/// Implements [`Element`](crate::Element) for types that convert from and to an array of bytes, such as numbers and text.
macro_rules! of_bytes {
    ($(
        $(#[$doc:meta])*
        [$($generics:tt)*] $type:ty: $size:expr, align $align:expr, $(plain $plain:path,)?
        dtype $dtype:expr, from_le $from_le:expr, from_be $from_be:expr, to_le $to_le:expr;
    )*) => {$(
        $(#[$doc])*
        impl<$($generics)*> $crate::element::Element for $type {
            const SIZE: usize = $size;
            const ALIGN: usize = $align;
            const __INTERNALS: $crate::element::Internals<Self> = $crate::element::Internals::DEFAULT
                .with_swapped_if(true, |item| item.first_chunk().copied().map_or_else(Self::default, $from_be))
                $(.with_plain($plain))?;

            fn dtype() -> $crate::dtype::DType {
                Self::dtype_in($crate::dtype::ByteOrder::Little)
            }

            fn dtype_in(order: $crate::dtype::ByteOrder) -> $crate::dtype::DType {
                let scalar: fn($crate::dtype::ByteOrder) -> $crate::dtype::Scalar = $dtype;
                scalar(order).into()
            }

            #[inline]
            fn decode(item: &[u8]) -> Self {
                item.first_chunk().copied().map_or_else(Self::default, $from_le)
            }

            #[inline]
            fn encode(&self, item: &mut [u8]) -> Result<(), $crate::element::InvalidValue> {
                let to_le: fn(Self) -> _ = $to_le;
                if let Some(bytes) = item.first_chunk_mut() {
                    *bytes = to_le(*self);
                }
                Ok(())
            }
        }
    )*};
}
pub(crate) use of_bytes;

/// Implements [`Element`](crate::Element) for numbers that have `from_le_bytes`.
macro_rules! number {
    ($($type:ty => $kind:ident),* $(,)?) => {
        $crate::element::macros::of_bytes! {$(
            [] $type: size_of::<$type>(), align size_of::<$type>(), plain $crate::element::cast::Plain::of,
            dtype |order| {
                $crate::dtype::Scalar::ordered($crate::dtype::ScalarKind::$kind, Self::SIZE, order)
            },
            from_le <$type>::from_le_bytes, from_be <$type>::from_be_bytes, to_le <$type>::to_le_bytes;
        )*}
    };
}
pub(crate) use number;

/// Implements `Default` and `From<[_; N]>` for a struct that wraps an array of `N` values.
macro_rules! in_place {
    ($name:ident, $unit:ty) => {
        impl<const N: usize> Default for $name<N> {
            fn default() -> Self {
                $name([<$unit>::default(); N])
            }
        }

        impl<const N: usize> From<[$unit; N]> for $name<N> {
            fn from(units: [$unit; N]) -> Self {
                $name(units)
            }
        }
    };
}
pub(crate) use in_place;

/// Implements `TryFrom<&str>`, `FromStr` and `PartialEq<&str>` for text of a fixed width.
macro_rules! from_str {
    ($name:ident) => {
        impl<const N: usize> TryFrom<&str> for $name<N> {
            type Error = $crate::element::InvalidValue;

            fn try_from(text: &str) -> Result<Self, Self::Error> {
                $name::new(text)
            }
        }

        impl<const N: usize> std::str::FromStr for $name<N> {
            type Err = $crate::element::InvalidValue;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $name::new(text)
            }
        }

        impl<const N: usize> PartialEq<&str> for $name<N> {
            fn eq(&self, other: &&str) -> bool {
                self == *other
            }
        }
    };
}
pub(crate) use from_str;

/// Implements `Default` as `new` of the default value, and `Hash` and the comparisons with the
/// value that `$get` returns. A derive would require these traits of every type parameter.
macro_rules! like_its_value {
    ([$($generics:tt)*] $type:ty, $get:ident $(, $value:ident)?) => {
        impl<$($generics)*> Default for $type {
            fn default() -> Self {
                Self::new(Default::default())
            }
        }

        impl<$($generics)*> PartialEq for $type $(where $value: PartialEq)? {
            fn eq(&self, other: &Self) -> bool {
                self.$get() == other.$get()
            }
        }

        impl<$($generics)*> Eq for $type $(where $value: Eq)? {}

        // Not `Some(self.cmp(other))`: floats are not `Ord`.
        #[allow(clippy::non_canonical_partial_ord_impl)]
        impl<$($generics)*> PartialOrd for $type $(where $value: PartialOrd)? {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                self.$get().partial_cmp(&other.$get())
            }
        }

        impl<$($generics)*> Ord for $type $(where $value: Ord)? {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.$get().cmp(&other.$get())
            }
        }

        impl<$($generics)*> std::hash::Hash for $type $(where $value: std::hash::Hash)? {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.$get().hash(state);
            }
        }
    };
}
pub(crate) use like_its_value;
