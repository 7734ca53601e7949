//! `IntoIterator` for columns.

use super::Column;
use super::column::Values;
use crate::element::cast::zero_copy::ZeroCopy;

/// Iterates over the values in the order of the file.
impl<'c, F: ZeroCopy> IntoIterator for &'c Column<'_, F> {
    type Item = F;
    type IntoIter = Values<'c, F>;

    fn into_iter(self) -> Values<'c, F> {
        self.iter()
    }
}
