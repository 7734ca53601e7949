//! What the impls ask of type parameters.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, Generics, Ident, PathArguments, Type, WherePredicate, parse_quote};

/// The generics with the bounds that are given, or else with those that the fields need: `bound` holds for each type
/// parameter in a field, and for each associated type of one.
pub(crate) fn with_bounds<'t>(
    generics: &Generics,
    given: Option<&Vec<WherePredicate>>,
    types: impl Iterator<Item = &'t Type>,
    bound: &TokenStream,
) -> Generics {
    let mut generics = generics.clone();
    let inferred = || {
        let parameters: Vec<_> = generics.type_params().map(|parameter| &parameter.ident).collect();
        let mut found = Vec::new();
        types.for_each(|ty| find(ty, &parameters, &mut found));
        let mut seen = Vec::new();
        found.retain(|ty| {
            let text = ty.to_token_stream().to_string();
            let new = !seen.contains(&text);
            seen.push(text);
            new
        });
        found.into_iter().map(|ty| parse_quote!(#ty: #bound)).collect()
    };
    let predicates: Vec<WherePredicate> = given.map_or_else(inferred, Clone::clone);
    if !predicates.is_empty() {
        generics.make_where_clause().predicates.extend(predicates);
    }
    generics
}

/// Finds the parameters, and the types of theirs (`T::Name`, `<T as Trait>::Name`), that a type is made of.
fn find<'t>(ty: &'t Type, parameters: &[&Ident], found: &mut Vec<&'t Type>) {
    match ty {
        Type::Array(array) => find(&array.elem, parameters, found),
        // Around what a macro passes on as one type.
        Type::Group(group) => find(&group.elem, parameters, found),
        Type::Paren(paren) => find(&paren.elem, parameters, found),
        Type::Path(path) => {
            let segments = &path.path.segments;
            let is_of_parameter = match segments.first() {
                _ if path.qself.is_some() => mentions(ty.to_token_stream(), parameters),
                Some(first) => {
                    path.path.leading_colon.is_none() && parameters.contains(&&first.ident)
                }
                None => false,
            };
            if is_of_parameter {
                found.push(ty);
                return;
            }
            for segment in segments {
                let PathArguments::AngleBracketed(arguments) = &segment.arguments else { continue };
                for argument in &arguments.args {
                    if let GenericArgument::Type(ty) = argument {
                        find(ty, parameters, found);
                    }
                }
            }
        }
        _ => {}
    }
}

/// Whether one of the parameters is among the tokens.
fn mentions(tokens: TokenStream, parameters: &[&Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => parameters.contains(&&ident),
        TokenTree::Group(group) => mentions(group.stream(), parameters),
        _ => false,
    })
}
