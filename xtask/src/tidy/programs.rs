//! Each file of tests is part of a test program, and starts Python only where it may.

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

/// In a module of a program `all.rs`, calls of NumPy have the feature `live`: `cargo test --workspace` needs no Python.
pub(super) fn live(files: &[File]) -> Vec<Problem> {
    let is_live = |text: &str, line: usize| {
        let before = line.checked_sub(1).and_then(|before| text.lines().nth(before));
        before.is_some_and(|it| it.contains("feature = \"live\""))
    };
    let calls = |file: &File| {
        let (folder, name) = file.path.rsplit_once('/')?;
        let module = format!("mod {};", name.strip_suffix(".rs")?);
        let program = files.iter().find(|it| it.path == format!("{folder}/all.rs"))?;
        let declared = program.text.lines().position(|line| line == module)?;
        let lines = file.text.lines().enumerate().filter(|(_, it)| it.contains("Numpy::run("));
        let plain = lines.map(|(line, _)| line).find(|line| !is_live(&file.text, *line))?;
        let message = "Python is started without the feature live; write #[cfg(feature = \"live\")] before the line, or before the module";
        (!is_live(&program.text, declared)).then(|| file.problem_in_line(plain + 1, message))
    };
    files.iter().filter_map(calls).collect()
}

#[cfg(test)]
mod tests {
    use super::super::File;
    use super::{live, named};

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

    #[test]
    fn a_call_of_python_without_the_feature_is_found() {
        let call = "npy_tests::Numpy::run(script, &[]);\n";
        let feature = "#[cfg(feature = \"live\")]\n";
        for (program, module, expected) in [
            ("mod one;\n".to_owned(), call.to_owned(), 1),
            (format!("mod other;\n{feature}mod one;\n"), call.to_owned(), 0),
            ("mod one;\n".to_owned(), format!("{feature}{call}"), 0),
            ("mod one;\n".to_owned(), format!("{feature}{call}{call}"), 1),
        ] {
            let files = [("a/tests/all.rs", &program), ("a/tests/one.rs", &module)];
            let found = live(&files.map(|(path, text)| File::new(path, text)));
            assert_eq!(found.len(), expected, "{program}{module}");
        }
    }
}
