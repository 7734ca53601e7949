//! The members of an archive.

use npy_core::{Limits, ReadNpy, Reader, npz};

use crate::describe;
use crate::file::{Part, ReadAt, hull};
use crate::json::{Json, object};
use crate::objects;
use crate::{Failure, Result};

type Archive<F> = npz::Reader<Part<F>>;

/// An archive, and the member of it that is read.
pub(crate) struct Members<F> {
    archive: Archive<F>,
    /// The member, as an array of one dimension.
    open: Option<Reader<npz::Member<Part<F>>>>,
}

impl<F: ReadAt + Clone> Members<F> {
    pub(crate) fn new(file: F) -> Result<Self> {
        let mut options = npz::ReadOptions::new();
        options.limits(limits());
        Ok(Members { archive: options.reader(Part::all(file))?, open: None })
    }

    pub(crate) fn names(&self) -> Json {
        Json::from(self.archive.names().map(Json::from).collect::<Vec<_>>())
    }

    /// Opens a member, and says what its header says and how it is stored.
    pub(crate) fn open(&mut self, name: &str) -> Result<Json> {
        self.open = None;
        let reader = self.archive.member(name)?;
        let mut json = describe::header(reader.header(), 0);
        match self.archive.stored_range(name)? {
            Some(range) => {
                let data = range.start.saturating_add(reader.data_offset());
                json.insert("stored", vec![data, range.end]);
            }
            None => json.insert("seekable", self.archive.is_seekable(name)?),
        }
        if !reader.header().dtype().has_object() {
            self.open = Some(reader.flatten()?);
        }
        Ok(json)
    }

    /// Returns the range of the file that has these rows; `null` if the member has no index.
    pub(crate) fn chunks(&self, name: &str, from: usize, to: usize) -> Result<Json> {
        let Some(chunks) = self.archive.chunks(name)? else { return Ok(Json::Null) };
        let parts = chunks.of_rows(from..to)?;
        let range = hull(parts.iter().map(npz::Chunk::range));
        Ok(range.map_or(Json::Null, |range| vec![range.start, range.end].into()))
    }

    /// Moves to an element of the member that is open.
    pub(crate) fn seek(&mut self, element: usize) -> Result<Json> {
        self.reader()?.seek_to(element)?;
        Ok(Json::Null)
    }

    /// Returns the next elements, as they are in the file.
    pub(crate) fn next(&mut self, count: usize) -> Result<Vec<u8>> {
        Ok(self.reader()?.read_dyn_chunk(count)?.into_bytes())
    }

    /// Returns all bytes of a member, which need not be an array.
    pub(crate) fn raw(&self, name: &str) -> Result<Vec<u8>> {
        Ok(self.archive.read_bytes(name)?)
    }

    pub(crate) fn objects(&self, name: &str) -> Result<String> {
        let found = npy_core::Objects::read_npy_array(&mut self.archive.member(name)?)?;
        Ok(objects::to_json(&found)?)
    }

    fn reader(&mut self) -> Result<&mut Reader<npz::Member<Part<F>>>> {
        self.open.as_mut().ok_or(Failure::Call("no member is open"))
    }
}

/// The limits: only pickles are read into the memory of the module at once.
pub(crate) fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.array_bytes = Some(objects::MAX_PICKLE);
    limits
}

/// An archive that is written.
pub(crate) struct NewArchive(npz::Writer<std::io::Cursor<Vec<u8>>>);

impl NewArchive {
    pub(crate) fn new(is_compressed: bool) -> Result<Self> {
        let mut options = npz::WriteOptions::new();
        if is_compressed {
            options.deflate(6);
        }
        Ok(NewArchive(options.writer(std::io::Cursor::new(Vec::new()))?))
    }

    /// Adds a member, given as a `.npy` file.
    pub(crate) fn add(&mut self, name: &str, file: &[u8]) -> Result<Json> {
        let (header, offset) = npy_core::Header::parse(file)?;
        if header.dtype().has_object() {
            self.0.write(name, &npy_core::Objects::read_npy_from(file)?)?;
        } else {
            let data = file.get(offset..).unwrap_or_default();
            let dtype = header.dtype().clone();
            let view = npy_core::DynView::new(dtype, header.shape(), header.order(), data)?;
            self.0.write(name, &view)?;
        }
        Ok(object([]))
    }

    pub(crate) fn finish(self) -> Result<Vec<u8>> {
        Ok(self.0.finish()?.into_inner())
    }
}
