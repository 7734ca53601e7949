//! The packages as they would be published: what is in them, and what their texts link to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use npy_codegen::Need;

/// The folders of the packages that are published.
const PUBLISHED: [&str; 8] = [
    "npy-core",
    "npy-derive",
    "npy-pickle",
    "npy-arrow",
    "npy-codegen",
    "npy-repair",
    "npy-clouds",
    "whole-file",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Guards that each package has its licences and a README, as a user sees no other file of this repository.
#[test]
fn each_package_has_its_licences_and_a_readme() {
    for folder in PUBLISHED {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["package", "--list", "--allow-dirty", "--offline"]);
        let list = cargo.current_dir(root().join(folder)).output().unwrap();
        assert!(list.status.success(), "{}", String::from_utf8_lossy(&list.stderr));
        let list = String::from_utf8(list.stdout).unwrap();
        let files: BTreeSet<_> = list.lines().collect();
        for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "src/lib.rs"] {
            assert!(files.contains(file), "{folder} lacks {file}: {files:?}");
        }
        for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let text = |folder: &Path| fs::read_to_string(folder.join(license)).unwrap();
            assert_eq!(text(&root().join(folder)), text(&root()), "{folder}/{license}");
        }
    }
}

/// Guards that the page of a package in a registry has no dead link: it shows the README without the files around it.
#[test]
fn a_readme_of_a_package_links_to_no_file_of_the_repository() {
    for folder in PUBLISHED {
        let text = fs::read_to_string(root().join(folder).join("README.md")).unwrap();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let relative: Vec<_> = targets.filter(|target| !target.starts_with("https://")).collect();
        assert_eq!(relative, [""; 0], "{folder}/README.md");
    }
}

/// Guards that the macros are published under a name that is free, and that the library takes exactly its own macros.
#[test]
fn the_library_is_locked_to_its_own_macros() {
    let manifest = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert!(manifest("npy-derive/Cargo.toml").contains("name = \"npy-core-derive\""));
    let locked = format!("npy-core-derive = {{ path = \"npy-derive\", version = \"={version}\" }}");
    assert!(
        manifest("Cargo.toml").contains(&locked),
        "the workspace's Cargo.toml lacks `{locked}`"
    );
}

/// Guards that generated code is said to need the versions of crates that the library takes.
#[test]
fn generated_code_needs_the_crates_of_the_library() {
    let manifest = fs::read_to_string(root().join("npy-core/Cargo.toml")).unwrap();
    for need in [Need::Half, Need::NumComplex, Need::Serde] {
        let dependency = format!("\n{} = {{ version = \"{}", need.package(), need.version());
        assert!(manifest.contains(&dependency), "{dependency}");
        let feature = format!("\n{} = [\"dep:{}\"", need.feature(), need.package());
        assert!(manifest.contains(&feature), "{feature}");
    }
}

/// Guards who takes the library for nothing: without features, `cargo tree` is one line.
#[test]
fn without_features_the_library_has_no_dependency() {
    let mut cargo = Command::new(env!("CARGO"));
    let args = [
        "tree",
        "--package",
        "npy-core",
        "--no-default-features",
        "--edges",
        "normal",
        "--target",
        "all",
    ];
    let tree = cargo.args(args).arg("--offline").current_dir(root()).output().unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).unwrap();
    assert_eq!(tree.lines().count(), 1, "{tree}");
}
