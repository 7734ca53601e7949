//! NumPy's dtypes: the type of an array's elements, with names, offsets and byte orders.
//!
//! A [`DType`] is a scalar, a sub-array, or a record whose fields have offsets. It can be parsed from text ([`str::parse`]), or taken from
//! a [`Header`](crate::Header) or a Rust type ([`Element::dtype`](crate::Element::dtype)).

mod build;
pub(crate) mod descr;
pub(crate) mod difference;
mod excerpt;
mod leaves;
mod names;
pub(crate) mod part;
mod print;
pub(crate) mod reads_back;
pub(crate) mod rust_type;
mod scalar;

use std::fmt;
use std::sync::Arc;

pub use build::FieldBuilder;
#[cfg(feature = "objects")]
pub(crate) use build::sub_array;
pub use leaves::{Leaf, Leaves};
pub use part::Part;
pub(crate) use scalar::UNITS;
pub use scalar::{Resolution, Scalar, ScalarKind, Unit};

use crate::checked;
use crate::literal::text::Text;

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The least significant byte first: `<`.
    Little,
    /// The most significant byte first: `>`.
    Big,
}

impl ByteOrder {
    /// The byte order of this machine: `=`.
    pub const NATIVE: ByteOrder =
        if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };
}

/// The type of one element of an array: NumPy's `dtype`.
///
/// It parses and prints the `descr` that NumPy writes into files (see NEP 1 and NumPy's `dtype.descr`), for a scalar without the quotes:
///
/// ```
/// use npy_core::DType;
///
/// let number: DType = "<f8".parse()?;
/// assert_eq!(number.itemsize(), 8);
///
/// // How NumPy writes `np.dtype([('a', 'u1'), ('b', '<f8')], align=True)` to a file.
/// let record: DType = "[('a', '|u1'), ('', '|V7'), ('b', '<f8')]".parse()?;
/// assert_eq!(record.itemsize(), 16);
/// assert_eq!(record.field("b").map(|field| field.offset()), Some(8));
/// assert_eq!(record.to_string(), "[('a', '|u1'), ('', '|V7'), ('b', '<f8')]");
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Two dtypes are equal if NumPy writes the same text for them: names, titles, offsets and byte orders must agree.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct DType(Kind);

/// The three kinds of dtype.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Scalar(Scalar),
    SubArray(Arc<SubArray>),
    Record(Arc<Record>),
}

/// A contiguous array of `base`, in C order. `base` may be a sub-array, too.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct SubArray {
    pub(crate) base: DType,
    pub(crate) shape: Vec<usize>,
    itemsize: usize,
    inside: Inside,
}

/// Fields in the order of their offsets, without overlap. All other bytes are padding.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Record {
    pub(crate) fields: Vec<Field>,
    itemsize: usize,
    inside: Inside,
}

/// Summary of everything inside a dtype. It is stored, because a shared part would otherwise be visited once per use.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Inside {
    /// The number of fields, those of nested records included. It saturates, far beyond every limit.
    fields: usize,
    has_scalars: bool,
}

/// One field of a record.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Field {
    name: Text,
    // Boxed because few fields have a title.
    title: Option<Box<Text>>,
    dtype: DType,
    offset: usize,
}

impl Field {
    /// Creates a field whose place is known to be valid.
    pub(crate) fn of(name: &str, title: Option<&str>, offset: usize, dtype: DType) -> Self {
        Field {
            name: Text::new(name),
            title: title.map(|title| Box::new(Text::new(title))),
            dtype,
            offset,
        }
    }

    /// Returns the same field with its offset increased by `by` bytes.
    pub(crate) fn moved(&self, by: usize) -> Self {
        Field { offset: checked::add(self.offset, by), ..self.clone() }
    }

    /// Returns the name. U+FFFD replaces a lone surrogate, which a Rust string cannot hold.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = "[('time', '<i8'), ('gain', '<f4', (2,))]".parse()?;
    /// assert_eq!(dtype.fields()[0].name(), "time");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Returns the title, a second and longer name. A title that is not a string is shown as Python source.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = "[(('gain in dB', 'gain'), '<f4')]".parse()?;
    /// assert_eq!(dtype.fields()[0].title(), Some("gain in dB"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref().map(Text::as_str)
    }

    /// Returns the dtype of the field.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = "[('time', '<i8'), ('gain', '<f4', (2,))]".parse()?;
    /// assert_eq!(dtype.fields()[0].dtype().to_string(), "<i8");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Returns the offset of the field in its record, in bytes.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = "[('time', '<i8'), ('gain', '<f4', (2,))]".parse()?;
    /// assert_eq!(dtype.fields()[1].offset(), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the offset of the first byte after the field.
    pub(crate) fn end(&self) -> usize {
        checked::add(self.offset, self.dtype.itemsize())
    }

    /// Returns true if [`name`](Self::name) returns the exact Python string: it has no lone surrogate.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = r"[('gain', '<f4'), ('\ud800', '<f4')]".parse()?;
    /// assert!(dtype.fields()[0].has_exact_name());
    /// assert!(!dtype.fields()[1].has_exact_name());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn has_exact_name(&self) -> bool {
        self.name.is_exact()
    }

    /// Returns true if [`title`](Self::title) returns the exact Python value: there is no title, or it is a string without a lone surrogate.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = "[(('gain in dB', 'gain'), '<f4'), ((5, 'n'), '<i4')]".parse()?;
    /// assert!(dtype.fields()[0].has_exact_title());
    /// assert!(!dtype.fields()[1].has_exact_title());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn has_exact_title(&self) -> bool {
        self.title.as_deref().is_none_or(Text::is_exact)
    }

    /// Returns the exact name, for comparison.
    pub(crate) fn exact_name(&self) -> &Text {
        &self.name
    }
}

impl DType {
    /// Returns the size of one element in bytes, with padding.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = "[('time', '<i8'), ('gain', '<f4', (2,))]".parse()?;
    /// assert_eq!(dtype.itemsize(), 16);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn itemsize(&self) -> usize {
        match &self.0 {
            Kind::Scalar(scalar) => scalar.itemsize(),
            Kind::SubArray(sub) => sub.itemsize,
            Kind::Record(record) => record.itemsize,
        }
    }

    /// Returns the fields of a record in the order of their offsets; an empty slice for any other dtype.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = "[('time', '<i8'), ('gain', '<f4', (2,))]".parse()?;
    /// let names: Vec<_> = dtype.fields().iter().map(|field| field.name()).collect();
    /// assert_eq!(names, ["time", "gain"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fields(&self) -> &[Field] {
        match &self.0 {
            Kind::Record(record) => &record.fields,
            _ => &[],
        }
    }

    /// Returns the field of this name, if there is one.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = "[('time', '<i8'), ('gain', '<f4', (2,))]".parse()?;
    /// assert!(dtype.field("gain").is_some());
    /// assert!(dtype.field("station").is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields().iter().find(|field| field.name() == name)
    }

    /// Returns true for a record, even for one without fields.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = "[('time', '<i8'), ('gain', '<f4', (2,))]".parse()?;
    /// assert!(dtype.is_record());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_record(&self) -> bool {
        matches!(self.0, Kind::Record(_))
    }

    /// Returns the scalar; `None` for a sub-array or a record.
    ///
    /// ```
    /// use npy_core::DType;
    /// use npy_core::dtype::ScalarKind;
    ///
    /// let dtype: DType = ">f8".parse()?;
    /// let scalar = dtype.scalar().unwrap();
    /// assert_eq!(scalar.kind(), ScalarKind::Float);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn scalar(&self) -> Option<&Scalar> {
        match &self.0 {
            Kind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Returns the base and the shape of a sub-array; `None` for any other dtype. The base may be a sub-array, too.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = "[('time', '<i8'), ('gain', '<f4', (2,))]".parse()?;
    /// let gain = dtype.fields()[1].dtype();
    /// let (base, shape) = gain.sub_array().unwrap();
    /// assert_eq!((base.to_string().as_str(), shape), ("<f4", &[2][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sub_array(&self) -> Option<(&DType, &[usize])> {
        match &self.0 {
            Kind::SubArray(sub) => Some((&sub.base, &sub.shape)),
            _ => None,
        }
    }

    /// Returns true if the dtype is or contains a Python object. NumPy stores the data of such an array as a pickle.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = "[('name', 'O'), ('gain', '<f4')]".parse()?;
    /// assert!(dtype.has_object());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn has_object(&self) -> bool {
        !self.all_scalars(&|scalar| scalar.kind() != ScalarKind::Object)
    }

    /// Returns the paths of the first twelve fields that are Python objects: `name`, `head.name`.
    pub(crate) fn object_fields(&self) -> Vec<String> {
        const SHOWN: usize = 12;
        let mut paths = Vec::new();
        for field in self.fields().iter().filter(|field| field.dtype.has_object()) {
            let inner = field.dtype.sub_array().map_or(&field.dtype, |(base, _)| base);
            let within = inner.object_fields();
            if within.is_empty() {
                paths.push(field.name().to_owned());
            }
            paths.extend(within.iter().map(|path| format!("{}.{path}", field.name())));
            if paths.len() >= SHOWN {
                break;
            }
        }
        paths.truncate(SHOWN);
        paths
    }

    /// Returns true if the test is true for each scalar in the dtype.
    fn all_scalars(&self, test: &dyn Fn(Scalar) -> bool) -> bool {
        match &self.0 {
            Kind::Scalar(scalar) => test(*scalar),
            Kind::SubArray(sub) => sub.base.all_scalars(test),
            Kind::Record(record) => record.fields.iter().all(|f| f.dtype.all_scalars(test)),
        }
    }

    /// Returns the same dtype with all numbers, times and `U` text in this byte order, like NumPy's `newbyteorder`.
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
        if self.all_scalars(&|scalar| scalar.with_byte_order(order) == scalar) {
            return self.clone();
        }
        self.with_scalars(&|scalar| scalar.with_byte_order(order))
    }

    /// Returns the same dtype with other scalars, which have the same sizes.
    pub(crate) fn with_scalars(&self, other: &dyn Fn(Scalar) -> Scalar) -> DType {
        match &self.0 {
            Kind::Scalar(scalar) => other(*scalar).into(),
            Kind::SubArray(sub) => {
                DType::of_base(sub.base.with_scalars(other), sub.shape.clone(), sub.itemsize)
            }
            Kind::Record(record) => {
                let fields = record
                    .fields
                    .iter()
                    .map(|field| Field { dtype: field.dtype.with_scalars(other), ..field.clone() });
                DType::of_fields(fields.collect(), record.itemsize)
            }
        }
    }

    /// Returns the same dtype without padding, also in nested records: NumPy's `repack_fields(…, recurse=True)`.
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
                match base.kind() {
                    // NumPy loads no sub-array of a sub-array without bytes, but one with all dimensions.
                    Kind::SubArray(inner)
                        if inner.itemsize == 0
                            && checked::add(sub.shape.len(), inner.shape.len())
                                <= crate::limits::MAX_NDIM =>
                    {
                        let shape = [&sub.shape[..], &inner.shape].concat();
                        DType::of_base(inner.base.clone(), shape, 0)
                    }
                    _ => {
                        // Zero if a base element has no bytes.
                        let count = sub.itemsize.checked_div(sub.base.itemsize()).unwrap_or(0);
                        let itemsize = checked::mul(base.itemsize(), count);
                        DType::of_base(base, sub.shape.clone(), itemsize)
                    }
                }
            }
            Kind::Record(record) => {
                let mut offset = 0usize;
                let fields = record.fields.iter().map(|field| {
                    let packed = Field { dtype: field.dtype.packed(), offset, ..field.clone() };
                    offset = packed.end();
                    packed
                });
                let fields = fields.collect();
                DType::of_fields(fields, offset)
            }
        }
    }

    /// Returns true for raw bytes and sub-arrays, which are `void` in NumPy. Records are `void` in NumPy too, but not here.
    fn is_void(&self) -> bool {
        match self.kind() {
            Kind::Scalar(scalar) => scalar.kind() == ScalarKind::Void,
            Kind::SubArray(_) => true,
            Kind::Record(_) => false,
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

/// Prints a scalar as `<f8`, everything else as its descr literal.
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
