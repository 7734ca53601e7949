//! Thousands of texts that are almost headers: Python accepts all that our parser accepts, with the
//! same values. And our parser accepts all values of the kinds that are in headers, as Python writes them.

use npy_core::private::literal;
use npy_tests::fuzz::{Random, mutate, target};

use super::*;

const COMPARE: &str = r#"
import ast, json

def value(text):
    try:
        return repr(ast.literal_eval(text))
    except Exception:
        return None

for text, ours in json.load(open('texts', encoding='utf-8')):
    theirs = value(text)
    if ours is not None and (theirs is None or theirs != value(ours)):
        print(f'{text!r} is {theirs}, and not {ours}')
"#;

/// Compares texts and their normal forms, if there are any, with what Python makes of the texts.
fn assert_same_values(texts: &[(String, Option<String>)]) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("texts"), serde_json::to_vec(texts).unwrap()).unwrap();
    let differ = python(COMPARE, directory.path());
    assert!(differ.is_empty(), "{differ}");
}

#[test]
fn literals_are_also_those_of_python() {
    let seeds = (target("literal").seeds)();
    let mut random = Random::new(3);
    let mut texts = seeds.clone();
    texts.extend((0..40_000).map(|_| {
        let mut text = seeds[random.below(seeds.len())].clone();
        mutate(&mut text, &mut random);
        text
    }));
    let texts = texts.into_iter().filter_map(|text| String::from_utf8(text).ok());
    let texts: Vec<_> = texts.map(|text| (literal(&text, false), text)).collect();
    let texts: Vec<_> = texts.into_iter().map(|(ours, text)| (text, ours)).collect();
    let taken = texts.iter().filter(|(_, ours)| ours.is_some()).count();
    assert!(taken > 2000 && texts.len() - taken > 2000, "{taken} of {}", texts.len());
    assert_same_values(&texts);
}

const WRITE: &str = r#"
import json
random.seed(5)
chars = [chr(c) for c in range(0x180)] + list('整😀\u200b\u2028\ud800\udfff\U0010ffff\'"\\')

def value(depth):
    kinds = [
        lambda: ''.join(random.choices(chars, k=random.randrange(9))),
        lambda: random.choice([0, 1, -1]) * random.randrange(10 ** random.randrange(1, 200)),
        lambda: random.uniform(-9, 9) * 10.0 ** random.randrange(-300, 300),
        lambda: float(random.randrange(-9, 9)),
        lambda: complex(random.randrange(-9, 9), random.uniform(-9, 9) * 10.0 ** random.randrange(-30, 30)),
        lambda: random.randbytes(random.randrange(9)),
        lambda: random.choice([True, False, None]),
        lambda: tuple(value(depth + 1) for _ in range(random.randrange(4))),
        lambda: [value(depth + 1) for _ in range(random.randrange(4))],
        lambda: {repr(n): value(depth + 1) for n in range(random.randrange(4))},
    ]
    return random.choice(kinds[:7] if depth > 4 else kinds)()

print(json.dumps([repr(value(0)) for _ in range(20_000)]))
"#;

#[test]
fn all_that_python_writes_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let texts: Vec<String> = serde_json::from_str(&python(WRITE, directory.path())).unwrap();
    let read = texts.into_iter().map(|text| {
        let ours = literal(&text, false).unwrap_or_else(|| panic!("{text} is refused"));
        (text, Some(ours))
    });
    assert_same_values(&read.collect::<Vec<_>>());
}
