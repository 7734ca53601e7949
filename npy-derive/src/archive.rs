//! Structs of arrays: each field is a member of an archive.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{DeriveInput, Generics, Ident};

use crate::attr::Container;
use crate::bound;
use crate::ctxt::Ctxt;
use crate::field::{self, Default, Field, Skipped, Stored};
use crate::input::{borrowed, the_struct};
use crate::tokens::{at, at_call_site, struct_default, value};

/// The model of a struct that becomes an archive.
pub(crate) struct Archive<'a> {
    ident: &'a Ident,
    /// The generics of the impls, with all bounds.
    pub(crate) generics: Generics,
    krate: TokenStream,
    deny_unknown: bool,
    /// The tokens of `default` on the struct: missing fields are taken from the struct's `Default`.
    default: Option<TokenStream>,
    fields: Vec<Field<'a>>,
    skipped: Vec<Skipped<'a>>,
    of_records: OfRecords,
}

/// The attributes on the struct and its fields that only records have. A struct with any of them
/// must be a record too.
struct OfRecords {
    attributes: Vec<TokenStream>,
    /// The generics of the record, with its bounds.
    generics: Generics,
}

impl<'a> Archive<'a> {
    /// Parses the tokens; `None`, with errors reported, if they do not describe an archive.
    pub(crate) fn from_input(
        cx: &Ctxt,
        input: &'a DeriveInput,
        container: &Container,
    ) -> Option<Self> {
        let message = "NpzArchive is for structs: each field is a member of the archive";
        let data = the_struct(cx, input, message, message)?;
        let (fields, skipped) = field::split(cx, data, container);
        if let Some(lifetime) = borrowed(input, &fields) {
            let message =
                "an archive owns its arrays: use Vec<T> or NpyArray<T> for slices, String for text";
            cx.error(lifetime, message);
        }
        if data.fields.is_empty() {
            cx.error(&input.ident, "an archive needs a field: without one it has no members");
        } else if fields.is_empty() {
            let message = "an archive needs a field, and `skip` excludes all of them";
            cx.error(&input.ident, message);
        }
        field::check_names(cx, &fields);
        let mut flat = HashSet::new();
        for Field { ty, .. } in fields.iter().filter(|field| field.is_flat()) {
            if !flat.insert(ty.to_token_stream().to_string()) {
                let message = "another flattened field has this type, and both would have the same members; remove one";
                cx.error(ty, message);
            }
        }
        let krate = container.krate();
        let of_fields = fields.iter().flat_map(|field| &field.of_records);
        let of_records = OfRecords {
            attributes: container.of_records().chain(of_fields).cloned().collect(),
            generics: bound::with_bounds(
                &input.generics,
                container.bound.get(),
                fields.iter().map(|field| (field.ty, quote!(#krate::Element))),
            ),
        };
        Some(Archive {
            ident: &input.ident,
            generics: generics(input, container, &fields, &skipped),
            krate,
            deny_unknown: container.deny_unknown_fields.get().is_some(),
            default: container.default.tokens().cloned(),
            fields,
            skipped,
            of_records,
        })
    }

    /// Generates `NpzArchive` for the struct. From
    ///
    /// ```text
    /// struct Layer { weights: NpyArray<f32>, #[npy(default)] bias: Vec<f32> }
    /// ```
    ///
    /// it generates this code, shown with short paths and without the `__` of the variables; `__npy` is `npy-core`:
    ///
    /// ```text
    /// impl NpzArchive for Layer {}
    /// impl ArchiveField for Layer {
    ///     const __NPY_DENY_UNKNOWN: bool = false;
    ///     fn __npy_write<W: Write>(&self, to: &mut Writer<W>, at: &str, outer: Option<&Siblings<'_>>) -> Result<(), Error> {
    ///         <NpyArray<f32> as ArchiveField>::__npy_write_field(&self.weights, to, at, "weights")?;
    ///         <Vec<f32> as ArchiveField>::__npy_write_field(&self.bias, to, at, "bias")?;
    ///         Ok(())
    ///     }
    ///     fn __npy_is_in<R: Read + Seek>(from: &Reader<R>, at: &str, outer: Option<&Siblings<'_>>) -> bool {
    ///         <NpyArray<f32> as ArchiveField>::__npy_any_in(from, at, &["weights"])
    ///             || <Vec<f32> as ArchiveField>::__npy_any_in(from, at, &["bias"])
    ///     }
    ///     fn __npy_takes(member: &str, at: &str, outer: Option<&Siblings<'_>>) -> bool {
    ///         <NpyArray<f32> as ArchiveField>::__npy_any_takes(member, at, &["weights"])
    ///             || <Vec<f32> as ArchiveField>::__npy_any_takes(member, at, &["bias"])
    ///     }
    ///     fn __npy_read<R: Read + Seek>(from: &Reader<R>, at: &str, outer: Option<&Siblings<'_>>) -> Result<Self, Error> {
    ///         Ok(Self {
    ///             weights: <NpyArray<f32> as ArchiveField>::__npy_read_field(from, at, &["weights"])?,
    ///             bias: match <Vec<f32> as ArchiveField>::__npy_find(from, at, &["bias"])? {
    ///                 Some(found) => found,
    ///                 None => <Vec<f32> as Default>::default(),
    ///             },
    ///         })
    ///     }
    ///     fn __npy_reserves(key: &str, is_array: bool) -> bool {
    ///         <NpyArray<f32> as ArchiveField>::__npy_any_reserves(key, is_array, &["weights"])
    ///             || <Vec<f32> as ArchiveField>::__npy_any_reserves(key, is_array, &["bias"])
    ///     }
    /// }
    /// ```
    ///
    /// A field that is flattened gets `Some(&siblings)` instead of a name, with this line before:
    ///
    /// ```text
    /// let siblings = Siblings::new(<Self as ArchiveField>::__npy_reserves, outer);
    /// ```
    pub(crate) fn expand(&self) -> TokenStream {
        let Archive { krate, fields, deny_unknown, .. } = self;
        let ident = at_call_site(self.ident);
        let npz = quote!(__npy::npz);
        let result = quote!(::core::result::Result);
        let (bool, str) = (quote!(::core::primitive::bool), quote!(::core::primitive::str));
        let reads = quote!(::std::io::Read + ::std::io::Seek);
        let (impl_generics, type_generics, where_clause) = self.generics.split_for_impl();

        let siblings = fields.iter().any(Field::is_flat).then(|| {
            quote!(let __siblings = #npz::Siblings::new(<Self as #npz::ArchiveField>::__npy_reserves, __outer);)
        });
        let outer = quote!(__outer: ::core::option::Option<&#npz::Siblings<'_>>);
        let write_fields = fields.iter().map(write_field);
        let are_in = fields
            .iter()
            .map(|field| member_query(field, ["__npy_is_in", "__npy_any_in"], &quote!(__from)));
        let taken = fields.iter().map(|field| {
            member_query(field, ["__npy_takes", "__npy_any_takes"], &quote!(__member))
        });
        let reserved = fields.iter().map(reserve_query);
        let read_fields = fields.iter().map(read_field);
        let skipped = self.skipped.iter().map(|field| {
            let (member, value) = (&field.member, value(&field.value, &field.member, field.ty));
            quote!(#member: #value)
        });
        let of_struct = |default: &Default| matches!(default, Default::OfStruct);
        let mut defaults = fields.iter().filter_map(|field| field.default.as_ref());
        let of_struct =
            defaults.any(of_struct) || self.skipped.iter().map(|field| &field.value).any(of_struct);
        let struct_default = struct_default(self.default.as_ref());
        let struct_default = of_struct.then(|| quote!(let __default = #struct_default;));
        let also_record = self.also_record();

        quote! {
            const _: () = {
                use #krate as __npy;

                #[automatically_derived]
                impl #impl_generics __npy::NpzArchive for #ident #type_generics #where_clause {}

                #[automatically_derived]
                impl #impl_generics #npz::ArchiveField for #ident #type_generics #where_clause {
                    const __NPY_DENY_UNKNOWN: #bool = #deny_unknown;

                    fn __npy_write<__W: ::std::io::Write>(
                        &self,
                        __to: &mut #npz::Writer<__W>,
                        __at: &#str,
                        #outer,
                    ) -> #result<(), __npy::Error> {
                        #siblings
                        #(#write_fields)*
                        #result::Ok(())
                    }

                    fn __npy_is_in<__R: #reads>(
                        __from: &#npz::Reader<__R>,
                        __at: &#str,
                        #outer,
                    ) -> #bool {
                        #siblings
                        #(#are_in)||*
                    }

                    fn __npy_takes(__member: &#str, __at: &#str, #outer) -> #bool {
                        #siblings
                        #(#taken)||*
                    }

                    fn __npy_read<__R: #reads>(
                        __from: &#npz::Reader<__R>,
                        __at: &#str,
                        #outer,
                    ) -> #result<Self, __npy::Error> {
                        #siblings
                        #struct_default
                        #result::Ok(Self { #(#read_fields,)* #(#skipped),* })
                    }

                    fn __npy_reserves(__key: &#str, __is_array: #bool) -> #bool {
                        #(#reserved)||*
                    }
                }

                #also_record
            };
        }
    }

    /// Generates the proof that a struct with attributes of a record is also a record. If it is
    /// not, the proof does not compile, with an error at each of these attributes.
    fn also_record(&self) -> Option<TokenStream> {
        let OfRecords { attributes, generics } = &self.of_records;
        if attributes.is_empty() {
            return None;
        }
        let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
        let own = [self.ident.to_token_stream(), type_generics.to_token_stream()];
        let proofs = attributes.iter().map(|attribute| {
            let at = at(attribute);
            // All tokens have the span of the attribute, so that the error is reported there.
            let own = own.iter().cloned().flatten().map(|mut token| {
                token.set_span(at);
                token
            });
            quote_spanned!(at=> __npy::private::also_record::<#(#own)*>();)
        });
        Some(quote! {
            // This function is only compiled, never called.
            #[allow(dead_code)]
            fn __also_record #impl_generics() #where_clause {
                #(#proofs)*
            }
        })
    }
}

/// Generates the code that writes the field: `<Vec<f32> as ArchiveField>::__npy_write_field(&self.bias, to, at, "bias")?;`.
fn write_field(field: &Field<'_>) -> TokenStream {
    let (name, ty, member) = (&field.name, field.ty, &field.member);
    match &field.stored {
        Stored::Flat => {
            quote!(<#ty as __npy::NpzArchive>::__npy_write_flat(&self.#member, __to, __at, &__siblings)?;)
        }
        // With the span of the module: a missing function is reported there.
        Stored::With(module) => quote_spanned! {at(module)=>
            let __stored = __npy::private::encoded_field::<#module::Stored, _, _>(#module::encode(&self.#member), __to, __at, #name)?;
            <#module::Stored as __npy::npz::ArchiveField>::__npy_write_field(&__stored, __to, __at, #name)?;
        },
        _ => {
            quote!(<#ty as __npy::npz::ArchiveField>::__npy_write_field(&self.#member, __to, __at, #name)?;)
        }
    }
}

/// Generates a call that asks about the field's members: `<Vec<f32> as ArchiveField>::__npy_any_in(from, at, &["bias"])`.
fn member_query(
    field: &Field<'_>,
    [of_flat, of_named]: [&str; 2],
    argument: &TokenStream,
) -> TokenStream {
    let (ty, names) = (field.ty, names(field));
    let [of_flat, of_named] = [of_flat, of_named].map(|name| Ident::new(name, Span::call_site()));
    match &field.stored {
        Stored::Flat => {
            quote!(<#ty as __npy::npz::ArchiveField>::#of_flat(#argument, __at, ::core::option::Option::Some(&__siblings)))
        }
        Stored::With(module) => {
            quote_spanned!(at(module)=> <#module::Stored as __npy::npz::ArchiveField>::#of_named(#argument, __at, #names))
        }
        _ => quote!(<#ty as __npy::npz::ArchiveField>::#of_named(#argument, __at, #names)),
    }
}

/// Generates a call that asks which keys of flattened maps the field excludes: `<Vec<f32> as ArchiveField>::__npy_any_reserves(key, is_array, &["bias"])`.
fn reserve_query(field: &Field<'_>) -> TokenStream {
    let (ty, names) = (field.ty, names(field));
    match &field.stored {
        Stored::Flat => {
            quote!(<#ty as __npy::npz::ArchiveField>::__npy_reserves(__key, __is_array))
        }
        Stored::With(module) => {
            quote_spanned!(at(module)=> <#module::Stored as __npy::npz::ArchiveField>::__npy_any_reserves(__key, __is_array, #names))
        }
        _ => {
            quote!(<#ty as __npy::npz::ArchiveField>::__npy_any_reserves(__key, __is_array, #names))
        }
    }
}

/// Generates the code that reads the field: `bias: <Vec<f32> as ArchiveField>::__npy_read_field(from, at, &["bias"])?`.
fn read_field(field: &Field<'_>) -> TokenStream {
    let (ty, member, names) = (field.ty, &field.member, names(field));
    let stored = match &field.stored {
        Stored::Flat => {
            return quote!(#member: <#ty as __npy::npz::ArchiveField>::__npy_read(__from, __at, ::core::option::Option::Some(&__siblings))?);
        }
        Stored::With(module) => quote_spanned!(at(module)=> #module::Stored),
        _ => quote!(#ty),
    };
    let decoded = |value: TokenStream| match &field.stored {
        Stored::With(module) => quote_spanned! {at(module)=>
            __npy::private::decoded_field::<#ty, _, #module::Stored, _>(#module::decode(#value), __from, __at, #names)?
        },
        _ => value,
    };
    let Some(default) = &field.default else {
        let taken =
            quote!(<#stored as __npy::npz::ArchiveField>::__npy_read_field(__from, __at, #names)?);
        let taken = decoded(taken);
        return quote!(#member: #taken);
    };
    let value = value(default, member, ty);
    let found = decoded(quote!(__found));
    quote! {
        #member: match <#stored as __npy::npz::ArchiveField>::__npy_find(__from, __at, #names)? {
            ::core::option::Option::Some(__found) => #found,
            ::core::option::Option::None => #value,
        }
    }
}

/// Generates the list of names that the member may have. The name that is written comes first.
fn names(field: &Field<'_>) -> TokenStream {
    let (name, aliases) = (&field.name, &field.aliases);
    quote!(&[#name #(, #aliases)*])
}

/// Returns the generics with the bounds of the attribute, or with those inferred from the fields.
fn generics(
    input: &DeriveInput,
    container: &Container,
    fields: &[Field<'_>],
    skipped: &[Skipped<'_>],
) -> Generics {
    let krate = container.krate();
    let default = quote!(::core::default::Default);
    let of_type = |default: &Default| matches!(default, Default::OfType);
    let defaults = fields.iter().filter(|field| field.default.as_ref().is_some_and(of_type));
    let skipped = skipped.iter().filter(|field| of_type(&field.value));
    let defaults = defaults.map(|field| field.ty).chain(skipped.map(|field| field.ty));
    let given = container.bound.get();
    let asked = defaults.map(|ty| (ty, default.clone()));
    let mut generics = bound::with_bounds(&input.generics, given, asked);
    if given.is_none() {
        // The bound is on the complete type: `Vec<T>` is a member for numbers and for text, which share no bound on `T`.
        let members = |flat| {
            let fields = fields.iter().filter(move |field| field.is_flat() == flat);
            fields.filter(|field| !matches!(field.stored, Stored::With(_))).map(|field| field.ty)
        };
        bound::with_whole(&mut generics, members(false), &quote!(#krate::npz::ArchiveField));
        bound::with_whole(&mut generics, members(true), &quote!(#krate::NpzArchive));
    }
    if container.default.get().is_some() {
        bound::with_default(&mut generics);
    }
    generics
}

/// Generates placeholder impls, for a struct whose errors are already reported.
pub(crate) fn fallback(input: &DeriveInput, krate: &TokenStream) -> TokenStream {
    let ident = at_call_site(&input.ident);
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let str = quote!(::core::primitive::str);
    let reads = quote!(::std::io::Read + ::std::io::Seek);
    let siblings = quote!(::core::option::Option<&#krate::npz::Siblings<'_>>);
    quote! {
        const _: () = {
            #[automatically_derived]
            impl #impl_generics #krate::NpzArchive for #ident #type_generics #where_clause {}

            #[automatically_derived]
            impl #impl_generics #krate::npz::ArchiveField for #ident #type_generics #where_clause {
                fn __npy_write<__W: ::std::io::Write>(
                    &self,
                    _: &mut #krate::npz::Writer<__W>,
                    _: &#str,
                    _: #siblings,
                ) -> ::core::result::Result<(), #krate::Error> {
                    loop {}
                }

                fn __npy_is_in<__R: #reads>(
                    _: &#krate::npz::Reader<__R>,
                    _: &#str,
                    _: #siblings,
                ) -> ::core::primitive::bool {
                    loop {}
                }

                fn __npy_takes(_: &#str, _: &#str, _: #siblings) -> ::core::primitive::bool {
                    loop {}
                }

                fn __npy_read<__R: #reads>(
                    _: &#krate::npz::Reader<__R>,
                    _: &#str,
                    _: #siblings,
                ) -> ::core::result::Result<Self, #krate::Error> {
                    loop {}
                }
            }
        };
    }
}
