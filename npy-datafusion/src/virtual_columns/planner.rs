//! Statements that name virtual columns. Their tables have these columns, and no other tables have them.
//!
//! A table of DataFusion has no hidden columns: `*` means all of them. So they are added to the tables of a statement that names them. They have
//! another qualifier than the other columns of a table, which is equal to that of the table if its missing parts are ignored, as names of columns are looked up.
//! `t.*` compares all parts, so it has the other columns alone. `*` is replaced by `t.*`.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::datatypes::Field;
use datafusion::catalog::TableProvider;
use datafusion::common::{DFSchema, TableReference};
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::error::Result;
use datafusion::execution::SessionState;
use datafusion::logical_expr::dml::CopyTo;
use datafusion::logical_expr::planner::{
    PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning,
};
use datafusion::logical_expr::{
    self, CreateMemoryTable, CreateView, DdlStatement, Expr, LogicalPlan, LogicalPlanBuilder,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::analyzer::type_coercion::TypeCoercion;
use datafusion::prelude::{Column, DataFrame, SessionContext};
use datafusion::sql::parser::{CopyToSource, Statement};
use datafusion::sql::sqlparser::ast::{
    Ident, JoinConstraint, JoinOperator, ObjectName, Select, SelectItem,
    SelectItemQualifiedWildcardKind, TableFactor, VisitMut, VisitorMut, WildcardAdditionalOptions,
};

use super::{FILE, ROW, is_virtual};
use crate::beside::BesideTable;
use crate::settings::NpySettings;
use crate::table::NpyTable;
use crate::time_literals::KeepTimesOfText;
use crate::{refused, replaced};

/// Plans a statement as [`SessionContext::sql`] does. If it names `_file` or `_row`, the tables in it have these columns, which are not part of `*`.
///
/// `_file` is the path or the URL of the file that a row is in, and `_row` the index of the row there. A column of the files that has such a name stays.
/// With a join `USING`, and in `* EXCLUDE (x)` of several tables, `*` has the virtual columns, too.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("x.npy");
/// npy_core::save(&path, &[1.5f64, 2.5])?;
/// let ctx = npy_datafusion::session();
/// let query = format!("SELECT _row FROM npy('{}') WHERE value > 2", path.display());
/// assert_eq!(npy_datafusion::sql(&ctx, &query).await?.count().await?, 1);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Those of [`SessionContext::sql`], and those of [`statement_to_plan`].
pub async fn sql(ctx: &SessionContext, query: &str) -> Result<DataFrame> {
    let state = ctx.state();
    let dialect = state.config_options().sql_parser.dialect;
    let statement = state.sql_to_statement(query, &dialect)?;
    ctx.execute_logical_plan(statement_to_plan(&state, statement).await?).await
}

/// Plans a statement as [`sql`] does.
///
/// # Errors
///
/// Those of [`SessionState::statement_to_plan`]; and if `COPY` would replace a file that its query reads, or an archive whose other members would be lost; and if
/// its directory does not exist, its name is of another format, or its directory has files of another table.
pub async fn statement_to_plan(
    state: &SessionState,
    mut statement: Statement,
) -> Result<LogicalPlan> {
    if !names_virtual(&statement.to_string()) {
        return checked(state, state.statement_to_plan(statement).await?).await;
    }
    replace_wildcards(&mut statement);
    let mut state = state.clone();
    let settings = NpySettings::of(state.config_options());
    let settings = NpySettings { virtual_columns: true, ..settings };
    state.config_mut().options_mut().extensions.insert(settings);
    let plan = renamed_result(state.statement_to_plan(statement).await?)?;
    checked(&state, plan).await
}

/// Refuses a plan that would be answered wrongly, and converts the types of a view and of the values of EXECUTE.
async fn checked(state: &SessionState, plan: LogicalPlan) -> Result<LogicalPlan> {
    refused::check(&plan)?;
    replaced::check(state, &plan).await?;
    match plan {
        // DataFusion 55.2 converts the types of a view before the rules of the analyzer.
        LogicalPlan::Ddl(DdlStatement::CreateView(_)) => {
            KeepTimesOfText.analyze(plan, state.config_options())
        }
        // DataFusion 55.2 computes the values as they are written, and panics for [1.5, 2].
        LogicalPlan::Statement(logical_expr::Statement::Execute(_)) => {
            TypeCoercion::new().analyze(plan, state.config_options())
        }
        plan => Ok(plan),
    }
}

/// Gives the columns of a result the names that they would have without the qualifier of virtual columns: `max(t._row)`.
fn renamed_result(plan: LogicalPlan) -> Result<LogicalPlan> {
    match plan {
        LogicalPlan::Copy(copy) => {
            let input = Arc::new(renamed_query(Arc::unwrap_or_clone(copy.input))?);
            Ok(LogicalPlan::Copy(CopyTo { input, ..copy }))
        }
        LogicalPlan::Ddl(DdlStatement::CreateMemoryTable(table)) => {
            let input = Arc::new(renamed_query(Arc::unwrap_or_clone(table.input))?);
            let table = CreateMemoryTable { input, ..table };
            Ok(LogicalPlan::Ddl(DdlStatement::CreateMemoryTable(table)))
        }
        LogicalPlan::Ddl(DdlStatement::CreateView(view)) => {
            let input = Arc::new(renamed_query(Arc::unwrap_or_clone(view.input))?);
            Ok(LogicalPlan::Ddl(DdlStatement::CreateView(CreateView { input, ..view })))
        }
        LogicalPlan::Ddl(_)
        | LogicalPlan::Dml(_)
        | LogicalPlan::Statement(_)
        | LogicalPlan::Explain(_)
        | LogicalPlan::Analyze(_)
        | LogicalPlan::DescribeTable(_) => Ok(plan),
        query => renamed_query(query),
    }
}

fn renamed_query(plan: LogicalPlan) -> Result<LogicalPlan> {
    let prefix = format!("{HIDDEN}.");
    let is_hidden = |field: &Arc<Field>| field.name().contains(&prefix);
    if !plan.schema().fields().iter().any(is_hidden) {
        return Ok(plan);
    }
    let column = |(table, field): (Option<&TableReference>, &Arc<Field>)| {
        let column = Expr::Column(Column::from((table, field)));
        match is_hidden(field) {
            true => column.alias_qualified(table.cloned(), field.name().replace(&prefix, "")),
            false => column,
        }
    };
    let columns: Vec<Expr> = plan.schema().iter().map(column).collect();
    LogicalPlanBuilder::from(plan).project(columns)?.build()
}

/// Returns true if a word of a statement is the name of a virtual column.
fn names_virtual(statement: &str) -> bool {
    let mut words = statement.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| [FILE, ROW].iter().any(|name| word.eq_ignore_ascii_case(name)))
}

/// Replaces `*` by `t.*` for each table.
fn replace_wildcards(statement: &mut Statement) {
    match statement {
        Statement::Statement(statement) => {
            let _ = statement.visit(&mut Wildcards);
        }
        Statement::CopyTo(copy) => {
            if let CopyToSource::Query(query) = &mut copy.source {
                let _ = query.visit(&mut Wildcards);
            }
        }
        Statement::Explain(explain) => replace_wildcards(&mut explain.statement),
        _ => {}
    }
}

struct Wildcards;

impl VisitorMut for Wildcards {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let Some(tables) = tables_of(select) else { return ControlFlow::Continue(()) };
        let items = std::mem::take(&mut select.projection);
        for item in items {
            match item {
                // Each table would have to have the columns of `* EXCLUDE (x)`.
                SelectItem::Wildcard(options)
                    if tables.len() == 1 || options == WildcardAdditionalOptions::default() =>
                {
                    let of_table = |table: &ObjectName| {
                        let table = SelectItemQualifiedWildcardKind::ObjectName(table.clone());
                        SelectItem::QualifiedWildcard(table, options.clone())
                    };
                    select.projection.extend(tables.iter().map(of_table));
                }
                other => select.projection.push(other),
            }
        }
        ControlFlow::Continue(())
    }
}

/// Returns the names of the tables whose columns `*` has; `None` if a list of them would not be the same: a join may leave out columns.
fn tables_of(select: &Select) -> Option<Vec<ObjectName>> {
    let mut names = Vec::new();
    for table in &select.from {
        names.push(name_of_table(&table.relation)?);
        for join in &table.joins {
            let constraint = match &join.join_operator {
                JoinOperator::Join(it)
                | JoinOperator::Inner(it)
                | JoinOperator::Left(it)
                | JoinOperator::LeftOuter(it)
                | JoinOperator::Right(it)
                | JoinOperator::RightOuter(it)
                | JoinOperator::FullOuter(it)
                | JoinOperator::CrossJoin(it) => it,
                _ => return None,
            };
            if !matches!(constraint, JoinConstraint::On(_) | JoinConstraint::None) {
                return None;
            }
            names.push(name_of_table(&join.relation)?);
        }
    }
    (!names.is_empty()).then_some(names)
}

/// Returns the name of a table in a statement.
pub fn name_of_table(table: &TableFactor) -> Option<ObjectName> {
    match table {
        TableFactor::Table { alias: Some(alias), .. }
        | TableFactor::Derived { alias: Some(alias), .. } => {
            Some(ObjectName::from(vec![alias.name.clone()]))
        }
        TableFactor::Table { name, alias: None, args: None, .. } => Some(name.clone()),
        // The name that the planner gives to a table function.
        TableFactor::Table { name, alias: None, args: Some(_), .. } => {
            let name = format!("{}()", name.0.first()?.as_ident()?);
            Some(ObjectName::from(vec![Ident::with_quote('"', name)]))
        }
        _ => None,
    }
}

/// Adds virtual columns to tables, if the session or the statement asks for them.
#[derive(Debug)]
pub(crate) struct VirtualColumns;

/// Marks a table whose turn it is: DataFusion plans it then, and ignores the partitions that a statement selects.
const PLANNED: &str = "npy.planned";

impl RelationPlanner for VirtualColumns {
    fn plan_relation(
        &self,
        mut relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        let is_on = NpySettings::of(context.context_provider().options()).virtual_columns;
        let TableFactor::Table { partitions, .. } = &mut relation else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        let marked = partitions.iter().position(|it| it.value == PLANNED);
        if let Some(marked) = marked {
            partitions.remove(marked);
        }
        if !is_on || marked.is_some() {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        }
        partitions.push(Ident::new(PLANNED));
        let plan = with_columns(context.plan(relation)?)?;
        Ok(RelationPlanning::Planned(Box::new(PlannedRelation::new(plan, None))))
    }
}

/// Adds the columns to a plan that is a table of ours.
fn with_columns(plan: LogicalPlan) -> Result<LogicalPlan> {
    let (scan, name) = match &plan {
        LogicalPlan::TableScan(scan) => (scan, &scan.table_name),
        LogicalPlan::SubqueryAlias(alias) => match &*alias.input {
            LogicalPlan::TableScan(scan) => (scan, &alias.alias),
            _ => return Ok(plan),
        },
        _ => return Ok(plan),
    };
    let Ok(provider) = source_as_provider(&scan.source) else { return Ok(plan) };
    let table: Arc<dyn TableProvider> = if let Some(table) = provider.downcast_ref::<NpyTable>() {
        Arc::new(table.with_virtual_columns(&table.schema())?)
    } else if let Some(table) = provider.downcast_ref::<BesideTable>() {
        Arc::new(table.with_virtual_columns()?)
    } else {
        return Ok(plan);
    };
    if scan.projection.is_some() || !scan.filters.is_empty() || scan.fetch.is_some() {
        return Ok(plan);
    }
    let scan = LogicalPlanBuilder::scan(name.clone(), provider_as_source(table), None)?;
    let columns = renamed(scan.schema(), &hidden(name));
    scan.project(columns)?.build()
}

/// Returns all columns, the virtual ones with this qualifier.
fn renamed(schema: &DFSchema, qualifier: &TableReference) -> Vec<Expr> {
    let column = |(table, field): (Option<&TableReference>, &Arc<_>)| {
        let column = Expr::Column(Column::from((table, field)));
        match is_virtual(field) {
            true => column.alias_qualified(Some(qualifier.clone()), field.name()),
            false => column,
        }
    };
    schema.iter().map(column).collect()
}

/// The part that another name of a table has more.
const HIDDEN: &str = "npy.virtual";

/// Returns another name of a table, which is equal if missing parts are ignored.
fn hidden(table: &TableReference) -> TableReference {
    match table {
        TableReference::Bare { table } => TableReference::partial(HIDDEN, Arc::clone(table)),
        TableReference::Partial { schema, table } => {
            TableReference::full(HIDDEN, Arc::clone(schema), Arc::clone(table))
        }
        TableReference::Full { table, .. } => TableReference::bare(Arc::clone(table)),
    }
}
