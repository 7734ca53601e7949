//! An array of whatever type the file has.

mod convert;

use std::borrow::Cow;

use crate::array::NpyArray;
use crate::checked;
use crate::dtype::{ByteOrder, DType, Resolution, Scalar, ScalarKind};
use crate::dynamic::{DynArray, DynView};
use crate::element::type_info::TypeInfo;
use crate::element::{Element, type_name};
use crate::error::{Error, Result};
use crate::limits::{Limits, MAX_ITEMSIZE};
use crate::plan::Cast;
use crate::shape::{self, Order};

/// Calls a macro with the variants of [`AnyArray`] that hold an array of an [`Element`], each with its type.
macro_rules! for_each_typed {
    ($macro:ident) => {
        $macro! {
            /// `|b1`
            Bool: bool,
            /// `|i1`
            I8: i8,
            /// `<i2`
            I16: i16,
            /// `<i4`
            I32: i32,
            /// `<i8`
            I64: i64,
            /// `|u1`
            U8: u8,
            /// `<u2`
            U16: u16,
            /// `<u4`
            U32: u32,
            /// `<u8`
            U64: u64,
            /// `<f2`
            #[cfg(feature = "half")]
            F16: half::f16,
            /// `<V2`, the bfloat16 of ml_dtypes
            #[cfg(feature = "half")]
            BF16: half::bf16,
            /// `<f4`
            F32: f32,
            /// `<f8`
            F64: f64,
            /// `<f16`
            LongDouble: crate::element::longdouble::LongDouble,
            /// `<c8`
            #[cfg(feature = "num-complex")]
            C64: num_complex::Complex<f32>,
            /// `<c16`
            #[cfg(feature = "num-complex")]
            C128: num_complex::Complex<f64>,
            /// `<c32`
            ComplexLongDouble: crate::element::longdouble::ComplexLongDouble,
        }
    };
}
pub(crate) use for_each_typed;

macro_rules! define {
    ($(#[doc = $doc:literal] $(#[$cfg:meta])* $variant:ident: $type:ty,)*) => {
        /// The variants of [`AnyArray`] that hold an array of an [`Element`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Variant {
            $(#[doc = $doc] $(#[$cfg])* $variant,)*
        }

        impl Variant {
            /// Returns the variant for arrays of this dtype, in any byte order; `None` if no such
            /// variant has it.
            pub(crate) fn of(dtype: &DType) -> Option<Self> {
                let dtype = dtype.with_byte_order(ByteOrder::Little);
                $(
                    $(#[$cfg])*
                    if dtype == <$type>::dtype() {
                        return Some(Variant::$variant);
                    }
                )*
                None
            }
        }

        /// An array of the type that the file has: numbers as an [`NpyArray`] of their Rust type,
        /// text as an [`NpyArray`] of `String`.
        ///
        /// It is read from a file, a stream or a member of an archive, without a second copy. A
        /// program then
        ///
        /// - converts it to one type by [`cast`](Self::cast), whatever the file has;
        /// - handles several types in one place by [`for_any!`](crate::for_any), or by `match`.
        ///
        /// ```
        /// use npy_core::{AnyArray, Cast, ReadNpy, WriteNpy, for_any};
        ///
        /// let mut file = Vec::new();
        /// [1u8, 2, 3].write_npy_to(&mut file)?;
        ///
        /// let array = AnyArray::read_npy_from(&file[..])?;
        /// assert!(matches!(array, AnyArray::U8(_)));
        /// assert_eq!(array.shape(), [3]);
        ///
        /// let sum = for_any!(&array, typed => {
        ///     Number => typed.iter().map(|n| *n as f64).sum::<f64>(),
        ///     _ => panic!("no numbers: {}", typed.dtype()),
        /// });
        /// assert_eq!(sum, 6.0);
        ///
        /// let wide = array.cast::<f64>(Cast::Lossless)?;
        /// assert_eq!(wide.into_vec(), [1.0, 2.0, 3.0]);
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        ///
        /// Numbers in memory have the byte order of the machine: a file of `>f4` is `F32`, and is written again as `<f4`, unless
        /// [`WriteOptions::byte_order`](crate::WriteOptions::byte_order) says otherwise.
        ///
        /// The features `half` and `num-complex` add variants; without them, arrays of these types
        /// are [`Other`](Self::Other). A `match` needs a last arm for all other variants, so a new
        /// variant breaks no program.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum AnyArray {
            $(#[doc = $doc] $(#[$cfg])* $variant(NpyArray<$type>),)*
            /// `<U` of any width
            Text(NpyArray<String>),
            /// `|S` of any width
            Bytes(NpyArray<Vec<u8>>),
            /// `<M8`: counts since 1970-01-01, and the length of one count; `None` if the dtype has
            /// no unit. `i64::MIN` is "not a time".
            ///
            /// [`cast`](Self::cast) returns them as [`DateTime64`](crate::DateTime64).
            DateTime(NpyArray<i64>, Option<Resolution>),
            /// `<m8`: counts, and the length of one count; `None` if the dtype has no unit.
            /// `i64::MIN` is "not a time".
            ///
            /// [`cast`](Self::cast) returns them as [`TimeDelta64`](crate::TimeDelta64).
            TimeDelta(NpyArray<i64>, Option<Resolution>),
            /// Any other dtype: records, raw bytes, Python objects.
            Other(DynArray),
        }

        impl AnyArray {
            /// Returns the dtype of an element: that of the Rust type, in little-endian byte order;
            /// for [`Other`](Self::Other), the dtype of the file.
            ///
            /// Text has the width of the longest text, as when it is written.
            ///
            /// ```
            /// use npy_core::{AnyArray, NpyArray};
            ///
            /// let array = AnyArray::from(NpyArray::from(vec![1u16, 2]));
            /// assert_eq!(array.dtype().to_string(), "<u2");
            /// ```
            pub fn dtype(&self) -> DType {
                match self {
                    $($(#[$cfg])* AnyArray::$variant(_) => <$type>::dtype(),)*
                    AnyArray::Text(texts) => {
                        of_width(ScalarKind::Str, 4, texts.iter().map(|text| text.chars().count()))
                    }
                    AnyArray::Bytes(texts) => {
                        of_width(ScalarKind::Bytes, 1, texts.iter().map(Vec::len))
                    }
                    &AnyArray::DateTime(_, unit) => time(ScalarKind::DateTime(unit)),
                    &AnyArray::TimeDelta(_, unit) => time(ScalarKind::TimeDelta(unit)),
                    AnyArray::Other(array) => array.dtype().clone(),
                }
            }

            fn shape_and_order(&self) -> (&[usize], Order) {
                match self {
                    $($(#[$cfg])* AnyArray::$variant(array) => (array.shape(), array.order()),)*
                    AnyArray::Text(array) => (array.shape(), array.order()),
                    AnyArray::Bytes(array) => (array.shape(), array.order()),
                    AnyArray::DateTime(counts, _) | AnyArray::TimeDelta(counts, _) => {
                        (counts.shape(), counts.order())
                    }
                    AnyArray::Other(array) => (array.shape(), array.order()),
                }
            }

            /// Returns the elements as values of one Rust type. Nothing is copied if the variant is
            /// the one for `T`. Otherwise the elements are converted as when `T` is read from a
            /// file with this [`Cast`].
            ///
            /// ```
            /// use npy_core::time::{Ns, Second};
            /// use npy_core::{AnyArray, Cast, DateTime64, NpyArray};
            ///
            /// let array = AnyArray::from(NpyArray::from(vec![1i16, -2]));
            /// assert!(array.clone().cast::<f64>(Cast::Exact).is_err());
            /// assert_eq!(array.cast::<f64>(Cast::Lossless)?.into_vec(), [1.0, -2.0]);
            ///
            /// let times = AnyArray::from(NpyArray::from(vec![DateTime64::<Ns>::new(5)]));
            /// assert_eq!(times.cast::<DateTime64<Ns>>(Cast::Exact)?[[0]].count(), 5);
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// As [`Reader::read_array`](crate::Reader::read_array). [`Text`](Self::Text) and
            /// [`Bytes`](Self::Bytes) cannot be cast: read the file as the other type instead.
            pub fn cast<T: Element + 'static>(self, cast: Cast) -> Result<NpyArray<T>> {
                let call = format!("array.cast::<{}>(", type_name::<T>());
                self.converted(cast).map_err(|error| error.in_memory(&call))
            }

            fn converted<T: Element + 'static>(mut self, cast: Cast) -> Result<NpyArray<T>> {
                let same = match &mut self {
                    $($(#[$cfg])* AnyArray::$variant(array) => convert::take(array),)*
                    _ => None,
                };
                if let Some(same) = same {
                    return Ok(same);
                }
                if let AnyArray::Other(array) = self {
                    return array.into_typed(cast);
                }
                let Some(bytes) = self.bytes() else {
                    let remedy = "AnyArray::cast converts numbers and times; text is read as NpyArray<String>";
                    return Err(convert::mismatch(&self.dtype(), TypeInfo::of::<T>(), remedy));
                };
                self.view_of(&bytes)?.to_typed(cast, &Limits::default())
            }

            /// Returns the canonical bytes of numbers and times, in the order of the memory.
            pub(crate) fn bytes(&self) -> Option<Cow<'_, [u8]>> {
                match self {
                    $($(#[$cfg])* AnyArray::$variant(array) => Some(convert::bytes(array)),)*
                    AnyArray::DateTime(counts, _) | AnyArray::TimeDelta(counts, _) => {
                        Some(convert::bytes(counts))
                    }
                    AnyArray::Text(_) | AnyArray::Bytes(_) | AnyArray::Other(_) => None,
                }
            }
        }

        $(
            $(#[$cfg])*
            impl From<NpyArray<$type>> for AnyArray {
                fn from(array: NpyArray<$type>) -> Self {
                    AnyArray::$variant(array)
                }
            }

            /// Moves the array, if it has this type; [`AnyArray::cast`] converts others.
            $(#[$cfg])*
            impl TryFrom<AnyArray> for NpyArray<$type> {
                type Error = Error;

                fn try_from(array: AnyArray) -> Result<Self> {
                    match array {
                        AnyArray::$variant(array) => Ok(array),
                        other => Err(convert::not_moved(&other, TypeInfo::of::<$type>())),
                    }
                }
            }
        )*
    };
}

for_each_typed!(define);

impl AnyArray {
    /// Returns the array of these [`bytes`](Self::bytes): code for it is compiled once, and not for each type.
    pub(crate) fn view_of<'b>(&self, bytes: &'b [u8]) -> Result<DynView<'b>> {
        DynView::new(self.dtype(), self.shape(), self.order(), bytes)
    }

    /// Returns the dimensions. A 0-d array, which is a single element, has none.
    ///
    /// ```
    /// use npy_core::{AnyArray, NpyArray};
    ///
    /// let array = AnyArray::from(NpyArray::new(vec![0.5f32; 6], [2, 3])?);
    /// assert_eq!(array.shape(), [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        self.shape_and_order().0
    }

    /// Returns the dimensions, if there are `N` of them: `let [rows, columns] = array.dims()?;`.
    ///
    /// ```
    /// use npy_core::{AnyArray, NpyArray};
    ///
    /// let array = AnyArray::from(NpyArray::new(vec![0.5f32; 6], [2, 3])?);
    /// let [rows, columns] = array.dims()?;
    /// assert_eq!((rows, columns), (2, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Rank`](crate::ErrorKind::Rank) for another number of dimensions.
    pub fn dims<const N: usize>(&self) -> Result<[usize; N], Error> {
        shape::dims(self.shape())
    }

    /// Returns the number of dimensions.
    ///
    /// ```
    /// use npy_core::{AnyArray, NpyArray};
    ///
    /// let array = AnyArray::from(NpyArray::new(vec![0.5f32; 6], [2, 3])?);
    /// assert_eq!(array.ndim(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ndim(&self) -> usize {
        self.shape().len()
    }

    /// Returns the order in which the elements are in memory, which is that of the file.
    ///
    /// ```
    /// use npy_core::{AnyArray, NpyArray, Order};
    ///
    /// let array = AnyArray::from(NpyArray::new(vec![0.5f32; 6], [2, 3])?);
    /// assert_eq!(array.order(), Order::C);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn order(&self) -> Order {
        self.shape_and_order().1
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// use npy_core::{AnyArray, NpyArray};
    ///
    /// let array = AnyArray::from(NpyArray::new(vec![0.5f32; 6], [2, 3])?);
    /// assert_eq!(array.len(), 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn len(&self) -> usize {
        // The product cannot overflow: an array of this shape is in memory.
        self.shape().iter().fold(1, |count, &n| checked::mul(count, n))
    }

    /// Returns true if the array has no elements.
    ///
    /// ```
    /// use npy_core::{AnyArray, NpyArray};
    ///
    /// let array = AnyArray::from(NpyArray::new(vec![0.5f32; 6], [2, 3])?);
    /// assert!(!array.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Returns the dtype that holds texts of these widths, counted in units of `unit` bytes. As in
/// NumPy, it is at least one unit wide.
fn of_width(kind: ScalarKind, unit: usize, widths: impl Iterator<Item = usize>) -> DType {
    let longest = widths.max().unwrap_or_default();
    // Longer text cannot be written.
    let max_units = MAX_ITEMSIZE.checked_div(unit).unwrap_or_default();
    Scalar::little(kind, checked::mul(longest.clamp(1, max_units), unit)).into()
}

/// Returns the dtype of times of this kind.
fn time(kind: ScalarKind) -> DType {
    Scalar::little(kind, size_of::<i64>()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::time::{Ms, Second};
    use crate::read::ReadNpy;
    use crate::write::WriteNpy;
    use crate::{DateTime64, ErrorKind, FixedStr, Void, WriteOptions, for_any, for_dtype};

    fn written<A: WriteNpy + ?Sized>(options: &WriteOptions, array: &A) -> Vec<u8> {
        let mut file = Vec::new();
        options.write_to(&mut file, array).unwrap();
        file
    }

    fn read(file: &[u8]) -> AnyArray {
        AnyArray::read_npy_from(file).unwrap()
    }

    #[test]
    fn an_array_of_the_type_is_moved() {
        let array = NpyArray::with_order(vec![1.5f32, 2.5], [1, 2], Order::Fortran).unwrap();
        let start = array.as_slice_memory_order().as_ptr();
        let cast = AnyArray::from(array).cast::<f32>(Cast::Exact).unwrap();
        assert_eq!((cast.as_slice_memory_order().as_ptr(), cast.order()), (start, Order::Fortran));
        let back = NpyArray::<f32>::try_from(AnyArray::from(cast)).unwrap();
        assert_eq!(back.as_slice_memory_order().as_ptr(), start);
        let error = NpyArray::<f64>::try_from(AnyArray::from(back)).unwrap_err().to_string();
        assert!(error.contains("'<f4'") && error.contains("AnyArray::cast"), "{error}");
    }

    /// Guards casts to arrays: `[i32; 3]` consumes the last dimension, whose elements are strided
    /// in Fortran order.
    #[test]
    fn casts_consume_the_dimensions_of_the_type() {
        let rows = NpyArray::new((1..=6u8).collect(), [2, 3]).unwrap();
        for order in [Order::C, Order::Fortran] {
            let array = AnyArray::from(rows.to_order(order));
            let cast = array.clone().cast::<[i32; 3]>(Cast::Lossless).unwrap();
            assert_eq!(cast, NpyArray::from(vec![[1, 2, 3], [4, 5, 6]]));
            let error = array.cast::<[i32; 2]>(Cast::Lossless).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Rank { .. }), "{error}");
        }
        let bits = AnyArray::from(NpyArray::new(vec![true, false, true], [1, 3]).unwrap());
        assert_eq!(bits.cast::<[f32; 3]>(Cast::Lossless).unwrap()[[0]], [1.0, 0.0, 1.0]);
        let none = AnyArray::from(NpyArray::new(Vec::<i16>::new(), [0, 5]).unwrap());
        assert_eq!((none.len(), none.is_empty(), none.ndim()), (0, true, 2));
        assert_eq!(none.cast::<i64>(Cast::Lossless).unwrap().shape(), [0, 5]);
        let single = AnyArray::from(NpyArray::new(vec![7u8], []).unwrap());
        assert_eq!(single.cast::<u64>(Cast::Lossless).unwrap()[[]], 7);
    }

    #[test]
    fn times_keep_their_unit() {
        let times = [0, i64::MIN, -5].map(DateTime64::<Ms>::new);
        let file = written(WriteOptions::new().byte_order(ByteOrder::Big), &times);
        let array = read(&file);
        let AnyArray::DateTime(counts, Some(_)) = &array else { panic!("{array:?}") };
        assert_eq!(counts.as_slice_memory_order(), [0, i64::MIN, -5]);
        assert_eq!(array.dtype().to_string(), "<M8[ms]");
        assert_eq!(array, AnyArray::from(NpyArray::from(times.to_vec())));
        assert_eq!(written(WriteOptions::new().byte_order(ByteOrder::Big), &array), file);
        assert!(array.clone().cast::<i64>(Cast::Exact).is_err());
        assert!(array.clone().cast::<DateTime64<Second>>(Cast::Exact).is_err());
        assert!(NpyArray::<DateTime64<Second>>::try_from(array.clone()).is_err());
        assert_eq!(array.clone().cast::<DateTime64<Ms>>(Cast::Exact).unwrap().into_vec(), times);
        assert_eq!(NpyArray::<DateTime64<Ms>>::try_from(array).unwrap().into_vec(), times);
    }

    #[test]
    fn numbers_and_truth_values_are_bytes_without_a_copy() {
        let arrays = [
            AnyArray::from(NpyArray::from(vec![true, false])),
            NpyArray::from(vec![2u8, 0]).into(),
        ];
        for array in arrays {
            assert!(matches!(array.bytes(), Some(Cow::Borrowed([1 | 2, 0]))), "{array:?}");
        }
    }

    #[test]
    fn text_is_as_wide_as_the_longest() {
        let array = read(&written(&WriteOptions::new(), &["a", "naïve"]));
        assert_eq!(array.dtype().to_string(), "<U5");
        assert!(array.clone().cast::<FixedStr<5>>(Cast::Exact).is_err());
        let texts = NpyArray::<String>::try_from(array).unwrap();
        assert_eq!(texts.into_vec(), ["a", "naïve"]);
        let bytes = read(&written(&WriteOptions::new(), &[&b"\xff"[..], b"xyz"]));
        assert_eq!(bytes.dtype().to_string(), "|S3");
        // The file may be wider, so the message does not speak of it.
        let errors = [
            bytes.clone().cast::<f64>(Cast::Numeric).unwrap_err().to_string(),
            NpyArray::<f64>::try_from(bytes.clone()).unwrap_err().to_string(),
            NpyArray::<String>::try_from(bytes).unwrap_err().to_string(),
        ];
        for error in errors {
            assert!(error.starts_with("the array holds '|S3', "), "{error}");
        }
        assert_eq!(AnyArray::from(NpyArray::<String>::from(vec![])).dtype().to_string(), "<U1");
    }

    #[test]
    fn other_arrays_are_kept_and_can_be_cast() {
        let array = read(&written(&WriteOptions::new(), &[Void([1, 2]), Void([3, 0])]));
        assert!(matches!(array, AnyArray::Other(_)));
        assert_eq!((array.dtype().to_string(), array.len()), ("|V2".to_owned(), 2));
        assert_eq!(array.cast::<Void<2>>(Cast::Exact).unwrap()[[1]], Void([3, 0]));
    }

    #[cfg(feature = "objects")]
    #[test]
    fn objects_are_kept_and_cannot_be_cast() {
        let objects = written(&WriteOptions::new(), &[Some("a"), None]);
        let array = read(&objects);
        assert_eq!(written(&WriteOptions::new(), &array), objects);
        assert!(matches!(
            array.cast::<f64>(Cast::Exact).unwrap_err().kind(),
            ErrorKind::Unsupported { .. }
        ));
    }

    #[test]
    fn each_arm_has_its_type() {
        fn name(array: AnyArray) -> String {
            for_any!(array, typed => {
                Float => format!("float {:?}", typed.into_vec()),
                U8 | Bool => { format!("byte {:?}", typed.into_vec()) }
                I64 => { format!("i64 {:?}", typed[[0]].pow(2)) },
                DateTime => format!("time {:?}", typed.into_vec()),
                _ => format!("{:?}", typed.dtype().to_string())
            })
        }
        assert_eq!(name(NpyArray::from(vec![0.5f32]).into()), "float [0.5]");
        assert_eq!(name(NpyArray::from(vec![true]).into()), "byte [true]");
        assert_eq!(name(NpyArray::from(vec![-3i64]).into()), "i64 9");
        assert_eq!(name(NpyArray::from(vec![DateTime64::<Ms>::new(4)]).into()), "time [4]");
        assert_eq!(name(NpyArray::from(vec![0u16]).into()), "\"<u2\"");
    }

    /// Guards that each dtype selects the type of its variant, in both byte orders, and that any
    /// other dtype selects the last arm.
    #[test]
    fn each_dtype_has_its_type() {
        fn name(dtype: &str) -> &'static str {
            for_dtype!(dtype.parse::<DType>().unwrap(), T => {
                Number | Bool => std::any::type_name::<T>(),
                LongDouble => { if T::SIZE == 16 { "16 bytes" } else { "?" } }
                _ => "another",
            })
        }
        for (dtype, expected) in [
            ("|b1", "bool"),
            ("|i1", "i8"),
            (">i2", "i16"),
            ("<i4", "i32"),
            (">i8", "i64"),
            ("|u1", "u8"),
            ("<u2", "u16"),
            (">u4", "u32"),
            ("<u8", "u64"),
            ("<f4", "f32"),
            (">f8", "f64"),
            (">f16", "16 bytes"),
            ("<U5", "another"),
            ("<M8[s]", "another"),
            ("[('x', '<f4')]", "another"),
            ("|O", "another"),
        ] {
            assert_eq!(name(dtype), expected, "{dtype}");
        }
    }
}
