//! Numbers that keep their byte order in memory: `Le<u32>`, `Be<f64>`.

use std::fmt;

use crate::dtype::{ByteOrder, DType};
use crate::element::cast::Plain;
use crate::element::macros::like_its_value;
use crate::element::{Element, Internals, InvalidValue};

/// A number that [`Le`] and [`Be`] can hold: `i8` to `i64`, `u8` to `u64`, `f32` or `f64`. No other type can implement this trait.
///
/// ```
/// use npy_core::endian::{Be, Number};
///
/// fn sum<T: Number + std::iter::Sum>(items: &[Be<T>]) -> T {
///     items.iter().map(|item| item.get()).sum()
/// }
/// assert_eq!(sum(&[Be::new(1.5), Be::new(2.0)]), 3.5);
/// ```
pub trait Number: Element + Copy + Default + sealed::Bytes {}

mod sealed {
    use crate::dtype::ByteOrder;

    /// Converts a number to and from an array of its bytes.
    pub trait Bytes {
        type Array: Copy + Send;
        fn to_bytes(self, order: ByteOrder) -> Self::Array;
        fn from_bytes(bytes: Self::Array, order: ByteOrder) -> Self;
    }
}

macro_rules! number {
    ($($type:ty),*) => {$(
        impl Number for $type {}

        impl sealed::Bytes for $type {
            type Array = [u8; size_of::<$type>()];

            #[inline]
            fn to_bytes(self, order: ByteOrder) -> Self::Array {
                if order == ByteOrder::Big { self.to_be_bytes() } else { self.to_le_bytes() }
            }

            #[inline]
            fn from_bytes(bytes: Self::Array, order: ByteOrder) -> Self {
                match order {
                    ByteOrder::Little => <$type>::from_le_bytes(bytes),
                    ByteOrder::Big => <$type>::from_be_bytes(bytes),
                }
            }
        }
    )*};
}

number!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

/// Defines the wrapper of one byte order. The wrapper compares, hashes and prints like the number.
macro_rules! ordered {
    ($(#[$doc:meta])* $name:ident, $order:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $name<T: Number>(T::Array);

        impl<T: Number> $name<T> {
            /// Stores this number.
            ///
            /// ```
            /// use npy_core::Be;
            ///
            /// assert_eq!(Be::new(7u32).get(), 7);
            /// ```
            #[inline]
            pub fn new(value: T) -> Self {
                Self(value.to_bytes(ByteOrder::$order))
            }

            /// Returns the number.
            ///
            /// ```
            /// use npy_core::Le;
            ///
            /// assert_eq!(Le::new(0.5f64).get(), 0.5);
            /// ```
            #[inline]
            pub fn get(self) -> T {
                T::from_bytes(self.0, ByteOrder::$order)
            }
        }

        impl<T: Number> From<T> for $name<T> {
            fn from(value: T) -> Self {
                Self::new(value)
            }
        }

        like_its_value!([T: Number] $name<T>, get, T);

        impl<T: Number + fmt::Debug> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.get().fmt(f)
            }
        }

        impl<T: Number + fmt::Display> fmt::Display for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.get().fmt(f)
            }
        }

        /// Keeps its byte order, even if the record or array has another. Its alignment is 1, in memory and with `#[npy(align)]`.
        impl<T: Number> Element for $name<T> {
            const SIZE: usize = T::SIZE;
            const __INTERNALS: Internals<Self> = Internals::DEFAULT
                .with_swapped_if(T::__INTERNALS.swaps(), |item| {
                    Self::new(T::__INTERNALS.decode::<true>(item))
                })
                .with_plain(Plain::of);

            fn dtype() -> DType {
                T::dtype_in(ByteOrder::$order)
            }

            #[inline]
            fn decode(item: &[u8]) -> Self {
                Self::new(T::decode(item))
            }

            #[inline]
            fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
                self.get().encode(item)
            }
        }
    };
}

ordered! {
    /// A number that is stored as little-endian bytes on every machine, without alignment. `Le<f64>` is NumPy's `<f8`.
    ///
    /// Use `Le` in records that are viewed in place ([`NpyView`](crate::NpyView)): its
    /// alignment is 1, so the records need no padding.
    ///
    /// ```
    /// use npy_core::{Element, Le};
    ///
    /// let gain = Le::new(1.5f32);
    /// assert_eq!(gain.get(), 1.5);
    /// assert_eq!(align_of::<Le<f32>>(), 1);
    /// assert_eq!(Le::<f32>::dtype().to_string(), "<f4");
    /// ```
    Le, Little
}

ordered! {
    /// A number that is stored as big-endian bytes on every machine, without alignment. `Be<f64>` is NumPy's `>f8`.
    ///
    /// An [`NpyView`](crate::NpyView) of `Be<f64>` uses the data of a `>f8` file in place.
    ///
    /// ```
    /// use npy_core::{NpyView, Be, ByteOrder, WriteOptions};
    ///
    /// let mut file = Vec::new();
    /// WriteOptions::new().byte_order(ByteOrder::Big).write_to(&mut file, &[1.5f64, -2.0])?;
    ///
    /// let view = NpyView::<Be<f64>>::from_bytes(&file)?;
    /// assert_eq!(view[1].get(), -2.0);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    Be, Big
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;

    #[test]
    fn bytes_are_in_the_order_of_the_name() {
        assert_eq!(Le::new(0x0102_u16).0, [2, 1]);
        assert_eq!(Be::new(0x0102_u16).0, [1, 2]);
        assert_eq!(Be::new(-2.5f64).get(), -2.5);
        assert_eq!(Le::<i64>::from(-1), Le::new(-1));
        assert_eq!(Be::<u32>::default().get(), 0);
    }

    #[test]
    fn they_compare_and_print_as_numbers() {
        // A comparison of the bytes would say the opposite.
        assert!(Le::new(0x0100_u16) > Le::new(0x00ff));
        assert_eq!(Le::new(0x0100_u16).cmp(&Le::new(0x00ff)), Ordering::Greater);
        assert_ne!(Be::new(f32::NAN), Be::new(f32::NAN));
        assert_eq!(Be::new(0.0), Be::new(-0.0));
        assert_eq!(format!("{:?} {:5.1}", Be::new(0.5f32), Le::new(2.0f64)), "0.5   2.0");
        let set = std::collections::HashSet::from([Be::new(7), Be::new(7)]);
        assert_eq!(set.len(), 1);
    }

    #[test]
    fn the_dtype_states_its_order_and_the_item_is_canonical() {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            assert_eq!(Be::<f64>::dtype_in(order).to_string(), ">f8");
            assert_eq!(<[Le<i16>; 2]>::dtype_in(order).to_string(), "('<i2', (2,))");
            assert_eq!(Be::<u8>::dtype_in(order).to_string(), "|u1");
        }
        let mut item = [0; 4];
        Be::new(0x0102_0304_u32).encode(&mut item).unwrap();
        assert_eq!(item, [4, 3, 2, 1]);
        assert_eq!(Be::<u32>::decode(&item).get(), 0x0102_0304);
    }
}
