//! Numbers of CSV with another decimal mark, or with separators of thousands: `1.234,5` and `1,234.5`.

use super::cells::{Reading, Values};
use super::column::Column;
use super::kind::Kind;
use crate::output::{Failure, Result};

/// The mark before the fraction of a number. The other one of `,` and `.` separates thousands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Decimal {
    Comma,
    Point,
}

impl Decimal {
    pub(super) fn marks(self) -> [char; 2] {
        match self {
            Decimal::Comma => [',', '.'],
            Decimal::Point => ['.', ','],
        }
    }

    /// Returns a number as Rust writes it; `None` for text without these marks, and for text in which they are anywhere else than in a number.
    pub(super) fn number(self, text: &str) -> Option<String> {
        let [mark, separator] = self.marks();
        let text = text.trim();
        let size = text.strip_prefix(['-', '+']).unwrap_or(text);
        if !size.contains([mark, separator]) {
            return None;
        }
        let end = size.find(['e', 'E']).unwrap_or(size.len());
        let (digits, exponent) = size.split_at(end);
        let (whole, fraction) = digits.split_once(mark).unwrap_or((digits, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let mut groups = whole.split(separator);
        let first = groups.next().unwrap_or_default();
        let is_divided = whole.contains(separator);
        let is_grouped = !is_divided
            || (1..=3).contains(&first.len())
                // Of `0.500`, the point is decimal.
                && !first.starts_with('0')
                && groups.all(|group| group.len() == 3 && is_number(group));
        if !is_grouped || !is_number(first) || !is_number(fraction) {
            return None;
        }
        let sign = &text[..text.len() - size.len()];
        let whole = whole.replace(separator, "");
        let point = if digits.contains(mark) { "." } else { "" };
        let number = format!("{sign}{whole}{point}{fraction}{exponent}");
        number.parse::<f64>().is_ok().then_some(number)
    }

    /// Returns true for a number with any of the marks.
    pub(super) fn is_in(text: &str) -> bool {
        [Decimal::Comma, Decimal::Point].iter().any(|decimal| decimal.number(text).is_some())
    }

    /// Returns true for a number with a point where a comma is decimal: as a number it would be another one.
    pub(super) fn refuses(self, text: &str) -> bool {
        self == Decimal::Comma && has_point(text) && self.number(text).is_none()
    }
}

/// Returns true for a number that is another one, or none, where a comma is decimal.
pub(super) fn has_point(text: &str) -> bool {
    text.contains('.') && text.trim().parse::<f64>().is_ok()
}

/// Gives columns of text their own text again, and refuses numbers in the others that have a point where a comma is decimal.
pub(super) fn finish(columns: &mut [Column], name: &str) -> Result<()> {
    for column in columns {
        let Values::Fields(cells, at, reading) = &mut column.values else { continue };
        let Reading::Values(decimal) = *reading else { continue };
        if decimal.is_none() && cells.missing.is_empty() {
            continue;
        }
        let own = match column.kind {
            Kind::Text | Kind::Bytes => Some(Reading::Texts),
            Kind::Void(_) => Some(Reading::Values(None)),
            _ => None,
        };
        if let Some(own) = own {
            *reading = own;
            column.set_kind(column.kind);
            continue;
        }
        let Some(mark) = decimal else { continue };
        let mut texts = (0..cells.rows()).map(|row| cells.value(row, *at));
        if let Some(row) = texts.position(|value| mark.refuses(&value.text())) {
            let message = format!(
                "row {row}, field {}: {:?} has a point, and with --decimal , points separate groups of three digits; --dtype with U for this column keeps its text",
                column.path.join("."),
                cells.value(row, *at).text()
            );
            return Err(Failure::new(name, message));
        }
    }
    Ok(())
}
