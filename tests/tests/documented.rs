//! What the pages of the documentation must say, and by which words they are found.

use std::fs;

fn source(path: &str) -> String {
    fs::read_to_string(format!("../npy-core/{path}")).unwrap()
}

/// Guards that someone who searches the documentation for NumPy's name finds the item, which is on one of the lines after the alias.
#[test]
fn names_of_numpy_are_found() {
    for (alias, file, item) in [
        ("fromfile", "src/read.rs", "pub trait ReadNpy"),
        ("tofile", "src/write/headerless.rs", "pub fn write_headerless<"),
        ("memmap", "src/mmap.rs", "pub struct Map<"),
        ("memmap", "src/mmap.rs", "pub struct MapMut<"),
        ("open_memmap", "src/mmap.rs", "pub unsafe fn create<"),
        ("savez", "src/npz/fields.rs", "pub fn save<"),
        ("savez", "src/npz/write.rs", "pub struct Writer<"),
        ("savez_compressed", "src/npz/fields.rs", "pub fn save_compressed<"),
        ("savez_compressed", "src/npz/options.rs", "pub fn deflate("),
        ("recarray", "src/element/record.rs", "pub trait NpyRecord"),
        ("structured", "src/element/record.rs", "pub trait NpyRecord"),
        ("genfromtxt", "src/serde/infer.rs", "pub fn try_from_rows<"),
    ] {
        let text = source(file);
        let (before, _) = text.split_once(item).unwrap();
        let start = before.rfind("#[doc(alias").unwrap_or_else(|| panic!("{alias}: no alias"));
        let attributes = &before[start..];
        assert!(attributes.contains(&format!("{alias:?}")), "{alias}: {attributes}");
        assert!(!attributes.contains("pub "), "{alias} is at another item: {attributes}");
    }
}

/// Guards that docs.rs shows which feature each item needs.
#[test]
fn features_are_shown() {
    assert!(source("src/lib.rs").contains("#![cfg_attr(docsrs, feature(doc_cfg))]"));
    let manifest = source("Cargo.toml");
    let (_, docs) = manifest.split_once("[package.metadata.docs.rs]").unwrap();
    assert!(docs.contains("all-features = true"));
    assert!(docs.contains(r#"rustdoc-args = ["--cfg", "docsrs"]"#));
}

/// Guards the first line about a new archive: others lose what was written if the writer is dropped.
#[test]
fn a_new_archive_is_a_transaction() {
    let text = source("src/npz/write.rs");
    let (_, docs) = text.split_once("impl Writer<File> {").unwrap();
    let first = docs.lines().find(|line| line.contains("///")).unwrap();
    assert!(first.contains("the old file stays and no new one appears"), "{first}");
}
