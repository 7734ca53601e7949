//! The contents of a file, as a few numbers from which all values follow.

use std::path::Path;

use npy_core::npz::{self, ReadOptions};
use npy_core::{Header, MapAny, NpyRecord, ReadNpy, Reader, ViewError};

/// A row that contains the seed of its file and its index.
#[derive(NpyRecord, Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) id: u64,
    #[npy(endian = "big")]
    hash: u64,
    tag: [u8; 3],
}

/// Returns the value at this index in a file or member made from this seed.
pub(crate) fn id(seed: u64, index: usize) -> u64 {
    seed << 32 | index as u64
}

pub(crate) fn row(seed: u64, index: usize) -> Row {
    let id = id(seed, index);
    Row { id, hash: id.wrapping_mul(0x9e37_79b9_7f4a_7c15), tag: [7; 3] }
}

pub(crate) fn rows(seed: u64, count: usize) -> Vec<Row> {
    (0..count).map(|index| row(seed, index)).collect()
}

pub(crate) fn numbers(seed: u64, count: usize) -> Vec<u64> {
    (0..count).map(|index| id(seed, index)).collect()
}

/// Values made from a seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Values {
    pub(crate) seed: u64,
    pub(crate) count: usize,
}

/// The contents of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum State {
    Nothing,
    Rows(Values),
    /// The members, each named by its seed.
    Archive(Vec<Values>),
}

/// The number of ways to read a file.
pub(crate) const WAYS: usize = 5;

type Check = Result<(), String>;

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn same<T: PartialEq>(found: &[T], expected: &[T]) -> Check {
    if found == expected {
        return Ok(());
    }
    let at = found.iter().zip(expected).position(|(found, expected)| found != expected);
    Err(format!("{} values instead of {}, the first wrong: {at:?}", found.len(), expected.len()))
}

impl State {
    /// Compares a file with its expected contents, in one of the ways to read it.
    pub(crate) fn check(&self, path: &Path, way: usize) -> Check {
        match self {
            State::Nothing if path.exists() => Err("it is there".into()),
            State::Nothing => Ok(()),
            State::Rows(values) => values.check_rows(path, way),
            State::Archive(members) => check_archive(members, path, way),
        }
    }
}

impl Values {
    fn check_rows(&self, path: &Path, way: usize) -> Check {
        let expected = rows(self.seed, self.count);
        let found = match way {
            0 => Vec::<Row>::read_npy(path).map_err(text)?,
            1 => {
                let mut reader = Reader::open(path).map_err(text)?;
                reader.records().map_err(text)?.collect::<Result<_, _>>().map_err(text)?
            }
            2 => {
                let mut reader =
                    npy_core::ReadOptions::new().threads(2).open(path).map_err(text)?;
                let mut found = Vec::new();
                while reader.read_chunk(&mut found, 1000).map_err(text)? > 0 {}
                found
            }
            3 => {
                // SAFETY: only one process at a time has files of this directory open.
                #[allow(unsafe_code)]
                let map = unsafe { MapAny::open(path) }.map_err(text)?;
                map.read(0..map.header().count()).map_err(text)?
            }
            _ => {
                let mut reader = Reader::open(path).map_err(text)?;
                let ids: Vec<u64> = reader.read_column("id").map_err(text)?;
                return same(&ids, &numbers(self.seed, self.count));
            }
        };
        same(&found, &expected)
    }
}

fn check_archive(members: &[Values], path: &Path, way: usize) -> Check {
    let reader = ReadOptions::new().threads(1 + way % 2).open(path).map_err(text)?;
    let names: Vec<String> = members.iter().map(|member| member.seed.to_string()).collect();
    if !reader.names().eq(names.iter().map(String::as_str)) {
        return Err(format!("its members are {:?}", reader.names().collect::<Vec<_>>()));
    }
    // SAFETY: only one process at a time has files of this directory open.
    #[allow(unsafe_code)]
    let map = unsafe { npz::Map::open(path) }.map_err(text)?;
    let all = if way < 2 { reader.read_all().map_err(text)? } else { Vec::new() };
    for (at, (name, member)) in names.iter().zip(members).enumerate() {
        let found: Vec<u64> = match way {
            0 | 1 => all[at].1.iter().filter_map(|value| value.as_u64()).collect(),
            2 => reader.read(name).map_err(text)?,
            3 => match map.view::<u64>(name) {
                Ok(view) => view.to_vec(),
                Err(ViewError::Compressed { .. }) => reader.read(name).map_err(text)?,
                Err(error) => return Err(text(error)),
            },
            _ => {
                let mut member = reader.member(name).map_err(text)?;
                member.records().map_err(text)?.collect::<Result<_, _>>().map_err(text)?
            }
        };
        same(&found, &numbers(member.seed, member.count))
            .map_err(|error| format!("member {name}: {error}"))?;
    }
    Ok(())
}

/// Returns the number of rows that a file states.
pub(crate) fn stated(path: &Path) -> Option<usize> {
    Header::read_npy(path).ok().map(|header| header.count())
}
