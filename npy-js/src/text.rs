//! Text of limited length.

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

#[cfg(test)]
mod tests {
    use super::start_of;

    #[test]
    fn long_values_end_with_an_ellipsis() {
        assert_eq!(start_of(&"äbc", 3), "äbc");
        assert_eq!(start_of(&"äbcd", 3), "äbc…");
    }
}
