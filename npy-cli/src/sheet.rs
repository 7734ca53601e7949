//! A table of rows that is as wide as the terminal.

use std::io::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::output::{Result, printable};

/// How the text of a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table of rows, as wide as the output. The widths of its columns are those of the first rows, which are kept until then.
pub(crate) struct Sheet {
    /// The width of the output; `None` for any.
    width: Option<usize>,
    is_colored: bool,
    names: Vec<String>,
    aligns: Vec<Align>,
    /// The columns that the caller left out.
    left_out: usize,
    /// True if rows have no index.
    is_plain: bool,
    waiting: Vec<(String, Vec<String>)>,
    /// The widths of the index and of the columns that are shown, once they are known.
    widths: Option<Vec<usize>>,
}

/// Cells are not wider than this, unless there is nothing else.
const MAX_CELL: usize = 40;
/// A cell of text is not cut to less than this to make it fit.
const MIN_CUT: usize = 10;
/// The rows that determine the widths.
const MAX_WAITING: usize = 1000;

impl Sheet {
    pub(crate) fn new(width: Option<usize>, is_colored: bool) -> Self {
        let (names, aligns, waiting) = (Vec::new(), Vec::new(), Vec::new());
        let (left_out, is_plain, widths) = (0, false, None);
        Sheet { width, is_colored, names, aligns, left_out, is_plain, waiting, widths }
    }

    /// Returns a table whose rows have no index.
    pub(crate) fn without_index(width: Option<usize>, is_colored: bool) -> Self {
        Sheet { is_plain: true, ..Sheet::new(width, is_colored) }
    }

    /// Returns true if all columns of these rows fit.
    pub(crate) fn fits(&self, rows: &[Vec<String>]) -> bool {
        let column = |i: usize| rows.iter().filter_map(move |cells| cells.get(i));
        let widths = self.names.iter().enumerate().map(|(i, name)| widest(name, column(i)) + 2);
        widths.sum::<usize>() <= self.width.unwrap_or(usize::MAX).saturating_add(2)
    }

    /// Sets the columns.
    pub(crate) fn begin(&mut self, names: &[String], aligns: Vec<Align>, left_out: usize) {
        self.names = names.iter().map(|name| printable(name)).collect();
        self.aligns = aligns;
        self.left_out = left_out;
    }

    /// Adds a row.
    pub(crate) fn row(
        &mut self,
        index: usize,
        cells: Vec<String>,
        out: &mut dyn Write,
    ) -> Result<()> {
        if self.widths.is_some() {
            return self.line(&index.to_string(), &cells, false, out);
        }
        self.waiting.push((index.to_string(), cells));
        if self.waiting.len() < MAX_WAITING { Ok(()) } else { self.print_waiting(out) }
    }

    /// Prints the rows that wait.
    pub(crate) fn finish(&mut self, out: &mut dyn Write) -> Result<()> {
        if self.widths.is_none() { self.print_waiting(out) } else { Ok(()) }
    }

    fn print_waiting(&mut self, out: &mut dyn Write) -> Result<()> {
        let index_width = self.waiting.iter().map(|(index, _)| index.len()).max().unwrap_or(0);
        let index_width = if self.is_plain { 0 } else { index_width };
        // The first column of a table without index has no gap before it.
        let gained = if self.is_plain { 2 } else { 0 };
        let limit = self.width.unwrap_or(usize::MAX).saturating_add(gained);
        let width = |(i, name): (usize, &String)| {
            let cells = self.waiting.iter().filter_map(|(_, cells)| cells.get(i));
            widest(name, cells).min(MAX_CELL)
        };
        let wanted: Vec<usize> = self.names.iter().enumerate().map(width).collect();
        let all: usize = index_width + wanted.iter().map(|width| width + 2).sum::<usize>();
        let fits = self.left_out == 0 && all <= limit;
        let mut widths = vec![index_width];
        let mut used = index_width;
        for (i, &wanted) in wanted.iter().enumerate() {
            // If a column is left out, a mark needs space.
            let is_last = i + 1 == self.names.len() && self.left_out == 0;
            let mark = if fits || is_last { 0 } else { 2 + self.mark(i + 1).width() };
            let left = limit.saturating_sub(used + 2 + mark);
            let mut width = wanted;
            if width > left {
                // Text may be cut, numbers only if there is nothing else.
                let can_be_cut = left >= MIN_CUT && self.aligns.get(i) == Some(&Align::Left);
                if i > 0 && !can_be_cut {
                    break;
                }
                width = left.max(4);
            }
            used += 2 + width;
            widths.push(width);
        }
        self.widths = Some(widths);
        let (names, waiting) = (self.names.clone(), std::mem::take(&mut self.waiting));
        self.line("", &names, true, out)?;
        waiting.iter().try_for_each(|(index, cells)| self.line(index, cells, false, out))
    }

    /// Returns the mark for columns that are not shown.
    fn mark(&self, shown: usize) -> String {
        format!("… +{}", self.names.len() - shown + self.left_out)
    }

    fn line(
        &self,
        index: &str,
        cells: &[String],
        is_header: bool,
        out: &mut dyn Write,
    ) -> Result<()> {
        let widths = self.widths.as_deref().unwrap_or_default();
        let Some((index_width, widths)) = widths.split_first() else { return Ok(()) };
        let mut line = " ".repeat(index_width.saturating_sub(index.len()));
        if !self.is_plain {
            line += &self.styled("\x1b[2m", index);
        }
        for (i, (text, &width)) in cells.iter().zip(widths).enumerate() {
            let text = cut(text, width);
            // A mark is wider than a column of no width.
            let blanks = " ".repeat(width.saturating_sub(text.width()));
            let shown = if is_header { self.styled("\x1b[1m", &text) } else { text };
            if i > 0 || !self.is_plain {
                line += "  ";
            }
            line += &match self.aligns.get(i) {
                Some(Align::Right) => format!("{blanks}{shown}"),
                _ => format!("{shown}{blanks}"),
            };
        }
        if widths.len() < cells.len() + self.left_out {
            let mark = if is_header { self.mark(widths.len()) } else { "…".into() };
            line += &format!("  {mark}");
        }
        writeln!(out, "{}", line.trim_end())?;
        Ok(())
    }

    fn styled(&self, style: &str, text: &str) -> String {
        if self.is_colored && !text.is_empty() {
            format!("{style}{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Returns the width of a column.
fn widest<'a>(name: &str, cells: impl Iterator<Item = &'a String>) -> usize {
    cells.map(|cell| cell.width()).max().unwrap_or(0).max(name.width())
}

/// Cuts text that is too wide.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (mut end, mut used) = (0, 1);
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        end = at + c.len_utf8();
    }
    let mut cut = &text[..end];
    // A character after another one may make that wider, such as a heart an emoji.
    while cut.width() + 1 > width && !cut.is_empty() {
        cut = cut.char_indices().next_back().map_or("", |(at, _)| &cut[..at]);
    }
    format!("{cut}…")
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::{Align, Sheet, cut};

    fn printed(width: usize, names: &[&str], cells: &[&str]) -> Vec<String> {
        let mut sheet = Sheet::new(Some(width), false);
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        sheet.begin(&names, vec![Align::Right; names.len()], 0);
        let mut out = Vec::new();
        sheet.row(7, cells.iter().map(|cell| cell.to_string()).collect(), &mut out).unwrap();
        sheet.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn columns_that_do_not_fit_are_counted() {
        let (names, cells) = (["a", "long", "b"], ["1", "2", "333"]);
        assert_eq!(printed(80, &names, &cells), ["   a  long    b", "7  1     2  333"]);
        assert_eq!(printed(15, &names, &cells), ["   a  long    b", "7  1     2  333"]);
        // The mark needs more space than the last column.
        assert_eq!(printed(14, &names, &cells), ["   a  … +2", "7  1  …"]);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let cells = ["12345678", "日本語日本語", "é", "1.5", "false"];
        for width in 13..60 {
            for line in printed(width, &["first", "second", "日本", "x", "y"], &cells) {
                assert!(line.width() <= width, "{width}: {line}");
            }
        }
    }

    /// Guards against a panic: the first rows decide the widths, and names and text can be of no width.
    #[test]
    fn text_after_rows_of_no_width_is_cut() {
        let mut sheet = Sheet::new(Some(20), false);
        sheet.begin(&["\u{301}".to_owned()], vec![Align::Left], 0);
        let mut out = Vec::new();
        for row in 0..super::MAX_WAITING {
            sheet.row(row, vec![String::new()], &mut out).unwrap();
        }
        sheet.row(1000, vec!["abc".to_owned()], &mut out).unwrap();
        sheet.finish(&mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().ends_with("1000  …\n"));
    }

    #[test]
    fn wide_characters_are_not_cut_in_half() {
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
    }
}
