//! Runs the commands in `tests/cmd/*.md` and compares what they print.

#[test]
fn commands_print_what_the_snapshots_say() {
    trycmd::TestCases::new().case("tests/cmd/*.md");
}
