//! What the compiler says of structs that are wrong: `tests/tests/ui/`, a folder a rule, one mistake a file.

#[test]
fn the_compiler_points_at_the_mistake() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
