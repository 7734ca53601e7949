//! Rust identifiers for the names in files.

use std::collections::HashMap;

/// The longest identifier that is made of a name, in characters: nested structs have the names of all fields around them.
const MAX_CHARS: usize = 60;

/// The identifiers in one scope.
#[derive(Default)]
pub(crate) struct Names {
    /// Each identifier, and the number of the last copy of it.
    taken: HashMap<String, usize>,
}

impl Names {
    /// Returns the identifiers of the fields of a struct, with `r#` where Rust needs it. Names that are identifiers come first, so that they
    /// stay as they are.
    pub(crate) fn of_fields<'n>(fields: impl Iterator<Item = &'n str>) -> Vec<String> {
        let fields: Vec<&str> = fields.collect();
        let mut names = Names::default();
        for name in fields.iter().filter(|name| snake(name) == **name) {
            names.taken.insert((*name).to_owned(), 1);
        }
        let idents = fields.iter().map(|name| {
            let ident = snake(name);
            if ident == *name { ident } else { names.claim(&ident, "_") }
        });
        idents.map(|ident| if is_keyword(&ident) { format!("r#{ident}") } else { ident }).collect()
    }

    /// Returns this name for a type, or the first numbered one that is free.
    pub(crate) fn claim_type(&mut self, name: &str) -> String {
        self.claim(name, "")
    }

    fn claim(&mut self, name: &str, before_number: &str) -> String {
        let mut number = self.taken.get(name).copied().unwrap_or(0).saturating_add(1);
        let mut ident = name.to_owned();
        while number > 1 || self.taken.contains_key(&ident) {
            ident = format!("{name}{before_number}{number}");
            if !self.taken.contains_key(&ident) {
                break;
            }
            number = number.saturating_add(1);
        }
        self.taken.insert(name.to_owned(), number);
        self.taken.entry(ident.clone()).or_insert(1);
        ident
    }
}

/// Returns a field's identifier, without `r#`: the name itself, if it is one in Rust's style.
pub(crate) fn snake(name: &str) -> String {
    let plain = |c: char| c == '_' || c.is_ascii_digit() || c.is_ascii_lowercase();
    let starts = name.starts_with(|c: char| !c.is_ascii_digit());
    let has_letter = name.contains(|c: char| c != '_');
    let short = name.len() <= MAX_CHARS;
    if starts && has_letter && short && name.chars().all(plain) && !is_never_raw(name) {
        return name.to_owned();
    }
    let mut ident = String::new();
    let mut previous = ' ';
    let mut chars = name.chars().take(MAX_CHARS).peekable();
    while let Some(c) = chars.next() {
        if !is_letter(c) {
            // Only digits and letters count; what separates them becomes one underscore.
            previous = '_';
            continue;
        }
        let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        let starts_word =
            c.is_uppercase() && (!previous.is_uppercase() || next_is_lower) && previous != '_';
        if !ident.is_empty() && (previous == '_' || starts_word) {
            ident.push('_');
        }
        ident.push(one(c.to_lowercase(), c));
        previous = c;
    }
    if ident.is_empty() {
        return "unnamed".to_owned();
    }
    if ident.starts_with(|c: char| c.is_ascii_digit()) {
        ident.insert(0, '_');
    }
    if is_never_raw(&ident) {
        ident.push('_');
    }
    ident
}

/// Returns the part of a type's name that a field's name becomes.
pub(crate) fn pascal(name: &str) -> String {
    let mut ident = String::new();
    for word in snake(name).split('_') {
        let mut chars = word.chars();
        if let Some(first) = chars.next() {
            // Digits of two words would become one number.
            if first.is_ascii_digit() && ident.ends_with(|c: char| c.is_ascii_digit()) {
                ident.push('_');
            }
            ident.push(one(first.to_uppercase(), first));
            ident.extend(chars);
        }
    }
    ident
}

/// Returns the name of a type: the name that the program asks for, if it is one in Rust's style.
pub(crate) fn type_name(name: &str) -> String {
    let plain = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let starts = name.starts_with(|c: char| c.is_ascii_uppercase());
    if starts && name.chars().all(plain) && name != "Self" {
        return name.to_owned();
    }
    let mut ident = pascal(name);
    if ident == "Self" || ident.starts_with(|c: char| c.is_ascii_digit()) {
        ident.insert_str(0, "Npy");
    }
    ident
}

/// Returns the only character, or `other` if there are several.
fn one(mut chars: impl Iterator<Item = char>, other: char) -> char {
    match (chars.next(), chars.next()) {
        (Some(c), None) => c,
        _ => other,
    }
}

/// Returns true for ASCII letters and digits, and for letters of other scripts that Rust has in identifiers and does not normalize.
///
/// The compiler has the complete list, and this library does not: other letters count as separators.
fn is_letter(c: char) -> bool {
    let known = matches!(c,
        '\u{c0}'..='\u{24f}' | '\u{388}'..='\u{3ff}' | '\u{400}'..='\u{481}' | '\u{48a}'..='\u{52f}'
        | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9ffc}' | '\u{ac00}'..='\u{d7a3}');
    c.is_ascii_alphanumeric() || known && c.is_alphabetic()
}

/// Returns true for a keyword that `r#` does not make an identifier.
fn is_never_raw(name: &str) -> bool {
    matches!(name, "self" | "super" | "crate")
}

/// Returns true for the keywords of all editions, also those that are reserved.
fn is_keyword(name: &str) -> bool {
    const KEYWORDS: [&str; 48] = [
        "as", "break", "const", "continue", "else", "enum", "extern", "false", "fn", "for", "if",
        "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return",
        "static", "struct", "trait", "true", "type", "unsafe", "use", "where", "while", "async",
        "await", "dyn", "abstract", "become", "box", "do", "final", "gen", "macro", "override",
        "priv", "try", "typeof", "unsized", "virtual", "yield",
    ];
    KEYWORDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards that the names in files become identifiers that a Rust programmer would have chosen.
    #[test]
    fn names_become_identifiers_in_the_style_of_rust() {
        for (name, ident) in [
            ("station", "station"),
            ("_x", "_x"),
            ("a__b", "a__b"),
            ("SNR", "snr"),
            ("arrivalTime", "arrival_time"),
            ("VpVs", "vp_vs"),
            ("HTTPHeader", "http_header"),
            ("t0", "t0"),
            ("2d", "_2d"),
            ("signal to noise", "signal_to_noise"),
            ("m/s", "m_s"),
            (" x ", "x"),
            ("", "unnamed"),
            ("_", "unnamed"),
            ("€", "unnamed"),
            ("self", "self_"),
            ("Self", "self_"),
            ("crate", "crate_"),
            ("type", "type"),
            ("température", "température"),
            ("Größe", "größe"),
            ("温度", "温度"),
            ("İ", "İ"),
            ("a\u{301}", "a"),
        ] {
            assert_eq!(snake(name), ident, "{name:?}");
        }
    }

    #[test]
    fn names_that_become_equal_are_numbered_and_identifiers_stay() {
        let names = ["A", "a", "a b", "a_b", "a_2", "á-", "á", "type", "Type", "", "!"];
        let idents = Names::of_fields(names.into_iter());
        let expected = [
            "a_3",
            "a",
            "a_b_2",
            "a_b",
            "a_2",
            "á_2",
            "á",
            "r#type",
            "type_2",
            "unnamed",
            "unnamed_2",
        ];
        assert_eq!(idents, expected);
    }

    /// Guards the time: a search from 1 for each copy of a name would take n² steps.
    #[test]
    fn many_equal_names_take_linear_time() {
        let names: Vec<String> = (0..50_000).map(|n| "!".repeat(n % 50)).collect();
        let idents = Names::of_fields(names.iter().map(String::as_str));
        assert_eq!(idents.last().map(String::as_str), Some("unnamed_50000"));
    }

    #[test]
    fn types_have_the_name_that_was_asked_for() {
        for (name, ident) in [
            ("Trace", "Trace"),
            ("trace", "Trace"),
            ("my-data.v2", "MyDataV2"),
            ("2d", "Npy2d"),
            ("type", "Type"),
            ("Self", "NpySelf"),
            ("", "Unnamed"),
            ("F1_2_3", "F1_2_3"),
            ("f1 2 3", "F1_2_3"),
        ] {
            assert_eq!(type_name(name), ident, "{name:?}");
        }
    }
}
