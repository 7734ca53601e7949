//! The bounds of the impls on type parameters.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericArgument, Generics, Ident, PathArguments, Type, WherePredicate, parse_quote};

/// Returns the generics with the bounds `given`. Without them, infers bounds from `asked`: each
/// bound is put on the type parameters in its type, and on their associated types.
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

/// Adds the bound `Self: Default` to a struct with type parameters.
pub(crate) fn with_default(generics: &mut Generics) {
    with_self(generics, parse_quote!(Self: ::core::default::Default));
}

/// Adds the bound `Self: Send` to a struct with type parameters. This bound is needed where the
/// bounds on the fields do not imply it.
pub(crate) fn with_send(generics: &mut Generics) {
    with_self(generics, parse_quote!(Self: ::core::marker::Send));
}

fn with_self(generics: &mut Generics, predicate: WherePredicate) {
    if generics.type_params().next().is_some() {
        generics.make_where_clause().predicates.push(predicate);
    }
}

/// Adds `bound` to each of the types that contains a type parameter, as a bound on the complete
/// type.
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

/// Returns true if a type is a type parameter, or an associated type of one.
pub(crate) fn is_parameter(generics: &Generics, ty: &Type) -> bool {
    let parameters: Vec<_> = generics.type_params().map(|parameter| &parameter.ident).collect();
    let mut found = Vec::new();
    find(ty, &parameters, &mut found);
    found.first().is_some_and(|found| std::ptr::eq(*found, ty))
}

/// Finds the type parameters in a type, and their associated types (`T::Name`, `<T as Trait>::Name`).
fn find<'t>(ty: &'t Type, parameters: &[&Ident], found: &mut Vec<&'t Type>) {
    match ty {
        Type::Array(array) => find(&array.elem, parameters, found),
        // An invisible group around a type that a macro passes on.
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

/// Returns true if one of the parameters is among the tokens, at any depth.
fn mentions(tokens: TokenStream, parameters: &[&Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => parameters.contains(&&ident),
        TokenTree::Group(group) => mentions(group.stream(), parameters),
        _ => false,
    })
}
