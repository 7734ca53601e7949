//! A process that writes archives is killed many times: the path always holds the complete old archive or the complete
//! new one.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use std::{env, fs, thread};

use npy_core::npz::{Reader, WriteOptions, Writer};
use npy_core::{DynArray, ReadNpy, WriteNpy};
use npy_tests::fuzz::Random;

use crate::{FILE, SEED, rounds};

/// Returns the members that a generation adds. The contents of an archive depend only on its last generation.
fn added(generation: u64) -> Vec<(String, Vec<u64>)> {
    let mut random = Random::new(generation);
    let members = 1 + random.below(3);
    let member = |i| {
        let rows = match random.below(10) {
            0 => random.below(60_000),
            1..=3 => random.below(2_000),
            _ => random.below(9),
        };
        (format!("{generation}/{i}"), vec![generation << 32 | i as u64; rows])
    };
    (0..members).map(member).collect()
}

/// True if a generation makes a new archive; otherwise it appends to the previous one.
fn is_new(generation: u64) -> bool {
    generation.is_multiple_of(5)
}

/// Returns the complete contents of an archive whose last generation is this one.
fn whole(generation: u64) -> Vec<(String, Vec<u64>)> {
    (generation - generation % 5..=generation).flat_map(added).collect()
}

fn put(writer: &mut Writer<fs::File>, name: &str, values: &[u64]) {
    if values.len().is_multiple_of(2) {
        writer.write(name, values).unwrap();
        return;
    }
    let mut rows = writer.start::<u64>(name).unwrap();
    rows.extend(values).unwrap();
    rows.finish().unwrap();
}

/// Not a test of its own: the process that is killed. Prints the generation of each finished archive.
#[test]
#[ignore = "started by `a_process_that_is_killed_leaves_the_old_archive_or_the_new_one`"]
fn child() {
    let (Some(path), Ok(seed)) = (env::var_os(FILE), env::var(SEED)) else { return };
    let (path, next) = (Path::new(&path), seed.parse::<u64>().unwrap());
    let mut out = std::io::stdout().lock();
    for generation in next.. {
        let mut options = WriteOptions::new();
        if generation % 3 > 0 {
            options.deflate(1).threads(if generation % 3 == 1 { 1 } else { 2 });
        }
        let mut writer = match is_new(generation) {
            true => options.create(path).unwrap(),
            false => options.append(path).unwrap(),
        };
        for (name, values) in added(generation) {
            put(&mut writer, &name, &values);
        }
        writer.finish().unwrap();
        writeln!(out, "{generation}").and_then(|()| out.flush()).unwrap();
    }
}

/// Runs this child from this generation on, and kills it after some time; returns the last generation that it printed.
fn run_and_kill(child: &str, path: &Path, next: u64, random: &mut Random) -> Option<u64> {
    let mut child = npy_tests::again(child)
        .env(FILE, path)
        .env(SEED, next.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut said = lines.filter_map(|line| line.parse::<u64>().ok());
    // One in three is killed while it starts or writes its first archive.
    let first = if random.below(3) > 0 { said.next() } else { None };
    let wait = thread::spawn(move || said.last().or(first));
    // The first 100 microseconds get as many kills as each later doubling of the time.
    let most = 16 << random.below(11);
    thread::sleep(Duration::from_micros(random.below(most) as u64));
    child.kill().unwrap();
    child.wait().unwrap();
    wait.join().unwrap()
}

/// Returns the generation of the existing archive, which must be complete.
fn generation(path: &Path, case: &str) -> u64 {
    let reader = Reader::open(path).unwrap_or_else(|error| panic!("{case}: {error}"));
    let last = reader.names().next_back().and_then(|name| name.split('/').next()?.parse().ok());
    let last = last.unwrap_or_else(|| panic!("{case}: an archive without members"));
    let expected = whole(last);
    let found = reader.read_all().unwrap_or_else(|error| panic!("{case}: {error}"));
    assert_eq!(found.len(), expected.len(), "{case}");
    for ((name, array), (expected, values)) in found.iter().zip(&expected) {
        assert!(name == expected && array == &dynamic(values), "{case}: {name} is not {expected}");
    }
    last
}

fn dynamic(values: &[u64]) -> DynArray {
    let mut file = Vec::new();
    values.write_npy_to(&mut file).unwrap();
    DynArray::read_npy_from(&file[..]).unwrap()
}

/// Guards `create`, `append` and `finish` of archives, whenever the process is killed.
#[test]
fn a_process_that_is_killed_leaves_the_old_archive_or_the_new_one() {
    kill_and_check("archives::child", generation);
}

/// Kills this child many times. `generation` returns the generation of the archive that it leaves, which must be complete.
pub(super) fn kill_and_check(child: &str, generation: fn(&Path, &str) -> u64) {
    let rounds = rounds();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    let mut random = Random::new(rounds);
    let (mut before, mut finished, mut between) = (None, 0, 0);
    for round in 0..rounds {
        let said = run_and_kill(child, &path, before.map_or(0, |it: u64| it + 1), &mut random);
        let case = format!("round {round}: {before:?} before, {said:?} finished");
        let least = said.or(before);
        // An unfinished archive is another file in the directory, or has no name.
        for entry in fs::read_dir(dir.path()).unwrap() {
            let other = entry.unwrap().path();
            if other != path {
                fs::remove_file(other).unwrap();
            }
        }
        if least.is_none() && !path.exists() {
            continue;
        }
        let found = generation(&path, &case);
        // The child may have been killed after it finished an archive and before it printed that.
        let next = least.map_or(0, |it| it + 1);
        assert!(Some(found) == least || found == next, "{case}: found {found}");
        finished += u64::from(said.is_some());
        between += u64::from(said.is_some() && least < Some(found));
        before = Some(found);
    }
    println!("{rounds} killed: {finished} after an archive, {between} before it could say so");
    assert!(finished > rounds / 4, "too few got so far that there was something to lose");
}
