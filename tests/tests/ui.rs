//! Compiler messages for incorrect structs: `tests/tests/ui/` has a folder for each rule, and a file for each mistake.

#[test]
fn the_compiler_points_at_the_mistake() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
