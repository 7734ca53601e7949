//! Code that several derives generate.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Ident, Member, Type};

use crate::field::Default;

/// Returns the span of these tokens, for errors about them. Names in generated code with this span
/// resolve as the macro's own.
pub(crate) fn at(tokens: &impl Spanned) -> Span {
    tokens.span().resolved_at(Span::call_site())
}

/// Generates the struct's `Default`. If the struct has none, the error is at the attribute.
pub(crate) fn struct_default(attribute: Option<&TokenStream>) -> TokenStream {
    let span = attribute.map_or_else(Span::call_site, at);
    quote_spanned!(span=> <Self as ::core::default::Default>::default())
}

/// Generates the value of a field that is not in the file.
pub(crate) fn value(default: &Default, member: &Member, ty: &Type) -> TokenStream {
    match default {
        Default::OfType => quote!(<#ty as ::core::default::Default>::default()),
        // `__default` is the struct's `Default`, which the generated code has made before.
        Default::OfStruct => quote!(__default.#member),
        // With the span of the function: a wrong return type is reported there.
        Default::Call(path) => quote_spanned!(at(path)=> #path()),
    }
}

/// Generates a placeholder impl, for a type whose errors are already reported.
pub(crate) fn fallback_element(input: &DeriveInput, krate: &TokenStream) -> TokenStream {
    let ident = at_call_site(&input.ident);
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        const _: () = {
            #[automatically_derived]
            impl #impl_generics #krate::Element for #ident #type_generics #where_clause {
                const SIZE: ::core::primitive::usize = 0;

                fn dtype() -> #krate::DType {
                    loop {}
                }

                fn decode(_: &[::core::primitive::u8]) -> Self {
                    loop {}
                }

                fn encode(
                    &self,
                    _: &mut [::core::primitive::u8],
                ) -> ::core::result::Result<(), #krate::InvalidValue> {
                    loop {}
                }
            }
        };
    }
}

/// Generates the proof that the memory of a struct with these fields is its canonical item. The
/// proof exists if the struct is `ZeroCopy` and each field type has such a proof.
pub(crate) fn with_plain_proof<'t>(
    krate: &TokenStream,
    types: impl Iterator<Item = &'t Type>,
) -> TokenStream {
    let private = quote!(#krate::private);
    let plain = types.map(|ty| quote!(<#ty as #krate::Element>::__INTERNALS.plain().is_some()));
    quote! {
        .with_plain(|| {
            // The inherent `__plain` of `Probe` comes before the one of the trait. It exists only
            // for `ZeroCopy` types.
            use #private::NotZeroCopy as _;
            if #(#plain)&&* { #private::Probe::<Self>::__plain() } else { ::core::option::Option::None }
        })
    }
}

/// Returns the name as if the macro had written it, so that lints such as `deprecated` report only the user's own uses.
pub(crate) fn at_call_site(ident: &Ident) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(ident.span().resolved_at(Span::call_site()));
    ident
}
