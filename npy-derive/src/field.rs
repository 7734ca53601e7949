//! The model of a field of a record or an archive: its name, its type, how it is stored, and its default.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{DataStruct, Expr, ExprPath, Index, LitStr, Member, Path, Type};

use crate::attr::{Container, Endian, FieldAttrs, Target};
use crate::ctxt::Ctxt;

/// A field of the record, or of the archive.
pub(crate) struct Field<'a> {
    pub(crate) member: Member,
    /// The name in the file.
    pub(crate) name: String,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) title: Option<String>,
    pub(crate) ty: &'a Type,
    pub(crate) stored: Stored,
    /// The byte order that the field states, or otherwise the byte order that the struct states.
    pub(crate) endian: Option<Endian>,
    pub(crate) offset: Option<Expr>,
    /// The value for a file that lacks the field; `None` if such a file is an error.
    pub(crate) default: Option<Default>,
    /// The attributes of the field that only records have.
    pub(crate) of_records: Vec<TokenStream>,
    /// The tokens at which errors about the field's name and title are reported.
    tokens: [TokenStream; 2],
}

/// A field of the struct that is not stored.
pub(crate) struct Skipped<'a> {
    pub(crate) member: Member,
    pub(crate) ty: &'a Type,
    pub(crate) value: Default,
}

/// How a field is stored.
pub(crate) enum Stored {
    /// As its own type.
    Plain,
    /// As the fields of its record or the members of its archive, flattened.
    Flat,
    /// As the type `Stored` that this module defines.
    With(Path),
    /// As a `String` or a `Vec<u8>` of this width; `None` for any width, which can only be read.
    Wide { width: Option<Expr>, bytes: bool },
}

/// The source of a value that is not in the file.
#[derive(Clone)]
pub(crate) enum Default {
    /// The `Default` of the field's type.
    OfType,
    /// The field of the struct's `Default`.
    OfStruct,
    /// This function.
    Call(ExprPath),
}

/// Returns the type without parentheses and without the invisible groups that macros add.
fn without_groups(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => without_groups(&group.elem),
        Type::Paren(paren) => without_groups(&paren.elem),
        _ => ty,
    }
}

/// Returns the fields of the record or the archive, and the skipped fields.
pub(crate) fn split<'a>(
    cx: &Ctxt,
    data: &'a DataStruct,
    container: &Container,
) -> (Vec<Field<'a>>, Vec<Skipped<'a>>) {
    let (mut fields, mut skipped) = (Vec::new(), Vec::new());
    for (i, field) in data.fields.iter().enumerate() {
        let attrs = FieldAttrs::from_attributes(cx, &field.attrs, container.target);
        let member = match &field.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::Unnamed(Index::from(i)),
        };
        let default = match attrs.default.get() {
            Some(Some(path)) => Some(Default::Call(path.clone())),
            Some(None) => Some(Default::OfType),
            None => container.default.get().map(|()| Default::OfStruct),
        };
        if attrs.skip.get().is_some() {
            report_ineffective(cx, "skip", "which excludes the field", &attrs, &OTHER_THAN_SKIP);
            let value = default.unwrap_or(Default::OfType);
            skipped.push(Skipped { member, ty: without_groups(&field.ty), value });
        } else {
            let nth = fields.iter().filter(|field: &&Field| !field.is_flat()).count();
            fields.push(Field::new(cx, field, attrs, (member, nth, default), container));
        }
    }
    (fields, skipped)
}

impl<'a> Field<'a> {
    fn new(
        cx: &Ctxt,
        field: &'a syn::Field,
        attrs: FieldAttrs,
        (member, nth, default): (Member, usize, Option<Default>),
        container: &Container,
    ) -> Self {
        let text = TargetText::of(container.target);
        let stored = stored(cx, &field.ty, &attrs, container.target);
        let name = match (attrs.rename.get(), &field.ident) {
            (Some(name), _) => name.clone(),
            (None, None) => format!("{}{nth}", text.position),
            (None, Some(ident)) => {
                let name = ident.unraw().to_string();
                container.rename_all.get().map_or(name.clone(), |case| case.apply(&name))
            }
        };
        let name_tokens = match (attrs.rename.tokens(), &field.ident) {
            (Some(tokens), _) => tokens.clone(),
            (None, Some(ident)) => ident.to_token_stream(),
            (None, None) => field.ty.to_token_stream(),
        };
        // NumPy has fields called "", but reads a sub-array of that name as padding.
        let may_be_empty = container.target == Target::Record && attrs.rename.get().is_some();
        if name.is_empty() && !may_be_empty {
            cx.error(&name_tokens, text.needs_name);
        }
        let is_array = matches!(without_groups(&field.ty), Type::Array(_));
        let is_padding =
            is_array && !matches!(stored, Stored::With(_)) && attrs.title.get().is_none();
        if name.is_empty() && may_be_empty && is_padding {
            let message = "NumPy treats a sub-array called \"\" as padding; give the field another name, or a title";
            cx.error(&name_tokens, message);
        }
        for alias in attrs.aliases.iter().filter(|alias| alias.value().is_empty()) {
            if container.target == Target::Archive {
                cx.error(alias, "a member of an archive cannot be called \"\"");
            }
        }
        let title_tokens = attrs.title.tokens().cloned().unwrap_or_default();
        let of_records = attrs.of_records().cloned().collect();
        let flat = matches!(stored, Stored::Flat);
        Field {
            member,
            name: if flat { String::new() } else { name },
            aliases: attrs.aliases,
            of_records,
            title: attrs.title.get().cloned().filter(|_| container.target == Target::Record),
            ty: without_groups(&field.ty),
            endian: attrs.endian.get().or(container.endian.get()).copied(),
            offset: attrs.offset.get().cloned(),
            // The fields of a flattened record have their own defaults.
            default: default.filter(|_| !flat),
            stored,
            tokens: [name_tokens, title_tokens],
        }
    }

    /// Returns the name, the title and the aliases of the field. A flattened record has no name.
    fn names(&self) -> impl Iterator<Item = Name<'_>> {
        let name = |what, text, tokens| Name { what, text, of: &self.member, tokens };
        let [own, title] = self.tokens.clone();
        let own = (!self.is_flat()).then(|| name("name", self.name.clone(), own));
        let title = self.title.clone().map(|text| name("title", text, title));
        let aliases = self.aliases.iter();
        let aliases =
            aliases.map(move |alias| name("alias", alias.value(), alias.to_token_stream()));
        own.into_iter().chain(title).chain(aliases)
    }

    /// Returns true if the field is a text of any width.
    pub(crate) fn has_any_width(&self) -> bool {
        matches!(self.stored, Stored::Wide { width: None, .. })
    }

    /// Returns true if the field is a flattened record or archive.
    pub(crate) fn is_flat(&self) -> bool {
        matches!(self.stored, Stored::Flat)
    }
}

/// Text that differs between fields of records and fields of archives.
struct TargetText {
    /// The prefix of the name of an unnamed field, before its position.
    position: &'static str,
    needs_name: &'static str,
    /// The effect of `flatten`, for error messages.
    flatten: &'static str,
}

impl TargetText {
    fn of(target: Target) -> Self {
        match target {
            Target::Record => TargetText {
                position: "f",
                needs_name: "a field needs a name; NumPy treats one without a name as padding",
                flatten: "which puts the fields of the record in its place",
            },
            Target::Archive => TargetText {
                position: "arr_",
                needs_name: "a member of an archive needs a name",
                flatten: "which puts the members of the archive in its place",
            },
        }
    }
}

type Reason = fn(&FieldAttrs) -> Option<&TokenStream>;

const OTHER_THAN_SKIP: [(&str, Reason); 8] = [
    ("rename", |attrs| attrs.rename.tokens()),
    ("title", |attrs| attrs.title.tokens()),
    ("endian", |attrs| attrs.endian.tokens()),
    ("offset", |attrs| attrs.offset.tokens()),
    ("with", |attrs| attrs.with.tokens()),
    ("width", |attrs| attrs.width.tokens()),
    ("bytes", |attrs| attrs.bytes.tokens()),
    ("flatten", |attrs| attrs.flatten.tokens()),
];

const OTHER_THAN_FLATTEN: [(&str, Reason); 6] = [
    ("rename", |attrs| attrs.rename.tokens()),
    ("title", |attrs| attrs.title.tokens()),
    ("default", |attrs| attrs.default.tokens()),
    ("with", |attrs| attrs.with.tokens()),
    ("width", |attrs| attrs.width.tokens()),
    ("bytes", |attrs| attrs.bytes.tokens()),
];

/// Reports attributes that have no effect together with the attribute `other`.
fn report_ineffective(
    cx: &Ctxt,
    other: &str,
    why: &str,
    attrs: &FieldAttrs,
    others: &[(&str, Reason)],
) {
    let found = others.iter().filter_map(|(name, tokens)| Some((*name, tokens(attrs)?)));
    for (name, tokens) in found {
        cx.error(tokens, format!("`{name}` has no effect with `{other}`, {why}; remove one"));
    }
    if let Some(alias) = attrs.aliases.first() {
        cx.error(alias, format!("`alias` has no effect with `{other}`, {why}; remove one"));
    }
}

/// Returns how the field is stored, from its attributes.
fn stored(cx: &Ctxt, ty: &Type, attrs: &FieldAttrs, target: Target) -> Stored {
    if attrs.flatten.get().is_some() {
        let why = TargetText::of(target).flatten;
        report_ineffective(cx, "flatten", why, attrs, &OTHER_THAN_FLATTEN);
        return Stored::Flat;
    }
    if let Some(module) = attrs.with.get() {
        let width = attrs.width.tokens().or(attrs.bytes.tokens());
        if let Some(tokens) = width {
            cx.error(tokens, "`with` already determines how the field is stored; remove one");
        }
        return Stored::With(module.clone());
    }
    let Some(width) = attrs.width.get() else {
        if let Some(tokens) = attrs.bytes.tokens() {
            cx.error(tokens, "`bytes` goes with the width of a String: #[npy(width = 16, bytes)]");
        }
        return Stored::Plain;
    };
    check_wide(cx, without_groups(ty), attrs);
    if target == Target::Archive {
        // In an archive, a text has its own length. The width counts only where the struct is a
        // record.
        return Stored::Plain;
    }
    let width = (!is_any(width)).then(|| width.clone());
    Stored::Wide { width, bytes: attrs.bytes.get().is_some() }
}

/// Returns true for the width `any`.
fn is_any(width: &Expr) -> bool {
    match width {
        Expr::Path(path) => path.path.is_ident("any"),
        Expr::Group(group) => is_any(&group.expr),
        _ => false,
    }
}

/// Refuses a width for numbers and lists of numbers, except `Vec<u8>`, and refuses `bytes` for a
/// `Vec`. Any other type may be an alias of `String`.
fn check_wide(cx: &Ctxt, ty: &Type, attrs: &FieldAttrs) {
    const NUMBERS: [&str; 14] = [
        "bool", "char", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize",
        "f32", "f64",
    ];
    let last = match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    let Some(last) = last else { return };
    let name = last.ident.to_string();
    let of = last.arguments.to_token_stream().to_string();
    let numbers = name == "Vec" && NUMBERS.iter().any(|n| *n != "u8" && of == format!("< {n} >"));
    if NUMBERS.contains(&name.as_str()) || numbers {
        let message = "`width` is for a String or a Vec<u8>; other types have a fixed width; remove it, or turn a list into an array [T; N]";
        cx.error(attrs.width.tokens(), message);
    } else if let (true, Some(tokens)) = (name == "Vec", attrs.bytes.tokens()) {
        cx.error(tokens, "a Vec<u8> is always stored as bytes; remove `bytes`");
    }
}

/// A name of a field.
struct Name<'n> {
    what: &'static str,
    text: String,
    of: &'n Member,
    tokens: TokenStream,
}

/// Checks that the names are unique. NumPy finds a field by its name or title, a reader by its name
/// or alias. So only an alias and a title may be the same.
pub(crate) fn check_names(cx: &Ctxt, fields: &[Field<'_>]) {
    let names: Vec<Name<'_>> = fields.iter().flat_map(Field::names).collect();
    for (i, name) in names.iter().enumerate() {
        let taken = |before: &&Name<'_>| {
            let apart = ["alias", "title"].map(|what| before.what == what || name.what == what);
            before.text == name.text && apart != [true, true]
        };
        let Some(before) = names.iter().take(i).find(taken) else { continue };
        let (text, of) = (&name.text, before.of.to_token_stream());
        let message = match (name.what, before.what) {
            ("name", "name") => {
                format!(
                    "two fields would be called {text:?} in the file, the first is `{of}`; rename one"
                )
            }
            (what, before) => {
                format!("the {what} {text:?} is the {before} of `{of}` already; choose another")
            }
        };
        cx.error(&name.tokens, message);
    }
}
