//! The operations on a file, and its possible contents after one is interrupted.

use std::fmt;
use std::path::Path;

use npy_core::npz::WriteOptions;
use npy_core::{UncountedRows, WriteNpy, Writer};
use npy_tests::fuzz::Random;

use crate::state::{State, Values, WAYS, numbers, row, rows};

/// One operation, which is sent as a line of numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) kind: Kind,
    pub(crate) seed: u64,
    pub(crate) count: usize,
    /// Selects compression and threads, the number of rows between flushes, or the way to read.
    pub(crate) how: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// Writes a complete array.
    Write,
    /// Creates a file and writes it row by row.
    Create,
    /// Appends rows to a file.
    Grow,
    /// Creates an archive.
    Pack,
    /// Appends a member to an archive.
    Add,
    Read,
}

const KINDS: [Kind; 6] = [Kind::Write, Kind::Create, Kind::Grow, Kind::Pack, Kind::Add, Kind::Read];

impl Operation {
    /// Returns a random operation that is possible on a file with these contents.
    pub(crate) fn any(state: &State, next: u64, random: &mut Random) -> Self {
        let kind = match (state, random.below(8)) {
            (State::Rows(_), 0..=2) => Kind::Grow,
            (State::Archive(members), 0..=2) if members.len() < 12 => Kind::Add,
            (State::Rows(_) | State::Archive(_), 3..=5) => Kind::Read,
            (State::Archive(_), _) => Kind::Pack,
            (State::Rows(_), 6) => Kind::Write,
            (State::Rows(_), _) => Kind::Create,
            (State::Nothing, way) => [Kind::Write, Kind::Create, Kind::Pack][way % 3],
        };
        // Mostly few rows, sometimes more than a block.
        let count = match random.below(20) {
            0 => random.below(50_000),
            1..=5 => random.below(2_000),
            _ => random.below(20),
        };
        let seed = match state {
            State::Rows(values) if kind == Kind::Grow => values.seed,
            _ => next,
        };
        Operation { kind, seed, count, how: random.below(60) }
    }

    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut numbers = line.split(' ').map(str::parse::<usize>);
        let mut number = || numbers.next()?.ok();
        let kind = *KINDS.get(number()?)?;
        let seed = number()? as u64;
        Some(Operation { kind, seed, count: number()?, how: number()? })
    }

    /// Runs the operation. `state` is the expected contents before it.
    pub(crate) fn run(&self, path: &Path, state: &State) -> Result<(), String> {
        if self.kind == Kind::Read {
            return state.check(path, self.how % WAYS);
        }
        self.write(path, state).map_err(|error| error.to_string())
    }

    fn write(&self, path: &Path, state: &State) -> npy_core::Result<()> {
        let mut options = WriteOptions::new();
        if !self.how.is_multiple_of(4) {
            options.deflate(1).threads(self.how % 4);
        }
        let mut archive = match self.kind {
            Kind::Write | Kind::Read => return rows(self.seed, self.count).write_npy(path),
            Kind::Create => return self.push(Writer::create(path)?, 0),
            Kind::Grow => {
                let State::Rows(values) = state else { unreachable!("it has rows") };
                // A process that was killed may have left rows that it had not counted.
                let mut options = npy_core::WriteOptions::new();
                options.uncounted_rows(UncountedRows::Remove);
                return self.push(options.append(path)?, values.count);
            }
            Kind::Pack => options.create(path)?,
            Kind::Add => options.append(path)?,
        };
        let (name, numbers) = (self.seed.to_string(), numbers(self.seed, self.count));
        if self.how.is_multiple_of(2) {
            archive.write(&name, &numbers)?;
        } else {
            let mut rows = archive.start::<u64>(&name)?;
            rows.extend(&numbers)?;
            rows.finish()?;
        }
        archive.finish().map(drop)
    }

    fn push<W: std::io::Write + std::io::Seek>(
        &self,
        mut writer: Writer<crate::state::Row, W>,
        first: usize,
    ) -> npy_core::Result<()> {
        for index in first..first + self.count {
            writer.push(&row(self.seed, index))?;
            if index % (1 + self.how * 20) == 0 {
                writer.flush()?;
            }
        }
        writer.finish().map(drop)
    }

    /// Returns the contents after the complete operation.
    pub(crate) fn after(&self, state: &State) -> State {
        let new = Values { seed: self.seed, count: self.count };
        match (self.kind, state) {
            (Kind::Read, _) => state.clone(),
            (Kind::Grow, State::Rows(old)) => {
                State::Rows(Values { count: old.count + self.count, ..*old })
            }
            (Kind::Add, State::Archive(old)) => State::Archive([&old[..], &[new]].concat()),
            (Kind::Pack, _) => State::Archive(vec![new]),
            _ => State::Rows(new),
        }
    }

    /// Returns the possible contents after an interruption, if the header states this number of rows.
    pub(crate) fn within(&self, state: &State, stated: Option<usize>) -> Vec<State> {
        let after = self.after(state);
        let mut states = vec![state.clone(), after.clone()];
        if let (Kind::Create | Kind::Grow, State::Rows(whole), Some(count)) =
            (self.kind, after, stated)
        {
            let least = whole.count - self.count;
            if (least..whole.count).contains(&count) {
                states.push(State::Rows(Values { count, ..whole }));
            }
        }
        states
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = KINDS.iter().position(|kind| *kind == self.kind).unwrap_or(0);
        write!(f, "{kind} {} {} {}", self.seed, self.count, self.how)
    }
}
