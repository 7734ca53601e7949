//! Floats of two bytes: NumPy's `float16`, and ml_dtypes' `bfloat16`.

use half::{bf16, f16};

use crate::dtype::Scalar;
use crate::element::cast::Plain;
use crate::element::macros::{number, of_bytes};

number!(f16 => Float);

of_bytes! {
    /// ml_dtypes' `bfloat16`, which is stored as `<V2`, or as `>V2` in a big-endian file. NumPy reads
    /// it as raw bytes, and then writes `|V2`, which counts as little-endian.
    [] bf16: 2, align 2, plain Plain::of,
    dtype |order| Scalar::extension(2, order),
    from_le bf16::from_le_bytes, from_be bf16::from_be_bytes, to_le bf16::to_le_bytes;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::ByteOrder;
    use crate::element::Element;
    use crate::plan::{Cast, Plan, Strategy};
    use crate::read::ReadNpy;
    use crate::write::{WriteNpy, WriteOptions};
    use crate::{DynArray, NpyView, Order, Reader, Void};

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

    /// Guards the bytes of `>V2`, as ml_dtypes writes them, in arrays and in records.
    #[test]
    fn bfloat16_is_stored_in_both_byte_orders() {
        let values = [bf16::from_f32(1.5), bf16::NEG_INFINITY];
        for (order, descr, bytes) in [
            (ByteOrder::Little, "'<V2'", [0xc0, 0x3f, 0x80, 0xff]),
            (ByteOrder::Big, "'>V2'", [0x3f, 0xc0, 0xff, 0x80]),
        ] {
            let mut file = Vec::new();
            WriteOptions::new().byte_order(order).write_to(&mut file, &values).unwrap();
            let start = format!("\x7fNUMPY\x01\x00v\x00{{'descr': {descr}, ");
            assert_eq!(file[1..start.len()], start.as_bytes()[1..]);
            assert!(file.ends_with(&bytes));
            assert_eq!(Vec::<bf16>::read_npy_from(&file[..]).unwrap(), values);
            // Raw bytes count as little-endian.
            let raw: [Void<2>; 2] = ReadNpy::read_npy_from(&file[..]).unwrap();
            assert_eq!(raw.map(|bytes| bytes.0).as_flattened(), [0xc0, 0x3f, 0x80, 0xff]);
            assert_eq!(NpyView::<Void<2>>::from_bytes(&file).is_ok(), descr == "'<V2'");
            let record = format!("[('a', '|u1'), ('b', {descr})]").parse().unwrap();
            let row = [&[0], &bytes[..2]].concat();
            let mut file = Vec::new();
            DynArray::new(record, [1], Order::C, row).unwrap().write_npy_to(&mut file).unwrap();
            let column: Vec<bf16> = Reader::new(&file[..]).unwrap().read_column("b").unwrap();
            assert_eq!(column, values[..1]);
        }
        // NumPy without ml_dtypes writes the bytes as `|V2`.
        let plan = Plan::new(&"|V2".parse().unwrap(), &bf16::dtype(), Cast::Exact).unwrap();
        assert!(matches!(plan.strategy, Strategy::Exact));
        let mut file = Vec::new();
        DynArray::new("|V2".parse().unwrap(), [1], Order::C, vec![0xc0, 0x3f])
            .unwrap()
            .write_npy_to(&mut file)
            .unwrap();
        assert_eq!(Vec::<bf16>::read_npy_from(&file[..]).unwrap(), values[..1]);
    }
}
