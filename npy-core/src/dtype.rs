//! Layer 2: the type model, a tree with offsets.
//!
//! A [`DType`] is a scalar, a sub-array, or a record whose fields have offsets. It is built by
//! parsing ([`str::parse`]), by reading a [`Header`](crate::Header), or from a Rust type
//! ([`Element::dtype`](crate::Element::dtype)).

pub(crate) mod descr;
pub(crate) mod reads_back;
mod scalar;

use std::fmt;
use std::sync::Arc;

pub use scalar::{Resolution, Scalar, ScalarKind, Unit};

use crate::limits::MAX_ITEMSIZE;
use crate::literal::text::Text;
use crate::shape;

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The lowest byte first: `<`.
    Little,
    /// The highest byte first: `>`.
    Big,
}

impl ByteOrder {
    /// The order of this machine: `=`.
    pub const NATIVE: ByteOrder =
        if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };
}

/// What one item of an array is: NumPy's `dtype`.
///
/// Parsed from what NumPy writes, and printed as it writes it (the source is NEP 1 and NumPy's
/// `dtype.descr`):
///
/// ```
/// use npy_core::DType;
///
/// let number: DType = "<f8".parse()?;
/// assert_eq!(number.itemsize(), 8);
///
/// // What `np.dtype([('a', 'u1'), ('b', '<f8')], align=True)` is in a file.
/// let record: DType = "[('a', '|u1'), ('', '|V7'), ('b', '<f8')]".parse()?;
/// assert_eq!(record.itemsize(), 16);
/// assert_eq!(record.field("b").map(|field| field.offset()), Some(8));
/// assert_eq!(record.to_string(), "[('a', '|u1'), ('', '|V7'), ('b', '<f8')]");
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Two are equal if NumPy writes them alike: names, titles, offsets and byte orders included.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct DType(Kind);

/// The three shapes a dtype has.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Scalar(Scalar),
    SubArray(Arc<SubArray>),
    Record(Arc<Record>),
}

/// `shape` items of `base` side by side, in C order. `base` may be a sub-array again.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct SubArray {
    pub(crate) base: DType,
    pub(crate) shape: Vec<usize>,
    itemsize: usize,
}

/// Fields in the order of their offsets, without overlap; what lies between and after is padding.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Record {
    pub(crate) fields: Vec<Field>,
    itemsize: usize,
    /// Whether one of them holds Python objects.
    has_object: bool,
}

/// One field of a record.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Field {
    name: Text,
    // In a box: few have one.
    title: Option<Box<Text>>,
    dtype: DType,
    offset: usize,
}

impl Field {
    /// A field of these parts.
    pub(crate) fn new(name: &str, title: Option<&str>, offset: usize, dtype: DType) -> Self {
        Field {
            name: Text::new(name),
            title: title.map(|title| Box::new(Text::new(title))),
            dtype,
            offset,
        }
    }

    /// The same so many bytes further on.
    pub(crate) fn moved(&self, by: usize) -> Self {
        Field { offset: self.offset.saturating_add(by), ..self.clone() }
    }

    /// The name. A lone surrogate in it, which Rust's strings cannot hold, shows as U+FFFD.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The title: a second, longer name. One that is no string shows as Python writes it.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref().map(Text::as_str)
    }

    /// What the field holds.
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Bytes before the field in its record.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The offset of the first byte behind the field.
    pub(crate) fn end(&self) -> usize {
        self.offset.saturating_add(self.dtype.itemsize())
    }

    /// The exact name, to compare.
    pub(crate) fn exact_name(&self) -> &Text {
        &self.name
    }
}

impl DType {
    /// Bytes of one item, padding included.
    pub fn itemsize(&self) -> usize {
        match &self.0 {
            Kind::Scalar(scalar) => scalar.itemsize(),
            Kind::SubArray(sub) => sub.itemsize,
            Kind::Record(record) => record.itemsize,
        }
    }

    /// The fields of a record in the order of their offsets; empty for what is no record.
    pub fn fields(&self) -> &[Field] {
        match &self.0 {
            Kind::Record(record) => &record.fields,
            _ => &[],
        }
    }

    /// The field of this name; `None` where there is none.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields().iter().find(|field| field.name() == name)
    }

    /// Whether an item is a record, if maybe one without fields.
    pub fn is_record(&self) -> bool {
        matches!(self.0, Kind::Record(_))
    }

    /// The scalar, if it is one.
    pub fn scalar(&self) -> Option<&Scalar> {
        match &self.0 {
            Kind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Base and shape of a sub-array, if it is one. The base of a sub-array may be a sub-array.
    pub fn sub_array(&self) -> Option<(&DType, &[usize])> {
        match &self.0 {
            Kind::SubArray(sub) => Some((&sub.base, &sub.shape)),
            _ => None,
        }
    }

    /// Whether an item holds Python objects somewhere: its data is a pickle then.
    pub fn has_object(&self) -> bool {
        match &self.0 {
            Kind::Scalar(scalar) => scalar.kind() == ScalarKind::Object,
            Kind::SubArray(sub) => sub.base.has_object(),
            Kind::Record(record) => record.has_object,
        }
    }

    /// The same dtype with every number in this byte order, NumPy's `newbyteorder`.
    ///
    /// ```
    /// use npy_core::{ByteOrder, DType};
    ///
    /// let dtype: DType = "[('a', '<f4', (2,)), ('b', '|u1')]".parse()?;
    /// let big = dtype.with_byte_order(ByteOrder::Big);
    /// assert_eq!(big.to_string(), "[('a', '>f4', (2,)), ('b', '|u1')]");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_byte_order(&self, order: ByteOrder) -> DType {
        if self.has_byte_order(order) {
            return self.clone();
        }
        match &self.0 {
            Kind::Scalar(scalar) => scalar.with_byte_order(order).into(),
            Kind::SubArray(sub) => DType(Kind::SubArray(Arc::new(SubArray {
                base: sub.base.with_byte_order(order),
                shape: sub.shape.clone(),
                itemsize: sub.itemsize,
            }))),
            Kind::Record(record) => {
                let fields = record.fields.iter().map(|field| Field {
                    dtype: field.dtype.with_byte_order(order),
                    ..field.clone()
                });
                DType::from_fields(fields.collect(), record.itemsize)
            }
        }
    }

    /// How many bytes of an item are parts of numbers of more than one byte, or of characters.
    pub(crate) fn ordered_bytes(&self) -> usize {
        match &self.0 {
            Kind::Scalar(scalar) if scalar.swap_unit() > 1 => scalar.itemsize(),
            Kind::Scalar(_) => 0,
            Kind::SubArray(sub) => {
                let items = sub.itemsize.checked_div(sub.base.itemsize()).unwrap_or(0);
                sub.base.ordered_bytes().saturating_mul(items)
            }
            Kind::Record(record) => {
                record.fields.iter().map(|field| field.dtype.ordered_bytes()).sum()
            }
        }
    }

    /// Whether every number has this byte order, or none.
    fn has_byte_order(&self, order: ByteOrder) -> bool {
        match &self.0 {
            Kind::Scalar(scalar) => scalar.with_byte_order(order) == *scalar,
            Kind::SubArray(sub) => sub.base.has_byte_order(order),
            Kind::Record(record) => record.fields.iter().all(|f| f.dtype.has_byte_order(order)),
        }
    }

    /// The same fields without padding, in records of records too: NumPy's `repack_fields`.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let padded: DType = "[('a', '|u1'), ('', '|V7'), ('b', '<f8')]".parse()?;
    /// assert_eq!(padded.packed().to_string(), "[('a', '|u1'), ('b', '<f8')]");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[must_use]
    pub fn packed(&self) -> DType {
        match &self.0 {
            Kind::Scalar(scalar) => (*scalar).into(),
            Kind::SubArray(sub) => {
                let base = sub.base.packed();
                let count = sub.itemsize.checked_div(sub.base.itemsize()).unwrap_or(0);
                let itemsize = base.itemsize().saturating_mul(count);
                DType(Kind::SubArray(Arc::new(SubArray {
                    base,
                    shape: sub.shape.clone(),
                    itemsize,
                })))
            }
            Kind::Record(record) => {
                let mut offset = 0usize;
                let fields = record.fields.iter().map(|field| {
                    let packed = Field { dtype: field.dtype.packed(), offset, ..field.clone() };
                    offset = packed.end();
                    packed
                });
                let fields = fields.collect();
                DType::from_fields(fields, offset)
            }
        }
    }

    /// `n` items of this dtype side by side. A sub-array grows by a dimension at the front.
    ///
    /// For item sizes that the compiler has checked.
    pub(crate) fn repeated(self, n: usize) -> DType {
        let itemsize = self.itemsize().saturating_mul(n);
        let (base, mut shape) = match self.0 {
            Kind::SubArray(sub) => (sub.base.clone(), sub.shape.clone()),
            _ => (self, Vec::new()),
        };
        shape.insert(0, n);
        DType(Kind::SubArray(Arc::new(SubArray { base, shape, itemsize })))
    }

    /// A record of these fields.
    ///
    /// For layouts that were checked: distinct names, ascending offsets, no overlap.
    pub(crate) fn from_fields(fields: Vec<Field>, itemsize: usize) -> DType {
        let has_object = fields.iter().any(|field| field.dtype.has_object());
        DType(Kind::Record(Arc::new(Record { fields, itemsize, has_object })))
    }

    /// A sub-array, if its item size is one that NumPy has.
    fn new_sub_array(base: DType, shape: Vec<usize>) -> Result<DType, String> {
        let itemsize = DType::size_of_sub_array(&base, &shape)?;
        Ok(DType(Kind::SubArray(Arc::new(SubArray { base, shape, itemsize }))))
    }

    /// The item size of a sub-array, if it is one that NumPy has.
    fn size_of_sub_array(base: &DType, shape: &[usize]) -> Result<usize, String> {
        // Also without the zeros in it, as that of an array.
        let itemsize = shape::bytes(shape, base.itemsize()).ok().filter(|&n| n <= MAX_ITEMSIZE);
        itemsize
            .ok_or_else(|| format!("an item is larger than NumPy's limit of {MAX_ITEMSIZE} bytes"))
    }

    /// The number of fields, those of records inside included.
    fn count_fields(&self) -> usize {
        match &self.0 {
            Kind::Scalar(_) => 0,
            Kind::SubArray(sub) => sub.base.count_fields(),
            Kind::Record(record) => {
                let inside = record.fields.iter().map(|field| field.dtype.count_fields());
                inside.fold(record.fields.len(), usize::saturating_add)
            }
        }
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.0
    }
}

impl From<Scalar> for DType {
    fn from(scalar: Scalar) -> Self {
        DType(Kind::Scalar(scalar))
    }
}

/// A scalar as `<f8`, everything else as its descr literal.
impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Scalar(scalar) => write!(f, "{scalar}"),
            _ => f.write_str(&self.descr()),
        }
    }
}

impl fmt::Debug for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DType({})", self.descr())
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut s = f.debug_struct("Field");
        s.field("name", &self.name()).field("dtype", &self.dtype).field("offset", &self.offset);
        if let Some(title) = self.title() {
            s.field("title", &title);
        }
        s.finish()
    }
}
