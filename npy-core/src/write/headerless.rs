//! Files without a header: the data alone, as NumPy's `tofile` writes it.

use std::io::Write;
use std::path::Path;

use super::stream::Writer;
use super::{WriteNpy, WriteOptions};
use crate::element::Element;
use crate::element::type_info::TypeInfo;
use crate::error::Result;
use crate::header::Header;
use crate::shape::Order;

impl<T: Element, W: Write> Writer<T, W> {
    /// Starts data without a header, for any number of elements, as NumPy's `tofile` writes it.
    /// `writer` need not seek: it may be a pipe, or a file that was opened with `append(true)`,
    /// which gets the elements at its end.
    ///
    /// Whoever reads the data must know the dtype and the shape: [`Reader::headerless`](crate::Reader::headerless), `np.fromfile`.
    ///
    /// ```
    /// use npy_core::{Reader, Writer};
    ///
    /// let mut writer = Writer::<u16, _>::headerless(Vec::new())?;
    /// writer.extend([1, 2, 3])?;
    /// let data = writer.finish()?;
    /// assert_eq!(data, [1, 0, 2, 0, 3, 0]);
    /// assert_eq!(Reader::headerless(&data[..], "<u2".parse()?, [3])?.read_vec::<u16>()?, [1, 2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects.
    #[doc(alias("tofile", "tobytes"))]
    pub fn headerless(writer: W) -> Result<Self> {
        WriteOptions::new().headerless(writer)
    }
}

impl WriteOptions {
    /// Starts data without a header; see [`Writer::headerless`]. Of the options, only the byte order has an effect.
    ///
    /// ```
    /// use npy_core::{ByteOrder, WriteOptions};
    ///
    /// let mut options = WriteOptions::new();
    /// let mut writer = options.byte_order(ByteOrder::Big).headerless::<u16, _>(Vec::new())?;
    /// writer.extend([1, 2])?;
    /// assert_eq!(writer.finish()?, [0, 1, 0, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::headerless`].
    pub fn headerless<T: Element, W: Write>(&self, writer: W) -> Result<Writer<T, W>> {
        let (plan, item) = self.item_shape(TypeInfo::of::<T>())?;
        Header::new(item.base, &[][..], Order::C)?.without_objects()?;
        Writer::without_header(writer, plan)
    }

    /// Writes the data of an array to a file, without a header, as NumPy's `tofile` does: in C order, whatever order the array has in
    /// memory, unless [`order`](Self::order) states another. The file is replaced as by [`WriteNpy::write_npy`].
    ///
    /// Whoever reads the file must know the dtype and the shape: [`Reader::open_headerless`](crate::Reader::open_headerless),
    /// `np.fromfile`. Text is as wide as the longest value; the file does not state this width.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{ByteOrder, NpyArray, Reader, WriteOptions};
    ///
    /// let array = NpyArray::new(vec![1i16, 2, 3, 4], [2, 2])?;
    /// WriteOptions::new().byte_order(ByteOrder::Big).write_headerless("x.raw", &array)?;
    /// assert_eq!(std::fs::read("x.raw")?, [0, 1, 0, 2, 0, 3, 0, 4]);
    ///
    /// let mut reader = Reader::open_headerless("x.raw", ">i2".parse()?, &[2])?;
    /// assert_eq!(reader.read_array::<i16>()?, array);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`WriteNpy::write_npy`], and [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects.
    #[doc(alias("tofile"))]
    pub fn write_headerless<A: WriteNpy + ?Sized>(
        &self,
        path: impl AsRef<Path>,
        array: &A,
    ) -> Result<()> {
        self.of_data_alone().write(path, array)
    }

    /// Writes the data of an array to a writer, without a header; see [`write_headerless`](Self::write_headerless).
    ///
    /// ```
    /// use npy_core::{NpyArray, Order, WriteOptions};
    ///
    /// let columns = NpyArray::with_order(vec![1u8, 2, 3, 4], [2, 2], Order::Fortran)?;
    /// let mut data = Vec::new();
    /// WriteOptions::new().write_headerless_to(&mut data, &columns)?;
    /// assert_eq!(data, [1, 3, 2, 4]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`write_headerless`](Self::write_headerless).
    #[doc(alias("tofile", "tobytes"))]
    pub fn write_headerless_to<A: WriteNpy + ?Sized>(
        &self,
        writer: impl Write,
        array: &A,
    ) -> Result<()> {
        self.of_data_alone().write_to(writer, array)
    }

    /// Returns the same options for data without a header, which cannot state the order of an array.
    fn of_data_alone(&self) -> Self {
        let order = Some(self.order.unwrap_or_default());
        WriteOptions { order, without_header: true, ..self.clone() }
    }
}
