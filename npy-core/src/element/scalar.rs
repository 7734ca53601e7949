//! The scalars that Rust has: `bool`, the integers and the floats.

use crate::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::element::cast::Plain;
use crate::element::{Element, Internals, InvalidValue};

/// Implements [`Element`] for numbers that have `from_le_bytes`.
macro_rules! number {
    ($($type:ty => $kind:ident),* $(,)?) => {$(
        impl Element for $type {
            const SIZE: usize = size_of::<$type>();
            const ALIGN: usize = size_of::<$type>();
            const __INTERNALS: Internals<Self> = Internals::DEFAULT
                .with_swapped(|item| {
                    item.first_chunk().map_or(<$type>::default(), |bytes| <$type>::from_be_bytes(*bytes))
                })
                .with_plain(Plain::of);

            fn dtype() -> DType {
                Self::dtype_in(ByteOrder::Little)
            }

            fn dtype_in(order: ByteOrder) -> DType {
                Scalar::ordered(ScalarKind::$kind, Self::SIZE, order).into()
            }

            #[inline]
            fn decode(item: &[u8]) -> Self {
                item.first_chunk().map_or(<$type>::default(), |bytes| <$type>::from_le_bytes(*bytes))
            }

            #[inline]
            fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
                if let Some(bytes) = item.first_chunk_mut() {
                    *bytes = self.to_le_bytes();
                }
                Ok(())
            }
        }
    )*};
}

#[cfg(feature = "half")]
pub(crate) use number;

number! {
    i8 => Int, i16 => Int, i32 => Int, i64 => Int,
    u8 => UInt, u16 => UInt, u32 => UInt, u64 => UInt,
    f32 => Float, f64 => Float,
}

/// As in NumPy, every byte but zero is true.
impl Element for bool {
    const SIZE: usize = 1;
    const ALIGN: usize = 1;
    const __INTERNALS: Internals<Self> = Internals::DEFAULT.with_swapped(Self::decode);

    fn dtype() -> DType {
        Scalar::new(ScalarKind::Bool, 1).into()
    }

    #[inline]
    fn decode(item: &[u8]) -> Self {
        item.first().is_some_and(|&byte| byte != 0)
    }

    #[inline]
    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        u8::from(*self).encode(item)
    }
}
