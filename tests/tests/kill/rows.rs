//! A process that writes is killed, again and again: the file it leaves loads, with the rows of its last flush.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use npy_core::{NpyRecord, ReadNpy, Writer};

use crate::{FILE, SEED, rounds};

/// Each row says which one it is, so that one that is lost, doubled or mixed up shows.
#[derive(NpyRecord, Debug, PartialEq)]
struct Row {
    index: u64,
    #[npy(endian = "big")]
    hash: u64,
    rest: [u32; 21],
    last: u8,
}

fn row(index: u64) -> Row {
    let hash = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (index >> 7);
    let [low, .., high] = hash.to_le_bytes();
    Row { index, hash, rest: [u32::from(low); 21], last: high }
}

/// Random numbers that are the same for the same seed.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(row(seed.wrapping_add(1)).hash | 1)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// Not a test of its own: what is killed. It says `open N` when it has a file with that many rows, then `N` for each flush
/// that succeeded.
#[test]
#[ignore = "the process that the other test kills"]
fn child() {
    let (Some(path), Ok(seed)) = (env::var_os(FILE), env::var(SEED)) else { return };
    let mut random = Random::new(seed.parse().unwrap());
    let path = Path::new(&path);
    let append = path.exists() && random.below(8) > 0;
    let mut writer = match append {
        true => Writer::<Row, _>::append(path).unwrap(),
        false => Writer::<Row, _>::create(path).unwrap(),
    };
    let say = |text: String| {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).unwrap();
    };
    let mut next = u64::try_from(writer.count()).unwrap();
    say(format!("open {next}\n"));
    loop {
        // Mostly few rows; now and then more than a block.
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
    }
}

/// Runs a child for some time and kills it; gives what it said to have opened, and the last that it said to have flushed.
fn run_and_kill(path: &Path, seed: u64) -> (Option<u64>, u64) {
    let mut random = Random::new(!seed);
    let mut child = npy_tests::again("rows::child")
        .env(FILE, path)
        .env(SEED, seed.to_string())
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
    // One of three is killed while it starts, which may be before it has a file.
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
    // As often in the first 100 microseconds as between the last two powers of two.
    let most = 16 << random.below(11);
    thread::sleep(Duration::from_micros(random.below(most)));
    child.kill().unwrap();
    child.wait().unwrap();
    wait.join().unwrap()
}

/// Guards `flush`, `create` and `append`: at whatever moment the process is killed.
#[test]
fn a_process_that_is_killed_leaves_what_it_flushed() {
    let rounds = rounds();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let (mut before, mut opened_at_all, mut flushed_at_all) = (0, 0, 0);
    for round in 0..rounds {
        let (opened, flushed) = run_and_kill(&path, round);
        let case =
            format!("round {round}: {before} rows before, opened {opened:?}, flushed {flushed}");
        if opened.is_none() && !path.exists() {
            continue;
        }
        let rows = Vec::<Row>::read_npy(&path).unwrap_or_else(|error| panic!("{case}: {error}"));
        for (index, found) in (0..).zip(&rows) {
            assert!(*found == row(index), "{case}: row {index} is {found:?}");
        }
        let count = u64::try_from(rows.len()).unwrap();
        assert!(count >= flushed, "{case}: {count} rows are left");
        match opened {
            // A new file.
            Some(0) => {}
            Some(opened) => {
                assert_eq!(opened, before, "{case}: what the next one finds");
                assert!(count >= before, "{case}: {count} rows are left");
            }
            // It may have been killed after it had made or opened the file, and before it could say so.
            None => {}
        }
        opened_at_all += u64::from(opened.is_some());
        flushed_at_all += u64::from(flushed > 0);
        before = count;
        if rows.len() > 30_000 {
            fs::remove_file(&path).unwrap();
            before = 0;
        }
    }
    println!("{rounds} killed: {opened_at_all} with a file open, {flushed_at_all} after a flush");
    assert!(flushed_at_all > rounds / 4, "too few got so far that there was something to lose");
}
