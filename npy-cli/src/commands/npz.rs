//! `npy npz list|extract|pack|align|rm|mv`: archives and their members.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::slice;

use npy_core::{ErrorKind, npz};

use crate::output::{Answer, Failure, Of, Output, Result, note, printable};
use crate::output_file::{
    Begun, OutputFile, Replacing, converted, is_same_file, member, refuse_compressed, refuse_member,
};
use crate::raw::RawFiles;
use crate::remote;
use crate::shell;
use crate::source::{self, Archive, Input};
use crate::target::{Target, path_of, refuse_stdin};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Prints the names of the members, one on a line
    List {
        /// The archive
        archive: Target,
        /// A JSON list
        #[arg(long)]
        json: bool,
    },
    /// Writes members to files; all of them unless some are named
    #[command(alias = "unpack")]
    Extract {
        /// The archive
        archive: Target,
        /// Names of members
        #[arg(value_name = "MEMBER")]
        members: Vec<String>,
        /// The directory for the files
        #[arg(short = 'C', long, value_name = "DIR", default_value = ".")]
        directory: PathBuf,
        /// Replaces files that exist
        #[arg(long, conflicts_with = "no_clobber")]
        force: bool,
        #[command(flatten)]
        replacing: Replacing,
    },
    /// Writes arrays to a new archive, or with --append to one that exists, each named after its file
    Pack {
        /// The archive to write; - is standard output
        archive: PathBuf,
        /// The arrays, each with a name if it is not that of the file
        #[arg(required = true, value_name = "[NAME=]FILE")]
        files: Vec<OsString>,
        /// Deflates the members; without this, they are stored, also with --append to compressed ones
        #[arg(short = 'z', long)]
        compress: bool,
        /// Compresses the members by Zstandard, at a level from 1 to 22; NumPy reads them with Python 3.14 or newer alone
        #[arg(long, value_name = "LEVEL", num_args = 0..=1, require_equals = true, default_missing_value = "3", value_parser = clap::value_parser!(u8).range(1..=22), conflicts_with = "compress")]
        zstd: Option<u8>,
        /// Adds the arrays to an archive that exists
        #[arg(long)]
        append: bool,
        /// Replaces an archive whose other members are lost, and a file that is not an archive
        #[arg(long, conflicts_with_all = ["append", "no_clobber"])]
        force: bool,
        #[command(flatten)]
        replacing: Replacing,
        #[command(flatten)]
        raw: RawFiles,
    },
    /// Makes stored members mappable: the same archive, each of them at a multiple of 64 bytes
    Align {
        /// The archive
        archive: PathBuf,
        /// Compresses members again that have no seek index, so that they are read from any row; their bytes stay the same
        #[arg(long)]
        seekable: bool,
    },
    /// Removes members
    Rm {
        /// The archive
        archive: PathBuf,
        /// Names of members
        #[arg(required = true, value_name = "MEMBER")]
        members: Vec<String>,
    },
    /// Renames a member
    Mv {
        /// The archive
        archive: PathBuf,
        /// The name of the member
        from: String,
        /// Its new name
        to: String,
    },
}

impl Args {
    pub(crate) fn run(self) -> Result {
        match self.command {
            Command::List { archive, json } => list(&archive, json),
            // A name that comes from the archive never replaces a file unless it is told to.
            Command::Extract { archive, members, directory, force, .. } => {
                let replacing = Replacing { no_clobber: !force };
                extract(&archive, &members, &directory, replacing)
            }
            Command::Pack { archive, files, compress, zstd, append, force, replacing, raw } => {
                let mut options = npz::WriteOptions::new();
                match (compress, zstd) {
                    (_, Some(level)) => by_zstd(&mut options, level)?,
                    (true, None) => _ = options.deflate(6),
                    (false, None) => _ = options.stored(),
                }
                let words = [
                    compress.then(|| "-z".to_owned()),
                    zstd.map(|level| format!("--zstd={level}")),
                    raw.option(),
                    replacing.option(),
                ];
                let words: Vec<String> = words.into_iter().flatten().collect();
                check_archive(&archive, &files, &words, append, force)?;
                if append {
                    remote::refuse_change(&archive)?;
                }
                let is_stored = append && zstd.is_none() && !compress && is_compressed(&archive);
                if !append {
                    let mut plain = archive.with_extension("");
                    match plain.extension().is_none_or(|it| it == "npy" || it == "npz") {
                        true => _ = plain.set_extension("npz"),
                        false => plain.as_mut_os_string().push(".npz"),
                    }
                    refuse_compressed(&archive, &plain)?;
                    if !force {
                        check_suffix(&archive, &files, &words)?;
                    }
                }
                pack(&archive, &files, &options, append, force, replacing, &raw)?;
                if is_stored {
                    tell_of_stored(&archive, "-z");
                }
                if zstd.is_some() {
                    let message = "its members are compressed by Zstandard, which NumPy reads with Python 3.14 or newer alone";
                    note(archive.display(), message);
                }
                Ok(Answer::Yes)
            }
            Command::Align { archive, seekable } => {
                refuse_stdin(&archive)?;
                super::align::align(&archive, seekable)
            }
            Command::Rm { archive, members } => {
                let path = archive.display();
                for (name, count) in edit(&archive, |editor| remove(editor, &members, &path))? {
                    tell_of_hidden(&archive, name, count, "removed");
                }
                Ok(Answer::Yes)
            }
            Command::Mv { archive, from, to } => {
                check_name(&to)?;
                edit(&archive, |editor| rename(editor, &archive, &from, &to))?;
                Ok(Answer::Yes)
            }
        }
    }
}

/// Opens an archive that an argument names.
fn open(target: &Target) -> Result<Archive> {
    if target.member.is_some() || target.slice.is_some() {
        return Err(Failure::new(target, "name the archive alone, without a member or a slice"));
    }
    match source::open(target)? {
        Input::Archive(archive) => Ok(archive),
        Input::Array(_) => Err(Failure::new(target, "is an array, not an archive")),
    }
}

fn list(target: &Target, json: bool) -> Result {
    let archive = open(target)?;
    let mut out = Output::stdout();
    if json {
        let names: Vec<&str> = archive.names().collect();
        writeln!(out, "{}", serde_json::Value::from(names))?;
    } else {
        for name in archive.names() {
            writeln!(out, "{}", printable(name))?;
        }
    }
    out.finish()
}

fn extract(target: &Target, members: &[String], directory: &Path, replacing: Replacing) -> Result {
    remote::refuse_output(directory)?;
    refuse_member(directory)?;
    let archive = open(target)?;
    let name = target.path_text();
    let all: Vec<&str> = match members {
        // The entry of a directory has no content.
        [] => archive.names().filter(|member| !member.ends_with('/')).collect(),
        members => {
            let names = archive.names().map(str::to_owned).collect();
            members.iter().map(|member| listed(&names, member)).collect()
        }
    };
    // All names are checked before anything is written.
    let (mut files, mut paths) = (Vec::new(), HashSet::new());
    for member in all {
        let relative = file_name(member).ok_or_else(|| {
            let source = shell::target(&target.with_member(member));
            let message = format!(
                "member {member:?} has a name that is no safe path; copy its array with npy convert {source} OUT.npy"
            );
            Failure::new(&name, message)
        })?;
        let header = archive.header(member);
        if !archive.contains(member) {
            let failure = header.map(drop).of(&name).err().unwrap_or(Failure::Reported);
            return Err(with_near(failure, archive.names(), member));
        }
        // An array that is damaged is copied as it is; a member that is damaged is an error when it is read.
        let is_array = !header.is_err_and(|error| matches!(error.kind(), ErrorKind::NotNpy { .. }));
        // A member is listed without its last `.npy`, unless another one has that name in the archive.
        let is_file = member.ends_with(".npy.npy") && !archive.contains(&format!("{member}.npy"));
        let mut path = directory.join(relative).into_os_string();
        if is_array && !is_file {
            path.push(".npy");
        }
        let path = PathBuf::from(path);
        if !paths.insert(path.clone()) {
            let message = "two of the members would be written to it; name each once, or extract them to two directories";
            return Err(Failure::new(path.display(), message));
        }
        files.push((member, path));
    }
    for (member, path) in &files {
        if let Some(parent) = path.ancestors().skip(1).find(|parent| paths.contains(*parent)) {
            let message = format!(
                "would be the file of one member and the directory of {member:?}; extract them to two directories"
            );
            return Err(Failure::new(parent.display(), message));
        }
        check_path(directory, path)?;
        if replacing.no_clobber && path.symlink_metadata().is_ok() {
            return Err(Failure::new(path.display(), "exists; --force replaces it"));
        }
        replacing.output(path, slice::from_ref(target))?;
    }
    for (member, path) in files {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).of(&parent.display())?;
        }
        let output = replacing.output(&path, slice::from_ref(target))?;
        output.write(|out| {
            let mut out = Watched { out, failed: None };
            let copied = archive.copy_bytes(member, &mut out);
            out.failed.map_or_else(|| copied.map(drop).of(&name), |error| Err(error.into()))
        })?;
    }
    Ok(Answer::Yes)
}

/// An output that keeps its error, which is not one of the archive.
struct Watched<'o> {
    out: &'o mut dyn Write,
    failed: Option<io::Error>,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(|error| {
            let kind = error.kind();
            self.failed = Some(error);
            kind.into()
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Refuses a path within a directory that leads through a symbolic link, or is one: it may lead out of the directory. Refuses a directory in the
/// place of a file, and the reverse.
fn check_path(directory: &Path, path: &Path) -> Result<()> {
    let within =
        path.ancestors().take_while(|part| *part != directory && !part.as_os_str().is_empty());
    for part in within {
        let message = match part.symlink_metadata() {
            Ok(file) if file.is_symlink() => {
                "is a symbolic link, which npz extract does not follow; remove it, or choose another -C"
            }
            Ok(file) if part == path && file.is_dir() => {
                "is a directory; remove it, or choose another -C"
            }
            Ok(file) if part != path && !file.is_dir() => {
                "is not a directory; remove it, or choose another -C"
            }
            _ => continue,
        };
        return Err(Failure::new(part.display(), message));
    }
    Ok(())
}

/// Returns the name of a member as a relative path that stays within its directory; `None` for other names.
fn file_name(member: &str) -> Option<PathBuf> {
    // Backslashes and colons are separators on Windows. The same archive is extracted to the same files everywhere.
    let is_plain = !member.is_empty() && !member.contains(['\\', ':', '\0']);
    let path = Path::new(member);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    (is_plain && is_inside && !member.ends_with('/')).then(|| path.to_owned())
}

/// Returns true if a program that extracts the member may write outside of the directory.
pub(crate) fn leads_out(member: &str) -> bool {
    let leads_out = |part: Component<'_>| !matches!(part, Component::Normal(_) | Component::CurDir);
    Path::new(&member.replace('\\', "/")).components().any(leads_out)
}

/// Refuses a name for a member that no file can have when it is extracted.
pub(crate) fn check_name(member: &str) -> Result<()> {
    if file_name(member).is_some() {
        return Ok(());
    }
    let message = "is not a name that can be extracted; one has parts between / that are not empty, . or .., and no \\ or :";
    Err(Failure::new(format!("{member:?}"), message))
}

fn pack(
    archive: &Path,
    files: &[OsString],
    options: &npz::WriteOptions,
    append: bool,
    force: bool,
    replacing: Replacing,
    raw: &RawFiles,
) -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    let mut targets = Vec::new();
    for file in files {
        let (name, mut target) = named(file)?;
        raw.mark(&mut target);
        check_name(&name)?;
        if names.contains(&name) {
            let message = format!(
                "two members would be named {name:?}; give one another name, such as {}",
                shell::last([shell::named(&format!("{name}_2"), &target)])
            );
            return Err(Failure::new(target, message));
        }
        names.push(name);
        targets.push(target);
    }
    let members = || names.iter().map(String::as_str).zip(&targets);
    let path = archive.display();
    if append && targets.iter().any(|target| is_same_file(&target.path, archive)) {
        let word = shell::path(archive);
        let message = format!(
            "is also an input; npy convert {word}::MEMBER {word}::NEW copies a member within an archive"
        );
        return Err(Failure::new(path, message));
    }
    if append && !archive.exists() {
        return Err(Failure::new(path, "there is no such archive; without --append, it is made"));
    }
    let output = replacing.output(archive, &targets)?.binary()?.unless_made(force);
    if append {
        if output.is_stdout() {
            return Err(Failure::usage("--append needs an archive that exists"));
        }
        check_new(archive, members())?;
        return write_members(options.append(archive).of(&path)?, members(), &path).map(drop);
    }
    if !force && !output.is_stdout() {
        check_lost(archive, &names, "--append adds the arrays to it")?;
    }
    let archive = write_members(begin(&output, options)?, members(), &path)?;
    output.finish(archive)
}

/// Refuses a member in place of an archive. The advice has the options of the command, and no name that the archive has already.
fn check_archive(
    path: &Path,
    files: &[OsString],
    options: &[String],
    append: bool,
    force: bool,
) -> Result<()> {
    let Some(target) = member(path) else { return Ok(()) };
    let before = npz::Reader::open(&target.path).ok();
    let has = |name: &str| before.as_ref().is_some_and(|archive| archive.contains(name));
    let adds = target.path.exists() && (append || !force);
    let mut arrays = files.iter().map(|file| named(file)).collect::<Result<Vec<_>>>()?;
    if let ([(name, input)], Some(member)) = (&mut arrays[..], &target.member) {
        let is_kept = has(member) && options.iter().any(|option| option == "--no-clobber");
        if !is_kept && !options.iter().any(|option| option.starts_with("--zstd")) {
            let advice = convert_to(&target, input, options);
            let effect = if has(member) { "replaces it" } else { "writes it" };
            let message = format!("is a member of an archive; {advice} {effect}");
            return Err(Failure::new(path.display(), message));
        }
        name.clone_from(member);
    }
    let mut names: HashSet<String> = arrays.iter().map(|(name, _)| name.clone()).collect();
    let (mut words, mut is_renamed) = (Vec::new(), false);
    for ((name, input), file) in arrays.iter().zip(files) {
        let mut numbered = (2..).map(|number| format!("{name}_{number}"));
        if adds
            && has(name)
            && let Some(free) = numbered.find(|free| !has(free) && names.insert(free.clone()))
        {
            words.push(shell::named(&free, input));
            is_renamed = true;
        } else if files.len() == 1 {
            words.push(shell::named(name, input));
        } else {
            words.push(shell::word(file.as_encoded_bytes()));
        }
    }
    let effect = match (files.len(), is_renamed) {
        (1, false) => "writes it",
        (1, true) => "adds it by another name: it is there already",
        (_, false) => "names each after its file",
        (_, true) => "names each after its file, and by a number if that name is there already",
    };
    let change = match (adds, force) {
        (true, _) => Some("--append"),
        (false, true) => Some("--force"),
        (false, false) => None,
    };
    // What is added replaces nothing.
    let options =
        options.iter().map(String::as_str).filter(|option| !adds || *option != "--no-clobber");
    let options: String =
        change.into_iter().chain(options).map(|word| format!("{word} ")).collect();
    let (archive, arrays) = (shell::path(&target.path), shell::last(words));
    let message =
        format!("is a member of an archive; npy npz pack {options}{archive} {arrays} {effect}");
    Err(Failure::new(path.display(), message))
}

/// Returns the `npy convert` that writes a member, with these options of `npy npz pack`.
fn convert_to(member: &Target, input: &Target, options: &[String]) -> String {
    let options = options.iter().map(|option| if option == "-z" { "--compress" } else { option });
    let words: String = options.map(|word| format!(" {word}")).collect();
    format!("npy convert {} {}{words}", shell::target(input), converted(member))
}

/// Refuses a new archive with the name of an array.
fn check_suffix(archive: &Path, files: &[OsString], options: &[String]) -> Result<()> {
    let is_named = archive.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("npy"));
    if !is_named || archive.exists() {
        return Ok(());
    }
    let arrays = files.iter().map(|file| shell::word(file.as_encoded_bytes()));
    let words: Vec<String> = options.iter().cloned().chain([shell::last(arrays)]).collect();
    let message = format!(
        "is the name of an array, and an archive is written; npy npz pack {} {} names it so",
        shell::output(&archive.with_extension("npz")),
        words.join(" ")
    );
    Err(Failure::new(archive.display(), message))
}

/// Refuses members that the archive has already.
fn check_new<'a>(
    archive: &Path,
    mut members: impl Iterator<Item = (&'a str, &'a Target)>,
) -> Result<()> {
    let path = archive.display();
    let before = npz::Reader::open(archive).of(&path)?;
    let Some((name, target)) = members.find(|(name, _)| before.contains(name)) else {
        return Ok(());
    };
    let message = format!(
        "it has a member {name:?} already; npy convert {} {} replaces it, and {} as the input adds it by another name",
        shell::target(target),
        shell::member(archive, name),
        shell::last([shell::named(&format!("{name}_2"), target)])
    );
    Err(Failure::new(path, message))
}

/// Chooses Zstandard.
#[cfg(feature = "zstd-write")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature, it fails")]
fn by_zstd(options: &mut npz::WriteOptions, level: u8) -> Result<()> {
    options.zstd(level);
    Ok(())
}

/// Refuses Zstandard, whose code needs a C compiler and is left out.
#[cfg(not(feature = "zstd-write"))]
fn by_zstd(_: &mut npz::WriteOptions, _: u8) -> Result<()> {
    let message = "this npy reads Zstandard and does not write it; -z deflates, and cargo install npy-cli --features zstd-write makes one that does";
    Err(Failure::usage(message))
}

/// Starts an archive, which is a stream unless its file is a regular one.
pub(crate) fn begin(
    output: &OutputFile<'_>,
    options: &npz::WriteOptions,
) -> Result<npz::Writer<Begun>> {
    let begun = output.begin()?;
    match output.is_stream() {
        true => Ok(options.stream(begun)),
        false => Ok(options.writer(begun)?),
    }
}

/// Refuses to replace an archive that has members which the new one has not, or a file that is not an archive. `instead` is what the command
/// can do besides.
pub(crate) fn check_lost(path: &Path, names: &[String], instead: &str) -> Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    let name = path.display();
    let Ok(before) = npz::Reader::open(path) else {
        let message = "is not an archive; name the archive first, or --force replaces the file";
        return Err(Failure::new(name, message));
    };
    match before.names().find(|name| !names.iter().any(|other| other == name)) {
        None => Ok(()),
        Some(member) => {
            let message = format!(
                "exists, and its member {member:?} would be lost; --force replaces it, {instead}"
            );
            Err(Failure::new(name, message))
        }
    }
}

/// Writes each array as a member, and returns the writer within.
fn write_members<'a, W: Write>(
    mut writer: npz::Writer<W>,
    mut members: impl Iterator<Item = (&'a str, &'a Target)>,
    path: &(impl Display + ?Sized),
) -> Result<W> {
    let path = &path;
    let mut write = |name: &str, target: &Target| -> Result<()> {
        let mut reader = source::open(target)?.into_array(target)?;
        source::tell_of_rest(&reader, target);
        if reader.header().dtype().has_object() {
            let objects = source::objects(&mut reader, target)?;
            return writer.write(name, &objects).of(path);
        }
        if target.slice.is_none() {
            return writer.write(name, &reader.read_all().of(target)?).of(path);
        }
        let mut source = source::Source::of(reader, target)?;
        writer.write(name, &source.read_all()?).of(path)
    };
    if let Err(failure) = members.try_for_each(|(name, target)| write(name, target)) {
        // An input could not be read: the archive would be incomplete.
        writer.discard();
        return Err(failure);
    }
    writer.finish().of(path)
}

/// Takes `NAME=FILE` apart. Without a name, that of the member, or of the file without its directory and `.npy`.
fn named(argument: &OsStr) -> Result<(String, Target)> {
    let parse =
        |file: &OsStr| Target::parse(file).map_err(|error| Failure::new(argument.display(), error));
    if let Some((name, file)) = named_file(argument)
        && !Path::new(argument).exists()
    {
        return Ok((name, parse(&file)?));
    }
    let target = parse(argument)?;
    if let Some(member) = &target.member {
        return Ok((member.clone(), target));
    }
    if target.is_stdin() {
        return Err(Failure::usage("standard input has no name; write NAME=-"));
    }
    let stem = target.path.file_stem().and_then(|stem| stem.to_str());
    let name = stem.unwrap_or_default().to_owned();
    if name.is_empty() {
        return Err(Failure::new(target, "has no name for a member; write NAME=FILE"));
    }
    Ok((name, target))
}

/// Splits an argument at its first `=`, if there is text before it.
fn named_file(argument: &OsStr) -> Option<(String, OsString)> {
    let bytes = argument.as_encoded_bytes();
    let at = bytes.iter().position(|&byte| byte == b'=').filter(|&at| at > 0)?;
    let name = String::from_utf8(bytes[..at].to_vec()).ok()?;
    Some((name, path_of(&bytes[at + 1..]).into()))
}

/// Returns the name in a list of names that an argument means: itself, or itself without `.npy`.
fn listed<'a>(names: &HashSet<String>, name: &'a str) -> &'a str {
    match name.strip_suffix(".npy") {
        Some(plain) if names.contains(plain) && !names.contains(name) => plain,
        _ => name,
    }
}

/// Removes members; one that is named twice, also with `.npy`, once. Returns the names, each with the number of members that had it.
fn remove<'a>(
    editor: &mut npz::Editor,
    members: &'a [String],
    path: &dyn Display,
) -> Result<Vec<(&'a str, usize)>> {
    let names: HashSet<String> = editor.names().map(str::to_owned).collect();
    // All are found before one is removed: its name might then be found for another.
    let found: BTreeSet<&str> = members.iter().map(|name| listed(&names, name)).collect();
    // The error lists the members, so it comes before the first one is removed.
    if let Some(&missing) = found.iter().find(|name| !editor.contains(name))
        && let Err(failure) = editor.remove(missing).of(path)
    {
        return Err(with_near(failure, editor.names(), missing));
    }
    let mut remove = |name| {
        let count = editor.count(name);
        editor.remove(name).of(path).map(|()| (name, count))
    };
    found.into_iter().map(&mut remove).collect()
}

/// Renames a member. Of several with its name, all but one would be lost.
fn rename(editor: &mut npz::Editor, archive: &Path, from: &str, to: &str) -> Result<()> {
    let path = archive.display();
    let count = editor.count(from);
    if count > 1 && from != to {
        let message = format!(
            "{count} members have the name {from:?}, and only the last would be kept, which is the one that readers find; npy convert {} {} copies it, and npy npz rm removes all of the old name",
            shell::member(archive, from),
            shell::member(archive, to)
        );
        return Err(Failure::new(path, message));
    }
    match editor.rename(from, to).of(&path) {
        Err(failure) if !editor.contains(from) => Err(with_near(failure, editor.names(), from)),
        renamed => renamed,
    }
}

/// Adds the nearest name to the error for a member that does not exist, or a word about patterns.
fn with_near<'a>(failure: Failure, names: impl Iterator<Item = &'a str>, wanted: &str) -> Failure {
    if wanted.contains(['*', '?']) {
        return failure.with("; names are compared as they are, without patterns: write each one");
    }
    match source::near(names, wanted) {
        Some(name) => failure
            .with(&format!("; did you mean {}?", shell::last([shell::word(name.as_bytes())]))),
        None => failure,
    }
}

/// Says that members were removed or replaced which readers do not find, because a later one has their name.
pub(crate) fn tell_of_hidden(archive: &Path, name: &str, count: usize, change: &str) {
    if count > 1 {
        let message = format!("{count} members had the name {name:?}; all were {change}");
        note(archive.display(), message);
    }
}

/// Returns true for an archive whose members are all compressed.
pub(crate) fn is_compressed(archive: &Path) -> bool {
    // An archive that cannot be read is an error later.
    let Ok(reader) = npz::Reader::open(archive) else { return false };
    reader.names().next().is_some()
        && reader.names().all(|name| reader.is_compressed(name).unwrap_or(false))
}

/// Says that a member is stored among members that are compressed. `option` compresses it.
pub(crate) fn tell_of_stored(archive: &Path, option: &str) {
    let message =
        format!("its members are compressed, and what is added is not; {option} compresses it");
    note(archive.display(), message);
}

/// Refuses a member where an archive is changed.
pub(super) fn refuse_member_of(archive: &Path) -> Result<()> {
    match member(archive) {
        Some(target) => {
            let message =
                format!("name the archive alone, without a member: {}", shell::path(&target.path));
            Err(Failure::new(archive.display(), message))
        }
        None => Ok(()),
    }
}

/// Changes the list of members of an archive, which is replaced at the end.
fn edit<T>(archive: &Path, change: impl FnOnce(&mut npz::Editor) -> Result<T>) -> Result<T> {
    remote::refuse_change(archive)?;
    refuse_stdin(archive)?;
    refuse_member_of(archive)?;
    let path = archive.display();
    let mut editor = npz::Editor::open(archive).of(&path)?;
    match change(&mut editor) {
        Ok(changed) => {
            editor.finish().of(&path)?;
            Ok(changed)
        }
        Err(failure) => {
            editor.discard();
            Err(failure)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{file_name, leads_out};

    /// Guards against archives that write outside of the directory they are extracted to.
    #[test]
    fn members_stay_in_their_directory() {
        for name in ["a", "layers/0/weights", "a b", "ä", ".hidden"] {
            assert!(file_name(name).is_some() && !leads_out(name), "{name:?}");
        }
        for name in ["", "..", "../a", "a/../../b", "/etc/x", "a\\b", "C:x", "a/", "a\0", "./a/.."]
        {
            assert!(file_name(name).is_none(), "{name:?}");
        }
    }

    #[test]
    fn names_that_lead_out_are_those_of_other_directories() {
        for name in ["..", "../a", "a/../../b", "/etc/x", "..\\a", "a\\..\\b"] {
            assert!(leads_out(name), "{name:?}");
        }
        for name in ["a..b", "./a", "a/.hidden", "..."] {
            assert!(!leads_out(name), "{name:?}");
        }
    }
}
