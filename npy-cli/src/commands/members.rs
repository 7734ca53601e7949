//! All members of an archive, one after another: what `head` and `stats` show if no member is named.

use std::io::Write;

use npy_core::ErrorKind;

use super::info::{dtype_name, shape_text};
use crate::output::{Answer, Failure, Of, Output, Result, complain, note, printable};
use crate::shell;
use crate::source::{AnyReader, Archive};
use crate::target::Target;

/// More members are not shown.
const MAX_MEMBERS: usize = 50;

/// Visits each array of an archive. With `headings`, a line before each says which it is. A member that cannot be read is an error at the end.
pub(super) fn each(
    archive: &Archive,
    target: &Target,
    headings: bool,
    out: &mut Output,
    mut visit: impl FnMut(AnyReader, &Target, &mut Output) -> Result<()>,
) -> Result {
    let mut answer = Ok(Answer::Yes);
    for name in archive.names().take(MAX_MEMBERS) {
        let member = target.with_member(name);
        let heading = |what: &str, out: &mut Output| -> Result<()> {
            if headings {
                out.gap()?;
                writeln!(out, "{}  {}", out.bold(&printable(name)), printable(what))?;
            }
            Ok(())
        };
        let visited = match AnyReader::member(archive, name) {
            Err(error) if matches!(error.kind(), ErrorKind::NotNpy { .. }) => {
                heading("not an array", out)
            }
            Err(error) => Err(error).of(&member),
            Ok(reader) => {
                let header = reader.header();
                let what = format!("{} {}", shape_text(header), dtype_name(header.dtype()));
                heading(&what, out)?;
                visit(reader, &member, out)
            }
        };
        match visited {
            Ok(()) => {}
            Err(Failure::BrokenPipe) => return Err(Failure::BrokenPipe),
            Err(failure) => {
                out.flush()?;
                complain(&failure);
                answer = Err(Failure::Reported);
            }
        }
    }
    if let Some(more) = archive.len().checked_sub(MAX_MEMBERS).filter(|&more| more > 0) {
        out.flush()?;
        let path = target.path_text();
        note(
            &path,
            format!(
                "{more} more members are not shown; name one: {}::NAME",
                shell::path(&target.path)
            ),
        );
    }
    answer
}
