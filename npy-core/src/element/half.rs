//! Floats of two bytes: NumPy's `float16`, and ml_dtypes' `bfloat16`.

use half::{bf16, f16};

use crate::dtype::Scalar;
use crate::element::cast::Plain;
use crate::element::macros::{number, of_bytes};

number!(f16 => Float);

of_bytes! {
    /// ml_dtypes' `bfloat16`, which is stored as `<V2`, also in a big-endian file. NumPy without
    /// ml_dtypes reads it as raw bytes.
    [] bf16: 2, align 2, plain Plain::of,
    dtype |_| Scalar::extension(2),
    from_le bf16::from_le_bytes, from_be bf16::from_le_bytes, to_le bf16::to_le_bytes;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::ByteOrder;
    use crate::element::Element;
    use crate::plan::{Cast, Plan, Strategy};
    use crate::read::ReadNpy;
    use crate::write::{WriteNpy, WriteOptions};

    #[test]
    fn halves_are_float16_in_both_byte_orders() {
        assert_eq!(f16::dtype().to_string(), "<f2");
        assert_eq!(f16::dtype_in(ByteOrder::Big).to_string(), ">f2");
        let mut item = [0; 2];
        f16::from_f32(-2.5).encode(&mut item).unwrap();
        assert_eq!(item, [0x00, 0xc1]);
        for bits in 0..=u16::MAX {
            assert_eq!(f16::decode(&bits.to_le_bytes()).to_bits(), bits);
        }
    }

    /// Guards the bytes of `<V2`, which ml_dtypes never swaps.
    #[test]
    fn bfloat16_has_one_byte_order() {
        let values = [bf16::from_f32(1.5), bf16::NEG_INFINITY];
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let mut file = Vec::new();
            WriteOptions::new().byte_order(order).write_to(&mut file, &values).unwrap();
            assert!(file.starts_with(b"\x93NUMPY\x01\x00v\x00{'descr': '<V2', "));
            assert!(file.ends_with(&[0xc0, 0x3f, 0x80, 0xff]));
            assert_eq!(Vec::<bf16>::read_npy_from(&file[..]).unwrap(), values);
        }
        // NumPy without ml_dtypes writes the same bytes as `|V2`.
        let plan = Plan::new(&"|V2".parse().unwrap(), &bf16::dtype(), Cast::Exact).unwrap();
        assert!(matches!(plan.strategy, Strategy::Exact));
        let mut file = Vec::new();
        crate::DynArray::new("|V2".parse().unwrap(), [1], crate::Order::C, vec![0xc0, 0x3f])
            .unwrap()
            .write_npy_to(&mut file)
            .unwrap();
        assert_eq!(Vec::<bf16>::read_npy_from(&file[..]).unwrap(), values[..1]);
    }
}
