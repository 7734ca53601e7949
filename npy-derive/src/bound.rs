//! What the impls ask of type parameters.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Generics, Ident, Type, WherePredicate, parse_quote};

/// The generics with the bounds that are given, or else with those that the fields need: each type parameter that a
/// field mentions is an `Element`, and so is each field that is a parameter's associated type.
pub(crate) fn with_bounds<'t>(
    generics: &Generics,
    given: Option<&Vec<WherePredicate>>,
    types: impl Iterator<Item = &'t Type> + Clone,
    krate: &TokenStream,
) -> Generics {
    let mut generics = generics.clone();
    let parameters: Vec<Ident> =
        generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    let inferred = || {
        let used = parameters
            .iter()
            .filter(|parameter| types.clone().any(|ty| mentions(ty.to_token_stream(), parameter)));
        let used = used.map(|parameter| parse_quote!(#parameter: #krate::Element));
        let associated = types.clone().filter(|ty| is_associated(ty, &parameters));
        used.chain(associated.map(|ty| parse_quote!(#ty: #krate::Element))).collect()
    };
    let predicates: Vec<WherePredicate> = given.map_or_else(inferred, Clone::clone);
    if !predicates.is_empty() {
        generics.make_where_clause().predicates.extend(predicates);
    }
    generics
}

/// Whether the tokens of a type name the parameter itself, not something of it: `T::Name`, `<T as Trait>::Name`.
fn mentions(tokens: TokenStream, parameter: &Ident) -> bool {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let found = match token {
            TokenTree::Ident(ident) if ident == *parameter => match tokens.peek() {
                Some(TokenTree::Punct(next)) => next.as_char() != ':',
                Some(TokenTree::Ident(next)) => next != "as",
                _ => true,
            },
            TokenTree::Group(group) => mentions(group.stream(), parameter),
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

/// Whether the type is `T::Name` or `<T as Trait>::Name` of one of the parameters.
fn is_associated(ty: &Type, parameters: &[Ident]) -> bool {
    let Type::Path(path) = ty else { return false };
    if let Some(of) = &path.qself {
        let of = of.ty.to_token_stream();
        return parameters.iter().any(|parameter| mentions(of.clone(), parameter));
    }
    let segments = &path.path.segments;
    let first = segments.first().map(|segment| &segment.ident);
    segments.len() > 1 && first.is_some_and(|first| parameters.contains(first))
}
