//! `npy sql`: runs the program `npy-sql`, if there is one.

#![cfg(unix)]

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a copy of `npy` in a folder, with this `PATH`.
fn npy(folder: &Path, path: &Path, args: &[&str]) -> Output {
    let npy = folder.join("npy");
    if !npy.exists() {
        fs::copy(env!("CARGO_BIN_EXE_npy"), &npy).unwrap();
    }
    loop {
        match Command::new(&npy).args(args).env("PATH", path).output() {
            // A process that another test starts may still have the copy open for writing.
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {}
            output => return output.unwrap(),
        }
    }
}

/// Makes the program `npy-sql`, a script.
fn program(folder: &Path, script: &str) {
    let program = folder.join("npy-sql");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Guards the arguments, the output and the exit code: they are those of the other program.
#[test]
fn sql_runs_another_program() {
    let (folder, path) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let run = |args: &[&str]| npy(folder.path(), path.path(), args);
    let output = run(&["sql", "SELECT 1", "x.npy"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.starts_with("npy: npy-sql is not installed"), "{stderr}");
    assert!(stderr.contains("cargo install npy-sql"), "{stderr}");

    let output = run(&["sql", "--help"]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout.contains("Queries files with SQL"), "{stdout}");
    assert!(stdout.contains("Lists count from 1"), "{stdout}");
    assert!(stdout.contains("cargo install npy-sql"), "{stdout}");

    program(path.path(), "printf '<%s>' \"$@\"\nexit 7");
    for args in [&["SELECT 1", "x.npy", "--csv"][..], &["--help"], &["--json", "SELECT -1"]] {
        let output = run(&[&["sql"], args].concat());
        let expected: String = args.iter().map(|argument| format!("<{argument}>")).collect();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
        assert_eq!(output.status.code(), Some(7));
    }
    let output = run(&["index", "days/", "--block", "7"]);
    assert_eq!(output.stdout, b"<index><days/><--block><7>");
    assert_eq!(output.status.code(), Some(7));
}

/// Guards programs that were copied into a folder: without one in `PATH`, that of the folder runs.
#[test]
fn a_program_in_path_comes_before_one_in_the_same_folder() {
    let (folder, path) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    program(folder.path(), "exit 3");
    let code = || npy(folder.path(), path.path(), &["sql", "SELECT 1"]).status.code();
    assert_eq!(code(), Some(3));
    program(path.path(), "exit 7");
    assert_eq!(code(), Some(7));
}

/// Guards signals: the other program has the process of this one, so that whoever ends this one ends the query.
#[test]
fn there_is_one_process() {
    let (folder, path) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let parent = std::process::id();
    for of in [&folder, &path] {
        program(of.path(), "echo $PPID");
        let output = npy(folder.path(), path.path(), &["sql", "SELECT 1"]);
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), parent.to_string());
    }
}
