//! What the macro says of structs that are wrong, and what it makes of one that is right.

use quote::quote;

use super::*;

fn model<'a>(cx: &Ctxt, input: &'a DeriveInput) -> Option<ast::Record<'a>> {
    ast::Record::from_input(cx, input, &Container::from_attributes(cx, &input.attrs))
}

/// The errors for an item, one a line.
fn errors(tokens: TokenStream) -> Vec<String> {
    let input: DeriveInput = syn::parse2(tokens).unwrap();
    let cx = Ctxt::new();
    model(&cx, &input);
    let errors = cx.check().err().unwrap_or_default();
    errors.iter().map(ToString::to_string).collect()
}

/// The errors of the other derive.
fn element_errors(tokens: TokenStream) -> Vec<String> {
    let input: DeriveInput = syn::parse2(tokens).unwrap();
    let cx = Ctxt::new();
    let stored = Stored::from_attributes(&cx, &input.attrs);
    element::Element::from_input(&cx, &input, &stored);
    let errors = cx.check().err().unwrap_or_default();
    errors.iter().map(ToString::to_string).collect()
}

/// Guards the messages of `NpyElement`.
#[test]
fn every_mistake_of_an_element_is_one_error() {
    for (tokens, message) in [
        (
            quote!(union U { a: u8 }),
            "NpyElement is for enums and newtypes: keep a union's bytes in an array [u8; N]",
        ),
        (
            quote!(
                enum E {
                    A,
                    B,
                }
            ),
            "which integer is it in the file? Add #[repr(u8)], or u16 … i64, to the enum",
        ),
        (
            quote!(
                #[repr(usize)]
                enum E {
                    A,
                }
            ),
            "which integer is it in the file? Add #[repr(u8)], or u16 … i64, to the enum",
        ),
        (
            quote!(
                #[repr(u8)]
                enum E {}
            ),
            "an enum without variants has no value that could be read",
        ),
        (
            quote!(
                #[repr(u8)]
                enum E {
                    A(u8),
                    B,
                }
            ),
            "a variant with fields has no one dtype: NpyElement is for enums without",
        ),
        (
            quote!(
                #[repr(u8)]
                #[npy(transparent)]
                enum E {
                    A,
                }
            ),
            "`transparent` is for structs of one field: an enum is stored as its integer",
        ),
        (
            quote!(
                struct S(u8);
            ),
            "add #[npy(transparent)] to store it as its field, or derive NpyRecord for a record of one field",
        ),
        (
            quote!(
                #[npy(transparent)]
                struct S(u8, u8);
            ),
            "NpyElement is for structs of one field; one of several is a record: derive NpyRecord",
        ),
        (
            quote!(
                #[npy(transparant)]
                #[repr(transparent)]
                struct S(u8);
            ),
            "`transparant` is no attribute of an element; did you mean `transparent`?",
        ),
    ] {
        let shown = tokens.to_string();
        assert_eq!(element_errors(tokens), [message], "{shown}");
    }
    for tokens in [
        quote!(
            #[repr(i64)]
            enum E {
                A = -1,
                B,
            }
        ),
        quote!(
            #[repr(C, u8)]
            enum E {
                A,
            }
        ),
        quote!(
            #[repr(transparent)]
            struct S {
                a: f32,
            }
        ),
        quote!(
            #[npy(transparent, crate = a, bound(T: Copy))]
            struct S<T>(T);
        ),
    ] {
        let shown = tokens.to_string();
        assert_eq!(element_errors(tokens), [""; 0], "{shown}");
    }
}

/// Guards the messages: each mistake is one error that says what to write.
#[test]
fn every_mistake_is_one_error() {
    for (tokens, message) in [
        (
            quote!(
                enum E {
                    A,
                }
            ),
            "NpyRecord is for structs; for an enum without fields derive NpyElement: it is stored as its integer",
        ),
        (
            quote!(union U { a: u8 }),
            "NpyRecord is for structs; a union has no one dtype: keep its bytes in an array [u8; N]",
        ),
        (
            quote!(
                struct S;
            ),
            "a record needs a field: NumPy has no use for items of no bytes",
        ),
        (
            quote!(
                #[npy(align)]
                #[repr(C, align(16))]
                struct S {
                    a: u8,
                }
            ),
            "a dtype knows no #[repr(align(…))]: drop it, or make the padding fields of the record",
        ),
        (
            quote!(
                struct S {}
            ),
            "a record needs a field: NumPy has no use for items of no bytes",
        ),
        (
            quote!(
                struct S<'a> {
                    a: &'a u8,
                }
            ),
            "a record owns its data: use ByteStr<N> for text and [T; N] for slices",
        ),
        (
            quote!(
                struct S {
                    #[npy(renam = "x")]
                    a: u8,
                }
            ),
            "`renam` is no attribute of a field; did you mean `rename`?",
        ),
        (
            quote!(
                struct S {
                    #[npy(compress)]
                    a: u8,
                }
            ),
            "`compress` is no attribute of a field; there are rename, alias, title, endian, offset, default, skip, with, width, bytes, flatten",
        ),
        (
            quote!(
                #[npy(rename = "x")]
                struct S {
                    a: u8,
                }
            ),
            "`rename` is an attribute of a field, not of a struct",
        ),
        (
            quote!(
                struct S {
                    #[npy(align)]
                    a: u8,
                }
            ),
            "`align` is an attribute of a struct, not of a field",
        ),
        (
            quote!(
                #[npy(compress)]
                struct S {
                    a: u8,
                }
            ),
            "`compress` is no attribute of a struct; there are crate, rename_all, align, endian, itemsize, deny_unknown_fields, default, bound",
        ),
        (
            quote!(
                struct S {
                    #[npy(serde::rename = "x")]
                    a: u8,
                }
            ),
            "`serde::rename` is no attribute of a field; there are rename, alias, title, endian, offset, default, skip, with, width, bytes, flatten",
        ),
        (
            quote!(
                struct S {
                    #[npy(rename = "x" endian = "big")]
                    a: u8,
                }
            ),
            "`rename` ends before this; a comma is missing",
        ),
        (
            quote!(
                #[npy(bound(T: Copy) align)]
                struct S<T> {
                    a: T,
                }
            ),
            "`bound` ends before this; a comma is missing",
        ),
        (
            quote!(
                #[npy(rename_al = "camelCase")]
                struct S {
                    a: u8,
                }
            ),
            "`rename_al` is no attribute of a struct; did you mean `rename_all`?",
        ),
        (
            quote!(
                struct S {
                    #[npy(rename = "x", rename = "y")]
                    a: u8,
                }
            ),
            "`rename` is given twice; once is enough",
        ),
        (
            quote!(
                #[npy(endian = "big")]
                #[npy(endian = "big")]
                struct S {
                    a: u8,
                }
            ),
            "`endian` is given twice; once is enough",
        ),
        (
            quote!(
                struct S {
                    #[npy(rename = 3)]
                    a: u8,
                }
            ),
            "`rename` takes a string: rename = \"…\"",
        ),
        (
            quote!(
                struct S {
                    #[npy(rename)]
                    a: u8,
                }
            ),
            "`rename` takes a string: rename = \"…\"",
        ),
        (
            quote!(
                struct S {
                    #[npy(rename("x"))]
                    a: u8,
                }
            ),
            "`rename` takes a string: rename = \"…\"",
        ),
        (
            quote!(
                struct S {
                    #[npy(endian = "middle")]
                    a: u8,
                }
            ),
            "`endian` is one of \"big\", \"little\", \"native\"",
        ),
        (
            quote!(
                #[npy(rename_all = "camel")]
                struct S {
                    a: u8,
                }
            ),
            "`rename_all` is one of \"lowercase\", \"UPPERCASE\", \"PascalCase\", \"camelCase\", \"snake_case\", \
             \"SCREAMING_SNAKE_CASE\", \"kebab-case\", \"SCREAMING-KEBAB-CASE\"",
        ),
        (
            quote!(
                #[npy(align)]
                struct S {
                    a: u8,
                }
            ),
            "`align` is the layout of C: add #[repr(C)] to the struct",
        ),
        (
            quote!(
                #[npy(align)]
                #[repr(C, packed)]
                struct S {
                    a: u8,
                }
            ),
            "`align` and #[repr(packed)] exclude each other: drop one",
        ),
        (
            quote!(
                struct S {
                    a: u8,
                    #[npy(rename = "a")]
                    b: u8,
                }
            ),
            "a second field called \"a\" in the file; the first is `a`",
        ),
        (
            quote!(
                struct S(u8, #[npy(rename = "f0")] u8);
            ),
            "a second field called \"f0\" in the file; the first is `0`",
        ),
        (
            quote!(
                struct S {
                    #[npy(rename = "")]
                    a: u8,
                }
            ),
            "a field needs a name: NumPy takes one without for padding",
        ),
        (
            quote!(
                #[npy]
                struct S {
                    a: u8,
                }
            ),
            "attributes stand in parentheses: #[npy(rename = \"x\")]",
        ),
        (
            quote!(
                #[npy = "x"]
                struct S {
                    a: u8,
                }
            ),
            "attributes stand in parentheses: #[npy(rename = \"x\")]",
        ),
        (
            quote!(
                #[npy(align(8))]
                #[repr(C)]
                struct S {
                    a: u8,
                }
            ),
            "`align` takes no value",
        ),
        (
            quote!(
                #[npy(bound = 3)]
                struct S {
                    a: u8,
                }
            ),
            "`bound` takes a string: bound = \"…\"",
        ),
        (
            quote!(
                #[npy(bound)]
                struct S {
                    a: u8,
                }
            ),
            "`bound` takes bounds: bound(T: Element)",
        ),
        (
            quote!(
                #[npy(bound(T Copy))]
                struct S<T> {
                    a: T,
                }
            ),
            "`bound` takes bounds: bound(T: Element); expected `:`",
        ),
        (
            quote!(
                #[npy(bound = "T Copy")]
                struct S<T> {
                    a: T,
                }
            ),
            "`bound` takes bounds: bound(T: Element); expected `:`",
        ),
        (
            quote!(
                #[npy(crate = "a b")]
                struct S {
                    a: u8,
                }
            ),
            "`crate` takes a path: crate = path",
        ),
        (
            quote!(
                #[npy(rename_all = "PascalCase")]
                struct S {
                    __: u8,
                }
            ),
            "a field needs a name: NumPy takes one without for padding",
        ),
        (
            quote!(
                #[npy(rename_all = "camelCase")]
                struct S {
                    a_b: u8,
                    aB: u8,
                }
            ),
            "a second field called \"aB\" in the file; the first is `a_b`",
        ),
        (
            quote!(
                #[npy(crate = 3)]
                struct S {
                    a: u8,
                }
            ),
            "`crate` takes a path: crate = path",
        ),
    ] {
        let shown = tokens.to_string();
        assert_eq!(errors(tokens), [message], "{shown}");
    }
}

/// Guards the collecting: one run of the compiler shows all.
#[test]
fn all_mistakes_are_reported_at_once() {
    let tokens = quote! {
        #[npy(align, endian = "x", unknown_thing)]
        struct S {
            #[npy(rename = 1, endian = "y")]
            a: u8,
            #[npy(renam = "z")]
            b: u8,
        }
    };
    assert_eq!(errors(tokens).len(), 6);
}

/// Guards what is legal.
#[test]
fn what_is_right_has_no_errors() {
    for tokens in [
        quote!(
            struct S {
                a: u8,
            }
        ),
        quote!(
            struct S(u8);
        ),
        quote!(
            #[npy(crate = a::b, bound(T: Copy), align)]
            #[repr(C)]
            struct S<T> {
                a: T,
            }
        ),
        quote!(
            #[npy(crate = "crate", bound = "", endian = "native")]
            struct S<T> {
                a: T,
            }
        ),
        quote!(
            #[npy()]
            struct S {
                #[npy(rename = "b")]
                a: u8,
                #[npy(rename = "a")]
                r#b: u8,
            }
        ),
    ] {
        let shown = tokens.to_string();
        assert_eq!(errors(tokens), [""; 0], "{shown}");
    }
}

/// Guards the names: raw identifiers lose their mark, `rename` wins over `rename_all`.
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

/// Guards the bounds: only what a field mentions is asked for anything.
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

/// Guards the size and shape of what is generated; `tests/tests/derive.rs` compiles the same structs.
#[test]
fn the_expansions_are_those_that_were_reviewed() {
    for (input, snapshot) in [
        (
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
            quote! {
                #[npy(align, crate = npy_core)]
                #[repr(C)]
                struct Pair<T, const N: usize>(u8, [T; N]);
            },
            include_str!("../snapshots/pair.rs"),
        ),
    ] {
        let snapshot: TokenStream = snapshot.parse().unwrap();
        let tokens = npy_record(&syn::parse2(input).unwrap());
        assert_eq!(without_last_commas(&tokens), without_last_commas(&snapshot), "\n{tokens}\n");
    }
}

/// The tokens without the commas that only the formatting adds.
fn without_last_commas(tokens: &TokenStream) -> String {
    let text: String = tokens.to_string().split_whitespace().collect();
    [")", "]", "{", "}"].iter().fold(text, |text, close| text.replace(&format!(",{close}"), close))
}

/// Guards against a second error for each use of a struct that is wrong.
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
    let renamed = npy_record(&syn::parse_quote!(
        #[npy(crate = renamed)]
        enum E {}
    ));
    assert!(!renamed.to_string().contains("npy_core"), "{renamed}");
}
