//! Writes arrays of Python objects: a header, and a pickle.

use super::array_sink::ArraySink;
use super::array_writer::ArrayWriter;
use super::values::write_by_deref;
use super::{WriteNpy, WriteOptions};
use crate::array::NpyArray;
use crate::checked;
use crate::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::error::{Error, Result};
use crate::header::Header;
use crate::limits;
use crate::shape::Order;
use npy_pickle::emit::{Emit, Emitter, Output};

/// Indexes in the memo of the pickle. Those from `FIRST_DTYPE` on are dtypes.
const RECONSTRUCT: u8 = 0;
const RECONSTRUCT_ARGS: u8 = 1;
const DTYPE: u8 = 2;
const FIRST_DTYPE: usize = 3;

/// Writes a pickle that contains NumPy arrays. A part that all arrays share is written once; later
/// arrays recall it from the memo.
pub(crate) struct Pickle<'w> {
    pub(crate) to: Emitter<'w, Error>,
    has_arrays: bool,
    dtypes: Vec<DType>,
}

impl<'w> Pickle<'w> {
    /// Starts a pickle. Without an output, its bytes are only counted.
    pub(crate) fn new(output: Option<&'w mut Output<'w, Error>>) -> Result<Self> {
        Ok(Pickle { to: Emitter::new(output)?, has_arrays: false, dtypes: Vec::new() })
    }

    /// Starts an array. The caller then writes the elements (a list of objects in C order, or
    /// bytes), and calls [`end_array`](Self::end_array).
    pub(crate) fn begin_array(&mut self, header: &Header) -> Result<()> {
        if self.has_arrays {
            self.to.recall(RECONSTRUCT)?;
            self.to.recall(RECONSTRUCT_ARGS)?;
        } else {
            self.has_arrays = true;
            // This name of the module loads without a warning in NumPy 1.x and 2.x.
            self.to.global("numpy.core.multiarray", "_reconstruct")?;
            self.to.memoize(RECONSTRUCT)?;
            self.to.global("numpy", "ndarray")?;
            self.to.int(0)?;
            self.to.tuple1()?;
            self.to.bytes(b"b")?;
            self.to.tuple3()?;
            self.to.memoize(RECONSTRUCT_ARGS)?;
        }
        self.to.reduce()?;
        self.to.begin_tuple()?;
        // The version of the array's state.
        self.to.int(1)?;
        self.shape(header.shape())?;
        self.dtype(header.dtype())?;
        self.to.bool(header.order().normalized(header.shape()) == Order::Fortran)
    }

    pub(crate) fn end_array(&mut self) -> Result<()> {
        self.to.end_tuple()?;
        self.to.build()
    }

    fn shape(&mut self, shape: &[usize]) -> Result<()> {
        self.to.begin_tuple()?;
        for &n in shape {
            self.size(n)?;
        }
        self.to.end_tuple()
    }

    fn size(&mut self, n: usize) -> Result<()> {
        self.to.uint(limits::to_u64(n).into())
    }

    /// Writes a dtype as NumPy does: a call of `numpy.dtype` for the kind and the size, and a state for everything else.
    fn dtype(&mut self, dtype: &DType) -> Result<()> {
        let index = |at: usize| u8::try_from(checked::add(FIRST_DTYPE, at)).ok();
        if let Some(known) = self.dtypes.iter().position(|known| known == dtype).and_then(index) {
            return self.to.recall(known);
        }
        if self.dtypes.is_empty() {
            self.to.global("numpy", "dtype")?;
            self.to.memoize(DTYPE)?;
        } else {
            self.to.recall(DTYPE)?;
        }
        self.to.str(&code(dtype))?;
        self.to.bool(false)?;
        self.to.bool(true)?;
        self.to.tuple3()?;
        self.to.reduce()?;
        self.state(dtype)?;
        self.to.build()?;
        if let Some(index) = index(self.dtypes.len()) {
            self.to.memoize(index)?;
            self.dtypes.push(dtype.clone());
        }
        Ok(())
    }

    /// Writes the state of a dtype: a version, the byte order, sub-array, names and fields, size, alignment, and flags.
    fn state(&mut self, dtype: &DType) -> Result<()> {
        let scalar = dtype.scalar();
        let time = scalar.and_then(|scalar| match scalar.kind() {
            ScalarKind::DateTime(resolution) | ScalarKind::TimeDelta(resolution) => {
                Some(resolution)
            }
            _ => None,
        });
        self.to.begin_tuple()?;
        self.to.int(if time.is_some() { 4 } else { 3 })?;
        // NumPy treats the types of `ml_dtypes` as raw bytes, which have no byte order.
        let ordered = scalar.filter(|scalar| scalar.kind() != ScalarKind::Void);
        self.to.str(match ordered.and_then(Scalar::byte_order) {
            Some(ByteOrder::Little) => "<",
            Some(ByteOrder::Big) => ">",
            None => "|",
        })?;
        match dtype.sub_array() {
            Some((base, shape)) => {
                self.dtype(base)?;
                self.shape(shape)?;
                self.to.tuple2()?;
            }
            None => self.to.none()?,
        }
        if dtype.is_record() {
            self.fields(dtype)?;
        } else {
            self.to.none()?;
            self.to.none()?;
        }
        match scalar.map(Scalar::kind) {
            Some(ScalarKind::Str) => {
                self.size(dtype.itemsize())?;
                self.to.int(4)?;
            }
            Some(ScalarKind::Bytes | ScalarKind::Void) | None => {
                self.size(dtype.itemsize())?;
                self.to.int(1)?;
            }
            // The kind determines the size and the alignment.
            Some(_) => {
                self.to.int(-1)?;
                self.to.int(-1)?;
            }
        }
        self.to.int(flags(dtype).into())?;
        if let Some(resolution) = time {
            let (unit, multiple) = match resolution {
                Some(resolution) => (resolution.unit.name(), resolution.multiple),
                None => ("generic", 1),
            };
            // No metadata; then the unit and its multiple, and two numbers that NumPy ignores.
            self.to.none()?;
            self.to.begin_tuple()?;
            self.to.bytes(unit.as_bytes())?;
            self.to.int(multiple.into())?;
            self.to.int(1)?;
            self.to.int(1)?;
            self.to.end_tuple()?;
            self.to.tuple2()?;
        }
        self.to.end_tuple()
    }

    /// Writes the names of the fields, and a dict of dtypes and offsets that has titles as further keys.
    fn fields(&mut self, record: &DType) -> Result<()> {
        if let Some(field) =
            record.fields().iter().find(|field| !field.has_exact_name() || !field.has_exact_title())
        {
            let reason = "within objects, a field needs a name without surrogates, and a title that is text; cast to a dtype with such names";
            return Err(Error::invalid(reason).in_field(field.name()));
        }
        self.to.begin_tuple()?;
        for field in record.fields() {
            self.to.str(field.name())?;
        }
        self.to.end_tuple()?;
        let mut entries = self.to.begin_dict()?;
        for field in record.fields() {
            for key in [Some(field.name()), field.title()].into_iter().flatten() {
                entries.next(&mut self.to)?;
                self.to.str(key)?;
                self.to.begin_tuple()?;
                self.dtype(field.dtype())?;
                self.size(field.offset())?;
                if let Some(title) = field.title() {
                    self.to.str(title)?;
                }
                self.to.end_tuple()?;
            }
        }
        entries.end(&mut self.to)
    }
}

/// Returns the text that `numpy.dtype` receives: the kind and the size.
fn code(dtype: &DType) -> String {
    match dtype.scalar() {
        Some(scalar) if scalar.kind() == ScalarKind::Object => "O8".into(),
        Some(scalar) => {
            let text = scalar.to_string();
            let kind = text.trim_start_matches(['<', '>', '|']);
            // The unit of a time is a part of the state.
            kind.split('[').next().unwrap_or(kind).to_owned()
        }
        None => format!("V{}", dtype.itemsize()),
    }
}

/// Returns NumPy's flags of a dtype. A sub-array has the flags of its base. A record has the flags
/// of its fields and `NEEDS_PYAPI`.
fn flags(dtype: &DType) -> u8 {
    const NEEDS_INIT: u8 = 8;
    const NEEDS_PYAPI: u8 = 16;
    const OBJECT: u8 = 63;
    if let Some((base, _)) = dtype.sub_array() {
        return flags(base);
    }
    match dtype.scalar().map(Scalar::kind) {
        Some(ScalarKind::Object) => OBJECT,
        Some(ScalarKind::Str) => NEEDS_INIT,
        Some(_) => 0,
        None => {
            let fields = dtype.fields().iter().map(|field| flags(field.dtype()));
            fields.fold(NEEDS_PYAPI, |all, field| all | field)
        }
    }
}

impl WriteOptions {
    /// Writes an array of objects; `items` iterates over them in C order.
    pub(super) fn write_objects<'t, O: Emit + ?Sized + 't, I: Iterator<Item = &'t O>>(
        &self,
        shape: &[usize],
        items: impl Fn() -> I,
        sink: &mut dyn ArraySink,
    ) -> Result<()> {
        self.write_pickled(shape, sink, &|pickle| {
            let mut list = pickle.to.begin_list()?;
            for item in items() {
                list.next(&mut pickle.to)?;
                item.emit(&mut pickle.to)?;
            }
            list.end(&mut pickle.to)
        })
    }

    /// Writes an array of objects. `list` writes the list of the objects in C order. It is called
    /// twice: to count the bytes, and then to write them.
    pub(crate) fn write_pickled(
        &self,
        shape: &[usize],
        sink: &mut dyn ArraySink,
        list: &dyn Fn(&mut Pickle<'_>) -> Result<()>,
    ) -> Result<()> {
        let header = Header::new(Scalar::little(ScalarKind::Object, 8).into(), shape, Order::C)?;
        let write = |mut pickle: Pickle<'_>| {
            pickle.begin_array(&header)?;
            list(&mut pickle)?;
            pickle.end_array()?;
            pickle.to.finish()
        };
        let counted = write(Pickle::new(None)?)?;
        self.begin(&header, counted, sink)?;
        let mut output = |block: &[u8]| Ok(sink.write_all(block)?);
        let written = write(Pickle::new(Some(&mut output))?)?;
        if written == counted { Ok(()) } else { Err(changed()) }
    }
}

/// Returns the error for a value that changed between counting its bytes and writing them.
pub(crate) fn changed() -> Error {
    Error::invalid("the value changed while it was written; write a copy of it")
}

/// Implements `WriteNpy` for lists and arrays of `Option`s.
macro_rules! optional {
    ($($type:ty),*) => {$(
        /// Writes Python objects; `None` is Python's `None`.
        impl WriteNpy for [Option<$type>] {
            fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
                to.options.write_objects(&[self.len()], || self.iter(), to.sink)
            }
        }

        write_by_deref! {
            [] Vec<Option<$type>> as [Option<$type>],
            [const N: usize] [Option<$type>; N] as [Option<$type>],
        }

        /// Writes Python objects; `None` is Python's `None`.
        impl WriteNpy for NpyArray<Option<$type>> {
            fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
                to.options.write_objects(self.shape(), || self.iter(), to.sink)
            }
        }
    )*};
}

optional! { bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, String, &str, Vec<u8>, &[u8] }
