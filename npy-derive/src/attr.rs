//! Parses `#[npy(…)]` into values, each with the tokens at which an error about it is reported.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::meta::ParseNestedMeta;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::token::Paren;
use syn::{
    Attribute, Expr, ExprPath, Ident, Lit, LitStr, Path, Token, WherePredicate, parenthesized,
};

use crate::case::{CASES, Case};
use crate::ctxt::Ctxt;

/// The kind of thing that a struct becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Target {
    /// A record.
    #[default]
    Record,
    /// An archive of named arrays.
    Archive,
}

/// The attributes of a struct.
#[derive(Default)]
pub(crate) struct Container {
    pub(crate) target: Target,
    pub(crate) krate: Attr<Path>,
    pub(crate) rename_all: Attr<Case>,
    pub(crate) align: Attr<()>,
    pub(crate) endian: Attr<Endian>,
    pub(crate) bound: Attr<Vec<WherePredicate>>,
    pub(crate) itemsize: Attr<Expr>,
    pub(crate) deny_unknown_fields: Attr<()>,
    pub(crate) default: Attr<()>,
    pub(crate) repr: Repr,
}

/// The attributes of a type that is stored as another one.
#[derive(Default)]
pub(crate) struct Stored {
    pub(crate) krate: Attr<Path>,
    pub(crate) transparent: Attr<()>,
    pub(crate) bound: Attr<Vec<WherePredicate>>,
    pub(crate) repr: Repr,
}

/// The attributes of a struct that is viewed in place.
#[derive(Default)]
pub(crate) struct Viewed {
    pub(crate) krate: Attr<Path>,
    pub(crate) align: Attr<()>,
    pub(crate) transparent: Attr<()>,
    pub(crate) bound: Attr<Vec<WherePredicate>>,
    pub(crate) repr: Repr,
}

/// The attributes of a field.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    pub(crate) rename: Attr<String>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) title: Attr<String>,
    pub(crate) endian: Attr<Endian>,
    pub(crate) offset: Attr<Expr>,
    /// The function that returns the value; `None` for the `Default` of the type.
    pub(crate) default: Attr<Option<ExprPath>>,
    pub(crate) skip: Attr<()>,
    pub(crate) with: Attr<Path>,
    pub(crate) width: Attr<Expr>,
    pub(crate) bytes: Attr<()>,
    pub(crate) flatten: Attr<()>,
}

/// The parts of `#[repr(…)]` that matter here.
#[derive(Default)]
pub(crate) struct Repr {
    pub(crate) c: bool,
    pub(crate) packed: bool,
    pub(crate) align: bool,
    pub(crate) transparent: bool,
    /// An integer type such as `u8`.
    pub(crate) integer: Option<Ident>,
}

/// The byte order of an `endian` attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Endian {
    Big,
    Little,
    Native,
}

/// An attribute that may be given at most once.
pub(crate) struct Attr<T>(Option<(T, TokenStream)>);

impl<T> Default for Attr<T> {
    fn default() -> Self {
        Attr(None)
    }
}

impl<T> Attr<T> {
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(value, _)| value)
    }

    /// The tokens at which an error about the attribute is reported.
    pub(crate) fn tokens(&self) -> Option<&TokenStream> {
        self.0.as_ref().map(|(_, tokens)| tokens)
    }

    fn set(&mut self, cx: &Ctxt, meta: &ParseNestedMeta<'_>, value: syn::Result<T>) {
        match value.and_then(|value| end(meta).map(|()| value)) {
            Err(error) => cx.push(error),
            Ok(_) if self.0.is_some() => {
                cx.error(&meta.path, format!("`{}` is given twice; remove one", name(meta)));
            }
            Ok(value) => self.0 = Some((value, meta.path.to_token_stream())),
        }
    }
}

impl Container {
    pub(crate) fn from_attributes(cx: &Ctxt, attributes: &[Attribute], target: Target) -> Self {
        let mut container = Container { target, repr: repr(attributes), ..Container::default() };
        let (here, there) = target.keys();
        for_each(cx, attributes, |meta| {
            let key = &meta.path;
            if key.is_ident("crate") {
                container.krate.set(cx, meta, path(meta, "a path: crate = path"));
            } else if key.is_ident("rename_all") {
                container.rename_all.set(cx, meta, one_of(meta, &CASES));
            } else if key.is_ident("align") {
                container.align.set(cx, meta, flag(meta));
            } else if key.is_ident("endian") {
                container.endian.set(cx, meta, one_of(meta, &ENDIANS));
            } else if key.is_ident("bound") {
                container.bound.set(cx, meta, bound(meta));
            } else if key.is_ident("itemsize") {
                container.itemsize.set(cx, meta, count(meta, "bytes"));
            } else if key.is_ident("deny_unknown_fields") {
                container.deny_unknown_fields.set(cx, meta, flag(meta));
            } else if key.is_ident("default") {
                container.default.set(cx, meta, flag(meta));
            } else {
                unknown(cx, meta, here, there);
            }
        });
        container
    }

    /// The attributes that only records have.
    pub(crate) fn of_records(&self) -> impl Iterator<Item = &TokenStream> {
        let tokens = [self.align.tokens(), self.endian.tokens(), self.itemsize.tokens()];
        tokens.into_iter().flatten()
    }

    /// The path of the crate `npy-core`.
    pub(crate) fn krate(&self) -> TokenStream {
        npy_core(&self.krate)
    }
}

impl Stored {
    pub(crate) fn from_attributes(cx: &Ctxt, attributes: &[Attribute]) -> Self {
        let mut stored = Stored { repr: repr(attributes), ..Stored::default() };
        for_each(cx, attributes, |meta| {
            let key = &meta.path;
            if key.is_ident("crate") {
                stored.krate.set(cx, meta, path(meta, "a path: crate = path"));
            } else if key.is_ident("transparent") {
                stored.transparent.set(cx, meta, flag(meta));
            } else if key.is_ident("bound") {
                stored.bound.set(cx, meta, bound(meta));
            } else {
                unknown(cx, meta, ELEMENT, STRUCT);
            }
        });
        stored
    }

    /// The path of the crate `npy-core`.
    pub(crate) fn krate(&self) -> TokenStream {
        npy_core(&self.krate)
    }
}

impl Viewed {
    /// Parses attributes that belong to another derive. That derive reports the errors in them.
    pub(crate) fn from_attributes(attributes: &[Attribute]) -> Self {
        let mut viewed = Viewed { repr: repr(attributes), ..Viewed::default() };
        let cx = Ctxt::new();
        for_each(&cx, attributes, |meta| {
            let key = &meta.path;
            if key.is_ident("crate") {
                viewed.krate.set(&cx, meta, path(meta, "a path: crate = path"));
            } else if key.is_ident("align") {
                viewed.align.set(&cx, meta, flag(meta));
            } else if key.is_ident("transparent") {
                viewed.transparent.set(&cx, meta, flag(meta));
            } else if key.is_ident("bound") {
                viewed.bound.set(&cx, meta, bound(meta));
            }
        });
        let _ = cx.check();
        viewed
    }

    /// The path of the crate `npy-core`.
    pub(crate) fn krate(&self) -> TokenStream {
        npy_core(&self.krate)
    }
}

/// Refuses attributes where none are allowed: on the variants of an enum, and on the field of a newtype.
pub(crate) fn report_all(cx: &Ctxt, attributes: &[Attribute], message: &str) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("npy")) {
        cx.error(&attribute.meta, message);
    }
}

/// Refuses attributes that make a field in the file differ from the field in memory. Returns false for a field that is not in the file.
pub(crate) fn check_viewed_field(cx: &Ctxt, attributes: &[Attribute]) -> bool {
    let others = Ctxt::new();
    let mut stored = true;
    for_each(&others, attributes, |meta| {
        let name = name(meta);
        stored &= name != "skip";
        if CONVERTED.contains(&name.as_str()) {
            let message = format!(
                "a view needs the same fields in memory and in the file; remove `{name}`, or remove ZeroCopy"
            );
            cx.error(&meta.path, message);
        }
    });
    let _ = others.check();
    stored
}

impl FieldAttrs {
    pub(crate) fn from_attributes(cx: &Ctxt, attributes: &[Attribute], target: Target) -> Self {
        let mut field = FieldAttrs::default();
        let (there, here) = target.keys();
        for_each(cx, attributes, |meta| {
            let key = &meta.path;
            if key.is_ident("rename") {
                field.rename.set(cx, meta, string(meta).map(|text| text.value()));
            } else if key.is_ident("alias") {
                // `alias` is the only attribute that may be given more than once.
                match string(meta).and_then(|alias| end(meta).map(|()| alias)) {
                    Ok(alias) => field.aliases.push(alias),
                    Err(error) => cx.push(error),
                }
            } else if key.is_ident("title") {
                field.title.set(cx, meta, string(meta).map(|text| text.value()));
            } else if key.is_ident("endian") {
                field.endian.set(cx, meta, one_of(meta, &ENDIANS));
            } else if key.is_ident("offset") {
                field.offset.set(cx, meta, count(meta, "bytes"));
            } else if key.is_ident("default") {
                field.default.set(cx, meta, default(meta));
            } else if key.is_ident("skip") {
                field.skip.set(cx, meta, flag(meta));
            } else if key.is_ident("with") {
                field.with.set(cx, meta, path(meta, "a module: with = module"));
            } else if key.is_ident("width") {
                field.width.set(cx, meta, count(meta, "characters or bytes, or `any`"));
            } else if key.is_ident("bytes") {
                field.bytes.set(cx, meta, flag(meta));
            } else if key.is_ident("flatten") {
                field.flatten.set(cx, meta, flag(meta));
            } else {
                unknown(cx, meta, here, there);
            }
        });
        field
    }

    /// The attributes that only records have.
    pub(crate) fn of_records(&self) -> impl Iterator<Item = &TokenStream> {
        let tokens = [
            self.title.tokens(),
            self.endian.tokens(),
            self.offset.tokens(),
            self.width.tokens(),
            self.bytes.tokens(),
        ];
        tokens.into_iter().flatten()
    }
}

impl Target {
    /// The attributes allowed on the struct, and on its fields.
    fn keys(self) -> (Keys, Keys) {
        match self {
            Target::Record => (STRUCT, FIELD),
            Target::Archive => (ARCHIVE, ARCHIVE_FIELD),
        }
    }
}

/// A kind of item, and the attributes that are allowed on it.
type Keys = (&'static str, &'static [&'static str]);
const STRUCT: Keys = (
    "a struct",
    &[
        "crate",
        "rename_all",
        "align",
        "endian",
        "itemsize",
        "deny_unknown_fields",
        "default",
        "bound",
    ],
);
const FIELD: Keys = (
    "a field",
    &[
        "rename", "alias", "title", "endian", "offset", "default", "skip", "with", "width",
        "bytes", "flatten",
    ],
);
const ARCHIVE: Keys =
    ("an archive", &["crate", "rename_all", "deny_unknown_fields", "default", "bound"]);
const ARCHIVE_FIELD: Keys =
    ("an archive's field", &["rename", "alias", "default", "skip", "with", "flatten"]);
const ELEMENT: Keys = ("an element", &["crate", "transparent", "bound"]);

/// The attributes of fields whose bytes in the file differ from those in memory.
const CONVERTED: [&str; 3] = ["with", "width", "flatten"];

const ENDIANS: [(&str, Endian); 3] =
    [("big", Endian::Big), ("little", Endian::Little), ("native", Endian::Native)];

/// Calls `each` for every key in every `#[npy(…)]`.
fn for_each(cx: &Ctxt, attributes: &[Attribute], mut each: impl FnMut(&ParseNestedMeta<'_>)) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("npy")) {
        if attribute.meta.require_list().is_err() {
            cx.error(&attribute.meta, "attributes must be in parentheses: #[npy(rename = \"x\")]");
            continue;
        }
        let result = attribute.parse_nested_meta(|meta| {
            each(&meta);
            skip_value(meta.input)
        });
        if let Err(error) = result {
            cx.push(error);
        }
    }
}

/// Skips the tokens up to the next comma: the rest of an unknown or malformed attribute.
fn skip_value(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

/// Returns the key as it is written, without spaces.
fn name(meta: &ParseNestedMeta<'_>) -> String {
    meta.path.to_token_stream().to_string().replace(' ', "")
}

/// Returns the given path, or `::npy_core`.
fn npy_core(given: &Attr<Path>) -> TokenStream {
    given.get().map_or_else(|| quote!(::npy_core), ToTokens::to_token_stream)
}

/// Returns the error for a key that expects another value.
fn expected_value<T>(meta: &ParseNestedMeta<'_>, what: &str) -> syn::Result<T> {
    Err(syn::Error::new_spanned(&meta.path, format!("`{}` expects {what}", name(meta))))
}

fn at_end(meta: &ParseNestedMeta<'_>) -> bool {
    meta.input.is_empty() || meta.input.peek(Token![,])
}

/// Checks that a comma or the end follows a value.
fn end(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if at_end(meta) {
        Ok(())
    } else {
        Err(meta.input.error(format!("`{}` ends before this; add a comma", name(meta))))
    }
}

/// Parses a key without a value.
fn flag(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if at_end(meta) { Ok(()) } else { expected_value(meta, "no value") }
}

/// Parses `key = "string"`.
fn string(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    if meta.input.peek(Token![=]) && meta.input.peek2(LitStr) {
        return meta.value()?.parse();
    }
    expected_value(meta, &format!("a string: {} = \"…\"", name(meta)))
}

/// Parses `key = "name"`, and returns the value of this name.
fn one_of<T: Copy>(meta: &ParseNestedMeta<'_>, known: &[(&str, T)]) -> syn::Result<T> {
    let text = string(meta)?;
    let wanted = text.value();
    match known.iter().find(|(name, _)| *name == wanted) {
        Some((_, value)) => Ok(*value),
        None => {
            let names: Vec<_> = known.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            let message = format!("`{}` must be one of {}", name(meta), names.join(", "));
            Err(syn::Error::new_spanned(text, message))
        }
    }
}

/// Parses `key = path`, or serde's `key = "path"`.
fn path(meta: &ParseNestedMeta<'_>, what: &str) -> syn::Result<Path> {
    let path = if meta.input.peek2(LitStr) {
        string(meta)?.parse_with(Path::parse_mod_style)
    } else {
        meta.value().and_then(|value| value.call(Path::parse_mod_style))
    };
    path.or_else(|_| expected_value(meta, what))
}

/// Parses `default`, or `default = path`, where the path is a function.
fn default(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<ExprPath>> {
    if at_end(meta) {
        return Ok(None);
    }
    let path = if meta.input.peek2(LitStr) {
        string(meta)?.parse::<ExprPath>()
    } else {
        meta.value().and_then(|value| value.parse::<ExprPath>())
    };
    match path {
        Ok(_) if meta.input.peek(Paren) => {
            expected_value(meta, "a function, without (): default = path")
        }
        Ok(path) => Ok(Some(path)),
        Err(_) => expected_value(meta, "nothing, or a function: default = path"),
    }
}

/// Parses `key = N`, a number or a constant.
fn count(meta: &ParseNestedMeta<'_>, of: &str) -> syn::Result<Expr> {
    fn is_number(expr: &Expr) -> bool {
        match expr {
            Expr::Lit(lit) => matches!(lit.lit, Lit::Int(_)),
            Expr::Group(group) => is_number(&group.expr),
            Expr::Unary(_) => false,
            _ => true,
        }
    }
    match meta.value().and_then(|value| value.parse::<Expr>()) {
        Ok(expr) if is_number(&expr) => Ok(expr),
        _ => expected_value(meta, &format!("a number of {of}: {} = 16", name(meta))),
    }
}

/// Parses `bound(T: Element)`, or serde's `bound = "T: Element"`.
fn bound(meta: &ParseNestedMeta<'_>) -> syn::Result<Vec<WherePredicate>> {
    let parse = Punctuated::<WherePredicate, Token![,]>::parse_terminated;
    let predicates = if meta.input.peek(Token![=]) {
        string(meta)?.parse_with(parse)
    } else if meta.input.peek(Paren) {
        let content;
        parenthesized!(content in meta.input);
        // Consume all tokens first, because tokens left over would be reported as a second error.
        let tokens: TokenStream = content.parse()?;
        parse.parse2(tokens)
    } else {
        return expected_value(meta, "bounds: bound(T: Element)");
    };
    match predicates {
        Ok(predicates) => Ok(predicates.into_iter().collect()),
        Err(error) => expected_value(meta, &format!("bounds: bound(T: Element); {error}")),
    }
}

/// Reports a key that is not allowed here: the key belongs elsewhere, or is misspelled.
fn unknown(cx: &Ctxt, meta: &ParseNestedMeta<'_>, (here, known): Keys, (there, others): Keys) {
    let name = name(meta);
    // Letters in another order are one mistake: `widht` is nearer to `width` than to `with`.
    let distance = |known: &&&str| match sorted(&name) == sorted(known) {
        true => 0,
        false => edits(&name, known),
    };
    let message = if others.contains(&name.as_str()) {
        format!("`{name}` is an attribute of {there}, not of {here}")
    } else if let Some(nearest) = known.iter().min_by_key(distance).filter(|n| distance(n) <= 2) {
        format!("unknown attribute `{name}` on {here}; did you mean `{nearest}`?")
    } else {
        format!("unknown attribute `{name}` on {here}; use one of {}", known.join(", "))
    };
    cx.error(&meta.path, message);
}

/// Returns the letters of a word in the order of the alphabet.
fn sorted(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters
}

/// Returns the edit distance of two words: the number of letters to change, add or remove.
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i.saturating_add(1);
        let mut next = vec![left];
        for (y, &up) in b.chars().zip(row.iter().skip(1)) {
            let changed = diagonal.saturating_add(usize::from(x != y));
            left = changed.min(left.saturating_add(1)).min(up.saturating_add(1));
            next.push(left);
            diagonal = up;
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// The `repr`s that give an enum the same size on every machine.
const INTEGERS: [&str; 8] = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"];

/// Parses `#[repr(…)]`. The compiler reports the errors in it.
fn repr(attributes: &[Attribute]) -> Repr {
    let mut repr = Repr::default();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        let _ = attribute.parse_nested_meta(|meta| {
            repr.c |= meta.path.is_ident("C");
            repr.packed |= meta.path.is_ident("packed");
            repr.align |= meta.path.is_ident("align");
            repr.transparent |= meta.path.is_ident("transparent");
            let integer =
                meta.path.get_ident().filter(|name| INTEGERS.contains(&name.to_string().as_str()));
            repr.integer = repr.integer.take().or(integer.cloned());
            skip_value(meta.input)
        });
    }
    repr
}

#[cfg(test)]
mod tests {
    use super::edits;

    #[test]
    fn edits_are_counted() {
        for (a, b, count) in [
            ("rename", "rename", 0),
            ("renam", "rename", 1),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(edits(a, b), count, "{a} {b}");
        }
    }
}
