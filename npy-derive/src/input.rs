//! Checks of the input that several derives make.

use quote::ToTokens;
use syn::{Data, DataStruct, DeriveInput, Lifetime, LifetimeParam, Type};

use crate::attr::Repr;
use crate::ctxt::Ctxt;
use crate::field::Field;

/// The error message for a lifetime.
pub(crate) const OWNS_ITS_DATA: &str =
    "a record owns its data: use ByteStr<N> for text and [T; N] for slices";

/// Returns true if a struct may be `ZeroCopy`. Returns false for a generic struct: the impl of
/// `Element` cannot know whether the arguments are `ZeroCopy`.
pub(crate) fn may_be_plain(input: &DeriveInput, repr: &Repr) -> bool {
    input.generics.params.is_empty() && (repr.c || repr.transparent)
}

/// Returns the first lifetime parameter that occurs in the type of one of these fields.
pub(crate) fn borrowed<'i>(
    input: &'i DeriveInput,
    fields: &[Field<'_>],
) -> Option<&'i LifetimeParam> {
    let borrows = |lifetime: &&LifetimeParam| {
        fields.iter().any(|field| mentions_lifetime(field.ty, &lifetime.lifetime))
    };
    input.generics.lifetimes().find(borrows)
}

/// Returns true if a type contains this lifetime.
fn mentions_lifetime(ty: &Type, lifetime: &Lifetime) -> bool {
    let tokens = ty.to_token_stream().to_string();
    let mut lifetimes = tokens.split('\'').skip(1);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    lifetimes.any(|rest| rest.split(|c| !is_name(c)).next() == Some(&lifetime.ident.to_string()))
}

/// Returns the fields of a struct; reports an error for enums and unions.
pub(crate) fn the_struct<'a>(
    cx: &Ctxt,
    input: &'a DeriveInput,
    of_enum: &str,
    of_union: &str,
) -> Option<&'a DataStruct> {
    match &input.data {
        Data::Struct(data) => return Some(data),
        Data::Enum(data) => cx.error(data.enum_token, of_enum),
        Data::Union(data) => cx.error(data.union_token, of_union),
    }
    None
}
