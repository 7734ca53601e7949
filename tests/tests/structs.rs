//! The Rust structs of files: `npy_codegen` for every dtype and archive of the corpus and of the golden files.
//!
//! `structs/generated.txt` is the code for all of them, which `structs_compile.rs` compiles.
//! `NPY_WRITE=1 cargo test -p npy-tests --test all structs` writes it anew, after a change that is meant.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use npy_codegen::Need;
use npy_core::{DType, DynArray, Header, Order, npz};
use serde_json::Value;

/// Returns the path of each valid file with this extension. Files of the tier `quirk` may be refused.
fn files(extension: &str) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(npy_tests::corpus().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let cases = manifest["cases"].as_array().unwrap().iter();
    let valid = cases.filter(|case| case["expect"] == "valid" && case["container"] == extension);
    let read = valid.filter(|case| case["tier"] != "quirk");
    let corpus = read.map(|case| npy_tests::corpus().join(case["path"].as_str().unwrap()));
    let golden = std::fs::read_dir(npy_tests::golden("")).unwrap().map(|it| it.unwrap().path());
    let golden = golden.filter(|path| path.extension().is_some_and(|it| it == extension));
    let mut files: Vec<PathBuf> = corpus.chain(golden).collect();
    files.sort();
    files
}

/// Returns the distinct dtypes of all files, as descr literals.
fn descrs() -> BTreeSet<String> {
    let headers = files("npy").into_iter().map(|path| Header::read_npy(path).unwrap());
    // Some names have tens of thousands of bytes: too much for the repository.
    headers.map(|header| header.dtype().descr()).filter(|descr| descr.len() < 3000).collect()
}

/// Returns the distinct code for all archives.
fn archives() -> BTreeSet<String> {
    let open =
        |path| npz::Reader::open(path).and_then(|reader| npy_codegen::archive(&reader, "Archive"));
    let mut codes: BTreeSet<String> =
        files("npz").into_iter().filter_map(|path| Some(open(path).ok()?.text)).collect();
    // Archives that are as programs make them.
    let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    let blank = DynArray::new("[]".parse().unwrap(), [2], Order::C, Vec::new()).unwrap();
    writer.write("blank", &blank).unwrap();
    for (name, text) in [("layers/0/w", "a"), ("layers/1/w", "b"), ("type", "c"), ("a b", "d")] {
        writer.write(name, text).unwrap();
    }
    let reader = npz::Reader::new(writer.finish().unwrap()).unwrap();
    codes.insert(npy_codegen::archive(&reader, "Archive").unwrap().text);
    codes
}

/// Returns the code: each type in a module of its own.
fn generate() -> String {
    let mut code = "// Made by tests/structs.rs, which says how to make it again.\n\n".to_owned();
    let mut list = String::new();
    for (i, descr) in descrs().iter().enumerate() {
        let dtype: DType = descr.parse().unwrap();
        let rust = npy_codegen::record(&dtype, "Item").text;
        writeln!(code, "pub(crate) mod dtype_{i} {{\n{rust}}}\n").unwrap();
        if !dtype.has_object() {
            let differs = rust.contains("// Differs") || rust.contains("// Left out");
            writeln!(
                list,
                "        ({descr:?}, <dtype_{i}::Item as npy_core::Element>::dtype(), {differs}),"
            )
            .unwrap();
        }
    }
    for (i, rust) in archives().iter().enumerate() {
        writeln!(code, "pub(crate) mod archive_{i} {{\n{rust}}}\n").unwrap();
    }
    writeln!(
        code,
        "/// Returns the dtype of each file, that of its type, and true if the code says that they differ.\npub(crate) fn dtypes() -> Vec<(&'static str, npy_core::DType, bool)> {{\n    vec![\n{list}    ]\n}}"
    )
    .unwrap();
    code
}

/// Guards that the needs of the code are the crates that it names.
#[test]
fn the_needs_are_the_crates_that_the_code_names() {
    let mut found = BTreeSet::new();
    for descr in descrs() {
        let code = npy_codegen::record(&descr.parse().unwrap(), "Item");
        // Names of the file are in attributes, which these lines are not.
        let is_code = |line: &&str| line.starts_with("pub ") || line.starts_with("#[derive");
        let lines: Vec<_> = code.text.lines().map(str::trim_start).filter(is_code).collect();
        for need in [Need::Half, Need::NumComplex, Need::Serde] {
            let path = format!("{}::", need.package().replace('-', "_"));
            let is_named = lines.iter().any(|line| line.contains(&path));
            assert_eq!(code.needs.contains(&need), is_named, "{descr}");
            found.extend(is_named.then_some(need));
        }
    }
    assert_eq!(found.len(), 3, "{found:?}");
}

/// Guards that the code does not change by accident, and that the code which the other test compiles is the code of now.
#[test]
fn the_generated_structs_are_those_in_the_repository() {
    let path = npy_tests::corpus().join("../tests/structs/generated.txt");
    let code = generate();
    if std::env::var_os("NPY_WRITE").is_some() {
        std::fs::write(&path, &code).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap();
    let difference = known.lines().zip(code.lines()).find(|(known, new)| known != new);
    assert!(known == code, "{difference:?}; NPY_WRITE=1 writes {} anew", path.display());
}
