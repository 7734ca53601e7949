//! Complex numbers: a real and an imaginary part.

#[cfg(feature = "num-complex")]
use num_complex::Complex;

use crate::dtype::{ByteOrder, DType, Scalar, ScalarKind};
#[cfg(feature = "num-complex")]
use crate::element::cast::Plain;
use crate::element::longdouble::{ComplexLongDouble, LongDouble};
use crate::element::{Element, Internals, InvalidValue};

/// Implements [`Element`] for complex numbers of these floats, the real part first.
macro_rules! complex {
    ($($type:ty: $part:ty $(, plain $plain:path)?;)*) => {$(
        /// For big-endian data, the bytes of each part are swapped separately.
        impl Element for $type {
            const SIZE: usize = <[$part; 2]>::SIZE;
            const ALIGN: usize = <$part>::ALIGN;
            const __INTERNALS: Internals<Self> = Internals::DEFAULT
                .with_swapped_if(true, |item| {
                    let [re, im] = <[$part; 2]>::__INTERNALS.decode::<true>(item);
                    Self { re, im }
                })
                $(.with_plain($plain))?;

            fn dtype() -> DType {
                Self::dtype_in(ByteOrder::Little)
            }

            fn dtype_in(order: ByteOrder) -> DType {
                Scalar::ordered(ScalarKind::Complex, Self::SIZE, order).into()
            }

            #[inline]
            fn decode(item: &[u8]) -> Self {
                let [re, im] = <[$part; 2]>::decode(item);
                Self { re, im }
            }

            #[inline]
            fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
                [self.re, self.im].encode(item)
            }
        }
    )*};
}

complex! { ComplexLongDouble: LongDouble; }

#[cfg(feature = "num-complex")]
complex! { Complex<f32>: f32, plain Plain::of; Complex<f64>: f64, plain Plain::of; }

#[cfg(feature = "num-complex")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::ReadNpy;
    use crate::write::WriteOptions;

    #[test]
    fn the_real_part_comes_first() {
        assert_eq!(Complex::<f32>::dtype().to_string(), "<c8");
        assert_eq!(Complex::<f64>::dtype_in(ByteOrder::Big).to_string(), ">c16");
        let z = Complex::new(1.0f32, -0.0);
        let mut item = [0; 8];
        z.encode(&mut item).unwrap();
        assert_eq!(item, [0, 0, 0x80, 0x3f, 0, 0, 0, 0x80]);
        assert_eq!(Complex::<f32>::decode(&item), z);
    }

    #[test]
    fn parts_are_swapped_one_by_one() {
        let z = [Complex::new(1.0f64, f64::MIN_POSITIVE)];
        let mut file = Vec::new();
        WriteOptions::new().byte_order(ByteOrder::Big).write_to(&mut file, &z).unwrap();
        let parts = [1.0f64.to_be_bytes(), f64::MIN_POSITIVE.to_be_bytes()];
        assert!(file.ends_with(&parts.concat()));
        assert_eq!(Vec::<Complex<f64>>::read_npy_from(&file[..]).unwrap(), z);
    }
}
