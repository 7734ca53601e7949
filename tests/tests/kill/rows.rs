//! A process that writes rows is killed many times: the file that it leaves loads, with the rows of the last flush.

use std::cell::Cell;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use npy_core::{
    DType, Element, Header, InvalidValue, NpyRecord, Order, ReadNpy, UncountedRows, WriteNpy,
    WriteOptions, Writer,
};

use crate::{FILE, NAME, SEED, rounds};

/// Each row contains its index, so that lost, duplicated and mixed-up rows are detected.
#[derive(NpyRecord, Debug, PartialEq)]
struct Row {
    index: u64,
    #[npy(endian = "big")]
    hash: u64,
    rest: [u32; 21],
    last: u8,
}

thread_local! {
    /// The number of bytes that are added to the name of the last field, and so to the header.
    static LONGER: Cell<usize> = const { Cell::new(0) };
}

/// A row in a file with a header of any length, which is set per thread.
#[derive(Debug, PartialEq)]
struct Named(Row);

impl Element for Named {
    const SIZE: usize = Row::SIZE;

    fn dtype() -> DType {
        let name = format!("'last{}'", "_".repeat(LONGER.get()));
        Row::dtype().descr().replace("'last'", &name).parse().unwrap()
    }

    fn decode(item: &[u8]) -> Self {
        Named(Row::decode(item))
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        self.0.encode(item)
    }
}

fn row(index: u64) -> Named {
    let hash = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (index >> 7);
    let [low, .., high] = hash.to_le_bytes();
    Named(Row { index, hash, rest: [u32::from(low); 21], last: high })
}

/// Returns the number of bytes to add, so that only `bytes` bytes of the first page are left for the number of rows.
fn longer_for(bytes: usize) -> usize {
    let header = Header::new(Row::dtype(), [0], Order::C).unwrap().to_bytes().unwrap();
    let shape = b"'shape': (";
    let at = header.windows(shape.len()).position(|part| part == shape).unwrap();
    4096 - bytes - at - shape.len()
}

/// Random numbers that are the same for the same seed.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(row(seed.wrapping_add(1)).0.hash | 1)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// Not a test of its own: the process that is killed. Prints `open N` when it has opened a file of N rows, then `N`
/// after each successful flush.
#[test]
#[ignore = "started by `a_process_that_is_killed_leaves_what_it_flushed`"]
fn child() {
    let (Some(path), Ok(seed)) = (env::var_os(FILE), env::var(SEED)) else { return };
    let mut random = Random::new(seed.parse().unwrap());
    LONGER.set(env::var(NAME).unwrap().parse().unwrap());
    let path = Path::new(&path);
    let append = path.exists() && random.below(8) > 0;
    let mut writer = match append {
        // The process before this one may have left rows that it had not counted yet.
        true => WriteOptions::new().uncounted_rows(UncountedRows::Keep).append(path).unwrap(),
        false => Writer::<Named, _>::create(path).unwrap(),
    };
    let say = |text: String| {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).unwrap();
    };
    let mut next = u64::try_from(writer.count()).unwrap();
    say(format!("open {next}\n"));
    loop {
        // Mostly few rows, sometimes more than a block.
        let count = match random.below(20) {
            0 => random.below(6000),
            1..=4 => random.below(300),
            _ => random.below(4),
        };
        if random.below(2) == 0 {
            writer.extend((next..next + count).map(row)).unwrap();
        } else {
            (next..next + count).for_each(|index| writer.push(&row(index)).unwrap());
        }
        next += count;
        writer.flush().unwrap();
        say(format!("{next}\n"));
        // Often without a pause. Nine more rows make the last digit smaller, so a half-written number would be too
        // large.
        for _ in 0..random.below(3) * 100 {
            writer.extend((next..next + 9).map(row)).unwrap();
            writer.flush().unwrap();
            next += 9;
        }
    }
}

/// Runs a child for some time and kills it; returns the number of rows that it printed on opening, and after its last
/// flush.
fn run_and_kill(path: &Path, seed: u64) -> (Option<u64>, u64) {
    let mut random = Random::new(!seed);
    let mut child = npy_tests::again("rows::child")
        .env(FILE, path)
        .env(SEED, seed.to_string())
        .env(NAME, LONGER.get().to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut said = lines.filter_map(|line| {
        let opened = line.strip_prefix("open ").map(str::to_owned);
        let count = opened.as_ref().unwrap_or(&line).parse::<u64>().ok()?;
        Some((opened.is_some(), count))
    });
    // One in three is killed while it starts, possibly before it has opened a file.
    let opened = if random.below(3) > 0 { said.next() } else { None };
    let wait = thread::spawn(move || {
        let (mut opened, mut flushed) = (opened.map(|it| it.1), 0);
        for (is_open, count) in said {
            match is_open {
                true => opened = Some(count),
                false => flushed = count,
            }
        }
        (opened, flushed)
    });
    // The first 100 microseconds get as many kills as each later doubling of the time.
    let most = 16 << random.below(11);
    thread::sleep(Duration::from_micros(random.below(most)));
    child.kill().unwrap();
    child.wait().unwrap();
    wait.join().unwrap()
}

/// Repeatedly kills a process that writes to a file in this directory, whose header is longer by this many bytes.
fn assert_survives(dir: &Path, longer: usize) {
    LONGER.set(longer);
    let rounds = rounds();
    let path = dir.join("x.npy");
    let (mut before, mut opened_at_all, mut flushed_at_all) = (0, 0, 0);
    for round in 0..rounds {
        let (opened, flushed) = run_and_kill(&path, round);
        let case =
            format!("round {round}: {before} rows before, opened {opened:?}, flushed {flushed}");
        if opened.is_none() && !path.exists() {
            continue;
        }
        let rows = Vec::<Named>::read_npy(&path).unwrap_or_else(|error| panic!("{case}: {error}"));
        for (index, found) in (0..).zip(&rows) {
            assert!(*found == row(index), "{case}: row {index} is {found:?}");
        }
        let count = u64::try_from(rows.len()).unwrap();
        assert!(count >= flushed, "{case}: {count} rows are left");
        match opened {
            // A new file.
            Some(0) => {}
            Some(opened) => {
                // More, if the killed process had written rows that it had not counted.
                assert!(opened >= before, "{case}: what the next one finds");
                assert!(count >= before, "{case}: {count} rows are left");
            }
            // The child may have been killed after it opened the file and before it printed that.
            None => {}
        }
        opened_at_all += u64::from(opened.is_some());
        flushed_at_all += u64::from(flushed > 0);
        before = count;
        if rows.len() > 60_000 {
            fs::remove_file(&path).unwrap();
            before = 0;
        } else if round % 4 == 0 {
            // With NumPy's header, in which the number may cross a page boundary if the header is long.
            rows.write_npy(&path).unwrap();
        }
    }
    println!("{rounds} killed: {opened_at_all} with a file open, {flushed_at_all} after a flush");
    assert!(flushed_at_all > rounds / 20, "too few got so far that there was something to lose");
}

/// Guards `flush`, `create` and `append`, whenever the process is killed.
#[test]
fn a_process_that_is_killed_leaves_what_it_flushed() {
    assert_survives(tempfile::tempdir().unwrap().path(), 0);
}

/// Guards headers in which a change of the number would cross a page boundary.
#[test]
fn a_process_that_is_killed_leaves_what_it_flushed_after_a_header_of_two_pages() {
    assert_survives(tempfile::tempdir().unwrap().path(), longer_for(4));
}

/// Guards the same on a tmpfs, where writes are fastest and stop between two pages most often.
#[test]
#[cfg(target_os = "linux")]
fn a_process_that_is_killed_leaves_what_it_flushed_on_a_tmpfs() {
    assert_survives(tempfile::tempdir_in("/dev/shm").unwrap().path(), longer_for(4));
}
