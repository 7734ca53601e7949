//! The advice for files that end too early: what `npy repair` keeps of them.

use npy_core::{ErrorKind, Order, Reader};

use crate::target::Target;

/// Returns advice about a file that ends too early; `None` for other errors, and for members and streams. `name` is the name of the file in
/// messages.
pub(crate) fn for_incomplete(name: &str, kind: &ErrorKind) -> Option<String> {
    match kind {
        ErrorKind::Truncated { what: "data", .. } => for_array(&target(name)?),
        ErrorKind::Archive { reason, .. } if is_cut_off(reason) => {
            let path = target(name)?.path;
            let path = path.display();
            Some(format!(
                "npy repair {path} -o OUT keeps its complete members; or copy the file again"
            ))
        }
        _ => None,
    }
}

/// Returns advice about an array that ends too early, with the number of complete rows.
pub(crate) fn for_array(target: &Target) -> Option<String> {
    if target.member.is_some() {
        return None;
    }
    let reader = Reader::open(&target.path).ok()?;
    let header = reader.header();
    let rows = match header.order() {
        Order::C => header.shape().first(),
        Order::Fortran => header.shape().last(),
    };
    let rows = u64::try_from(*rows?).ok()?;
    let row_bytes = header.data_bytes().checked_div(rows).filter(|&bytes| bytes > 0)?;
    let found = target.path.metadata().ok()?.len().saturating_sub(reader.data_offset());
    let complete = found / row_bytes;
    let unit = match header.order() {
        Order::Fortran if header.shape().len() > 1 => "along the last dimension",
        _ => "rows",
    };
    let path = target.path.display();
    let remedy = match complete {
        0 => "copy the file again".to_owned(),
        _ => format!("npy repair {path} -o OUT keeps them; or copy the file again"),
    };
    Some(format!("{complete} of {rows} {unit} are complete; {remedy}"))
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
