//! The model as Rust.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Ident};

use crate::ast::{Field, Record};
use crate::attr::Endian;

/// `Element` and `NpyRecord` for a record. Of
///
/// ```text
/// struct Pick { station: u32, time: f64 }
/// ```
///
/// it makes, paths shortened, and the variables without their `__` (a constant of the user's by the name of a variable
/// would stand for the constant),
///
/// ```text
/// impl NpyRecord for Pick {
///     const FIELDS: &'static [FieldLayout] = &Packing::Packed.layout(
///         ["station", "time"],
///         [<u32 as Element>::SIZE, <f64 as Element>::SIZE],
///         [<u32 as Element>::ALIGN, <f64 as Element>::ALIGN],
///     );
/// }
/// impl Element for Pick {
///     const SIZE: usize = size(Self::FIELDS, Self::ALIGN);
///     const ALIGN: usize = Packing::Packed.align(&[<u32 as Element>::ALIGN, <f64 as Element>::ALIGN]);
///     fn dtype() -> DType { Self::dtype_in(ByteOrder::Little) }
///     fn dtype_in(order: ByteOrder) -> DType {
///         record(Self::FIELDS, Self::SIZE, [<u32 as Element>::dtype_in(order), <f64 as Element>::dtype_in(order)])
///     }
///     fn decode(item: &[u8]) -> Self {
///         Pick {
///             station: <u32 as Element>::decode(part(item, const { Self::FIELDS[0] })),
///             time: <f64 as Element>::decode(part(item, const { Self::FIELDS[1] })),
///         }
///     }
///     fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
///         let field = const { Self::FIELDS[0] };
///         in_field(<u32 as Element>::encode(&self.station, part_mut(item, field)), field)?;
///         …
///     }
///     fn check(items: &[u8]) -> Result<(), InvalidValue> {
///         check(items, Self::SIZE, |item| {
///             let field = const { Self::FIELDS[0] };
///             in_field(<u32 as Element>::check(part(item, field)), field)?;
///             …
///         })
///     }
/// }
/// ```
pub(crate) fn record(record: &Record<'_>) -> TokenStream {
    let Record { krate, fields, .. } = record;
    let ident = at_call_site(record.ident);
    let private = quote!(#krate::private);
    let element = quote!(#krate::Element);
    let invalid = quote!(::core::result::Result<(), #krate::InvalidValue>);
    let bytes = quote!([::core::primitive::u8]);
    let usize = quote!(::core::primitive::usize);
    let packing = if record.aligned { quote!(Aligned) } else { quote!(Packed) };
    let packing = quote!(#private::Packing::#packing);
    let (impl_generics, type_generics, where_clause) = record.generics.split_for_impl();

    let names = fields.iter().map(|field| &field.name);
    let types: Vec<_> = fields.iter().map(|field| field.ty).collect();
    let members = fields.iter().map(|field| &field.member);
    let layouts: Vec<_> = (0..fields.len())
        .map(|i| quote!(const { <Self as #krate::NpyRecord>::FIELDS[#i] }))
        .collect();
    // What is stated inside wins over what is stated outside, and that over what is passed in.
    let stated = fields.iter().map(|field| order(field.endian.or(record.endian), krate));
    let stated: Vec<_> = stated.collect();
    let passed = if stated.iter().all(Option::is_some) { quote!(_) } else { quote!(__order) };
    let orders = stated.into_iter().map(|order| order.unwrap_or_else(|| quote!(__order)));
    let borrows = fields.iter().map(|field| borrow(record, field));

    quote! {
        const _: () = {
            #[automatically_derived]
            impl #impl_generics #krate::NpyRecord for #ident #type_generics #where_clause {
                const FIELDS: &'static [#krate::FieldLayout] = &#packing.layout(
                    [#(#names),*],
                    [#(<#types as #element>::SIZE),*],
                    [#(<#types as #element>::ALIGN),*],
                );
            }

            #[automatically_derived]
            impl #impl_generics #element for #ident #type_generics #where_clause {
                const SIZE: #usize = #private::size(
                    <Self as #krate::NpyRecord>::FIELDS,
                    <Self as #element>::ALIGN,
                );
                const ALIGN: #usize = #packing.align(&[#(<#types as #element>::ALIGN),*]);

                fn dtype() -> #krate::DType {
                    <Self as #element>::dtype_in(#krate::ByteOrder::Little)
                }

                fn dtype_in(#passed: #krate::ByteOrder) -> #krate::DType {
                    #private::record(
                        <Self as #krate::NpyRecord>::FIELDS,
                        <Self as #element>::SIZE,
                        [#(<#types as #element>::dtype_in(#orders)),*],
                    )
                }

                #[inline]
                fn decode(__item: &#bytes) -> Self {
                    Self { #(#members: <#types as #element>::decode(#private::part(__item, #layouts))),* }
                }

                #[inline]
                fn encode(&self, __item: &mut #bytes) -> #invalid {
                    #({
                        let __field = #layouts;
                        let __item = #private::part_mut(__item, __field);
                        #private::in_field(<#types as #element>::encode(#borrows, __item), __field)?;
                    })*
                    ::core::result::Result::Ok(())
                }

                #[inline]
                fn check(__items: &#bytes) -> #invalid {
                    #private::check(__items, <Self as #element>::SIZE, |__item| {
                        #({
                            let __field = #layouts;
                            let __item = #private::part(__item, __field);
                            #private::in_field(<#types as #element>::check(__item), __field)?;
                        })*
                        ::core::result::Result::Ok(())
                    })
                }
            }
        };
    }
}

/// Impls that say nothing, for a struct that is reported already.
pub(crate) fn fallback_record(input: &DeriveInput, krate: &TokenStream) -> TokenStream {
    let ident = at_call_site(&input.ident);
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let element = fallback_element(input, krate);
    quote! {
        const _: () = {
            #[automatically_derived]
            impl #impl_generics #krate::NpyRecord for #ident #type_generics #where_clause {
                const FIELDS: &'static [#krate::FieldLayout] = &[];
            }
        };
        #element
    }
}

/// An impl that says nothing, for a type that is reported already.
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

fn order(endian: Option<Endian>, krate: &TokenStream) -> Option<TokenStream> {
    Some(match endian? {
        Endian::Big => quote!(#krate::ByteOrder::Big),
        Endian::Little => quote!(#krate::ByteOrder::Little),
        Endian::Native => quote!(#krate::ByteOrder::NATIVE),
    })
}

/// A reference to the field; to a copy of it where the field itself may be misaligned.
fn borrow(record: &Record<'_>, field: &Field<'_>) -> TokenStream {
    let member = &field.member;
    if !record.packed {
        return quote!(&self.#member);
    }
    // Where a type that is not `Copy` is reported.
    let span = field.ty.span().resolved_at(Span::call_site());
    quote_spanned!(span=> &{ self.#member })
}

/// The name as if the macro had written it: lints on its uses (`deprecated`) are for the user's own.
pub(crate) fn at_call_site(ident: &Ident) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(ident.span().resolved_at(Span::call_site()));
    ident
}
