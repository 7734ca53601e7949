//! A loss of power at any moment leaves what `sync` promises: strace records a program, and each state is made that a disk may then have.
//!
//! A disk writes when it likes, until `fsync` returns: names without data and data without names, in any order, page by page. `cargo xtask power`
//! makes more states.
#![cfg(target_os = "linux")]

mod cases;
mod choices;
mod disk;
mod record;
mod trace;

use std::collections::HashSet;
use std::env;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use cases::{Case, Promised, cases};
use choices::{All, Sample};
use disk::{Disk, Entry, Nameless, Operation};

/// The environment variables of the program that is recorded: its folder and its case.
const DIRECTORY: &str = "NPY_POWER_DIRECTORY";
const CASE: &str = "NPY_POWER_CASE";

/// The greatest number of states at each moment. Up to this number, all of them are made.
fn max_states() -> u64 {
    let usual = if npy_tests::is_thorough() { 60 } else { 20 };
    env::var("NPY_POWER_STATES").map_or(usual, |text| text.parse().unwrap())
}

/// Not a test of its own: the program that is recorded.
#[test]
#[ignore = "started by the other tests"]
fn child() {
    let (Some(directory), Ok(name)) = (env::var_os(DIRECTORY), env::var(CASE)) else { return };
    let case = cases().find(|case| case.name == name).unwrap();
    (case.run)(Path::new(&directory));
}

/// Returns strace; `None` if there is none, or if it may not look at other processes.
fn strace() -> Option<PathBuf> {
    let named = env::var_os("NPY_STRACE").map(PathBuf::from);
    let program = named.clone().unwrap_or_else(|| "strace".into());
    let mut check = Command::new(&program);
    check.args(["-o", "/dev/null", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    if check.status().is_ok_and(|status| status.success()) {
        return Some(program);
    }
    assert!(named.is_none(), "NPY_STRACE is no strace that works: {}", program.display());
    // The harness captures what the macros print.
    let warning =
        b"\nNOT TESTED: what a loss of power leaves. It needs strace: apt install strace\n";
    std::io::stderr().write_all(warning).unwrap();
    None
}

/// A program that ran: the disk before, and what it did.
struct Recording {
    root: PathBuf,
    before: Disk,
    operations: Vec<Operation>,
}

impl Recording {
    fn of(case: &Case, strace: &Path) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap().join("disk");
        fs::create_dir(&root).unwrap();
        (case.prepare)(&root);
        let before = Disk::of(&root);
        let log = directory.path().join("log");
        let program = npy_tests::again("child");
        let mut traced = Command::new(strace);
        // All bytes, as hexadecimal numbers.
        traced.args(["-f", "-xx", "-s", "10000000", "-e", trace::TRACED, "-o"]).arg(&log);
        traced.arg(program.get_program()).args(program.get_args());
        let output = traced.env(DIRECTORY, &root).env(CASE, case.name).output().unwrap();
        assert!(output.status.success(), "{}: {output:?}", case.name);
        let calls = trace::parse(&fs::read_to_string(log).unwrap());
        let operations = record::operations(&calls, &root, &before);
        Recording { root, before, operations }
    }

    /// Returns the operations that sync something.
    fn syncs(&self) -> impl Iterator<Item = usize> {
        let is_sync = |index: &usize| {
            let operation = &self.operations[*index];
            matches!(operation, Operation::SyncFile(_) | Operation::SyncDirectory(_))
        };
        (0..self.operations.len()).filter(is_sync)
    }

    /// Returns the operations from one that syncs a file up to the last one that makes up for it: a sync of the same file before anybody depends on
    /// the first one. Changes in between make a difference only if the file has a name, and something is promised.
    fn repeats(&self, case: &Case, sync: usize) -> Range<usize> {
        let Operation::SyncFile(synced) = self.operations[sync] else { return sync..sync + 1 };
        let mut end = sync + 1;
        let (mut has_name, mut is_promised) =
            (synced < self.before.count(), case.promised == Promised::Always);
        for (index, operation) in self.operations.iter().enumerate() {
            match operation {
                Operation::SetNames(names) => {
                    has_name |= names.iter().any(|(_, entry)| *entry == Entry::File(synced));
                }
                Operation::Mark(_) if index > sync => break,
                Operation::Mark(_) => is_promised = true,
                Operation::SyncFile(file) if *file == synced && index > sync => end = index + 1,
                Operation::Write { .. } | Operation::SetLength { .. }
                    if index > sync && has_name && is_promised =>
                {
                    break;
                }
                _ => {}
            }
        }
        sync..end
    }

    /// Makes the states after each operation, without those of a range that sync something. Returns the number of different states, or the first
    /// that lacks what was promised.
    fn check(&self, case: &Case, nameless: Nameless, lost: Range<usize>) -> Result<usize, String> {
        let mut disk = self.before.clone();
        disk.nameless = nameless;
        let mut states =
            States { case, recording: self, made: HashSet::new(), hasher: RandomState::new() };
        let mut mark = "";
        let is_lost = |index| lost.contains(&index);
        for (index, operation) in self.operations.iter().enumerate() {
            let syncs = matches!(operation, Operation::SyncFile(_) | Operation::SyncDirectory(_));
            if syncs && is_lost(index) {
                continue;
            }
            disk.apply(operation);
            if let Operation::Mark(text) = operation {
                mark = text;
            }
            states.check(&disk, mark).map_err(|error| {
                format!("{}: after operation {index}, with the mark {mark:?}: {error}", case.name)
            })?;
        }
        Ok(states.made.len())
    }
}

/// The states that were made of a recording.
struct States<'r> {
    case: &'r Case,
    recording: &'r Recording,
    /// The hashes of states with their marks. A state is checked once.
    made: HashSet<u64>,
    hasher: RandomState,
}

impl States<'_> {
    /// Checks all states of a disk, or a sample of them.
    fn check(&mut self, disk: &Disk, mark: &str) -> Result<(), String> {
        if mark.is_empty() && self.case.promised != Promised::Always {
            return Ok(());
        }
        let max = max_states();
        let mut all = All::default();
        for _ in 0..max {
            self.check_state(disk, &disk.state(&mut all), mark)?;
            if !all.advance() {
                return Ok(());
            }
        }
        for number in 0..max.max(Sample::EXTREMES) {
            self.check_state(disk, &disk.state(&mut Sample::new(number)), mark)?;
        }
        Ok(())
    }

    fn check_state(&mut self, disk: &Disk, state: &disk::State, mark: &str) -> Result<(), String> {
        if !self.made.insert(self.hasher.hash_one((state, mark))) {
            return Ok(());
        }
        let to = tempfile::tempdir_in(memory()).unwrap();
        state.write(&self.recording.root, &disk.directories, to.path());
        (self.case.check)(to.path(), mark)
    }
}

/// Returns a directory in memory if there is one: the states need no disk.
fn memory() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_owned() } else { env::temp_dir() }
}

/// Returns each case with its recording; `None` without strace.
fn recordings() -> Option<&'static [(Case, Recording)]> {
    static RECORDINGS: LazyLock<Option<Vec<(Case, Recording)>>> = LazyLock::new(|| {
        let strace = strace()?;
        let record = |case| {
            let recording = Recording::of(&case, &strace);
            (case, recording)
        };
        Some(cases().map(record).collect())
    });
    RECORDINGS.as_deref()
}

/// Guards everything that `sync` promises.
#[test]
fn a_loss_of_power_leaves_what_was_promised() {
    let mut sum = 0;
    for (case, recording) in recordings().unwrap_or_default() {
        for nameless in [Nameless::Synced, Nameless::Ignored] {
            let states = recording.check(case, nameless, 0..0);
            let states = states.unwrap_or_else(|error| panic!("{error}"));
            println!("{}, files without a name {nameless:?}: {states} states", case.name);
            sum += states;
        }
    }
    println!("{sum} states hold");
}

/// Guards the test above: it fails without any `fsync` of the library.
#[test]
fn a_sync_that_is_missing_is_noticed() {
    let recordings = recordings().unwrap_or_default().iter();
    for (case, recording) in recordings.filter(|(case, _)| case.promised != Promised::Bytes) {
        for sync in recording.syncs() {
            let lost = recording.repeats(case, sync);
            let is_noticed = [Nameless::Synced, Nameless::Ignored]
                .into_iter()
                .find_map(|nameless| recording.check(case, nameless, lost.clone()).err());
            let operation = &recording.operations[sync];
            match is_noticed {
                Some(error) => println!("without {operation:?} at {lost:?}: {error}"),
                None => panic!("{}: nothing fails without {operation:?} at {lost:?}", case.name),
            }
        }
    }
}
