//! One field of every record, where it lies.

use std::fmt;
use std::marker::PhantomData;

use crate::element::block::{self, Buffers};
use crate::error::{Error, Result};
use crate::header::Header;
use crate::limits::Limits;
use crate::plan::{self, Cast, Path, Plan};
use crate::reserve;
use crate::view::ZeroCopy;

/// One field of every record of a map: values that lie apart, decoded as they are asked for.
///
/// ```
/// use npy_core::{MapAny, NpyRecord, WriteNpy};
///
/// #[derive(NpyRecord)]
/// struct Pick {
///     station: u8,
///     time: f64,
/// }
///
/// # let dir = std::env::temp_dir().join(format!("npy-core-doc-column-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// # let path = dir.join("x.npy");
/// [Pick { station: 7, time: 1.5 }, Pick { station: 9, time: 2.5 }].write_npy(&path)?;
/// // SAFETY: the file is ours alone.
/// let map = unsafe { MapAny::open(&path)? };
/// let times = map.column::<f64>("time")?;
/// assert_eq!(times.get(1), Some(2.5));
/// assert_eq!(times.iter().sum::<f64>(), 4.0);
/// # drop(map);
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct Column<'a, F> {
    /// The records.
    data: &'a [u8],
    len: usize,
    stride: usize,
    /// Where the field lies in each of them.
    offset: usize,
    /// From the field to canonical bytes.
    plan: Plan,
    of: PhantomData<F>,
}

impl<'a, F: ZeroCopy> Column<'a, F> {
    pub(super) fn new(header: &Header, data: &'a [u8], path: &str) -> Result<Self> {
        let record = header.dtype();
        let fields = record.fields();
        let name = || block::type_name::<F>();
        let Some((field, offset)) = plan::field_at(fields, path) else {
            return Err(plan::missing(path, fields).wanted_by(&name()));
        };
        let plan = block::reading::<F>(field, Cast::Exact);
        let plan = plan.map_err(|error: Error| error.in_field(path))?;
        let (stride, len) = (record.itemsize(), header.count());
        Ok(Column { data, len, stride, offset, plan, of: PhantomData })
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value in the record at this position in the file; `None` behind the last.
    pub fn get(&self, index: usize) -> Option<F> {
        (index < self.len).then(|| self.value(index, &mut Buffers::default()))
    }

    /// The values in the order of the file.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = F> {
        let mut buffers = Buffers::default();
        (0..self.len).map(move |index| self.value(index, &mut buffers))
    }

    /// The values in the order of the file, in a list.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) if there is no room for it.
    pub fn to_vec(&self) -> Result<Vec<F>> {
        if self.stride == 0 {
            Limits::default().check_empty_items(self.len, size_of::<F>())?;
        }
        let mut values = Vec::new();
        reserve::exact(&mut values, self.len)?;
        let records = self.data.chunks_exact(self.stride.max(1));
        match self.plan.path {
            // The loop that one would write by hand.
            Path::Exact if self.stride > 0 => {
                let end = self.offset.saturating_add(F::SIZE);
                let field =
                    |record: &[u8]| F::decode(record.get(self.offset..end).unwrap_or_default());
                values.extend(records.map(field));
            }
            _ => values.extend(self.iter()),
        }
        Ok(values)
    }

    /// The value in the record of this index, which there is.
    fn value(&self, index: usize, buffers: &mut Buffers) -> F {
        let start = index.saturating_mul(self.stride).saturating_add(self.offset);
        let end = start.saturating_add(self.plan.from_size);
        let field = self.data.get(start..end).unwrap_or_default();
        if let Path::Exact = self.plan.path {
            return F::decode(field);
        }
        buffers.block.clear();
        buffers.block.extend_from_slice(field);
        // Any bytes are a value of a `ZeroCopy` type: there is nothing to check.
        F::decode(buffers.run(&self.plan, 1))
    }
}

impl<F: ZeroCopy + fmt::Debug> fmt::Debug for Column<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
