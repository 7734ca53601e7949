//! Dtypes that a program builds: records of fields, and sub-arrays.

use std::sync::Arc;

use super::{DType, Field, Inside, Kind, Record, SubArray, names, reads_back};
use crate::checked;
use crate::error::{Error, ErrorKind};
use crate::limits::{Limits, MAX_ITEMSIZE, MAX_NDIM};
use crate::literal::text::Text;
use crate::shape;

/// A field for [`DType::from_fields`], made by [`Field::new`].
///
/// ```
/// use npy_core::{DType, Element};
/// use npy_core::dtype::Field;
///
/// let gain = Field::new("gain", f32::dtype()).title("gain in dB").at(8);
/// let record = DType::from_fields([gain], 16)?;
/// assert_eq!(record.descr(), "[('', '|V8'), (('gain in dB', 'gain'), '<f4'), ('', '|V4')]");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldBuilder {
    field: Field,
    has_offset: bool,
}

impl Field {
    /// Starts a field of this name and dtype. Without [`at`](FieldBuilder::at), it begins where the field before it ends.
    ///
    /// ```
    /// use npy_core::{DType, Element};
    /// use npy_core::dtype::Field;
    ///
    /// // np.dtype([("a", "u1"), ("b", "<f8")], align=True)
    /// let fields = [Field::new("a", u8::dtype()), Field::new("b", f64::dtype()).at(8)];
    /// let padded = DType::from_fields(fields, 16)?;
    /// assert_eq!(padded.descr(), "[('a', '|u1'), ('', '|V7'), ('b', '<f8')]");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[expect(
        clippy::new_ret_no_self,
        reason = "`title` of a field returns the title, that of a builder sets it"
    )]
    pub fn new(name: impl AsRef<str>, dtype: DType) -> FieldBuilder {
        FieldBuilder { field: Field::of(name.as_ref(), None, 0, dtype), has_offset: false }
    }
}

impl FieldBuilder {
    /// Sets the offset in the record, in bytes.
    ///
    /// ```
    /// use npy_core::{DType, Element};
    /// use npy_core::dtype::Field;
    ///
    /// let record = DType::from_fields([Field::new("b", u8::dtype()).at(3)], 4)?;
    /// assert_eq!(record.fields()[0].offset(), 3);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[must_use]
    pub fn at(mut self, offset: usize) -> Self {
        (self.field.offset, self.has_offset) = (offset, true);
        self
    }

    /// Sets the title, a second and longer name.
    ///
    /// ```
    /// use npy_core::{DType, Element};
    /// use npy_core::dtype::Field;
    ///
    /// let record = DType::from_fields([Field::new("b", u8::dtype()).title("brightness")], 1)?;
    /// assert_eq!(record.fields()[0].title(), Some("brightness"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[must_use]
    pub fn title(mut self, title: impl AsRef<str>) -> Self {
        self.field.title = Some(Box::new(Text::new(title.as_ref())));
        self
    }
}

/// A field of another dtype, with its name, title and offset.
impl From<Field> for FieldBuilder {
    fn from(field: Field) -> Self {
        FieldBuilder { field, has_offset: true }
    }
}

impl DType {
    /// Builds a record of these fields, in this order and without padding: NumPy's `np.dtype([(name, dtype), …])`. An empty name stays
    /// empty, as `np.load` keeps it; `np.dtype` would replace it by `f0`.
    ///
    /// ```
    /// use npy_core::{DType, Element};
    ///
    /// let record = DType::record([("station", u32::dtype()), ("samples", f32::dtype().array([4])?)])?;
    /// assert_eq!(record.descr(), "[('station', '<u4'), ('samples', '<f4', (4,))]");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::DType`], with the field, for a name that is used twice, and for a record or a nesting that is larger than NumPy allows.
    pub fn record<N: AsRef<str>>(
        fields: impl IntoIterator<Item = (N, DType)>,
    ) -> Result<DType, Error> {
        let fields: Vec<_> =
            fields.into_iter().map(|(name, dtype)| Field::new(name, dtype)).collect();
        let (fields, end) = place(fields)?;
        checked_record(fields, end)
    }

    /// Builds a record of fields with offsets. Bytes between the fields, and up to `itemsize`, are padding.
    ///
    /// Fields are stored in the order of their offsets, as in every file. [`Field`]s of another dtype keep their offsets.
    ///
    /// ```
    /// use npy_core::{DType, Element};
    /// use npy_core::dtype::Field;
    ///
    /// let fields = [Field::new("a", u8::dtype()), Field::new("b", f64::dtype()).at(8)];
    /// let padded = DType::from_fields(fields, 16)?;
    /// assert_eq!((padded.itemsize(), padded.fields()[1].offset()), (16, 8));
    ///
    /// // The same without the first field.
    /// let rest = DType::from_fields(padded.fields()[1..].to_vec(), 16)?;
    /// assert_eq!(rest.descr(), "[('', '|V8'), ('b', '<f8')]");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::DType`], with the field, for fields that overlap, one that ends after `itemsize`, a name that is used twice, and for a
    /// record or a nesting that is larger than NumPy allows.
    pub fn from_fields<F: Into<FieldBuilder>>(
        fields: impl IntoIterator<Item = F>,
        itemsize: usize,
    ) -> Result<DType, Error> {
        let (fields, end) = place(fields.into_iter().map(Into::into).collect())?;
        if let Some(last) = fields.last().filter(|_| end > itemsize) {
            let reason = format!(
                "it ends at byte {end}, but the record has {itemsize} bytes; use a larger item size"
            );
            return Err(invalid(last, reason));
        }
        checked_record(fields, itemsize)
    }

    /// Builds a sub-array of elements of this dtype, in C order: NumPy's `np.dtype((dtype, shape))`. An empty shape is the dtype itself.
    ///
    /// If this dtype is a sub-array already, the new dimensions come first: one shape has all.
    ///
    /// ```
    /// use npy_core::Element;
    ///
    /// let row = f32::dtype().array([4])?;
    /// assert_eq!(row.descr(), "('<f4', (4,))");
    /// assert_eq!(row.array([2, 3])?.descr(), "('<f4', (2, 3, 4))");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::DType`] for more dimensions, or more bytes, than NumPy allows.
    pub fn array(&self, shape: impl AsRef<[usize]>) -> Result<DType, Error> {
        let (base, inner) = match self.kind() {
            Kind::SubArray(sub) => (&sub.base, &*sub.shape),
            _ => (self, &[][..]),
        };
        let shape = [shape.as_ref(), inner].concat();
        sub_array(base.clone(), shape).and_then(readable).map_err(|reason| self.refused(reason))
    }

    /// Returns a sub-array of `n` elements of this dtype, as [`array`](Self::array) does.
    ///
    /// The caller has checked that the size of the result does not overflow.
    pub(crate) fn repeated(self, n: usize) -> DType {
        let itemsize = checked::mul(self.itemsize(), n);
        let (base, mut shape) = match self.0 {
            Kind::SubArray(sub) => (sub.base.clone(), sub.shape.clone()),
            _ => (self, Vec::new()),
        };
        shape.insert(0, n);
        DType::of_base(base, shape, itemsize)
    }

    /// Creates a record of these fields.
    ///
    /// The caller has checked that names are distinct, offsets ascend, and no fields overlap.
    pub(crate) fn of_fields(fields: Vec<Field>, itemsize: usize) -> DType {
        let mut inside = Inside { fields: fields.len(), has_scalars: false };
        for field in &fields {
            let inner = field.dtype.inside();
            inside.fields = inside.fields.saturating_add(inner.fields);
            inside.has_scalars |= inner.has_scalars;
        }
        DType(Kind::Record(Arc::new(Record { fields, itemsize, inside })))
    }

    /// Creates a sub-array. The caller has computed its item size.
    pub(super) fn of_base(base: DType, shape: Vec<usize>, itemsize: usize) -> DType {
        let inside = Inside {
            has_scalars: base.inside().has_scalars && !shape.contains(&0),
            ..base.inside()
        };
        DType(Kind::SubArray(Arc::new(SubArray { base, shape, itemsize, inside })))
    }

    fn inside(&self) -> Inside {
        match self.kind() {
            Kind::Scalar(_) => Inside { fields: 0, has_scalars: true },
            Kind::SubArray(sub) => sub.inside,
            Kind::Record(record) => record.inside,
        }
    }

    /// Returns the number of fields, those of nested records included.
    pub(super) fn count_fields(&self) -> usize {
        self.inside().fields
    }

    /// Returns true if an element has a scalar.
    pub(super) fn has_scalars(&self) -> bool {
        self.inside().has_scalars
    }

    /// Returns the item size of a sub-array, or fails if it exceeds NumPy's limit.
    pub(super) fn size_of_sub_array(base: &DType, shape: &[usize]) -> Result<usize, String> {
        let itemsize = shape::bytes(shape, base.itemsize()).ok().filter(|&n| n <= MAX_ITEMSIZE);
        itemsize.ok_or_else(|| {
            format!(
                "an element would exceed NumPy's limit of {MAX_ITEMSIZE} bytes; use a smaller shape"
            )
        })
    }
}

/// Creates a sub-array, or returns `base` if the shape is empty. The error is the reason.
pub(crate) fn sub_array(base: DType, shape: Vec<usize>) -> Result<DType, String> {
    if shape.is_empty() {
        return Ok(base);
    }
    if shape.len() > MAX_NDIM {
        return Err(format!(
            "it has {} dimensions, but NumPy has at most {MAX_NDIM}; combine some of them",
            shape.len()
        ));
    }
    let itemsize = DType::size_of_sub_array(&base, &shape)?;
    Ok(DType::of_base(base, shape, itemsize))
}

/// Returns the offset after a field of this dtype, or the reason why there is none.
pub(super) fn end_of(offset: usize, dtype: &DType) -> Result<usize, String> {
    let end = offset.checked_add(dtype.itemsize()).filter(|&end| end <= MAX_ITEMSIZE);
    end.ok_or_else(|| {
        format!("the record exceeds NumPy's limit of {MAX_ITEMSIZE} bytes; use smaller fields")
    })
}

/// Sets the offsets that were not stated, and sorts by offset. Also returns the end of the last field.
fn place(builders: Vec<FieldBuilder>) -> Result<(Vec<Field>, usize), Error> {
    let mut fields: Vec<Field> = Vec::with_capacity(builders.len());
    let mut next = 0;
    for FieldBuilder { mut field, has_offset } in builders {
        if !has_offset {
            field.offset = next;
        }
        next = end_of(field.offset, &field.dtype).map_err(|reason| invalid(&field, reason))?;
        fields.push(field);
    }
    fields.sort_by_key(|field| (field.offset, field.end()));
    let mut end = 0;
    for (index, field) in fields.iter().enumerate() {
        if field.offset < end {
            let before = index.checked_sub(1).and_then(|before| fields.get(before));
            let before = before.map_or("", Field::name);
            let reason = format!(
                "it begins at byte {}, within the field {before:?}, which ends at byte {end}; use a larger offset",
                field.offset
            );
            return Err(invalid(field, reason));
        }
        end = field.end();
    }
    Ok((fields, end))
}

/// Creates a record of fields that have their offsets.
fn checked_record(fields: Vec<Field>, itemsize: usize) -> Result<DType, Error> {
    if let Some((index, name)) = names::repeated(&fields)
        && let Some(field) = fields.get(index)
    {
        return Err(invalid(field, names::used_twice(name)));
    }
    let invalid = |reason| ErrorKind::DType { descr: "of a record".into(), reason }.into();
    if itemsize > MAX_ITEMSIZE {
        return Err(invalid(format!(
            "{itemsize} bytes are more than NumPy's limit of {MAX_ITEMSIZE}; use a smaller item size"
        )));
    }
    readable(DType::of_fields(fields, itemsize)).map_err(invalid)
}

/// Refuses a dtype that no file can have. This also limits its nesting, so that code that recurses over it cannot overflow the stack.
fn readable(dtype: DType) -> Result<DType, String> {
    reads_back::check_literal(&dtype, &Limits::default()).map(|()| dtype)
}

fn invalid(field: &Field, reason: String) -> Error {
    field.dtype.refused(reason).in_field(field.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::{ByteOrder, Scalar, ScalarKind};
    use crate::element::Element;

    fn message(result: Result<DType, Error>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn records_and_sub_arrays_are_as_their_literals() {
        let inner = DType::record([("x", f32::dtype()), ("y", <[i16; 3]>::dtype())]).unwrap();
        let big = f64::dtype().with_byte_order(ByteOrder::Big);
        let outer = DType::record([("head", inner.clone()), ("v", big.array([2, 2]).unwrap())]);
        let parsed: DType =
            "[('head', [('x', '<f4'), ('y', '<i2', (3,))]), ('v', '>f8', (2, 2))]".parse().unwrap();
        assert_eq!(outer.unwrap(), parsed);
        assert_eq!(f32::dtype().array([]).unwrap(), f32::dtype());
        assert_eq!(inner.array([0]).unwrap().itemsize(), 0);
        assert_eq!(DType::record::<&str>([]).unwrap(), "[]".parse().unwrap());
        let opaque = DType::from_fields::<FieldBuilder>([], 8).unwrap();
        assert_eq!(opaque, "[('', '|V8')]".parse().unwrap());
        let nested: DType = "[('c', ('<f8', (5,)), (2,))]".parse().unwrap();
        let flat = nested.fields()[0].dtype().array([3]).unwrap();
        assert_eq!(flat.descr(), "(('<f8', (5,)), (3, 2))");
    }

    #[test]
    fn fields_are_sorted_by_offset_and_may_touch() {
        let fields = [
            Field::new("b", u16::dtype()).at(4),
            Field::new("c", u8::dtype()),
            Field::new("a", u32::dtype()).at(0).title("first"),
            Field::new("none", u8::dtype().array([0]).unwrap()).at(4),
        ];
        let dtype = DType::from_fields(fields, 8).unwrap();
        assert_eq!(
            dtype.descr(),
            "[(('first', 'a'), '<u4'), ('none', '|u1', (0,)), ('b', '<u2'), ('c', '|u1'), ('', '|V1')]"
        );
    }

    #[test]
    fn records_that_numpy_cannot_have_name_the_field() {
        let at = |name, offset| Field::new(name, u32::dtype()).at(offset);
        let text = message(DType::from_fields([at("a", 0), at("b", 3)], 16));
        assert!(
            text.starts_with("field \"b\": dtype '<u4': it begins at byte 3, within"),
            "{text}"
        );
        let text = message(DType::from_fields([at("a", 0), at("b", 4)], 7));
        assert!(text.starts_with("field \"b\": ") && text.contains("ends at byte 8"), "{text}");
        for (first, second) in [("x", "x"), ("t", "x")] {
            let second = Field::new(second, u8::dtype()).title("t").at(4);
            let text = message(DType::from_fields([at(first, 0), second], 8));
            assert!(text.starts_with("field \"x\": ") && text.contains("used twice"), "{text}");
        }
        let huge = u8::dtype().array([MAX_ITEMSIZE]).unwrap();
        let text = message(DType::record([("a", huge.clone()), ("b", u8::dtype())]));
        assert!(
            text.starts_with("field \"b\": ") && text.contains("exceeds NumPy's limit"),
            "{text}"
        );
        let text = message(DType::from_fields([at("a", usize::MAX)], usize::MAX));
        assert!(text.starts_with("field \"a\": "), "{text}");
        let text = message(DType::from_fields([at("a", 0)], MAX_ITEMSIZE + 1));
        assert!(text.contains("more than NumPy's limit"), "{text}");
        assert!(message(huge.array([2])).contains("exceed NumPy's limit"));
        assert!(message(u8::dtype().array([1; 65])).contains("65 dimensions"));
        assert!(message(u8::dtype().array([usize::MAX, 2])).contains("exceed NumPy's limit"));
    }

    /// Guards the stack: dropping, comparing and printing a dtype recurse.
    #[test]
    fn nesting_has_a_limit() {
        let nest = |dtype: DType| DType::record([("r", dtype)]);
        let mut deep = u8::dtype();
        while let Ok(deeper) = nest(deep.clone()) {
            deep = deeper;
        }
        assert_eq!(deep.to_string().parse::<DType>().unwrap(), deep);
        assert!(message(nest(deep.clone())).contains("nest fewer records"));
        assert!(message(deep.array([2]).and_then(nest)).contains("nest fewer records"));
    }

    /// Guards programs that use a dtype twice, again and again: leaves are counted once per dtype, not once per use.
    #[test]
    fn a_dtype_that_is_shared_is_entered_once() {
        let empty = DType::record::<&str>([]).unwrap();
        let twice = |dtype: DType| DType::record([("a", dtype.clone()), ("b", dtype)]);
        let mut dtype = empty;
        for _ in 0..15 {
            dtype = twice(dtype).unwrap();
        }
        assert_eq!(dtype.leaves().count(), 0);
        assert!(message(twice(dtype)).contains("a reader accepts at most"));
    }

    /// Guards fields that could not be told from padding in a header.
    #[test]
    fn bytes_without_a_name_are_refused() {
        for descr in ["|V4", "('<f4', (2,))"] {
            let text = message(DType::record([("", descr.parse().unwrap())]));
            assert!(text.contains("name the field"), "{text}");
        }
        assert_eq!(DType::record([("", u8::dtype())]).unwrap().descr(), "[('', '|u1')]");
    }

    #[test]
    fn scalars_have_the_sizes_of_numpy() {
        use ScalarKind as K;
        let float = Scalar::new(K::Float, 4).unwrap();
        assert_eq!(DType::from(float).to_string(), "<f4");
        assert_eq!(DType::from(float.with_byte_order(ByteOrder::Big)).to_string(), ">f4");
        for (kind, sizes) in [
            (K::Bool, &[1][..]),
            (K::Int, &[1, 2, 4, 8]),
            (K::UInt, &[1, 2, 4, 8]),
            (K::Float, &[2, 4, 8, 12, 16]),
            (K::Complex, &[8, 16, 24, 32]),
            (K::DateTime(None), &[8]),
            (K::TimeDelta(None), &[8]),
            (K::Object, &[8]),
            (K::Bytes, &[0, 1, 33, 40]),
            (K::Void, &[0, 1, 33, 40]),
            (K::Str, &[0, 4, 40]),
        ] {
            for size in 0..=40 {
                let scalar = Scalar::new(kind, size);
                let is_any = matches!(kind, K::Bytes | K::Void) || kind == K::Str && size % 4 == 0;
                assert_eq!(scalar.is_ok(), is_any || sizes.contains(&size), "{kind:?} {size}");
                if let Ok(scalar) = scalar {
                    let text = DType::from(scalar).to_string();
                    assert_eq!(text.parse::<DType>().unwrap(), scalar.into(), "{text}");
                }
            }
            assert!(Scalar::new(kind, MAX_ITEMSIZE + 1).is_err());
        }
    }
}
