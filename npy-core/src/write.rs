//! Layer 6: everything that writes.

mod behind;
pub(crate) mod failure;
mod gather;
pub(crate) mod lock;
pub(crate) mod replace;
mod stream;
mod text;
mod values;

use std::io::Write;
use std::path::Path;
use std::slice;

use crate::dtype::{ByteOrder, DType};
use crate::dynamic::DynArray;
use crate::element::block::{self, BLOCK, Buffers, Pending};
use crate::element::parts;
use crate::element::{Element, InvalidValue};
use crate::error::{Error, Result};
use crate::header::{Header, Version};
use crate::plan::{self, Cast, Plan};
use crate::shape::{self, Order};
use behind::Behind;
#[cfg(feature = "npz")]
pub(crate) use stream::APPENDS;
pub use stream::Writer;

/// What can be written to a `.npy` file in one call.
///
/// Slices, `Vec`s and arrays of an [`Element`] make one dimension, [`NpyArray`](crate::NpyArray) and
/// [`DynArray`](crate::DynArray) the one they have, `bool`, numbers, `FixedStr<N>`, times and their like a single item
/// (0-d). An element that is a sub-array (`[f32; 3]`) makes further dimensions at the end.
///
/// Lists of `String`, `&str`, `Vec<u8>` and `&[u8]` are written as `<UN` and `|SN`; the longest decides how wide.
///
/// What is written is byte for byte what `np.save` writes for the same array; padding is zeros.
pub trait WriteNpy {
    /// Writes a file: a temporary one in the same directory first, which then replaces the one that is there.
    ///
    /// The file is complete or it is as it was, also if the program is killed at any moment. A loss of power may lose it:
    /// [`WriteOptions::sync`] is for that. On Linux the temporary file has no name while it is written, so that nothing of it is left
    /// if the program is killed; on other systems, and on file systems without such files (NFS), a file `.npy-….tmp` is left then.
    ///
    /// Symbolic links are followed, also one that leads to no file yet. In a directory with the sticky bit that everybody may write to,
    /// like `/tmp`, a link is followed only if it belongs to this user or to the owner of the directory: the rule of Linux
    /// (`fs.protected_symlinks`), which holds here on every Unix and whatever that setting is.
    ///
    /// A file that is replaced is a new one: it belongs to this user, and other hard links lead to the old one. It keeps
    /// the permissions and the group of the old one. If this user may not give it that group, its new group may do only what
    /// everybody may. Set-user-ID and set-group-ID bits are not kept. On Linux POSIX ACLs and extended attributes of users (`user.*`)
    /// are kept; other attributes are not.
    ///
    /// A pipe or a device is written to directly. So is an open file of a process (`/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`): the
    /// array comes after all that the file holds.
    ///
    /// ```
    /// use npy_core::WriteNpy;
    ///
    /// # let dir = std::env::temp_dir().join(format!("npy-core-doc-write-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir)?;
    /// # let path = dir.join("x.npy");
    /// [1.0, 2.0, 3.0].write_npy(&path)?;
    /// assert_eq!(std::fs::metadata(&path)?.len(), 128 + 3 * 8);
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io), and [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue) for a
    /// value that its dtype cannot hold.
    fn write_npy<P: AsRef<Path>>(&self, path: P) -> Result<()> {
        WriteOptions::new().write(path, self)
    }

    /// Writes the array to a writer, and does not flush it.
    ///
    /// # Errors
    ///
    /// As [`WriteNpy::write_npy`].
    fn write_npy_to<W: Write>(&self, writer: W) -> Result<()> {
        WriteOptions::new().write_to(writer, self)
    }

    /// Writes header and data.
    #[doc(hidden)]
    fn put(&self, options: &WriteOptions, writer: &mut dyn Write) -> Result<()>;
}

/// How to write.
///
/// ```
/// use npy_core::{ByteOrder, Header, Order, Version, WriteOptions};
///
/// let mut file = Vec::new();
/// WriteOptions::new().byte_order(ByteOrder::Big).version(Version::V2).write_to(&mut file, &[1.0, 2.0])?;
///
/// let (header, _) = Header::parse(&file)?;
/// assert_eq!(header.dtype().to_string(), ">f8");
/// assert_eq!(header.version(), Version::V2);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    version: Option<Version>,
    byte_order: Option<ByteOrder>,
    order: Option<Order>,
    threads: usize,
    sync: bool,
    /// Whether the writer takes many slices at a call.
    gathers: bool,
}

impl WriteOptions {
    /// What `np.save` does on the usual machine: little-endian, the oldest version that fits, the order of the array.
    pub fn new() -> Self {
        WriteOptions::default()
    }

    /// The version of the format; by default the oldest that fits.
    pub fn version(&mut self, version: Version) -> &mut Self {
        self.version = Some(version);
        self
    }

    /// The byte order of numbers. Types that state one of their own (`#[npy(endian = "…")]`) keep it; a
    /// [`DynArray`] is turned as a whole.
    pub fn byte_order(&mut self, order: ByteOrder) -> &mut Self {
        self.byte_order = Some(order);
        self
    }

    /// The order of the items; by default the one they have.
    pub fn order(&mut self, order: Order) -> &mut Self {
        self.order = Some(order);
        self
    }

    /// How many threads may work on one write; one by default.
    ///
    /// A second one writes to the file while this one encodes, where that is more than a few MiB. More than two are of no use for
    /// one file.
    pub fn threads(&mut self, threads: usize) -> &mut Self {
        self.threads = threads;
        self
    }

    /// Whether a file that is written survives a loss of power; it need not by default, which is much faster.
    ///
    /// With it, [`write`](Self::write) returns once the disk has the file and its name: a loss of power before that leaves the old
    /// file, and one after it the new file. Of a writer that [`create`](Self::create) makes, `finish` returns once the disk has all
    /// items; what [`Writer::sync`] wrote is there before. On systems other than Unix only the file is waited for, and not its name.
    ///
    /// Other writers ([`write_to`](Self::write_to), [`writer`](Self::writer)) are the caller's to sync.
    ///
    /// ```
    /// use npy_core::{ReadNpy, WriteOptions};
    ///
    /// # let dir = std::env::temp_dir().join(format!("npy-core-doc-sync-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir)?;
    /// # let path = dir.join("x.npy");
    /// WriteOptions::new().sync(true).write(&path, &[1.5, 2.5])?;
    /// assert_eq!(Vec::<f64>::read_npy(&path)?, [1.5, 2.5]);
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn sync(&mut self, sync: bool) -> &mut Self {
        self.sync = sync;
        self
    }

    /// Writes a file; see [`WriteNpy::write_npy`].
    ///
    /// # Errors
    ///
    /// As [`WriteNpy::write_npy`].
    pub fn write<A: WriteNpy + ?Sized>(&self, path: impl AsRef<Path>, array: &A) -> Result<()> {
        let path = path.as_ref();
        let replaced = replace::replace(path, self.sync, &mut |file| match self.threads {
            0 | 1 => {
                // Elsewhere a call takes one slice, or not so many bytes.
                let gathers = cfg!(target_os = "linux");
                array.put(&WriteOptions { gathers, ..self.clone() }, file)
            }
            _ => {
                let mut behind = Behind::new(file.try_clone()?);
                let put = array.put(self, &mut behind);
                // Also after a failure: nothing is written any more once this returns.
                let finished = behind.finish();
                put.and(finished.map_err(Error::from))
            }
        });
        replaced.map(drop).map_err(|e| e.in_file(path))
    }

    /// Writes to a writer; see [`WriteNpy::write_npy_to`].
    ///
    /// # Errors
    ///
    /// As [`WriteNpy::write_npy`].
    pub fn write_to<A: WriteNpy + ?Sized>(&self, mut writer: impl Write, array: &A) -> Result<()> {
        array.put(self, &mut writer)
    }

    fn header(&self, dtype: DType, shape: &[usize], order: Order) -> Result<Vec<u8>> {
        let header = Header::new(dtype, shape, order)?;
        header.without_objects()?;
        match self.version {
            Some(version) => header.to_bytes_in(version),
            None => header.to_bytes(),
        }
    }

    /// The dtype of an item of `T`.
    #[cfg(feature = "npz")]
    pub(crate) fn item<T: Element>(&self) -> DType {
        T::dtype_in(self.byte_order.unwrap_or(ByteOrder::Little))
    }

    /// The same, but for arrays whose bytes have their order already.
    #[cfg(feature = "npz")]
    pub(crate) fn as_they_lie(&self) -> Self {
        WriteOptions { byte_order: None, ..self.clone() }
    }

    /// Writes items of the dtype that [`item`](Self::item) gives, without a header. Each write has whole items.
    #[cfg(feature = "npz")]
    pub(crate) fn put_bytes<T: Element>(&self, items: &[T], writer: &mut dyn Write) -> Result<()> {
        let plan = Plan::new(&block::canonical::<T>()?.dtype, &self.item::<T>(), Cast::Exact)?;
        self.put_items(plan, items.len(), list(items).in_order(Order::C, &[]), writer)
    }

    /// Writes an array of this shape: in the order of its elements in memory, or in C order, if the options state none.
    pub(crate) fn put_array<'t, T: Element + 't, I: Iterator<Item = &'t T>>(
        &self,
        shape: &[usize],
        elements: Elements<'t, T, impl FnOnce(Order) -> I>,
        writer: &mut dyn Write,
    ) -> Result<()> {
        let in_memory = elements.contiguous.map_or(Order::C, |(_, order)| order);
        let order = self.order.unwrap_or(in_memory);
        let count = shape::count(shape)?;
        let layout = self.layout::<T>(shape)?;
        let items = |order| elements.in_order(order, shape);
        if layout.is_scattered(order) {
            // The parts of an element stand together here, and far apart there.
            let mut bytes = Vec::new();
            self.put_items(layout.plan, count, items(Order::C), &mut bytes)?;
            let array = DynArray::new(layout.dtype, layout.shape, Order::C, bytes)?;
            // The bytes have their order already, also that which a type states for itself.
            let whole = WriteOptions { order: Some(order), byte_order: None, ..self.clone() };
            return whole.put_dyn(&array, writer);
        }
        writer.write_all(&self.header(layout.dtype, &layout.shape, order)?)?;
        self.put_items(layout.plan, count, items(order), writer)
    }

    /// How items of `T` make an array of this shape.
    fn layout<T: Element>(&self, shape: &[usize]) -> Result<Layout> {
        let item = T::dtype_in(self.byte_order.unwrap_or(ByteOrder::Little));
        let plan = Plan::new(&block::canonical::<T>()?.dtype, &item, Cast::Exact)?;
        let (base, inner) = plan::flatten(&item);
        Ok(Layout {
            plan,
            dtype: base.clone(),
            shape: [shape, &inner].concat(),
            inner: inner.len(),
        })
    }

    /// Writes `count` items of `T`.
    fn put_items<'t, T: Element + 't>(
        &self,
        plan: Plan,
        count: usize,
        items: Items<'t, T, impl Iterator<Item = &'t T>>,
        writer: &mut dyn Write,
    ) -> Result<()> {
        match items {
            Items::Slice(items) => match as_they_lie(&plan, items) {
                Some(bytes) => Ok(writer.write_all(bytes)?),
                None if const { parts::most_lies::<T>() } && self.gathers && plan.is_exact() => {
                    gather::put(items, writer)
                }
                None => self.put_each(plan, count, items.iter(), writer),
            },
            Items::Each(items) => self.put_each(plan, count, items, writer),
        }
    }

    /// Encodes `count` items of `T` block by block.
    fn put_each<'t, T: Element + 't>(
        &self,
        plan: Plan,
        count: usize,
        mut items: impl Iterator<Item = &'t T>,
        writer: &mut dyn Write,
    ) -> Result<()> {
        let block = if self.threads > 1 || !plan.is_exact() { BLOCK } else { block::WRITTEN };
        let mut pending = Pending::<T>::new(plan, block, count);
        let mut first = 0usize;
        while first < count {
            let room = pending.room(count);
            pending.fill(room, items.by_ref()).map_err(|error| block::invalid(&error, first))?;
            writer.write_all(pending.take())?;
            first = first.saturating_add(room);
            pending.open(count.saturating_sub(first));
        }
        Ok(())
    }

    /// Writes an array as it is, but for what the options say.
    fn put_dyn(&self, array: &DynArray, writer: &mut dyn Write) -> Result<()> {
        let shape = array.shape();
        let order = self.order.unwrap_or(array.order());
        let dtype = match self.byte_order {
            Some(order) => array.dtype().with_byte_order(order),
            None => array.dtype().clone(),
        };
        let plan = Plan::new(array.dtype(), &dtype, Cast::Exact)?;
        writer.write_all(&self.header(dtype, shape, order)?)?;
        let same_order = order.normalized(shape) == array.order().normalized(shape);
        if same_order && plan.is_exact() || array.as_bytes().is_empty() {
            writer.write_all(array.as_bytes())?;
            return Ok(());
        }
        let mut items = array.items_in(order);
        put_blocks(
            &plan,
            shape::count(shape)?,
            |n, buffers| {
                buffers.block.clear();
                items.by_ref().take(n).for_each(|item| buffers.block.extend_from_slice(item));
                Ok(buffers.run(&plan, n))
            },
            writer,
        )
    }
}

/// How items of a Rust type make an array.
struct Layout {
    plan: Plan,
    /// What an item of the array is: never a sub-array.
    dtype: DType,
    /// All dimensions; those of the Rust type are the last ones.
    shape: Vec<usize>,
    /// How many are of the Rust type.
    inner: usize,
}

impl Layout {
    /// Whether the parts of a value of the Rust type do not stand together in this order.
    fn is_scattered(&self, order: Order) -> bool {
        self.inner > 0 && order.normalized(&self.shape) == Order::Fortran
    }
}

/// The elements of an array to be written, together with the order that they have in memory.
pub(crate) struct Elements<'t, T, F> {
    /// All of them contiguous in memory, and in which order, if they are.
    pub(crate) contiguous: Option<(&'t [T], Order)>,
    /// One by one in the order that is asked for.
    pub(crate) each: F,
}

/// A list, which is the same in both orders.
pub(crate) fn list<'t, T>(
    items: &'t [T],
) -> Elements<'t, T, impl FnOnce(Order) -> slice::Iter<'t, T>> {
    Elements { contiguous: Some((items, Order::C)), each: |_| items.iter() }
}

impl<'t, T, I, F: FnOnce(Order) -> I> Elements<'t, T, F> {
    /// The elements in this order: the slice only if it is in this order too.
    fn in_order(self, order: Order, shape: &[usize]) -> Items<'t, T, I> {
        match self.contiguous {
            Some((items, found)) if found.normalized(shape) == order.normalized(shape) => {
                Items::Slice(items)
            }
            _ => Items::Each((self.each)(order)),
        }
    }
}

/// Items in the order in which they are written.
enum Items<'t, T, I> {
    /// Contiguous in memory.
    Slice(&'t [T]),
    Each(I),
}

/// Where it takes longer to encode items than to find out that they need not be. What a fuzzer makes is small.
const LARGE: usize = if cfg!(fuzzing) { 16 } else { BLOCK };

/// The bytes of many items, if they need not be encoded.
fn as_they_lie<'t, T: Element>(plan: &Plan, items: &'t [T]) -> Option<&'t [u8]> {
    let large = plan.is_exact() && size_of_val(items) >= LARGE;
    Some(large.then(T::__plain)??.bytes(items))
}

/// Writes `count` items, of which `encode` gives the next so many as bytes.
fn put_blocks(
    plan: &Plan,
    count: usize,
    mut encode: impl for<'b> FnMut(usize, &'b mut Buffers) -> Result<&'b [u8], InvalidValue>,
    writer: &mut dyn Write,
) -> Result<()> {
    let mut buffers = Buffers::default();
    let mut first = 0usize;
    while first < count {
        let n = count.saturating_sub(first).min(block::items_per_block(plan));
        let bytes = encode(n, &mut buffers).map_err(|error| block::invalid(&error, first))?;
        writer.write_all(bytes)?;
        first = first.saturating_add(n);
    }
    Ok(())
}
