//! The files of the command line as tables.

use std::path::Path;

use npy_datafusion::datafusion::common::{TableReference, plan_datafusion_err, plan_err};
use npy_datafusion::datafusion::error::{DataFusionError, Result};
use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::{NpyOptions, register as register_file};

/// Registers each file by its position (`t`, `t2`, …), and by its name unless another file has it, too: as it is, and in lower case, which SQL makes
/// of a name without quotes. `is_text`: bytes are text.
pub(crate) async fn register(ctx: &SessionContext, files: &[String], is_text: bool) -> Result<()> {
    let mut options = NpyOptions::new();
    options.text_from_bytes(is_text);
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
        if is_path && has_archives_only(Path::new(file)) {
            let archives = Path::new(file).join("*.npz");
            return plan_err!(
                "{file}: there are no .npy files; its archives are a table as '{}'",
                archives.display()
            );
        }
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

/// Returns the name of a table by its position.
fn position(index: usize) -> String {
    if index == 0 { "t".to_owned() } else { format!("t{}", index + 1) }
}

/// Returns true if one file has this name.
fn is_single(names: &[Option<String>], name: &str) -> bool {
    names.iter().flatten().filter(|other| *other == name).count() == 1
}

/// Adds the names of the tables to the error for an unknown name.
pub(crate) fn named(error: DataFusionError, files: &[String]) -> DataFusionError {
    let text = error.strip_backtrace();
    if !(text.contains("table '") && text.contains("not found")) {
        return error;
    }
    let own: Vec<_> = files.iter().map(|file| stem(file)).collect();
    let is_asked = |name: &str| text.contains(&format!(".{name}' not found"));
    let advice = if let Some(name) = own.iter().flatten().find(|name| is_asked(name)) {
        let same = files
            .iter()
            .enumerate()
            .filter(|(index, _)| own.get(*index) == Some(&Some(name.clone())));
        let same: Vec<_> =
            same.map(|(index, file)| format!("{} for {file}", position(index))).collect();
        format!("several files have this name: write {}", same.join(", "))
    } else if files.is_empty() {
        "name the files after the statement".into()
    } else {
        let name = |(index, name): (usize, &Option<String>)| match name {
            Some(name) if is_single(&own, name) => name.clone(),
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
    let Ok(files) = directory.read_dir() else { return false };
    let names: Vec<_> = files.flatten().map(|file| file.path()).collect();
    let has = |extension: &str| {
        names.iter().any(|name| name.extension().is_some_and(|found| found == extension))
    };
    has("npz") && !has("npy") && !names.iter().any(|name| name.is_dir())
}

/// Returns the location with the `/` that a directory needs.
fn located(file: &str) -> String {
    match !file.ends_with('/') && Path::new(file).is_dir() {
        true => format!("{file}/"),
        false => file.to_owned(),
    }
}

/// Returns the name of the table: `ticks` for `data/ticks.npy`, `data/ticks/` and `data/ticks/*.npy`.
fn stem(file: &str) -> Option<String> {
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
