//! Types that are stored as another: enums as their integer, newtypes as their field.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DataEnum, DataStruct, DeriveInput, Fields, Generics, Ident, Member, Type};

use crate::attr::{Stored, report_all};
use crate::bound;
use crate::ctxt::Ctxt;
use crate::input::may_be_plain;
use crate::tokens::{at_call_site, with_plain_proof};

/// The model of a type that is stored as another type.
pub(crate) struct Element<'a> {
    ident: &'a Ident,
    generics: Generics,
    krate: TokenStream,
    kind: Kind<'a>,
}

enum Kind<'a> {
    /// An enum: its integer and its variants; there is at least one.
    Variants { integer: Ident, first: &'a Ident, variants: Vec<&'a Ident> },
    /// A newtype: its field.
    Transparent { member: Member, ty: &'a Type, packed: bool, may_be_plain: bool },
}

impl<'a> Element<'a> {
    /// Parses the tokens; `None`, with errors reported, if they do not describe an enum or a
    /// newtype.
    pub(crate) fn from_input(cx: &Ctxt, input: &'a DeriveInput, stored: &Stored) -> Option<Self> {
        let kind = match &input.data {
            Data::Enum(data) => variants(cx, input, data, stored),
            Data::Struct(data) => transparent(cx, input, data, stored),
            Data::Union(data) => {
                let message = "NpyElement is for enums and newtypes: keep a union's bytes in an array [u8; N]";
                cx.error(data.union_token, message);
                None
            }
        }?;
        let krate = stored.krate();
        let bound = quote!(#krate::Element);
        let asked = match &kind {
            Kind::Transparent { ty, .. } => Some((*ty, bound)),
            Kind::Variants { .. } => None,
        };
        let generics = bound::with_bounds(&input.generics, stored.bound.get(), asked.into_iter());
        Some(Element { ident: &input.ident, generics, krate, kind })
    }

    /// Generates `Element` for the type, with methods that call those of the integer or the field, and `ReadNpy` and `WriteNpy` for a
    /// single value.
    pub(crate) fn expand(&self) -> TokenStream {
        let Element { krate, .. } = self;
        let ident = at_call_site(self.ident);
        let element = quote!(#krate::Element);
        let invalid = quote!(::core::result::Result<(), #krate::InvalidValue>);
        let bytes = quote!([::core::primitive::u8]);
        let usize = quote!(::core::primitive::usize);
        let (impl_generics, type_generics, where_clause) = self.generics.split_for_impl();
        let plain = match &self.kind {
            Kind::Transparent { ty, may_be_plain: true, .. } => {
                Some(with_plain_proof(krate, std::iter::once(*ty)))
            }
            _ => None,
        };
        let (inner, swaps, decode, encode, check) = match &self.kind {
            Kind::Transparent { member, ty, packed, .. } => (
                quote!(#ty),
                quote!(<#ty as #element>::__INTERNALS.swaps()),
                quote!(Self { #member: <#ty as #element>::__INTERNALS.decode::<__SWAPPED>(__item) }),
                match packed {
                    // The field may be misaligned, so it is copied first.
                    true => quote!(<#ty as #element>::encode(&{ self.#member }, __item)),
                    false => quote!(<#ty as #element>::encode(&self.#member, __item)),
                },
                quote!(<#ty as #element>::check(__items)),
            ),
            Kind::Variants { integer, first, variants } => {
                let inner = quote!(::core::primitive::#integer);
                let name = ident.to_string();
                (
                    inner.clone(),
                    // `check` expects canonical items, so only integers of one byte need no swap.
                    quote!(<#inner as #element>::SIZE == 1),
                    // `check` has refused numbers that are not a variant. The last line is only for
                    // the compiler.
                    quote! {{
                        let __value = <#inner as #element>::__INTERNALS.decode::<__SWAPPED>(__item);
                        #(if __value == Self::#variants as #inner { return Self::#variants; })*
                        Self::#first
                    }},
                    quote! {{
                        // The enum may not be `Copy`, and then cannot be cast: `match` finds the
                        // number of its variant.
                        let __value = match self { #(Self::#variants => Self::#variants as #inner),* };
                        <#inner as #element>::encode(&__value, __item)
                    }},
                    quote! {
                        #krate::private::check_variants::<#inner>(__items, #name, |__value| {
                            false #(|| __value == Self::#variants as #inner)*
                        })
                    },
                )
            }
        };
        quote! {
            const _: () = {
                #[automatically_derived]
                impl #impl_generics #element for #ident #type_generics #where_clause {
                    const SIZE: #usize = <#inner as #element>::SIZE;
                    const ALIGN: #usize = <#inner as #element>::ALIGN;
                    const __INTERNALS: #krate::private::Internals<Self> =
                        #krate::private::Internals::DEFAULT
                            .with_schema(|__order| <#inner as #element>::__INTERNALS.schema(__order))
                            .with_swapped_if(#swaps, Self::__npy_decode::<true>)
                            #plain;

                    fn dtype() -> #krate::DType {
                        <#inner as #element>::dtype()
                    }

                    fn dtype_in(__order: #krate::ByteOrder) -> #krate::DType {
                        <#inner as #element>::dtype_in(__order)
                    }

                    #[inline]
                    fn decode(__item: &#bytes) -> Self {
                        Self::__npy_decode::<false>(__item)
                    }

                    #[inline]
                    fn encode(&self, __item: &mut #bytes) -> #invalid {
                        #encode
                    }

                    #[inline]
                    fn check(__items: &#bytes) -> #invalid {
                        #check
                    }
                }

                #[automatically_derived]
                impl #impl_generics #krate::ReadNpy for #ident #type_generics #where_clause {
                    fn read_npy_array<__R: ::std::io::Read>(
                        __reader: &mut #krate::Reader<__R>,
                    ) -> #krate::Result<Self> {
                        #krate::private::read_single(__reader)
                    }
                }

                #[automatically_derived]
                impl #impl_generics #krate::WriteNpy for #ident #type_generics #where_clause {
                    fn write_npy_array(&self, __to: #krate::ArrayWriter<'_>) -> #krate::Result<()> {
                        #krate::private::write_single(self, __to)
                    }
                }

                impl #impl_generics #ident #type_generics #where_clause {
                    #[inline]
                    fn __npy_decode<const __SWAPPED: ::core::primitive::bool>(__item: &#bytes) -> Self {
                        #decode
                    }
                }
            };
        }
    }
}

fn variants<'a>(
    cx: &Ctxt,
    input: &'a DeriveInput,
    data: &'a DataEnum,
    stored: &Stored,
) -> Option<Kind<'a>> {
    if let Some(tokens) = stored.transparent.tokens() {
        cx.error(
            tokens,
            "`transparent` is for structs of one field: an enum is stored as its integer",
        );
    }
    for variant in data.variants.iter().filter(|variant| !matches!(variant.fields, Fields::Unit)) {
        let message =
            "a variant with fields has no single dtype; NpyElement is for enums without fields";
        cx.error(variant, message);
    }
    for variant in &data.variants {
        let message = "a variant is stored as its number and has no attributes; remove this";
        report_all(cx, &variant.attrs, message);
    }
    if stored.repr.integer.is_none() {
        let message = "the size of the enum in the file is unknown; add #[repr(u8)], or u16 … i64";
        cx.error(&input.ident, message);
    }
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let Some(first) = variants.first() else {
        cx.error(&input.ident, "an enum without variants has no values to read or write");
        return None;
    };
    Some(Kind::Variants { integer: stored.repr.integer.clone()?, first, variants })
}

fn transparent<'a>(
    cx: &Ctxt,
    input: &'a DeriveInput,
    data: &'a DataStruct,
    stored: &Stored,
) -> Option<Kind<'a>> {
    let mut members = data.fields.members().zip(&data.fields);
    let (Some((member, field)), None) = (members.next(), members.next()) else {
        let message =
            "NpyElement is for structs of one field; one of several is a record: derive NpyRecord";
        cx.error(&input.ident, message);
        return None;
    };
    if stored.transparent.get().is_none() && !stored.repr.transparent {
        let message = "add #[npy(transparent)] to store it as its field, or derive NpyRecord for a record of one field";
        cx.error(&input.ident, message);
    }
    let message = "a newtype is stored like its field and has no attributes here; put them where it is a field of a record";
    report_all(cx, &field.attrs, message);
    let may_be_plain = may_be_plain(input, &stored.repr);
    Some(Kind::Transparent { member, ty: &field.ty, packed: stored.repr.packed, may_be_plain })
}
