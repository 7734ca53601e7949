//! A process writes, extends and reads files at random and is killed at random; the files are compared with a list of
//! their expected contents. `cargo xtask soak` runs for minutes, and NumPy checks the files, too.

mod operation;
mod state;
mod worker;

use std::env;
use std::path::Path;
use std::time::{Duration, Instant};

use npy_tests::fuzz::Random;
use npy_tests::{Numpy, Session};

use operation::Operation;
use state::{State, WAYS, stated};
use worker::Worker;

/// The number of files.
const FILES: usize = 8;

/// A setting from the environment; by default that of a normal test run.
fn number(name: &str, usual: u64) -> u64 {
    env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// The functions that NumPy defines once: they compare a file with its expected contents.
const NUMPY: [&str; 3] = [
    "def numbers(seed, n): return np.arange(n, dtype='u8') + np.uint64(seed << 32)",
    "def rows(f, seed, n): a = np.load(f); i = numbers(seed, n); return len(a) == n and bool((a['id'] == i).all() and \
     (a['hash'] == i * np.uint64(0x9e3779b97f4a7c15)).all() and (a['tag'] == 7).all())",
    "def members(f, want): z = np.load(f); return z.files == [str(s) for s, _ in want] and \
     all(np.array_equal(z[str(s)], numbers(s, n)) for s, n in want)",
];

fn numpy(directory: &Path) -> Option<Session> {
    env::var_os("NPY_PYTHON")?;
    let mut session = Numpy::session(directory);
    NUMPY.iter().for_each(|line| drop(session.ask(line)));
    Some(session)
}

fn ask(numpy: &mut Session, name: &str, state: &State) {
    let question = match state {
        State::Nothing => return,
        State::Rows(values) => format!("rows({name:?}, {}, {})", values.seed, values.count),
        State::Archive(members) => {
            let members: Vec<_> = members.iter().map(|it| (it.seed, it.count)).collect();
            format!("members({name:?}, {members:?})")
        }
    };
    assert_eq!(numpy.ask(&question), "True", "{question}");
}

/// Returns the state after a kill, which must be one of the possible ones.
fn settle(path: &Path, before: &State, operation: &Operation, done: bool, case: &str) -> State {
    let states = match done {
        true => vec![operation.after(before)],
        false => operation.within(before, stated(path)),
    };
    let checks: Vec<_> = states.iter().map(|state| state.check(path, 0)).collect();
    match states.into_iter().zip(&checks).find(|(_, check)| check.is_ok()) {
        Some((state, _)) => state,
        None => panic!("{case}: {checks:?}"),
    }
}

/// Removes the temporary files of unfinished writes.
fn clean(directory: &Path) {
    for entry in directory.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if !path.extension().is_some_and(|it| it == "npy" || it == "npz") {
            std::fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn files_hold_the_expected_contents_after_kills() {
    let (seconds, seed) = (number("NPY_SOAK_SECONDS", 2), number("NPY_SOAK_SEED", 1));
    println!("seed {seed}, {seconds} s");
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random::new(seed);
    let names: Vec<String> =
        (0..FILES).map(|i| format!("{i}.{}", if i % 2 == 0 { "npy" } else { "npz" })).collect();
    let mut states = vec![State::Nothing; FILES];
    let (mut worker, mut numpy) = (Worker::start(directory.path()), numpy(directory.path()));
    let (start, mut next, mut kills, mut asked) = (Instant::now(), 0, 0, 0);
    while start.elapsed() < Duration::from_secs(seconds) {
        next += 1;
        let at = random.below(FILES);
        let (path, before) = (directory.path().join(&names[at]), states[at].clone());
        let operation = Operation::any(&before, next, &mut random);
        let case = format!("seed {seed}, step {next}, {}: {operation:?} of {before:?}", names[at]);
        worker.begin(&names[at], &before, &operation);
        states[at] = if random.below(20) == 0 {
            // The first 100 microseconds get as many kills as each later doubling of the time.
            let most = 16 << random.below(11);
            let done = worker.kill(Duration::from_micros(random.below(most) as u64));
            worker = Worker::start(directory.path());
            kills += 1;
            clean(directory.path());
            settle(&path, &before, &operation, done, &case)
        } else {
            worker.wait().unwrap_or_else(|error| panic!("{case}: {error}"));
            operation.after(&before)
        };
        // Checks all files, including the ones that did not change.
        if random.below(100) == 0 {
            for (name, state) in names.iter().zip(&states) {
                let checked = state.check(&directory.path().join(name), random.below(WAYS));
                checked.unwrap_or_else(|error| panic!("{case}; {name}, {state:?}: {error}"));
                numpy.iter_mut().for_each(|numpy| ask(numpy, name, state));
            }
            asked += 1;
        }
    }
    let by = if numpy.is_some() { "also by NumPy" } else { "without NumPy" };
    println!("{next} operations, {kills} kills; all files compared {asked} times, {by}");
    assert!(next > 20, "too few to say anything");
}
