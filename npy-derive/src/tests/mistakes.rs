//! The errors of the macros for wrong types: one per mistake, at the token between « and ».

use super::*;

type Derive = fn(&Ctxt, &DeriveInput);

const RECORD: Derive = |cx, input| drop(model(cx, input));
const ARCHIVE: Derive = |cx, input| drop(archive(cx, input));
const ELEMENT: Derive = |cx, input| {
    let stored = Stored::from_attributes(cx, &input.attrs);
    drop(element::Element::from_input(cx, input, &stored));
};

/// Wrong types, each with one mistake and its expected error.
const MISTAKES: &[(Derive, &str, &str)] = &[
    // Not a record.
    (
        RECORD,
        "«enum» E { A }",
        "NpyRecord is for structs; for an enum without fields derive NpyElement: it is stored as its integer",
    ),
    (
        RECORD,
        "«union» U { a: u8 }",
        "NpyRecord is for structs; a union has no single dtype; store its bytes in an array [u8; N]",
    ),
    (
        RECORD,
        "struct «S»;",
        "a record needs a field; NumPy does not support elements without bytes",
    ),
    (
        RECORD,
        "struct «S» {}",
        "a record needs a field; NumPy does not support elements without bytes",
    ),
    (
        RECORD,
        "struct «S»();",
        "a record needs a field; NumPy does not support elements without bytes",
    ),
    (
        RECORD,
        "struct «S» { #[npy(skip)] a: u8, #[npy(skip)] b: u8 }",
        "a record needs a field, and `skip` excludes all of them",
    ),
    (
        RECORD,
        "struct S<«'a»> { a: &'a u8 }",
        "a record owns its data: use ByteStr<N> for text and [T; N] for slices",
    ),
    // Keys.
    (
        RECORD,
        "struct S { #[npy(«renam» = \"x\")] a: u8 }",
        "unknown attribute `renam` on a field; did you mean `rename`?",
    ),
    (
        RECORD,
        "struct S { #[npy(«aliases» = \"x\")] a: u8 }",
        "unknown attribute `aliases` on a field; did you mean `alias`?",
    ),
    (
        RECORD,
        "struct S { #[npy(«witdh» = 3)] a: String }",
        "unknown attribute `witdh` on a field; did you mean `width`?",
    ),
    (
        RECORD,
        "struct S { #[npy(«widht» = 3)] a: String }",
        "unknown attribute `widht` on a field; did you mean `width`?",
    ),
    (
        RECORD,
        "struct S { #[npy(«withs» = a)] a: u8 }",
        "unknown attribute `withs` on a field; did you mean `with`?",
    ),
    (
        RECORD,
        "struct S { #[npy(«compress»)] a: u8 }",
        "unknown attribute `compress` on a field; use one of rename, alias, title, endian, offset, default, skip, with, width, bytes, flatten",
    ),
    (
        RECORD,
        "struct S { #[npy(«serde::rename» = \"x\")] a: u8 }",
        "unknown attribute `serde::rename` on a field; use one of rename, alias, title, endian, offset, default, skip, with, width, bytes, flatten",
    ),
    (
        RECORD,
        "#[npy(«compress»)] struct S { a: u8 }",
        "unknown attribute `compress` on a struct; use one of crate, rename_all, align, endian, itemsize, deny_unknown_fields, default, bound",
    ),
    (
        RECORD,
        "#[npy(«rename_al» = \"camelCase\")] struct S { a: u8 }",
        "unknown attribute `rename_al` on a struct; did you mean `rename_all`?",
    ),
    (
        RECORD,
        "#[npy(«deny_unknown_field»)] struct S { a: u8 }",
        "unknown attribute `deny_unknown_field` on a struct; did you mean `deny_unknown_fields`?",
    ),
    (
        RECORD,
        "#[npy(«rename» = \"x\")] struct S { a: u8 }",
        "`rename` is an attribute of a field, not of a struct",
    ),
    (
        RECORD,
        "#[npy(«flatten»)] struct S { a: u8 }",
        "`flatten` is an attribute of a field, not of a struct",
    ),
    (
        RECORD,
        "struct S { #[npy(«align»)] a: u8 }",
        "`align` is an attribute of a struct, not of a field",
    ),
    (
        RECORD,
        "struct S { #[npy(«itemsize» = 3)] a: u8 }",
        "`itemsize` is an attribute of a struct, not of a field",
    ),
    (
        RECORD,
        "struct S { #[npy(rename = \"x\", «rename» = \"y\")] a: u8 }",
        "`rename` is given twice; remove one",
    ),
    (
        RECORD,
        "#[npy(endian = \"big\")] #[npy(«endian» = \"big\")] struct S { a: u8 }",
        "`endian` is given twice; remove one",
    ),
    (RECORD, "struct S { #[npy(skip, «skip»)] a: u8, b: u8 }", "`skip` is given twice; remove one"),
    (
        RECORD,
        "#[«npy»] struct S { a: u8 }",
        "attributes must be in parentheses: #[npy(rename = \"x\")]",
    ),
    (
        RECORD,
        "#[«npy = \"x\"»] struct S { a: u8 }",
        "attributes must be in parentheses: #[npy(rename = \"x\")]",
    ),
    // Values.
    (
        RECORD,
        "struct S { #[npy(«rename» = 3)] a: u8 }",
        "`rename` expects a string: rename = \"…\"",
    ),
    (RECORD, "struct S { #[npy(«rename»)] a: u8 }", "`rename` expects a string: rename = \"…\""),
    (
        RECORD,
        "struct S { #[npy(«rename»(\"x\"))] a: u8 }",
        "`rename` expects a string: rename = \"…\"",
    ),
    (RECORD, "struct S { #[npy(«alias» = x)] a: u8 }", "`alias` expects a string: alias = \"…\""),
    (RECORD, "struct S { #[npy(«title»)] a: u8 }", "`title` expects a string: title = \"…\""),
    (
        RECORD,
        "struct S { #[npy(endian = «\"middle\"»)] a: u8 }",
        "`endian` must be one of \"big\", \"little\", \"native\"",
    ),
    (
        RECORD,
        "#[npy(rename_all = «\"camel\"»)] struct S { a: u8 }",
        "`rename_all` must be one of \"lowercase\", \"UPPERCASE\", \"PascalCase\", \"camelCase\", \"snake_case\", \
         \"SCREAMING_SNAKE_CASE\", \"kebab-case\", \"SCREAMING-KEBAB-CASE\"",
    ),
    (
        RECORD,
        "struct S { #[npy(«offset»)] a: u8 }",
        "`offset` expects a number of bytes: offset = 16",
    ),
    (
        RECORD,
        "struct S { #[npy(«offset» = \"8\")] a: u8 }",
        "`offset` expects a number of bytes: offset = 16",
    ),
    (
        RECORD,
        "struct S { #[npy(«offset» = -8)] a: u8 }",
        "`offset` expects a number of bytes: offset = 16",
    ),
    (
        RECORD,
        "#[npy(«itemsize» = 8.0)] struct S { a: u8 }",
        "`itemsize` expects a number of bytes: itemsize = 16",
    ),
    (
        RECORD,
        "struct S { #[npy(«width»)] a: String }",
        "`width` expects a number of characters or bytes, or `any`: width = 16",
    ),
    (
        RECORD,
        "struct S { #[npy(«width» = \"5\")] a: String }",
        "`width` expects a number of characters or bytes, or `any`: width = 16",
    ),
    (
        RECORD,
        "struct S { #[npy(«width» = \"any\")] a: String }",
        "`width` expects a number of characters or bytes, or `any`: width = 16",
    ),
    (
        RECORD,
        "struct S { #[npy(«width»(any))] a: String }",
        "`width` expects a number of characters or bytes, or `any`: width = 16",
    ),
    (
        RECORD,
        "#[npy(«itemsize» = 8)] struct S { #[npy(width = any)] a: String }",
        "`itemsize` has no effect with `width = any`, which is only for reading; remove one",
    ),
    (
        RECORD,
        "#[npy(«align»)] #[repr(C)] struct S { #[npy(width = any)] a: String }",
        "`align` has no effect with `width = any`, which is only for reading; remove one",
    ),
    (
        RECORD,
        "struct S { #[npy(width = any)] a: String, #[npy(offset = «9»)] b: u8 }",
        "`offset` has no effect with `width = any`, which is only for reading; remove one",
    ),
    (RECORD, "struct S { #[npy(«skip» = true)] a: u8, b: u8 }", "`skip` expects no value"),
    (RECORD, "struct S { #[npy(«flatten» = \"a\")] a: A }", "`flatten` expects no value"),
    (
        RECORD,
        "struct S { #[npy(«default» = 3)] a: u8 }",
        "`default` expects nothing, or a function: default = path",
    ),
    (
        RECORD,
        "struct S { #[npy(«default» = \"a b\")] a: u8 }",
        "`default` expects nothing, or a function: default = path",
    ),
    (RECORD, "#[npy(«default» = f)] struct S { a: u8 }", "`default` expects no value"),
    (
        RECORD,
        "#[npy(«deny_unknown_fields» = true)] struct S { a: u8 }",
        "`deny_unknown_fields` expects no value",
    ),
    (RECORD, "struct S { #[npy(«with»)] a: u8 }", "`with` expects a module: with = module"),
    (RECORD, "struct S { #[npy(«with» = 3)] a: u8 }", "`with` expects a module: with = module"),
    (RECORD, "#[npy(«align»(8))] #[repr(C)] struct S { a: u8 }", "`align` expects no value"),
    (RECORD, "#[npy(«bound» = 3)] struct S { a: u8 }", "`bound` expects a string: bound = \"…\""),
    (RECORD, "#[npy(«bound»)] struct S { a: u8 }", "`bound` expects bounds: bound(T: Element)"),
    (
        RECORD,
        "#[npy(«bound»(T Copy))] struct S<T> { a: T }",
        "`bound` expects bounds: bound(T: Element); expected `:`",
    ),
    (
        RECORD,
        "#[npy(«bound» = \"T Copy\")] struct S<T> { a: T }",
        "`bound` expects bounds: bound(T: Element); expected `:`",
    ),
    (
        RECORD,
        "#[npy(«crate» = \"a b\")] struct S { a: u8 }",
        "`crate` expects a path: crate = path",
    ),
    (RECORD, "#[npy(«crate» = 3)] struct S { a: u8 }", "`crate` expects a path: crate = path"),
    (
        RECORD,
        "struct S { #[npy(rename = \"x\" «endian» = \"big\")] a: u8 }",
        "`rename` ends before this; add a comma",
    ),
    (
        RECORD,
        "#[npy(bound(T: Copy) «align»)] struct S<T> { a: T }",
        "`bound` ends before this; add a comma",
    ),
    // Layout.
    (
        RECORD,
        "#[npy(«align»)] struct S { a: u8 }",
        "`align` needs the layout of C; add #[repr(C)] to the struct",
    ),
    (
        RECORD,
        "#[npy(«align»)] #[repr(C, packed)] struct S { a: u8 }",
        "`align` and #[repr(packed)] exclude each other; remove one",
    ),
    (
        RECORD,
        "#[npy(«align»)] #[repr(C, align(16))] struct S { a: u8 }",
        "a dtype cannot have #[repr(align(…))]; remove it, or add the padding as fields of the record",
    ),
    // Names.
    (
        RECORD,
        "struct S { a: u8, #[npy(«rename» = \"a\")] b: u8 }",
        "two fields would be called \"a\" in the file, the first is `a`; rename one",
    ),
    (
        RECORD,
        "struct S { #[npy(rename = \"b\")] a: u8, «b»: u8 }",
        "two fields would be called \"b\" in the file, the first is `a`; rename one",
    ),
    (
        RECORD,
        "struct S(u8, #[npy(«rename» = \"f0\")] u8);",
        "two fields would be called \"f0\" in the file, the first is `0`; rename one",
    ),
    (
        RECORD,
        "#[npy(rename_all = \"camelCase\")] struct S { a_b: u8, «aB»: u8 }",
        "two fields would be called \"aB\" in the file, the first is `a_b`; rename one",
    ),
    (
        RECORD,
        "struct S { #[npy(«rename» = \"\")] a: [u8; 2] }",
        "NumPy treats a sub-array called \"\" as padding; give the field another name, or a title",
    ),
    (
        RECORD,
        "#[npy(rename_all = \"PascalCase\")] struct S { «__»: u8 }",
        "a field needs a name; NumPy treats one without a name as padding",
    ),
    (
        RECORD,
        "struct S { #[npy(rename = \"\")] a: u8, #[npy(«rename» = \"\")] b: u8 }",
        "two fields would be called \"\" in the file, the first is `a`; rename one",
    ),
    (
        RECORD,
        "struct S { a: u8, #[npy(alias = «\"a\"»)] b: u8 }",
        "the alias \"a\" is the name of `a` already; choose another",
    ),
    (
        RECORD,
        "struct S { #[npy(alias = \"b\")] a: u8, «b»: u8 }",
        "the name \"b\" is the alias of `a` already; choose another",
    ),
    (
        RECORD,
        "struct S { #[npy(alias = \"x\", alias = «\"x\"»)] a: u8 }",
        "the alias \"x\" is the alias of `a` already; choose another",
    ),
    (
        RECORD,
        "struct S { a: u8, #[npy(«title» = \"a\")] b: u8 }",
        "the title \"a\" is the name of `a` already; choose another",
    ),
    (
        RECORD,
        "struct S { #[npy(title = \"t\")] a: u8, #[npy(«title» = \"t\")] b: u8 }",
        "the title \"t\" is the title of `a` already; choose another",
    ),
    // Attributes that exclude each other.
    (
        RECORD,
        "struct S { #[npy(skip, «rename» = \"b\")] a: u8, b: u8 }",
        "`rename` has no effect with `skip`, which excludes the field; remove one",
    ),
    (
        RECORD,
        "struct S { #[npy(«offset» = 3, skip)] a: u8, b: u8 }",
        "`offset` has no effect with `skip`, which excludes the field; remove one",
    ),
    (
        RECORD,
        "struct S { #[npy(skip, alias = «\"c\"»)] a: u8, b: u8 }",
        "`alias` has no effect with `skip`, which excludes the field; remove one",
    ),
    (
        RECORD,
        "struct S { #[npy(flatten, «title» = \"b\")] a: A }",
        "`title` has no effect with `flatten`, which puts the fields of the record in its place; remove one",
    ),
    (
        RECORD,
        "struct S { #[npy(flatten, «default»)] a: A }",
        "`default` has no effect with `flatten`, which puts the fields of the record in its place; remove one",
    ),
    (
        RECORD,
        "struct S { #[npy(with = m, «width» = 3)] a: String }",
        "`with` already determines how the field is stored; remove one",
    ),
    (
        RECORD,
        "struct S { #[npy(«bytes»)] a: String }",
        "`bytes` goes with the width of a String: #[npy(width = 16, bytes)]",
    ),
    (
        RECORD,
        "struct S { #[npy(width = 3, «bytes»)] a: Vec<u8> }",
        "a Vec<u8> is always stored as bytes; remove `bytes`",
    ),
    (
        RECORD,
        "struct S { #[npy(«width» = 3)] a: Vec<u16> }",
        "`width` is for a String or a Vec<u8>; other types have a fixed width; remove it, or turn a list into an array [T; N]",
    ),
    (
        RECORD,
        "struct S { #[npy(width = any, «bytes»)] a: Vec<u8> }",
        "a Vec<u8> is always stored as bytes; remove `bytes`",
    ),
    (
        RECORD,
        "struct S { #[npy(«width» = any)] a: f32 }",
        "`width` is for a String or a Vec<u8>; other types have a fixed width; remove it, or turn a list into an array [T; N]",
    ),
    (
        RECORD,
        "struct S { #[npy(with = m, «width» = any)] a: String }",
        "`with` already determines how the field is stored; remove one",
    ),
    (
        RECORD,
        "struct S { #[npy(«width» = 3)] a: u8 }",
        "`width` is for a String or a Vec<u8>; other types have a fixed width; remove it, or turn a list into an array [T; N]",
    ),
    (
        RECORD,
        "struct S { #[npy(«default» = f())] a: u8 }",
        "`default` expects a function, without (): default = path",
    ),
    // Not an element.
    (
        ELEMENT,
        "«union» U { a: u8 }",
        "NpyElement is for enums and newtypes: keep a union's bytes in an array [u8; N]",
    ),
    (
        ELEMENT,
        "enum «E» { A }",
        "the size of the enum in the file is unknown; add #[repr(u8)], or u16 … i64",
    ),
    (
        ELEMENT,
        "#[repr(C)] enum «E» { A }",
        "the size of the enum in the file is unknown; add #[repr(u8)], or u16 … i64",
    ),
    (
        ELEMENT,
        "#[repr(usize)] enum «E» { A }",
        "the size of the enum in the file is unknown; add #[repr(u8)], or u16 … i64",
    ),
    (ELEMENT, "#[repr(u8)] enum «E» {}", "an enum without variants has no values to read or write"),
    (
        ELEMENT,
        "#[repr(u8)] enum E { A, «B(u8)» }",
        "a variant with fields has no single dtype; NpyElement is for enums without fields",
    ),
    (
        ELEMENT,
        "#[npy(«transparent»)] #[repr(u8)] enum E { A }",
        "`transparent` is for structs of one field: an enum is stored as its integer",
    ),
    (
        ELEMENT,
        "#[repr(u8)] enum E { #[«npy(rename = \"x\")»] A }",
        "a variant is stored as its number and has no attributes; remove this",
    ),
    (
        ELEMENT,
        "#[npy(transparent)] struct S(#[«npy(endian = \"big\")»] u16);",
        "a newtype is stored like its field and has no attributes here; put them where it is a field of a record",
    ),
    (
        ELEMENT,
        "struct «S»(u8);",
        "add #[npy(transparent)] to store it as its field, or derive NpyRecord for a record of one field",
    ),
    (
        ELEMENT,
        "#[npy(transparent)] struct «S»(u8, u8);",
        "NpyElement is for structs of one field; one of several is a record: derive NpyRecord",
    ),
    (
        ELEMENT,
        "#[npy(«rename_all» = \"camelCase\")] #[repr(u8)] enum E { A }",
        "`rename_all` is an attribute of a struct, not of an element",
    ),
    (
        ELEMENT,
        "#[npy(«transparant»)] #[repr(transparent)] struct S(u8);",
        "unknown attribute `transparant` on an element; did you mean `transparent`?",
    ),
    // Not an archive.
    (ARCHIVE, "«enum» E { A }", "NpzArchive is for structs: each field is a member of the archive"),
    (
        ARCHIVE,
        "«union» U { a: u8 }",
        "NpzArchive is for structs: each field is a member of the archive",
    ),
    (ARCHIVE, "struct «S»;", "an archive needs a field: without one it has no members"),
    (ARCHIVE, "struct «S»();", "an archive needs a field: without one it has no members"),
    (
        ARCHIVE,
        "struct «S» { #[npy(skip)] a: u8 }",
        "an archive needs a field, and `skip` excludes all of them",
    ),
    (
        ARCHIVE,
        "struct S<«'a»> { a: &'a [u8] }",
        "an archive owns its arrays: use Vec<T> or NpyArray<T> for slices, String for text",
    ),
    (
        ARCHIVE,
        "struct S { #[npy(«renam» = \"x\")] a: u8 }",
        "unknown attribute `renam` on an archive's field; did you mean `rename`?",
    ),
    (
        ARCHIVE,
        "struct S { #[npy(«compress»)] a: u8 }",
        "unknown attribute `compress` on an archive's field; use one of rename, alias, default, skip, with, flatten",
    ),
    (
        ARCHIVE,
        "#[npy(«compress»)] struct S { a: u8 }",
        "unknown attribute `compress` on an archive; use one of crate, rename_all, deny_unknown_fields, default, bound",
    ),
    (
        ARCHIVE,
        "#[npy(«flatten»)] struct S { a: u8 }",
        "`flatten` is an attribute of an archive's field, not of an archive",
    ),
    (
        ARCHIVE,
        "struct S { #[npy(«bound»(T: Copy))] a: u8 }",
        "`bound` is an attribute of an archive, not of an archive's field",
    ),
    (
        ARCHIVE,
        "struct S { a: u8, #[npy(«rename» = \"a\")] b: u8 }",
        "two fields would be called \"a\" in the file, the first is `a`; rename one",
    ),
    (
        ARCHIVE,
        "struct S(u8, #[npy(«rename» = \"arr_0\")] u8);",
        "two fields would be called \"arr_0\" in the file, the first is `0`; rename one",
    ),
    (
        ARCHIVE,
        "struct S { a: u8, #[npy(alias = «\"a\"»)] b: u8 }",
        "the alias \"a\" is the name of `a` already; choose another",
    ),
    (ARCHIVE, "struct S { #[npy(«rename» = \"\")] a: u8 }", "a member of an archive needs a name"),
    (
        ARCHIVE,
        "struct S { #[npy(alias = «\"\"»)] a: u8 }",
        "a member of an archive cannot be called \"\"",
    ),
    (
        ARCHIVE,
        "struct S { #[npy(flatten, «rename» = \"b\")] a: A }",
        "`rename` has no effect with `flatten`, which puts the members of the archive in its place; remove one",
    ),
    (
        ARCHIVE,
        "struct S { #[npy(flatten, «default»)] a: A }",
        "`default` has no effect with `flatten`, which puts the members of the archive in its place; remove one",
    ),
    (
        ARCHIVE,
        "struct S { #[npy(flatten)] a: A<u8>, #[npy(flatten)] b: «A<u8>», #[npy(flatten)] c: A<i8> }",
        "another flattened field has this type, and both would have the same members; remove one",
    ),
    (
        ARCHIVE,
        "struct S { #[npy(skip, «with» = m)] a: A, b: u8 }",
        "`with` has no effect with `skip`, which excludes the field; remove one",
    ),
];

/// Types that are legal, though perhaps unusual.
const RIGHT: &[(Derive, &str)] = &[
    (RECORD, "struct S { a: u8 }"),
    (RECORD, "struct S(u8);"),
    (RECORD, "#[npy(crate = a::b, bound(T: Copy), align)] #[repr(C)] struct S<T> { a: T }"),
    (RECORD, "#[npy(crate = \"crate\", bound = \"\", endian = \"native\",)] struct S<T> { a: T }"),
    (RECORD, "#[npy()] struct S { #[npy(rename = \"b\")] a: u8, #[npy(rename = \"a\")] r#b: u8 }"),
    (RECORD, "#[npy(itemsize = 4 * N, default, deny_unknown_fields)] struct S { a: u8 }"),
    (RECORD, "struct S { #[npy(offset = (N + 1), default = a::b)] a: u8, #[npy(default)] b: u8 }"),
    (RECORD, "struct S { #[npy(skip, default = \"f\")] a: u8, #[npy(with = \"a::b\")] b: u8 }"),
    (RECORD, "struct S { #[npy(width = 3)] a: std::string::String, #[npy(width = N)] b: Vec<u8> }"),
    (
        RECORD,
        "struct S { #[npy(width = any)] a: Vec<u8>, #[npy(width = any, bytes, default)] b: String }",
    ),
    (
        RECORD,
        "struct S { #[npy(flatten, endian = \"big\", offset = 2)] a: A, #[npy(title = \"\")] b: u8 }",
    ),
    // A title may equal an alias: a reader does not find fields by title.
    (
        RECORD,
        "struct S { #[npy(title = \"t\", alias = \"t\")] a: u8, #[npy(alias = \"u\")] b: u8 }",
    ),
    (RECORD, "struct S { #[npy(default = Vec::<u8>::new, width = N as usize)] a: Vec<u8> }"),
    (RECORD, "struct S { #[npy(default = <u8 as Default>::default, offset = f(3))] a: u8 }"),
    (RECORD, "struct S<'a> { a: u8, #[npy(skip)] b: &'a str }"),
    (ELEMENT, "#[repr(i64)] enum E { A = -1, B }"),
    (ELEMENT, "#[repr(C, u8)] enum E { A }"),
    (ELEMENT, "#[repr(transparent)] struct S { a: f32 }"),
    (ELEMENT, "#[npy(transparent, crate = a, bound(T: Copy))] struct S<T>(T);"),
    (ARCHIVE, "struct S(Vec<u8>, [f32; 3]);"),
    (
        ARCHIVE,
        "#[npy(crate = a, rename_all = \"kebab-case\", default, deny_unknown_fields)] struct S { r#a: u8 }",
    ),
    (
        ARCHIVE,
        "struct S<'a> { #[npy(rename = \"a/b\", alias = \"c\", default = f)] a: u8, #[npy(skip)] b: &'a u8 }",
    ),
    // Attributes of a record: the compiler checks that the struct is also a record.
    (
        ARCHIVE,
        "#[npy(align, endian = \"big\", itemsize = 8)] struct S { #[npy(title = \"b\", offset = 2)] a: u8, #[npy(width = 3, bytes)] b: String }",
    ),
];

/// Guards against errors for legal types.
#[test]
fn what_is_right_has_no_errors() {
    for (derive, source) in RIGHT {
        let cx = Ctxt::new();
        derive(&cx, &syn::parse_str(source).unwrap());
        assert!(cx.check().is_ok(), "{source}");
    }
}

/// Guards the messages and their positions.
#[test]
fn every_mistake_is_one_error_at_its_token() {
    for (derive, marked, message) in MISTAKES {
        let source = marked.replace(['«', '»'], "");
        let input: DeriveInput = syn::parse_str(&source).unwrap();
        let cx = Ctxt::new();
        derive(&cx, &input);
        let errors = cx.check().err().unwrap_or_default();
        let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(messages, [*message], "{marked}");
        // Columns of spans count characters, not bytes.
        let columns = marked.split_once('«').unwrap();
        let start = columns.0.chars().count();
        let end = start + columns.1.split_once('»').unwrap().0.chars().count();
        let span = errors[0].span();
        assert_eq!((span.start().column, span.end().column), (start, end), "{marked}");
    }
}

/// Guards that one run of the compiler shows all errors.
#[test]
fn all_mistakes_are_reported_at_once() {
    let input = syn::parse_quote! {
        #[npy(align, endian = "x", unknown_thing)]
        struct S {
            #[npy(rename = 1, endian = "y")]
            a: u8,
            #[npy(renam = "z")]
            b: u8,
            #[npy(skip, title = "t")]
            c: u8,
        }
    };
    let cx = Ctxt::new();
    RECORD(&cx, &input);
    assert_eq!(cx.check().unwrap_err().len(), 7);
}
