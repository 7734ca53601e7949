//! The model of a record: its fields, how each is stored, and which are left out.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{DeriveInput, Expr, Generics, Ident, Type};

use crate::attr::Container;
use crate::bound;
use crate::ctxt::Ctxt;
use crate::field::{self, Default, Field, Skipped, Stored};
use crate::input::{OWNS_ITS_DATA, borrowed, may_be_plain, the_struct};

/// The model of a struct that becomes a record.
pub(crate) struct Record<'a> {
    pub(crate) ident: &'a Ident,
    /// The generics of the impls, with all bounds.
    pub(crate) generics: Generics,
    /// The path of `npy-core`.
    pub(crate) krate: TokenStream,
    pub(crate) aligned: bool,
    /// True if fields may be misaligned, so that none may be borrowed.
    pub(crate) packed: bool,
    /// True if the struct may be `ZeroCopy`, with every field stored as its own type.
    pub(crate) may_be_plain: bool,
    pub(crate) itemsize: Option<Expr>,
    pub(crate) deny_unknown: bool,
    /// The tokens of `default` on the struct: missing fields are taken from the struct's `Default`.
    pub(crate) default: Option<TokenStream>,
    pub(crate) fields: Vec<Field<'a>>,
    pub(crate) skipped: Vec<Skipped<'a>>,
}

impl<'a> Record<'a> {
    /// Parses the tokens; `None`, with errors reported, if they do not describe a record.
    pub(crate) fn from_input(
        cx: &Ctxt,
        input: &'a DeriveInput,
        container: &Container,
    ) -> Option<Self> {
        let of_enum = "NpyRecord is for structs; for an enum without fields derive NpyElement: it is stored as its integer";
        let of_union = "NpyRecord is for structs; a union has no single dtype; store its bytes in an array [u8; N]";
        let data = the_struct(cx, input, of_enum, of_union)?;
        check_align(cx, container);
        let (fields, skipped) = field::split(cx, data, container);
        // Skipped fields may borrow.
        if let Some(lifetime) = borrowed(input, &fields) {
            cx.error(lifetime, OWNS_ITS_DATA);
        }
        if data.fields.is_empty() {
            let message = "a record needs a field; NumPy does not support elements without bytes";
            cx.error(&input.ident, message);
        } else if fields.is_empty() {
            let message = "a record needs a field, and `skip` excludes all of them";
            cx.error(&input.ident, message);
        }
        field::check_names(cx, &fields);
        check_layout(cx, container, &fields);
        let krate = container.krate();
        let packed = container.repr.packed;
        let as_is = |field: &Field<'_>| matches!(field.stored, Stored::Plain | Stored::Flat);
        let may_be_plain =
            may_be_plain(input, &container.repr) && skipped.is_empty() && fields.iter().all(as_is);
        let whole_default = container.default.get().is_some();
        let asked = asked(&krate, input, packed, &fields, &skipped);
        let mut generics =
            bound::with_bounds(&input.generics, container.bound.get(), asked.into_iter());
        if whole_default {
            bound::with_default(&mut generics);
        }
        if !skipped.is_empty() || !fields.iter().all(as_is) {
            bound::with_send(&mut generics);
        }
        Some(Record {
            ident: &input.ident,
            generics,
            krate,
            aligned: container.align.get().is_some(),
            packed,
            may_be_plain,
            itemsize: container.itemsize.get().cloned(),
            default: container.default.tokens().cloned(),
            deny_unknown: container.deny_unknown_fields.get().is_some(),
            fields,
            skipped,
        })
    }
}

/// Returns the bounds that the types of fields need.
fn asked<'a>(
    krate: &TokenStream,
    input: &DeriveInput,
    packed: bool,
    fields: &[Field<'a>],
    skipped: &[Skipped<'a>],
) -> Vec<(&'a Type, TokenStream)> {
    let default = quote!(::core::default::Default);
    let mut asked = Vec::new();
    for field in fields {
        match field.stored {
            Stored::Plain => asked.push((field.ty, quote!(#krate::Element))),
            // A type parameter must itself be a record. Any other type is a record if its
            // parameters are elements.
            Stored::Flat if bound::is_parameter(&input.generics, field.ty) => {
                asked.push((field.ty, quote!(#krate::NpyRecord)));
            }
            Stored::Flat => asked.push((field.ty, quote!(#krate::Element))),
            Stored::With(_) | Stored::Wide { .. } => {}
        }
        // A field that may be misaligned is copied before it is read.
        if packed {
            asked.push((field.ty, quote!(::core::marker::Copy)));
        }
        if let Some(Default::OfType) = field.default {
            asked.push((field.ty, default.clone()));
        }
    }
    for field in skipped {
        if let Default::OfType = field.value {
            asked.push((field.ty, default.clone()));
        }
    }
    asked
}

/// Refuses layout attributes with `width = any`: such a record is only read, from files of any
/// layout.
fn check_layout(cx: &Ctxt, container: &Container, fields: &[Field<'_>]) {
    if !fields.iter().any(Field::has_any_width) {
        return;
    }
    let offsets = fields.iter().filter_map(|field| field.offset.as_ref());
    let of_fields = offsets.map(|offset| ("offset", offset.to_token_stream()));
    let of_struct =
        [("align", container.align.tokens()), ("itemsize", container.itemsize.tokens())];
    let of_struct = of_struct.into_iter().filter_map(|(name, at)| Some((name, at?.clone())));
    for (name, at) in of_struct.chain(of_fields) {
        let message = format!(
            "`{name}` has no effect with `width = any`, which is only for reading; remove one"
        );
        cx.error(at, message);
    }
}

/// Checks that a struct with `align` has the layout of C.
fn check_align(cx: &Ctxt, container: &Container) {
    let Some(tokens) = container.align.tokens() else { return };
    if container.repr.packed {
        cx.error(tokens, "`align` and #[repr(packed)] exclude each other; remove one");
    } else if !container.repr.c {
        cx.error(tokens, "`align` needs the layout of C; add #[repr(C)] to the struct");
    } else if container.repr.align {
        let message = "a dtype cannot have #[repr(align(…))]; remove it, or add the padding as fields of the record";
        cx.error(tokens, message);
    }
}
