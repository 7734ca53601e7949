//! Writes the opcodes of a pickle.
//!
//! The protocol is 3, which NumPy 1.17 to 2.x write and load.
//!
//! ```
//! use npy_pickle::emit::Emitter;
//!
//! let mut bytes = Vec::new();
//! let mut output = |block: &[u8]| Ok::<(), std::io::Error>(bytes.extend_from_slice(block));
//! let mut to = Emitter::new(Some(&mut output))?;
//! let mut list = to.begin_list()?;
//! for number in [7, 300] {
//!     list.next(&mut to)?;
//!     to.int(number)?;
//! }
//! list.end(&mut to)?;
//! to.finish()?;
//! assert_eq!(bytes, b"\x80\x03](K\x07M\x2c\x01e."); // pickle.dumps([7, 300], protocol=3)
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fmt;

use crate::checked;
use crate::error::{Error, to_u64};

const PROTO: u8 = 0x80;
const STOP: u8 = b'.';
const MARK: u8 = b'(';
const NONE: u8 = b'N';
const NEWTRUE: u8 = 0x88;
const NEWFALSE: u8 = 0x89;
const BININT: u8 = b'J';
const BININT1: u8 = b'K';
const BININT2: u8 = b'M';
const LONG1: u8 = 0x8a;
const BINFLOAT: u8 = b'G';
const BINUNICODE: u8 = b'X';
const BINUNICODE8: u8 = 0x8d;
const SHORT_BINBYTES: u8 = b'C';
const BINBYTES: u8 = b'B';
const BINBYTES8: u8 = 0x8e;
const EMPTY_LIST: u8 = b']';
const APPENDS: u8 = b'e';
const EMPTY_DICT: u8 = b'}';
const SETITEM: u8 = b's';
const SETITEMS: u8 = b'u';
const TUPLE: u8 = b't';
const TUPLE1: u8 = 0x85;
const TUPLE2: u8 = 0x86;
const TUPLE3: u8 = 0x87;
const GLOBAL: u8 = b'c';
const REDUCE: u8 = b'R';
const BUILD: u8 = b'b';
const BINPUT: u8 = b'q';
const BINGET: u8 = b'h';

const PROTOCOL: u8 = 3;

/// The size of the blocks that are written.
const BLOCK: usize = 64 << 10;

/// The number of items that one opcode adds to a list or a dict, as in Python.
const BATCH: usize = 1000;

/// Receives the blocks of a pickle, and may fail with an `E`.
pub type Output<'w, E> = dyn FnMut(&[u8]) -> Result<(), E> + 'w;

/// Writes a pickle block by block, or only counts its bytes.
pub struct Emitter<'w, E> {
    /// `None` if the bytes are only counted.
    output: Option<&'w mut Output<'w, E>>,
    block: Vec<u8>,
    len: u64,
}

/// Returns a pickle of the opcodes that `emit` writes.
///
/// ```
/// use npy_pickle::emit::to_vec;
///
/// assert_eq!(to_vec(|to| to.int(7))?, b"\x80\x03K\x07.");
/// # Ok::<(), npy_pickle::Error>(())
/// ```
///
/// # Errors
///
/// Those of `emit`.
pub fn to_vec(
    emit: impl FnOnce(&mut Emitter<'_, Error>) -> Result<(), Error>,
) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut output = |block: &[u8]| {
        bytes.extend_from_slice(block);
        Ok(())
    };
    let mut emitter = Emitter::new(Some(&mut output))?;
    emit(&mut emitter)?;
    emitter.finish()?;
    Ok(bytes)
}

impl<'w, E> Emitter<'w, E> {
    /// Starts a pickle. Without an output, its bytes are only counted.
    ///
    /// ```
    /// use npy_pickle::{Error, emit::Emitter};
    ///
    /// let mut to = Emitter::<Error>::new(None)?;
    /// to.none()?;
    /// assert_eq!(to.finish()?, 4); // two bytes before, and one after
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn new(output: Option<&'w mut Output<'w, E>>) -> Result<Self, E> {
        let mut emitter = Emitter { output, block: Vec::new(), len: 0 };
        emitter.put(&[PROTO, PROTOCOL])?;
        Ok(emitter)
    }

    /// Ends the pickle. Returns the number of its bytes.
    ///
    /// ```
    /// use npy_pickle::{Error, emit::Emitter};
    ///
    /// let mut to = Emitter::<Error>::new(None)?;
    /// to.str("text")?;
    /// assert_eq!(to.finish()?, 12);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn finish(mut self) -> Result<u64, E> {
        self.put(&[STOP])?;
        if let Some(output) = self.output {
            output(&self.block)?;
        }
        Ok(self.len)
    }

    /// Returns the number of bytes so far.
    ///
    /// ```
    /// use npy_pickle::{Error, emit::Emitter};
    ///
    /// let mut to = Emitter::<Error>::new(None)?;
    /// assert_eq!(to.written(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn written(&self) -> u64 {
        self.len
    }

    /// Returns true if the bytes are only counted.
    ///
    /// ```
    /// use npy_pickle::{Error, emit::Emitter};
    ///
    /// let to = Emitter::<Error>::new(None)?;
    /// assert!(to.only_counts());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn only_counts(&self) -> bool {
        self.output.is_none()
    }

    /// Adds a number of bytes to the count. Only an emitter without an output can count bytes that it does not get.
    ///
    /// ```
    /// use npy_pickle::{Error, emit::Emitter};
    ///
    /// let mut to = Emitter::<Error>::new(None)?;
    /// to.begin_bytes(1000)?;
    /// to.count(1000); // instead of the contents
    /// assert_eq!(to.written(), 1007);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn count(&mut self, bytes: u64) {
        debug_assert!(self.only_counts(), "an emitter with an output writes the bytes");
        self.len = self.len.saturating_add(bytes);
    }

    /// Writes bytes as they are: an opcode and its argument, or the contents of text or bytes.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// assert_eq!(to_vec(|to| to.put(b"N"))?, b"\x80\x03N.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), E> {
        self.len = self.len.saturating_add(to_u64(bytes.len()));
        let Some(output) = &mut self.output else {
            return Ok(());
        };
        if checked::add(self.block.len(), bytes.len()) > BLOCK {
            output(&self.block)?;
            self.block.clear();
        }
        if bytes.len() > BLOCK {
            return output(bytes);
        }
        self.block.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes `None`.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// assert_eq!(to_vec(|to| to.none())?, b"\x80\x03N.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn none(&mut self) -> Result<(), E> {
        self.put(&[NONE])
    }

    /// Writes `True` or `False`.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// assert_eq!(to_vec(|to| to.bool(true))?, b"\x80\x03\x88.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn bool(&mut self, value: bool) -> Result<(), E> {
        self.put(&[if value { NEWTRUE } else { NEWFALSE }])
    }

    /// Writes an integer.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// assert_eq!(to_vec(|to| to.int(300))?, b"\x80\x03M\x2c\x01.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn int(&mut self, value: i128) -> Result<(), E> {
        if let Ok(value) = u8::try_from(value) {
            self.put(&[BININT1, value])
        } else if let Ok(value) = u16::try_from(value) {
            let [a, b] = value.to_le_bytes();
            self.put(&[BININT2, a, b])
        } else if let Ok(value) = i32::try_from(value) {
            let [a, b, c, d] = value.to_le_bytes();
            self.put(&[BININT, a, b, c, d])
        } else {
            self.long(&value.to_le_bytes())
        }
    }

    /// Writes an integer.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// assert_eq!(to_vec(|to| to.uint(7))?, b"\x80\x03K\x07.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn uint(&mut self, value: u128) -> Result<(), E> {
        match i128::try_from(value) {
            Ok(value) => self.int(value),
            Err(_) => {
                let mut bytes = [0; 17];
                bytes.iter_mut().zip(value.to_le_bytes()).for_each(|(slot, byte)| *slot = byte);
                self.long(&bytes)
            }
        }
    }

    /// Writes a little-endian integer in two's complement, without the bytes that only repeat its sign.
    fn long(&mut self, mut bytes: &[u8]) -> Result<(), E> {
        while let Some((last, rest @ [.., next])) = bytes.split_last() {
            let sign = if *next < 0x80 { 0 } else { 0xff };
            if *last != sign {
                break;
            }
            bytes = rest;
        }
        // At most 17 bytes.
        let length = u8::try_from(bytes.len()).unwrap_or(u8::MAX);
        self.put(&[LONG1, length])?;
        self.put(bytes)
    }

    /// Writes a float.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// assert_eq!(to_vec(|to| to.float(1.5))?, b"\x80\x03G\x3f\xf8\0\0\0\0\0\0.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn float(&mut self, value: f64) -> Result<(), E> {
        let [a, b, c, d, e, f, g, h] = value.to_be_bytes();
        self.put(&[BINFLOAT, a, b, c, d, e, f, g, h])
    }

    /// Writes text.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// assert_eq!(to_vec(|to| to.str("ab"))?, b"\x80\x03X\x02\0\0\0ab.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn str(&mut self, text: &str) -> Result<(), E> {
        self.length(BINUNICODE, BINUNICODE8, to_u64(text.len()))?;
        self.put(text.as_bytes())
    }

    /// Writes a bytes object.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// assert_eq!(to_vec(|to| to.bytes(b"ab"))?, b"\x80\x03C\x02ab.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), E> {
        self.begin_bytes(to_u64(bytes.len()))?;
        self.put(bytes)
    }

    /// Writes the opcode and the length of a bytes object. The caller then writes its contents by [`put`](Self::put).
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     to.begin_bytes(2)?;
    ///     to.put(b"ab")
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03C\x02ab.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn begin_bytes(&mut self, length: u64) -> Result<(), E> {
        match u8::try_from(length) {
            Ok(length) => self.put(&[SHORT_BINBYTES, length]),
            Err(_) => self.length(BINBYTES, BINBYTES8, length),
        }
    }

    /// Writes an opcode and a length. From 4 GiB on, the opcode is one of protocol 4, which every Python 3 since 3.4 knows.
    fn length(&mut self, short: u8, long: u8, length: u64) -> Result<(), E> {
        match u32::try_from(length) {
            Ok(length) => {
                self.put(&[short])?;
                self.put(&length.to_le_bytes())
            }
            Err(_) => {
                self.put(&[long])?;
                self.put(&length.to_le_bytes())
            }
        }
    }

    /// Starts a tuple of any length; `end_tuple` ends it.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     to.begin_tuple()?;
    ///     to.none()?;
    ///     to.end_tuple()
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03(Nt.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn begin_tuple(&mut self) -> Result<(), E> {
        self.put(&[MARK])
    }

    /// Ends a tuple.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     to.begin_tuple()?;
    ///     to.end_tuple()
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03(t.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn end_tuple(&mut self) -> Result<(), E> {
        self.put(&[TUPLE])
    }

    /// Replaces the last value by a tuple of it.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     to.none()?;
    ///     to.tuple1()
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03N\x85.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn tuple1(&mut self) -> Result<(), E> {
        self.put(&[TUPLE1])
    }

    /// Replaces the last two values by a tuple of them.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     to.none()?;
    ///     to.none()?;
    ///     to.tuple2()
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03NN\x86.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn tuple2(&mut self) -> Result<(), E> {
        self.put(&[TUPLE2])
    }

    /// Replaces the last three values by a tuple of them.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     to.none()?;
    ///     to.none()?;
    ///     to.none()?;
    ///     to.tuple3()
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03NNN\x87.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn tuple3(&mut self) -> Result<(), E> {
        self.put(&[TUPLE3])
    }

    /// Starts a list. Each item follows a call of [`Batches::next`].
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     let mut list = to.begin_list()?;
    ///     list.next(to)?;
    ///     to.none()?;
    ///     list.end(to)
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03](Ne.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn begin_list(&mut self) -> Result<Batches, E> {
        self.put(&[EMPTY_LIST])?;
        Ok(Batches { close: APPENDS, items: 0 })
    }

    /// Starts a dict. Each key, with its value after it, follows a call of [`Batches::next`].
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     let mut dict = to.begin_dict()?;
    ///     dict.next(to)?;
    ///     to.int(1)?;
    ///     to.none()?;
    ///     dict.end(to)
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03}(K\x01Nu.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn begin_dict(&mut self) -> Result<Batches, E> {
        self.put(&[EMPTY_DICT])?;
        Ok(Batches { close: SETITEMS, items: 0 })
    }

    /// Starts a dict of one entry: a key and a value follow, and then `end_entry`.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     to.begin_entry()?;
    ///     to.int(1)?;
    ///     to.none()?;
    ///     to.end_entry()
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03}K\x01Ns.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn begin_entry(&mut self) -> Result<(), E> {
        self.put(&[EMPTY_DICT])
    }

    /// Ends a dict of one entry.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     to.begin_entry()?;
    ///     to.bool(true)?;
    ///     to.none()?;
    ///     to.end_entry()
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03}\x88Ns.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn end_entry(&mut self) -> Result<(), E> {
        self.put(&[SETITEM])
    }

    /// Names a function or class.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// assert_eq!(to_vec(|to| to.global("numpy", "dtype"))?, b"\x80\x03cnumpy\ndtype\n.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LineBreak`] for a name with one, which would end it; those of the output.
    pub fn global(&mut self, module: &str, name: &str) -> Result<(), E>
    where
        E: From<Error>,
    {
        if module.contains('\n') || name.contains('\n') {
            return Err(Error::LineBreak.into());
        }
        self.put(&[GLOBAL])?;
        self.put(module.as_bytes())?;
        self.put(b"\n")?;
        self.put(name.as_bytes())?;
        self.put(b"\n")
    }

    /// Calls the second to last value with the last one, a tuple of arguments.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     to.global("builtins", "list")?;
    ///     to.begin_tuple()?;
    ///     to.end_tuple()?;
    ///     to.reduce()
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03cbuiltins\nlist\n(tR.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn reduce(&mut self) -> Result<(), E> {
        self.put(&[REDUCE])
    }

    /// Sets the last value as the state of the second to last one.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     to.global("m", "C")?;
    ///     to.begin_tuple()?;
    ///     to.end_tuple()?;
    ///     to.reduce()?;
    ///     to.none()?;
    ///     to.build()
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03cm\nC\n(tRNb.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn build(&mut self) -> Result<(), E> {
        self.put(&[BUILD])
    }

    /// Stores the last value under this index.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     to.str("a")?;
    ///     to.memoize(0)?;
    ///     to.recall(0)?;
    ///     to.tuple2()
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03X\x01\0\0\0aq\0h\0\x86.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn memoize(&mut self, index: u8) -> Result<(), E> {
        self.put(&[BINPUT, index])
    }

    /// Repeats the value that was stored under this index.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     to.none()?;
    ///     to.memoize(5)?;
    ///     to.recall(5)?;
    ///     to.tuple2()
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03Nq\x05h\x05\x86.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn recall(&mut self, index: u8) -> Result<(), E> {
        self.put(&[BINGET, index])
    }
}

impl<E> fmt::Debug for Emitter<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emitter").field("written", &self.len).finish_non_exhaustive()
    }
}

/// A Rust value that is written as one Python object.
///
/// ```
/// use npy_pickle::emit::{Emit, to_vec};
///
/// assert_eq!(to_vec(|to| Some(7u8).emit(to))?, to_vec(|to| to.int(7))?);
/// # Ok::<(), npy_pickle::Error>(())
/// ```
pub trait Emit {
    /// Writes the value.
    ///
    /// ```
    /// use npy_pickle::emit::{Emit, to_vec};
    ///
    /// assert_eq!(to_vec(|to| "text".emit(to))?, to_vec(|to| to.str("text"))?);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    fn emit<E>(&self, to: &mut Emitter<'_, E>) -> Result<(), E>;
}

/// Implements `Emit` for types, each with the method of `Emitter` that writes it.
macro_rules! emit {
    ($($type:ty, $value:ident => $method:ident($argument:expr);)*) => {$(
        impl Emit for $type {
            fn emit<E>(&self, to: &mut Emitter<'_, E>) -> Result<(), E> {
                let $value = self;
                to.$method($argument)
            }
        }
    )*};
}

emit! {
    bool, value => bool(*value);
    i8, value => int((*value).into());
    i16, value => int((*value).into());
    i32, value => int((*value).into());
    i64, value => int((*value).into());
    u8, value => int((*value).into());
    u16, value => int((*value).into());
    u32, value => int((*value).into());
    u64, value => int((*value).into());
    f32, value => float((*value).into());
    f64, value => float(*value);
    str, text => str(text);
    String, text => str(text);
    [u8], bytes => bytes(bytes);
    Vec<u8>, bytes => bytes(bytes);
}

impl<T: Emit + ?Sized> Emit for &T {
    fn emit<E>(&self, to: &mut Emitter<'_, E>) -> Result<(), E> {
        T::emit(self, to)
    }
}

/// `None` is Python's `None`.
impl<T: Emit> Emit for Option<T> {
    fn emit<E>(&self, to: &mut Emitter<'_, E>) -> Result<(), E> {
        match self {
            Some(value) => value.emit(to),
            None => to.none(),
        }
    }
}

/// The batches in which the items of a list or the entries of a dict are added to it.
#[derive(Debug)]
pub struct Batches {
    /// The opcode that adds a batch.
    close: u8,
    /// The number of items in the last batch.
    items: usize,
}

impl Batches {
    /// Prepares for the next item or entry.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     let mut list = to.begin_list()?;
    ///     for number in [7, 8] {
    ///         list.next(to)?;
    ///         to.int(number)?;
    ///     }
    ///     list.end(to)
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03](K\x07K\x08e.");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn next<E>(&mut self, to: &mut Emitter<'_, E>) -> Result<(), E> {
        if self.items == BATCH {
            to.put(&[self.close])?;
            self.items = 0;
        }
        if self.items == 0 {
            to.put(&[MARK])?;
        }
        self.items = checked::add(self.items, 1);
        Ok(())
    }

    /// Ends the list or dict.
    ///
    /// ```
    /// use npy_pickle::emit::to_vec;
    ///
    /// let bytes = to_vec(|to| {
    ///     let list = to.begin_list()?;
    ///     list.end(to)
    /// })?;
    /// assert_eq!(bytes, b"\x80\x03].");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn end<E>(self, to: &mut Emitter<'_, E>) -> Result<(), E> {
        if self.items == 0 { Ok(()) } else { to.put(&[self.close]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes between the first opcode and the last, and checks that the same number of bytes is counted.
    fn emitted(emit: impl Fn(&mut Emitter<'_, Error>) -> Result<(), Error>) -> Vec<u8> {
        let bytes = to_vec(&emit).unwrap();
        let mut counted = Emitter::new(None).unwrap();
        emit(&mut counted).unwrap();
        assert_eq!(counted.finish().unwrap(), to_u64(bytes.len()));
        assert!(bytes.starts_with(b"\x80\x03") && bytes.ends_with(b"."));
        bytes[2..bytes.len() - 1].to_vec()
    }

    /// Guards the borders between the opcodes for integers. The bytes are those of `pickle.dumps(n, 3)`.
    #[test]
    fn integers_take_the_shortest_opcode() {
        for (value, bytes) in [
            (0, &b"K\0"[..]),
            (255, b"K\xff"),
            (256, b"M\0\x01"),
            (65535, b"M\xff\xff"),
            (65536, b"J\0\0\x01\0"),
            (-1, b"J\xff\xff\xff\xff"),
            (-0x8000_0000, b"J\0\0\0\x80"),
            (0x7fff_ffff, b"J\xff\xff\xff\x7f"),
            (0x8000_0000, b"\x8a\x05\0\0\0\x80\0"),
            (-0x8000_0001, b"\x8a\x05\xff\xff\xff\x7f\xff"),
            (-0x80_0000_0000, b"\x8a\x05\0\0\0\0\x80"),
            (i128::from(u64::MAX), b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0"),
        ] {
            assert_eq!(emitted(|to| to.int(value)), bytes, "{value}");
        }
        let largest = [&b"\x8a\x11"[..], &[0xff; 16], &[0]].concat();
        assert_eq!(emitted(|to| to.uint(u128::MAX)), largest);
        assert_eq!(emitted(|to| to.uint(7)), b"K\x07");
        let smallest = [&b"\x8a\x10"[..], &[0; 15], &[0x80]].concat();
        assert_eq!(emitted(|to| to.int(i128::MIN)), smallest);
    }

    #[test]
    fn values_are_the_opcodes_of_python() {
        assert_eq!(emitted(|to| to.float(1.5)), b"G\x3f\xf8\0\0\0\0\0\0");
        assert_eq!(emitted(|to| to.str("é")), b"X\x02\0\0\0\xc3\xa9");
        assert_eq!(emitted(|to| to.bytes(b"ab")), b"C\x02ab");
        assert_eq!(emitted(|to| to.bytes(&[7; 256]))[..6], *b"B\0\x01\0\0\x07");
        assert_eq!(emitted(|to| to.global("numpy", "dtype")), b"cnumpy\ndtype\n");
    }

    /// Guards the opcodes after a name: a line break would end it, and the rest of it would be run.
    #[test]
    fn a_name_with_a_line_break_is_refused() {
        for (module, name) in [("os\nsystem\n", "x"), ("os", "system\n.")] {
            assert_eq!(to_vec(|to| to.global(module, name)), Err(Error::LineBreak));
        }
    }

    /// Guards lengths that a test cannot have in memory.
    #[test]
    fn lengths_from_4_gib_on_have_8_bytes() {
        assert_eq!(emitted(|to| to.begin_bytes(1 << 32)), b"\x8e\0\0\0\0\x01\0\0\0");
        assert_eq!(emitted(|to| to.begin_bytes(u32::MAX.into())), b"B\xff\xff\xff\xff");
    }

    /// Guards that an unpickler never has more than a thousand items on its stack for one list.
    #[test]
    fn lists_are_filled_in_batches_of_a_thousand() {
        let list = |count: usize| {
            emitted(|to| {
                let mut list = to.begin_list()?;
                for _ in 0..count {
                    list.next(to)?;
                    to.none()?;
                }
                list.end(to)
            })
        };
        assert_eq!(list(0), b"]");
        assert_eq!(list(2), b"](NNe");
        let batch = [&b"("[..], &[b'N'; 1000], b"e"].concat();
        assert_eq!(list(1000), [b"]", &batch[..]].concat());
        assert_eq!(list(2001), [b"]", &batch[..], &batch, b"(Ne"].concat());
    }

    /// Guards that blocks are passed on in order, also if a value is larger than a block.
    #[test]
    fn blocks_are_written_in_order() {
        let large = vec![7; 3 * BLOCK];
        let bytes = emitted(|to| {
            to.bytes(b"a")?;
            to.bytes(&large)?;
            to.bytes(b"z")
        });
        assert!(bytes.starts_with(b"C\x01aB") && bytes.ends_with(b"\x07C\x01z"));
        assert_eq!(bytes.len(), 3 + 5 + large.len() + 3);
    }
}
