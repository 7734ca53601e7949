//! Reads NumPy's `.npy` and `.npz` files into Rust types and writes them back.
//!
//! ```sh
//! cargo add npy-core
//! ```
//!
//! # The six calls you need
//!
//! [`load`], [`save`], [`Reader::open`], [`Writer::append`], [`npz::Reader::open`] and [`npz::Writer::create`] do nearly everything, with a `Vec`, an [`NpyArray`],
//! or a `Vec` of a struct that derives [`NpyRecord`](macro@NpyRecord):
//!
//! | if you want to | use |
//! |---|---|
//! | read a file | [`load::<Vec<f64>>("x.npy")?`](load); for more than one dimension `NpyArray<f64>`, with `grid.shape()` and `grid[[row, column]]`; from a socket, stdin or gzip, that is any `Read`, [`Vec::<f64>::read_npy_from(&mut stream)?`](ReadNpy::read_npy_from), for several arrays until `stream.fill_buf()?` is empty |
//! | write a file | [`save("x.npy", &values)?`](save); a 2-D array from [`NpyArray::new(values, [rows, columns])?`](NpyArray::new), from [`NpyView::new(&slice, [rows, columns])?`](NpyView::new), or `&[[1.0, 2.0], [3.0, 4.0]]` |
//! | read numbers of another type, or an unknown one | [`ReadOptions::new().cast(Cast::Lossless).read::<Vec<f64>>("x.npy")?`](ReadOptions::cast); [`load::<AnyArray>("x.npy")?.cast::<f64>(Cast::Checked)?`](AnyArray::cast), an `NpyArray`. `Cast::Lossless` changes no value, and refuses a type that might (`i64` as `f64`); `Cast::Checked` refuses values out of range, fractions as integers and imaginary parts, but rounds in silence (`i64` 2⁵³ + 1 becomes 2⁵³ as `f64`); `Cast::Numeric` refuses no number: it converts as Rust's `as`, in silence, and drops imaginary parts. Long doubles and bfloat16 are not cast: read [`LongDouble`], `half::bf16`, which have `to_f64()`, which rounds a long double. An `AnyArray` of text is written again as wide as its longest |
//! | see what is in a file | [`Header::read_npy("x.npy")?`](Header::read_npy), with its `dtype()` and `shape()`; its first rows, to be printed, are [`Reader::open("x.npy")?.read_dyn_chunk(5)?`](Reader::read_dyn_chunk), but for a single element (0-d) and Python objects, which it refuses; [`load::<DynArray>("x.npy")?`](DynArray) holds any array, and fails if the file ends too early. The others read only a part and may pass: the length of the file must be `reader.data_offset() + reader.header().data_bytes()`, but for Python objects |
//! | read or write records (structured arrays) | [`#[derive(NpyRecord)]`](macro@NpyRecord) on a struct `Trace`, then `Vec<Trace>` as any other `Vec`; on its fields `#[npy(width = 8)]` for a `String` (`U8`) and `#[npy(skip)]` for one that is not in the file, `#[npy(default)]` for one that may be missing there; [`#[derive(NpyElement)]`](macro@NpyElement) and `#[repr(u8)]` on an enum without fields |
//! | read one column of records | [`Reader::open("traces.npy")?.read_column::<f32>("gain")?`](Reader::read_column); of text `read_column::<FixedStr<5>>("code")?`, of bytes (`S5`) `ByteStr<5>`; `seek_to(0)?` before the next one; two or more columns are one pass, and faster, with a struct of just these fields |
//! | append rows | [`Writer::<Trace>::append("traces.npy")?`](Writer::append), [`create`](Writer::create) for a new file ([`WriteOptions::new().atomic(true).create::<Trace>("traces.npy")?`](WriteOptions::atomic) keeps an old one until `finish`), or [`append_or_create`](Writer::append_or_create) if there may be none yet, or, in a program that may be killed, [`WriteOptions::new().uncounted_rows(UncountedRows::Keep).append_or_create::<Trace>("traces.npy")?`](WriteOptions::uncounted_rows), which also keeps rows that the header does not count (`append` and `append_or_create` alone refuse such a file); `push(&trace)?`, `flush()?` when others shall see the rows, `sync()?` in its place where they must survive a loss of power, `finish()?`; [`RowWriter::<f32>::append("grid.npy")?`](RowWriter::append) with `push_row(&[…])?` for rows of a 2-D array |
//! | read one array of an archive | [`npz::Reader::open("run.npz")?.read::<Vec<f64>>("time")?`](npz::Reader::read), [`names()`](npz::Reader::names) lists them, and [`header("time")?`](npz::Reader::header) has the dtype and the shape; all arrays, whatever their dtypes and names (but for an empty one), [`npz::load::<BTreeMap<String, AnyArray>>("run.npz")?`](npz::load) |
//! | write several arrays into an archive | [`npz::Writer::create("run.npz")?`](npz::Writer::create), or [`npz::WriteOptions::new().deflate(6).create("run.npz")?`](npz::WriteOptions::deflate) for a compressed one, `write("time", &time)?`, `finish()?`; `append("run.npz")?` in place of `create` adds to one (compressed only after `deflate`, too); or [`#[derive(NpzArchive)]`](macro@NpzArchive) on a struct of arrays (`#[npy(flatten)]` on a field that is a `BTreeMap<String, AnyArray>` takes the other members), then [`npz::save`] or [`npz::save_compressed`], and [`npz::load`]. To change one, [`npz::Editor::open("run.npz")?`](npz::Editor), whose `write` replaces an array, `rename`, `remove`, `finish()?` |
//! | use a file larger than memory | [`for record in reader.records::<Trace>()? { let record = record?; … }`](Reader::records); blocks by [`reader.read_chunk::<[f64; 3]>(&mut rows, 10)?`](Reader::read_chunk), which appends ten rows of three to the `Vec` `rows`; rows of a 2-D array by [`Reader::rows`], `while let Some(row) = rows.next_row()?`; any of them from [`reader.seek_to(1_000_000)?`](Reader::seek_to) on; of a file in Fortran order rows after [`reader.seek_to_row(n)?`](Reader::seek_to_row), which comes before `reader.rows()`; in place [`unsafe { Map::<f64>::open("x.npy")? }`](Map::open), whose `map[a..b]` is a slice and `map.at(&[row, column])` an element; of rows of ten numbers `Map::<[f64; 10]>`, whose `map[a..b]` is rows; [`MapMut`] changes the file in place. Records for both: `#[derive(NpyRecord, ZeroCopy, Clone, Copy)]`, `#[repr(C, packed)]`, without `bool`, `FixedStr` and enums |
//! | read or write text or times | `load::<Vec<String>>(…)`, [`load::<Vec<DateTime64<time::Ns>>>(…)`](DateTime64); in records and their columns [`FixedStr::<8>::new("RJOB")?`](FixedStr) for `U8`, [`ByteStr<8>`](ByteStr) for `S8`, [`DateTime64::<time::Ns>::new(count)`](DateTime64::new). The units are [`time::Day`](time), `Second`, `Ms`, `Us`, `Ns` and others |
//! | read or write big-endian files, or Fortran order | the same calls; indices such as `grid[[row, column]]`, and rows, mean what they mean in Python, and slices and chunks are in the order of the file. `save` keeps C or Fortran order of an array that was read; a `DynArray` keeps its byte order, too. To write one, or `Order::C`: [`WriteOptions::new().byte_order(ByteOrder::Big).order(Order::Fortran).write("x.npy", &array)?`](WriteOptions) |
//!
//! Print an error: it names the file, the place and the remedy. [`Error::kind`] tells errors apart: [`ErrorKind::Mismatch`] is another dtype, [`ErrorKind::Rank`] another number of
//! dimensions. A file that ends too early still has its first rows: the loop of [`reader.records::<f64>()?`](Reader::records) gets values until the error
//! (`[f64; 3]`: rows of three), and the command `npy repair` (`cargo install npy-cli`) makes a file of them.
//!
//! The rest is for other cases: the [tutorial](_guide::tutorial) goes from `np.save` to nested big-endian records, the [cookbook](_guide::cookbook) has over forty tasks with a
//! program for each, and [`from_numpy`](_guide::from_numpy) has our call for each of Python's; [the guide](_guide) has the other pages. Most of the calls above, in one program:
//!
//! ```
//! use npy_core::{AnyArray, ByteOrder, Cast, DateTime64, Header, Map, NpyArray, NpyRecord};
//! use npy_core::{Order, Reader, WriteOptions, Writer, load, npz, save, time};
//!
//! #[derive(NpyRecord, Debug, Clone, PartialEq)]
//! struct Trace {
//!     station: u32,
//!     #[npy(rename = "t0")]
//!     start: DateTime64<time::Ms>,
//!     gain: f32,
//!     samples: [f32; 4],
//! }
//!
//! fn main() -> npy_core::Result<()> {
//! #   let dir = tempfile::tempdir()?; std::env::set_current_dir(&dir)?;
//!     // Numbers. A `Vec` has one dimension, an `NpyArray` any number of them.
//!     save("x.npy", &[1.5, 2.5, 4.0])?; // np.load reads it
//!     let x: Vec<f64> = load("x.npy")?;
//!     save("grid.npy", &NpyArray::new(vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?)?;
//!     let grid: NpyArray<f32> = load("grid.npy")?;
//!     assert_eq!((x[2], grid[[1, 0]]), (4.0, 4.0)); // row 1, column 0
//!
//!     let names = ["RJOB", "KONO"];
//!     save("names.npy", &names)?; // text, of the width of the longest
//!     assert_eq!(load::<Vec<String>>("names.npy")?, names);
//!
//!     // A file in another layout, which is read like any other.
//!     WriteOptions::new()
//!         .byte_order(ByteOrder::Big)
//!         .order(Order::Fortran)
//!         .write("big.npy", &grid)?;
//!     assert_eq!(load::<NpyArray<f32>>("big.npy")?[[1, 0]], 4.0);
//!
//!     // A file of unknown dtype and shape.
//!     let header = Header::read_npy("grid.npy")?;
//!     println!("{} {:?}", header.dtype(), header.shape()); // <f4 [2, 3]
//!     let numbers = load::<AnyArray>("grid.npy")?.cast::<f64>(Cast::Numeric)?;
//!     assert_eq!(numbers.iter().sum::<f64>(), 21.0);
//!
//!     // Records: written, appended to, read at once, one by one, and by column.
//!     let start = "2009-08-24T00:20:03.5".parse().expect("ISO 8601");
//!     let trace = Trace { station: 7, start, gain: 1.5, samples: [0.0; 4] };
//!     save("traces.npy", &vec![trace.clone()])?; // np.load("traces.npy")["gain"]
//!     let mut writer = Writer::<Trace>::append("traces.npy")?;
//!     writer.push(&trace)?;
//!     writer.finish()?;
//!     assert_eq!(load::<Vec<Trace>>("traces.npy")?, [trace.clone(), trace]);
//!     for trace in Reader::open("traces.npy")?.records::<Trace>()? {
//!         println!("{}", trace?.start);
//!     }
//!     let gains: Vec<f32> = Reader::open("traces.npy")?.read_column("gain")?;
//!
//!     // A file larger than memory: in blocks, or in place.
//!     let (mut reader, mut block, mut sum) = (Reader::open("x.npy")?, Vec::<f64>::new(), 0.0);
//!     while reader.read_chunk(&mut block, 1 << 20)? > 0 {
//!         sum += block.drain(..).sum::<f64>();
//!     }
//!     // SAFETY: nobody changes or shortens the file while it is mapped.
//!     let map = unsafe { Map::<f64>::open("x.npy")? };
//!     assert_eq!((sum, map[2]), (8.0, 4.0));
//!
//!     // Several arrays in one file.
//!     let mut archive = npz::Writer::create("run.npz")?;
//!     archive.write("gains", &gains)?;
//!     archive.write("grid", &grid)?;
//!     archive.finish()?;
//!     let again: NpyArray<f32> = npz::Reader::open("run.npz")?.read("grid")?;
//!     assert_eq!(again, grid);
//!     Ok(())
//! }
//! ```
//!
//! # Which type do I read into?
//!
//! | the file | the type |
//! |---|---|
//! | numbers in one dimension | `Vec<f64>` |
//! | numbers in several dimensions | [`NpyArray<f64>`](NpyArray), or `ndarray::Array3<f64>` with the feature `ndarray` |
//! | one number | `f64` |
//! | numbers of a type that you do not know | [`AnyArray`] |
//! | a structured array | `Vec` of a struct that derives [`NpyRecord`](macro@NpyRecord); `npy struct FILE` of the package `npy-cli` writes it |
//! | text | `Vec<String>` |
//! | text with missing values, from pandas | `Vec<Option<String>>` |
//! | times | `Vec<`[`DateTime64<time::Ns>`](DateTime64)`>`, in the unit of the file |
//! | a dict, a list, other Python objects | a struct, by [`object::load`](object) with the feature `serde`; or [`Objects`] |
//! | anything | [`DynArray`] |
//! | a `.npz` file | a struct that derives [`NpzArchive`](macro@NpzArchive), or [`npz::Reader`] |
//!
//! The item type must be that of the file, unless a [`Cast`] allows more: [`ReadOptions::new().cast(Cast::Lossless).read::<Vec<f64>>("x.npy")?`](ReadOptions::cast) changes no value,
//! and [`Cast::Checked`] converts more numbers, but rounds. [`types`] lists all types and their dtypes.
//!
//! # Features
//!
//! | feature | adds | depends on |
//! |---|---|---|
//! | `derive` (default) | the derive macros `NpyRecord`, `NpyElement`, `ZeroCopy` and, with `npz`, `NpzArchive` | `npy-core-derive`, with `syn`, while compiling |
//! | `atomic` (default) | replaced files keep their group and ACL, a kill leaves nothing behind, and files that grow are locked | `whole-file`, with `rustix` on Unix |
//! | `mmap` (default) | [`Map`], [`MapMut`], [`MapAny`]; large pages for large results on Linux | `atomic`; `memmap2`, `libc` |
//! | `npz` (default) | archives, stored or deflated | `atomic`; `npy-zip`, with `flate2`, `zlib-rs` and `crc32fast` |
//! | `objects` (default) | Python objects: [`Objects`], lists of `Option` | `npy-pickle`, which has no dependency |
//! | `bzip2` | archives whose members are compressed by bzip2 are read | `npz`; `bzip2` in Rust |
//! | `lzma` | the same for LZMA | `npz`; `lzma-rust2` |
//! | `zstd` | the same for Zstandard | `npz`; `ruzstd` |
//! | `zstd-write` | archives are also written by Zstandard: `npz::WriteOptions::zstd` | `zstd`; the crate `zstd`, which needs a C compiler |
//! | `ndarray` | `ndarray::Array` is read, written, and converted to and from [`NpyArray`]; our arrays are viewed as theirs | `ndarray` 0.17 |
//! | `serde` | rows, tables and Python objects to and from JSON, CSV, your structs | `objects`; `serde` 1, `castaway` |
//! | `half` | `half::f16`, `half::bf16` as items | `half` 2 |
//! | `num-complex` | `num_complex::Complex` as an item | `num-complex` 0.4 |
//! | `jiff` | times to and from jiff's | `jiff` 1 |
//! | `chrono` | times to and from chrono's | `chrono` 0.4 |
//!
//! No dependency but that of `zstd-write` compiles C. `default-features = false` has no dependency, and reads and writes `.npy` files of every dtype but Python objects; `features = ["derive"]` beside
//! it is the usual small choice.
//!
//! # Why it is larger than its peers
//!
//! `npy-core` and the packages that it depends on have 34,000 lines of code, tests and comments not counted; npyz has 3,800, ndarray-npy 1,600. The lines are for what those leave to the
//! program: fields matched by name in any layout, dtypes unknown until run time, casts, Python objects as data, parts, columns and appending, archives that are edited, files that are
//! replaced as a whole, forged files that cost neither a panic nor memory, and errors that say what to do. [`comparison`](_guide::comparison) has both sides.
//!
//! Nothing is paid for a feature that is off: neither its code nor its dependencies are compiled. With the default features, a first build takes two thirds of the time of npyz with its
//! archives, and a tenth more than ndarray-npy; without features it is two thirds of npyz without its own (`cargo xtask build-time`). And code that a program does not call is not
//! in the program. Everybody pays with more to learn, which the table above is for, and with more code to trust; and it is new, without years in other projects.
//!
//! # All names
//!
//! | for | names |
//! |---|---|
//! | arrays in one call | [`load`], [`save`], [`ReadNpy`], [`WriteNpy`]; [`ReadOptions`], [`Cast`], [`Limits`]; [`WriteOptions`], also for files without a header |
//! | arrays in memory | [`NpyArray`], [`NpyView`], [`NpyViewMut`], [`Order`]; [`ArrayView`] and [`ArrayViewMut`] are other names of the views |
//! | records | [`NpyRecord`](macro@NpyRecord), [`NpyElement`](macro@NpyElement), [`ZeroCopy`](macro@ZeroCopy), [`assert_reads!`]; [`Element`], [`FieldLayout`]; the package `npy-codegen` writes the structs of files |
//! | types of items | [`types`] lists all; [`DateTime64`], [`TimeDelta64`], [`time`]; [`FixedStr`], [`ByteStr`], [`Void`]; [`Bool8`], [`LongDouble`], [`ComplexLongDouble`], [`Float8`], [`Float8Format`]; [`Le`], [`Be`], [`endian`] |
//! | arrays in parts | [`Reader`], [`Records`], [`RowReader`]; [`Writer`], [`RowWriter`], [`DynRowAppender`], [`ArrayWriter`], [`UncountedRows`]; [`Decoder`] without `Read`, for asynchronous sources |
//! | arrays of unknown type | [`AnyArray`], [`for_any!`], [`for_dtype!`]; [`DynArray`], [`DynView`], [`Value`], [`value`], [`Table`], [`TableRow`], [`Gather`], [`DeserializedRows`] |
//! | files in place | [`Map`], [`MapMut`], [`MapAny`], [`MapAnyMut`], [`Column`], [`mmap`] |
//! | archives | [`npz`], [`NpzArchive`](macro@NpzArchive) |
//! | Python objects | [`object`], [`Objects`], [`ObjectRef`]; [`WriteOptions::objects`] writes text so |
//! | headers and dtypes | [`Header`], [`Version`], [`DType`], [`Field`], [`ByteOrder`], [`dtype`], [`header`] |
//! | errors | [`Error`], [`ErrorKind`], [`Place`], [`Places`], [`Result`], [`ViewError`], [`InvalidValue`] |
//! | iterators | [`iter`] |
//!
//! # Without the feature `atomic`
//!
//! The default feature `atomic` replaces files by the package `whole-file`, as [`WriteNpy::write_npy`] says, and locks files that grow.
//! `mmap` and `npz` need it. Without it, the standard library alone replaces files: it writes a temporary file beside the target and renames
//! it, so that the target is still the old file or the complete new one. All methods are there, but:
//!
//! - The group, ACLs and attributes of the old file are not kept; its permissions are, those of a group that differs no more than for all
//!   others. The ACL of the directory may let more users read
//!   the new file.
//! - The temporary file has a name from the start, so it stays if the process is killed.
//! - Every link is followed, also one that another user put into `/tmp`; a link that leads to no file is itself replaced. If `/dev/stdout`
//!   leads to a file, that file is replaced.
//! - There are no locks. [`Writer::append`] lets several writers in, which lose each other's rows, and no error says that the file was
//!   replaced, renamed or removed while rows were written to it. [`ErrorKind::Locked`] is not returned for a file that
//!   another writer has open.

// Users derive `Debug` for structs that hold types of this crate.
#![warn(missing_debug_implementations)]
// On docs.rs, each item names the feature that it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Links to items of features that are off have no target. With all features, every link is checked.
#![cfg_attr(
    not(all(
        feature = "derive",
        feature = "mmap",
        feature = "npz",
        feature = "objects",
        feature = "ndarray",
        feature = "serde",
        feature = "half",
        feature = "num-complex",
        feature = "jiff",
        feature = "chrono"
    )),
    allow(rustdoc::broken_intra_doc_links)
)]
// No code that handles the bytes of a file may panic; tests may.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

// Derived code names this crate `npy_core`, also in the tests of this crate.
#[cfg(test)]
extern crate self as npy_core;

/// Compiles the examples of the README.
#[cfg(all(doctest, feature = "derive"))]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod _guide;
mod any;
mod array;
mod calendar;
mod checked;
pub mod dtype;
mod dynamic;
mod element;
mod error;
pub mod header;
#[cfg(feature = "ndarray")]
mod interop;
mod kernel;
mod limits;
mod literal;
#[cfg(feature = "mmap")]
pub mod mmap;
#[cfg(feature = "npz")]
pub mod npz;
#[cfg(feature = "objects")]
mod objects;
mod plan;
#[doc(hidden)]
pub mod private;
mod read;
mod reserve;
mod schema;
#[cfg(feature = "serde")]
mod serde;
mod shape;
pub mod types;
pub mod value;
mod view;
mod write;

/// Arrays of Python objects, which are read as data; see [`Objects`]. With the feature `serde`, they become Rust structs.
///
/// The records of a pandas frame with text, `np.save("frame.npy", df.to_records(index=False))`, are read in one call:
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use npy_core::{DateTime64, object, time::Us};
///
/// #[derive(serde::Deserialize)]
/// struct Row {
///     station: Option<String>,         // a column of text, where None and nan are missing
///     count: i64,
///     time: Option<DateTime64<Us>>,    // M8[us] of pandas 3; M8[ns] of pandas 2 needs Ns
/// }
///
/// let read = || object::load::<Vec<Row>>("frame.npy");
/// # let _ = read;
/// # }
/// ```
#[cfg(feature = "objects")]
pub mod object {
    pub use crate::objects::{Encoding, Entries, Items, Kind, ObjectRef, Objects};
    #[cfg(feature = "serde")]
    pub use crate::serde::object::{AsObject, save, save_to};
    #[cfg(feature = "serde")]
    pub use crate::serde::{load, load_from};
}

/// The iterators that methods return, for programs that name their types.
pub mod iter {
    pub use crate::array::IntoIter;
    pub use crate::dynamic::{TableRows, Values};
    #[cfg(feature = "mmap")]
    pub use crate::mmap::Values as ColumnValues;
    pub use crate::read::IntoRecords;
    pub use crate::shape::{Iter, IterMut};
    pub use crate::value::{CodePoints, Fields, Parts};
}

#[cfg(feature = "serde")]
pub use crate::serde::DeserializedRows;
pub use any::AnyArray;
pub use array::{NpyArray, NpyView, NpyViewMut};
// With a line about each on the first page, and not only in its module.
#[doc(inline)]
pub use dtype::{ByteOrder, DType, Field};
pub use dynamic::{DynArray, DynView, Gather, Table, TableRow};
pub use element::bool8::Bool8;
pub use element::cast::zero_copy::ZeroCopy;
pub use element::endian::{Be, Le};
pub use element::float8::{Float8, Float8Format};
pub use element::longdouble::{ComplexLongDouble, LongDouble};
pub use element::record::{FieldLayout, NpyRecord};
pub use element::text::ByteStr;
pub use element::time::{DateTime64, TimeDelta64};
pub use element::ucs4::FixedStr;
pub use element::void::Void;
pub use element::{Element, InvalidValue, endian, time};
pub use error::{Error, ErrorKind, Place, Places, Result, ViewError};
#[doc(inline)]
pub use header::{Header, Version};
pub use limits::Limits;
#[cfg(feature = "mmap")]
#[doc(inline)]
pub use mmap::{Column, Map, MapAny, MapAnyMut, MapMut};
#[cfg(feature = "derive")]
pub use npy_derive::{NpyElement, NpyRecord, ZeroCopy};
#[cfg(feature = "npz")]
#[doc(inline)]
pub use npz::NpzArchive;
#[cfg(feature = "objects")]
pub use objects::{ObjectRef, Objects};
pub use plan::Cast;
pub use read::{Decoder, ReadNpy, ReadOptions, Reader, Records, RowReader, load};
pub use shape::Order;
#[doc(inline)]
pub use value::Value;
pub use write::{
    ArrayWriter, DynRowAppender, RowWriter, UncountedRows, WriteNpy, WriteOptions, Writer, save,
};

/// [`NpyView`] by its other name, for views of files.
pub type ArrayView<'a, T> = NpyView<'a, T>;

/// [`NpyViewMut`] by its other name.
pub type ArrayViewMut<'a, T> = NpyViewMut<'a, T>;
