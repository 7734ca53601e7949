//! Our model of a record: names, types and byte orders, checked.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Generics, Ident, Index, Member, Type};

use crate::attr::{Container, Endian, FieldAttrs};
use crate::bound;
use crate::ctxt::Ctxt;

/// A struct to be a record.
pub(crate) struct Record<'a> {
    pub(crate) ident: &'a Ident,
    /// With the bounds that the impls take.
    pub(crate) generics: Generics,
    /// Where `npy-core` is.
    pub(crate) krate: TokenStream,
    pub(crate) aligned: bool,
    /// Whether fields may be misaligned, so that none may be borrowed.
    pub(crate) packed: bool,
    pub(crate) endian: Option<Endian>,
    pub(crate) fields: Vec<Field<'a>>,
}

/// A field of it.
pub(crate) struct Field<'a> {
    pub(crate) member: Member,
    /// The name in the file.
    pub(crate) name: String,
    pub(crate) ty: &'a Type,
    pub(crate) endian: Option<Endian>,
}

impl<'a> Record<'a> {
    /// The record that the tokens describe; `None`, and errors, if they describe none.
    pub(crate) fn from_input(
        cx: &Ctxt,
        input: &'a DeriveInput,
        container: &Container,
    ) -> Option<Self> {
        let data = match &input.data {
            Data::Struct(data) => data,
            Data::Enum(data) => {
                let message = "NpyRecord is for structs; for an enum without fields derive NpyElement: it is stored as its integer";
                cx.error(data.enum_token, message);
                return None;
            }
            Data::Union(data) => {
                let message = "NpyRecord is for structs; a union has no one dtype: keep its bytes in an array [u8; N]";
                cx.error(data.union_token, message);
                return None;
            }
        };
        if let Some(lifetime) = input.generics.lifetimes().next() {
            let message = "a record owns its data: use ByteStr<N> for text and [T; N] for slices";
            cx.error(lifetime, message);
        }
        if data.fields.is_empty() {
            cx.error(
                &input.ident,
                "a record needs a field: NumPy has no use for items of no bytes",
            );
        }
        check_align(cx, container);
        let fields: Vec<Field<'a>> = data
            .fields
            .iter()
            .enumerate()
            .map(|(i, field)| Field::from_input(cx, i, field, container))
            .collect();
        check_names(cx, &fields, data);
        let krate = container.krate();
        let packed = container.repr.packed;
        // What may be misaligned is copied to be read.
        let copy = packed.then(|| quote!(+ ::core::marker::Copy));
        let bound = quote!(#krate::Element #copy);
        let types = fields.iter().map(|field| field.ty);
        let generics = bound::with_bounds(&input.generics, container.bound.get(), types, &bound);
        Some(Record {
            ident: &input.ident,
            generics,
            krate,
            aligned: container.align.get().is_some(),
            packed,
            endian: container.endian.get().copied(),
            fields,
        })
    }
}

impl<'a> Field<'a> {
    fn from_input(cx: &Ctxt, i: usize, field: &'a syn::Field, container: &Container) -> Self {
        let attrs = FieldAttrs::from_attributes(cx, &field.attrs);
        let member = match &field.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::Unnamed(Index::from(i)),
        };
        let name = match (attrs.rename.get(), &field.ident) {
            (Some(name), _) => name.clone(),
            (None, None) => format!("f{i}"),
            (None, Some(ident)) => {
                let name = ident.unraw().to_string();
                container.rename_all.get().map_or(name.clone(), |case| case.apply(&name))
            }
        };
        if name.is_empty() {
            let at = attrs.rename.tokens().cloned();
            let at = at.unwrap_or_else(|| field.ident.to_token_stream());
            cx.error(at, "a field needs a name: NumPy takes one without for padding");
        }
        Field { member, name, ty: &field.ty, endian: attrs.endian.get().copied() }
    }
}

/// C's layout is asked for of a struct that has it.
fn check_align(cx: &Ctxt, container: &Container) {
    let Some(tokens) = container.align.tokens() else { return };
    if container.repr.packed {
        cx.error(tokens, "`align` and #[repr(packed)] exclude each other: drop one");
    } else if !container.repr.c {
        cx.error(tokens, "`align` is the layout of C: add #[repr(C)] to the struct");
    } else if container.repr.align {
        let message =
            "a dtype knows no #[repr(align(…))]: drop it, or make the padding fields of the record";
        cx.error(tokens, message);
    }
}

/// No two fields have one name in the file.
fn check_names(cx: &Ctxt, fields: &[Field<'_>], data: &syn::DataStruct) {
    for (i, (field, tokens)) in fields.iter().zip(&data.fields).enumerate() {
        let before = fields.iter().take(i).find(|before| before.name == field.name);
        // Two without a name are two errors already.
        if let Some(before) = before.filter(|before| !before.name.is_empty()) {
            let (name, first) = (&field.name, before.member.to_token_stream());
            let message =
                format!("a second field called {name:?} in the file; the first is `{first}`");
            match &tokens.ident {
                Some(ident) => cx.error(ident, message),
                None => cx.error(&tokens.ty, message),
            }
        }
    }
}
