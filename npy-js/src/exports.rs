//! The functions that the scripts call, and the one of the scripts that reads the file.
//!
//! All memory belongs to Rust: the scripts write arguments, and parts of the file, only to buffers whose addresses they were given, and
//! copy answers before their next call. No address that comes from a script is used here.

#![expect(unsafe_code, reason = "functions with a name for the scripts, and one of the scripts")]

use std::cell::RefCell;
use std::io;

use crate::file::ReadAt;
use crate::module::Module;
use crate::{Answer, Failure};

#[link(wasm_import_module = "npy")]
// SAFETY: the scripts have functions of these types. `read` writes at most `length` bytes to `out`, and keeps the address no longer than
// the call.
unsafe extern "C" {
    /// Returns the number of bytes in the file.
    safe fn size() -> u64;
    /// Reads bytes of the file; returns their number, or 0 if that fails or if they must be fetched first.
    safe fn read(offset: u64, out: *mut u8, length: usize) -> usize;
}

/// The file that the scripts opened.
#[derive(Clone)]
struct Opened;

impl ReadAt for Opened {
    fn size(&self) -> u64 {
        size()
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        match read(offset, out.as_mut_ptr(), out.len()) {
            0 => {
                Err(io::Error::other("the file cannot be read; it may have changed: open it again"))
            }
            count => Ok(count.min(out.len())),
        }
    }
}

/// The buffers, and the answer to the last call.
struct State {
    module: Module<Opened>,
    /// The name of a call and its arguments, each ended by a zero byte.
    arguments: Vec<u8>,
    input: Vec<u8>,
    answer: Answer,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State {
        module: Module::new(Opened),
        arguments: Vec::new(),
        input: Vec::new(),
        answer: Answer::default(),
    });
}

fn buffer(bytes: &mut Vec<u8>, length: usize) -> *mut u8 {
    bytes.clear();
    // A buffer that was large once does not stay so.
    bytes.shrink_to(length);
    bytes.resize(length, 0);
    bytes.as_mut_ptr()
}

/// Makes the buffer for the name and the arguments of a call, and returns its address.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn arguments(length: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| buffer(&mut state.arguments, length))
}

/// Makes the buffer for the bytes that a call is about, and returns its address.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn input(length: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| buffer(&mut state.input, length))
}

/// Makes the call; returns false if the answer is an error.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn call() -> bool {
    STATE.with_borrow_mut(|state| {
        // The memory of the last answer is free before this one is made.
        state.answer = Answer::default();
        let text = String::from_utf8_lossy(&state.arguments);
        let mut parts = text.split_terminator('\0');
        let name = parts.next().unwrap_or_default();
        let result = state.module.call(name, &parts.collect::<Vec<_>>(), &state.input);
        let is_answer = result.is_ok();
        state.answer = result.unwrap_or_else(|failure: Failure| Answer {
            text: failure.to_text(),
            bytes: Vec::new(),
        });
        is_answer
    })
}

/// Returns the address of the JSON of the answer.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn text() -> *const u8 {
    STATE.with_borrow(|state| state.answer.text.as_ptr())
}

/// Returns the length of the JSON of the answer.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn text_length() -> usize {
    STATE.with_borrow(|state| state.answer.text.len())
}

/// Returns the address of the bytes of the answer.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn bytes() -> *const u8 {
    STATE.with_borrow(|state| state.answer.bytes.as_ptr())
}

/// Returns the number of bytes of the answer.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn bytes_length() -> usize {
    STATE.with_borrow(|state| state.answer.bytes.len())
}
