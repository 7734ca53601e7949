//! Compiler messages for incorrect programs: `tests/ui/` has a folder for each rule, and a file for each mistake.

use std::fs;

#[test]
fn the_compiler_points_at_the_mistake() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}

/// Guards that a newcomer who reads only the start of a message sees what to do. The first line of each file in `ui/usual` quotes it.
#[test]
fn the_advice_is_in_the_first_twelve_lines() {
    let mut count = 0;
    for entry in fs::read_dir("tests/ui/usual").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let program = fs::read_to_string(&path).unwrap();
        let advice = program.lines().next().and_then(|line| line.strip_prefix("// advice: "));
        let advice = advice.unwrap_or_else(|| panic!("{path:?} quotes no advice"));
        let message = fs::read_to_string(path.with_extension("stderr")).unwrap();
        let start: Vec<&str> = message.lines().take(12).collect();
        assert!(start.join("\n").contains(advice), "{path:?}: {advice}\n{message}");
        count += 1;
    }
    assert!(count >= 15, "{count} usual mistakes");
}
