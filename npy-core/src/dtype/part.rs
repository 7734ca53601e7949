//! The parts of a row by their names: `head.gain`, `samples[3]`.

use super::{DType, Field, Kind};
use crate::checked;
use crate::error::Error;

/// A part of a row: all of it, a field, or elements of a sub-array. Its elements are contiguous, in C order.
///
/// ```
/// use npy_core::DType;
///
/// let row: DType = "[('head', [('id', '<u4'), ('gain', '<f4')]), ('grid', '<i2', (2, 3))]".parse()?;
/// let gain = row.part("head.gain").unwrap();
/// assert_eq!((gain.offset(), gain.base().to_string().as_str()), (4, "<f4"));
///
/// // Both spellings of an index mean the same; the first is printed.
/// let line = row.part("grid.1").unwrap();
/// assert_eq!((line.path(), line.offset(), line.shape()), ("grid[1]", 14, &[3][..]));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    pub(super) path: String,
    pub(super) offset: usize,
    /// Not a sub-array.
    pub(super) base: &'a DType,
    pub(super) shape: Vec<usize>,
}

impl<'a> Part<'a> {
    /// Returns a complete row of an array: elements of `dtype`, which have these dimensions. They are the dimensions of the array after the first.
    ///
    /// ```
    /// use npy_core::dtype::Part;
    /// use npy_core::{DType, Element};
    ///
    /// let dtype = f64::dtype();
    /// let row = Part::of_row(&dtype, &[2, 3]);
    /// assert_eq!(row.find("[1][2]").unwrap().offset(), 40);
    /// ```
    pub fn of_row(dtype: &'a DType, inner: &[usize]) -> Self {
        let (base, dims) = dtype.flat();
        Part { path: String::new(), offset: 0, base, shape: [inner, &dims].concat() }
    }

    /// Returns the name: `head.gain`, `samples[3]`. It is empty for a complete row.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let row: DType = "[('samples', '<f4', (4,))]".parse()?;
    /// assert_eq!(row.part("samples.3").unwrap().path(), "samples[3]");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the offset of the first byte in the row.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let row: DType = "[('samples', '<f4', (4,))]".parse()?;
    /// assert_eq!(row.part("samples[3]").unwrap().offset(), 12);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the dtype of the elements: a scalar or a record.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let row: DType = "[('samples', '<f4', (4,))]".parse()?;
    /// assert_eq!(row.part("samples").unwrap().base().to_string(), "<f4");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn base(&self) -> &'a DType {
        self.base
    }

    /// Returns the dimensions of the elements; none for a single one.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let row: DType = "[('samples', '<f4', (4,))]".parse()?;
    /// assert_eq!(row.part("samples").unwrap().shape(), [4]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the dtype of the part: that of its elements, or a sub-array of them.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let row: DType = "[('samples', '<f4', (4,))]".parse()?;
    /// assert_eq!(row.part("samples").unwrap().dtype()?.descr(), "('<f4', (4,))");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::DType`](crate::ErrorKind::DType) for a part of a row that is larger than a dtype can be.
    pub fn dtype(&self) -> Result<DType, Error> {
        self.base.array(&self.shape)
    }

    /// Returns the part at a path below this one; `None` if there is none.
    ///
    /// A path is made of names of fields, with a dot before each but the first, and of indices: `[3]` or `.3`. Names may contain dots and
    /// brackets themselves: a field that has all of the path as its name comes first, and then those whose name begins it, in their order.
    /// A path may end in a part of a complex number, `.re` or `.im`. An element that is no record is called `value`.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let row: DType = "[('axes', [('x', '<f4'), ('y', '<f4')], (2,))]".parse()?;
    /// let axes = row.part("axes").unwrap();
    /// assert_eq!(axes.find("[1].y").unwrap().offset(), 12);
    /// assert_eq!(axes.find("1.y"), axes.find("[1].y"));
    /// assert_eq!(axes.find("[2].y"), None);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn find(&self, path: &str) -> Option<Part<'a>> {
        let is_value = self.path.is_empty() && !self.is_array() && !self.base.is_record();
        match path.strip_prefix("value").filter(|_| is_value) {
            Some(rest) => find_rest(Part { path: "value".into(), ..self.clone() }, rest),
            None => find(self, path),
        }
    }
}

/// A step of a path: into a part of a row, or to its value.
pub(crate) trait Node: Sized {
    /// Returns true if paths go on with an index.
    fn is_array(&self) -> bool;

    /// Returns what is at an index of the first dimension; `None` if it is out of range.
    fn item(&self, index: usize) -> Option<Self>;

    /// Returns the fields of a record; none of anything else.
    fn fields(&self) -> &[Field];

    /// Returns the field at an index.
    fn field(&self, index: usize) -> Option<Self>;

    /// Returns a part of a complex number, by the name `re` or `im`.
    fn half(&self, name: &str) -> Option<Self>;
}

/// Returns what a path leads to, from a node that is not the end.
pub(crate) fn find<N: Node>(node: &N, path: &str) -> Option<N> {
    if node.is_array() {
        let (digits, rest) = match path.strip_prefix('[') {
            Some(path) => path.split_once(']')?,
            None => path.split_at(path.find(['.', '[']).unwrap_or(path.len())),
        };
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit())
            && (digits == "0" || !digits.starts_with('0'));
        let index: usize = digits.parse().ok().filter(|_| is_number)?;
        return find_rest(node.item(index)?, rest);
    }
    // A name may contain dots and brackets. A field with exactly this name comes first: it is what `arr[path]` is in NumPy. Otherwise, each
    // field whose name begins the path may be meant.
    let exact = node.fields().iter().position(|field| field.name() == path);
    if let Some(index) = exact {
        return node.field(index);
    }
    let part = node.fields().iter().enumerate().find_map(|(index, field)| {
        let rest = path.strip_prefix(field.name())?;
        find_rest(node.field(index)?, rest)
    });
    part.or_else(|| node.half(path))
}

/// Returns what the rest of a path leads to, after a name or an index.
fn find_rest<N: Node>(node: N, rest: &str) -> Option<N> {
    let is_index = rest.starts_with('[') && node.is_array();
    match rest.strip_prefix('.') {
        None if rest.is_empty() => Some(node),
        None if is_index => find(&node, rest),
        // `.[3]` is neither spelling.
        Some(path) if !(path.starts_with('[') && node.is_array()) => find(&node, path),
        _ => None,
    }
}

impl<'a> Node for Part<'a> {
    fn is_array(&self) -> bool {
        !self.shape.is_empty()
    }

    fn item(&self, index: usize) -> Option<Part<'a>> {
        let (_, inner) = self.shape.split_first().filter(|(count, _)| index < **count)?;
        let size = inner.iter().try_fold(self.base.itemsize(), |size, &n| size.checked_mul(n));
        let offset = size?.checked_mul(index)?.checked_add(self.offset)?;
        let path = format!("{}[{index}]", self.path);
        Some(Part { path, offset, base: self.base, shape: inner.to_vec() })
    }

    fn fields(&self) -> &[Field] {
        self.base.fields()
    }

    fn field(&self, index: usize) -> Option<Part<'a>> {
        let field = self.base.fields().get(index)?;
        let (base, shape) = field.dtype().flat();
        let path = self.joined(field.name());
        Some(Part { path, offset: self.offset.checked_add(field.offset())?, base, shape })
    }

    fn half(&self, name: &str) -> Option<Part<'a>> {
        let base = self.base.scalar()?.half()?;
        let within = ["re", "im"].iter().position(|half| *half == name)?;
        let offset = self.offset.checked_add(checked::mul(within, base.itemsize()))?;
        Some(Part { path: self.joined(name), offset, base, shape: Vec::new() })
    }
}

impl Part<'_> {
    fn joined(&self, name: &str) -> String {
        let point = if self.path.is_empty() { "" } else { "." };
        format!("{}{point}{name}", self.path)
    }
}

impl DType {
    /// Returns the part of an element at a path: a field (`"gain"`), a field of a nested record (`"head.gain"`), an element of a sub-array
    /// (`"samples[3]"` or `"samples.3"`); `None` if there is none.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let row: DType = "[('id', '|u1'), ('xyz', '<f4', (3,))]".parse()?;
    /// let y = row.part("xyz[1]").unwrap();
    /// assert_eq!((y.offset(), y.dtype()?), (5, "<f4".parse()?));
    /// assert!(row.part("xyz[3]").is_none());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn part(&self, path: &str) -> Option<Part<'_>> {
        Part::of_row(self, &[]).find(path)
    }

    /// Returns the innermost base of a sub-array of sub-arrays, and all of their dimensions; the dtype itself and no dimensions if it is no
    /// sub-array.
    ///
    /// ```
    /// use npy_core::DType;
    ///
    /// let dtype: DType = "(('<f8', (5,)), (2,))".parse()?;
    /// let (base, shape) = dtype.flat();
    /// assert_eq!((base.to_string().as_str(), &shape[..]), ("<f8", &[2, 5][..]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn flat(&self) -> (&DType, Vec<usize>) {
        let (mut base, mut shape) = (self, Vec::new());
        while let Kind::SubArray(sub) = base.kind() {
            shape.extend_from_slice(&sub.shape);
            base = &sub.base;
        }
        (base, shape)
    }
}

#[cfg(test)]
mod tests {
    use crate::dtype::DType;

    #[test]
    fn parts_of_complex_numbers_and_of_elements_without_fields_have_paths() {
        let found = |descr: &str, path: &str| {
            let dtype: DType = descr.parse().unwrap();
            let part = dtype.part(path)?;
            Some((part.offset(), part.base().to_string(), part.path().to_owned()))
        };
        let is = |offset, base: &str, path: &str| Some((offset, base.to_owned(), path.to_owned()));
        let record = "[('a', '|u1'), ('z', '>c16', (2,)), ('re', '<c8'), ('c', [('im', '<f4')])]";
        assert_eq!(found(record, "z[1].im"), is(25, ">f8", "z[1].im"));
        assert_eq!(found(record, "z.1.re"), is(17, ">f8", "z[1].re"));
        assert_eq!(found(record, "re.re"), is(33, "<f4", "re.re"));
        assert_eq!(found(record, "re"), is(33, "<c8", "re"));
        assert_eq!(found(record, "c.im"), is(41, "<f4", "c.im"));
        for path in ["z.re", "a.re", "c.re", "z[0].x", "re.re.re", "value"] {
            assert_eq!(found(record, path), None, "{path}");
        }
        assert_eq!(found("<c24", "value.im"), is(12, "<f12", "value.im"));
        assert_eq!(found(">f4", "value"), is(0, ">f4", "value"));
        assert_eq!(found(">f4", "value.re"), None);
    }

    #[test]
    fn a_field_with_the_name_of_a_path_comes_before_the_path() {
        for (descr, path, offset) in [
            ("[('a', '<i4', (2,)), ('a[1]', '<i4')]", "a[1]", 8),
            ("[('a[1]', '<i4'), ('a', '<i4', (2,))]", "a[1]", 0),
            ("[('a', [('b', '<i4')]), ('a.b', '<i4')]", "a.b", 4),
            ("[('h', [('a', [('b', '<i4')]), ('a.b', '<i4')])]", "h.a.b", 4),
            ("[('a', '<i4', (2,)), ('a[1]', '<i4')]", "a.1", 4),
        ] {
            let record: DType = descr.parse().unwrap();
            assert_eq!(record.part(path).unwrap().offset(), offset, "{descr}: {path}");
        }
    }

    #[test]
    fn paths_lead_into_records_and_sub_arrays() {
        let record: DType = "[('a', '|u1'), ('s', '<f4', (3,)), ('g', '<i2', (2, 3)), \
             ('r', [('x', '<f8'), ('y', '|u1', (2,))], (2,)), ('z[0]', '|i1'), ('n', ('|u1', (2,)), (3,)), \
             ('h', [('v', '<u2', (2,))]), ('e', '<f4', (0,)), ('d.t', [('3', '|u1')]), ('d', '|u1', (2,))]"
            .parse()
            .unwrap();
        let part = |path: &str| {
            let part = record.part(path)?;
            Some((part.dtype().unwrap().descr(), part.offset(), part.path().to_owned()))
        };
        for (paths, descr, offset) in [
            (&["a"][..], "'|u1'", 0),
            (&["s[0]", "s.0"], "'<f4'", 1),
            (&["s[2]", "s.2"], "'<f4'", 9),
            (&["g[1]", "g.1"], "('<i2', (3,))", 19),
            (&["g[1][2]", "g.1.2", "g[1].2", "g.1[2]"], "'<i2'", 23),
            (&["r[1].x", "r.1.x"], "'<f8'", 35),
            (&["r[1].y[1]", "r.1.y.1"], "'|u1'", 44),
            (&["r[1]"], "[('x', '<f8'), ('y', '|u1', (2,))]", 35),
            (&["z[0]"], "'|i1'", 45),
            (&["n[2][1]"], "'|u1'", 51),
            (&["h.v[1]"], "'<u2'", 54),
            (&["d.t.3"], "'|u1'", 56),
            (&["d[1]", "d.1"], "'|u1'", 58),
        ] {
            for path in paths {
                let canonical = paths[0].to_owned();
                assert_eq!(part(path), Some((descr.to_owned(), offset, canonical)), "{path}");
            }
        }
        for path in [
            "",
            "s[3]",
            "s.3",
            "s[-1]",
            "s[+1]",
            "s.+1",
            "s.00",
            "s[01]",
            "s[]",
            "s[",
            "s[0",
            "s[0]x",
            "s[0][0]",
            "s.0.0",
            "s[0].x",
            "s.[0]",
            "s.",
            "a[0]",
            "a.0",
            "[0]",
            "0",
            "g[2]",
            "g[0][3]",
            "r.x",
            "r[0].",
            "r[0]x",
            "e[0]",
            "hv",
            "h[v]",
            "s[18446744073709551616]",
            "s[18446744073709551615]",
        ] {
            assert_eq!(part(path), None, "{path}");
        }
    }
}
