//! The cases of `rename_all`: converts field names from Rust's `snake_case`, as serde does.

/// A case that all fields are renamed to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

/// The cases, by their names in serde.
pub(crate) const CASES: [(&str, Case); 8] = [
    ("lowercase", Case::Lower),
    ("UPPERCASE", Case::Upper),
    ("PascalCase", Case::Pascal),
    ("camelCase", Case::Camel),
    ("snake_case", Case::Snake),
    ("SCREAMING_SNAKE_CASE", Case::ScreamingSnake),
    ("kebab-case", Case::Kebab),
    ("SCREAMING-KEBAB-CASE", Case::ScreamingKebab),
];

impl Case {
    /// Returns the name of a field in this case.
    pub(crate) fn apply(self, name: &str) -> String {
        match self {
            Case::Lower | Case::Snake => name.to_owned(),
            Case::Upper | Case::ScreamingSnake => name.to_ascii_uppercase(),
            Case::Pascal => capitalized(name),
            Case::Camel => {
                let pascal = capitalized(name);
                let mut chars = pascal.chars();
                let first = chars.next().map(|c| c.to_ascii_lowercase());
                first.into_iter().chain(chars).collect()
            }
            Case::Kebab => name.replace('_', "-"),
            Case::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }
}

/// Capitalizes each word, and removes the underscores.
fn capitalized(name: &str) -> String {
    let word = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(chars).collect::<String>()
    };
    name.split('_').map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_serdes() {
        for (case, one, two) in [
            (Case::Lower, "outcome", "very_tasty"),
            (Case::Upper, "OUTCOME", "VERY_TASTY"),
            (Case::Pascal, "Outcome", "VeryTasty"),
            (Case::Camel, "outcome", "veryTasty"),
            (Case::Snake, "outcome", "very_tasty"),
            (Case::ScreamingSnake, "OUTCOME", "VERY_TASTY"),
            (Case::Kebab, "outcome", "very-tasty"),
            (Case::ScreamingKebab, "OUTCOME", "VERY-TASTY"),
        ] {
            assert_eq!(case.apply("outcome"), one);
            assert_eq!(case.apply("very_tasty"), two);
        }
        assert_eq!(Case::Camel.apply("_z42"), "z42");
    }
}
