//! The files of the command line as tables.

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt::Display;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use npy_datafusion::datafusion::common::{TableReference, plan_datafusion_err, plan_err};
use npy_datafusion::datafusion::error::{DataFusionError, Result};
use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::datafusion::sql::parser::{CopyToSource, CopyToStatement, Statement};
use npy_datafusion::datafusion::sql::resolve::resolve_table_references;
use npy_datafusion::datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, TableFactor, Visit, Visitor,
};
use npy_datafusion::{
    NpyFormat, NpyFormatFactory, NpyFunction, NpyOptions, archives_of, register as register_file,
};

use crate::statements::written;

/// Registers each file by its position (`t`, `t2`, …), and by its name unless another file has it, too: as it is, and in lower case, which SQL makes
/// of a name without quotes. `is_text`: bytes are text, also in the tables that statements make.
pub(crate) async fn register(ctx: &SessionContext, files: &[String], is_text: bool) -> Result<()> {
    let mut options = NpyOptions::new();
    options.text_from_bytes(is_text);
    set_defaults(ctx, &options)?;
    for (index, file) in files.iter().enumerate() {
        let is_path = !file.contains("://") && !file.contains(['*', '?', '[']);
        if is_path && !Path::new(file).exists() {
            return plan_err!("{file}: there is no such file or directory{}", advice(file));
        }
        if let Some((path, _)) = file.split_once('[')
            && Path::new(path).is_file()
            && !Path::new(file).exists()
        {
            return plan_err!("{file}: {WHOLE}");
        }
        if is_path && let Some(advice) = crate::advice::of_text_file(file) {
            return plan_err!(
                "{file}: it is not a file of arrays; {advice}, and leave {file} out of the files"
            );
        }
        if is_path && has_archives_only(Path::new(file)) {
            let archives = Path::new(file).join("*.npz");
            return plan_err!(
                "{file}: there are no .npy files; its archives are a table as '{}'",
                archives.display()
            );
        }
        remark_on(file);
        register_file(ctx, &position(index), &located(file), options.clone()).await?;
    }
    let own: Vec<_> = files.iter().map(|file| stem(file)).collect();
    for (index, (file, name)) in files.iter().zip(&own).enumerate() {
        let mut others = (0..files.len()).filter(|other| *other != index);
        if let Some(other) = others.find(|other| name.as_ref() == Some(&position(*other)))
            && let Some(of_other) = files.get(other)
        {
            return plan_err!(
                "{file}: its name is that of the table t of a position, here of {of_other}; name the files in another order, or rename it"
            );
        }
    }
    for form in [str::to_owned, str::to_lowercase] {
        let names: Vec<_> = own.iter().map(|name| name.as_deref().map(form)).collect();
        for (index, name) in names.iter().enumerate() {
            let Some(name) = name else { continue };
            let table = TableReference::bare(name.clone());
            if is_single(&names, name) && !ctx.table_exist(table.clone())? {
                ctx.register_table(table, ctx.table_provider(position(index)).await?)?;
            }
        }
    }
    Ok(())
}

/// Sets the options of tables whose statements name no others.
fn set_defaults(ctx: &SessionContext, options: &NpyOptions) -> Result<()> {
    ctx.register_udtf("npy", Arc::new(NpyFunction::new(options.clone())));
    for format in [NpyFormat::new(options.clone()), NpyFormat::archives(options.clone())] {
        let factory = Arc::new(NpyFormatFactory::new(format));
        ctx.state_ref().write().register_file_format(factory, true)?;
    }
    Ok(())
}

/// Refuses files that no statement reads, if one reads `t`: of a pattern without quotes a shell makes one argument for each file, and `t` is the first.
pub(crate) fn check_read<'s>(
    statements: impl IntoIterator<Item = &'s Statement>,
    files: &[String],
) -> Result<()> {
    let mut read = HashSet::new();
    for statement in statements {
        let (tables, _) = resolve_table_references(statement, false)?;
        read.extend(tables.iter().map(|table| table.table().to_lowercase()));
    }
    let is_read = |(index, file): (usize, &String)| {
        let own = stem(file).map(|own| own.to_lowercase());
        read.contains(&position(index)) || own.is_some_and(|own| read.contains(&own))
    };
    let unread = files.iter().enumerate().find(|file| !is_read(*file));
    match (unread, files) {
        (Some((index, file)), [first, ..]) if read.contains("t") => plan_err!(
            "{file}: no statement reads this file, which is the table {}, and t is {first} alone; for one table of all files, write their pattern in quotes, as 'days/*.npy', or leave this file out",
            position(index)
        ),
        _ => Ok(()),
    }
}

/// Returns the name of a table by its position.
pub(crate) fn position(index: usize) -> String {
    if index == 0 { "t".to_owned() } else { format!("t{}", index + 1) }
}

/// Returns true if one file has this name.
fn is_single(names: &[Option<String>], name: &str) -> bool {
    names.iter().flatten().filter(|other| *other == name).count() == 1
}

/// Adds the names of the tables to the error for an unknown name.
pub(crate) fn named(error: DataFusionError, files: &[String]) -> DataFusionError {
    let text = error.strip_backtrace();
    let after = text.split_once("table '").map(|(_, after)| after);
    // A name may have apostrophes.
    let Some((asked, _)) = after.and_then(|after| after.rsplit_once("' not found")) else {
        return error;
    };
    let asked = asked.strip_prefix("datafusion.").unwrap_or(asked);
    let asked = asked.strip_prefix("public.").unwrap_or(asked);
    let own: Vec<_> = files.iter().map(|file| stem(file)).collect();
    let is_asked = |name: &str| text.contains(&format!(".{name}' not found"));
    let advice = if let Some(name) = own.iter().flatten().find(|name| is_asked(name)) {
        let same = files
            .iter()
            .enumerate()
            .filter(|(index, _)| own.get(*index) == Some(&Some(name.clone())));
        let same: Vec<_> =
            same.map(|(index, file)| format!("{} for {file}", position(index))).collect();
        match &same[..] {
            // The statement has it without quotes: x.y is the table y of a schema.
            [one] => format!("write {}, or {one}", written(name)),
            _ => format!("several files have this name: write {}", same.join(", ")),
        }
    } else if let Some(advice) = crate::advice::of_table(asked) {
        advice
    } else if files.is_empty() {
        "name the files after the statement".into()
    } else {
        let name = |(index, name): (usize, &Option<String>)| match name {
            Some(name) if is_single(&own, name) => written(name),
            _ => position(index),
        };
        let mut names: Vec<String> = own.iter().enumerate().map(name).collect();
        names.insert(0, "t".into());
        names.dedup();
        format!("the tables are {}", names.join(", "))
    };
    // The new error begins so, too.
    let text = text.strip_prefix("Error during planning: ").unwrap_or(&text);
    plan_datafusion_err!("{text}; {advice}")
}

const WHOLE: &str = "a query reads complete files; npy convert makes a file of a member, of a slice and of standard input";

/// Returns what the user may do instead of naming a part of a file.
fn advice(file: &str) -> String {
    let is_member = file.split_once("::").is_some_and(|(path, _)| Path::new(path).exists());
    if is_member || file == "-" { format!("; {WHOLE}") } else { String::new() }
}

/// Returns true for a directory with archives and no arrays; its table would have no files.
fn has_archives_only(directory: &Path) -> bool {
    let found = Found::of(directory);
    !found.archives.is_empty() && found.arrays == 0 && found.directories.is_empty()
}

/// Tells which archives the table of a location leaves out.
pub(crate) fn remark_on(location: &str) {
    if location.contains("://") {
        return;
    }
    let path = Path::new(location);
    let remark = match location.contains(['*', '?', '[']) && !path.exists() {
        true => left_out_of_pattern(location),
        false => left_out(path),
    };
    if let Some(remark) = remark {
        eprintln!("npy sql: {}", crate::output::printable(&remark));
    }
}

/// Returns a remark about archives in a directory of arrays, which is a table without them. Directories `name=value` are alike, so the first one tells.
fn left_out(directory: &Path) -> Option<String> {
    let found = Found::of(directory);
    match &found.archives[..] {
        [first, ..] if found.arrays > 0 => {
            let archives = directory.join("*.npz");
            Some(remark(&directory.display(), first, found.archives.len(), &archives.display()))
        }
        _ => {
            let is_column = |name: &&PathBuf| name.to_string_lossy().contains('=');
            left_out(&directory.join(found.directories.iter().filter(is_column).min()?))
        }
    }
}

/// Returns a remark about archives that a pattern matches: its table has the arrays alone.
fn left_out_of_pattern(pattern: &str) -> Option<String> {
    let named = Path::new(pattern).extension().is_some_and(|it| it == "npy" || it == "npz");
    let archives = if named { Vec::new() } else { archives_of(pattern) };
    let first = PathBuf::from(archives.first()?.file_name()?);
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    let directory = pattern.strip_suffix(name).unwrap_or_default();
    let of_archives = match name.rsplit_once('.') {
        Some((stem, _)) => format!("{directory}{stem}.npz"),
        None => format!("{directory}{}*.npz", name.trim_end_matches('*')),
    };
    Some(remark(&pattern, &first, archives.len(), &of_archives))
}

fn remark(location: &dyn Display, first: &Path, count: usize, of_archives: &dyn Display) -> String {
    let first = first.display();
    let others = match count - 1 {
        0 => String::new(),
        others => format!(" and {others} more .npz"),
    };
    format!(
        "{location}: its table has the .npy files, and not {first}{others}; '{of_archives}' is a table of the archives"
    )
}

/// Adds the locations that a statement names: those of the function `npy`, and those of tables of .npy files.
pub(crate) fn add_locations(statement: &Statement, locations: &mut Locations) {
    // The visitor never stops early.
    _ = visit(statement, locations);
    if let Statement::CreateExternalTable(table) = statement
        && table.file_type.eq_ignore_ascii_case("npy")
    {
        locations.0.extend(table.locations.iter().cloned());
    }
}

/// Visits the query of a statement.
pub(crate) fn visit<V: Visitor>(statement: &Statement, visitor: &mut V) -> ControlFlow<V::Break> {
    match statement {
        Statement::Statement(inner) => inner.visit(visitor),
        Statement::CopyTo(CopyToStatement { source: CopyToSource::Query(query), .. }) => {
            query.visit(visitor)
        }
        Statement::Explain(explain) => visit(&explain.statement, visitor),
        _ => ControlFlow::Continue(()),
    }
}

/// The locations that statements name.
#[derive(Default)]
pub(crate) struct Locations(pub(crate) Vec<String>);

impl Visitor for Locations {
    type Break = Infallible;

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<Infallible> {
        let TableFactor::Table { name, args: Some(call), .. } = table else {
            return ControlFlow::Continue(());
        };
        let text = |argument: &FunctionArg| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) => {
                value.value.clone().into_string()
            }
            _ => None,
        };
        let texts: Vec<String> = call.args.iter().filter_map(text).collect();
        // Columns that are files, and files without a header, have other names than arrays.
        let is_other = texts.iter().any(|text| text == "layout" || text == "raw");
        if let Some(location) = texts.into_iter().next()
            && name.to_string().eq_ignore_ascii_case("npy")
            && !is_other
        {
            self.0.push(location);
        }
        ControlFlow::Continue(())
    }
}

/// The names in a directory.
#[derive(Default)]
struct Found {
    arrays: usize,
    archives: Vec<PathBuf>,
    directories: Vec<PathBuf>,
}

impl Found {
    fn of(directory: &Path) -> Self {
        let mut found = Found::default();
        for file in directory.read_dir().into_iter().flatten().flatten() {
            let name = PathBuf::from(file.file_name());
            let is_directory = file
                .file_type()
                .is_ok_and(|it| it.is_dir() || it.is_symlink() && file.path().is_dir());
            match name.extension().and_then(|extension| extension.to_str()) {
                _ if is_directory => found.directories.push(name),
                Some("npy") => found.arrays += 1,
                Some("npz") => found.archives.push(name),
                _ => {}
            }
        }
        found.archives.sort();
        found
    }
}

/// Returns the location with the `/` that a directory needs.
fn located(file: &str) -> String {
    match !file.ends_with('/') && Path::new(file).is_dir() {
        true => format!("{file}/"),
        false => file.to_owned(),
    }
}

/// Returns the name of the table: `ticks` for `data/ticks.npy`, `data/ticks/` and `data/ticks/*.npy`.
pub(crate) fn stem(file: &str) -> Option<String> {
    let is_pattern = |part: &&str| part.contains(['*', '?', '[']);
    let part = file.trim_end_matches('/').rsplit('/').find(|part| !is_pattern(part))?;
    let stem = Path::new(part).file_stem()?.to_str()?;
    (!stem.is_empty()).then(|| stem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards the names of tables.
    #[test]
    fn tables_have_the_names_of_their_files() {
        let name = |file: &str| stem(file).unwrap_or_default();
        assert_eq!(name("data/ticks.npy"), "ticks");
        assert_eq!(name("data/ticks/"), "ticks");
        assert_eq!(name("data/ticks/*.npy"), "ticks");
        assert_eq!(name("ticks-?.npz"), "");
    }
}
