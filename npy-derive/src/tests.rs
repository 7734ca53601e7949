//! The errors of the macros for wrong structs, and the code that they generate for correct ones.

mod mistakes;

use quote::quote;

use super::*;

fn model<'a>(cx: &Ctxt, input: &'a DeriveInput) -> Option<record::Record<'a>> {
    record::Record::from_input(
        cx,
        input,
        &Container::from_attributes(cx, &input.attrs, Target::Record),
    )
}

fn archive<'a>(cx: &Ctxt, input: &'a DeriveInput) -> Option<archive::Archive<'a>> {
    let container = Container::from_attributes(cx, &input.attrs, Target::Archive);
    archive::Archive::from_input(cx, input, &container)
}

/// Guards the names: raw identifiers lose their `r#`, and `rename` wins over `rename_all`.
#[test]
fn names_are_those_of_the_file() {
    let tokens = quote! {
        #[npy(rename_all = "camelCase")]
        struct S { r#type: u8, two_words: u8, #[npy(rename = "as_is")] other_name: u8 }
    };
    let input: DeriveInput = syn::parse2(tokens).unwrap();
    let cx = Ctxt::new();
    let record = model(&cx, &input).unwrap();
    cx.check().unwrap();
    let names: Vec<_> = record.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["type", "twoWords", "as_is"]);
}

/// Guards the bounds: only type parameters that a field mentions get one.
#[test]
fn bounds_are_inferred_from_the_fields() {
    for (tokens, bounds) in [
        (
            quote!(
                struct S<T> {
                    a: T,
                }
            ),
            "where T : :: npy_core :: Element",
        ),
        (
            quote!(
                struct S<T, const N: usize> {
                    a: [T; N],
                }
            ),
            "where T : :: npy_core :: Element",
        ),
        (
            quote!(
                struct S<const N: usize> {
                    a: [u8; N],
                }
            ),
            "",
        ),
        (
            quote!(
                struct S<T> {
                    a: [u8; 3],
                }
            ),
            "",
        ),
        (
            quote!(
                struct S<T: Tr> {
                    a: T::A,
                }
            ),
            "where T :: A : :: npy_core :: Element",
        ),
        (
            quote!(
                struct S<T: Tr> {
                    a: <T as Tr>::A,
                    b: [T; 2],
                }
            ),
            "where < T as Tr > :: A : :: npy_core :: Element , T : :: npy_core :: Element",
        ),
        (
            quote!(
                struct S<T: Tr> {
                    a: [[T::A; 2]; 3],
                    b: Pair<T::B, u8>,
                    c: T::A,
                }
            ),
            "where T :: A : :: npy_core :: Element , T :: B : :: npy_core :: Element",
        ),
        (
            quote!(
                struct S<T> {
                    a: other::T,
                    b: Pair<u8, [u8; 3]>,
                }
            ),
            "",
        ),
        (
            quote!(
                #[repr(C, packed)]
                struct S<T> {
                    a: T,
                }
            ),
            "where T : :: npy_core :: Element , T : :: core :: marker :: Copy",
        ),
        (
            quote!(
                #[npy(bound(T: Copy))]
                struct S<T> {
                    a: T,
                }
            ),
            "where T : Copy",
        ),
        (
            quote!(
                #[npy(bound())]
                struct S<T> {
                    a: T,
                }
            ),
            "",
        ),
    ] {
        let input: DeriveInput = syn::parse2(tokens).unwrap();
        let cx = Ctxt::new();
        let record = model(&cx, &input).unwrap();
        cx.check().unwrap();
        let (_, _, clause) = record.generics.split_for_impl();
        assert_eq!(quote!(#clause).to_string(), bounds);
    }
}

/// Guards the bounds of archives: they are on complete types, and only on types that contain a
/// parameter.
#[test]
fn bounds_of_archives_are_those_of_whole_types() {
    let members = ":: npy_core :: npz :: ArchiveField";
    for (source, bounds) in [
        ("struct S<const N: usize> { a: [u8; N], b: Vec<u8> }", String::new()),
        ("struct S<T> { a: Vec<T>, b: u8 }", format!("where Vec < T > : {members}")),
        ("struct S<T> { a: Option<T> }", format!("where Option < T > : {members}")),
        (
            "struct S<T> { a: T, #[npy(flatten)] b: Inner<T> }",
            format!("where T : {members} , Inner < T > : :: npy_core :: NpzArchive"),
        ),
        (
            "struct S<T> { #[npy(default)] a: Vec<T> }",
            format!("where T : :: core :: default :: Default , Vec < T > : {members}"),
        ),
        ("struct S<T> { a: u8, #[npy(skip)] b: PhantomData<T> }", String::new()),
        ("struct S<T> { #[npy(with = m)] a: T }", String::new()),
        ("#[npy(bound(T: Copy))] struct S<T> { a: Vec<T> }", "where T : Copy".into()),
        (
            "#[npy(default, bound())] struct S<T> { a: Vec<T> }",
            "where Self : :: core :: default :: Default".into(),
        ),
    ] {
        let input: DeriveInput = syn::parse_str(source).unwrap();
        let cx = Ctxt::new();
        let archive = archive(&cx, &input).unwrap();
        cx.check().unwrap();
        let (_, _, clause) = archive.generics.split_for_impl();
        assert_eq!(quote!(#clause).to_string(), bounds, "{source}");
    }
}

/// Guards the size and shape of the generated code; `tests/tests/derive.rs` compiles the same structs.
#[test]
fn the_expansions_are_those_that_were_reviewed() {
    let record: fn(&DeriveInput) -> TokenStream = npy_record;
    for (derive, input, snapshot) in [
        (
            record,
            quote! {
                struct Pick {
                    station: u32,
                    #[npy(endian = "big")]
                    time: f64,
                }
            },
            include_str!("../snapshots/pick.rs"),
        ),
        (
            record,
            quote! {
                #[npy(align, crate = npy_core)]
                #[repr(C)]
                struct Pair<T, const N: usize>(u8, [T; N]);
            },
            include_str!("../snapshots/pair.rs"),
        ),
        (
            npz_archive,
            quote! {
                #[npy(deny_unknown_fields)]
                struct Layer<T> {
                    weights: Vec<T>,
                    #[npy(default, alias = "b")]
                    bias: f32,
                    #[npy(flatten)]
                    inner: Pick,
                    #[npy(skip)]
                    cached: bool,
                }
            },
            include_str!("../snapshots/layer.rs"),
        ),
    ] {
        let snapshot: TokenStream = snapshot.parse().unwrap();
        let tokens = derive(&syn::parse2(input).unwrap());
        assert_eq!(without_last_commas(&tokens), without_last_commas(&snapshot), "\n{tokens}\n");
    }
}

/// Returns the tokens without the commas that only the formatting adds.
fn without_last_commas(tokens: &TokenStream) -> String {
    let text: String = tokens.to_string().split_whitespace().collect();
    [")", "]", "{", "}", ">"]
        .iter()
        .fold(text, |text, close| text.replace(&format!(",{close}"), close))
}

/// Guards against a second error for each use of a wrong struct.
#[test]
fn after_an_error_there_is_an_impl() {
    let tokens = npy_record(&syn::parse_quote!(
        struct S<T>
        where
            T: Copy, {}
    ))
    .to_string();
    assert!(tokens.contains("compile_error"));
    assert!(tokens.contains(":: npy_core :: Element for S < T > where T : Copy"), "{tokens}");
    let archive = npz_archive(&syn::parse_quote!(
        struct S {}
    ));
    let archive = archive.to_string();
    assert!(archive.contains("compile_error"));
    assert!(archive.contains(":: npy_core :: npz :: ArchiveField for S"), "{archive}");
    let renamed = npy_record(&syn::parse_quote!(
        #[npy(crate = renamed)]
        enum E {}
    ));
    assert!(!renamed.to_string().contains("npy_core"), "{renamed}");
}
