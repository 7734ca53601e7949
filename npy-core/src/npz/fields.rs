//! Structs as archives, each field a member or several.

mod maps;
mod siblings;

use std::io::{Read, Seek, Write};
use std::path::Path;

pub use self::siblings::Siblings;
use super::{ReadOptions, Reader, WriteOptions, Writer, name};
use crate::element::type_name;
use crate::error::{ErrorKind, Result};
use crate::read::ReadNpy;
use crate::write::WriteNpy;

/// A struct whose fields are the members of an archive; `#[derive(NpzArchive)]` makes it one.
///
/// [`save`] writes a struct to a file, and [`load`] reads it. [`Writer::write_fields`] and [`Reader::read_fields`] are for archives that
/// also have other members. A struct ignores members that it lacks, and a map has all of them; [`ArchiveField`] has the rules.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an archive: it has no fields that could be members",
    label = "`npy_core::NpzArchive` is not implemented for this type",
    note = "a struct of your own: `#[derive(npy_core::NpzArchive)]` on it; `npz::load` needs its name, and `npz::Reader::open` none",
    note = "a single array: `npy_core::load` and `npy_core::save` for a .npy file, `npz::Reader::read` and `npz::Writer::write` for a member of an archive"
)]
pub trait NpzArchive: ArchiveField {
    /// For generated code: writes its members among those of the archive that it is flattened into.
    #[doc(hidden)]
    fn __npy_write_flat<W: Write>(
        &self,
        to: &mut Writer<W>,
        at: &str,
        siblings: &Siblings<'_>,
    ) -> Result<()> {
        self.__npy_write(to, at, Some(siblings))
    }
}

/// The types that a field of an [`NpzArchive`] may have.
///
/// | type of the field `x` | members |
/// |---|---|
/// | any type that is [`ReadNpy`] and [`WriteNpy`]: `Vec<T>`, `[T; N]`, [`NpyArray<T>`](crate::NpyArray), [`DynArray`](crate::DynArray), numbers, text, … | `x` |
/// | a struct that derives [`NpzArchive`] | `x/` and the names of its members |
/// | `Option<T>` | those of `T`, or none |
/// | `BTreeMap<K, T>` or `HashMap<K, T>`, of numbers or `String`s | for each key, `x/key`; if `T` has several members, `x/key/` and their names |
///
/// A map has all members whose names begin with `x/`, or those of the whole archive. If `T` is an array, a key may have a `/`: `x/l/w` has the
/// key `l/w`. A member that has no place in the map is an error ([`ErrorKind::UnknownMembers`]), except where a struct in the map lacks it.
/// Only a map that is flattened into a struct leaves out members, those that the struct's other fields may have: no key is the name or the
/// alias of a field that is an array, in a map of arrays, or begins with those of a field `x` that has members `x/…`. Next to a flattened map
/// of archives, one of arrays has no key with a `/`. Such a key is not written, either.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use npy_core::{NpyArray, NpzArchive, npz};
///
/// #[derive(NpzArchive)]
/// struct Layer {
///     weights: NpyArray<f32>,
///     bias: Option<Vec<f32>>,
/// }
///
/// #[derive(NpzArchive)]
/// struct Model {
///     name: String,
///     layers: BTreeMap<usize, Layer>,
/// }
///
/// let dense = Layer { weights: NpyArray::new(vec![0.5; 6], [2, 3])?, bias: None };
/// let model = Model { name: "small".into(), layers: BTreeMap::from([(0, dense)]) };
///
/// let mut archive = npz::Writer::new(std::io::Cursor::new(Vec::new()))?;
/// archive.write_fields(&model)?;
/// let archive = npz::Reader::new(archive.finish()?)?;
/// assert_eq!(archive.names().collect::<Vec<_>>(), ["name", "layers/0/weights"]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of an archive: it is neither an array of items nor an archive",
    label = "`npy_core::npz::ArchiveField` is not implemented for this type",
    note = "each field of an archive is an array: any type that is `ReadNpy` and `WriteNpy`, as `Vec<T>` or `npy_core::NpyArray<T>`; `T` must be an `npy_core::Element`, which `usize` is not, as its size differs between machines",
    note = "a struct of your own: `#[derive(npy_core::NpzArchive)]` on it; its members are `field/…`",
    note = "a list of archives: `BTreeMap<usize, T>`, whose members are `field/0/…`; a list of records (`npy_core::NpyRecord`) is an array",
    note = "borrowed arrays are saved without a struct: `npy_core::npz::Writer::write(name, &array)`",
    note = "another type: `#[npy(with = module)]` on the field, or `#[npy(skip)]`"
)]
pub trait ArchiveField: Sized {
    /// True if reading fails when the archive has other members than its own.
    #[doc(hidden)]
    const __NPY_DENY_UNKNOWN: bool = false;

    /// True if it is a single member.
    #[doc(hidden)]
    const __NPY_IS_ARRAY: bool = false;

    /// Writes the members of the value. Their names are `at`, or begin with `at/`; if `at` is empty, they can be any names. Here and below,
    /// `siblings` are the other fields of the struct that the value is flattened into; if there is none, all members below `at` are its own.
    #[doc(hidden)]
    fn __npy_write<W: Write>(
        &self,
        to: &mut Writer<W>,
        at: &str,
        siblings: Option<&Siblings<'_>>,
    ) -> Result<()>;

    /// Returns true if the archive has any of its members.
    #[doc(hidden)]
    fn __npy_is_in<R: Read + Seek>(
        from: &Reader<R>,
        at: &str,
        siblings: Option<&Siblings<'_>>,
    ) -> bool;

    /// Returns true if the member is one of its own.
    #[doc(hidden)]
    fn __npy_takes(member: &str, at: &str, siblings: Option<&Siblings<'_>>) -> bool;

    /// Reads its members.
    #[doc(hidden)]
    fn __npy_read<R: Read + Seek>(
        from: &Reader<R>,
        at: &str,
        siblings: Option<&Siblings<'_>>,
    ) -> Result<Self>;

    /// Returns true if one of its fields excludes this key from the maps that are flattened next to it; see [`Siblings`]. This is for a
    /// value whose members are arrays.
    #[doc(hidden)]
    fn __npy_reserves(key: &str, is_array: bool) -> bool {
        is_array && Self::__npy_takes(key, "", None)
    }

    /// For generated code, like all methods below: writes it as the field of this name.
    #[doc(hidden)]
    fn __npy_write_field<W: Write>(&self, to: &mut Writer<W>, at: &str, name: &str) -> Result<()> {
        self.__npy_write(to, &inside(at, name), None)
    }

    /// Returns true if the archive has it under one of these names.
    #[doc(hidden)]
    fn __npy_any_in<R: Read + Seek>(from: &Reader<R>, at: &str, names: &[&str]) -> bool {
        names.iter().any(|name| Self::__npy_is_in(from, &inside(at, name), None))
    }

    /// Returns true if the member belongs to this field under one of these names.
    #[doc(hidden)]
    fn __npy_any_takes(member: &str, at: &str, names: &[&str]) -> bool {
        names.iter().any(|name| Self::__npy_takes(member, &inside(at, name), None))
    }

    /// Returns true if this field, under one of these names, excludes the key of a flattened map; see [`Siblings`].
    #[doc(hidden)]
    fn __npy_any_reserves(key: &str, is_array: bool, names: &[&str]) -> bool {
        let reserves = |name: &str| match is_array {
            true if Self::__NPY_IS_ARRAY => Self::__npy_takes(key, name, None),
            true => below(key, name).is_some(),
            false => below(name, key).is_some() || (!Self::__NPY_IS_ARRAY && name == key),
        };
        names.iter().any(|name| reserves(name))
    }

    /// Reads it, if the archive has it under one of these names.
    #[doc(hidden)]
    fn __npy_find<R: Read + Seek>(
        from: &Reader<R>,
        at: &str,
        names: &[&str],
    ) -> Result<Option<Self>> {
        let names = names.iter().map(|name| inside(at, name));
        let there: Vec<String> = names.filter(|name| Self::__npy_is_in(from, name, None)).collect();
        match there.as_slice() {
            [] => Ok(None),
            [name] => read_at(from, name).map(Some),
            [_, others @ ..] => {
                let remedy = "they are aliases of a field that the archive also has by another name; drop the alias";
                let others: Vec<_> = others.iter().map(String::as_str).collect();
                Err(from.in_file(unknown_members(&others, remedy).into()))
            }
        }
    }

    /// Reads the field under whichever of these names the archive has. If there is none, reads it under the first name: that returns an
    /// error for an array, and an empty value for an `Option` or a map.
    #[doc(hidden)]
    fn __npy_read_field<R: Read + Seek>(
        from: &Reader<R>,
        at: &str,
        names: &[&str],
    ) -> Result<Self> {
        match Self::__npy_find(from, at, names)? {
            Some(field) => Ok(field),
            None => Self::__npy_read(from, &inside(at, names.first().unwrap_or(&"")), None),
        }
    }
}

// Without this, the compiler would name the two bounds instead of `ArchiveField`.
#[diagnostic::do_not_recommend]
impl<A: ReadNpy + WriteNpy> ArchiveField for A {
    #[doc(hidden)]
    const __NPY_IS_ARRAY: bool = true;

    // Hidden in the implementations too; otherwise rustdoc lists these methods on the page of each type.
    #[doc(hidden)]
    fn __npy_write<W: Write>(
        &self,
        to: &mut Writer<W>,
        at: &str,
        _: Option<&Siblings<'_>>,
    ) -> Result<()> {
        to.write(at, self)
    }

    #[doc(hidden)]
    fn __npy_is_in<R: Read + Seek>(from: &Reader<R>, at: &str, _: Option<&Siblings<'_>>) -> bool {
        from.contains(at)
    }

    #[doc(hidden)]
    fn __npy_takes(member: &str, at: &str, _: Option<&Siblings<'_>>) -> bool {
        member == at || member == name::plain(at)
    }

    #[doc(hidden)]
    fn __npy_read<R: Read + Seek>(
        from: &Reader<R>,
        at: &str,
        _: Option<&Siblings<'_>>,
    ) -> Result<Self> {
        from.read(at).map_err(|error| error.map_kind(with_remedy))
    }
}

impl<T: ArchiveField> ArchiveField for Option<T> {
    const __NPY_DENY_UNKNOWN: bool = T::__NPY_DENY_UNKNOWN;
    const __NPY_IS_ARRAY: bool = T::__NPY_IS_ARRAY;

    fn __npy_write<W: Write>(
        &self,
        to: &mut Writer<W>,
        at: &str,
        siblings: Option<&Siblings<'_>>,
    ) -> Result<()> {
        self.as_ref().map_or(Ok(()), |field| field.__npy_write(to, at, siblings))
    }

    fn __npy_is_in<R: Read + Seek>(
        from: &Reader<R>,
        at: &str,
        siblings: Option<&Siblings<'_>>,
    ) -> bool {
        T::__npy_is_in(from, at, siblings)
    }

    fn __npy_takes(member: &str, at: &str, siblings: Option<&Siblings<'_>>) -> bool {
        T::__npy_takes(member, at, siblings)
    }

    fn __npy_read<R: Read + Seek>(
        from: &Reader<R>,
        at: &str,
        siblings: Option<&Siblings<'_>>,
    ) -> Result<Self> {
        let is_in = T::__npy_is_in(from, at, siblings);
        is_in.then(|| T::__npy_read(from, at, siblings)).transpose()
    }

    fn __npy_reserves(key: &str, is_array: bool) -> bool {
        T::__npy_reserves(key, is_array)
    }
}

impl<T: NpzArchive> NpzArchive for Option<T> {}

impl<W: Write> Writer<W> {
    /// Writes each field of a struct as a member, or as several; [`ArchiveField`] says which.
    ///
    /// ```
    /// use npy_core::{NpzArchive, npz};
    ///
    /// #[derive(NpzArchive)]
    /// struct Fit {
    ///     slope: f64,
    ///     residuals: Vec<f64>,
    /// }
    ///
    /// let mut archive = npz::Writer::new(std::io::Cursor::new(Vec::new()))?;
    /// archive.write_fields(&Fit { slope: 0.5, residuals: vec![0.1, -0.1] })?;
    /// archive.write("times", &[0.0, 1.0])?;
    ///
    /// let archive = npz::Reader::new(archive.finish()?)?;
    /// assert_eq!(archive.names().collect::<Vec<_>>(), ["slope", "residuals", "times"]);
    /// assert_eq!(archive.read_fields::<Fit>()?.slope, 0.5);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::write`]; a second member of one name is an error. The members before it are written.
    pub fn write_fields<T: NpzArchive>(&mut self, archive: &T) -> Result<()> {
        archive.__npy_write(self, "", None)
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Reads the fields of a struct; see [`Writer::write_fields`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{NpzArchive, npz};
    ///
    /// #[derive(NpzArchive)]
    /// struct Fit {
    ///     slope: f64,
    ///     residuals: Vec<f64>,
    /// }
    ///
    /// let mut writer = npz::Writer::create("fit.npz")?;
    /// writer.write("slope", &0.5)?;
    /// writer.write("residuals", &[0.1, -0.1])?;
    /// writer.finish()?;
    ///
    /// let fit: Fit = npz::Reader::open("fit.npz")?.read_fields()?;
    /// assert_eq!((fit.slope, fit.residuals), (0.5, vec![0.1, -0.1]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::read`], and [`ErrorKind::UnknownMembers`] for members that the struct denies, or that a map would leave out.
    pub fn read_fields<T: NpzArchive>(&self) -> Result<T> {
        read_at(self, "")
    }
}

/// Writes a struct to a file, as an archive. A map is one, too; its keys are owned (`String`, and not `&str`), because they are read again as that type.
///
/// As with [`WriteNpy::write_npy`], if the program is killed, the path has the complete old file or the complete new one. A loss of
/// power may still lose the data; to prevent that, use [`WriteOptions::sync`](super::WriteOptions::sync) and
/// [`Writer::write_fields`].
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_core::{NpzArchive, npz};
///
/// #[derive(NpzArchive, Debug, PartialEq)]
/// struct Fit {
///     slope: f64,
///     residuals: Vec<f64>,
/// }
///
/// let fit = Fit { slope: 0.5, residuals: vec![0.1, -0.1] };
/// npz::save("fit.npz", &fit)?; // np.load(path)["slope"]
/// assert_eq!(npz::load::<Fit>("fit.npz")?, fit);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// As [`Writer::write_fields`].
#[doc(alias("savez"))]
pub fn save<T: NpzArchive>(path: impl AsRef<Path>, archive: &T) -> Result<()> {
    WriteOptions::new().save(path, archive)
}

/// Writes a struct to a file, as an archive whose members are compressed like those of `np.savez_compressed`; see [`save`].
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use std::collections::BTreeMap;
///
/// use npy_core::npz;
///
/// let arrays = BTreeMap::from([("zeros".to_owned(), vec![0.0f64; 1000])]);
/// npz::save_compressed("zeros.npz", &arrays)?;
/// assert_eq!(npz::load::<BTreeMap<String, Vec<f64>>>("zeros.npz")?, arrays);
/// assert!(std::fs::metadata("zeros.npz")?.len() < 500);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// As [`Writer::write_fields`].
#[doc(alias("savez_compressed"))]
pub fn save_compressed<T: NpzArchive>(path: impl AsRef<Path>, archive: &T) -> Result<()> {
    /// The level of Python's zlib.
    const LEVEL: u8 = 6;
    WriteOptions::new().deflate(LEVEL).save(path, archive)
}

/// Reads a struct from an archive; see [`save`]. A map gets every member of the archive: in a map of arrays, `l/w` is a key, too.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use std::collections::BTreeMap;
///
/// use npy_core::npz;
///
/// let gains = BTreeMap::from([("north".to_owned(), vec![0.5, 2.0])]);
/// npz::save("gains.npz", &gains)?;
/// assert_eq!(npz::load::<BTreeMap<String, Vec<f64>>>("gains.npz")?, gains);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// As [`Reader::read_fields`]: a map that cannot hold a member is an error, which names the member.
pub fn load<T: NpzArchive>(path: impl AsRef<Path>) -> Result<T> {
    ReadOptions::new().load(path)
}

impl WriteOptions {
    /// Writes a struct to a file, as an archive, with these options; see [`save`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// #[derive(npz::NpzArchive)]
    /// struct Grid {
    ///     heights: Vec<f32>,
    /// }
    ///
    /// let grid = Grid { heights: vec![0.0; 1_000_000] };
    /// npz::WriteOptions::new().deflate(9).threads(4).save("grid.npz", &grid)?;
    /// # assert!(npz::Reader::open("grid.npz")?.contains("heights"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`save`].
    pub fn save<T: NpzArchive>(&self, path: impl AsRef<Path>, archive: &T) -> Result<()> {
        let mut writer = self.create(path)?;
        writer.write_fields(archive)?;
        writer.finish().map(drop)
    }
}

impl ReadOptions {
    /// Reads a struct from an archive, with these options; see [`load`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Cast, npz};
    ///
    /// #[derive(npz::NpzArchive, Debug, PartialEq)]
    /// struct Wide {
    ///     x: Vec<f64>,
    /// }
    ///
    /// let mut writer = npz::Writer::create("x.npz")?;
    /// writer.write("x", &[1u8, 2, 3])?;
    /// writer.finish()?;
    /// let wide: Wide = npz::ReadOptions::new().cast(Cast::Lossless).load("x.npz")?;
    /// assert_eq!(wide, Wide { x: vec![1.0, 2.0, 3.0] });
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`load`].
    pub fn load<T: NpzArchive>(&self, path: impl AsRef<Path>) -> Result<T> {
        self.open(path)?.read_fields()
    }
}

/// Joins the path `at` of a struct or map in the archive and the name of one of its members: `at/name`, or `name` if `at` is empty.
pub(crate) fn inside(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}/{name}") }
}

/// The part of the member's name after `at/`.
pub(super) fn below<'m>(member: &'m str, at: &str) -> Option<&'m str> {
    if at.is_empty() { Some(member) } else { member.strip_prefix(at)?.strip_prefix('/') }
}

/// The members whose names begin with `at/`.
fn names_below<'r, R: Read + Seek>(
    from: &'r Reader<R>,
    at: &str,
) -> impl Iterator<Item = &'r str> + use<'r, R> {
    from.directory.names_with_prefix(&inside(at, ""))
}

/// Reads a field or an archive at `at`; an error if it denies unknown members and there are any.
fn read_at<T: ArchiveField, R: Read + Seek>(from: &Reader<R>, at: &str) -> Result<T> {
    if T::__NPY_DENY_UNKNOWN {
        let own = names_below(from, at);
        let unknown: Vec<_> = own.filter(|member| !T::__npy_takes(member, at, None)).collect();
        if !unknown.is_empty() {
            let remedy = "add them to the struct (a field that is a struct or map has members \"field/…\"), or drop #[npy(deny_unknown_fields)] to have such members skipped";
            let error = wanted_by::<T>(unknown_members(&unknown, remedy)).into();
            return Err(from.in_file(error));
        }
    }
    // Adds the name of this type to an error that has no type name yet.
    T::__npy_read(from, at, None).map_err(|error| error.map_kind(wanted_by::<T>))
}

fn unknown_members(names: &[&str], remedy: &'static str) -> ErrorKind {
    let names = name::quoted(names.iter().copied());
    ErrorKind::UnknownMembers { names, wanted_by: String::new(), remedy }
}

/// Adds the attributes that help if a member is missing.
fn with_remedy(mut kind: ErrorKind) -> ErrorKind {
    if let ErrorKind::MissingMember { members, .. } = &mut kind {
        members.push_str("; name the field as in the archive with #[npy(rename = \"…\")], or use #[npy(default)] if the member may be missing");
    }
    kind
}

/// Names the type that denies unknown members, unless one is named already.
fn wanted_by<T>(mut kind: ErrorKind) -> ErrorKind {
    if let ErrorKind::UnknownMembers { wanted_by, .. } = &mut kind
        && wanted_by.is_empty()
    {
        *wanted_by = type_name::<T>();
    }
    kind
}
