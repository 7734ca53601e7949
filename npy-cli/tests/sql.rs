//! `npy sql`: runs the program `npy-sql`, if there is one.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn npy(path: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).env("PATH", path).output().unwrap()
}

/// Guards the arguments, the output and the exit code: they are those of the other program.
#[test]
fn sql_runs_another_program() {
    let folder = tempfile::tempdir().unwrap();
    let output = npy(folder.path(), &["sql", "SELECT 1", "x.npy"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.starts_with("npy: npy-sql is not installed"), "{stderr}");
    assert!(stderr.contains("cargo install npy-sql"), "{stderr}");

    let program = folder.path().join("npy-sql");
    fs::write(&program, "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    for args in [&["SELECT 1", "x.npy", "--csv"][..], &["--help"], &["--json", "SELECT -1"]] {
        let output = npy(folder.path(), &[&["sql"], args].concat());
        let expected: String = args.iter().map(|argument| format!("<{argument}>")).collect();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
        assert_eq!(output.status.code(), Some(7));
    }
}

/// Guards programs that were copied into a folder which is not in `PATH`.
#[test]
fn the_other_program_may_be_beside_this_one() {
    let folder = tempfile::tempdir().unwrap();
    let npy = folder.path().join("npy");
    fs::copy(env!("CARGO_BIN_EXE_npy"), &npy).unwrap();
    let program = folder.path().join("npy-sql");
    fs::write(&program, "#!/bin/sh\nexit 7\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let output = Command::new(&npy).args(["sql", "SELECT 1"]).env("PATH", "").output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{output:?}");
}
