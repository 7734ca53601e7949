//! A process that replaces members of an archive is killed many times: the path always holds the complete old archive or
//! the complete new one.

use std::io::Write;
use std::path::Path;
use std::{env, fs};

use npy_core::npz::{Editor, Reader, WriteOptions, Writer};

use crate::archives::kill_and_check;
use crate::{FILE, SEED};

/// The environment variable with the size of the members that are not replaced: 4 MiB by default.
const BYTES: &str = "NPY_KILL_BYTES";

/// The number of members that are replaced in turn.
const MEMBERS: u64 = 3;

/// The member that no process changes.
fn untouched() -> Vec<u8> {
    let bytes = env::var(BYTES).map_or(4 << 20, |text| text.parse().unwrap());
    b"untouched".iter().copied().cycle().take(bytes).collect()
}

/// The name of a member after this generation: every tenth generation renames all.
fn name(member: u64, generation: u64) -> String {
    format!("{member} of {}", generation / 10)
}

/// The values of a member after this generation. Each generation replaces one member.
fn values(member: u64, generation: u64) -> Vec<u64> {
    let last = (0..=generation).rev().find(|n| n % MEMBERS == member).unwrap_or(0);
    vec![last; 1 + (last * 7919 % 5000) as usize]
}

/// Makes the archive before the first generation.
fn create(path: &Path) {
    let mut writer = Writer::create(path).unwrap();
    writer.write("untouched", &untouched()).unwrap();
    for member in 0..MEMBERS {
        writer.write(&name(member, 0), &values(member, 0)).unwrap();
    }
    writer.finish().unwrap();
}

fn edit(path: &Path, generation: u64) {
    let mut options = WriteOptions::new();
    if !generation.is_multiple_of(2) {
        options.deflate(1);
    }
    let mut editor: Editor = options.edit(path).unwrap();
    for member in 0..MEMBERS {
        editor.rename(&name(member, generation - 1), &name(member, generation)).unwrap();
    }
    let member = generation % MEMBERS;
    editor.write(&name(member, generation), &values(member, generation)).unwrap();
    editor.finish().unwrap();
}

/// Not a test of its own: the process that is killed. Prints each generation that it has finished.
#[test]
#[ignore = "started by `a_process_that_is_killed_leaves_the_old_members_or_the_new_ones`"]
fn child() {
    let (Some(path), Ok(seed)) = (env::var_os(FILE), env::var(SEED)) else { return };
    let (path, next) = (Path::new(&path), seed.parse::<u64>().unwrap());
    let mut out = std::io::stdout().lock();
    for generation in next.. {
        match generation {
            0 => create(path),
            _ => edit(path, generation),
        }
        writeln!(out, "{generation}").and_then(|()| out.flush()).unwrap();
    }
}

/// Returns the generation of the existing archive, which must be complete.
fn generation(path: &Path, case: &str) -> u64 {
    let reader = Reader::open(path).unwrap_or_else(|error| panic!("{case}: {error}"));
    let read = |name: &str| -> Vec<u64> {
        reader.read(name).unwrap_or_else(|error| panic!("{case}: {error}"))
    };
    let names: Vec<&str> = reader.names().collect();
    assert_eq!((names.len() as u64, names[0]), (1 + MEMBERS, "untouched"), "{case}");
    let last = names[1..].iter().map(|name| read(name)[0]).max().unwrap();
    for member in 0..MEMBERS {
        assert_eq!(read(&name(member, last)), values(member, last), "{case}");
    }
    let found: Vec<u8> = reader.read("untouched").unwrap_or_else(|error| panic!("{case}: {error}"));
    assert!(found == untouched(), "{case}");
    let length = fs::metadata(path).unwrap().len();
    assert!(length < found.len() as u64 + 200_000, "{case}: {length} bytes");
    last
}

/// Guards the members of an archive that is edited, whenever the process is killed.
#[test]
fn a_process_that_is_killed_leaves_the_old_members_or_the_new_ones() {
    kill_and_check("edits::child", generation);
}
