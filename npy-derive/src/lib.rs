//! The derive macros of `npy-core`, which re-exports them: depend on that crate.

mod ast;
mod attr;
mod bound;
mod case;
mod ctxt;
mod element;
mod expand;
mod field;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::attr::{Container, Stored};
use crate::ctxt::Ctxt;

/// Makes a struct a NumPy record: implements `Element` and `NpyRecord`.
///
/// The fields are the fields of the record, in the order of the struct, side by side; those of a tuple struct are
/// called `f0`, `f1`, … Each field's type is an `Element`, another record among them. Types and constants may be
/// generic; a parameter that a field uses is asked to be an `Element`. The fields of a `#[repr(packed)]` struct are
/// `Copy`, as they cannot be borrowed.
///
/// ```
/// use npy_core::{Element, NpyRecord};
///
/// #[derive(NpyRecord)]
/// struct Trace<T, const N: usize> {
///     station: u32,
///     samples: [T; N],
/// }
///
/// let dtype = Trace::<f32, 3>::dtype();
/// assert_eq!(dtype.to_string(), "[('station', '<u4'), ('samples', '<f4', (3,))]");
/// ```
///
/// # On the struct
///
/// | `#[npy(…)]` | |
/// |---|---|
/// | `rename_all = "camelCase"` | the case of all names: `lowercase`, `UPPERCASE`, `PascalCase`, `camelCase`, `snake_case`, `SCREAMING_SNAKE_CASE`, `kebab-case`, `SCREAMING-KEBAB-CASE` |
/// | `align` | fields and padding where C has them, as `np.dtype(…, align=True)`; the struct is `#[repr(C)]` |
/// | `endian = "big"` | the byte order written: `big`, `little` or `native`; also for the records inside that do not state one |
/// | `bound(T: Element)` | these bounds in place of the inferred ones; also `bound = "T: Element"` |
/// | `crate = path` | where `npy-core` is, if not at `::npy_core` |
///
/// # On a field
///
/// | `#[npy(…)]` | |
/// |---|---|
/// | `rename = "x"` | the name in the file |
/// | `endian = "big"` | the byte order of this field, whatever the struct says |
///
/// # Examples
///
/// Names:
///
/// ```
/// # use npy_core::{Element, NpyRecord};
/// #[derive(NpyRecord)]
/// #[npy(rename_all = "camelCase")]
/// struct Pick {
///     arrival_time: f64,
///     #[npy(rename = "SNR")]
///     signal_to_noise: f32,
/// }
/// assert_eq!(Pick::dtype().to_string(), "[('arrivalTime', '<f8'), ('SNR', '<f4')]");
/// ```
///
/// C's layout:
///
/// ```
/// # use npy_core::{Element, NpyRecord};
/// #[derive(NpyRecord)]
/// #[npy(align)]
/// #[repr(C)]
/// struct Sample {
///     flag: u8,
///     value: f64,
/// }
/// assert_eq!(Sample::dtype().to_string(), "[('flag', '|u1'), ('', '|V7'), ('value', '<f8')]");
/// ```
///
/// Byte order, which records inside take over:
///
/// ```
/// # use npy_core::{Element, NpyRecord};
/// #[derive(NpyRecord)]
/// struct Inner {
///     gain: f32,
/// }
///
/// #[derive(NpyRecord)]
/// #[npy(endian = "big")]
/// struct Outer {
///     inner: Inner,
///     #[npy(endian = "little")]
///     count: u16,
/// }
/// assert_eq!(Outer::dtype().to_string(), "[('inner', [('gain', '>f4')]), ('count', '<u2')]");
/// ```
///
/// Bounds, where the inferred ones ask for too much or too little:
///
/// ```
/// # use npy_core::{Element, NpyRecord};
/// trait Unit {
///     type Count: Element;
/// }
///
/// #[derive(NpyRecord)]
/// #[npy(bound(U: Unit))]
/// struct Span<U: Unit> {
///     count: <U as Unit>::Count,
/// }
/// # struct Second;
/// # impl Unit for Second { type Count = u64; }
/// assert_eq!(Span::<Second>::dtype().to_string(), "[('count', '<u8')]");
/// ```
///
/// Another name for the crate:
///
/// ```
/// extern crate npy_core as numpy_files;
///
/// #[derive(numpy_files::NpyRecord)]
/// #[npy(crate = numpy_files)]
/// struct Pair(u8, u8);
/// ```
#[proc_macro_derive(NpyRecord, attributes(npy))]
pub fn derive_npy_record(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse(input) {
        Ok(input) => npy_record(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Makes a type one item of an array that is stored as another: implements `Element`.
///
/// For a unit enum with an integer `repr` the item is that integer. A value that is no variant is an error when it is read, which
/// names the value, the row and the field:
///
/// ```
/// use npy_core::{NpyElement, ReadNpy, WriteNpy};
///
/// #[derive(NpyElement, Debug, PartialEq)]
/// #[repr(u8)]
/// enum Phase {
///     P = 1,
///     S = 2,
/// }
///
/// let mut file = Vec::new();
/// [Phase::P, Phase::S].write_npy_to(&mut file)?; // dtype '|u1'
/// assert_eq!(Vec::<Phase>::read_npy_from(&file[..])?, [Phase::P, Phase::S]);
///
/// *file.last_mut().unwrap() = 9;
/// let error = Vec::<Phase>::read_npy_from(&file[..]).unwrap_err();
/// assert_eq!(error.to_string(), "row 1: 9 is no variant of Phase");
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// For a newtype (`#[npy(transparent)]` or `#[repr(transparent)]`) it is what the one field is:
///
/// ```
/// use npy_core::{Element, NpyElement};
///
/// #[derive(NpyElement)]
/// #[npy(transparent)]
/// struct Celsius(f32);
///
/// assert_eq!(Celsius::dtype().to_string(), "<f4");
/// ```
///
/// | `#[npy(…)]` | |
/// |---|---|
/// | `transparent` | on a struct of one field: stored as the field is |
/// | `bound(T: Element)` | these bounds in place of the inferred ones; also `bound = "T: Element"` |
/// | `crate = path` | where `npy-core` is, if not at `::npy_core` |
#[proc_macro_derive(NpyElement, attributes(npy))]
pub fn derive_npy_element(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse(input) {
        Ok(input) => npy_element(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Tokens to our model, checks, model to tokens.
fn npy_element(input: &DeriveInput) -> TokenStream {
    let cx = Ctxt::new();
    let stored = Stored::from_attributes(&cx, &input.attrs);
    let element = element::Element::from_input(&cx, input, &stored);
    let tokens = element.map(|element| element.expand());
    finish(cx, tokens, || expand::fallback_element(input, &stored.krate()))
}

/// Tokens to our model, checks, model to tokens.
fn npy_record(input: &DeriveInput) -> TokenStream {
    let cx = Ctxt::new();
    let container = Container::from_attributes(&cx, &input.attrs);
    let record = ast::Record::from_input(&cx, input, &container);
    let tokens = record.map(|record| expand::record(&record));
    finish(cx, tokens, || expand::fallback_record(input, &container.krate()))
}

/// What is generated. After errors that is an impl all the same, or each use of the type would be a further error.
fn finish(
    cx: Ctxt,
    tokens: Option<TokenStream>,
    fallback: impl FnOnce() -> TokenStream,
) -> TokenStream {
    match (tokens, cx.check()) {
        (Some(tokens), Ok(())) => tokens,
        (_, errors) => {
            let errors = errors.err().into_iter().flatten().map(|error| error.to_compile_error());
            let fallback = fallback();
            quote::quote!(#(#errors)* #fallback)
        }
    }
}

#[cfg(test)]
mod tests;
