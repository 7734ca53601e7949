//! Each file of tests is part of a test program.

use super::{File, Problem};

/// In a package whose test programs are listed (`autotests = false`), each file of `tests` is one of them, or a module of one.
pub(super) fn named(files: &[File]) -> Vec<Problem> {
    let listing = files.iter().filter(|file| {
        file.path.ends_with("Cargo.toml") && file.text.lines().any(|it| it == "autotests = false")
    });
    listing.flat_map(|manifest| unnamed(manifest, files)).collect()
}

fn unnamed(manifest: &File, files: &[File]) -> Vec<Problem> {
    let package = manifest.path.trim_end_matches("Cargo.toml");
    let inside = |path: &str| path.strip_prefix(package)?.strip_prefix("tests/").map(str::to_owned);
    let tests: Vec<_> =
        files.iter().filter_map(|file| inside(&file.path).map(|name| (file, name))).collect();
    let programs: Vec<_> = tests
        .iter()
        .filter(|(_, name)| manifest.text.contains(&format!("path = \"tests/{name}\"")))
        .collect();
    let is_named = |name: &str| {
        let module = format!("mod {};", name.trim_end_matches(".rs"));
        let path = format!("#[path = \"{name}\"]");
        programs.iter().any(|(program, own)| {
            own == name || program.text.lines().any(|it| it == module || it == path)
        })
    };
    let is_test =
        |name: &str| name.ends_with(".rs") && (!name.contains('/') || name.ends_with("/main.rs"));
    let lost = tests.iter().filter(|(_, name)| is_test(name) && !is_named(name));
    lost.map(|(file, _)| {
        let message = format!(
            "no test program has this file, so its tests never run; add `mod …;` to a program of {}",
            manifest.path
        );
        file.problem(0, message)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::File;
    use super::named;

    #[test]
    fn a_file_that_no_program_has_is_found() {
        let mut files = [
            ("a/Cargo.toml", "autotests = false\n[[test]]\npath = \"tests/all.rs\"\n"),
            ("a/tests/all.rs", "mod one;\n#[path = \"two/main.rs\"]\nmod two;\n"),
            ("a/tests/one.rs", ""),
            ("a/tests/two/main.rs", ""),
            ("a/tests/two/part.rs", ""),
            ("a/tests/lost.rs", ""),
            ("a/tests/three/main.rs", ""),
            ("b/Cargo.toml", ""),
            ("b/tests/own.rs", ""),
        ]
        .map(|(path, text)| File::new(path, text));
        let lost = |files: &[File]| named(files).into_iter().map(|it| it.path).collect::<Vec<_>>();
        assert_eq!(lost(&files), ["a/tests/lost.rs", "a/tests/three/main.rs"]);
        files[0].text = files[0].text.replace("autotests = false\n", "");
        assert!(named(&files).is_empty(), "cargo finds them");
    }
}
