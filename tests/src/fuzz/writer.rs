//! Random calls of a `Writer`, checked against a list in memory: the file holds everything that was flushed, and
//! nothing that was not accepted.

use std::fmt::Debug;
use std::io::{Seek, Write};

use npy_core::time::Second;
use npy_core::{ByteOrder, DateTime64, Element, NpyRecord, ReadNpy, WriteOptions, Writer};

use super::choices::Choices;
use crate::disk::Disk;

#[derive(NpyRecord, Debug, Clone, PartialEq)]
#[npy(align)]
#[repr(C)]
struct Padded {
    flag: bool,
    time: DateTime64<Second>,
    #[npy(endian = "big")]
    code: u16,
}

#[derive(NpyRecord, Debug, Clone, PartialEq)]
struct Text {
    #[npy(width = 3)]
    name: String,
    id: u16,
}

pub(super) fn run(input: &[u8]) {
    let mut choices = Choices(input);
    match choices.below(5) {
        0 => session(&mut choices, |n| n.to_le_bytes()[0]),
        1 => session(&mut choices, |n| [n, 1, 2]),
        2 => session(&mut choices, |n| Padded {
            flag: n % 2 == 1,
            time: DateTime64::new(n.into()),
            code: n,
        }),
        3 => session(&mut choices, |n| [n; 3_000]),
        // Three of seven values are too long.
        _ => session(&mut choices, |n| Text {
            name: "x".repeat(usize::from(n % 7).min(4) % 5),
            id: n,
        }),
    }
}

fn is_storable<T: Element>(item: &T) -> bool {
    item.encode(&mut vec![0; T::SIZE]).is_ok()
}

fn session<T: Element + Clone + PartialEq + Debug>(
    choices: &mut Choices<'_>,
    item: impl Fn(u16) -> T,
) {
    let mut options = WriteOptions::new();
    options.byte_order(choices.pick(&[ByteOrder::Little, ByteOrder::Big]));
    match choices.below(4) {
        0 => in_file(choices, &options, item),
        1 => shaped(choices, &options, item),
        2 => on_disk(choices, &options, Disk::sound(), item),
        _ => {
            let disk = if choices.one_in(2) {
                Disk::with_room(100 + 3 * usize::from(choices.byte()))
            } else {
                Disk::with_calls(choices.below(40))
            };
            on_disk(choices, &options, disk, item);
        }
    }
}

/// The accepted items, and how many of them were flushed.
struct Model<T> {
    taken: Vec<T>,
    flushed: usize,
    /// True once a write has failed: from then on every write must fail.
    failed: bool,
    next: u16,
}

impl<T: Element + Clone + PartialEq + Debug> Model<T> {
    fn new() -> Self {
        Model { taken: Vec::new(), flushed: 0, failed: false, next: 0 }
    }

    fn items(&mut self, n: usize, item: impl Fn(u16) -> T) -> Vec<T> {
        let first = self.next;
        self.next = self.next.wrapping_add(u16::try_from(n).unwrap_or(0));
        (0..n).map(|i| item(first.wrapping_add(u16::try_from(i).unwrap_or(0)))).collect()
    }

    /// Makes one call; returns `false` for the last one.
    fn step<W: Write + Seek>(
        &mut self,
        choices: &mut Choices<'_>,
        writer: &mut Writer<T, W>,
        item: impl Fn(u16) -> T,
    ) -> bool {
        if choices.is_empty() {
            return false;
        }
        let call = choices.below(8);
        let n = choices.below(40);
        match call {
            0..=2 => {
                for item in self.items(n, &item) {
                    let pushed = writer.push(&item);
                    self.note(std::slice::from_ref(&item), pushed, writer.count());
                }
            }
            3 => {
                let items = self.items(n, &item);
                let written = writer.write_slice(&items);
                self.note(&items, written, writer.count());
            }
            4 => {
                let items = self.items(n, &item);
                let extended = writer.extend(items.iter().filter(|_| true));
                self.note(&items, extended, writer.count());
            }
            5 | 6 => match writer.flush() {
                Ok(()) => {
                    assert!(!self.failed, "every call after a failure is an error");
                    self.flushed = self.taken.len();
                }
                Err(_) => self.failed = true,
            },
            _ => return !choices.one_in(4),
        }
        true
    }

    /// Records how many of these items a call has accepted.
    fn note(&mut self, items: &[T], result: npy_core::Result<()>, count: usize) {
        let storable = items.iter().take_while(|item| is_storable(*item)).count();
        match result {
            Ok(()) => {
                assert!(!self.failed || items.is_empty(), "every call after a failure is an error");
                assert_eq!(storable, items.len(), "an invalid value was accepted");
                self.taken.extend_from_slice(items);
                assert_eq!(count, self.taken.len());
            }
            Err(error) if storable < items.len() && !self.failed && is_value(&error) => {
                self.taken.extend_from_slice(&items[..storable]);
                assert_eq!(count, self.taken.len(), "those before the invalid one are taken");
            }
            Err(_) => {
                self.failed = true;
                let more = count.saturating_sub(self.taken.len()).min(items.len());
                self.taken.extend_from_slice(&items[..more]);
            }
        }
    }

    /// Asserts that a file holds what was flushed, and possibly more of what was accepted.
    fn assert_in(&self, file: &[u8]) {
        let read = Vec::<T>::read_npy_from(file).expect("a file that loads at any moment");
        assert!((self.flushed..=self.taken.len()).contains(&read.len()), "{}", read.len());
        assert!(read == self.taken[..read.len()]);
    }
}

fn is_value(error: &npy_core::Error) -> bool {
    matches!(error.kind(), npy_core::ErrorKind::InvalidValue { .. })
}

fn on_disk<T: Element + Clone + PartialEq + Debug>(
    choices: &mut Choices<'_>,
    options: &WriteOptions,
    disk: Disk,
    item: impl Fn(u16) -> T,
) {
    let Ok(mut writer) = options.writer::<T, _>(disk.clone()) else { return };
    let mut model = Model::new();
    model.assert_in(&disk.bytes());
    while model.step(choices, &mut writer, &item) {
        if choices.one_in(8) {
            model.assert_in(&disk.bytes());
        }
    }
    if choices.one_in(2) {
        drop(writer);
        return model.assert_in(&disk.bytes());
    }
    let finished = writer.finish().is_ok();
    assert!(!(finished && model.failed), "every call after a failure is an error");
    if finished {
        model.flushed = model.taken.len();
    }
    model.assert_in(&disk.bytes());
}

/// Opens a file again and again.
fn in_file<T: Element + Clone + PartialEq + Debug>(
    choices: &mut Choices<'_>,
    options: &WriteOptions,
    item: impl Fn(u16) -> T,
) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("x.npy");
    let mut model = Model::new();
    let mut writer = options.create::<T>(&path).expect("a new file");
    for _ in 0..3 {
        while model.step(choices, &mut writer, &item) {
            assert!(!model.failed);
        }
        if choices.one_in(2) {
            writer.finish().expect("nothing fails");
        } else {
            // A writer that is dropped writes what it has.
            drop(writer);
        }
        model.flushed = model.taken.len();
        let file = std::fs::read(&path).expect("it is there");
        model.assert_in(&file);
        writer = Writer::append(&path).expect("its own file");
        assert_eq!(writer.count(), model.taken.len(), "all items are counted");
    }
}

/// Writes an array of a known shape.
fn shaped<T: Element + Clone + PartialEq + Debug>(
    choices: &mut Choices<'_>,
    options: &WriteOptions,
    item: impl Fn(u16) -> T,
) {
    let (n, offered) = (choices.below(9), choices.below(12));
    let mut file = Vec::new();
    let mut writer = options.with_shape::<T, _>(&mut file, &[n]).expect("memory takes it");
    let mut taken = Vec::new();
    for i in 0..offered {
        let item = item(u16::try_from(i).unwrap_or(0));
        let pushed = writer.push(&item);
        assert_eq!(pushed.is_ok(), taken.len() < n && is_storable(&item));
        if pushed.is_ok() {
            taken.push(item);
        }
        if choices.one_in(4) {
            writer.flush().expect("memory takes it");
        }
    }
    assert_eq!(writer.count(), taken.len());
    assert_eq!(writer.finish().is_ok(), taken.len() == n);
    if taken.len() == n {
        assert!(Vec::<T>::read_npy_from(&file[..]).expect("a whole file") == taken);
    } else {
        assert!(Vec::<T>::read_npy_from(&file[..]).is_err(), "it is cut short");
    }
}
