//! `npy npz align`: the same archive, whose stored members can be mapped, and whose compressed members are read from any row.

use std::fmt::Display;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use npy_zip::{ALIGNMENT, Compression, Directory, Editor, Entry, Limits, Writer};
use whole_file::{Lock, Options};

use super::npz::refuse_member_of;
use crate::output::{Answer, Failure, Of, Result};
use crate::remedy;
use crate::remote;

/// Members that are not larger have no seek index.
const CHUNK: u64 = 1 << 20;

/// Replaces an archive by one with the same members; nothing is written if there is nothing to do.
pub(super) fn align(path: &Path, seekable: bool) -> Result {
    remote::refuse_change(path)?;
    refuse_member_of(path)?;
    let name = path.display();
    let (file, lock) = Lock::open(path).map_err(|error| match error {
        TryLockError::WouldBlock => {
            Failure::new(&name, "another program is changing it; try again when it has finished")
        }
        TryLockError::Error(error) => Failure::new(&name, error),
    })?;
    let limits = Limits::default();
    let directory = Directory::of_file(&file, &limits).map_err(|error| {
        let text = error.to_string();
        let problem = text.split("; ").next().unwrap_or_default();
        match remedy::for_path(path) {
            Some(remedy) => Failure::new(&name, format!("{problem}; {remedy}")),
            None => Failure::new(&name, text),
        }
    })?;
    let central = zip(directory.central(&file), &name)?;
    let mut is_changed = false;
    let mut to_deflate = Vec::new();
    for entry in directory.entries() {
        let stored = zip(directory.stored_range(entry, &mut &file, &limits), &name)?;
        is_changed |= stored.is_some_and(|range| !range.start.is_multiple_of(u64::from(ALIGNMENT)));
        if seekable && is_to_be_deflated(&directory, entry, &file).of(&name)? {
            to_deflate.push(entry);
        }
    }
    if !is_changed && to_deflate.is_empty() {
        return Ok(Answer::Yes);
    }
    let mut options = Options::new();
    options.prefix(".npy-");
    let (new, destination) = options.create(path).of(&name)?.into_parts();
    let spool = || options.spool(destination.directory());
    let editor = Editor::new(&directory, &central, Compression::deflate(6, 1), spool(), spool());
    let mut editor = zip(editor, &name)?;
    editor.align();
    for entry in to_deflate {
        if editor.count(entry.name()) > 1 {
            let message = format!(
                "several members have the name {:?}, and only the last would be kept; npy npz rm removes them",
                entry.name()
            );
            return Err(Failure::new(&name, message));
        }
        let mut member = zip(directory.member(entry, &file, &limits), &name)?;
        let written: io::Result<()> = editor.write(entry.name(), |to| {
            to.begin(entry.size())?;
            // All is read, so that the checksum is compared.
            io::copy(&mut member, to).map(drop)
        });
        written
            .map_err(|error| Failure::new(&name, format!("member {:?}: {error}", entry.name())))?;
    }
    let writer = zip(Writer::file(new, Compression::stored()), &name)?;
    let writer = editor.finish(&directory, &central, &mut &file, writer).map_err(|error| {
        Failure::new(&name, format!("member {:?}: {}", error.name.unwrap_or_default(), error.error))
    })?;
    let new = zip(writer.finish(), &name)?;
    if !lock.is_at(path) || !directory.central(&file).is_ok_and(|now| now == central) {
        let message = "it was replaced or changed meanwhile, and is left as it is now; try again";
        return Err(Failure::new(&name, message));
    }
    destination.finish(new).of(&name)?;
    Ok(Answer::Yes)
}

/// Returns true for a compressed member of more than a chunk that has no seek index.
fn is_to_be_deflated(directory: &Directory, entry: &Entry, file: &File) -> io::Result<bool> {
    if !entry.is_compressed() || entry.size() <= CHUNK {
        return Ok(false);
    }
    let mut file = file;
    Ok(!directory.is_seekable(entry, &mut file, &Limits::default())?)
}

fn zip<T>(result: npy_zip::Result<T>, name: &dyn Display) -> Result<T> {
    result.map_err(|error| Failure::new(name, error))
}
