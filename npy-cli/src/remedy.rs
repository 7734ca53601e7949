//! The advice for damaged files, what `npy repair` keeps of them, and for files that are compressed.

mod text;

use std::cell::RefCell;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use npy_core::{ErrorKind, Order, Reader, npz};
use npy_repair::{Damage, Error, Options, diagnose};
use npy_zip::{Directory, Limits};

use crate::lost_header;
use crate::shell;
use crate::target::{Index, Target};

/// The size of the largest archive that is read for an advice.
const MAX_ARCHIVE: u64 = 256 << 20;

/// The advice for bytes after an array. `with_file` adds the file.
pub(crate) const UNCOUNTED: &str = "npy repair --uncounted keep counts complete rows of these, unless they begin another array; --uncounted remove leaves them out";

/// The module of masked arrays, as a pickle names it.
const MASKED: &[u8] = b"numpy.ma";

/// A part of the advice for a file that is no archive.
const COMPLETE: &str = "what is complete";

/// Returns advice about a damaged file; `None` for other errors, for members and streams, and where nothing can be restored. `name` is the name of the file in
/// messages, and `is_member` is true for the error of a member of it.
pub(crate) fn for_damage(name: &str, is_member: bool, kind: &ErrorKind) -> Option<String> {
    use ErrorKind as E;
    match kind {
        E::Truncated { what: "data" | "the element", .. } => for_array(&target(name)?),
        E::Archive { .. } => for_archive(&target(name)?),
        E::Checksum { .. } => {
            let target = target(name)?;
            let out = Path::new("OUT.npy");
            // It is known to be wrong.
            for_archive(&target).or_else(|| unzip(&target.path, None, out, "its only member"))
        }
        E::NotNpy { hint, .. } => {
            let target = target(name)?;
            let remedy = for_file(&target, COMPLETE);
            // The other advice is about all bytes of the file.
            if is_member {
                return remedy;
            }
            let remedy = remedy.or_else(|| for_text(&target));
            remedy.or_else(|| as_raw_data(&target, hint))
        }
        E::NotNpz { .. } => {
            let target = target(name)?;
            for_file(&target, COMPLETE).or_else(|| for_text(&target))
        }
        E::Version { .. } | E::Truncated { .. } => for_file(&target(name)?, COMPLETE),
        E::Header { .. } | E::DType { .. } | E::Shape { .. } => for_file(&target(name)?, COMPLETE),
        _ => None,
    }
}

/// Returns advice about a file that a repair can mend, whatever it is. Of an array, only the header and the size are looked at.
pub(crate) fn for_path(path: &Path) -> Option<String> {
    let target = Target::from(path.to_owned());
    match npz::Reader::open(path) {
        // All of a large archive is read only by the repair itself.
        Ok(_) => (path.metadata().ok()?.len() <= MAX_ARCHIVE).then(|| for_archive(&target))?,
        Err(error) if matches!(error.kind(), ErrorKind::Archive { .. }) => for_archive(&target),
        Err(_) => for_file(&target, COMPLETE),
    }
}

/// Returns advice about a file that a repair can mend. `kept` says what a repair keeps if it cannot keep all.
fn for_file(target: &Target, kept: &str) -> Option<String> {
    if target.member.is_some() {
        return None;
    }
    let plan = match diagnose(&target.path, &Options::new()) {
        Ok(plan) if plan.is_needed() => plan,
        Err(Error::LostHeader { .. }) => {
            lost_header::commands(&target.path)?;
            let path = shell::path(&target.path);
            return Some(format!(
                "npy repair {path} prints the commands that give its data a new one"
            ));
        }
        _ => return None,
    };
    let command = command(&target.path);
    let effect = match plan.damages().iter().any(Damage::loses) {
        true => format!("keeps {kept}{}", shortened(plan.damages())),
        false => "restores it".to_owned(),
    };
    Some(format!("{command} {effect}; or copy the file again"))
}

/// Says which members of an archive are shorter after a repair, if any are.
fn shortened(damages: &[Damage]) -> String {
    let cut = damages.iter().filter_map(|damage| match damage {
        Damage::Array { name, damage } => match **damage {
            Damage::Truncated { kept, stated, axis, .. } => Some((name, kept, stated, axis)),
            _ => None,
        },
        _ => None,
    });
    match &cut.collect::<Vec<_>>()[..] {
        [] => String::new(),
        [(name, kept, stated, axis)] => {
            format!(", and of {name:?} the first {kept} of {stated} {}", rows_along(*axis))
        }
        more => format!(", and the complete rows of {} others", more.len()),
    }
}

/// Returns a name for the parts of an array along a dimension.
fn rows_along(axis: usize) -> String {
    if axis == 0 { "rows".to_owned() } else { format!("along dimension {axis}") }
}

/// A file at one time: its path, its size, and when it was changed.
type Version = (PathBuf, u64, Option<SystemTime>);

thread_local! {
    /// The archive that was read last, and its advice: each of its members may be damaged.
    static LAST: RefCell<Option<(Version, Option<String>)>> = const { RefCell::new(None) };
}

/// Returns advice about a damaged archive. All of a larger one is read only by the repair itself.
fn for_archive(target: &Target) -> Option<String> {
    let file = Target { member: None, ..target.clone() };
    let metadata = target.path.metadata().ok()?;
    let version = (target.path.clone(), metadata.len(), metadata.modified().ok());
    match metadata.len() <= MAX_ARCHIVE {
        true => LAST.with_borrow_mut(|last| match last {
            Some((known, advice)) if *known == version => advice.clone(),
            _ => {
                let advice = for_file(&file, "its members that are complete");
                *last = Some((version, advice.clone()));
                advice
            }
        }),
        false => Some(format!(
            "npy repair {} looks for members that are complete",
            shell::path(&target.path)
        )),
    }
}

/// Returns the command that reads a member, or the only one, without its checksum; `None` if unzip would see a pattern or an option in a
/// name.
pub(crate) fn unzip(path: &Path, member: Option<&str>, out: &Path, what: &str) -> Option<String> {
    /// Those of members that are stored or deflated, which any unzip reads.
    const METHODS: [[u8; 2]; 2] = [[0, 0], [8, 0]];
    let mut archive = File::open(path).ok()?;
    let directory = Directory::of_file(&archive, &Limits::default()).ok()?;
    let entry = match (member, directory.entries()) {
        (Some(name), _) => directory.find(name)?,
        (None, [only]) if directory.shadowed() == 0 => only,
        (None, _) => return None,
    };
    let mut start = [0; 10];
    archive.seek(SeekFrom::Start(entry.header_start())).ok()?;
    archive.read_exact(&mut start).ok()?;
    if !METHODS.iter().any(|method| start.ends_with(method)) {
        return None;
    }
    let file = path.to_string_lossy();
    let is_pattern = |name: &str| name.contains(['*', '?', '[', ']', '\\']);
    if is_pattern(&file) || member.is_some_and(|name| name.starts_with('-') || is_pattern(name)) {
        return None;
    }
    let member = member.map_or(String::new(), |name| format!(" {}", shell::word(name.as_bytes())));
    Some(format!(
        "unzip -p {}{member} > {} reads {what} without regard to its checksum; its values may be wrong",
        shell::path(path),
        shell::new_output(out)
    ))
}

/// Returns the command that repairs a file.
fn command(path: &Path) -> String {
    format!("npy repair {} -o OUT --yes", shell::path(path))
}

/// Returns advice about a file that is text.
pub(crate) fn for_text(target: &Target) -> Option<String> {
    if target.member.is_some() {
        return None;
    }
    Some(format!("it looks like text; {}", text::advice(&target.path)?))
}

/// Returns a remark about a file that is read as data without a header, and is text.
pub(crate) fn for_raw_text(path: &Path) -> Option<String> {
    text::looks_like_text(path).then(|| for_text(&Target::from(path.to_owned())))?
}

/// Returns advice about data that may be without a header: a command that works as it is.
pub(crate) fn for_raw_data(path: &Path) -> String {
    let advice = format!(
        "; if it is data without a header, npy repair {} --raw {} --shape -1 -o OUT --yes gives it one: name its own dtype and shape",
        shell::path(path),
        raw_dtype(path)
    );
    match is_named_array(path).then(|| lost_header::commands(path)).flatten() {
        Some(commands) => format!("{advice}; if its header is damaged, {commands}"),
        None => advice,
    }
}

/// Returns true for a file that may be data without a header: it has no part of one, and is not of another kind.
pub(crate) fn may_be_raw_data(path: &Path) -> bool {
    let is_unknown = matches!(diagnose(path, &Options::new()), Err(Error::NotArray { .. }));
    is_unknown && !is_named_array(path) && text::advice(path).is_none()
}

/// Returns true for a file with the name of an array, which is likelier to have lost its header than to be raw data.
pub(crate) fn is_named_array(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"))
}

/// Returns the command that prints a file which may be data without a header, after the hint about what it is. No other format begins so.
fn as_raw_data(target: &Target, hint: &str) -> Option<String> {
    // A file that is text was told so before.
    let hint = if hint.starts_with("; it looks like text") { "" } else { hint };
    let is_other = !hint.is_empty() && !hint.starts_with("; it starts with zeros");
    if target.member.is_some() || is_other {
        return None;
    }
    let path = &target.path;
    let word = shell::path(path);
    let mut advice = format!(
        "{hint}; if it is data without a header, npy head {word} --raw {} prints it: name its own dtype",
        raw_dtype(path)
    );
    if is_named_array(path) && lost_header::commands(path).is_some() {
        advice += &format!(
            "; if its header is damaged, npy repair {word} prints the commands that give its data a new one"
        );
    }
    advice.strip_prefix("; ").map(str::to_owned)
}

/// Returns a dtype that fits the size of a file.
fn raw_dtype(path: &Path) -> &'static str {
    const DTYPES: [(u64, &str); 3] = [(8, "'<f8'"), (4, "'<f4'"), (2, "'<i2'")];
    let size = path.metadata().map_or(0, |file| file.len());
    let fits = DTYPES.iter().find(|(itemsize, _)| size.is_multiple_of(*itemsize));
    fits.map_or("u1", |(_, dtype)| dtype)
}

/// Returns a message with the command that decompresses a file, in place of the words "decompress it first", and with the file in commands about uncounted rows. `name` is
/// the name of the file in messages.
pub(crate) fn with_command(name: &str, message: String) -> String {
    const TOOLS: [(&str, &str, &str); 4] = [
        ("gzip", "gunzip -c", "gz"),
        ("zstd", "zstd -dc", "zst"),
        ("xz", "xz -dc", "xz"),
        ("bzip2", "bunzip2 -c", "bz2"),
    ];
    const ADVICE: &str = ": decompress it first";
    if let Some(Target { path, .. }) = target(name)
        && let Some(message) = with_file(&message, &path)
    {
        return message;
    }
    if let Some(shorter) = without_masks(name, &message) {
        return shorter;
    }
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

/// Returns a message with the file in its command about uncounted rows; `None` if it has no such command.
pub(crate) fn with_file(message: &str, path: &Path) -> Option<String> {
    /// Commands without the file, and the words after it.
    const COMMANDS: [(&str, &str); 2] = [
        ("npy append --uncounted keep", "--uncounted keep"),
        ("npy repair --uncounted keep", "--uncounted keep -o OUT --yes"),
    ];
    let (command, words) = COMMANDS.iter().find(|(command, _)| message.contains(command))?;
    let (start, _) = command.split_once(" --").unwrap_or((command, ""));
    Some(message.replace(command, &format!("{start} {} {words}", shell::path(path))))
}

/// Returns a message about a pickle without the advice for masked arrays, if the file begins with another object than such an array; `None` for other messages.
fn without_masks(name: &str, message: &str) -> Option<String> {
    const ADVICE: &str = ", or a masked array x with np.savez(OUT, data=x.data, mask=x.mask)";
    /// The first class or function comes within these bytes.
    const START: u64 = 64;
    let (before, after) = message.split_once(ADVICE)?;
    let mut start = Vec::new();
    File::open(target(name)?.path).ok()?.take(START).read_to_end(&mut start).ok()?;
    let is_masked = start.windows(MASKED.len()).any(|part| part == MASKED);
    (!is_masked).then(|| format!("{before}{after}"))
}

/// Returns advice about an array that ends too early, with the number of complete rows.
pub(crate) fn for_array(target: &Target) -> Option<String> {
    const COPY: &str = "copy the file again";
    if target.member.is_some() || !target.path.is_file() {
        return None;
    }
    let header = Reader::open(&target.path).ok()?.header().clone();
    let last = header.shape().len().checked_sub(1);
    let command = command(&target.path);
    // The repair knows best which rows it keeps.
    let damages = diagnose(&target.path, &Options::new()).map(|plan| plan.damages().to_vec());
    let damages = damages.unwrap_or_default();
    let rows = damages.iter().find_map(|damage| match *damage {
        Damage::Truncated { kept, stated, axis, .. } => Some((kept, stated, axis)),
        _ => None,
    });
    if rows.is_none() && !damages.is_empty() {
        return Some(format!("{command} restores it; or {COPY}"));
    }
    let (kept, stated, axis) = match (rows, last, header.order()) {
        (Some(rows), ..) => rows,
        (None, None, _) => return Some(COPY.to_owned()),
        (None, Some(_), Order::C) => (0, header.shape()[0], 0),
        (None, Some(last), Order::Fortran) => (0, header.shape()[last], last),
    };
    let unit = match axis {
        1.. if Some(axis) == last => "along the last dimension".to_owned(),
        axis => rows_along(axis),
    };
    let remedy = match kept {
        0 => COPY.to_owned(),
        _ => format!("{command} keeps them; or {COPY}"),
    };
    let reads = match (axis, &target.slice) {
        (0, None) if kept > 0 => {
            let range = Index::Range { start: None, stop: i64::try_from(kept).ok(), step: 1 };
            let part = Target { slice: Some(vec![range]), ..target.clone() };
            format!(", and {} reads them", shell::target(&part))
        }
        _ => String::new(),
    };
    Some(format!("{kept} of {stated} {unit} are complete{reads}; {remedy}"))
}

/// Returns the regular file that a message names.
fn target(name: &str) -> Option<Target> {
    let target = Target::parse(name.as_ref()).ok()?;
    target.path.is_file().then_some(target)
}
