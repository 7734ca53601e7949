//! Pickles, the format in which Python stores objects, read as data.
//!
//! Unpickling in Python runs whatever the pickle says. Here a pickle becomes a graph of nodes, and nothing is run: a call is a node that
//! names the callable and has its arguments. Each opcode makes at most a few nodes of a fixed size, so memory is linear in the length of
//! the pickle. Shared nodes and cycles are indices, so neither reading a graph nor dropping it recurses.

pub(crate) mod emit;
mod machine;
mod opcode;
mod scan;
mod stack;
mod text;

use std::ops::Range;

pub(crate) use machine::parse;
pub(crate) use scan::{Scan, Scanned};
pub use text::Encoding;
pub(crate) use text::{decimal, decode_bytes, decode_text};

use crate::checked;
use crate::error::{Error, ErrorKind};
use crate::limits::to_u64;

/// The index of a node.
pub(crate) type Id = u32;

/// The index for a node that is not there.
pub(crate) const NONE: Id = Id::MAX;

/// A node of the graph: a value, or a container, whose items are indices of other nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// A range of the pickle, and the meaning of its bytes.
    Data(Form, Data),
    List(Items),
    Tuple(Items),
    Set(Items),
    FrozenSet(Items),
    /// Keys and values alternate.
    Dict(Items),
    /// A module and the name of something in it, both of which are nodes with text.
    Global(Id, Id),
    /// The index of a call.
    Call(u32),
}

/// The meaning of bytes in a pickle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Text in UTF-8, which may contain surrogates.
    Str,
    /// Text of protocol 0, with the escapes `\u` and `\U`.
    EscapedStr,
    Bytes,
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
pub(crate) struct Data {
    start: u64,
    /// If this is the maximum, the length is in the 8 bytes before `start`.
    length: u32,
}

/// A complete pickle.
#[derive(Debug, Default)]
pub(crate) struct Pickle {
    pub(crate) bytes: Vec<u8>,
    /// An upper bound for the number of its nodes.
    pub(crate) nodes: usize,
    /// The contents that were left out of `bytes`, in the order of the pickle.
    pub(crate) left_out: Vec<LeftOut>,
}

/// The contents of a bytes object that are not loaded with the pickle, but read from the file when they are needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeftOut {
    /// The position in the pickle at which they were left out.
    pub(crate) at: usize,
    pub(crate) length: u64,
    /// Their offset in the file.
    pub(crate) offset: u64,
}

/// The range of the graph's items that one container has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Items {
    start: u32,
    length: u32,
}

/// A call that Python would make to rebuild an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) callable: Id,
    /// The node of the tuple of arguments.
    pub(crate) arguments: Id,
    /// The state that is set after the call; [`NONE`] if there is none.
    pub(crate) state: Id,
    /// The items that are appended afterwards.
    pub(crate) items: Items,
    /// The entries that are set afterwards; keys and values alternate.
    pub(crate) pairs: Items,
}

/// A pickle as a graph.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    /// The items of all containers, one container after another.
    items: Vec<Id>,
    calls: Vec<Call>,
    root: Id,
}

impl Data {
    #[inline]
    fn new(range: Range<usize>) -> Self {
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
    #[inline]
    pub(crate) fn short_length(self) -> Option<u64> {
        if self.is_long() { None } else { Some(self.length.into()) }
    }

    /// Returns the position in the pickle.
    pub(crate) fn start(self) -> usize {
        checked::narrow(self.start)
    }

    /// Returns the bytes in this pickle. For contents that were left out of it, the result has no meaning.
    #[inline]
    pub(crate) fn of(self, pickle: &[u8]) -> &[u8] {
        let start = self.start();
        let length = match self.length {
            u32::MAX => {
                let before = pickle.get(..start).and_then(<[u8]>::last_chunk);
                checked::narrow(u64::from_le_bytes(*before.unwrap_or(&[0; 8])))
            }
            length => checked::narrow(length),
        };
        pickle.get(start..checked::add(start, length)).unwrap_or_default()
    }
}

impl Graph {
    /// Returns the index of the root: the object that the pickle stores.
    pub(crate) fn root(&self) -> Id {
        self.root
    }

    /// Returns the node at this index; [`Node::None`] for [`NONE`].
    #[inline]
    pub(crate) fn node(&self, id: Id) -> Node {
        self.nodes.get(wide(id)).copied().unwrap_or(Node::None)
    }

    /// Returns the indices of the items of a container.
    pub(crate) fn items(&self, items: Items) -> &[Id] {
        let start = wide(items.start);
        checked::slice(&self.items, start..checked::add(start, wide(items.length)))
    }

    /// Returns a call.
    pub(crate) fn call(&self, index: u32) -> Option<&Call> {
        let call = self.calls.get(wide(index));
        debug_assert!(call.is_some(), "a call that does not exist");
        call
    }

    /// Returns all calls.
    pub(crate) fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// Returns the items of all containers.
    pub(crate) fn all_items(&self) -> &[Id] {
        &self.items
    }

    /// Returns all nodes.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

/// Converts an index back to the `usize` that it was made from.
#[inline]
fn wide(index: u32) -> usize {
    checked::narrow(index)
}

/// Returns the error of a pickle that is malformed at this byte.
fn malformed(at: usize, reason: &str) -> Error {
    ErrorKind::Pickle { byte: to_u64(at), reason: reason.into() }.into()
}
