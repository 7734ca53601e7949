//! The bounds of the impls on type parameters.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericArgument, Generics, Ident, PathArguments, Type, WherePredicate, parse_quote};

/// The generics with the bounds that are given, or else with those that are asked of types: each holds for the type
/// parameters in its type, and for the associated types of one.
pub(crate) fn with_bounds<'t>(
    generics: &Generics,
    given: Option<&Vec<WherePredicate>>,
    asked: impl Iterator<Item = (&'t Type, TokenStream)>,
) -> Generics {
    let mut generics = generics.clone();
    let inferred = || {
        let parameters: Vec<_> = generics.type_params().map(|parameter| &parameter.ident).collect();
        let mut predicates: Vec<WherePredicate> = Vec::new();
        let mut seen = Vec::new();
        for (ty, bound) in asked {
            let mut found = Vec::new();
            find(ty, &parameters, &mut found);
            for ty in found {
                let predicate = quote!(#ty: #bound);
                let text = predicate.to_string();
                if !seen.contains(&text) {
                    seen.push(text);
                    predicates.push(parse_quote!(#predicate));
                }
            }
        }
        predicates
    };
    let predicates = given.map_or_else(inferred, Clone::clone);
    if !predicates.is_empty() {
        generics.make_where_clause().predicates.extend(predicates);
    }
    generics
}

/// Adds the bound that a struct with parameters has a default.
pub(crate) fn with_default(generics: &mut Generics) {
    with_self(generics, parse_quote!(Self: ::core::default::Default));
}

/// Asks of a struct with parameters that it can be sent to other threads, where its fields do not say so: fields that are skipped.
pub(crate) fn with_send(generics: &mut Generics) {
    with_self(generics, parse_quote!(Self: ::core::marker::Send));
}

fn with_self(generics: &mut Generics, predicate: WherePredicate) {
    if generics.type_params().next().is_some() {
        generics.make_where_clause().predicates.push(predicate);
    }
}

/// Asks it of each type in which there is a parameter, as a whole.
pub(crate) fn with_whole<'t>(
    generics: &mut Generics,
    types: impl Iterator<Item = &'t Type>,
    bound: &TokenStream,
) {
    let parameters: Vec<_> = generics.type_params().map(|it| it.ident.clone()).collect();
    let parameters: Vec<_> = parameters.iter().collect();
    for ty in types.filter(|ty| mentions(ty.to_token_stream(), &parameters)) {
        let predicate: WherePredicate = parse_quote!(#ty: #bound);
        generics.make_where_clause().predicates.push(predicate);
    }
}

/// Returns whether a type is a parameter, or an associated type of one.
pub(crate) fn is_parameter(generics: &Generics, ty: &Type) -> bool {
    let parameters: Vec<_> = generics.type_params().map(|parameter| &parameter.ident).collect();
    let mut found = Vec::new();
    find(ty, &parameters, &mut found);
    found.first().is_some_and(|found| std::ptr::eq(*found, ty))
}

/// Finds the parameters, and the types of theirs (`T::Name`, `<T as Trait>::Name`), that a type is made of.
fn find<'t>(ty: &'t Type, parameters: &[&Ident], found: &mut Vec<&'t Type>) {
    match ty {
        Type::Array(array) => find(&array.elem, parameters, found),
        // Around what a macro passes on as one type.
        Type::Group(group) => find(&group.elem, parameters, found),
        Type::Paren(paren) => find(&paren.elem, parameters, found),
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| find(ty, parameters, found)),
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
            // `PhantomData` implements every trait, whatever its parameter does.
            if segments.last().is_some_and(|last| last.ident == "PhantomData") {
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

/// Returns whether one of the parameters is among the tokens.
fn mentions(tokens: TokenStream, parameters: &[&Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => parameters.contains(&&ident),
        TokenTree::Group(group) => mentions(group.stream(), parameters),
        _ => false,
    })
}
