//! The calls that the scripts make.

use crate::file::ReadAt;
use crate::{Answer, Result};

#[cfg(feature = "arrays")]
use crate::arrays::Arrays;
#[cfg(feature = "view")]
use crate::view::Session;

/// The state of a module, which reads one file.
pub struct Module<F> {
    #[cfg(feature = "arrays")]
    arrays: Arrays<F>,
    #[cfg(feature = "view")]
    session: Session<F>,
}

impl<F: ReadAt + Clone> Module<F> {
    /// Makes a module that reads this file.
    pub fn new(file: F) -> Self {
        Module {
            #[cfg(feature = "arrays")]
            arrays: Arrays::new(file.clone()),
            #[cfg(feature = "view")]
            session: Session::new(file),
        }
    }

    /// Answers a call. `input` has the bytes that it is about. The calls of the page begin with `view-`.
    ///
    /// # Errors
    ///
    /// If the file or the arguments are wrong.
    #[cfg_attr(
        not(feature = "arrays"),
        expect(unused_variables, reason = "the page sends no bytes")
    )]
    pub fn call(&mut self, name: &str, arguments: &[&str], input: &[u8]) -> Result<Answer> {
        match name.strip_prefix("view-") {
            #[cfg(feature = "view")]
            Some(name) => self.session.call(name, arguments),
            #[cfg(feature = "arrays")]
            None => self.arrays.call(name, arguments, input),
            #[cfg(not(all(feature = "arrays", feature = "view")))]
            _ => Err(crate::Failure::Call("an unknown call")),
        }
    }
}
