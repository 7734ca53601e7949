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

/// Guards the warning of the compiler about a `finish` that was forgotten.
#[test]
fn forgetting_finish_is_a_warning() {
    for (file, item) in [
        ("src/npz/write.rs", "pub struct Writer<"),
        ("src/npz/edit.rs", "pub struct Editor "),
        ("src/npz/rows.rs", "pub struct MemberWriter<"),
    ] {
        let text = source(file);
        let (before, _) = text.split_once(item).unwrap();
        let attributes = before.rsplit("\n\n").next().unwrap();
        assert!(attributes.contains("#[must_use = \"only `finish`"), "{item}");
    }
}

/// Guards that the order of elements in Fortran files is said where they are read.
#[test]
fn the_order_of_elements_is_said() {
    let text = source("src/read/reader.rs");
    for (item, words) in [
        ("pub fn records<", "# Fortran order"),
        ("pub fn into_records<", "in the order of the file"),
        ("pub fn read_chunk<", "in the order of the file"),
    ] {
        let (before, _) = text.split_once(item).unwrap();
        let docs = before.rsplit("\n\n").next().unwrap().replace("\n    /// ", " ");
        assert!(docs.contains(words), "{item}: {docs}");
    }
}

/// Guards that a newcomer finds how to install the library, and the type to read into before the list of all names.
#[test]
fn the_first_page_begins_with_what_newcomers_need() {
    let text = source("src/lib.rs");
    let (introduction, _) = text.split_once("//! # ").unwrap();
    assert!(introduction.contains("cargo add npy-core"));
    let (before, _) = text.split_once("# All names").unwrap();
    assert!(before.contains("# Which type do I read into?"));
}

/// Returns the lines of the table with this heading, without their links.
fn table(text: &str, heading: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.strip_prefix("//! ").unwrap_or(line));
    let rows = lines.skip_while(|line| *line != heading).take_while(|line| line.starts_with('|'));
    let rows: Vec<String> = rows.map(without_links).collect();
    assert!(rows.len() > 2, "no table {heading:?}");
    rows
}

/// Replaces ``[`code`](target)`` and ``[`code`]`` by the code.
fn without_links(line: &str) -> String {
    let mut pieces = line.split("[`");
    let mut text = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let (code, rest) = piece.split_once("`]").unwrap();
        let rest = match rest.strip_prefix('(') {
            Some(target) => target.split_once(')').unwrap().1,
            None => rest,
        };
        text += &format!("`{code}`{rest}");
    }
    text
}

/// Guards that the three first pages, of the documentation, the repository and the package, have the same tables.
#[test]
fn first_pages_agree() {
    let page = source("src/lib.rs");
    for heading in ["| if you want to | use |", "| feature | adds | depends on |"] {
        let rows = table(&page, heading);
        assert_eq!(table(&source("README.md"), heading), rows, "npy-core/README.md");
        assert_eq!(table(&source("../README.md"), heading), rows, "README.md");
    }
    assert!(table(&page, "| if you want to | use |").len() <= 2 + 12);
}

/// Guards that the table of features has each feature of the manifest, in its order, with what it brings and whether it is on by default.
#[test]
fn features_are_those_of_the_manifest() {
    let manifest = source("Cargo.toml");
    let (_, features) = manifest.split_once("[features]").unwrap();
    let (features, _) = features.split_once("\n[").unwrap();
    let mut lines = features.lines().filter_map(|line| line.split_once(" = "));
    let (_, default) = lines.next().unwrap();
    let rows = table(&source("src/lib.rs"), "| feature | adds | depends on |").split_off(2);
    let mut rows: Vec<_> = rows.iter().map(|row| row.split('|').collect::<Vec<_>>()).collect();
    for (feature, brings) in lines.filter(|(feature, _)| !feature.starts_with("__")) {
        let name = format!("`{feature}`");
        let at = rows.iter().position(|row| row[1].contains(&name));
        let row = rows.remove(at.unwrap_or_else(|| panic!("no row of {feature}")));
        let is_default = default.contains(&format!("{feature:?}"));
        assert_eq!(row[1].contains("(default)"), is_default, "{feature}");
        for brought in brings.split('"').skip(1).step_by(2) {
            // `npy-zip/zstd` turns on the dependency that the row names.
            let brought = brought.strip_prefix("dep:").unwrap_or(brought);
            let is_named = row[3].contains(&format!("`{brought}`"));
            assert!(is_named || brought.contains('/'), "the row of {feature} lacks {brought}");
        }
    }
    assert!(rows.is_empty(), "features that do not exist: {rows:?}");
}

/// Guards that the first page has each public name of the library in its table of names.
#[test]
fn the_first_page_has_all_names() {
    let text = source("src/lib.rs");
    let (docs, code) = text.split_once("# All names").unwrap().1.split_once("//! # ").unwrap();
    let (_, exports) = code.split_once("\n#[cfg(feature = \"serde\")]\npub use").unwrap();
    for export in exports.split("pub use ").flat_map(|rest| rest.split_once(';')) {
        let names = export.0.rsplit("::").next().unwrap();
        let names = names.split(|c: char| !c.is_alphanumeric() && c != '_');
        for name in names.filter(|name| !name.is_empty()) {
            assert!(docs.contains(&format!("[`{name}`]")), "{name}");
        }
    }
}
