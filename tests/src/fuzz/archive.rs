//! Random calls of an archive writer, checked against a list in memory: a finished archive holds exactly the members
//! that were accepted.

use std::io::{Cursor, Read, Seek, Write};

use npy_core::npz::{Reader, WriteOptions, Writer};
use npy_core::{Error, ErrorKind, NpyRecord, Result};

use super::choices::Choices;
use crate::disk::Disk;
use crate::picky::Lucky;

#[derive(NpyRecord, Clone, Copy, Debug)]
struct Pair {
    x: Lucky,
    #[npy(rename = "a")]
    y: Lucky,
}

const NAMES: [&str; 10] =
    ["a", "b", "a.npy", "x/y", "größe", "", "../up", "arr_0", "arr_1.npy", "x\\y"];

pub(super) fn run(input: &[u8]) {
    let mut choices = Choices(input);
    let options = options(&mut choices);
    match choices.below(5) {
        0 => in_memory(&mut choices, &options),
        1 => in_a_stream(&mut choices, &options),
        2 => on_a_disk(&mut choices, &options),
        _ => in_a_file(&mut choices),
    }
}

fn options(choices: &mut Choices<'_>) -> WriteOptions {
    let mut options = WriteOptions::new();
    let threads = choices.below(4);
    if threads > 0 {
        let every = if threads == 1 { 1 << 20 } else { 4096 };
        options.deflate(choices.pick(&[1, 6])).threads(threads).seek_every(every);
    }
    options
}

/// The expected contents of an archive.
#[derive(Clone, Default)]
struct Model {
    members: Vec<(String, Vec<Lucky>)>,
    /// True once a write has failed: from then on every write must fail.
    failed: bool,
    /// True if writes may fail for other reasons than invalid names or values.
    may_fail: bool,
}

impl Model {
    fn has(&self, name: &str) -> bool {
        self.members.iter().any(|(other, _)| other == name)
    }

    /// Makes one call; returns `false` for the last one.
    fn step<W: Write>(&mut self, choices: &mut Choices<'_>, writer: &mut Writer<W>) -> bool {
        if choices.is_empty() {
            return false;
        }
        let call = choices.below(8);
        let items = items(choices);
        let name = choices.pick(&NAMES);
        match call {
            0..=2 => {
                let written = writer.write(name, &items);
                self.note(vec![(plain(name), items)], written);
            }
            3 => {
                let free = (0..).map(|n| format!("arr_{n}")).find(|name| !self.has(name));
                let written = writer.write_unnamed(&items);
                self.note(vec![(free.unwrap_or_default(), items)], written);
            }
            4 => {
                let pairs: Vec<_> = items.iter().map(|&x| Pair { x, y: Lucky(x.0 / 2) }).collect();
                let written = writer.write_columns(&pairs);
                let column = |of: fn(&Pair) -> Lucky| pairs.iter().map(of).collect();
                let columns =
                    vec![("x".into(), column(|it| it.x)), ("a".into(), column(|it| it.y))];
                self.note(columns, written);
            }
            5 | 6 => self.rows(choices, writer, name, &items),
            _ => return !choices.one_in(4),
        }
        true
    }

    /// Writes a member row by row; invalid rows are skipped.
    fn rows<W: Write>(
        &mut self,
        choices: &mut Choices<'_>,
        writer: &mut Writer<W>,
        name: &str,
        items: &[Lucky],
    ) {
        let good: Vec<_> = items.iter().copied().filter(|item| item.0 != 13).collect();
        let written = writer.start::<Lucky>(name).and_then(|mut rows| {
            for item in items {
                assert_eq!(rows.push(item).is_ok(), item.0 != 13);
            }
            assert_eq!(rows.count(), good.len());
            if choices.one_in(4) {
                rows.discard();
                return Ok(false);
            }
            rows.finish().map(|()| true)
        });
        match written {
            // The rows were discarded, so there is no member.
            Ok(false) => assert!(!self.failed && !self.has(&plain(name))),
            written => self.note(vec![(plain(name), good)], written.map(drop)),
        }
    }

    /// Records the result of a call that was to add these members.
    fn note(&mut self, members: Vec<(String, Vec<Lucky>)>, result: Result<()>) {
        let is_taken = members.iter().any(|(name, _)| self.has(name));
        let is_unlucky = members.iter().any(|(_, items)| items.contains(&Lucky(13)));
        match result {
            Ok(()) => {
                assert!(!self.failed, "every call after a failure is an error");
                assert!(!is_taken && !is_unlucky, "an invalid value was accepted");
                self.members.extend(members);
            }
            Err(error) if is_of(&error, is_taken, is_unlucky) => {}
            Err(error) => {
                assert!(self.may_fail, "{error}");
                self.failed = true;
            }
        }
    }

    fn assert_in<R: Read + Seek>(&self, reader: Reader<R>) {
        assert!(reader.names().eq(self.members.iter().map(|(name, _)| name.as_str())));
        for (name, items) in &self.members {
            assert!(reader.read::<Vec<Lucky>>(name).expect("it was written") == *items, "{name}");
        }
    }
}

/// True for the error of a name that is taken or of a value that is invalid, where such an error is expected.
fn is_of(error: &Error, is_taken: bool, is_unlucky: bool) -> bool {
    match error.kind() {
        ErrorKind::MemberName { .. } => is_taken,
        ErrorKind::InvalidValue { .. } => is_unlucky,
        _ => false,
    }
}

fn plain(name: &str) -> String {
    name.strip_suffix(".npy").unwrap_or(name).to_owned()
}

/// Returns mostly few items, sometimes more than a block; one of them may be invalid.
fn items(choices: &mut Choices<'_>) -> Vec<Lucky> {
    let byte = u32::from(choices.byte());
    let count = match choices.byte() {
        250.. => 70_000 + byte,
        240.. => 16_000 + byte * 4,
        220.. => byte * 8,
        few => u32::from(few % 16),
    };
    // None of these numbers is 13, which is set only below.
    let mut items: Vec<_> = (0..count).map(|i| Lucky((byte + 14) * (i % 251 + 1))).collect();
    if choices.one_in(4) && !items.is_empty() {
        let at = usize::from(choices.byte()) * items.len() / 256;
        items[at] = Lucky(13);
    }
    items
}

fn in_memory(choices: &mut Choices<'_>, options: &WriteOptions) {
    let mut memory = Cursor::new(vec![7; choices.below(100)]);
    memory.set_position(memory.get_ref().len() as u64);
    let mut writer = options.writer(memory).expect("memory takes it");
    let mut model = Model::default();
    while model.step(choices, &mut writer) {}
    let memory = writer.finish().expect("memory takes it");
    assert_eq!(
        memory.position(),
        memory.get_ref().len() as u64,
        "the position is at the end of the archive"
    );
    model.assert_in(Reader::new(memory).expect("an archive"));
}

fn in_a_stream(choices: &mut Choices<'_>, options: &WriteOptions) {
    let mut writer = options.stream(Vec::new());
    // A member that fails after some of it was written cannot be undone in a stream.
    let mut model = Model { may_fail: true, ..Model::default() };
    while model.step(choices, &mut writer) {}
    match writer.finish() {
        Ok(bytes) => {
            assert!(!model.failed, "every call after a failure is an error");
            model.assert_in(Reader::new(Cursor::new(bytes)).expect("an archive"));
        }
        Err(_) => model.failed = true,
    }
}

fn on_a_disk(choices: &mut Choices<'_>, options: &WriteOptions) {
    let disk = if choices.one_in(2) {
        Disk::with_room(16 * usize::from(choices.byte()))
    } else {
        Disk::with_calls(choices.below(60))
    };
    let Ok(mut writer) = options.writer(disk.clone()) else { return };
    let mut model = Model { may_fail: true, ..Model::default() };
    while model.step(choices, &mut writer) {}
    if writer.finish().is_ok() {
        assert!(!model.failed, "every call after a failure is an error");
        model.assert_in(Reader::new(Cursor::new(disk.bytes())).expect("an archive"));
    }
}

/// Creates a file and appends to it repeatedly; an archive that is discarded leaves no trace.
fn in_a_file(choices: &mut Choices<'_>) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("x.npz");
    let mut there: Option<Model> = None;
    for _ in 0..6 {
        let options = options(choices);
        let (writer, mut model) = match &there {
            Some(model) if !choices.one_in(4) => (options.append(&path), model.clone()),
            _ => (options.create(&path), Model::default()),
        };
        let mut writer = writer.expect("the disk takes it");
        while model.step(choices, &mut writer) {}
        if choices.one_in(3) {
            writer.discard();
        } else {
            writer.finish().expect("the disk takes it");
            there = Some(model);
        }
        match &there {
            Some(model) => model.assert_in(Reader::open(&path).expect("an archive")),
            None => assert!(!path.exists()),
        }
        let files = directory.path().read_dir().expect("it is there").count();
        assert_eq!(files, usize::from(there.is_some()), "nothing else is left");
    }
}

/// Seeds that make calls of all kinds.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    super::noise().into_iter().map(|noise| noise.repeat(3)).collect()
}
