//! Runs the commands in `tests/cmd/*.md`, and those of the first page for the shell, and compares what they print.

use std::env;
use std::fs;
use std::process::Command;

#[test]
fn commands_print_what_the_snapshots_say() {
    trycmd::TestCases::new().case("tests/cmd/*.md");
}

/// Guards `docs/start/shell.md`: its commands run one after the other, in an empty directory, as a reader pastes them.
#[cfg(unix)]
#[test]
fn the_first_page_for_the_shell_prints_what_it_says() {
    let page = fs::read_to_string("../docs/start/shell.md").unwrap();
    let blocks = page.split("```console\n").skip(1).map(|block| block.split("```").next().unwrap());
    let (commands, expected): (Vec<&str>, Vec<&str>) =
        blocks.flat_map(str::lines).partition(|line| line.starts_with("$ "));
    let script: Vec<&str> = commands.iter().map(|line| &line[2..]).collect();
    let place = tempfile::tempdir().unwrap();
    let npy = std::path::Path::new(env!("CARGO_BIN_EXE_npy")).parent().unwrap().to_owned();
    let path = env::split_paths(&env::var_os("PATH").unwrap()).collect::<Vec<_>>();
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", &script.join("\n")]).current_dir(place.path());
    shell.env("PATH", env::join_paths([npy].into_iter().chain(path)).unwrap());
    let output = shell.output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected, "\n{printed}");
}
