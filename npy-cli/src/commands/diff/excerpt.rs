//! Two long texts, shortened to the parts where they differ.

/// The most characters of a text that are printed.
const MAX: usize = 80;
/// The characters before the first that differs.
const BEFORE: usize = 20;

/// Returns both texts, each with at most some characters around the first that differs.
pub(super) fn excerpts(a: &str, b: &str) -> [String; 2] {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let start = if same < MAX - BEFORE { 0 } else { same - BEFORE };
    [a, b].map(|text| {
        let length = text.chars().count();
        if length <= MAX {
            return text.to_owned();
        }
        let part: String = text.chars().skip(start).take(MAX).collect();
        let [before, after] =
            [start > 0, start + MAX < length].map(|is_cut| if is_cut { "…" } else { "" });
        format!("{before}{part}{after} ({length} characters)")
    })
}

#[cfg(test)]
mod tests {
    use super::excerpts;

    #[test]
    fn long_texts_are_shown_where_they_differ() {
        assert_eq!(excerpts("1", "2"), ["1", "2"]);
        let [a, b] = ["y", "z"].map(|last| "x".repeat(5000) + last + &"w".repeat(100));
        let end = "w".repeat(59);
        assert_eq!(
            excerpts(&a, &b),
            ["y", "z"].map(|last| format!("…{}{last}{end}… (5101 characters)", "x".repeat(20)))
        );
        let early = "é".repeat(100);
        let [one, other] = excerpts(&early, "short");
        assert_eq!((one, &*other), (format!("{}… (100 characters)", "é".repeat(80)), "short"));
        // The end of one text is where they differ.
        let [one, other] = excerpts(&early, &"é".repeat(90));
        assert!(
            one.starts_with('…') && other.starts_with('…') && other.ends_with("é (90 characters)")
        );
    }
}
