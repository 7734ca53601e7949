//! Rows in a file: those of an array in Fortran order are strided, and are gathered.

use std::io::Read;
use std::ops::Range;

use super::{Reader, whole};
use crate::checked;
use crate::element::block::BLOCK;
use crate::error::Result;
use crate::kernel;
use crate::limits;
use crate::read::data::RowLayout;
use crate::reserve;
use crate::shape::{self, Order};

impl<R: Read> Reader<R> {
    /// Replaces the contents of `out` by the bytes of these rows, which are strided in the file: the elements of each row in C order.
    ///
    /// The elements of one index of a row, for all of these rows, are contiguous in the file: a run. The runs are read one by one. A source
    /// that cannot be read at any offset is read completely into memory first.
    pub(super) fn gather_rows(
        &mut self,
        layout: &RowLayout,
        rows: Range<usize>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        out.clear();
        let itemsize = self.header.dtype().itemsize();
        let bytes = limits::to_usize(layout.bytes(rows.len(), &self.header))?;
        if bytes == 0 {
            return Ok(());
        }
        match self.data.shared() {
            _ if self.data.memory().is_some() => {}
            Some(file) => file.check_complete()?,
            // Nothing was consumed yet, even if a row was sought.
            None => {
                let position = self.data.leave_rows();
                let memory = whole::bytes(self)?.into_bytes();
                self.data.keep(memory, position);
            }
        }
        reserve::growing(out, bytes)?;
        out.resize(bytes, 0);
        let (run, row_bytes) =
            (checked::mul(rows.len(), itemsize), checked::mul(layout.elements, itemsize));
        // Only runs that are near each other are read together, so 32 bits need not hold a larger distance.
        let next_run = layout.rows.saturating_mul(itemsize);
        let in_file = |rows: usize| limits::to_u64(rows).saturating_mul(limits::to_u64(itemsize));
        let runs_per_read = runs_per_read(layout, rows.len(), next_run);
        let inner = checked::tail(self.header.shape(), 1);
        let (mut group, mut read) = (0..0, Vec::new());
        let (memory, file) = (self.data.memory(), self.data.shared());
        // Run `index` has the elements at position `at` of each row.
        for (index, at) in shape::reordered(inner, Order::C, Order::Fortran).enumerate() {
            let run_in_file = limits::to_u64(index)
                .saturating_mul(in_file(layout.rows))
                .saturating_add(in_file(rows.start));
            let start = match (memory, &file) {
                (None, Some(file)) => {
                    if index >= group.end {
                        let end = layout.elements.min(index.saturating_add(runs_per_read));
                        group = index..end;
                        let before_last = checked::mul(checked::sub(group.len(), 1), next_run);
                        let size = checked::add(before_last, run);
                        let missing = size.saturating_sub(read.len());
                        reserve::growing(&mut read, missing)?;
                        read.resize(size, 0);
                        file.fill(run_in_file, &mut read)?;
                    }
                    checked::mul(checked::sub(index, group.start), next_run)
                }
                _ => checked::narrow(run_in_file),
            };
            let data = memory.unwrap_or(&read);
            let items = checked::slice(data, start..checked::add(start, run));
            kernel::fill_column(items, itemsize, out, (row_bytes, checked::mul(at, itemsize)));
        }
        Ok(())
    }
}

/// Returns the number of runs to read at once. If runs are short and most of their rows are needed, the others are read with them.
fn runs_per_read(layout: &RowLayout, rows: usize, run_bytes: usize) -> usize {
    const SHORT: usize = 16 << 10;
    if run_bytes > SHORT || rows < layout.rows.div_ceil(4) {
        return 1;
    }
    BLOCK.checked_div(run_bytes).unwrap_or(1).max(1)
}
