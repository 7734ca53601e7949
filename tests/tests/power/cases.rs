//! The calls that promise something about a loss of power, and what they promise.

use std::fs;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::Path;

use npy_core::{
    DynArray, Header, NpyArray, ReadNpy, UncountedRows, WriteNpy, WriteOptions, Writer, load, npz,
};

use crate::record::MARK;

/// A program, and what each state must have that a loss of power may leave.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Makes the files that are on the disk before.
    pub(crate) prepare: fn(&Path),
    /// Runs in a process of its own, which is recorded.
    pub(crate) run: fn(&Path),
    pub(crate) promised: Promised,
    /// Returns an error if a state lacks what was promised when this mark was the last; before the first mark, it is empty.
    pub(crate) check: fn(&Path, &str) -> Result<(), String>,
}

/// When something is promised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Promised {
    Always,
    FromFirstMark,
    /// As `FromFirstMark`, but the file need not load. That is the only promise that one `fsync` less does not break.
    Bytes,
}

use Promised::{Always, Bytes, FromFirstMark};

/// The name, the files before, the program, when something is promised, and what.
type Row = (&'static str, fn(&Path), fn(&Path), Promised, fn(&Path, &str) -> Result<(), String>);

const TABLE: [Row; 17] = [
    ("save", old_file, save, Always, old_or_new),
    ("save a new file", nothing, save, Always, none_or_new),
    ("save by a link", link, save, Always, old_or_new),
    ("save to an open file", empty_file, save_to_open_file, FromFirstMark, old_or_new),
    ("sync", nothing, sync, FromFirstMark, rows),
    ("sync and flush", nothing, sync_and_flush, Bytes, synced_bytes),
    ("sync of rows", nothing, sync_rows, FromFirstMark, matrix),
    ("create", old_file, create, Always, old_or_rows),
    ("create at the end", old_file, create_at_end, Always, old_or_new),
    ("append", rows_file, append, Always, rows),
    ("append bytes", rows_file, append_dyn, Always, rows),
    ("append after a new header", rows_at_page, append, Always, rows),
    ("append and keep", rows_file, append_and_keep, Always, rows),
    ("append and remove", rows_file, append_and_remove, Always, rows),
    ("append or create", nothing, append_or_create, Always, none_or_rows),
    ("archive", old_archive, archive, Always, archive_old_or_new),
    ("edited archive", old_archive, edit, Always, archive_old_or_new),
];

/// Returns all cases.
pub(crate) fn cases() -> impl Iterator<Item = Case> {
    TABLE.into_iter().map(|(name, prepare, run, promised, check)| Case {
        name,
        prepare,
        run,
        promised,
        check,
    })
}

/// The mark of a program whose call has returned.
const RETURNED: &str = "returned";

/// The rows of [`rows_file`].
const ROWS: u64 = 9;

fn mark(text: &str) {
    // The line may not be the first one of its line: the test harness writes, too.
    let line = format!("\n{MARK}{text}\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
}

/// Returns a row by its index, so that rows that are lost, doubled or of zeros are noticed.
fn row(index: u64) -> u64 {
    (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn rows_from(start: u64, end: u64) -> impl Iterator<Item = u64> {
    (start..end).map(row)
}

fn file(dir: &Path) -> std::path::PathBuf {
    dir.join("x.npy")
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Says that a state has something else than it may have.
fn check(is_right: bool, found: &str) -> Result<(), String> {
    if is_right { Ok(()) } else { Err(format!("found {found}")) }
}

fn nothing(_: &Path) {}

/// Arrays of several pages.
fn old() -> Vec<u64> {
    rows_from(5000, 6500).collect()
}

fn new() -> Vec<u64> {
    rows_from(0, 2000).collect()
}

fn old_file(dir: &Path) {
    old().write_npy(file(dir)).unwrap();
}

fn link(dir: &Path) {
    let directory = dir.join("elsewhere");
    fs::create_dir(&directory).unwrap();
    old().write_npy(directory.join("y.npy")).unwrap();
    std::os::unix::fs::symlink("elsewhere/y.npy", file(dir)).unwrap();
}

fn save(dir: &Path) {
    WriteOptions::new().sync(true).write(file(dir), &new()).unwrap();
    mark(RETURNED);
}

fn empty_file(dir: &Path) {
    fs::write(file(dir), "").unwrap();
}

/// The path is that of an open file, which is not replaced. So something is promised only when the call has returned.
fn save_to_open_file(dir: &Path) {
    let open = fs::File::options().write(true).open(file(dir)).unwrap();
    let path = format!("/proc/self/fd/{}", open.as_raw_fd());
    WriteOptions::new().sync(true).write(path, &new()).unwrap();
    mark(RETURNED);
}

/// Before the call returns, the old or the new array; then the new one.
fn old_or_new(dir: &Path, mark: &str) -> Result<(), String> {
    let found: Vec<u64> = load(file(dir)).map_err(text)?;
    check(found == new() || (mark != RETURNED && found == old()), "another array")
}

fn none_or_new(dir: &Path, mark: &str) -> Result<(), String> {
    if mark != RETURNED && !file(dir).exists() {
        return Ok(());
    }
    let found: Vec<u64> = load(file(dir)).map_err(text)?;
    check(found == new(), "another array")
}

/// The rows after which the program syncs. The first are a part of a page, the next several blocks.
const SYNCED: [u64; 4] = [3, 12, 40_000, 40_100];

fn sync(dir: &Path) {
    let mut writer = Writer::<u64>::create(file(dir)).unwrap();
    let mut start = 0;
    for end in SYNCED {
        writer.extend(rows_from(start, end)).unwrap();
        writer.sync().unwrap();
        mark(&format!("{end}"));
        start = end;
    }
    writer.finish().unwrap();
}

fn sync_and_flush(dir: &Path) {
    let mut writer = Writer::<u64>::create(file(dir)).unwrap();
    writer.extend(rows_from(0, 3)).unwrap();
    writer.sync().unwrap();
    mark("3");
    writer.extend(rows_from(3, 1000)).unwrap();
    writer.flush().unwrap();
    writer.extend(rows_from(1000, 1100)).unwrap();
    writer.sync().unwrap();
    mark("1100");
    writer.finish().unwrap();
}

/// The header counts at least the rows that were synced, and these are in the file. It may count rows that were only flushed, and that are lost.
fn synced_bytes(dir: &Path, mark: &str) -> Result<(), String> {
    let header = Header::read_npy(file(dir)).map_err(text)?;
    let synced: usize = mark.parse().unwrap();
    check(header.count() >= synced, &format!("{header}"))?;
    let bytes = fs::read(file(dir)).unwrap();
    let rows = bytes[128..].as_chunks().0.iter().map(|row| u64::from_le_bytes(*row));
    let found: Vec<u64> = rows.take(synced).collect();
    check_rows(&found, synced as u64)
}

/// At least the rows that were synced, and all with their values.
fn rows(dir: &Path, mark: &str) -> Result<(), String> {
    let found: Vec<u64> = load(file(dir)).map_err(text)?;
    check_rows(&found, mark.parse().unwrap_or(ROWS))
}

fn check_rows(found: &[u64], synced: u64) -> Result<(), String> {
    let count = found.len() as u64;
    check(count >= synced, &format!("{count} rows of {synced}"))?;
    let wrong = found.iter().zip(rows_from(0, count)).position(|(found, row)| *found != row);
    wrong.map_or(Ok(()), |index| Err(format!("row {index} is wrong")))
}

fn sync_rows(dir: &Path) {
    let mut writer = WriteOptions::new().create_rows::<u64>(file(dir), &[4]).unwrap();
    let mut start = 0;
    for end in [8, 1600, 1604] {
        let rows: Vec<u64> = rows_from(start, end).collect();
        rows.chunks(4).for_each(|row| writer.push_row(row).unwrap());
        writer.sync().unwrap();
        mark(&format!("{end}"));
        start = end;
    }
    writer.finish().unwrap();
}

fn matrix(dir: &Path, mark: &str) -> Result<(), String> {
    let found = NpyArray::<u64>::read_npy(file(dir)).map_err(text)?;
    check(found.shape()[1..] == [4], "another shape")?;
    check_rows(&found.to_vec(), mark.parse().unwrap())
}

/// The file has its name before it has rows.
fn create(dir: &Path) {
    let mut writer = WriteOptions::new().sync(true).create::<u64>(file(dir)).unwrap();
    mark("0");
    writer.extend(rows_from(0, 1000)).unwrap();
    writer.sync().unwrap();
    mark("1000");
    writer.extend(rows_from(1000, 2000)).unwrap();
    writer.finish().unwrap();
    mark("2000");
}

fn old_or_rows(dir: &Path, mark: &str) -> Result<(), String> {
    let found: Vec<u64> = load(file(dir)).map_err(text)?;
    if mark.is_empty() && found == old() {
        return Ok(());
    }
    check_rows(&found, mark.parse().unwrap_or(0))
}

/// The file gets its name when it is complete.
fn create_at_end(dir: &Path) {
    let mut writer = WriteOptions::new().sync(true).atomic(true).create::<u64>(file(dir)).unwrap();
    writer.extend(rows_from(0, 1000)).unwrap();
    writer.extend(rows_from(1000, 2000)).unwrap();
    writer.finish().unwrap();
    mark(RETURNED);
}

fn rows_file(dir: &Path) {
    rows_from(0, ROWS).collect::<Vec<_>>().write_npy(file(dir)).unwrap();
}

/// Writes a file in whose header a longer number would be in two pages.
fn rows_at_page(dir: &Path) {
    let rows: Vec<u64> = rows_from(0, ROWS).collect();
    let mut bytes = Vec::new();
    rows.write_npy_to(&mut bytes).unwrap();
    let dict = b"{'descr': '<u8', 'fortran_order': False, 'shape': (9,), }";
    // The dictionary begins so late that the 9 is the last byte of a page.
    let start = 4095 - dict.iter().position(|byte| *byte == b'9').unwrap();
    let mut header = b"\x93NUMPY\x01\0".to_vec();
    let length = 2 * 4096 - 10_usize;
    header.extend_from_slice(&u16::try_from(length).unwrap().to_le_bytes());
    header.resize(start, b' ');
    header.extend_from_slice(dict);
    header.resize(2 * 4096 - 1, b' ');
    header.push(b'\n');
    header.extend_from_slice(&bytes[128..]);
    fs::write(file(dir), header).unwrap();
    assert_eq!(load::<Vec<u64>>(file(dir)).unwrap(), rows);
}

fn append(dir: &Path) {
    let mut writer = WriteOptions::new().sync(true).append::<u64>(file(dir)).unwrap();
    write_rows(&mut writer, ROWS);
    writer.finish().unwrap();
    mark("3000");
}

/// Writes the rows from this one to the 3000th.
fn write_rows(writer: &mut Writer<u64>, start: u64) {
    writer.extend(rows_from(start, 102)).unwrap();
    writer.sync().unwrap();
    mark("102");
    writer.extend(rows_from(102, 3000)).unwrap();
}

fn append_dyn(dir: &Path) {
    let mut appender = WriteOptions::new().sync(true).append_dyn(file(dir)).unwrap();
    let mut rows = Vec::new();
    rows_from(ROWS, 3000).collect::<Vec<_>>().write_npy_to(&mut rows).unwrap();
    appender.append(&DynArray::read_npy_from(&rows[..]).unwrap()).unwrap();
    appender.finish().unwrap();
    mark("3000");
}

/// Adds rows that the header does not count, as a killed program leaves them.
fn add_uncounted(dir: &Path) {
    let mut file = fs::File::options().append(true).open(file(dir)).unwrap();
    let rows: Vec<u8> = rows_from(ROWS, 1100).flat_map(u64::to_le_bytes).collect();
    file.write_all(&rows[..rows.len() - 3]).unwrap();
}

fn append_and_keep(dir: &Path) {
    add_uncounted(dir);
    let mut options = WriteOptions::new();
    options.sync(true).uncounted_rows(UncountedRows::Keep);
    let mut writer = options.append::<u64>(file(dir)).unwrap();
    mark("1099");
    writer.extend(rows_from(1099, 3000)).unwrap();
    writer.finish().unwrap();
    mark("3000");
}

fn append_and_remove(dir: &Path) {
    add_uncounted(dir);
    let mut options = WriteOptions::new();
    options.sync(true).uncounted_rows(UncountedRows::Remove);
    let mut writer = options.append::<u64>(file(dir)).unwrap();
    write_rows(&mut writer, ROWS);
    writer.finish().unwrap();
    mark("3000");
}

fn append_or_create(dir: &Path) {
    let mut writer = WriteOptions::new().sync(true).append_or_create::<u64>(file(dir)).unwrap();
    mark("0");
    write_rows(&mut writer, 0);
    writer.finish().unwrap();
    mark("3000");
}

fn none_or_rows(dir: &Path, mark: &str) -> Result<(), String> {
    match mark {
        "" if !file(dir).exists() => Ok(()),
        "" => rows(dir, "0"),
        mark => rows(dir, mark),
    }
}

fn old_archive(dir: &Path) {
    let mut writer = npz::Writer::create(dir.join("x.npz")).unwrap();
    writer.write("old", &old()).unwrap();
    writer.write("kept", &new()).unwrap();
    writer.finish().unwrap();
}

fn archive(dir: &Path) {
    let mut options = npz::WriteOptions::new();
    options.sync(true).deflate(6);
    let mut writer = options.create(dir.join("x.npz")).unwrap();
    writer.write("kept", &new()).unwrap();
    writer.write("new", &new()).unwrap();
    writer.finish().unwrap();
    mark(RETURNED);
}

fn edit(dir: &Path) {
    let mut editor = npz::WriteOptions::new().sync(true).edit(dir.join("x.npz")).unwrap();
    editor.remove("old").unwrap();
    editor.write("new", &new()).unwrap();
    editor.finish().unwrap();
    mark(RETURNED);
}

fn archive_old_or_new(dir: &Path, mark: &str) -> Result<(), String> {
    let reader = npz::Reader::open(dir.join("x.npz")).map_err(text)?;
    let names: Vec<&str> = reader.names().collect();
    match names.as_slice() {
        ["kept", "new"] => {
            check(reader.read::<Vec<u64>>("new").map_err(text)? == new(), "another new array")?
        }
        ["old", "kept"] if mark != RETURNED => {
            check(reader.read::<Vec<u64>>("old").map_err(text)? == old(), "another old array")?;
        }
        names => return Err(format!("found the members {names:?}")),
    }
    check(reader.read::<Vec<u64>>("kept").map_err(text)? == new(), "another array that is kept")
}
