//! Numbers and sizes for people.

/// Prints a size: `1,234,567 bytes (1.2 MiB)`.
pub(crate) fn bytes_text(bytes: u64) -> String {
    let exact = grouped(bytes);
    if bytes == 1 {
        return "1 byte".into();
    }
    if bytes < 10_240 {
        return format!("{exact} bytes");
    }
    let mut size = bytes as f64;
    let mut unit = "bytes";
    for larger in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
        if size < 1024.0 {
            break;
        }
        size /= 1024.0;
        unit = larger;
    }
    format!("{exact} bytes ({size:.1} {unit})")
}

/// Prints a number with a comma between each three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
