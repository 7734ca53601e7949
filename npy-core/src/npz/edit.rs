//! Changes the members of an archive.

use std::fmt;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use npy_zip::MemberError;

use super::failure::advised;
use super::name;
use super::options::WriteOptions;
use super::read::Reader;
use super::target::Target;
use super::write::{OF_PIPE, Writer};
use crate::checked;
use crate::error::{Error, ErrorKind, Result};
use crate::write::replace::{Spool, spool};
use crate::write::unfinished::Unfinished;
use crate::write::{ArrayWriter, WriteNpy};

/// An archive whose members are being replaced, added, removed or renamed.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_core::npz;
///
/// let mut writer = npz::Writer::create("model.npz")?;
/// for name in ["weights", "bias", "scratch"] {
///     writer.write(name, &[0.5f32, -1.0])?;
/// }
/// writer.finish()?;
///
/// let mut editor = npz::Editor::open("model.npz")?;
/// editor.write("weights", &[0.25f32, -2.0])?; // replaces it
/// editor.write("epochs", &20u32)?; // adds it
/// editor.rename("bias", "offset")?;
/// editor.remove("scratch")?;
/// editor.finish()?;
///
/// let reader = npz::Reader::open("model.npz")?;
/// assert!(reader.names().eq(["weights", "offset", "epochs"]));
/// assert_eq!(reader.read::<Vec<f32>>("weights")?, [0.25, -2.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Old or new
///
/// Only [`finish`](Self::finish) changes the archive: it writes a new file in the same directory, and then renames it to the archive's
/// path. So the path has the complete old archive or the complete new one, also if the program is killed; for a loss of power, see
/// [`WriteOptions::sync`]. Without `finish`, nothing changes; a line on the standard error says that changes are lost, as for a [`Writer`]. Arrays of more
/// than 1 MiB that were written wait in a temporary file in the same directory.
///
/// As with [`Writer::append`], the archive is locked against other writers that append or edit. `finish` fails, and leaves the file alone,
/// if another program replaced, removed or changed it meanwhile.
///
/// # Other members
///
/// A member that is not touched is copied as it is: its data, its time, its comment and its other properties. It need not be an array, and
/// may be encrypted or compressed by a method that this crate does not read. If it is stored and aligned, the padding in its header changes
/// so that it stays aligned. Its seek index is copied with it. The comment of the archive is kept. Bytes that belong to no member are dropped.
///
/// Names find members as in [`Reader`]. If several members have the same name, a change affects the last one, which readers find. The
/// others are dropped; otherwise readers would find one of them instead.
#[must_use = "only `finish` changes the archive"]
pub struct Editor {
    /// The list of members. Arrays that were written, and members that were copied from other archives, wait in spools.
    pub(super) members: npy_zip::Editor<Spool>,
    /// The new archive, and the old one that it replaces.
    file: File,
    target: Target,
    path: PathBuf,
    options: WriteOptions,
    unfinished: Unfinished,
}

impl Editor {
    /// Opens an archive, and locks it as [`Writer::append`] does. New arrays are stored; [`WriteOptions::edit`] can compress them.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.finish()?;
    ///
    /// let mut editor = npz::Editor::open("model.npz")?;
    /// editor.write("weights", &[0.25, -2.0])?;
    /// editor.finish()?;
    /// assert_eq!(npz::Reader::open("model.npz")?.read::<Vec<f64>>("weights")?, [0.25, -2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Writer::append`].
    pub fn open<P: AsRef<Path>>(path: P) -> Result<Self> {
        WriteOptions::new().edit(path)
    }

    /// Iterates over the names that the members have now; see [`Reader::names`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// npz::Writer::create("model.npz")?.finish()?;
    /// let mut editor = npz::Editor::open("model.npz")?;
    /// editor.write("weights", &[0.5, -1.0])?;
    /// editor.write("epochs", &20u32)?;
    /// assert!(editor.names().eq(["weights", "epochs"]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.names().map(|file| {
            let plain = name::plain(file);
            if self.members.contains(plain) { file } else { plain }
        })
    }

    /// Returns true if there is a member of this name now.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// npz::Writer::create("model.npz")?.finish()?;
    /// let mut editor = npz::Editor::open("model.npz")?;
    /// editor.write("weights", &[0.5, -1.0])?;
    /// assert!(editor.contains("weights") && !editor.contains("bias"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Returns the number of members of this name. Readers find only the last of several, and a change of the name leaves one.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// npz::Writer::create("model.npz")?.finish()?;
    /// let mut editor = npz::Editor::open("model.npz")?;
    /// editor.write("weights", &[0.5, -1.0])?;
    /// assert_eq!((editor.count("weights"), editor.count("bias")), (1, 0));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn count(&self, name: &str) -> usize {
        self.find(name).map_or(0, |file| self.members.count(&file))
    }

    /// Writes an array: replaces the member of this name, or adds one if there is none.
    ///
    /// A new member comes after the others. A replaced one keeps its place in the order, and its name in the archive, with or without
    /// `.npy`. If the array has an invalid value, the old member stays.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("epochs", &20u32)?;
    /// writer.finish()?;
    ///
    /// let mut editor = npz::Editor::open("model.npz")?;
    /// editor.write("epochs", &21u32)?;
    /// editor.finish()?;
    /// assert_eq!(npz::Reader::open("model.npz")?.read::<u32>("epochs")?, 21);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::write`]; a name that is taken is not an error.
    pub fn write<A: WriteNpy + ?Sized>(&mut self, name: &str, array: &A) -> Result<()> {
        self.located(|editor| {
            let file = match editor.find(name) {
                Some(file) => file,
                None => name::in_archive(name)?,
            };
            let options = &editor.options.arrays;
            let written = editor
                .members
                .write(&file, |sink| array.write_npy_array(ArrayWriter::new(options, sink)));
            written.map_err(|error: Error| error.in_member(name))
        })
    }

    /// Removes a member.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.write("scratch", &[0.0])?;
    /// writer.finish()?;
    ///
    /// let mut editor = npz::Editor::open("model.npz")?;
    /// editor.remove("scratch")?;
    /// editor.finish()?;
    /// assert!(npz::Reader::open("model.npz")?.names().eq(["weights"]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingMember`](crate::ErrorKind::MissingMember) if there is none of this name.
    pub fn remove(&mut self, name: &str) -> Result<()> {
        self.located(|editor| {
            let file = editor.existing(name)?;
            editor.members.remove(&file);
            Ok(())
        })
    }

    /// Renames a member, which keeps its place in the order.
    ///
    /// The name of an array in the archive ends with `.npy`, which `to` need not have. The name of any other member becomes exactly `to`.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.finish()?;
    ///
    /// let mut editor = npz::Editor::open("model.npz")?;
    /// editor.rename("weights", "old_weights")?;
    /// editor.finish()?;
    /// assert!(npz::Reader::open("model.npz")?.names().eq(["old_weights"]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingMember`](crate::ErrorKind::MissingMember) if there is no `from`;
    /// [`ErrorKind::MemberName`](crate::ErrorKind::MemberName) if another member is found by the name `to`, or no member can have it.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        self.located(|editor| {
            let file = editor.existing(from)?;
            let is_array = name::plain(&file) != file;
            let new = if is_array { name::in_archive(to)? } else { to.to_owned() };
            name::check(&new)?;
            let is_other = |found: &String| *found != file;
            let taken =
                [to, &new].iter().any(|name| editor.find(name).as_ref().is_some_and(is_other));
            if taken || !editor.members.rename(&file, &new)? {
                let reason =
                    "another member has it already; remove that one first, or use another name";
                return Err(ErrorKind::MemberName { name: name::excerpt(to), reason }.into());
            }
            Ok(())
        })
    }

    /// Copies a member of another archive, byte for byte, under the same name. Replaces a member that has this name in the archive.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// npz::Writer::create("model.npz")?.finish()?;
    /// let mut writer = npz::Writer::create("other.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.finish()?;
    ///
    /// let mut editor = npz::Editor::open("model.npz")?;
    /// editor.copy_from(&npz::Reader::open("other.npz")?, "weights")?;
    /// editor.rename("weights", "old_weights")?;
    /// editor.finish()?;
    /// assert!(npz::Reader::open("model.npz")?.contains("old_weights"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// The member need not be readable: it may be encrypted, for example. Its checksum is not compared.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingMember`](crate::ErrorKind::MissingMember) if the other archive has no such member;
    /// [`ErrorKind::Archive`](crate::ErrorKind::Archive) if it is damaged, so that the end of the member is unknown.
    pub fn copy_from<R: Read + Seek>(&mut self, from: &Reader<R>, name: &str) -> Result<()> {
        let copied = from.raw(name, |directory, entry, archive, _| {
            Ok(self.members.copy(directory, entry, archive)?)
        });
        self.told(copied)
    }

    /// Drops the editor on purpose, and so without a message: the archive stays as it was.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// npz::Writer::create("model.npz")?.finish()?;
    /// let mut editor = npz::Editor::open("model.npz")?;
    /// editor.write("weights", &[0.5, -1.0])?;
    /// editor.discard();
    /// assert!(!npz::Reader::open("model.npz")?.contains("weights"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn discard(mut self) {
        self.unfinished.tell();
    }

    /// Replaces the archive by the changed one. If nothing differs, the file stays as it is.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// npz::Writer::create("model.npz")?.finish()?;
    /// let mut editor = npz::Editor::open("model.npz")?;
    /// editor.write("weights", &[0.5, -1.0])?;
    /// assert!(!npz::Reader::open("model.npz")?.contains("weights"));
    /// editor.finish()?;
    /// assert!(npz::Reader::open("model.npz")?.contains("weights"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io), also if another program replaced, removed or changed the archive;
    /// [`ErrorKind::Archive`](crate::ErrorKind::Archive) if it is damaged, so that the end of an old member is unknown. After an error,
    /// the path has the file that it had before.
    pub fn finish(mut self) -> Result<()> {
        if !self.members.is_changed() {
            self.unfinished.tell();
            return self.target.check().map_err(|error| error.in_file(&self.path));
        }
        let mut writer = self.into_writer()?;
        writer.is_changed = true;
        writer.finish().map(drop)
    }

    /// Returns the name in the archive of the member that readers will find by this name.
    fn find(&self, name: &str) -> Option<String> {
        if self.members.contains(name) {
            return Some(name.to_owned());
        }
        Some(format!("{name}.npy")).filter(|file| self.members.contains(file))
    }

    /// Like [`find`](Self::find), with an error that lists the members.
    fn existing(&self, name: &str) -> Result<String> {
        self.find(name).ok_or_else(|| {
            let names: Vec<_> = self.names().collect();
            let members = name::list(names.into_iter());
            ErrorKind::MissingMember { name: name::excerpt(name), members }.into()
        })
    }

    /// Writes the members to the new file, to which others can then be added.
    pub(super) fn into_writer(self) -> Result<Writer<File>> {
        let Editor { members, file, target, path, options, mut unfinished } = self;
        // From here on, an error or the writer tells.
        unfinished.tell();
        let assemble = || {
            let archive = npy_zip::Writer::file(file, options.compression())?;
            let old = checked::some(target.old());
            let directory = old.directory.zip();
            let added = members.finish(directory, &old.central, &mut &old.file, archive);
            added.map_err(|MemberError { name: file, error, .. }| {
                let error = Error::from(error);
                match file {
                    Some(file) => error.in_member(name::plain(&file)),
                    None => error,
                }
            })
        };
        match assemble() {
            Ok(archive) => Ok(Writer::with_target(archive, target, options, &path)),
            // If another program changed the archive, the error may only be a consequence, so the change is reported first.
            Err(error) => Err(target.check().err().unwrap_or(error).in_file(&path)),
        }
    }

    /// Calls `edit`, and adds the path to an error.
    fn located(&mut self, edit: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let edited = edit(self).map_err(|error| error.in_file(&self.path));
        self.told(edited)
    }

    /// Records that a change was made, or that an error is returned.
    fn told(&mut self, result: Result<()>) -> Result<()> {
        match (&result, self.members.is_changed()) {
            (Err(_), _) => drop(self.unfinished.tell()),
            (Ok(()), true) => self.unfinished.add(),
            (Ok(()), false) => self.unfinished.set_added(0),
        }
        result
    }
}

impl fmt::Debug for Editor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names().collect();
        f.debug_struct("npz::Editor")
            .field("path", &self.path)
            .field("members", &format_args!("[{}]", name::quoted(names.into_iter())))
            .finish_non_exhaustive()
    }
}

impl WriteOptions {
    /// Opens an archive to change its members; see [`Editor::open`]. The options are those of the arrays that are written.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// npz::Writer::create("x.npz")?.finish()?;
    /// let mut editor = npz::WriteOptions::new().deflate(6).edit("x.npz")?;
    /// editor.write("zeros", &vec![0.0f64; 1000])?;
    /// editor.finish()?;
    /// assert!(std::fs::metadata("x.npz")?.len() < 500);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Editor::open`].
    pub fn edit(&self, path: impl AsRef<Path>) -> Result<Editor> {
        let path = path.as_ref();
        let open = || {
            let (file, target) = Target::edit(path, self)?;
            let old = checked::some(target.old());
            let (written, copied) = (spool(target.directory()), spool(target.directory()));
            let (directory, compression) = (old.directory.zip(), self.compression());
            let members =
                npy_zip::Editor::new(directory, &old.central, compression, written, copied)?;
            let (path, options) = (path.to_owned(), self.clone());
            let unfinished = Unfinished::new(Some(&path));
            Ok(Editor { members, file, target, path, options, unfinished })
        };
        open().map_err(|error| advised(error, OF_PIPE).in_file(path))
    }
}
