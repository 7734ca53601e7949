//! Pickles, the format in which Python stores objects, read as data.
//!
//! Unpickling in Python runs whatever the pickle says. Here a pickle becomes a graph of nodes, and nothing is run: a call is a node that
//! names the callable and has its arguments. Each opcode makes at most a few nodes of a fixed size, so memory is linear in the length of
//! the pickle. Shared nodes and cycles are indices, so neither reading a graph nor dropping it recurses.
//!
//! ```
//! use npy_pickle::{Encoding, Node, Pickle, decode_text, parse};
//!
//! // pickle.dumps(["héllo", 7], protocol=3)
//! let bytes = b"\x80\x03](X\x06\0\0\0h\xc3\xa9lloK\x07e.".to_vec();
//! let pickle = Pickle::new(bytes)?;
//! let graph = parse(&pickle)?;
//! let Node::List(items) = graph.node(graph.root()) else { panic!("a list") };
//! let [text, number] = graph.items(items) else { panic!("two items") };
//! let Node::Data(form, data) = graph.node(*text) else { panic!("text") };
//! assert_eq!(decode_text(form, data.of(&pickle.bytes), Encoding::Ascii)?, "héllo");
//! assert!(matches!(graph.node(*number), Node::Int(7)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Objects`] says what the objects are: [`Value`] has the types of Python's own, such as dates, decimal numbers and sets, which a pickle
//! restores by calls. Those of other packages are left to who knows them.
//!
//! [`Scan`] finds the end of a pickle that arrives in parts; [`emit`] writes pickles. Protocols 0 to 5 are read, and 3 is written.

#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
// The bytes of a pickle reach every line of this package, and none may panic.
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

mod checked;
pub mod emit;
mod error;
#[cfg(any(target_family = "wasm", test))]
mod float;
mod integer;
mod invocation;
mod machine;
mod names;
mod objects;
mod opcode;
pub mod print;
mod scan;
mod stack;
mod text;
pub mod time;
mod value;

use std::ops;

pub use error::Error;
pub use integer::BigInt;
pub use invocation::{Arguments, Invocation};
pub use machine::parse;
pub use names::{common_module, is_data};
pub use objects::{Object, Objects, ReadLeftOut};
pub use scan::{Scan, Scanned};
pub use text::{Encoding, UNKNOWN_ENCODING, decode_bytes, decode_code_points, decode_text};
pub use value::{Instance, Range, Value};

use error::to_u64;

/// The index of a node.
pub type Id = u32;

/// The index for a node that is not there.
pub const NONE: Id = Id::MAX;

/// A node of the graph: a value, or a container, whose items are indices of other nodes. Every opcode of protocols 0 to 5 makes one of these,
/// and a program that matches them should learn of another at compile time.
#[derive(Clone, Copy, Debug)]
pub enum Node {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer of at most 8 bytes.
    Int(i64),
    /// A float.
    Float(f64),
    /// A range of the pickle, and the meaning of its bytes.
    Data(Form, Data),
    /// A list.
    List(Items),
    /// A tuple.
    Tuple(Items),
    /// A set.
    Set(Items),
    /// A frozen set.
    FrozenSet(Items),
    /// A dictionary. Keys and values alternate.
    Dict(Items),
    /// A module and the name of something in it, both of which are nodes with text.
    Global(Id, Id),
    /// The index of a call.
    Call(u32),
}

/// The meaning of bytes in a pickle. As for [`Node`], there are no others in protocols 0 to 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text in UTF-8, which may contain surrogates.
    Str,
    /// Text of protocol 0, with the escapes `\u` and `\U`.
    EscapedStr,
    /// `bytes`.
    Bytes,
    /// `bytearray`.
    ByteArray,
    /// A string of Python 2, whose encoding is unknown.
    Python2,
    /// A string of Python 2 as a literal with quotes.
    Python2Literal,
    /// A module and the name of something in it, each followed by a line feed.
    Global,
    /// An integer of more than 8 bytes: two's complement, the least significant byte first.
    BigInt,
    /// An integer that does not fit in an `i64`, as decimal text.
    DecimalInt,
}

/// A range of the pickle. It is stored in 12 bytes, so that a node takes 16.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed(4))]
pub struct Data {
    start: u64,
    /// If this is the maximum, the length is in the 8 bytes before `start`.
    length: u32,
}

/// A complete pickle.
#[derive(Clone, Debug, Default)]
pub struct Pickle {
    /// The bytes, without contents that were left out.
    pub bytes: Vec<u8>,
    /// An upper bound for the number of its nodes: [`Scanned::Complete`].
    pub nodes: usize,
    /// The contents that were left out of `bytes`, in the order of the pickle.
    pub left_out: Vec<LeftOut>,
}

/// The contents of a bytes object that are not loaded with the pickle, but read from the file when they are needed.
#[derive(Clone, Copy, Debug)]
pub struct LeftOut {
    /// The position in the pickle at which they were left out.
    pub at: usize,
    /// Their number of bytes.
    pub length: u64,
    /// Their offset in the file.
    pub offset: u64,
}

/// The range of the graph's items that one container has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Items {
    start: u32,
    length: u32,
}

/// A call that Python would make to rebuild an object.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The node of the function or class.
    pub callable: Id,
    /// The node of the tuple of arguments.
    pub arguments: Id,
    /// The state that is set after the call; [`NONE`] if there is none.
    pub state: Id,
    /// The items that are appended afterwards.
    pub items: Items,
    /// The entries that are set afterwards; keys and values alternate.
    pub pairs: Items,
}

/// A pickle as a graph.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    /// The items of all containers, one container after another.
    items: Vec<Id>,
    calls: Vec<Call>,
    root: Id,
}

impl Pickle {
    /// Takes a pickle that is complete in memory. Bytes after it are dropped.
    ///
    /// ```
    /// use npy_pickle::Pickle;
    ///
    /// assert_eq!(Pickle::new(b"N. and more".to_vec())?.bytes, b"N.");
    /// assert!(Pickle::new(b"(N".to_vec()).is_err());
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`]; [`Error::Truncated`] if the last opcode is missing.
    pub fn new(mut bytes: Vec<u8>) -> Result<Self, Error> {
        match Scan::default().resume(&bytes, false)? {
            Scanned::Complete { length, nodes } => {
                bytes.truncate(length);
                Ok(Pickle { bytes, nodes, left_out: Vec::new() })
            }
            Scanned::Incomplete { needed: expected, .. } => {
                Err(Error::Truncated { expected, found: to_u64(bytes.len()) })
            }
            Scanned::LeftOut { .. } => Err(error::malformed(0, "nothing is left out")),
        }
    }
}

impl Data {
    #[inline]
    fn new(range: ops::Range<usize>) -> Self {
        let length = u32::try_from(range.len()).unwrap_or(u32::MAX);
        Data { start: to_u64(range.start), length }
    }

    /// Returns the data of contents that were left out: their length is known, if it is less than the maximum, but the pickle does not have their bytes.
    fn left_out(contents: &LeftOut) -> Self {
        let length = u32::try_from(contents.length).unwrap_or(u32::MAX);
        Data { start: to_u64(contents.at), length }
    }

    /// Returns true if the length is in the 8 bytes before the data.
    #[inline]
    fn is_long(self) -> bool {
        self.length == u32::MAX
    }

    /// Returns the length, if it is not in the 8 bytes before the data.
    ///
    /// ```
    /// use npy_pickle::{Node, Pickle, parse};
    ///
    /// let pickle = Pickle::new(b"C\x02ab.".to_vec())?;
    /// let graph = parse(&pickle)?;
    /// let Node::Data(_, data) = graph.node(graph.root()) else { panic!("bytes") };
    /// assert_eq!(data.short_length(), Some(2));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    #[inline]
    pub fn short_length(self) -> Option<u64> {
        if self.is_long() { None } else { Some(self.length.into()) }
    }

    /// Returns the position in the pickle.
    ///
    /// ```
    /// use npy_pickle::{Node, Pickle, parse};
    ///
    /// let pickle = Pickle::new(b"C\x02ab.".to_vec())?;
    /// let graph = parse(&pickle)?;
    /// let Node::Data(_, data) = graph.node(graph.root()) else { panic!("bytes") };
    /// assert_eq!(data.start(), 2);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn start(self) -> usize {
        usize::try_from(self.start).unwrap_or(usize::MAX)
    }

    /// Returns the bytes in this pickle. For contents that were left out of it, the result has no meaning.
    ///
    /// ```
    /// use npy_pickle::{Node, Pickle, parse};
    ///
    /// let pickle = Pickle::new(b"C\x02ab.".to_vec())?;
    /// let graph = parse(&pickle)?;
    /// let Node::Data(_, data) = graph.node(graph.root()) else { panic!("bytes") };
    /// assert_eq!(data.of(&pickle.bytes), b"ab");
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    #[inline]
    pub fn of(self, pickle: &[u8]) -> &[u8] {
        let start = self.start();
        let length = match self.length {
            u32::MAX => {
                let before = pickle.get(..start).and_then(<[u8]>::last_chunk);
                u64::from_le_bytes(*before.unwrap_or(&[0; 8]))
            }
            length => length.into(),
        };
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        pickle.get(start..start.saturating_add(length)).unwrap_or_default()
    }
}

impl Graph {
    /// Returns the index of the root: the object that the pickle stores.
    ///
    /// ```
    /// use npy_pickle::{Node, Pickle, parse};
    ///
    /// let pickle = Pickle::new(b"K\x07.".to_vec())?;
    /// let graph = parse(&pickle)?;
    /// assert!(matches!(graph.node(graph.root()), Node::Int(7)));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn root(&self) -> Id {
        self.root
    }

    /// Returns the node at this index; [`Node::None`] for [`NONE`].
    ///
    /// ```
    /// use npy_pickle::{Node, Pickle, parse};
    ///
    /// let pickle = Pickle::new(b"\x88.".to_vec())?;
    /// let graph = parse(&pickle)?;
    /// assert!(matches!(graph.node(graph.root()), Node::Bool(true)));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    #[inline]
    pub fn node(&self, id: Id) -> Node {
        self.nodes.get(wide(id)).copied().unwrap_or(Node::None)
    }

    /// Returns the indices of the items of a container.
    ///
    /// ```
    /// use npy_pickle::{Node, Pickle, parse};
    ///
    /// let pickle = Pickle::new(b"](K\x07Ne.".to_vec())?;
    /// let graph = parse(&pickle)?;
    /// let Node::List(items) = graph.node(graph.root()) else { panic!("a list") };
    /// assert_eq!(graph.items(items).len(), 2);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn items(&self, items: Items) -> &[Id] {
        let start = wide(items.start);
        let end = start.saturating_add(wide(items.length));
        debug_assert!(end <= self.items.len(), "items that do not exist");
        self.items.get(start..end).unwrap_or_default()
    }

    /// Returns a call.
    ///
    /// ```
    /// use npy_pickle::{Node, Pickle, parse};
    ///
    /// let pickle = Pickle::new(b"cm\nf\n)R.".to_vec())?;
    /// let graph = parse(&pickle)?;
    /// let Node::Call(index) = graph.node(graph.root()) else { panic!("a call") };
    /// let call = graph.call(index).expect("it exists");
    /// assert!(matches!(graph.node(call.arguments), Node::Tuple(_)));
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn call(&self, index: u32) -> Option<&Call> {
        let call = self.calls.get(wide(index));
        debug_assert!(call.is_some(), "a call that does not exist");
        call
    }

    /// Returns all nodes.
    ///
    /// ```
    /// use npy_pickle::{Pickle, parse};
    ///
    /// let pickle = Pickle::new(b"](K\x07Ne.".to_vec())?;
    /// let graph = parse(&pickle)?;
    /// assert_eq!(graph.nodes().len(), 3);
    /// # Ok::<(), npy_pickle::Error>(())
    /// ```
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

/// Converts an index back to the `usize` that it was made from.
#[inline]
fn wide(index: u32) -> usize {
    index as usize
}
