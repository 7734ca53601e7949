//! The derive macros of `npy-core`. That crate re-exports them: depend on it, not on this crate.

mod archive;
mod attr;
mod bound;
mod case;
mod ctxt;
mod element;
mod field;
mod input;
mod record;
mod tokens;
mod zero_copy;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::attr::{Container, Stored, Target, Viewed};
use crate::ctxt::Ctxt;

/// Makes a struct a NumPy record: implements `Element` and `NpyRecord`, and `ReadNpy` for a single record.
///
/// The fields of the struct are the fields of the record, in the same order and without gaps; the
/// fields of a tuple struct are called `f0`, `f1`, … Each field's type must be an `Element`, such
/// as a number or another record. The struct may have type parameters and const parameters; a type
/// parameter that a field uses must be an `Element`. The fields of a `#[repr(packed)]` struct must
/// be `Copy`, because they cannot be borrowed.
///
/// ```
/// use npy_core::{Element, NpyRecord};
///
/// #[derive(NpyRecord)]
/// struct Trace<T, const N: usize> {
///     station: u32,
///     samples: [T; N],
/// }
///
/// let dtype = Trace::<f32, 3>::dtype();
/// assert_eq!(dtype.to_string(), "[('station', '<u4'), ('samples', '<f4', (3,))]");
/// ```
///
/// Reading matches fields by name: their order is free, and fields that the struct lacks are skipped.
///
/// A single record is an array without dimensions. It is read as the struct, and written as an `NpyArray` of one record and no dimensions:
///
/// ```
/// use npy_core::{NpyArray, NpyRecord, ReadNpy, WriteNpy};
///
/// #[derive(NpyRecord)]
/// struct Settings {
///     rate: f32,
/// }
///
/// let mut file = Vec::new();
/// NpyArray::new(vec![Settings { rate: 100.0 }], [])?.write_npy_to(&mut file)?;
/// assert_eq!(Settings::read_npy_from(&file[..])?.rate, 100.0);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # On the struct
///
/// | `#[npy(…)]` | |
/// |---|---|
/// | [`rename_all = "camelCase"`](#names) | the case of all names: `lowercase`, `UPPERCASE`, `PascalCase`, `camelCase`, `snake_case`, `SCREAMING_SNAKE_CASE`, `kebab-case`, `SCREAMING-KEBAB-CASE` |
/// | [`align`](#offsets-and-padding) | fields and padding where C has them, as `np.dtype(…, align=True)`; the struct must be `#[repr(C)]`. Nested records need both, too: without them they are packed |
/// | [`itemsize = N`](#offsets-and-padding) | size of a record in bytes; the bytes after the last field are padding |
/// | [`endian = "big"`](#byte-order) | the byte order to write: `big`, `little` or `native`; also for nested records that do not state one |
/// | [`default`](#what-a-file-may-lack-or-have) | a field that a file lacks is taken from the struct's `Default`, except fields of a flattened record |
/// | [`deny_unknown_fields`](#what-a-file-may-lack-or-have) | a field that the struct lacks is an error; no effect where the struct is flattened |
/// | [`bound(T: Element)`](#other) | these bounds instead of the inferred ones; also `bound = "T: Element"` |
/// | [`crate = path`](#other) | where `npy-core` is, if not at `::npy_core` |
///
/// # On a field
///
/// | `#[npy(…)]` | |
/// |---|---|
/// | [`rename = "x"`](#names) | the name in the file |
/// | [`alias = "y"`](#names) | another name that is accepted when reading; may be repeated |
/// | [`title = "…"`](#names) | NumPy's title: a second name, which is written too |
/// | [`endian = "big"`](#byte-order) | the byte order of this field, whatever the struct says |
/// | [`offset = N`](#offsets-and-padding) | its offset in bytes; a gap before it is padding. Offsets must ascend |
/// | [`default`, `default = path`](#what-a-file-may-lack-or-have) | its value if a file lacks it: its type's `Default`, or the result of this function. The value is made once per file (again if items of another type are read in between). It is encoded, and then decoded for each record, so it loses what a file cannot hold (a skipped field, excess digits). A default needs memory beyond the size of the file |
/// | [`skip`](#what-a-file-may-lack-or-have) | not in the file; a new value for each record: its type's `Default`, the result of `default = path`, or the field of the struct's `Default`. Its type need not be an `Element` |
/// | [`width = N`](#text) | a `String` of up to `N` characters (`<UN`), or a `Vec<u8>` of up to `N` bytes (`\|SN`); narrower text is read too |
/// | [`width = N, bytes`](#text) | a `String` of up to `N` bytes of UTF-8 (`\|SN`) |
/// | [`width = any`, `width = any, bytes`](#text) | the same as above with the width of the file, up to 1,024 characters or 4,096 bytes; only for reading |
/// | [`with = module`](#other-types) | stored as `module::Stored`, an `Element`, through `module::encode(&Field) -> Stored` and `module::decode(Stored) -> Field`; either may return a `Result` of it instead, whose error is of any type that implements `Display`, and names the field and the row |
/// | [`flatten`](#flattened-records) | the fields of this record, instead of one field that is a record |
///
/// For large arrays, `Box<[T; N]>` is stored like `[T; N]` and never placed on the stack.
///
/// # Examples
///
/// ## Names
///
/// ```
/// # use npy_core::{Element, NpyRecord};
/// #[derive(NpyRecord)]
/// #[npy(rename_all = "camelCase")]
/// struct Pick {
///     #[npy(alias = "t0", alias = "time")]
///     arrival_time: f64,
///     #[npy(rename = "SNR", title = "signal to noise")]
///     signal_to_noise: f32,
/// }
/// let descr = "[('arrivalTime', '<f8'), (('signal to noise', 'SNR'), '<f4')]";
/// assert_eq!(Pick::dtype().to_string(), descr);
/// ```
///
/// A name may be empty (`rename = ""`), as in NumPy. But NumPy reads raw bytes and sub-arrays with
/// an empty name and no title as padding, so such fields cannot be written.
///
/// ## Offsets and padding
///
/// The layout of C:
///
/// ```
/// # use npy_core::{Element, NpyRecord};
/// #[derive(NpyRecord)]
/// #[npy(align)]
/// #[repr(C)]
/// struct Sample {
///     flag: u8,
///     value: f64,
/// }
/// assert_eq!(Sample::dtype().to_string(), "[('flag', '|u1'), ('', '|V7'), ('value', '<f8')]");
/// ```
///
/// A layout by hand:
///
/// ```
/// # use npy_core::{Element, NpyRecord};
/// #[derive(NpyRecord)]
/// #[npy(itemsize = 8)]
/// struct Header {
///     kind: u8,
///     #[npy(offset = 4)]
///     count: u16,
/// }
/// let descr = "[('kind', '|u1'), ('', '|V3'), ('count', '<u2'), ('', '|V2')]";
/// assert_eq!(Header::dtype().to_string(), descr);
/// ```
///
/// ## Byte order
///
/// Nested records inherit the byte order:
///
/// ```
/// # use npy_core::{Element, NpyRecord};
/// #[derive(NpyRecord)]
/// struct Inner {
///     gain: f32,
/// }
///
/// #[derive(NpyRecord)]
/// #[npy(endian = "big")]
/// struct Outer {
///     inner: Inner,
///     #[npy(endian = "little")]
///     count: u16,
/// }
/// assert_eq!(Outer::dtype().to_string(), "[('inner', [('gain', '>f4')]), ('count', '<u2')]");
/// ```
///
/// ## What a file may lack or have
///
/// The same rules hold for records with Python objects, such as the text of pandas, and for the keys of dictionaries. There each object is
/// looked at, so an array without rows has no error.
///
/// ```
/// # use npy_core::{NpyRecord, ReadNpy, WriteNpy};
/// #[derive(NpyRecord)]
/// struct Old {
///     station: u32,
/// }
///
/// fn unit() -> f32 {
///     1.0
/// }
///
/// #[derive(NpyRecord)]
/// #[npy(deny_unknown_fields)]
/// struct New {
///     station: u32,
///     #[npy(default = unit)]
///     gain: f32,
///     #[npy(default)]
///     channel: u8,
///     #[npy(skip)]
///     comment: Option<String>,
/// }
///
/// let mut file = Vec::new();
/// [Old { station: 7 }].write_npy_to(&mut file)?;
/// let new = &Vec::<New>::read_npy_from(&file[..])?[0];
/// assert_eq!((new.station, new.gain, new.channel), (7, 1.0, 0));
///
/// let mut file = Vec::new();
/// [New { station: 7, gain: 2.0, channel: 1, comment: None }].write_npy_to(&mut file)?;
/// assert_eq!(Vec::<Old>::read_npy_from(&file[..])?[0].station, 7);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Defaults for a whole struct, for example a program's settings:
///
/// ```
/// # use npy_core::{NpyRecord, ReadNpy, WriteNpy};
/// # let mut file = Vec::new();
/// # #[derive(NpyRecord)] struct Rate { rate: f64 }
/// # [Rate { rate: 100.0 }].write_npy_to(&mut file)?;
/// #[derive(NpyRecord)]
/// #[npy(default)]
/// struct Settings {
///     rate: f64,
///     gain: f64,
/// }
///
/// impl Default for Settings {
///     fn default() -> Self {
///         Settings { rate: 50.0, gain: 1.0 }
///     }
/// }
///
/// let settings = &Vec::<Settings>::read_npy_from(&file[..])?[0]; // a file with `rate` alone
/// assert_eq!((settings.rate, settings.gain), (100.0, 1.0));
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// ## Text
///
/// Writing a value that is too long, or that ends with a NUL (which NumPy would drop), is an error.
/// Reading bytes that are not valid text is an error, too. A file may have narrower text than the
/// struct: the same text with less padding. Wider text is an error.
///
/// ```
/// # use npy_core::{Element, NpyRecord};
/// #[derive(NpyRecord)]
/// struct Note {
///     #[npy(width = 20)]
///     text: String,
///     #[npy(width = 5, bytes)]
///     code: String,
///     #[npy(width = 8)]
///     raw: Vec<u8>,
/// }
/// let descr = "[('text', '<U20'), ('code', '|S5'), ('raw', '|S8')]";
/// assert_eq!(Note::dtype().to_string(), descr);
/// ```
///
/// With `width = any`, the file decides: text of every width up to 4,096 bytes is read, which is
/// 1,024 characters in `U`. For wider text, state a width that is large enough. A struct with
/// `width = any` is only for reading. Writing it is an error, because its dtype has no width
/// (`<U0`); `offset`, `itemsize` and `align` are refused. The time to read a field grows with the
/// width in the file. With `width = N` it grows with `N`, because each text is padded to that width
/// first.
///
/// ```
/// # use npy_core::{NpyRecord, ReadNpy, WriteNpy};
/// # #[derive(NpyRecord)] struct Written { #[npy(width = 12)] name: String }
/// # let mut file = Vec::new();
/// # [Written { name: "Grimsel".into() }].write_npy_to(&mut file)?;
/// #[derive(NpyRecord)]
/// struct Station {
///     #[npy(width = any)]
///     name: String,
/// }
/// let stations = Vec::<Station>::read_npy_from(&file[..])?; // a file with `<U12`
/// assert_eq!(stations[0].name, "Grimsel");
/// assert!(stations.write_npy_to(&mut Vec::new()).is_err());
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// ## Other types
///
/// ```
/// use std::time::{Duration, TryFromFloatSecsError};
/// # use npy_core::{Element, NpyRecord, ReadNpy, WriteNpy};
///
/// mod seconds {
///     # use std::time::{Duration, TryFromFloatSecsError};
///     pub type Stored = f64;
///
///     pub fn encode(duration: &Duration) -> Stored {
///         duration.as_secs_f64()
///     }
///
///     // A function that cannot fail returns a `Duration`.
///     pub fn decode(seconds: Stored) -> Result<Duration, TryFromFloatSecsError> {
///         Duration::try_from_secs_f64(seconds)
///     }
/// }
///
/// #[derive(NpyRecord)]
/// struct Event {
///     #[npy(with = seconds)]
///     length: Duration,
/// }
/// assert_eq!(Event::dtype().to_string(), "[('length', '<f8')]");
///
/// #[derive(NpyRecord)]
/// struct Logged {
///     length: f64,
/// }
/// let mut file = Vec::new();
/// [Logged { length: 1.5 }, Logged { length: -2.0 }].write_npy_to(&mut file)?;
/// let error = Vec::<Event>::read_npy_from(&file[..]).err().unwrap().to_string();
/// assert!(error.starts_with(r#"row 1: field "length": "#), "{error}");
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// The error can be of any type that implements `Display`. A `decode` that returns a `Result` is called twice for each value: once to check it. It must give
/// the same answer both times.
///
/// ## Flattened records
///
/// Each field of the flattened record is found by its own name, and keeps its aliases and its
/// default. Layout and byte order are as if the record were nested. No name or title may occur
/// twice.
///
/// ```
/// # use npy_core::{Element, NpyRecord};
/// #[derive(NpyRecord)]
/// struct Place {
///     lat: f64,
///     lon: f64,
/// }
///
/// #[derive(NpyRecord)]
/// struct Station {
///     id: u32,
///     #[npy(flatten)]
///     place: Place,
/// }
/// let descr = "[('id', '<u4'), ('lat', '<f8'), ('lon', '<f8')]";
/// assert_eq!(Station::dtype().to_string(), descr);
/// ```
///
/// ## Other
///
/// Bounds, where the inferred ones require too much or too little:
///
/// ```
/// # use npy_core::{Element, NpyRecord};
/// trait Unit {
///     type Count: Element;
/// }
///
/// #[derive(NpyRecord)]
/// #[npy(bound(U: Unit))]
/// struct Span<U: Unit> {
///     count: <U as Unit>::Count,
/// }
/// # struct Second;
/// # impl Unit for Second { type Count = u64; }
/// assert_eq!(Span::<Second>::dtype().to_string(), "[('count', '<u8')]");
///
/// use npy_core::DateTime64;
/// use npy_core::time::{Ns, TimeUnit};
///
/// #[derive(NpyRecord)]
/// #[npy(bound(U: TimeUnit))]
/// struct Event<U> {
///     time: DateTime64<U>,
/// }
/// assert_eq!(Event::<Ns>::dtype().to_string(), "[('time', '<M8[ns]')]");
/// ```
///
/// Another name for the crate:
///
/// ```
/// extern crate npy_core as numpy_files;
///
/// #[derive(numpy_files::NpyRecord)]
/// #[npy(crate = numpy_files)]
/// struct Pair(u8, u8);
/// ```
#[proc_macro_derive(NpyRecord, attributes(npy))]
pub fn derive_npy_record(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse(input) {
        Ok(input) => npy_record(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Makes a type an item of an array, stored as another type: implements `Element`, and `ReadNpy` and `WriteNpy` for a single value, which may be
/// a field of an archive.
///
/// A unit enum with an integer `repr` is stored as that integer. Reading a number that is not one
/// of the variants is an error. The error names the number, the row and the field:
///
/// ```
/// use npy_core::{NpyElement, ReadNpy, WriteNpy};
///
/// #[derive(NpyElement, Debug, PartialEq)]
/// #[repr(u8)]
/// enum Phase {
///     P = 1,
///     S = 2,
/// }
///
/// let mut file = Vec::new();
/// [Phase::P, Phase::S].write_npy_to(&mut file)?; // dtype '|u1'
/// assert_eq!(Vec::<Phase>::read_npy_from(&file[..])?, [Phase::P, Phase::S]);
///
/// *file.last_mut().unwrap() = 9;
/// let error = Vec::<Phase>::read_npy_from(&file[..]).unwrap_err();
/// assert_eq!(error.to_string(), "row 1: 9 is not a variant of Phase");
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// A newtype (`#[npy(transparent)]` or `#[repr(transparent)]`) is stored like its one field:
///
/// ```
/// use npy_core::{Element, NpyElement};
///
/// #[derive(NpyElement)]
/// #[npy(transparent)]
/// struct Celsius(f32);
///
/// assert_eq!(Celsius::dtype().to_string(), "<f4");
/// ```
///
/// | `#[npy(…)]` | |
/// |---|---|
/// | `transparent` | on a struct of one field: stored like the field |
/// | `bound(T: Element)` | these bounds instead of the inferred ones; also `bound = "T: Element"` |
/// | `crate = path` | where `npy-core` is, if not at `::npy_core` |
#[proc_macro_derive(NpyElement, attributes(npy))]
pub fn derive_npy_element(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse(input) {
        Ok(input) => npy_element(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Lets a struct be viewed in place in a file, without copying: implements `ZeroCopy`.
///
/// The struct must be `Copy` and an `Element` (by `NpyRecord` or `NpyElement`), have a layout fixed by `#[repr(C)]`,
/// `#[repr(C, packed)]` or `#[repr(transparent)]`, and have only fields that are `ZeroCopy`. The compiler proves that each field has
/// the same offset in memory as in the dtype.
///
/// ```
/// use npy_core::{NpyView, NpyRecord, WriteNpy, ZeroCopy};
///
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[repr(C, packed)]
/// struct Trace<const N: usize> {
///     station: u8,
///     samples: [f32; N],
/// }
///
/// let mut file = Vec::new();
/// [Trace { station: 7, samples: [0.5, 1.5] }].write_npy_to(&mut file)?;
///
/// let traces = NpyView::<Trace<2>>::from_bytes(&file)?;
/// let samples = traces[0].samples; // a field of a packed struct is copied to be used
/// assert_eq!(samples, [0.5, 1.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Padding
///
/// C places each number at a multiple of its alignment; a dtype places each field right after the
/// field before it. If the offsets differ, the struct does not compile:
///
/// ```compile_fail,E0080
/// # use npy_core::{NpyRecord, ZeroCopy};
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[repr(C)]
/// struct Sample {
///     flag: u8,
///     value: f64, // `Sample` has 7 bytes of padding before `value` in memory and none in its dtype
/// }
/// ```
///
/// If the struct is generic, it compiles, but a view of it does not:
///
/// ```compile_fail,E0080
/// # use npy_core::{NpyView, NpyRecord, ZeroCopy};
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[repr(C)]
/// struct Pair<T>(u8, T);
///
/// let bytes = NpyView::<Pair<u8>>::from_bytes(b"");
/// let floats = NpyView::<Pair<f32>>::from_bytes(b""); // 3 bytes of padding before `1`
/// ```
///
/// There are three remedies: `#[repr(C, packed)]`, as above; `#[npy(align)]`, which adds the padding to the dtype; and `Le` and
/// `Be`, numbers that need no alignment and have a fixed byte order.
///
/// ```
/// use npy_core::{Be, Element, NpyRecord, ZeroCopy};
///
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[npy(align)]
/// #[repr(C)]
/// struct Aligned {
///     flag: u8,
///     value: f64,
/// }
/// assert_eq!(Aligned::dtype().to_string(), "[('flag', '|u1'), ('', '|V7'), ('value', '<f8')]");
///
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[repr(C)]
/// struct Big {
///     flag: u8,
///     value: Be<f64>,
/// }
/// assert_eq!(Big::dtype().to_string(), "[('flag', '|u1'), ('value', '>f8')]");
/// ```
///
/// A struct with padding can be viewed, but not written in place. To change a file that has padding (`np.dtype(…, align=True)`), declare
/// the padding as fields that are not stored:
///
/// ```
/// use npy_core::{Element, NpyRecord, ZeroCopy};
///
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[npy(align)]
/// #[repr(C)]
/// struct Writable {
///     flag: u8,
///     #[npy(skip)]
///     pad: [u8; 7],
///     value: f64,
/// }
/// assert!(!Writable::PADDED);
/// assert_eq!(Writable::dtype().to_string(), "[('flag', '|u1'), ('', '|V7'), ('value', '<f8')]");
/// ```
///
/// # What is not `ZeroCopy`
///
/// Types for which some bytes are not a valid value: `bool`, `FixedStr` and enums. Use `Bool8` instead of
/// `bool`, and an integer instead of an enum; records with a `FixedStr` (`<U8`) are read, not viewed.
///
/// ```compile_fail,E0277
/// # use npy_core::{NpyRecord, ZeroCopy};
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[repr(C)]
/// struct Flags {
///     clipped: bool,
/// }
/// ```
///
/// `endian` sets the byte order in the file, not in memory: to view numbers of a fixed byte order,
/// use `Be` or `Le`.
///
/// The attributes `crate` and `bound` apply here too; further bounds follow from the fields.
#[proc_macro_derive(ZeroCopy, attributes(npy))]
pub fn derive_zero_copy(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse(input) {
        Ok(input) => zero_copy(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Makes a struct an archive, a `.npz` file: implements `NpzArchive`.
///
/// Each field is the member of its name; the fields of a tuple struct have NumPy's positional names
/// `arr_0`, `arr_1`, … A field can have any type that is read and written as an array, another
/// struct that derives `NpzArchive`, or an `Option`, `BTreeMap` or `HashMap` of these:
/// `npy_core::npz::ArchiveField` lists the types. The struct may have type parameters and const
/// parameters.
///
/// ```
/// use npy_core::{NpyArray, NpzArchive, npz};
///
/// #[derive(NpzArchive, Debug, PartialEq)]
/// struct Layer {
///     weights: NpyArray<f32>,
///     bias: Option<Vec<f32>>,
/// }
///
/// #[derive(NpzArchive, Debug, PartialEq)]
/// struct Model {
///     name: String,
///     epochs: u32,
///     input: Layer,
/// }
///
/// # let dir = std::env::temp_dir().join(format!("npy-derive-doc-npz-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// # let path = dir.join("model.npz");
/// let input = Layer { weights: NpyArray::new(vec![0.5; 6], [2, 3])?, bias: None };
/// let model = Model { name: "small".into(), epochs: 20, input };
/// npz::save(&path, &model)?; // np.load(path)["input/weights"]
/// assert_eq!(npz::load::<Model>(&path)?, model);
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Reading finds members by name: their order is free, and members that the struct lacks are
/// ignored. A missing member is an error, unless its field has a `default` or is an `Option`: the
/// `Option` is then `None`. For `None`, no member is written. A struct in an `Option` is `None` if
/// none of its members exists. A map without members is empty, also if they have another name than its field:
/// `deny_unknown_fields` on the struct refuses such members.
///
/// # On the struct
///
/// | `#[npy(…)]` | |
/// |---|---|
/// | [`rename_all = "camelCase"`](#names-of-members) | the case of all names, as for `NpyRecord` |
/// | [`default`](#what-an-archive-may-lack-or-have) | the field of a missing member is taken from the struct's `Default`, except fields of a flattened archive |
/// | [`deny_unknown_fields`](#what-an-archive-may-lack-or-have) | a member that no field reads is an error, which lists all such members; the fields of nested structs count. On a nested struct it covers the members below its name; on a flattened one it has no effect |
/// | [`bound(T: Element)`](#other-bounds) | these bounds instead of the inferred ones, which require `ArchiveField` of each field type that contains a parameter |
/// | `crate = path` | where `npy-core` is, if not at `::npy_core` |
///
/// # On a field
///
/// | `#[npy(…)]` | |
/// |---|---|
/// | [`rename = "x"`](#names-of-members) | the name of the member; `x/y` is the member `y` inside `x` |
/// | [`alias = "y"`](#names-of-members) | another name that is accepted when reading; may be repeated |
/// | [`default`, `default = path`](#what-an-archive-may-lack-or-have) | the value of the field if its member is missing: its type's `Default`, or the result of this function |
/// | [`skip`](#what-an-archive-may-lack-or-have) | no member; its value is its type's `Default`, the result of `default = path`, or the field of the struct's `Default` |
/// | [`flatten`](#flattened-archives) | the members of this archive next to those of the struct, without a prefix; a map gets the others, those that are neither another field's nor begin with its name and a `/` |
/// | [`with = module`](#stored-as-something-else) | stored as `module::Stored`, through `module::encode(&Field) -> Stored` and `module::decode(Stored) -> Field`; either may return a `Result` of it instead, whose error is of any type that implements `Display`, and names the member |
///
/// A struct may be both a record and an archive. Attributes that exist only for records (`endian`, `width`, …) have no effect on members,
/// and are an error if the struct is not a record.
///
/// # Examples
///
/// ## Names of members
///
/// ```
/// # use npy_core::{NpzArchive, npz};
/// # fn names(archive: &impl NpzArchive) -> npy_core::Result<Vec<String>> {
/// #     let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new()))?;
/// #     writer.write_fields(archive)?;
/// #     Ok(npz::Reader::new(writer.finish()?)?.names().map(str::to_owned).collect())
/// # }
/// #[derive(NpzArchive)]
/// #[npy(rename_all = "camelCase")]
/// struct Fit {
///     #[npy(alias = "time", alias = "t")]
///     sample_times: Vec<f64>,
///     #[npy(rename = "errors/mean")]
///     error: f64,
/// }
///
/// #[derive(NpzArchive)]
/// struct Pair(Vec<u8>, f32);
///
/// let fit = Fit { sample_times: vec![0.0], error: 0.5 };
/// assert_eq!(names(&fit)?, ["sampleTimes", "errors/mean"]);
/// assert_eq!(names(&Pair(vec![], 0.5))?, ["arr_0", "arr_1"]); // as np.savez(file, [], 0.5)
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// ## What an archive may lack or have
///
/// ```
/// # use npy_core::{NpzArchive, npz};
/// #[derive(NpzArchive)]
/// struct Old {
///     rate: f64,
/// }
///
/// fn unit() -> f64 {
///     1.0
/// }
///
/// #[derive(NpzArchive)]
/// #[npy(deny_unknown_fields)]
/// struct New {
///     rate: f64,
///     #[npy(default = unit)]
///     gain: f64,
///     #[npy(default)]
///     counts: Vec<u32>,
///     comment: Option<String>,
///     #[npy(skip)]
///     cached: bool,
/// }
///
/// let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new()))?;
/// writer.write_fields(&Old { rate: 100.0 })?;
/// let reader = npz::Reader::new(writer.finish()?)?;
/// let new: New = reader.read_fields()?;
/// assert_eq!((new.gain, new.counts.len(), new.comment), (1.0, 0, None));
///
/// let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new()))?;
/// writer.write("rate", &100.0)?;
/// writer.write("gian", &2.0)?;
/// let reader = npz::Reader::new(writer.finish()?)?;
/// let error = reader.read_fields::<New>().err().unwrap();
/// assert!(error.to_string().starts_with("the archive has members that New does not have: \"gian\""));
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Defaults for a whole struct, for example a program's settings:
///
/// ```
/// # use npy_core::{NpzArchive, npz};
/// # let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new()))?;
/// # writer.write("rate", &100.0)?;
/// # let archive = npz::Reader::new(writer.finish()?)?;
/// #[derive(NpzArchive)]
/// #[npy(default)]
/// struct Settings {
///     rate: f64,
///     gain: f64,
/// }
///
/// impl Default for Settings {
///     fn default() -> Self {
///         Settings { rate: 50.0, gain: 1.0 }
///     }
/// }
///
/// let settings: Settings = archive.read_fields()?; // an archive with `rate` alone
/// assert_eq!((settings.rate, settings.gain), (100.0, 1.0));
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// ## Flattened archives
///
/// ```
/// # use npy_core::{NpzArchive, npz};
/// #[derive(NpzArchive)]
/// struct Axes {
///     x: Vec<f64>,
///     y: Vec<f64>,
/// }
///
/// #[derive(NpzArchive)]
/// struct Image {
///     pixels: Vec<[u8; 3]>,
///     #[npy(flatten)]
///     axes: Axes,
/// }
///
/// let axes = Axes { x: vec![0.0], y: vec![1.0] };
/// let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new()))?;
/// writer.write_fields(&Image { pixels: vec![[0, 128, 255]], axes })?;
/// let reader = npz::Reader::new(writer.finish()?)?;
/// assert!(reader.names().eq(["pixels", "x", "y"]));
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// ## Stored as something else
///
/// ```
/// # use npy_core::{NpzArchive, npz};
/// use std::time::Duration;
///
/// mod seconds {
///     # use std::time::Duration;
///     pub type Stored = Vec<f64>;
///
///     pub fn encode(durations: &Vec<Duration>) -> Stored {
///         durations.iter().map(Duration::as_secs_f64).collect()
///     }
///
///     pub fn decode(seconds: Stored) -> Vec<Duration> {
///         // An invalid duration (negative, NaN) becomes zero.
///         let duration = |x| Duration::try_from_secs_f64(x).unwrap_or_default();
///         seconds.into_iter().map(duration).collect()
///     }
/// }
///
/// #[derive(NpzArchive)]
/// struct Events {
///     #[npy(with = seconds)]
///     lengths: Vec<Duration>,
/// }
///
/// let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new()))?;
/// writer.write_fields(&Events { lengths: vec![Duration::from_millis(1500)] })?;
/// let reader = npz::Reader::new(writer.finish()?)?;
/// assert_eq!(reader.read::<Vec<f64>>("lengths")?, [1.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// ## Other bounds
///
/// ```
/// # use npy_core::{NpzArchive, npz};
/// use npy_core::{Element, NpyArray};
///
/// #[derive(NpzArchive)]
/// #[npy(bound(T: Element))] // inferred: NpyArray<T>: npz::ArchiveField
/// struct Image<T> {
///     pixels: NpyArray<T>,
/// }
/// ```
///
/// Another name for the crate:
///
/// ```
/// extern crate npy_core as numpy_files;
///
/// #[derive(numpy_files::NpzArchive)]
/// #[npy(crate = numpy_files)]
/// struct Pair(u8, u8);
/// ```
#[proc_macro_derive(NpzArchive, attributes(npy))]
pub fn derive_npz_archive(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse(input) {
        Ok(input) => npz_archive(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Parses the tokens into the model, checks it, and generates code.
fn zero_copy(input: &DeriveInput) -> TokenStream {
    let cx = Ctxt::new();
    let viewed = Viewed::from_attributes(&input.attrs);
    let model = zero_copy::ZeroCopy::from_input(&cx, input, &viewed);
    let tokens = model.map(|model| model.expand());
    finish(cx, tokens, || zero_copy::fallback(input, &viewed.krate()))
}

/// Parses the tokens into the model, checks it, and generates code.
fn npy_element(input: &DeriveInput) -> TokenStream {
    let cx = Ctxt::new();
    let stored = Stored::from_attributes(&cx, &input.attrs);
    let element = element::Element::from_input(&cx, input, &stored);
    let tokens = element.map(|element| element.expand());
    finish(cx, tokens, || tokens::fallback_element(input, &stored.krate()))
}

/// Parses the tokens into the model, checks it, and generates code.
fn npy_record(input: &DeriveInput) -> TokenStream {
    let cx = Ctxt::new();
    let container = Container::from_attributes(&cx, &input.attrs, Target::Record);
    let record = record::Record::from_input(&cx, input, &container);
    let tokens = record.map(|record| record::record(&record));
    finish(cx, tokens, || record::fallback_record(input, &container.krate()))
}

/// Parses the tokens into the model, checks it, and generates code.
fn npz_archive(input: &DeriveInput) -> TokenStream {
    let cx = Ctxt::new();
    let container = Container::from_attributes(&cx, &input.attrs, Target::Archive);
    let archive = archive::Archive::from_input(&cx, input, &container);
    let tokens = archive.map(|archive| archive.expand());
    finish(cx, tokens, || archive::fallback(input, &container.krate()))
}

/// Returns the generated code, or the errors and a placeholder impl. Without that impl, each use of
/// the type would be one more error.
fn finish(
    cx: Ctxt,
    tokens: Option<TokenStream>,
    fallback: impl FnOnce() -> TokenStream,
) -> TokenStream {
    match (tokens, cx.check()) {
        (Some(tokens), Ok(())) => tokens,
        (_, errors) => {
            let errors = errors.err().into_iter().flatten().map(|error| error.to_compile_error());
            let fallback = fallback();
            quote::quote!(#(#errors)* #fallback)
        }
    }
}

#[cfg(test)]
mod tests;
