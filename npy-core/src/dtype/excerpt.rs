//! Text from files in error messages.

use crate::literal::repr::printable;

/// Returns the start of a text for an error message. Unprintable characters are escaped.
pub(crate) fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 80;
    let more = text.char_indices().nth(MAX_CHARS);
    let shown = more.and_then(|(end, _)| text.get(..end)).unwrap_or(text);
    let mut out = printable(shown);
    if more.is_some() {
        out.push('…');
    }
    out
}
