//! Text that is not longer than the page shows.

use std::fmt::{self, Display, Write};

/// The first characters of a value. Printing stops there, as a value can be of any length.
pub(crate) fn start_of(value: &dyn Display, max: usize) -> String {
    let mut start = Start { text: String::new(), left: max };
    if write!(start, "{value}").is_err() {
        start.text.push('…');
    }
    start.text
}

struct Start {
    text: String,
    left: usize,
}

impl Write for Start {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(c);
        }
        Ok(())
    }
}

/// Returns a shape as Python prints it.
pub(crate) fn shape(shape: &[usize]) -> String {
    match shape {
        [single] => format!("({single},)"),
        _ => format!("({})", joined(shape)),
    }
}

/// Returns numbers with commas between them.
fn joined(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    numbers.join(", ")
}

#[cfg(test)]
mod tests {
    use super::{shape, start_of};

    #[test]
    fn long_values_end_with_an_ellipsis() {
        assert_eq!(start_of(&"äbc", 3), "äbc");
        assert_eq!(start_of(&"äbcd", 3), "äbc…");
    }

    #[test]
    fn shapes_are_tuples_of_python() {
        assert_eq!([shape(&[]), shape(&[3]), shape(&[3, 4])], ["()", "(3,)", "(3, 4)"]);
    }
}
