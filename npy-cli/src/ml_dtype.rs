//! The numbers of ml_dtypes, which NumPy saves as raw bytes (`<V2`, `<V1`): their names, and their values.
//!
//! A file does not say which of them it has. `--void bfloat16` does, and a safetensors file.

use std::str::FromStr;

use npy_core::dtype::ScalarKind;
use npy_core::{DType, Float8, Float8Format};

/// A type of numbers that has at most two bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MlDtype {
    Bfloat16,
    Float8(Float8Format),
}

/// All names.
const NAMES: [(&str, MlDtype); 12] = [
    ("bfloat16", MlDtype::Bfloat16),
    ("float8_e3m4", MlDtype::Float8(Float8Format::E3M4)),
    ("float8_e4m3", MlDtype::Float8(Float8Format::E4M3)),
    ("float8_e4m3fn", MlDtype::Float8(Float8Format::E4M3Fn)),
    ("float8_e4m3fnuz", MlDtype::Float8(Float8Format::E4M3Fnuz)),
    ("float8_e4m3b11fnuz", MlDtype::Float8(Float8Format::E4M3B11Fnuz)),
    ("float8_e5m2", MlDtype::Float8(Float8Format::E5M2)),
    ("float8_e5m2fnuz", MlDtype::Float8(Float8Format::E5M2Fnuz)),
    ("float8_e8m0fnu", MlDtype::Float8(Float8Format::E8M0Fnu)),
    ("float6_e2m3fn", MlDtype::Float8(Float8Format::Float6E2M3Fn)),
    ("float6_e3m2fn", MlDtype::Float8(Float8Format::Float6E3M2Fn)),
    ("float4_e2m1fn", MlDtype::Float8(Float8Format::Float4E2M1Fn)),
];

/// The option that says which numbers raw bytes are.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct RawNumbers {
    /// The numbers of ml_dtypes that raw bytes (V2, V1) are, such as bfloat16 or float8_e4m3fn
    #[arg(long = "void", value_name = "NAMES", value_delimiter = ',')]
    names: Vec<MlDtype>,
}

impl MlDtype {
    /// Returns the name in ml_dtypes.
    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(_, dtype)| *dtype == self).map_or("", |(name, _)| name)
    }

    pub(crate) fn itemsize(self) -> usize {
        match self {
            MlDtype::Bfloat16 => 2,
            MlDtype::Float8(_) => 1,
        }
    }

    /// Returns true for raw bytes of the right size.
    pub(crate) fn fits(self, dtype: &DType) -> bool {
        dtype.itemsize() == self.itemsize()
            && dtype.scalar().is_some_and(|scalar| scalar.kind() == ScalarKind::Void)
    }

    /// Returns true for raw bytes that may be numbers.
    pub(crate) fn fits_some(dtype: &DType) -> bool {
        NAMES.iter().any(|(_, numbers)| numbers.fits(dtype))
    }

    /// Converts little-endian elements to numbers of four bytes, which all of these are exactly.
    pub(crate) fn widen(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            MlDtype::Bfloat16 => {
                let (pairs, _) = bytes.as_chunks::<2>();
                pairs.iter().flat_map(|&[low, high]| [0, 0, low, high]).collect()
            }
            MlDtype::Float8(format) => {
                let table: Vec<[u8; 4]> =
                    (0..=u8::MAX).map(|bits| Float8(bits).to_f32(format).to_le_bytes()).collect();
                bytes.iter().flat_map(|&bits| table[usize::from(bits)]).collect()
            }
        }
    }
}

impl FromStr for MlDtype {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, dtype)| *dtype).ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            format!("ml_dtypes has no numbers of this name; choose from {}", names.join(", "))
        })
    }
}

impl RawNumbers {
    /// Returns true if the option is there.
    pub(crate) fn is_named(&self) -> bool {
        !self.names.is_empty()
    }

    /// Returns the numbers that the elements of a dtype are.
    pub(crate) fn of(&self, dtype: &DType) -> Option<MlDtype> {
        self.names.iter().copied().find(|name| name.fits(dtype))
    }
}

#[cfg(test)]
mod tests {
    use super::{MlDtype, NAMES};

    #[test]
    fn each_name_is_parsed_and_others_are_not() {
        for (name, dtype) in NAMES {
            assert_eq!(name.parse(), Ok(dtype));
            assert_eq!(dtype.name(), name);
        }
        assert!("float8".parse::<MlDtype>().unwrap_err().contains("float8_e4m3fn"));
    }

    #[test]
    fn bytes_become_the_numbers_that_they_are() {
        let f32s = |bytes: Vec<u8>| -> Vec<f32> {
            bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
        };
        // The upper half of an `f32`.
        assert_eq!(f32s(MlDtype::Bfloat16.widen(&[0x80, 0x3f, 0x20, 0xc1])), [1.0, -10.0]);
        let e4m3: MlDtype = "float8_e4m3fn".parse().unwrap();
        assert_eq!(f32s(e4m3.widen(&[0x38, 0xc0])), [1.0, -2.0]);
    }
}
