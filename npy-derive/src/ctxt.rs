//! Collects errors, so that all of them are reported at once.

use std::cell::RefCell;
use std::fmt::Display;

use quote::ToTokens;

/// Collects errors. [`Ctxt::check`] must be called at the end.
pub(crate) struct Ctxt {
    // `None` after `check`.
    errors: RefCell<Option<Vec<syn::Error>>>,
}

impl Ctxt {
    pub(crate) fn new() -> Self {
        Ctxt { errors: RefCell::new(Some(Vec::new())) }
    }

    /// Adds an error at these tokens.
    pub(crate) fn error(&self, at: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(at.into_token_stream(), message));
    }

    /// Adds an error of the parser.
    pub(crate) fn push(&self, error: syn::Error) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    /// Returns the errors, if there are any.
    pub(crate) fn check(self) -> Result<(), Vec<syn::Error>> {
        let errors = self.errors.take().unwrap_or_default();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// Panics if errors were never checked, so that the macro's own tests find lost errors.
#[cfg(test)]
impl Drop for Ctxt {
    fn drop(&mut self) {
        assert!(std::thread::panicking() || self.errors.borrow().is_none(), "errors not checked");
    }
}
