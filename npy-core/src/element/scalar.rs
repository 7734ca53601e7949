//! Implements `Element` for `bool`, `f32`, `f64`, and the integers of 8 to 64 bits.

use crate::dtype::{Scalar, ScalarKind};
use crate::element::macros::{number, of_bytes};

number! {
    i8 => Int, i16 => Int, i32 => Int, i64 => Int,
    u8 => UInt, u16 => UInt, u32 => UInt, u64 => UInt,
    f32 => Float, f64 => Float,
}

of_bytes! {
    /// As in NumPy, every byte but zero is true.
    [] bool: 1, align 1,
    dtype |_| Scalar::little(ScalarKind::Bool, 1),
    from_le |[byte]: [u8; 1]| byte != 0, from_be |[byte]: [u8; 1]| byte != 0, to_le |value| [u8::from(value)];
}
