//! Names of byte orders and units, as NumPy and the derive macros write them.

use std::fmt;

use super::{ByteOrder, Unit};

/// Prints `little` or `big`, like `sys.byteorder` in Python and `#[npy(endian = "little")]`.
impl fmt::Display for ByteOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ByteOrder::Little => "little",
            ByteOrder::Big => "big",
        })
    }
}

/// Prints the code of NumPy: `ns`.
impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards that dtypes and attributes accept the printed words.
    #[test]
    fn units_and_orders_print_as_in_numpy() {
        assert_eq!(format!("{} {} {}", Unit::Nanosecond, Unit::Day, Unit::Month), "ns D M");
        assert_eq!(format!("{:>6}|{}", ByteOrder::Big, ByteOrder::Little), "   big|little");
    }
}
