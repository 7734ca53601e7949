//! Thousands of texts that are almost headers: our parser accepts the same ones as Python's, with the same values.

use npy_core::private::literal;
use npy_tests::fuzz::{Random, mutate, target};

use super::*;

const SCRIPT: &str = r#"
import ast, json

def value(text):
    try:
        return repr(ast.literal_eval(text))
    except Exception:
        return None

for text, ours in json.load(open('texts', encoding='utf-8')):
    theirs = value(text)
    # Python also accepts a tuple without parentheses, which is neither a header nor a dtype.
    bare = theirs is not None and theirs.startswith('(') and not text.lstrip().startswith('(')
    if ours is None and theirs is not None and not bare:
        print(f'only Python takes {text!r}')
    if ours is not None and (theirs is None or theirs != value(ours)):
        print(f'{text!r} is {theirs}, and not {ours}')
"#;

#[test]
fn literals_are_those_of_python() {
    let seeds = (target("literal").seeds)();
    let mut random = Random::new(3);
    let mut texts = seeds.clone();
    texts.extend((0..20_000).map(|_| {
        let mut text = seeds[random.below(seeds.len())].clone();
        mutate(&mut text, &mut random);
        text
    }));
    let texts = texts.into_iter().filter_map(|text| String::from_utf8(text).ok());
    let texts: Vec<_> = texts.map(|text| (literal(&text, false), text)).collect();
    let taken = texts.iter().filter(|(ours, _)| ours.is_some()).count();
    assert!(taken > 2000 && texts.len() - taken > 2000, "{taken} of {}", texts.len());
    let pairs: Vec<_> = texts.iter().map(|(ours, text)| (text, ours)).collect();
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("texts"), serde_json::to_vec(&pairs).unwrap()).unwrap();
    let differ = python(SCRIPT, directory.path());
    assert!(differ.is_empty(), "{differ}");
}
