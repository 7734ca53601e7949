//! Standard input or another pipe, which is read once and does not seek, and the bytes after its array.

use std::cell::RefCell;
use std::io::{self, Chain, Cursor, Read, Seek, SeekFrom};
use std::rc::Rc;

use npy_core::Reader;

use super::reader::AnyReader;
use crate::output::note;
use crate::target::Target;

/// A stream, after its first bytes were looked at. It does not seek, and [`AnyReader`] does not ask it to. Clones share the position.
#[derive(Clone)]
pub(crate) struct Stream(Rc<RefCell<State>>);

struct State {
    from: Chain<Cursor<Vec<u8>>, Box<dyn Read>>,
    position: u64,
    last_byte: u8,
    /// The position after the array, if its header states it.
    end: Option<u64>,
    has_line_end: bool,
}

thread_local! {
    /// The streams whose ends are looked at after all output is written, because a stream may stay open.
    static OPENED: RefCell<Vec<(String, Stream)>> = const { RefCell::new(Vec::new()) };
}

impl Stream {
    pub(super) fn new(start: Vec<u8>, rest: Box<dyn Read>) -> Self {
        let from = Cursor::new(start).chain(rest);
        let state = State { from, position: 0, last_byte: 0, end: None, has_line_end: false };
        Stream(Rc::new(RefCell::new(state)))
    }

    /// Reads the header of the array, and no byte after it.
    pub(super) fn into_array(self) -> npy_core::Result<AnyReader> {
        let reader = Reader::new(self.clone())?;
        let header = reader.header();
        let mut state = self.0.borrow_mut();
        state.has_line_end = state.last_byte == b'\n';
        if !header.dtype().has_object() {
            state.end = reader.data_offset().checked_add(header.data_bytes());
        }
        drop(state);
        Ok(AnyReader::of_stream(reader, self))
    }

    pub(super) fn has_line_end(&self) -> bool {
        self.0.borrow().has_line_end
    }

    /// Says what the bytes after the array may be, if the array was read to its end and there are any; they are not counted. This may wait for them.
    pub(super) fn what_follows(&self) -> Option<String> {
        let mut state = self.0.borrow_mut();
        if state.end != Some(state.position) {
            return None;
        }
        let mut start = Vec::new();
        // An error of the input is not about the array.
        let _ = state.from.by_ref().take(6).read_to_end(&mut start);
        let more = "more bytes follow the array";
        match &start[..] {
            [] => None,
            b"\x93NUMPY" => Some(format!("{more}, which begin another array")),
            _ if state.has_line_end => Some(more.to_owned()),
            _ => Some(format!(
                "{more}, and its header does not end with a line end, as if bytes were added to it; save the input to a file IN first: npy repair IN says where its data may begin"
            )),
        }
    }

    /// Has `tell_of_streams` look at the end.
    pub(super) fn tell_later(&self, target: &Target) {
        OPENED.with_borrow_mut(|opened| opened.push((target.to_string(), self.clone())));
    }
}

/// Says on standard error that bytes follow the arrays of streams, unless the command failed.
pub(crate) fn tell_of_streams(has_failed: bool) {
    for (name, stream) in OPENED.take() {
        if !has_failed && let Some(text) = stream.what_follows() {
            note(name, format!("left out: {text}"));
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.0.borrow_mut();
        let count = state.from.read(buffer)?;
        state.position += count as u64;
        if let Some(&last) = buffer.get(..count).and_then(<[u8]>::last) {
            state.last_byte = last;
        }
        Ok(count)
    }
}

impl Seek for Stream {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::NotSeekable.into())
    }
}
