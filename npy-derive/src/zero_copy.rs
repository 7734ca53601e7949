//! `ZeroCopy`: structs that have the layout of their dtype in memory.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DataStruct, DeriveInput, Generics, Ident, Member, Type, parse_quote};

use crate::attr::{Viewed, check_viewed_field};
use crate::bound;
use crate::ctxt::Ctxt;
use crate::input::OWNS_ITS_DATA;
use crate::tokens::at_call_site;

/// The model of a struct that is viewed in place.
pub(crate) struct ZeroCopy<'a> {
    ident: &'a Ident,
    generics: Generics,
    krate: TokenStream,
    aligned: bool,
    /// True if the struct is stored like its one field.
    newtype: bool,
    fields: Vec<(Member, &'a Type)>,
    /// The fields that are not in the file.
    skipped: Vec<(Member, &'a Type)>,
}

impl<'a> ZeroCopy<'a> {
    /// Parses the tokens; `None`, with errors reported, if they do not describe a struct.
    pub(crate) fn from_input(cx: &Ctxt, input: &'a DeriveInput, viewed: &Viewed) -> Option<Self> {
        let data = match &input.data {
            Data::Struct(data) => data,
            Data::Enum(data) => {
                let message = "some bytes are not a variant of the enum; store its integer (u8 … i64) in the record, and convert that where it is used";
                cx.error(data.enum_token, message);
                return None;
            }
            Data::Union(data) => {
                let message = "ZeroCopy is for structs: keep a union's bytes in an array [u8; N]";
                cx.error(data.union_token, message);
                return None;
            }
        };
        // NpyRecord reports the same error at the same place, and the compiler shows it once.
        if let Some(lifetime) = input.generics.lifetimes().next() {
            cx.error(lifetime, OWNS_ITS_DATA);
        }
        let repr = &viewed.repr;
        if !repr.c && !repr.transparent {
            let message = "the compiler may choose any layout; add #[repr(C)], or #[repr(C, packed)] for fields without padding";
            cx.error(&input.ident, message);
        }
        let (mut fields, mut skipped) = (Vec::new(), Vec::new());
        for (member, field) in data.fields.members().zip(&data.fields) {
            let stored = check_viewed_field(cx, &field.attrs);
            let list = if stored { &mut fields } else { &mut skipped };
            list.push((member, &field.ty));
        }
        let transparent = repr.transparent || viewed.transparent.get().is_some();
        let krate = viewed.krate();
        Some(ZeroCopy {
            ident: &input.ident,
            generics: generics(input, data, viewed, &krate),
            krate,
            aligned: viewed.align.get().is_some(),
            newtype: transparent && data.fields.len() == 1 && skipped.is_empty(),
            fields,
            skipped,
        })
    }

    /// Generates `ZeroCopy` for the struct. From
    ///
    /// ```text
    /// #[repr(C)]
    /// struct Pick { station: u32, time: f32 }
    /// ```
    ///
    /// it generates this code, shown with short paths and without the `__` of the variable:
    ///
    /// ```text
    /// unsafe impl ZeroCopy for Pick {
    ///     const PADDED: bool = {
    ///         let _ = |Self { station: _, time: _ }: Self| {};
    ///         let memory = <Self as ZeroCopy>::__MEMORY;
    ///         let fields = [
    ///             memory.field("station", offset_of!(Self, station), |Self { station: field, .. }: Self| field),
    ///             …
    ///         ];
    ///         memory.proved("Pick", false, fields, &[], Self::FIELDS, Self::SIZE)
    ///     };
    ///     fn memory_dtype() -> DType {
    ///         memory_record(Self::FIELDS, Self::SIZE, fields) // the same ones
    ///     }
    /// }
    /// const _: bool = <Pick as ZeroCopy>::PADDED;
    /// ```
    ///
    /// The proof does not trust the tokens of the struct: an attribute after the derive can change
    /// them, and a macro in a type can expand to a different type each time. So the proof names no
    /// field type: the closures return the fields themselves, and the first closure compiles only
    /// if there are no other fields. The proof does not trust the crate that `#[npy(crate = …)]`
    /// names, either: the safety of `PADDED` depends only on `__MEMORY` of that crate's `ZeroCopy`.
    /// If this trait is the one of `npy-core`, so is its `__MEMORY`.
    ///
    /// For a generic struct, the last line is missing: the proof is compiled for each set of
    /// arguments with which the struct is viewed.
    pub(crate) fn expand(&self) -> TokenStream {
        let ZeroCopy { krate, aligned, .. } = self;
        let ident = at_call_site(self.ident);
        let private = quote!(#krate::private);
        let zero_copy = quote!(#krate::ZeroCopy);
        let name = ident.to_string();
        let members = self.fields.iter().chain(&self.skipped).map(|(member, _)| member);
        let in_memory = |(member, ty): &(Member, &Type)| {
            let name = quote!(#member).to_string();
            // A field type that is not `ZeroCopy` is reported where the struct names it.
            let field = quote_spanned!(ty.span()=> __field);
            let get = quote_spanned!(ty.span()=> |Self { #member: #field, .. }: Self| #field);
            quote!(__memory.field(#name, ::core::mem::offset_of!(Self, #member), #get))
        };
        let (stored, skipped) =
            (self.fields.iter().map(in_memory), self.skipped.iter().map(in_memory));
        let shown = quote! {
            let __memory = <Self as #zero_copy>::__MEMORY;
            let __fields = [#(#stored),*];
        };
        let size = quote!(<Self as #krate::Element>::SIZE);
        let fields = quote!(<Self as #krate::NpyRecord>::FIELDS);
        // A layout that cannot be proved is reported at the name of the struct.
        let span = ident.span();
        let (dtype, proved, memory_dtype) = if self.newtype {
            (
                quote!(#krate::Element),
                quote_spanned!(span=> __memory.proved_alone(#name, #aligned, __fields, #size)),
                quote!(#private::newtype::<Self>(__fields)),
            )
        } else {
            (
                quote!(#krate::NpyRecord),
                quote_spanned!(span=> __memory.proved(#name, #aligned, __fields, &[#(#skipped),*], #fields, #size)),
                quote!(#private::memory_record(#fields, #size, __fields)),
            )
        };
        let bool = quote!(::core::primitive::bool);
        let at_once = self.generics.params.is_empty();
        let at_once = at_once
            .then(|| quote_spanned!(span=> const _: #bool = <#ident as #zero_copy>::PADDED;));
        let mut generics = self.generics.clone();
        add_supertrait_bounds(&mut generics, &dtype);
        let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
        quote! {
            const _: () = {
                // SAFETY: this compiles only if the field types are `ZeroCopy`, so any bytes are
                // valid values of the fields, and of the struct. The struct owns its fields (`Copy`
                // and no lifetime). `PADDED` is `false` only if the sizes of the fields add up to
                // the size of the struct.
                #[automatically_derived]
                // `offset_of` counts as a use of a deprecated field.
                #[allow(deprecated)]
                unsafe impl #impl_generics #zero_copy for #ident #type_generics #where_clause {
                    const PADDED: #bool = {
                        let _ = |Self { #(#members: _),* }: Self| {};
                        #shown
                        #proved
                    };

                    fn memory_dtype() -> #krate::DType {
                        #shown
                        #memory_dtype
                    }
                }
                #at_once
            };
        }
    }
}

/// Adds the supertraits of `ZeroCopy` as bounds on the struct. A missing supertrait is then a
/// single error, where the impl is used: the lifetime in the bound keeps the compiler from checking
/// it earlier.
fn add_supertrait_bounds(generics: &mut Generics, dtype: &TokenStream) {
    let predicate = parse_quote!(for<'__a> Self: #dtype + ::core::marker::Copy);
    generics.make_where_clause().predicates.push(predicate);
}

/// Returns the generics of the impl. Bounds that are given by `bound` are meant for `Element`; the
/// bounds for `ZeroCopy` are inferred from the fields.
fn generics(
    input: &DeriveInput,
    data: &DataStruct,
    viewed: &Viewed,
    krate: &TokenStream,
) -> Generics {
    let bound = quote!(#krate::ZeroCopy);
    let types = || data.fields.iter().map(|field| &field.ty);
    let given = viewed.bound.get();
    let asked = types().map(|ty| (ty, bound.clone()));
    let mut generics = bound::with_bounds(&input.generics, given, asked);
    if given.is_some() {
        bound::with_whole(&mut generics, types(), &bound);
    }
    generics
}

/// Generates a placeholder impl, for a type whose errors are already reported.
pub(crate) fn fallback(input: &DeriveInput, krate: &TokenStream) -> TokenStream {
    let ident = at_call_site(&input.ident);
    let mut generics = input.generics.clone();
    add_supertrait_bounds(&mut generics, &quote!(#krate::Element));
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    quote! {
        const _: () = {
            // SAFETY: the program does not compile.
            #[automatically_derived]
            unsafe impl #impl_generics #krate::ZeroCopy for #ident #type_generics #where_clause {
                const PADDED: ::core::primitive::bool = true;

                fn memory_dtype() -> #krate::DType {
                    loop {}
                }
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use quote::ToTokens;

    use super::*;

    /// Returns the errors for a type.
    fn errors(tokens: TokenStream) -> Vec<String> {
        let input: DeriveInput = syn::parse2(tokens).unwrap();
        let cx = Ctxt::new();
        ZeroCopy::from_input(&cx, &input, &Viewed::from_attributes(&input.attrs));
        let errors = cx.check().err().unwrap_or_default();
        errors.iter().map(ToString::to_string).collect()
    }

    /// Guards the messages: each mistake is one error that says what to write.
    #[test]
    fn every_mistake_is_one_error() {
        let repr = "the compiler may choose any layout; add #[repr(C)], or #[repr(C, packed)] for fields without padding";
        for (tokens, message) in [
            (
                quote!(
                    struct S {
                        a: u8,
                    }
                ),
                repr,
            ),
            (
                quote!(
                    #[repr(packed)]
                    struct S(u8);
                ),
                repr,
            ),
            (
                quote!(
                    #[repr(align(8))]
                    struct S(u8);
                ),
                repr,
            ),
            (
                quote!(
                    #[repr(u8)]
                    enum E {
                        A,
                    }
                ),
                "some bytes are not a variant of the enum; store its integer (u8 … i64) in the record, and convert that where it is used",
            ),
            (
                quote!(#[repr(C)] union U { a: u8 }),
                "ZeroCopy is for structs: keep a union's bytes in an array [u8; N]",
            ),
            (
                quote!(
                    #[repr(C)]
                    struct S<'a>(&'a u8);
                ),
                OWNS_ITS_DATA,
            ),
            (
                quote!(
                    #[repr(C)]
                    struct S(#[npy(rename = "x", with = half)] u8);
                ),
                "a view needs the same fields in memory and in the file; remove `with`, or remove ZeroCopy",
            ),
        ] {
            let shown = tokens.to_string();
            assert_eq!(errors(tokens), [message], "{shown}");
        }
    }

    /// Guards against a second error: `ZeroCopy` leaves attributes of other derives to those
    /// derives.
    #[test]
    fn attributes_of_other_derives_are_theirs() {
        for tokens in [
            quote!(
                #[repr(C)]
                struct S {
                    a: u8,
                }
            ),
            quote!(
                #[repr(C, packed)]
                struct S(u8);
            ),
            quote!(
                #[repr(C, packed(2))]
                struct S(u8);
            ),
            quote!(
                #[repr(transparent)]
                struct S(u8);
            ),
            quote!(
                #[repr(C)]
                #[npy(unknown = 3, align = "x", rename_all(y), bound(T Copy))]
                struct S(u8);
            ),
            quote!(
                #[repr(C)]
                #[npy]
                struct S(
                    #[npy(renam = "x")]
                    #[npy = "y"]
                    u8,
                );
            ),
            quote!(
                #[repr(C)]
                #[npy(align, align, crate = 3)]
                struct S(#[npy(endian = "big")] u8);
            ),
        ] {
            let shown = tokens.to_string();
            assert_eq!(errors(tokens), [""; 0], "{shown}");
        }
    }

    /// Guards the bounds, both inferred and given.
    #[test]
    fn bounds_follow_from_the_fields() {
        for (tokens, bounds) in [
            (
                quote!(
                    struct S<const N: usize>([u8; N]);
                ),
                "",
            ),
            (
                quote!(
                    struct S<T>([T; 2], u8);
                ),
                "where T : :: npy_core :: ZeroCopy",
            ),
            (
                quote!(
                    #[npy(bound(U: Unit), crate = c)]
                    struct S<U>(Time<U>, u8, <U as Unit>::A);
                ),
                "where U : Unit , Time < U > : c :: ZeroCopy , \
                 < U as Unit > :: A : c :: ZeroCopy",
            ),
            (
                quote!(
                    #[npy(bound())]
                    struct S(u8);
                ),
                "",
            ),
        ] {
            let input: DeriveInput = syn::parse2(quote!(#[repr(C)] #tokens)).unwrap();
            let cx = Ctxt::new();
            let model = ZeroCopy::from_input(&cx, &input, &Viewed::from_attributes(&input.attrs));
            cx.check().unwrap();
            let generics = model.unwrap().generics;
            assert_eq!(generics.split_for_impl().2.to_token_stream().to_string(), bounds);
        }
    }

    /// Guards the proof: a struct without parameters is proved at once, and `crate` and `align` are read.
    #[test]
    fn what_is_not_generic_is_proved_at_once() {
        let expanded = |tokens| crate::zero_copy(&syn::parse2(tokens).unwrap()).to_string();
        let plain = expanded(quote!(
            #[repr(C)]
            #[npy(align, crate = renamed)]
            struct S {
                r#type: u8,
            }
        ));
        assert!(plain.contains("const _ : :: core :: primitive :: bool = < S as"), "{plain}");
        assert!(plain.contains(". proved (\"S\" , true ,"), "{plain}");
        assert!(!plain.contains("npy_core"), "{plain}");
        let skipping = expanded(quote!(
            #[repr(C)]
            struct S(u8, #[npy(skip)] [u8; 7]);
        ));
        assert!(skipping.contains("let _ = | Self { 0 : _ , 1 : _ } : Self |"), "{skipping}");
        assert!(skipping.contains("__fields , & [__memory . field (\"1\" ,"), "{skipping}");
        let generic = expanded(quote!(
            #[repr(transparent)]
            struct S<T>(T);
        ));
        assert!(!generic.contains("const _ : :: core :: primitive :: bool"), "{generic}");
        assert!(generic.contains(". proved_alone (\"S\" , false ,"), "{generic}");
    }

    /// Guards against a second error for each use of a wrong struct.
    #[test]
    fn after_an_error_there_is_an_impl() {
        let tokens = crate::zero_copy(&syn::parse_quote!(
            struct S<T>
            where
                T: Copy,
            {
                a: T,
            }
        ));
        let tokens = tokens.to_string();
        assert!(tokens.contains("compile_error"));
        let header = "unsafe impl < T > :: npy_core :: ZeroCopy for S < T > where T : Copy , for < '__a > Self :";
        assert!(tokens.contains(header), "{tokens}");
    }
}
