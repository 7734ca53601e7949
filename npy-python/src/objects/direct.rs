//! Plain objects, made from the opcodes of a pickle at once: text, bytes, numbers, lists, tuples and dicts.
//!
//! This is the fast way for arrays as NumPy writes them, without a graph. Everything else ends it without a result, and is then read by the
//! library, which also says what is wrong.

use std::sync::atomic::{AtomicU64, Ordering};

use npy_core::object::Kind;
use npy_core::{DynArray, Header, Objects, Order, ReadNpy};
use npy_pickle::{Pickle, parse};
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyString, PyTuple};

use crate::error::busy;

/// The bytes of a pickle before the list of objects are fewer than this.
const MAX_START: usize = 4 << 10;

/// The opcodes between two questions for signals: some milliseconds.
const OPCODES: u32 = 1 << 16;

/// The arrays that were made this way. The other way makes equal ones, so that a test could not tell them apart.
static MADE: AtomicU64 = AtomicU64::new(0);

const FRAME: u8 = 0x95;
const MEMOIZE: u8 = 0x94;

/// An opcode with the bytes of its argument, and the position after it.
struct Step<'a> {
    opcode: u8,
    argument: &'a [u8],
    end: usize,
}

/// Reads the opcode at a position, if this file knows it and it is complete.
#[inline]
fn step(pickle: &[u8], at: usize) -> Option<Step<'_>> {
    let (&opcode, rest) = pickle.get(at..)?.split_first()?;
    let (sizes, length) = match opcode {
        b'q' | b'h' | b'K' | 0x80 => (0, 1),
        b'M' => (0, 2),
        b'J' | b'r' | b'j' => (0, 4),
        b'G' | FRAME => (0, 8),
        b'C' | 0x8a | 0x8c => (1, usize::from(*rest.first()?)),
        b'X' | b'B' => (4, usize::try_from(u32::from_le_bytes(*rest.first_chunk()?)).ok()?),
        0x8d | 0x8e | 0x96 => (8, usize::try_from(u64::from_le_bytes(*rest.first_chunk()?)).ok()?),
        b'(' | b'N' | 0x88 | 0x89 | b')' | 0x85..=0x87 | b't' => (0, 0),
        b']' | b'a' | b'e' | b'}' | b's' | b'u' | MEMOIZE | 0x93 | b'R' | b'b' | b'.' => (0, 0),
        b'c' => (0, two_lines(rest)?),
        _ => return None,
    };
    let argument = rest.get(sizes..)?.get(..length)?;
    Some(Step { opcode, argument, end: at + 1 + sizes + length })
}

/// Returns the length of a name in two lines.
#[cold]
fn two_lines(text: &[u8]) -> Option<usize> {
    let mut ends = text.iter().take(MAX_START).enumerate().filter(|&(_, &byte)| byte == b'\n');
    ends.nth(1).map(|(at, _)| at + 1)
}

/// Reads an integer in two's complement, the least significant byte first, of at most eight bytes.
fn signed(bytes: &[u8]) -> Option<i64> {
    let mut wide = [if bytes.last().is_some_and(|&byte| byte >= 0x80) { 0xff } else { 0 }; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(i64::from_le_bytes(wide))
}

/// Reads an integer without a sign, the least significant byte first, of at most four bytes.
fn unsigned(bytes: &[u8]) -> Option<u32> {
    let mut wide = [0; 4];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u32::from_le_bytes(wide))
}

/// The part of a pickle before the objects of its array: NumPy's calls, and the list of objects, still empty.
struct Start {
    /// The position of the next opcode.
    at: usize,
    /// The number of objects that were noted to be recalled.
    noted: usize,
}

impl Start {
    /// Finds the list of objects of this array; `None` if NumPy would write it in another way.
    fn find(array: &DynArray, pickle: &[u8]) -> Option<Self> {
        let is_plain = array.dtype().descr() == "'|O'" && array.order() == Order::C;
        is_plain.then_some(())?;
        let (mut at, mut noted) = (0, 0);
        let mut calls = Vec::new();
        let mut is_list_made = false;
        loop {
            let next = step(pickle, at).filter(|next| next.end < MAX_START)?;
            let is_noted = notes(&next, noted)?;
            if is_list_made && !is_noted {
                break;
            }
            noted += usize::from(is_noted);
            is_list_made |= next.opcode == b']';
            if next.opcode != FRAME {
                calls.extend_from_slice(pickle.get(at..next.end)?);
            }
            at = next.end;
        }
        is_array(array, &calls).then_some(Start { at, noted })
    }
}

/// Returns true if an opcode notes the top object for later, under the next number.
#[inline]
fn notes(step: &Step<'_>, next: usize) -> Option<bool> {
    match step.opcode {
        MEMOIZE => Some(true),
        b'q' | b'r' => (usize::try_from(unsigned(step.argument)?).ok()? == next).then_some(true),
        _ => Some(false),
    }
}

/// Returns true if these opcodes make this array, and the library says so: it reads them as the only object of another array.
fn is_array(expected: &DynArray, calls: &[u8]) -> bool {
    const ARRAY: &[u8] =
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(t";
    const DTYPE: &[u8] = b"cnumpy\ndtype\n(S'O8'\nI0\nI1\ntRI00\n(l";
    let outer =
        Header::new(expected.dtype().clone(), [], Order::C).and_then(|outer| outer.to_bytes());
    let Ok(outer) = outer else { return false };
    // By themselves, so that they take nothing of the other array.
    let alone = Pickle::new([calls, b"tb."].concat());
    if alone.and_then(|alone| parse(&alone)).is_err() {
        return false;
    }
    let file = [&outer[..], ARRAY, DTYPE, calls, b"tbatb."].concat();
    let Ok(objects) = Objects::read_npy_from(&file[..]) else { return false };
    let array = objects.root();
    let call = array.object().invocation();
    array.kind() == Kind::Array
        && call.is_some_and(|call| call.name() == "_reconstruct")
        && array.header().is_ok_and(|found| {
            (found.dtype(), found.shape(), found.order())
                == (expected.dtype(), expected.shape(), expected.order())
        })
}

/// Returns the number of arrays that were made without a graph, for tests.
#[pyfunction]
pub(crate) fn arrays_without_graph() -> u64 {
    MADE.load(Ordering::Relaxed)
}

/// Makes the array of a complete pickle; `None` if its objects are not plain.
pub(super) fn read<'py>(
    py: Python<'py>,
    pickled: &DynArray,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let pickle = pickled.as_bytes();
    let Some(start) = Start::find(pickled, pickle) else { return Ok(None) };
    let mut machine = Machine {
        py,
        pickle,
        at: start.at,
        stack: Vec::new(),
        marks: Vec::new(),
        noted: vec![None; start.noted],
        items: Vec::new(),
    };
    let is_plain = machine.run()?.is_some();
    let items = machine.items;
    let count = pickled.shape().iter().try_fold(1_usize, |count, &n| count.checked_mul(n));
    if !is_plain || count != Some(items.len()) {
        return Ok(None);
    }
    let shape = PyTuple::new(py, pickled.shape())?;
    let array = py.import("numpy")?.call_method1("empty", (shape, "O"))?;
    let objects = array.cast::<PyArrayDyn<Py<PyAny>>>()?;
    let mut memory = objects.try_readwrite().map_err(busy)?;
    for (slot, item) in memory.as_slice_mut()?.iter_mut().zip(items) {
        *slot = item.unbind();
    }
    drop(memory);
    MADE.fetch_add(1, Ordering::Relaxed);
    Ok(Some(array))
}

type Any<'py> = Bound<'py, PyAny>;

/// The stack machine of a pickle, whose values are Python's.
struct Machine<'py, 'a> {
    py: Python<'py>,
    pickle: &'a [u8],
    at: usize,
    stack: Vec<Any<'py>>,
    /// The lengths of the stack at the marks.
    marks: Vec<usize>,
    /// The objects that can be recalled by their number. Those of NumPy's calls are left out.
    noted: Vec<Option<Any<'py>>>,
    /// The objects of the array.
    items: Vec<Any<'py>>,
}

/// The continuation after an opcode.
enum Next {
    Opcode,
    /// The opcodes after the objects of the array.
    End,
}

impl<'py> Machine<'py, '_> {
    /// Makes the objects of the array; `None` if they are not plain.
    fn run(&mut self) -> PyResult<Option<()>> {
        loop {
            self.py.check_signals()?;
            for _ in 0..OPCODES {
                match self.step() {
                    Some(Next::Opcode) => {}
                    Some(Next::End) => return Ok(self.end()),
                    None => return Ok(None),
                }
            }
        }
    }

    /// Runs an opcode; `None` if it is not one of plain objects.
    #[inline]
    fn step(&mut self) -> Option<Next> {
        let py = self.py;
        let next = step(self.pickle, self.at)?;
        let argument = next.argument;
        match next.opcode {
            0x8c | b'X' | 0x8d => {
                let text = PyString::from_bytes(py, argument).ok()?;
                self.stack.push(text.into_any());
            }
            MEMOIZE | b'q' | b'r' => {
                notes(&next, self.noted.len())?;
                self.noted.push(Some(self.top()?.clone()));
            }
            b'h' | b'j' => {
                let number = usize::try_from(unsigned(argument)?).ok()?;
                let object = self.noted.get(number)?.clone()?;
                self.stack.push(object);
            }
            b'K' | b'M' => self.stack.push(unsigned(argument)?.into_pyobject(py).ok()?.into_any()),
            b'J' | 0x8a => self.stack.push(signed(argument)?.into_pyobject(py).ok()?.into_any()),
            b'G' => {
                let number = f64::from_be_bytes(*argument.first_chunk()?);
                self.stack.push(number.into_pyobject(py).ok()?.into_any());
            }
            b'N' => self.stack.push(py.None().into_bound(py)),
            0x88 | 0x89 => {
                let value = next.opcode == 0x88;
                self.stack.push(value.into_pyobject(py).ok()?.to_owned().into_any());
            }
            b'C' | b'B' | 0x8e => self.stack.push(PyBytes::new(py, argument).into_any()),
            0x96 => self.stack.push(PyByteArray::new(py, argument).into_any()),
            b']' => self.stack.push(PyList::empty(py).into_any()),
            b'}' => self.stack.push(PyDict::new(py).into_any()),
            b')' => self.stack.push(PyTuple::empty(py).into_any()),
            0x85..=0x87 => {
                let first = self.first_of(usize::from(next.opcode - 0x84))?;
                self.tuple(first)?;
            }
            b't' if self.marks.is_empty() => {
                return self.stack.is_empty().then_some(Next::End);
            }
            b't' => {
                let mark = self.marks.pop()?;
                self.tuple(mark)?;
            }
            b'(' => self.marks.push(self.stack.len()),
            b'a' => {
                let first = self.first_of(1)?;
                self.append(first)?;
            }
            b'e' => {
                let mark = self.marks.pop()?;
                self.append(mark)?;
            }
            b's' => {
                let first = self.first_of(2)?;
                self.insert(first)?;
            }
            b'u' => {
                let mark = self.marks.pop()?;
                self.insert(mark)?;
            }
            FRAME => {}
            _ => return None,
        }
        self.at = next.end;
        Some(Next::Opcode)
    }

    /// Passes the opcodes by which NumPy sets the state of the array.
    fn end(&mut self) -> Option<()> {
        for opcode in [b't', b'b', b'.'] {
            let mut next = step(self.pickle, self.at)?;
            // The state may be noted, too.
            while opcode == b'b' && notes(&next, self.noted.len())? {
                self.noted.push(None);
                self.at = next.end;
                next = step(self.pickle, self.at)?;
            }
            (next.opcode == opcode).then_some(())?;
            self.at = next.end;
        }
        Some(())
    }

    /// Returns the position in the stack below which objects are out of reach.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn top(&self) -> Option<&Any<'py>> {
        if self.stack.len() > self.floor() { self.stack.last() } else { None }
    }

    /// Returns the position of the first of the top `n` objects.
    fn first_of(&self, n: usize) -> Option<usize> {
        self.stack.len().checked_sub(n).filter(|&first| first >= self.floor())
    }

    /// Returns the container just below a position. The objects of the array have none.
    fn container(&self, first: usize) -> Option<&Any<'py>> {
        let at = first.checked_sub(1).filter(|&at| at >= self.floor())?;
        self.stack.get(at)
    }

    /// Replaces the objects from this position on by a tuple.
    fn tuple(&mut self, first: usize) -> Option<()> {
        let tuple = PyTuple::new(self.py, self.stack.drain(first..)).ok()?;
        self.stack.push(tuple.into_any());
        Some(())
    }

    /// Appends the objects from this position on to the list below them, or to the array.
    fn append(&mut self, first: usize) -> Option<()> {
        if first == 0 && self.marks.is_empty() {
            self.items.append(&mut self.stack);
            return Some(());
        }
        let list = self.container(first)?.cast::<PyList>().ok()?.clone();
        for item in self.stack.drain(first..) {
            list.append(item).ok()?;
        }
        Some(())
    }

    /// Sets the objects from this position on, in which keys and values alternate, in the dict below them.
    fn insert(&mut self, first: usize) -> Option<()> {
        let dict = self.container(first)?.cast::<PyDict>().ok()?.clone();
        let (pairs, rest) = self.stack.get(first..)?.as_chunks::<2>();
        rest.is_empty().then_some(())?;
        for [key, value] in pairs {
            // The hash of a tuple could take Python too deep, or too long.
            (!key.is_instance_of::<PyTuple>()).then_some(())?;
            dict.set_item(key, value).ok()?;
        }
        self.stack.truncate(first);
        Some(())
    }
}
