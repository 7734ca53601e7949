//! Generates Rust from the model of a record.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{DeriveInput, Ident};

use super::model::Record;
use crate::attr::Endian;
use crate::field::{Default, Field, Skipped, Stored};
use crate::tokens::{at, at_call_site, fallback_element, struct_default, value, with_plain_proof};

/// Generates `Element`, `NpyRecord` and `ReadNpy` for a record. From
///
/// ```text
/// struct Pick { station: u32, time: f64 }
/// ```
///
/// it generates this code, where `__npy` is `npy-core`. (The real variables begin with `__`: a
/// constant of the user with the name of a variable would be used instead of the variable.)
///
/// ```text
/// impl NpyRecord for Pick {
///     const FIELDS: &'static [FieldLayout] = &Packing::Packed.layout([
///         field("station", <u32 as Element>::SIZE, <u32 as Element>::ALIGN),
///         field("time", <f64 as Element>::SIZE, <f64 as Element>::ALIGN),
///     ]);
/// }
/// impl Element for Pick {
///     const SIZE: usize = size(Self::FIELDS, Self::ALIGN);
///     const ALIGN: usize = Packing::Packed.align(Self::FIELDS);
///     const __INTERNALS: Internals<Self> = Internals::DEFAULT
///         .with_schema(|order| {
///             record(Self::FIELDS, Self::SIZE, false, [
///                 member(<u32 as Element>::__INTERNALS.schema(order)),
///                 member(<f64 as Element>::__INTERNALS.schema(order)),
///             ])
///         })
///         .with_swapped_if(
///             true && <u32 as Element>::__INTERNALS.swaps() && <f64 as Element>::__INTERNALS.swaps(),
///             Self::__npy_decode::<true>,
///         )
///         .with_plain(|| …); // only with #[repr(C)] or #[repr(transparent)]
///     fn dtype() -> DType { Self::dtype_in(ByteOrder::Little) }
///     fn dtype_in(order: ByteOrder) -> DType { Self::__INTERNALS.schema(order).into_dtype() }
///     fn decode(item: &[u8]) -> Self { Self::__npy_decode::<false>(item) }
///     fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
///         put::<Self, 0>(item, |item| <u32 as Element>::encode(&self.station, item))?;
///         put::<Self, 1>(item, |item| <f64 as Element>::encode(&self.time, item))?;
///         Ok(())
///     }
///     fn check(items: &[u8]) -> Result<(), InvalidValue> {
///         check(items, Self::SIZE, |item| {
///             check_part::<Self, 0>(item, |item| <u32 as Element>::check(item))?;
///             check_part::<Self, 1>(item, |item| <f64 as Element>::check(item))?;
///             Ok(())
///         })
///     }
/// }
/// impl ReadNpy for Pick {
///     fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> { read_single(reader) }
/// }
/// impl Pick {
///     fn __npy_decode<const SWAPPED: bool>(item: &[u8]) -> Self {
///         Self {
///             station: <u32 as Element>::__INTERNALS.decode::<SWAPPED>(part::<Self, 0>(item)),
///             time: <f64 as Element>::__INTERNALS.decode::<SWAPPED>(part::<Self, 1>(item)),
///         }
///     }
/// }
/// ```
pub(crate) fn record(record: &Record<'_>) -> TokenStream {
    let Record { krate, fields, deny_unknown, .. } = record;
    let ident = at_call_site(record.ident);
    let private = quote!(__npy::private);
    let this = quote!(<Self as __npy::Element>);
    let layouts = quote!(<Self as __npy::NpyRecord>::FIELDS);
    let invalid = quote!(::core::result::Result<(), __npy::InvalidValue>);
    let bytes = quote!([::core::primitive::u8]);
    let usize = quote!(::core::primitive::usize);
    let packing = if record.aligned { quote!(Aligned) } else { quote!(Packed) };
    let packing = quote!(#private::Packing::#packing);
    let (impl_generics, type_generics, where_clause) = record.generics.split_for_impl();

    let declared = fields.iter().map(|field| field_layout(record, field));
    let mut layout = quote!(&#packing.layout([#(#declared),*]));
    if fields.iter().any(Field::is_flat) {
        let message = format!(
            "`{ident}`: a flattened record has a field with the name of another field; rename one"
        );
        layout = quote!(#private::distinct(#layout, #message));
    }
    let size = match &record.itemsize {
        None => quote!(#private::size(#layouts, #this::ALIGN)),
        Some(stated) => {
            let and = if record.aligned { ", and a multiple of its alignment" } else { "" };
            let message = format!(
                "`{ident}`: `itemsize = {}` must be at least the size of the fields and at most 2147483647{and}",
                stated.to_token_stream()
            );
            quote!(#private::stated_size(#layouts, #this::ALIGN, #stated, #message))
        }
    };
    // A wrong layout is reported at the struct, not where the struct is first used.
    let stated = record.itemsize.is_some()
        || fields.iter().any(|field| field.offset.is_some() || field.is_flat());
    let proof = (stated && record.generics.params.is_empty()).then(
        || quote_spanned!(at(record.ident)=> const _: #usize = <#ident as __npy::Element>::SIZE;),
    );
    let members = fields.iter().map(|field| member(record, field));
    let passed = if fields.iter().all(|field| field.endian.is_some()) { "_" } else { "__order" };
    let passed: TokenStream = passed.parse().unwrap_or_default();
    let swaps = fields.iter().map(swaps);
    let decoded = fields.iter().enumerate().map(|(i, field)| {
        let (member, decode) = (&field.member, decode(field));
        // With the span of the type: a mismatch of types is reported there.
        let decoded = quote_spanned!(at(field.ty)=> #decode(#private::part::<Self, #i>(__item)));
        match &field.stored {
            // With the span of the module: a missing function is reported there.
            Stored::With(module) => {
                let ty = field.ty;
                quote_spanned!(at(module)=> #member: #private::decoded::<#ty, _>(#module::decode(#decoded)))
            }
            _ => quote!(#member: #decoded),
        }
    });
    let skipped = record.skipped.iter().map(|field| {
        let (member, value) = (&field.member, value(&field.value, &field.member, field.ty));
        quote!(#member: #value)
    });
    let default = struct_default(record.default.as_ref());
    let of_struct = |field: &Skipped<'_>| matches!(field.value, Default::OfStruct);
    let default = record.skipped.iter().any(of_struct).then(|| quote!(let __default = #default;));
    let puts = fields.iter().enumerate().map(|(i, field)| {
        let encode = encode(field, &borrow(record, field, &quote!(self)));
        quote!(#private::put::<Self, #i>(__item, |__item| { #encode })?;)
    });
    let checks = fields.iter().enumerate().map(|(i, field)| {
        let check = check(field);
        quote!(#private::check_part::<Self, #i>(__item, |__item| { #check })?;)
    });

    let plain =
        record.may_be_plain.then(|| with_plain_proof(krate, fields.iter().map(|field| field.ty)));

    quote! {
        const _: () = {
            use #krate as __npy;

            #[automatically_derived]
            impl #impl_generics __npy::NpyRecord for #ident #type_generics #where_clause {
                const FIELDS: &'static [__npy::FieldLayout] = #layout;
            }

            #[automatically_derived]
            impl #impl_generics __npy::Element for #ident #type_generics #where_clause {
                const SIZE: #usize = #size;
                const ALIGN: #usize = #packing.align(#layouts);
                const __INTERNALS: #private::Internals<Self> = #private::Internals::DEFAULT
                    .with_schema(|#passed: __npy::ByteOrder| {
                        #private::record(#layouts, #this::SIZE, #deny_unknown, [#(#members),*])
                    })
                    .with_swapped_if(true #(&& #swaps)*, Self::__npy_decode::<true>)
                    #plain;

                fn dtype() -> __npy::DType {
                    #this::dtype_in(__npy::ByteOrder::Little)
                }

                fn dtype_in(__order: __npy::ByteOrder) -> __npy::DType {
                    #this::__INTERNALS.schema(__order).into_dtype()
                }

                #[inline]
                fn decode(__item: &#bytes) -> Self {
                    Self::__npy_decode::<false>(__item)
                }

                #[inline]
                fn encode(&self, __item: &mut #bytes) -> #invalid {
                    #(#puts)*
                    ::core::result::Result::Ok(())
                }

                #[inline]
                fn check(__items: &#bytes) -> #invalid {
                    #private::check(__items, #this::SIZE, |__item| {
                        #(#checks)*
                        ::core::result::Result::Ok(())
                    })
                }
            }

            #[automatically_derived]
            impl #impl_generics __npy::ReadNpy for #ident #type_generics #where_clause {
                fn read_npy_array<__R: ::std::io::Read>(
                    __reader: &mut __npy::Reader<__R>,
                ) -> __npy::Result<Self> {
                    #private::read_single(__reader)
                }
            }

            impl #impl_generics #ident #type_generics #where_clause {
                #[inline]
                fn __npy_decode<const __SWAPPED: ::core::primitive::bool>(__item: &#bytes) -> Self {
                    #default
                    Self { #(#decoded,)* #(#skipped),* }
                }
            }

            #proof
        };
    }
}

/// Generates the layout of the field: `field("gain", 4, 4).title("…")`.
fn field_layout(record: &Record<'_>, field: &Field<'_>) -> TokenStream {
    let (name, ty) = (&field.name, field.ty);
    let (size, align) = (of_codec(field, "SIZE"), of_codec(field, "ALIGN"));
    let mut layout = quote!(__npy::private::field(#name, #size, #align));
    if let Some(title) = &field.title {
        layout.extend(quote!(.title(#title)));
    }
    if field.is_flat() {
        layout.extend(quote!(.flatten(<#ty as __npy::NpyRecord>::FIELDS)));
    }
    if let Some(offset) = &field.offset {
        let or = if record.aligned {
            ", or is not a multiple of the field's alignment, which `align` requires"
        } else {
            ""
        };
        let message = format!(
            "`{}.{}`: `offset = {}` is inside the field before it{or}; offsets must ascend without overlap",
            record.ident,
            field.member.to_token_stream(),
            offset.to_token_stream()
        );
        layout.extend(quote!(.at(#offset, #message)));
    }
    layout
}

/// Generates the schema of the field: `member(<u32 as Element>::schema(order)).alias(&["…"])`.
fn member(record: &Record<'_>, field: &Field<'_>) -> TokenStream {
    let (size, schema, ty) = (of_codec(field, "SIZE"), schema(field), field.ty);
    // A byte order that the field or the struct states comes before the one passed in.
    let order = match field.endian {
        Some(Endian::Big) => quote!(__npy::ByteOrder::Big),
        Some(Endian::Little) => quote!(__npy::ByteOrder::Little),
        Some(Endian::Native) => quote!(__npy::ByteOrder::NATIVE),
        None => quote!(__order),
    };
    let mut member = quote!(__npy::private::member(#schema(#order)));
    if !field.aliases.is_empty() {
        let aliases = &field.aliases;
        member.extend(quote!(.alias(&[#(#aliases),*])));
    }
    if let Some(default) = &field.default {
        // The field of the struct's default is borrowed: a type that implements `Drop` does not let its fields be moved out.
        let (of, value, reference) = match default {
            Default::OfStruct => (
                quote!(Self),
                struct_default(record.default.as_ref()),
                borrow(record, field, &quote!(__default)),
            ),
            _ => (quote!(#ty), value(default, &field.member, ty), quote!(&__default)),
        };
        let encode = encode(field, &reference);
        member.extend(quote!(.default(|| {
            let __default: #of = #value;
            __npy::private::default_bytes(#size, |__item| { #encode })
        })));
    }
    member
}

/// Generates the path of an item of the type that stores the field: `<u32 as Element>::SIZE`.
fn of_codec(field: &Field<'_>, name: &str) -> TokenStream {
    let (ty, name) = (field.ty, Ident::new(name, Span::call_site()));
    match &field.stored {
        Stored::Plain | Stored::Flat => quote!(<#ty as __npy::Element>::#name),
        Stored::With(module) => {
            quote_spanned!(at(module)=> <#module::Stored as __npy::Element>::#name)
        }
        Stored::Wide { width, bytes } => {
            // All tokens have the span of the type: a missing codec is reported there.
            let codec = Ident::new(if *bytes { "WidthBytes" } else { "Width" }, at(ty));
            let name = Ident::new(&name.to_string(), at(ty));
            let codec = match width {
                Some(width) => quote_spanned!(at(ty)=> __npy::private::#codec<#ty, { #width }>),
                None => quote_spanned! {at(ty)=>
                    __npy::private::AnyWidth<__npy::private::#codec<#ty, 0>>
                },
            };
            quote_spanned!(at(ty)=> <#codec as __npy::private::Codec>::#name)
        }
    }
}

/// Generates the path of the internals of the type that stores the field:
/// `<u32 as Element>::__INTERNALS`; `None` for text with a `width`, which has none.
fn internals(field: &Field<'_>) -> Option<TokenStream> {
    let is_codec = matches!(field.stored, Stored::Wide { .. });
    (!is_codec).then(|| of_codec(field, "__INTERNALS"))
}

/// Generates the flag that is true if the field can be decoded from big-endian items, without
/// swapping their bytes first.
fn swaps(field: &Field<'_>) -> TokenStream {
    let swaps = match internals(field) {
        Some(internals) => quote!(#internals.swaps()),
        None => of_codec(field, "SWAPS"),
    };
    match &field.stored {
        // `decode` of the module checks the stored value, whose bytes must be swapped before.
        Stored::With(module) => {
            let ty = field.ty;
            quote_spanned! {at(module)=>
                (#swaps && !__npy::private::can_fail::<#ty, #module::Stored, _>(#module::decode))
            }
        }
        _ => swaps,
    }
}

/// Generates the path of the function that decodes an item of the field, big-endian if `__SWAPPED`.
fn decode(field: &Field<'_>) -> TokenStream {
    match internals(field) {
        Some(internals) => quote_spanned!(at(field.ty)=> #internals.decode::<__SWAPPED>),
        None => of_codec(field, "decode"),
    }
}

/// Generates the path of the function that makes the schema of the field.
fn schema(field: &Field<'_>) -> TokenStream {
    match internals(field) {
        Some(internals) => quote!(#internals.schema),
        None => of_codec(field, "schema"),
    }
}

/// Generates the code that checks the bytes in `__item`.
fn check(field: &Field<'_>) -> TokenStream {
    let check = of_codec(field, "check");
    match &field.stored {
        Stored::With(module) => {
            let (ty, decode) = (field.ty, of_codec(field, "decode"));
            quote_spanned! {at(module)=>
                #check(__item)?;
                __npy::private::check_decoded::<#ty, _>(|| #module::decode(#decode(__item)))
            }
        }
        _ => quote!(#check(__item)),
    }
}

/// Generates the code that encodes the field that `reference` borrows into `__item`.
fn encode(field: &Field<'_>, reference: &TokenStream) -> TokenStream {
    let encode = of_codec(field, "encode");
    match &field.stored {
        Stored::With(module) => {
            quote_spanned! {at(module)=>
                #encode(&__npy::private::encoded::<#module::Stored, _>(#module::encode(#reference))?, __item)
            }
        }
        _ => quote!(#encode(#reference, __item)),
    }
}

/// Generates placeholder impls, for a struct whose errors are already reported.
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

/// Gives a token and those in it the span.
fn respanned(mut token: TokenTree, span: Span) -> TokenTree {
    if let TokenTree::Group(group) = &token {
        let inner = group.stream().into_iter().map(|token| respanned(token, span)).collect();
        token = TokenTree::Group(Group::new(group.delimiter(), inner));
    }
    token.set_span(span);
    token
}

/// Generates a reference to the field of `value`, or to a copy of the field where it may be misaligned.
fn borrow(record: &Record<'_>, field: &Field<'_>, value: &TokenStream) -> TokenStream {
    let member = &field.member;
    if !record.packed {
        return quote!(&#value.#member);
    }
    // All has the span of the type, so that one that is not `Copy` is reported there.
    let span = at(field.ty);
    let tokens = quote!(&{ #value.#member }).into_iter();
    tokens.map(|token| respanned(token, span)).collect()
}
