//! The text of an error in one line: what is wrong, and what to do.

use std::path::Path;

use npy_datafusion::datafusion::DATAFUSION_VERSION;
use npy_datafusion::datafusion::error::DataFusionError;
use npy_datafusion::word;
use npy_repair::{Damage, Options, diagnose};

use crate::advice::{of_form, of_lacking, of_option, quoted};
use crate::numbers::{IS_OF_NUMBERS, of_function};

/// The sentence that follows each error which DataFusion takes for a mistake of its own.
const REPORT: &str = "This issue was likely caused by a bug in DataFusion's code.";

/// The rule that checks a plan when the planner has made it. No query is the reason that it fails.
const CHECK: &str = "SanityCheckPlan";

/// The rules of `npy-datafusion` that refuse a statement: DataFusion begins their errors with these names.
const RULES: [&str; 3] = ["refuse_wrong: ", "keep_large_literals: ", "keep_times_of_text: "];

/// The beginning of errors of the planner.
const PLANNING: &str = "Error during planning: ";

/// Texts about the types of arguments, which DataFusion takes for mistakes of its own, too.
const OF_TYPES: [&str; 3] =
    ["failed to match any signature", "Failed to coerce types", "Cannot run range queries"];

/// The most characters of a reason that is about the inside of the engine.
const MAX_REASON: usize = 240;

/// Returns the text of an error in one line. DataFusion puts the cause after the context, in lines of their own.
pub(crate) fn message(error: &DataFusionError) -> String {
    let text = error.strip_backtrace().replace("\ncaused by\n", ": ").replace(['\n', '\t'], " ");
    let refused = RULES.iter().find_map(|rule| text.strip_prefix(rule));
    let of_call = text.strip_prefix(PLANNING).filter(|it| it.contains(IS_OF_NUMBERS));
    let text = refused.or(of_call).unwrap_or(&text).to_owned();
    if let Some(advice) = of_function(&text, |_| None).or_else(|| of_lacking(&text)) {
        return advice;
    }
    if text.contains(REPORT) || text.starts_with(CHECK) {
        return of_engine(&text);
    }
    if text.contains("it is Parquet")
        && let Some((path, _)) = named_file(&text)
    {
        let location = quoted(&path.to_string_lossy());
        return format!(
            "{text}; write CREATE EXTERNAL TABLE t STORED AS PARQUET LOCATION '{location}' before the query"
        );
    }
    if let Some(advice) = of_form(&text).or_else(|| of_option(&text)) {
        return format!("{text}; {advice}");
    }
    of_damaged_file(&text).unwrap_or(text)
}

/// Returns the text of a mistake of the engine: the part of the query that it is about, without the plan around that.
fn of_engine(text: &str) -> String {
    let reason = text.split(REPORT).next().unwrap_or(text).trim_end_matches([' ', '.']);
    let reason = reason.rsplit_once("Internal error: ").map_or(reason, |(_, reason)| reason);
    let reason = failed_part(reason).unwrap_or_else(|| reason.to_owned());
    let shown: String = reason.chars().take(MAX_REASON).collect();
    let rest = if shown.len() < reason.len() { "…" } else { "" };
    if OF_TYPES.iter().any(|part| shown.contains(part)) {
        let advice = of_form(text).unwrap_or(
            "convert the arguments by CAST, write a time in quotes, and name one number of several as in value[1]",
        );
        return format!("{shown}{rest}; {advice}");
    }
    let advice = match text.starts_with(CHECK) {
        true => {
            "give the expression of the order a name in a subquery, as in FROM (SELECT *, abs(v[1]) AS k FROM t) ORDER BY k"
        }
        false => "write this part of the query in another way",
    };
    format!(
        "DataFusion {DATAFUSION_VERSION}, which runs the query, has a mistake, and the query may be right: {shown}{rest}; {advice}, or report it at https://github.com/apache/datafusion/issues"
    )
}

/// Returns the first step of a plan, and what it does not satisfy. The plan is a list of all steps, each in quotes.
fn failed_part(reason: &str) -> Option<String> {
    let (_, plan) = reason.split_once("Plan: [\"")?;
    let (steps, failed) = plan.split_once("] does not satisfy")?;
    let step = steps.split_once("\", \"").map_or(steps, |(first, _)| first).trim_end_matches('"');
    Some(format!("{step} does not satisfy{failed}"))
}

/// Returns the text of an error about a damaged file with the command that restores what is left of it; `None` for other errors.
fn of_damaged_file(text: &str) -> Option<String> {
    let (path, reason) = named_file(text)?;
    let is_archive = path.extension().is_some_and(|extension| extension == "npz");
    // An error about something else keeps its own advice, also if the file is damaged; and all members of an archive would be read.
    let of_damage: &[&str] = match is_archive {
        true => &["archive", "checksum", "end record", "directory ends", "deflate"],
        false => &["not a .npy file", "truncated", "the header", "format version"],
    };
    let is_of_target = reason.starts_with("it exists");
    if is_of_target || !of_damage.iter().any(|part| reason.contains(part)) {
        return None;
    }
    let plan = diagnose(path, &Options::new()).ok().filter(|plan| plan.is_needed())?;
    let command = format!("npy repair {} -o OUT --yes", word(&path.to_string_lossy()));
    let truncated = plan.damages().iter().find_map(|damage| match damage {
        Damage::Truncated { kept, stated, .. } => Some((kept, stated)),
        _ => None,
    });
    let remedy = match truncated {
        Some((0, _)) => return None,
        Some((kept, stated)) => {
            format!("{kept} of {stated} rows are complete, and {command} keeps them")
        }
        None if plan.members().len() > plan.unrepairable().len() => {
            format!("{command} keeps its complete members")
        }
        None if is_archive => return None,
        None => format!("{command} restores it"),
    };
    let wrong = text.rsplit_once("; ").map_or(text, |(wrong, _)| wrong);
    Some(format!("{wrong}; {remedy}; or copy the file again"))
}

/// Returns the first file that a text names, and the text after it. Its path may have a colon in it, too.
fn named_file(text: &str) -> Option<(&Path, &str)> {
    const PARTS: usize = 8;
    let ends = || text.match_indices(": ").map(|(at, _)| at).take(PARTS);
    let starts = std::iter::once(0).chain(ends().map(|at| at + 2));
    starts
        .flat_map(|start| ends().filter(move |end| *end > start).map(move |end| (start, end)))
        .filter_map(|(start, end)| Some((Path::new(text.get(start..end)?), text.get(end + 2..)?)))
        .find(|(path, _)| {
            let extension = path.extension().unwrap_or_default();
            ["npy", "npz"].iter().any(|known| extension == *known) && path.is_file()
        })
}

#[cfg(test)]
mod tests {
    use npy_core::WriteNpy;
    use npy_datafusion::datafusion::common::{internal_datafusion_err, plan_datafusion_err};

    use super::*;

    /// Guards mistakes of the engine: one line with the part of the query, and without the plan.
    #[test]
    fn a_mistake_of_the_engine_is_short() {
        let internal = internal_datafusion_err!("Assertion failed: the column x@3 is not there");
        let rule = internal.context("Optimizer rule 'common_sub_expression_eliminate' failed");
        let order = plan_datafusion_err!(
            "Plan: [\"SortPreservingMergeExec: [a@0 ASC]\", \"  DataSourceExec: {}\"] does not satisfy order requirements: [a@0 ASC]. Child-0 order: []",
            "x".repeat(5000)
        );
        for (error, expected) in [
            (rule, "may be right: Assertion failed: the column x@3 is not there; write"),
            (
                order.context(CHECK),
                "may be right: SortPreservingMergeExec: [a@0 ASC] does not satisfy order requirements: [a@0 ASC]. Child-0 order: []; give the expression of the order a name",
            ),
            (internal_datafusion_err!("{}", "y".repeat(5000)), "yyy…; write"),
        ] {
            let text = message(&error);
            assert!(text.contains(expected), "{text}");
            assert!(text.starts_with("DataFusion 55.") && !text.contains("likely"), "{text}");
            assert!(text.len() < 600 && !text.contains('\n'), "{text}");
        }
    }

    /// Guards queries with arguments of wrong types: they are not called right.
    #[test]
    fn wrong_types_are_not_a_mistake_of_the_engine() {
        let types = internal_datafusion_err!(
            "Failed to coerce types Timestamp(s) and Int64 in BETWEEN expression"
        );
        let text = message(&types);
        assert!(text.starts_with("Failed to coerce types Timestamp(s) and Int64"), "{text}");
        assert!(text.ends_with("as in value[1]") && !text.contains("mistake"), "{text}");
    }
    /// Guards errors about something else than the damage of their file: they keep their advice.
    #[test]
    fn a_conversion_is_not_a_version() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.npy");
        [1u32, 2].write_npy(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        for (reason, is_of_damage) in [
            ("truncated: expected 8 bytes", true),
            ("unknown format version 9.0", true),
            ("the conversion loses digits", false),
        ] {
            let text = format!("{}: {reason}; write it again", path.display());
            assert_eq!(of_damaged_file(&text).is_some(), is_of_damage, "{reason}");
        }
    }
}
