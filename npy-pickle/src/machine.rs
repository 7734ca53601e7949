//! Turns the opcodes of a pickle into a graph.

use super::opcode::{self, Missing};
use super::stack::{Memo, Stack, push};
use super::{Call, Data, Form, Graph, Id, Items, NONE, Node, Pickle, wide};
use crate::checked;
use crate::error::{Error, malformed, reserve, to_u64};
#[cfg(target_family = "wasm")]
use crate::float::parse as float;

/// Parses a pickle.
///
/// ```
/// use npy_pickle::{Node, Pickle, parse};
///
/// let pickle = Pickle::new(b"](K\x07Ne.".to_vec())?;
/// let graph = parse(&pickle)?;
/// assert!(matches!(graph.node(graph.root()), Node::List(_)));
/// # Ok::<(), npy_pickle::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Malformed`], with the position, for a pickle that Python would refuse; [`Error::Truncated`]; [`Error::Memory`].
pub fn parse(pickle: &Pickle) -> Result<Graph, Error> {
    let &Pickle { bytes: ref pickle, nodes, ref left_out } = pickle;
    if u32::try_from(pickle.len().min(nodes)).is_err() {
        return Err(Error::TooManyNodes);
    }
    let mut machine = Machine { pickle, ..Machine::default() };
    // One more is for the empty tuple, which the scan does not count.
    reserve(&mut machine.nodes, nodes.saturating_add(1))?;
    let (mut at, mut left_out) = (0, left_out.iter());
    loop {
        let step =
            opcode::next(pickle, at, at).and_then(|step| match left_out.as_slice().first() {
                Some(next) if next.at == step.start => {
                    left_out.next();
                    Ok((step.opcode, Data::left_out(next), step.start))
                }
                _ => {
                    let argument = step.argument(pickle)?;
                    let end = argument.end;
                    Ok((step.opcode, Data::new(argument), end))
                }
            });
        let (opcode, argument, end) = match step {
            Ok(step) => step,
            Err(Missing::Needs(expected)) => {
                let found = to_u64(pickle.len());
                return Err(Error::Truncated { expected, found });
            }
            Err(Missing::Refused(reason)) => return Err(malformed(at, reason)),
        };
        // A node cannot hold a length of 4 GiB or more: such a length must be in the 8 bytes before the argument.
        let is_counted = matches!(opcode, 0x8d | 0x8e | 0x96);
        if argument.is_long() && !is_counted {
            return Err(malformed(at, "an argument of 4 GiB without an 8-byte length"));
        }
        match machine.run(opcode, argument) {
            Ok(Some(root)) => return machine.finish(root),
            Ok(None) => at = end,
            Err(Failure::Malformed(reason)) => return Err(malformed(at, reason)),
            Err(Failure::Other(error)) => return Err(error),
        }
    }
}

/// The reason why an opcode fails.
enum Failure {
    Malformed(&'static str),
    Other(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Other(error)
    }
}

impl From<&'static str> for Failure {
    fn from(reason: &'static str) -> Self {
        Failure::Malformed(reason)
    }
}

const EMPTY_STACK: &str = "the opcode needs an object, and there is none";
const NO_MARK: &str = "the opcode needs a mark, and there is none";

const NO_TUPLE: &str = "the opcode needs a tuple of arguments";
const NO_NAME: &str = "the name of a module or of something in it is not text";

/// A part of the items of a container. The items of a container may arrive in several parts, with items of other containers between them.
struct Part {
    items: Items,
    next: u32,
}

/// The parts of a container while the machine runs: the indices of the first and the last one in [`Machine::parts`].
#[derive(Clone, Copy)]
struct Chain {
    first: u32,
    last: u32,
}

const NO_PARTS: Chain = Chain { first: NONE, last: NONE };

/// The machine that runs a pickle. It only makes nodes.
///
/// Until the end, the [`Items`] of a container that can grow are its [`Chain`]: the first and the last of its parts.
#[derive(Default)]
struct Machine<'p> {
    pickle: &'p [u8],
    nodes: Vec<Node>,
    items: Vec<Id>,
    parts: Vec<Part>,
    calls: Vec<Call>,
    stack: Stack,
    memo: Memo,
    /// The empty tuple. There is only one, as in Python.
    empty: Option<Id>,
}

impl Machine<'_> {
    /// Runs an opcode; returns the root after the last one.
    fn run(&mut self, opcode: u8, argument: Data) -> Result<Option<Id>, Failure> {
        let bytes = argument.of(self.pickle);
        match opcode {
            b'.' => return self.pop().map(Some),
            0x80 if bytes.first().is_some_and(|&protocol| protocol > 5) => {
                return Err("protocol 6 or later is unknown".into());
            }
            0x80 | 0x95 => {}

            b'(' => self.stack.mark()?,
            b'0' => {
                if self.stack.pop().is_none() {
                    self.stack.unmark().ok_or(EMPTY_STACK)?;
                }
            }
            b'1' => {
                let n = self.unmark()?;
                self.stack.drop_last(n);
            }
            b'2' => {
                let top = self.top()?;
                self.stack.push(top)?;
            }

            b'N' => self.make(Node::None)?,
            0x88 => self.make(Node::Bool(true))?,
            0x89 => self.make(Node::Bool(false))?,
            b'K' | b'M' => self.make(Node::Int(unsigned(bytes)))?,
            b'J' => self.make(Node::Int(signed(bytes)))?,
            0x8a | 0x8b if bytes.len() <= 8 => self.make(Node::Int(signed(bytes)))?,
            0x8a | 0x8b => self.make(Node::Data(Form::BigInt, argument))?,
            b'I' | b'L' => self.number(opcode, bytes, argument)?,
            b'F' => {
                let number = line(bytes).and_then(|text| float(text.trim()));
                self.make(Node::Float(number.ok_or("not a float")?))?;
            }
            b'G' => {
                let number = bytes.first_chunk().copied().unwrap_or_default();
                self.make(Node::Float(f64::from_be_bytes(number)))?;
            }

            b'X' | 0x8c | 0x8d => self.make(Node::Data(Form::Str, argument))?,
            b'V' => self.make(Node::Data(Form::EscapedStr, argument))?,
            b'B' | b'C' | 0x8e => self.make(Node::Data(Form::Bytes, argument))?,
            0x96 => self.make(Node::Data(Form::ByteArray, argument))?,
            b'U' | b'T' => self.make(Node::Data(Form::Python2, argument))?,
            b'S' => self.make(Node::Data(Form::Python2Literal, argument))?,

            b']' => self.make(Node::List(NO_PARTS.into()))?,
            b'}' => self.make(Node::Dict(NO_PARTS.into()))?,
            0x8f => self.make(Node::Set(NO_PARTS.into()))?,
            b'l' => drop(self.collect(Node::List)?),
            b'd' => {
                if self.collect(Node::Dict)? % 2 == 1 {
                    return Err("a key of a dictionary has no value".into());
                }
            }
            b')' => self.tuple(0)?,
            0x85 => self.tuple(1)?,
            0x86 => self.tuple(2)?,
            0x87 => self.tuple(3)?,
            b't' => {
                let n = self.unmark()?;
                self.tuple(n)?;
            }
            0x91 => {
                let n = self.unmark()?;
                let items = self.take(n)?;
                self.make(Node::FrozenSet(items))?;
            }

            b'a' => self.append(1)?,
            b'e' | 0x90 => {
                let n = self.unmark()?;
                self.append(n)?;
            }
            b's' => self.insert(2)?,
            b'u' => {
                let n = self.unmark()?;
                self.insert(n)?;
            }

            b'q' | b'r' => self.memo.put(narrow(unsigned(bytes)), self.top()?)?,
            b'p' => self.memo.put(memo_number(bytes)?, self.top()?)?,
            0x94 => self.memo.append(self.top()?)?,
            b'h' | b'j' => self.recall(narrow(unsigned(bytes)))?,
            b'g' => self.recall(memo_number(bytes)?)?,

            b'c' => self.make(Node::Data(Form::Global, argument))?,
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                self.check_name(module)?;
                self.check_name(name)?;
                self.make(Node::Global(module, name))?;
            }
            b'R' | 0x81 => {
                let (arguments, callable) = (self.pop()?, self.pop()?);
                self.call(callable, arguments)?;
            }
            0x92 => {
                let (named, positional, class) = (self.pop()?, self.pop()?, self.pop()?);
                let is_dict = matches!(self.nodes.get(wide(named)), Some(Node::Dict(_)));
                if !is_dict || !self.is_tuple(positional) {
                    return Err(NO_TUPLE.into());
                }
                self.stack.push(positional)?;
                self.stack.push(named)?;
                self.tuple(2)?;
                let arguments = self.pop()?;
                self.call(class, arguments)?;
            }
            b'i' => {
                let n = self.unmark()?;
                self.tuple(n)?;
                let arguments = self.pop()?;
                self.make(Node::Data(Form::Global, argument))?;
                let class = self.pop()?;
                self.call(class, arguments)?;
            }
            b'o' => {
                let n = self.unmark()?.checked_sub(1).ok_or("there is no class")?;
                self.tuple(n)?;
                let (arguments, class) = (self.pop()?, self.pop()?);
                if !self.is_named(class) {
                    return Err("a class without a name".into());
                }
                self.call(class, arguments)?;
            }
            b'b' => {
                let (state, object) = (self.pop()?, self.top()?);
                match self.called(object) {
                    Some(call) => call.state = state,
                    None => return Err("a state for something that is not an object".into()),
                }
            }
            // `opcode::next` refuses all others.
            _ => debug_assert!(false, "an opcode without a meaning: {opcode}"),
        }
        Ok(None)
    }

    fn pop(&mut self) -> Result<Id, Failure> {
        Ok(self.stack.pop().ok_or(EMPTY_STACK)?)
    }

    fn top(&self) -> Result<Id, Failure> {
        Ok(self.stack.top().ok_or(EMPTY_STACK)?)
    }

    fn unmark(&mut self) -> Result<usize, Failure> {
        Ok(self.stack.unmark().ok_or(NO_MARK)?)
    }

    /// Pushes a new node.
    #[inline]
    fn make(&mut self, node: Node) -> Result<(), Failure> {
        let id = index(self.nodes.len())?;
        push(&mut self.nodes, node)?;
        Ok(self.stack.push(id)?)
    }

    /// Pushes an integer that was written as text.
    fn number(&mut self, opcode: u8, bytes: &[u8], argument: Data) -> Result<(), Failure> {
        let text = line(bytes).ok_or("not an integer")?.trim();
        let digits = text.strip_suffix('L').filter(|_| opcode == b'L').unwrap_or(text);
        match (text, digits.parse()) {
            ("00", _) if opcode == b'I' => self.make(Node::Bool(false)),
            ("01", _) if opcode == b'I' => self.make(Node::Bool(true)),
            (_, Ok(number)) => self.make(Node::Int(number)),
            _ => {
                let unsigned = digits.strip_prefix(['-', '+']).unwrap_or(digits);
                if unsigned.is_empty() || !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err("not an integer".into());
                }
                self.make(Node::Data(Form::DecimalInt, argument))
            }
        }
    }

    /// Removes the top `n` nodes from the stack, and returns them as items.
    fn take(&mut self, n: usize) -> Result<Items, Failure> {
        let top = self.stack.last(n).ok_or(EMPTY_STACK)?;
        let items = Items { start: index(self.items.len())?, length: index(n)? };
        for &id in top {
            push(&mut self.items, id)?;
        }
        self.stack.drop_last(n);
        Ok(items)
    }

    /// Pushes a tuple of the top `n` nodes.
    fn tuple(&mut self, n: usize) -> Result<(), Failure> {
        let items = self.take(n)?;
        if n > 0 {
            return self.make(Node::Tuple(items));
        }
        match self.empty {
            Some(empty) => Ok(self.stack.push(empty)?),
            None => {
                self.make(Node::Tuple(items))?;
                self.empty = self.stack.top();
                Ok(())
            }
        }
    }

    fn is_tuple(&self, id: Id) -> bool {
        matches!(self.nodes.get(wide(id)), Some(Node::Tuple(_)))
    }

    /// Returns true for a class or function that the pickle names.
    fn is_named(&self, id: Id) -> bool {
        let node = self.nodes.get(wide(id));
        matches!(node, Some(Node::Global(..) | Node::Data(Form::Global, _)))
    }

    /// Checks the name of a module, or of something in it.
    fn check_name(&self, id: Id) -> Result<(), Failure> {
        let Some(&Node::Data(form, data)) = self.nodes.get(wide(id)) else {
            return Err(NO_NAME.into());
        };
        let is_text =
            matches!(form, Form::Str | Form::EscapedStr | Form::Python2 | Form::Python2Literal);
        if !is_text {
            return Err(NO_NAME.into());
        }
        if data.of(self.pickle).len() > opcode::MAX_NAMES {
            return Err(opcode::LONG_NAME.into());
        }
        Ok(())
    }

    /// Pushes a container of the nodes above the mark; returns their number.
    fn collect(&mut self, container: fn(Items) -> Node) -> Result<usize, Failure> {
        let n = self.unmark()?;
        let items = self.take(n)?;
        let mut chain = NO_PARTS;
        self.extend(&mut chain, items)?;
        self.make(container(chain.into()))?;
        Ok(n)
    }

    /// Appends a part to a container.
    fn extend(&mut self, chain: &mut Chain, items: Items) -> Result<(), Failure> {
        if items.length == 0 {
            return Ok(());
        }
        if let Some(last) = self.parts.get_mut(wide(chain.last))
            && last.items.start.checked_add(last.items.length) == Some(items.start)
        {
            last.items.length = last.items.length.saturating_add(items.length);
            return Ok(());
        }
        let added = index(self.parts.len())?;
        match self.parts.get_mut(wide(chain.last)) {
            Some(last) => last.next = added,
            None => chain.first = added,
        }
        chain.last = added;
        Ok(push(&mut self.parts, Part { items, next: NONE })?)
    }

    /// Appends the top `n` nodes to the list, set or object under them.
    fn append(&mut self, n: usize) -> Result<(), Failure> {
        let items = self.take(n)?;
        let to = self.top()?;
        let node = self.nodes.get(wide(to)).copied();
        let mut chain = match node {
            Some(Node::List(chain) | Node::Set(chain)) => chain.into(),
            Some(Node::Call(_)) => self.called(to).map_or(NO_PARTS, |call| call.items.into()),
            _ => return Err("items for something that is not a list, a set or an object".into()),
        };
        self.extend(&mut chain, items)?;
        match self.nodes.get_mut(wide(to)) {
            Some(Node::List(grown) | Node::Set(grown)) => *grown = chain.into(),
            _ => {
                if let Some(call) = self.called(to) {
                    call.items = chain.into();
                }
            }
        }
        Ok(())
    }

    /// Sets the top `n` nodes, in which keys and values alternate, in the dictionary or object under them.
    fn insert(&mut self, n: usize) -> Result<(), Failure> {
        if n % 2 == 1 {
            return Err("a key of a dictionary has no value".into());
        }
        let items = self.take(n)?;
        let to = self.top()?;
        let node = self.nodes.get(wide(to)).copied();
        let mut chain = match node {
            Some(Node::Dict(chain)) => chain.into(),
            Some(Node::Call(_)) => self.called(to).map_or(NO_PARTS, |call| call.pairs.into()),
            _ => return Err("keys for something that is not a dictionary or an object".into()),
        };
        self.extend(&mut chain, items)?;
        match self.nodes.get_mut(wide(to)) {
            Some(Node::Dict(grown)) => *grown = chain.into(),
            _ => {
                if let Some(call) = self.called(to) {
                    call.pairs = chain.into();
                }
            }
        }
        Ok(())
    }

    /// Pushes the node with this number in the memo.
    fn recall(&mut self, number: u32) -> Result<(), Failure> {
        let id = self
            .memo
            .get(number)
            .ok_or("the opcode needs an object that was stored before, and there is none")?;
        Ok(self.stack.push(id)?)
    }

    /// Pushes a call.
    fn call(&mut self, callable: Id, arguments: Id) -> Result<(), Failure> {
        if !self.is_tuple(arguments) {
            return Err(NO_TUPLE.into());
        }
        let index = index(self.calls.len())?;
        let (items, pairs) = (NO_PARTS.into(), NO_PARTS.into());
        push(&mut self.calls, Call { callable, arguments, state: NONE, items, pairs })?;
        self.make(Node::Call(index))
    }

    /// Returns the call at this node; `None` if the node is not a call.
    fn called(&mut self, id: Id) -> Option<&mut Call> {
        match self.nodes.get(wide(id)) {
            Some(&Node::Call(index)) => self.calls.get_mut(wide(index)),
            _ => None,
        }
    }

    /// Makes the items of each container contiguous.
    fn finish(mut self, root: Id) -> Result<Graph, Error> {
        let Machine { nodes, items, parts, calls, .. } = &mut self;
        for node in nodes.iter_mut() {
            if let Node::List(chain) | Node::Set(chain) | Node::Dict(chain) = node {
                join(chain, parts, items)?;
            }
        }
        for call in calls.iter_mut() {
            join(&mut call.items, parts, items)?;
            join(&mut call.pairs, parts, items)?;
        }
        Ok(Graph { nodes: self.nodes, items: self.items, calls: self.calls, root })
    }
}

/// Replaces the chain of a container by its items, which are contiguous afterwards.
fn join(chain: &mut Items, parts: &[Part], items: &mut Vec<Id>) -> Result<(), Error> {
    let Chain { first, last } = Chain::from(*chain);
    let part = |index| parts.get(wide(index));
    let Some(single) = part(first) else {
        *chain = Items::default();
        return Ok(());
    };
    if first == last {
        *chain = single.items;
        return Ok(());
    }
    let start = index(items.len())?;
    let mut next = first;
    while let Some(Part { items: from, next: after }) = part(next) {
        for at in (wide(from.start)..).take(wide(from.length)) {
            let id = items.get(at).copied().unwrap_or(NONE);
            push(items, id)?;
        }
        next = *after;
    }
    *chain = Items { start, length: index(checked::sub(items.len(), wide(start)))? };
    Ok(())
}

impl From<Chain> for Items {
    fn from(chain: Chain) -> Self {
        Items { start: chain.first, length: chain.last }
    }
}

impl From<Items> for Chain {
    fn from(items: Items) -> Self {
        Chain { first: items.start, last: items.length }
    }
}

/// Converts a length to an index.
fn index(length: usize) -> Result<u32, Error> {
    u32::try_from(length).map_err(|_| Error::TooManyNodes)
}

/// Returns the text of a line, without its line feed.
fn line(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().map(|text| text.trim_end_matches('\n'))
}

#[cfg(not(target_family = "wasm"))]
fn float(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// Parses the number of an entry of the memo.
fn memo_number(bytes: &[u8]) -> Result<u32, &'static str> {
    line(bytes).and_then(|text| text.trim().parse().ok()).ok_or("not the number of a stored object")
}

/// Reads an unsigned integer of up to 4 bytes.
fn unsigned(bytes: &[u8]) -> i64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | i64::from(byte))
}

/// Converts the number of an entry of the memo, of at most 4 bytes.
fn narrow(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Reads an integer in two's complement of up to 8 bytes.
fn signed(bytes: &[u8]) -> i64 {
    let sign = if bytes.last().is_some_and(|&byte| byte >= 0x80) { -1 } else { 0 };
    bytes.iter().rev().fold(sign, |number, &byte| number << 8 | i64::from(byte))
}
