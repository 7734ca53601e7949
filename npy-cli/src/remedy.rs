//! The advice for files that end too early, what `npy repair` keeps of them, and for files that are compressed.

use npy_core::{ErrorKind, Order, Reader};
use npy_repair::{Damage, Options, diagnose};

use crate::shell;
use crate::target::Target;

/// Returns advice about a file that ends too early; `None` for other errors, and for members and streams. `name` is the name of the file in
/// messages.
pub(crate) fn for_incomplete(name: &str, kind: &ErrorKind) -> Option<String> {
    match kind {
        ErrorKind::Truncated { what: "data", .. } => for_array(&target(name)?),
        ErrorKind::Archive { reason, .. } if is_cut_off(reason) => {
            let path = shell::path(&target(name)?.path);
            Some(format!(
                "npy repair {path} -o OUT keeps its complete members; or copy the file again"
            ))
        }
        _ => None,
    }
}

/// Returns a message with the command that decompresses a file, in place of the words "decompress it first". `name` is the name of the file in messages.
pub(crate) fn with_command(name: &str, message: String) -> String {
    const TOOLS: [(&str, &str, &str); 4] = [
        ("gzip", "gunzip -c", "gz"),
        ("zstd", "zstd -dc", "zst"),
        ("xz", "xz -dc", "xz"),
        ("bzip2", "bunzip2 -c", "bz2"),
    ];
    const ADVICE: &str = ": decompress it first";
    let is_named = |(format, ..): &&(&str, &str, &str)| {
        message.ends_with(&format!("it is compressed with {format}{ADVICE}"))
    };
    let Some((_, tool, suffix)) = TOOLS.iter().find(is_named) else { return message };
    let Some(Target { path, member: None, .. }) = target(name) else { return message };
    let has_suffix =
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(suffix));
    let out =
        if has_suffix { shell::new_output(&path.with_extension("")) } else { "OUT".to_owned() };
    let start = message.strip_suffix(ADVICE).unwrap_or(&message);
    format!("{start}; {tool} {} > {out}", shell::path(&path))
}

/// Returns advice about an array that ends too early, with the number of complete rows.
pub(crate) fn for_array(target: &Target) -> Option<String> {
    const COPY: &str = "copy the file again";
    if target.member.is_some() || !target.path.is_file() {
        return None;
    }
    let header = Reader::open(&target.path).ok()?.header().clone();
    let last = header.shape().len().checked_sub(1);
    let word = shell::path(&target.path);
    // The repair knows best which rows it keeps.
    let damages = diagnose(&target.path, &Options::new()).map(|plan| plan.damages().to_vec());
    let damages = damages.unwrap_or_default();
    let rows = damages.iter().find_map(|damage| match *damage {
        Damage::Truncated { kept, stated, axis, .. } => Some((kept, stated, axis)),
        _ => None,
    });
    if rows.is_none() && !damages.is_empty() {
        return Some(format!("npy repair {word} -o OUT restores it; or {COPY}"));
    }
    let (kept, stated, axis) = match (rows, last, header.order()) {
        (Some(rows), ..) => rows,
        (None, None, _) => return Some(COPY.to_owned()),
        (None, Some(_), Order::C) => (0, header.shape()[0], 0),
        (None, Some(last), Order::Fortran) => (0, header.shape()[last], last),
    };
    let unit = match axis {
        0 => "rows".to_owned(),
        axis if Some(axis) == last => "along the last dimension".to_owned(),
        axis => format!("along dimension {axis}"),
    };
    let remedy = match kept {
        0 => COPY.to_owned(),
        _ => format!("npy repair {word} -o OUT keeps them; or {COPY}"),
    };
    Some(format!("{kept} of {stated} {unit} are complete; {remedy}"))
}

/// Returns true for the error of an archive whose end is missing.
fn is_cut_off(reason: &str) -> bool {
    ["no end record", "directory ends too early"].iter().any(|part| reason.contains(part))
}

/// Returns the regular file that a message names.
fn target(name: &str) -> Option<Target> {
    let target = Target::parse(name.as_ref()).ok()?;
    target.path.is_file().then_some(target)
}
