//! Replaces everything but code in Rust text with blanks, so that rules can search for words.
//!
//! Every function here keeps the length in bytes and the lines, so an offset in the result is an
//! offset in the source.

use proc_macro2::{TokenStream, TokenTree};

/// Returns the text with comments, strings and characters replaced by blanks.
pub(crate) fn code(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    blank(&mut out);
    let tokens: TokenStream = text.parse().expect("a file of Rust has tokens of Rust");
    copy(text, tokens, &mut out);
    // The positions of tokens are kept in the thread.
    proc_macro2::extra::invalidate_current_thread_spans();
    String::from_utf8(out).expect("whole tokens of UTF-8 came back")
}

/// Copies all tokens but strings and characters. A documentation comment has the tokens of an attribute at the position of the comment, where the
/// text is another.
fn copy(text: &str, tokens: TokenStream, out: &mut [u8]) {
    for token in tokens {
        let range = token.span().byte_range();
        let source = &text[range.clone()];
        let is_code = match &token {
            TokenTree::Group(group) => {
                if source.starts_with(['(', '[', '{']) {
                    out[range.start] = text.as_bytes()[range.start];
                    out[range.end - 1] = text.as_bytes()[range.end - 1];
                    copy(text, group.stream(), out);
                }
                false
            }
            TokenTree::Literal(_) => source.starts_with(|c: char| c.is_ascii_digit()),
            TokenTree::Ident(_) | TokenTree::Punct(_) => source == token.to_string(),
        };
        if is_code {
            out[range].copy_from_slice(source.as_bytes());
        }
    }
}

/// Returns the part of [`code`] that is compiled into the library: items under `#[cfg(test)]` are replaced by blanks.
pub(crate) fn without_tests(code: &str) -> String {
    let mut out = code.as_bytes().to_vec();
    for (start, end) in test_items(code) {
        blank(&mut out[start..end]);
    }
    String::from_utf8(out).expect("whole items of UTF-8 became ASCII")
}

/// Returns the items of [`code`] under `#[cfg(test)]`; the rest is replaced by blanks.
pub(crate) fn only_tests(code: &str) -> String {
    let mut out = code.as_bytes().to_vec();
    let mut at = 0;
    for (start, end) in test_items(code) {
        blank(&mut out[at..start]);
        at = end;
    }
    blank(&mut out[at..]);
    String::from_utf8(out).expect("whole items of UTF-8 became ASCII")
}

/// Returns the offsets of `word` as a complete word, or as a path or call of complete words.
pub(crate) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        let first = word.chars().next();
        let last = word.chars().next_back();
        let goes_on =
            |a: Option<char>, b: Option<char>| a.is_some_and(is_word) && b.is_some_and(is_word);
        !goes_on(before, first) && !goes_on(last, after)
    })
}

/// Returns the first word of each path after `root::`: `a` and `b` of `root::{a, b::c}`.
pub(crate) fn paths<'a>(code: &'a str, root: &'a str) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    for at in words(code, root) {
        let start = at + root.len();
        let Some(rest) = code[start..].trim_start().strip_prefix("::") else { continue };
        // `other::root::x` is another path, `::root::x` is this one.
        let before = code[..at].trim_end();
        if before.strip_suffix("::").is_some_and(|outer| outer.trim_end().ends_with(is_word)) {
            continue;
        }
        let rest = rest.trim_start();
        let from = code.len() - rest.len();
        if rest.starts_with('{') {
            let group = &code[from..closing(code, from)];
            found.extend(heads(group).map(|(inner, name)| (from + inner, name)));
        } else {
            found.push((from, word_at(code, from)));
        }
    }
    found
}

/// Returns the offset after the bracket that closes the one at `open`.
pub(crate) fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// Returns the word that starts at an offset, or an empty string.
pub(crate) fn word_at(code: &str, at: usize) -> &str {
    let rest = &code[at..];
    &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())]
}

/// Returns the line of an offset, counted from one.
pub(crate) fn line(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// Returns the first words of the paths in `{…}`, without those of nested groups.
fn heads(group: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut depth = 0_usize;
    let mut starts = Vec::new();
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 1 && matches!(c, '{' | ',') {
            let rest = group[at + 1..].trim_start();
            starts.push(group.len() - rest.len());
        }
    }
    starts.into_iter().map(|at| (at, word_at(group, at))).filter(|(_, name)| !name.is_empty())
}

/// Returns the ranges from each `#[cfg(test)]` to the end of its item.
fn test_items(code: &str) -> Vec<(usize, usize)> {
    let mut items = Vec::new();
    let mut end = 0;
    for (at, _) in code.match_indices("#[cfg(") {
        if at < end {
            continue;
        }
        let after = closing(code, at + 1);
        let condition = &code[at..after];
        let negated = condition.replace(' ', "").contains("not(test)");
        if words(condition, "test").next().is_some() && !negated {
            end = item_end(code, after);
            items.push((at, end));
        }
    }
    items
}

/// Returns the end of the item that starts at `at`, after its other attributes.
fn item_end(code: &str, mut at: usize) -> usize {
    loop {
        at = code.len() - code[at..].trim_start().len();
        if !code[at..].starts_with("#[") {
            break;
        }
        at = closing(code, at + 1);
    }
    let mut before = "";
    // Most items end with a block; a group of imports or a value is followed by `;`.
    let mut to_semicolon = false;
    while at < code.len() {
        let word = word_at(code, at);
        match code.as_bytes()[at] {
            _ if !word.is_empty() => {
                to_semicolon |= matches!(word, "use" | "static" | "type" | "let");
                to_semicolon |= before == "const" && !matches!(word, "fn" | "unsafe");
                before = word;
                at += word.len();
            }
            b';' => return at + 1,
            b'{' if !to_semicolon => return closing(code, at),
            b'(' | b'[' | b'{' => at = closing(code, at),
            _ => at += code[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::{code, line, only_tests, paths, without_tests, words};

    #[track_caller]
    fn assert_code(text: &str, expected: &str) {
        assert_eq!(code(text), expected);
    }

    #[test]
    fn comments_are_blank() {
        assert_code("a // b\nc", "a     \nc");
        assert_code("a /* b /* c */ d\n */ e", "a               \n    e");
        assert_code("/// use x;\nuse y;", "          \nuse y;");
    }

    #[test]
    fn strings_are_blank() {
        assert_code(r#"f("a \" // b", c)"#, "f(           , c)");
        assert_code(r##"f(r#"a " b"#, br"\", b"x")"##, "f(          ,      ,     )");
        assert_code("f(\"é\", é)", "f(    , é)");
        assert_code("f(\"a\nb\")", "f(  \n  )");
    }

    #[test]
    fn characters_are_blank_and_lifetimes_stay() {
        assert_code(r#"x('"', '\'', 'é', b'{')"#, "x(   ,     ,     ,     )");
        assert_code("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}");
        assert_code("'label: loop {}", "'label: loop {}");
        assert_code("r#type(r)", "r#type(r)");
    }

    #[test]
    fn test_items_are_told_apart() {
        let text = "use a;\n#[cfg(test)]\n#[allow(x)]\nuse b::{c};\nfn f() {}\n#[cfg(all(test, y))]\nmod tests { fn g() {} }\nfn h() {}";
        let outside = without_tests(text);
        assert!(outside.contains("use a;") && outside.contains("fn f()"));
        assert!(outside.contains("fn h()"));
        assert!(!outside.contains("b::{c}") && !outside.contains("fn g()"));
        let inside = only_tests(text);
        assert!(inside.contains("b::{c};") && inside.contains("fn g()"));
        assert!(!inside.contains("use a") && !inside.contains("fn f()"));
        assert_eq!((outside.len(), inside.len()), (text.len(), text.len()));
    }

    #[test]
    fn what_is_no_test_stays() {
        let text = "#[cfg(not(test))] fn f() {} #[cfg(feature)] mod tests {} #[cfg(test)] mod t; fn g() {}";
        let outside = without_tests(text);
        assert!(outside.contains("fn f()") && outside.contains("mod tests"));
        assert!(!outside.contains("mod t;") && outside.contains("fn g()"));
        let functions = "#[cfg(test)] const fn f() -> [u8; 2] { g(); } fn h() {}";
        assert_eq!(without_tests(functions).trim(), "fn h() {}");
        let values = "#[cfg(test)] const X: T = T { a: [1; 2] }; fn h() {}";
        assert_eq!(without_tests(values).trim(), "fn h() {}");
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(words("unsafe_code unsafe {", "unsafe").collect::<Vec<_>>(), [12]);
        assert_eq!(words("a.unwrap() b.unwrap_or()", ".unwrap()").collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn paths_name_their_first_word() {
        let names =
            |text| paths(text, "crate").into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(names("use crate::a::b; crate::c()"), ["a", "c"]);
        assert_eq!(names("use crate::{a::{x, y}, b, c as d};"), ["a", "b", "c"]);
        assert_eq!(names("pub(crate) fn f(), other::crate::x"), [""; 0]);
        assert_eq!(names("::crate::a"), ["a"]);
    }

    #[test]
    fn lines_count_from_one() {
        assert_eq!((line("a\nb", 0), line("a\nb", 2)), (1, 2));
    }
}
