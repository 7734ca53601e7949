//! The statements of the command line, one after another in one session, so that a setting holds for those after it.

use std::collections::{BTreeSet, HashSet};

use npy_datafusion::datafusion::common::{
    Column, SchemaError, exec_datafusion_err, plan_datafusion_err, plan_err,
};
use npy_datafusion::datafusion::error::{DataFusionError, Result};
use npy_datafusion::datafusion::logical_expr::{DdlStatement, LogicalPlan};
use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::datafusion::sql::parser::{DFParserBuilder, Statement};
use npy_datafusion::datafusion::sql::sqlparser::ast;

use crate::advice;
use crate::aliases::Aliases;
use crate::copy::{self, Copy};
use crate::lists;
use crate::nearest::nearest;
use crate::numbers;
use crate::output::{self, Form};
use crate::prepared;
use crate::quotes;
use crate::spans;
use crate::tables::{self, Locations};

/// Runs all statements, and prints the rows of each. A mistake in the grammar of one is found before the first one runs.
pub(crate) async fn run(
    ctx: &SessionContext,
    sql: &str,
    files: &[String],
    form: Form,
    no_clobber: bool,
) -> Result<()> {
    let recursion = ctx.state().config_options().sql_parser.recursion_limit.get();
    let mut parser = DFParserBuilder::new(sql).with_recursion_limit(recursion).build()?;
    let columns = quotes::columns_of(ctx, files).await;
    quotes::check_numbers(sql, &columns)?;
    // A column that is a word of SQL may also be the reason why another name is not there.
    let of_columns = quotes::of_columns(&columns, sql);
    let statements = parser.parse_statements().map_err(|error| {
        let of_copy = advice::of_copy(sql);
        let of_files = || quotes::of_files(files, sql);
        match of_copy.or_else(of_files).or_else(|| of_columns.clone()) {
            Some(advice) => plan_datafusion_err!("{}; {advice}", error.strip_backtrace()),
            None => error,
        }
    })?;
    if statements.is_empty() {
        return plan_err!(
            "there is no statement; write one, for example 'SELECT * FROM t LIMIT 5'"
        );
    }
    let statements = prepared::executed(ctx, statements.into())?;
    let traps = statements.iter().map(advice::check_traps).collect::<Result<Vec<_>>>()?;
    statements.iter().try_for_each(advice::check_insert)?;
    tables::check_read(&statements, files)?;
    let mut printed = 0;
    let mut remarked: HashSet<String> = files.iter().cloned().collect();
    for (statement, traps) in statements.into_iter().zip(traps) {
        let mut locations = Locations::default();
        tables::add_locations(&statement, &mut locations);
        for location in locations.0 {
            if remarked.insert(location.clone()) {
                tables::remark_on(&location);
            }
        }
        let is_query = is_query(&statement);
        let (compared, aliases) = (advice::compared_names(&statement), Aliases::of(&statement));
        let named = |error: DataFusionError| {
            let text = error.strip_backtrace();
            let of_arithmetic = spans::of_arithmetic(&text, &statement);
            let arguments = |name: &str| numbers::arguments(&statement, name);
            match of_arithmetic.or_else(|| numbers::of_function(&text, arguments)) {
                Some(advice) => plan_datafusion_err!("{advice}"),
                None => named(error, &columns, &compared, &aliases),
            }
        };
        let plan = npy_datafusion::statement_to_plan(&ctx.state(), statement.clone()).await;
        let plan =
            plan.map_err(|error| match (&of_columns, named(tables::named(error, files))) {
                (Some(advice), error) if is_about_name(&error) => {
                    let text = error.strip_backtrace();
                    // The new error begins so, too.
                    let text = text.strip_prefix("Error during planning: ").unwrap_or(&text);
                    plan_datafusion_err!("{text}; {advice}")
                }
                (_, error) => error,
            })?;
        quotes::check_words(&statement, &plan)?;
        numbers::check_casts(&plan)?;
        traps.remark_on_natural(&plan)?;
        // Its parts are shared.
        let of_plan = plan.clone();
        let named = |error: DataFusionError| {
            let error = named(error);
            let text = error.strip_backtrace();
            match numbers::of_text(&text, &of_plan) {
                Some(advice) => exec_datafusion_err!("{text}; {advice}"),
                None => error,
            }
        };
        check_into(&plan, is_query)?;
        if is_query && plan.schema().fields().is_empty() {
            return plan_err!("a query without columns prints nothing; write SELECT * FROM t");
        }
        copy::check_csv(&plan)?;
        lists::remark_on_order(&plan)?;
        if let Some(schema) = copy::columns_of_text(&plan) {
            output::remark_on_bytes(schema);
        }
        let is_output = copy::is_to_output(&plan);
        let rows = match Copy::new(ctx, &plan, no_clobber)? {
            Some((plan, copy)) => {
                let count = ctx.execute_logical_plan(plan).await.map_err(named)?;
                let count = count.collect().await.map_err(named)?;
                copy.finish()?;
                ctx.read_batches(count)?
            }
            None => ctx.execute_logical_plan(plan).await.map_err(named)?,
        };
        if is_output {
            // The number of rows is not one of them.
            rows.collect().await.map_err(named)?;
            continue;
        }
        let rows = rows.execute_stream().await.map_err(named)?;
        // `SET` and `CREATE` have no rows, and no columns either.
        if !rows.schema().fields().is_empty() {
            output::print(rows, form, printed == 0).await.map_err(named)?;
            printed += 1;
        }
        check_settings(ctx)?;
    }
    Ok(())
}

/// Returns true for errors about a table or a column that is not there.
fn is_about_name(error: &DataFusionError) -> bool {
    let text = error.strip_backtrace();
    text.contains("' not found") || text.contains("there are no columns here")
}

fn is_query(statement: &Statement) -> bool {
    matches!(statement, Statement::Statement(inner) if matches!(**inner, ast::Statement::Query(_)))
}

/// Refuses `SELECT … INTO x`: the engine makes a table in memory of it, which would be gone with the command, and print nothing.
fn check_into(plan: &LogicalPlan, is_query: bool) -> Result<()> {
    match plan {
        LogicalPlan::Ddl(DdlStatement::CreateMemoryTable(table)) if is_query => {
            let name = table.name.to_string();
            match advice::is_file(&name) {
                true => plan_err!(
                    "SELECT … INTO writes no file; write COPY (SELECT …) TO '{}'",
                    advice::quoted(&name)
                ),
                false => plan_err!(
                    "SELECT … INTO {name} writes no file; write COPY (SELECT …) TO '{name}.npy', or CREATE TABLE {name} AS SELECT … for the statements after it"
                ),
            }
        }
        _ => Ok(()),
    }
}

/// Refuses settings for which the engine would reserve more memory than there is, before it has a row.
fn check_settings(ctx: &SessionContext) -> Result<()> {
    let state = ctx.state();
    let settings = &state.config_options().execution;
    for (name, value, most) in [
        ("batch_size", settings.batch_size.get(), 1 << 20),
        ("target_partitions", settings.target_partitions, 1 << 12),
    ] {
        if value > most {
            return plan_err!("datafusion.execution.{name} is {value}; set {most} at most");
        }
    }
    Ok(())
}

/// Says how a column is written, and how a format is named. DataFusion advises to change a setting that is changed here already.
fn named(
    error: DataFusionError,
    columns: &[String],
    compared: &HashSet<String>,
    aliases: &Aliases,
) -> DataFusionError {
    const NO_FORMAT: &str = "There is no registered file format with ext ";
    let text = error.strip_backtrace();
    if let Some((_, extension)) = text.split_once(NO_FORMAT) {
        return plan_datafusion_err!(
            "no format has the extension {extension}; write STORED AS NPY, NPZ, CSV, JSON or PARQUET after the name"
        );
    }
    if let Some(advice) = advice::of_function(&text) {
        return plan_datafusion_err!("{advice}");
    }
    if let Some(advice) = advice::of_group(&text, columns, aliases) {
        return plan_datafusion_err!("{advice}");
    }
    if let Some(advice) = advice::of_cast(&text) {
        return plan_datafusion_err!("{advice}");
    }
    let DataFusionError::SchemaError(schema, _) = error.find_root() else { return error };
    if let SchemaError::AmbiguousReference { field } = &**schema {
        let notes = error.diagnostic().into_iter().flat_map(|it| &it.notes);
        let possible = notes.filter_map(|note| {
            let path = note.message.strip_prefix("possible column ")?;
            // The schema of virtual columns is not one of the session.
            let path = path.strip_prefix("npy.virtual.").unwrap_or(path);
            let table = path.strip_suffix(&*field.name)?.strip_suffix('.')?;
            Some(format!("{}.{}", written(table), written(&field.name)))
        });
        let possible = possible.collect::<Vec<_>>().join(" or ");
        return match possible.is_empty() {
            true => plan_datafusion_err!("{schema}; give the new column another name: x + 1 AS y"),
            false => plan_datafusion_err!("{schema}; write its table before it, {possible}"),
        };
    }
    let SchemaError::FieldNotFound { field, valid_fields } = &**schema else { return error };
    let is_other_case = |other: &&Column| {
        other.name != field.name && other.name.to_lowercase() == field.name.to_lowercase()
    };
    let of_alias = aliases.advice(&field.name).filter(|_| field.relation.is_none());
    if let Some(advice) = of_alias {
        return plan_datafusion_err!("No field named {}; {advice}", field.flat_name());
    }
    // SQL takes x.y for the y of x.
    let path = field.flat_name();
    let is_path = |other: &&Column| {
        let before = path.strip_suffix(other.name.as_str());
        other.name.contains('.') && before.is_some_and(|it| it.is_empty() || it.ends_with('.'))
    };
    if let Some(column) = valid_fields.iter().find(is_path) {
        let name = written(&column.name);
        return plan_datafusion_err!("No field named {path}; write {name}, in double quotes");
    }
    let tables = valid_fields.iter().filter_map(|it| it.relation.as_ref());
    let tables: BTreeSet<String> = tables.map(|it| written(it.table())).collect();
    if let Some(relation) = &field.relation
        && !tables.is_empty()
        && !tables.contains(&written(relation.table()))
    {
        return plan_datafusion_err!(
            "No field named {path}; the tables are {}, where an alias replaces a name; {}",
            Vec::from_iter(tables).join(", "),
            list_of(valid_fields)
        );
    }
    let advice = match valid_fields.iter().find(is_other_case) {
        Some(column) => format!("write {}, since names have a case", written(&column.name)),
        None if field.relation.is_none() && field.name.eq_ignore_ascii_case("nan") => {
            "write isnan(x) or NOT isnan(x) for a condition, and CAST('NaN' AS DOUBLE) for the value"
                .to_owned()
        }
        None if field.relation.is_none() && compared.contains(&field.name) => {
            let text = advice::quoted(&field.name);
            format!("text is in single quotes: '{text}'; {}", list_of(valid_fields))
        }
        None => {
            let names = valid_fields.iter().map(|column| column.name.as_str());
            match nearest(&field.name, names) {
                Some(name) => {
                    format!("{}; did you mean {}?", list_of(valid_fields), written(name))
                }
                None => list_of(valid_fields),
            }
        }
    };
    plan_datafusion_err!("No field named {path}; {advice}")
}

/// Returns the names of the columns, each once.
pub(crate) fn list_of(columns: &[Column]) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in columns.iter().map(|column| written(&column.name)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names[..] {
        [] => "there are no columns here".to_owned(),
        _ => format!("the columns are {}", names.join(", ")),
    }
}

/// Returns a name as it is written in a statement.
pub(crate) fn written(name: &str) -> String {
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_numeric())
        && !quotes::is_reserved(name);
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}
