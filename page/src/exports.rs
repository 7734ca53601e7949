//! The functions that the script of the page calls, and the one of the script that reads the file.
//!
//! All memory belongs to Rust: the script writes the name of the file, and parts of the file, only to buffers whose addresses it was given,
//! and reads answers before its next call. No address that comes from the script is used here.

#![expect(unsafe_code, reason = "functions with a name for the script, and one of the script")]

use std::cell::RefCell;
use std::io;

use crate::file::ReadAt;
use crate::session::Session;

#[link(wasm_import_module = "page")]
// SAFETY: the script has a function of this type. It writes at most `length` bytes to `out`, and keeps the address no longer than the call.
unsafe extern "C" {
    /// Reads bytes of the file; returns false if that fails.
    safe fn read(offset: u64, out: *mut u8, length: usize) -> bool;
}

/// The file that was chosen.
#[derive(Clone)]
struct Chosen {
    size: u64,
}

impl ReadAt for Chosen {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match read(offset, out.as_mut_ptr(), out.len()) {
            true => Ok(()),
            false => Err(io::Error::other(
                "the browser cannot read the file; it may have changed: choose it again",
            )),
        }
    }
}

thread_local! {
    static NAME: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static SESSION: RefCell<Option<Session<Chosen>>> = const { RefCell::new(None) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes the buffer for the name of the file, and returns its address.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn name(length: usize) -> *mut u8 {
    NAME.with_borrow_mut(|name| {
        name.clear();
        name.resize(length, 0);
        name.as_mut_ptr()
    })
}

/// Opens a file of this size, with the name in the buffer. Returns the address of the answer.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn open(size: u64) -> *const u8 {
    let name = NAME.with_borrow(|name| String::from_utf8_lossy(name).into_owned());
    SESSION.set(Some(Session::new(Chosen { size }, &name)));
    call(|session| session.open())
}

/// Opens a member of the archive. Returns the address of the answer.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn member(index: usize) -> *const u8 {
    call(|session| session.member(index))
}

/// Returns the address of the text of some rows.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn rows(from: usize, count: usize) -> *const u8 {
    call(|session| session.rows(from, count))
}

/// Returns the address of the points of a column.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn plot(column: usize) -> *const u8 {
    call(|session| session.plot(column))
}

/// Returns the length of the last answer.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn answer_length() -> usize {
    ANSWER.with_borrow(String::len)
}

/// Keeps the answer of the session until the next call; returns its address.
fn call(answer: impl FnOnce(&mut Session<Chosen>) -> String) -> *const u8 {
    let text = SESSION.with_borrow_mut(|session| session.as_mut().map(answer).unwrap_or_default());
    ANSWER.with_borrow_mut(|last| {
        *last = text;
        last.as_ptr()
    })
}
