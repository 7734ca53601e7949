//! A table of text that is as wide as it needs. That of rows, as wide as the terminal, is in `sheet.rs`.

use std::io::Write;

use unicode_width::UnicodeWidthStr;

use crate::output::{Output, Result, printable};

/// A table of `N` columns with a header.
pub(crate) struct Table<const N: usize> {
    names: [&'static str; N],
    rows: Vec<[String; N]>,
    indent: usize,
    right: [bool; N],
    dim: [bool; N],
}

impl<const N: usize> Table<N> {
    pub(crate) fn new(names: [&'static str; N], indent: usize) -> Self {
        Table { names, rows: Vec::new(), indent, right: [false; N], dim: [false; N] }
    }

    /// Aligns a column at the right.
    pub(crate) fn right(mut self, column: usize) -> Self {
        self.right[column] = true;
        self
    }

    /// Prints a column in a weak color.
    pub(crate) fn dim(mut self, column: usize) -> Self {
        self.dim[column] = true;
        self
    }

    pub(crate) fn row(&mut self, row: [String; N]) {
        self.rows.push(row.map(|text| printable(&text)));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn print(&self, out: &mut Output) -> Result<()> {
        let mut widths = self.names.map(UnicodeWidthStr::width);
        for row in &self.rows {
            for (width, text) in widths.iter_mut().zip(row) {
                *width = (*width).max(text.width());
            }
        }
        let names = self.names.map(str::to_owned);
        self.line(&names, &widths, true, out)?;
        self.rows.iter().try_for_each(|row| self.line(row, &widths, false, out))
    }

    fn line(
        &self,
        row: &[String; N],
        widths: &[usize; N],
        is_header: bool,
        out: &mut Output,
    ) -> Result<()> {
        let mut line = " ".repeat(self.indent);
        for (i, (text, &width)) in row.iter().zip(widths).enumerate() {
            let blanks = " ".repeat(width.saturating_sub(text.width()));
            let shown = if is_header || self.dim[i] { out.dim(text) } else { text.clone() };
            line += &if self.right[i] {
                format!("{blanks}{shown}")
            } else {
                format!("{shown}{blanks}")
            };
            if i + 1 < N {
                line += "  ";
            }
        }
        writeln!(out, "{}", line.trim_end())?;
        Ok(())
    }
}
