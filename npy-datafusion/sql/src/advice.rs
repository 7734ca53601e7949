//! Advice for statements that other programs take: functions of other names, files in the place of tables, days without quotes.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::Path;

use npy_datafusion::datafusion::common::plan_err;
use npy_datafusion::datafusion::common::tree_node::TreeNodeRecursion;
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::logical_expr::LogicalPlan;
use npy_datafusion::datafusion::sql::parser::Statement;
use npy_datafusion::datafusion::sql::sqlparser::ast::{
    self, BinaryOperator, Expr, Ident, JoinConstraint, JoinOperator, Select, TableFactor,
    TableObject, TableWithJoins, Value, ValueWithSpan, Visitor,
};
use npy_datafusion::datafusion::sql::sqlparser::tokenizer::Location;
use npy_datafusion::{insert_refused, name_of_table, word};

use crate::aliases::Aliases;
use crate::nearest::nearest;
use crate::output::printable;
use crate::statements::{list_of, written};
use crate::tables;

/// The parts of a time that have functions of their names elsewhere.
const PARTS_OF_TIME: [&str; 8] =
    ["year", "quarter", "month", "week", "day", "hour", "minute", "second"];

/// Functions that need `OVER`.
const WINDOWS: [&str; 8] =
    ["cume_dist", "dense_rank", "lag", "lead", "ntile", "percent_rank", "rank", "row_number"];

/// Functions of other programs, and what to write here.
const FUNCTIONS: [(&str, &str); 18] = [
    ("dayofweek", "date_part('dow', t)"),
    ("weekday", "date_part('dow', t)"),
    ("strftime", "to_char(t, '%Y-%m-%d')"),
    ("datediff", "t2 - t1"),
    ("std", "stddev(x), or stddev_pop(x), which is that of np.std"),
    ("variance", "var_samp(x), or var_pop(x), which is that of np.var"),
    ("percentile", "percentile_cont(x, 0.95)"),
    ("quantile", "percentile_cont(x, 0.95)"),
    ("isnat", "t IS NULL"),
    ("isnull", "x IS NULL"),
    ("len", "length(x)"),
    ("mod", "x % y"),
    ("if", "CASE WHEN x > 0 THEN 1 ELSE 0 END"),
    ("iif", "CASE WHEN x > 0 THEN 1 ELSE 0 END"),
    ("norm", "sqrt(npy_dot(v, v)), or npy_l2(v, w) for the norm of a difference"),
    ("group_concat", "string_agg(x, ', ')"),
    ("argmax", "first_value(y ORDER BY x DESC NULLS LAST), the y of the largest x"),
    ("argmin", "first_value(y ORDER BY x NULLS LAST), the y of the least x"),
];

/// Returns an error for an unknown function with the one to write; `None` if the text is about something else.
pub(crate) fn of_function(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("Invalid function '")?;
    let (name, _) = rest.split_once('\'')?;
    let lower = name.to_lowercase();
    let instead = match PARTS_OF_TIME.contains(&&*lower) {
        true => format!("date_part('{lower}', t)"),
        false => match FUNCTIONS.iter().find(|(other, _)| *other == lower) {
            Some((_, instead)) => (*instead).to_owned(),
            None => return of_guess(name, rest),
        },
    };
    Some(format!("there is no function {name}; write {instead}"))
}

/// Returns the error for an unknown function without the guess of the engine, if that has a quite different name.
fn of_guess(name: &str, rest: &str) -> Option<String> {
    let (_, guess) = rest.split_once("Did you mean '")?;
    let guess = guess.split('\'').next();
    let is_window = WINDOWS.contains(&&*name.to_lowercase());
    match nearest(name, guess) {
        Some(_) if !is_window => None,
        _ => Some(format!(
            "there is no function {name}, or it needs OVER (ORDER BY x); SHOW FUNCTIONS lists those that there are"
        )),
    }
}

/// Returns the way to a file that a statement names as a table.
pub(crate) fn of_table(name: &str) -> Option<String> {
    let is_file = is_array(name) || name.contains(['/', '*']);
    let of_array = || format!("files are a table by their function: npy('{}')", quoted(name));
    of_text_file(name).or_else(|| is_file.then(of_array))
}

/// Returns the ways to a file of another format.
pub(crate) fn of_text_file(name: &str) -> Option<String> {
    let path = Path::new(name);
    let format = path.extension()?.to_str()?.to_uppercase();
    let table = format!(
        "write CREATE EXTERNAL TABLE {} STORED AS {format} LOCATION '{}' before the query",
        written(&path.file_stem()?.to_string_lossy()),
        quoted(name)
    );
    match &*format {
        "CSV" | "JSON" => Some(format!(
            "make an array of it by npy convert {} {}, or {table}",
            word(name),
            word(&path.with_extension("npy").to_string_lossy())
        )),
        "PARQUET" => Some(table),
        _ => None,
    }
}

pub(crate) fn is_array(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|it| it == "npy" || it == "npz")
}

/// Returns true for the name of a file that `COPY` writes.
pub(crate) fn is_file(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|it| it.to_str());
    extension.is_some_and(|it| ["npy", "npz", "csv", "json", "parquet"].contains(&it))
}

/// Returns a name for the inside of quotes.
pub(crate) fn quoted(name: &str) -> String {
    name.replace('\'', "''")
}

/// Returns the error for a column that `GROUP BY` lacks; `None` if the text is about something else.
pub(crate) fn of_group(text: &str, columns: &[String], aliases: &Aliases) -> Option<String> {
    let (before, _) = text.split_once(" must appear in the GROUP BY clause")?;
    if before.contains("HAVING clause references") {
        let advice = "HAVING is a condition on groups; write WHERE for one on rows, and a function of the group for others, as in HAVING max(x) > 2";
        return Some(advice.to_owned());
    }
    let (_, path) = before.strip_suffix('"')?.rsplit_once("column \"")?;
    if path.contains(" BETWEEN ") {
        let advice = "ORDER BY cannot name a window function of groups by its number; give it a name, as in SELECT sum(sum(x)) OVER () AS y … ORDER BY y";
        return Some(advice.to_owned());
    }
    // A path of names: the last one is the column, which may have dots, too.
    let after_dots = path.match_indices('.').filter_map(|(at, _)| path.get(at + 1..));
    let own = std::iter::once(path).chain(after_dots);
    let known = own.clone().find(|name| columns.iter().any(|it| it == name));
    let of_call = path.split_once("().").map(|(_, name)| name);
    let name = written(known.or(of_call).or(own.last()).unwrap_or(path));
    let in_place = aliases.in_group(&name, columns);
    Some(format!(
        "the column {name} can have several values in a group of rows; {in_place}add {name} to GROUP BY, or take one of them, as in min({name})"
    ))
}

const EARLIER: &str = "there is no ASOF JOIN; write SELECT a.time, max(b.time) AS last FROM t a LEFT JOIN t2 b ON b.time <= a.time GROUP BY a.time, and join t2 by last";

const SUBQUERY: &str =
    "this form of subquery is not supported here; write it as a join, or unnest(…) in SELECT";

/// Parts of statements that the engine lacks, and what to write.
const LACKING: [(&str, &str); 9] = [
    (
        "does not support logical expression WindowFunction(",
        "a window function has no value in WHERE, HAVING, GROUP BY and ON; write QUALIFY in the place of WHERE or HAVING, or give it a name in a subquery, FROM (SELECT *, row_number() OVER (ORDER BY x) AS n FROM t)",
    ),
    (
        "does not support logical expression AggregateFunction(",
        "a function of a group has no value in GROUP BY and ON; give it a name in a subquery, FROM (SELECT id, count(*) AS n FROM t GROUP BY id); in ORDER BY, write t.x for a column x whose name SELECT gives to something else",
    ),
    (
        "Unsupported ast node Pivot",
        "there is no PIVOT; write a column for each value: SELECT sum(x) FILTER (WHERE k = 1) AS one, sum(x) FILTER (WHERE k = 2) AS two FROM t",
    ),
    (
        "Unsupported ast node Unpivot",
        "there is no UNPIVOT; write SELECT 'x' AS k, x AS v FROM t UNION ALL SELECT 'y', y FROM t",
    ),
    ("Unsupported JOIN operator AsOf", EARLIER),
    ("does not support logical expression OuterReferenceColumn(", SUBQUERY),
    ("does not support logical expression ScalarSubquery(", SUBQUERY),
    ("does not support logical expression Exists(", SUBQUERY),
    ("does not support logical expression InSubquery(", SUBQUERY),
];

/// Returns the error for a part of a statement that the engine lacks, without the tree that it is to the parser; `None` if the text is about something else.
pub(crate) fn of_lacking(text: &str) -> Option<String> {
    let instead = LACKING.iter().find(|(part, _)| text.contains(part));
    let short =
        || Some(text.split_once(" {")?.0.to_owned()).filter(|_| text.contains("span: Span("));
    instead.map(|(_, instead)| (*instead).to_owned()).or_else(short)
}

/// Returns what to write, for an error about a text or a number of another form.
pub(crate) fn of_form(text: &str) -> Option<&'static str> {
    const TIME: &str =
        "write a day as '2026-01-02', and a time with its seconds, '2026-01-02 10:30:00'";
    const LONG_DOUBLE: &str =
        "long doubles are bytes, and numbers by npy('x.npy', 'long_double_as_f64', 'true')";
    const DAY: &str = "write CAST(x AS DATE) for a text that is a day, and CAST(x AS TIMESTAMP(6)) for one that has a time";
    const SPAN: &str = "write a span of time as INTERVAL '5 seconds'";
    const OF_BYTES: &str = "bytes are text by --text, or by CAST(x AS TEXT)";
    const FORMS: [(&str, &str); 43] = [
        (
            ": field metadata differs (input field: Field",
            "in WITH RECURSIVE, write nullif(x, NULL) AS x in the place of each column x of a file",
        ),
        (
            "Invalid timezone",
            "write the name of a zone, as in 'Europe/Berlin', or its offset, as in '+01:00'",
        ),
        (
            "not allowed in the WHERE clause",
            "write x > (SELECT avg(x) FROM t) for the value of all rows",
        ),
        ("'NaT'", "a time that is missing is null: write t IS NULL, or t IS NOT NULL"),
        ("Date part 'weekday' not supported", "write 'dow' for the day of the week, 0 on Sunday"),
        (
            "Divide by zero error",
            "write nullif(y, 0) in the place of a divisor y: x / nullif(y, 0) is null where y is 0",
        ),
        (
            "hive partitions with datatype Binary",
            "read the bytes as text by --text, or write CAST(x AS TEXT) AS x",
        ),
        (
            "Cannot infer common argument type for comparison operation FixedSizeList(",
            "write x[1] for a number of a list x; array_max(x) > 2 is true if one of its numbers is greater, and array_min(x) > 2 if all are",
        ),
        ("Error parsing timestamp from '", TIME),
        ("to value of Date32 type", TIME),
        ("Cannot infer common argument type for comparison operation Timestamp", TIME),
        ("Cannot infer common argument type for comparison operation Duration", SPAN),
        ("Cannot infer common argument type for comparison operation Binary", OF_BYTES),
        (" = Binary", OF_BYTES),
        ("Unsupported CAST from Binary", OF_BYTES),
        (
            "Cannot infer common argument type for comparison operation FixedSizeBinary(16)",
            LONG_DOUBLE,
        ),
        ("regex operation Binary", OF_BYTES),
        ("range queries on datatype: Binary", OF_BYTES),
        ("No infix parser for token Sharp", "write (x | y) - (x & y) for XOR"),
        ("Unsupported binary operator: PGOverlap", "write AND"),
        (
            "not supported for Base table",
            "write the rows to a new file: COPY (SELECT …) TO 'new.npy'",
        ),
        (
            "\" is not UTF-8",
            "bytes that are not text are read by npy('x.npy', 'text_from_bytes', 'false')",
        ),
        ("requires String, but received Binary", OF_BYTES),
        ("Cannot coerce arithmetic expression Utf8 + Utf8", "texts are joined by ||: x || 'b'"),
        (
            "Cannot infer common argument type",
            "both sides need one type: CAST(x AS DOUBLE), value[1] for a number of a list, p.x for a field of a record, x for a truth value",
        ),
        (
            "operation: Interval(MonthDayNano) / Interval",
            "the seconds of a span are a number: date_part('epoch', s) / date_part('epoch', r)",
        ),
        (
            "Unsupported date_trunc granularity",
            "write one of them, or date_bin(INTERVAL '5 minutes', t)",
        ),
        (
            "Invalid interval arithmetic operation",
            "a number of days is a span by arrow_cast(CAST(n * 86400 AS BIGINT), 'Duration(s)')",
        ),
        (
            "Cannot coerce arithmetic expression Timestamp(",
            "write a span of time, x + INTERVAL '5 seconds', a time as TIMESTAMP '2026-01-02', or CAST(x AS BIGINT) for the number that a time is",
        ),
        ("Cannot coerce arithmetic expression FixedSizeBinary(16)", LONG_DOUBLE),
        (
            "'coalesce' user-defined coercion failed",
            "its arguments need one type: DATE '2026-01-02', TIMESTAMP '2026-01-02 10:30:00', or CAST(x AS TEXT) for all of them",
        ),
        (
            "Unary operator '-' only supports",
            "the negative of a span of time s is INTERVAL '0 seconds' - s",
        ),
        ("Utf8 + Interval(", DAY),
        ("Utf8View + Interval(", DAY),
        (
            "Cannot coerce arithmetic expression",
            "write CAST(x AS DOUBLE) for the number that a text is, and value[1] for a number of a list",
        ),
        (
            "Cannot cast to FixedSizeList(",
            "each list needs this length: SELECT DISTINCT array_length(x) FROM t has those that there are, and unnest(x) makes a row of each value",
        ),
        (
            "Unsupported CAST from FixedSizeList(",
            "write array_to_string(x, ' ') for the text of a list, and x[1] for one of its values",
        ),
        (
            "Schema contains duplicate qualified field name",
            "name each column of ROLLUP and CUBE once, and give a table that is there twice two names: t a JOIN t b",
        ),
        (
            "Cannot create filter with non-boolean predicate",
            "write a comparison, as in x > 0, x <> '', x IS NOT NULL",
        ),
        (
            "array_element does not support type",
            "the numbers of a row are one list in C order: write m[2] for m[1][2] if the shape of a row is (2, 3)",
        ),
        (
            "type FixedSizeList(2 x Float",
            "a list has no fields; of complex numbers, which are lists of two, x[1] is the real part, and x[2] the imaginary one",
        ),
        (
            "Format not explicitly set",
            "write STORED AS NPY, NPZ, CSV, JSON or PARQUET after the name",
        ),
        (
            "as u8. Non-ASCII string provided",
            "write one character, and a tab as E'\\t': OPTIONS (delimiter E'\\t')",
        ),
    ];
    FORMS.iter().find(|(part, _)| text.contains(part)).map(|(_, advice)| *advice)
}

/// Returns the name of an option of CSV, for an error about another one; `None` if the text is about something else.
pub(crate) fn of_option(text: &str) -> Option<&'static str> {
    const OTHERS: [(&[&str], &str); 3] = [
        (&["header", "headers", "names"], "write OPTIONS (has_header false), or true"),
        (&["delim", "sep", "separator", "field_delimiter"], "write OPTIONS (delimiter ';')"),
        (&["null", "nulls", "nullstr", "na_rep"], "write OPTIONS (null_value 'NA')"),
    ];
    let (before, _) = text.split_once("\" not found on CsvOptions")?;
    let (_, name) = before.rsplit_once('"')?;
    let other = OTHERS.iter().find(|(names, _)| names.contains(&name.to_lowercase().as_str()));
    Some(other.map_or(
        "the options of CSV are has_header, delimiter, quote, escape, comment, null_value, date_format, timestamp_format, compression",
        |(_, advice)| advice,
    ))
}

/// Returns the parentheses that `COPY` needs, or the quotes of its file; `None` if the statements have no such `COPY`.
pub(crate) fn of_copy(sql: &str) -> Option<String> {
    let words = || sql.split_whitespace();
    let pairs = || words().zip(words().skip(1));
    let is_one_of = |word: &str, others: &[&str]| others.contains(&&*word.to_uppercase());
    if pairs()
        .any(|(copy, next)| is_one_of(copy, &["COPY"]) && is_one_of(next, &["SELECT", "WITH"]))
    {
        return Some("write the query in parentheses: COPY (SELECT …) TO 'new.npy'".to_owned());
    }
    let is_copy = words().any(|word| is_one_of(word, &["COPY"]));
    let (_, file) = pairs().find(|(to, file)| {
        is_copy && is_one_of(to, &["TO"]) && is_file(file.trim_end_matches(';'))
    })?;
    Some(format!("write the name of the file in quotes: TO '{}'", file.trim_end_matches(';')))
}

/// Refuses a file in the place of the statement.
pub(crate) fn check_statement(sql: &str, files: &[String]) -> Result<()> {
    let is_name = is_array(sql) && !sql.contains(char::is_whitespace);
    if !is_name && !Path::new(sql).exists() {
        return Ok(());
    }
    let is_statement = |name: &&String| name.contains(' ') && !Path::new(name.as_str()).exists();
    let statement = files.iter().find(is_statement);
    let others = files.iter().filter(|file| Some(*file) != statement).map(String::as_str);
    let names: Vec<_> = std::iter::once(sql).chain(others).map(word).collect();
    plan_err!(
        "{sql}: it is a file, and the statement comes before the files; run npy sql {} {}",
        word(statement.map_or("SELECT * FROM t", |statement| statement)),
        names.join(" ")
    )
}

/// Refuses to add rows to a file, which is not a table that has a name.
pub(crate) fn check_insert(statement: &Statement) -> Result<()> {
    if let Statement::Statement(inner) = statement
        && let ast::Statement::Insert(insert) = &**inner
        && let TableObject::TableName(table) = &insert.table
    {
        let text = |name: &ast::ObjectName| {
            let parts = name.0.iter().filter_map(|part| Some(part.as_ident()?.value.as_str()));
            parts.collect::<Vec<_>>().join(".")
        };
        let table = text(table);
        // The parser takes the argument of npy('x.npy') for the name of a column.
        let refused = match &insert.columns[..] {
            [location] if table.eq_ignore_ascii_case("npy") => {
                let location = text(location);
                insert_refused(&location).or_else(|| insert_refused(&format!("{location}/")))
            }
            _ => insert_refused(&table),
        };
        if let Some(refused) = refused {
            return plan_err!("{refused}");
        }
    }
    Ok(())
}

/// Returns what to write for a column and its CAST in one list, to which the engine gives one name; `None` if the text is about something else.
pub(crate) fn of_cast(text: &str) -> Option<String> {
    let is_list = text.contains("require unique expression names")
        && (text.contains("CAST(") || text.contains("Windows"));
    if !is_list && !text.contains("Schema contains duplicate unqualified field name") {
        return None;
    }
    let (text, _) = text.split_once(" Consider aliasing").unwrap_or((text, ""));
    let text = text.trim_start_matches("Error during planning: ");
    let text = text.trim_start_matches("Schema error: ");
    Some(format!(
        "{}; the name of a CAST is that of its column: give it another one in a subquery, as in SELECT sum(a), sum(b) FROM (SELECT *, CAST(a AS DOUBLE) AS b FROM t); in ORDER BY, write t.x for a column x whose name SELECT gives to something else",
        text.trim_end_matches('.')
    ))
}

/// Returns the names that a statement compares with something and that may be meant as text: those in double quotes, as other programs have it, and those without quotes.
pub(crate) fn compared_names(statement: &Statement) -> HashSet<String> {
    let mut names = ComparedNames(HashSet::new());
    // The visitor never stops early.
    _ = tables::visit(statement, &mut names);
    names.0
}

struct ComparedNames(HashSet<String>);

impl Visitor for ComparedNames {
    type Break = Infallible;

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<Infallible> {
        let operands = match expression {
            Expr::BinaryOp { left, right, .. }
            | Expr::IsDistinctFrom(left, right)
            | Expr::IsNotDistinctFrom(left, right) => vec![&**left, &**right],
            Expr::Between { low, high, .. } => vec![&**low, &**high],
            Expr::Like { pattern, .. }
            | Expr::ILike { pattern, .. }
            | Expr::SimilarTo { pattern, .. }
            | Expr::RLike { pattern, .. } => vec![&**pattern],
            Expr::InList { list, .. } => list.iter().collect(),
            Expr::Case { operand: Some(_), conditions, .. } => {
                conditions.iter().map(|case| &case.condition).collect()
            }
            _ => Vec::new(),
        };
        // A name without quotes is a text more often than a column if it is on the right.
        let is_right = |operand: &Expr| match expression {
            Expr::BinaryOp { left, .. }
            | Expr::IsDistinctFrom(left, _)
            | Expr::IsNotDistinctFrom(left, _) => !std::ptr::eq(operand, &**left),
            _ => true,
        };
        for operand in operands {
            if let Expr::Identifier(Ident { value, quote_style, .. }) = operand
                && (*quote_style == Some('"') || quote_style.is_none() && is_right(operand))
            {
                self.0.insert(value.clone());
            }
        }
        ControlFlow::Continue(())
    }
}

/// Refuses days without quotes: `day = 2026-01-02` would compare with 2023, and with columns of text it finds no row. So are numbers that are too large for a
/// float, which would be infinite, `JOIN` without `ON`, which the engine takes for `CROSS JOIN`, and `x IS DISTINCT FROM y OR z`, which it takes for
/// `x IS DISTINCT FROM (y OR z)`.
pub(crate) fn check_traps(statement: &Statement) -> Result<Traps> {
    let mut traps = Traps::default();
    match tables::visit(statement, &mut traps) {
        ControlFlow::Continue(()) => Ok(traps),
        ControlFlow::Break(refused) => plan_err!("{refused}"),
    }
}

/// Finds the first number or join that is refused.
#[derive(Default)]
pub(crate) struct Traps {
    /// The tables after `NATURAL JOIN` as the statement has them, by their names in the plan.
    natural: HashMap<String, String>,
}

impl Visitor for Traps {
    type Break = String;

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<String> {
        select.from.iter().try_for_each(|tables| self.check_joins(tables))
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<String> {
        match table {
            TableFactor::NestedJoin { table_with_joins, .. } => self.check_joins(table_with_joins),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<String> {
        if let Some(day) = day(expression) {
            return ControlFlow::Break(format!(
                "{day} is a subtraction of numbers; write '{day}' for the day, or blanks around each minus"
            ));
        }
        if let Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) = expression
            && let first = first_operand(right)
            && first != &**right
        {
            let not = if matches!(expression, Expr::IsNotDistinctFrom(..)) { "NOT " } else { "" };
            return ControlFlow::Break(format!(
                "write ({left} IS {not}DISTINCT FROM {first}) with its parentheses; without them, the AND or OR after it belongs to {first}"
            ));
        }
        match number(expression) {
            Some((digits, _)) if digits.parse().is_ok_and(f64::is_infinite) => {
                ControlFlow::Break(format!(
                    "{digits} is greater than each float; write CAST('inf' AS DOUBLE) for infinity"
                ))
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Returns what is before the first `AND` or `OR`.
fn first_operand(expression: &Expr) -> &Expr {
    match expression {
        Expr::BinaryOp { left, op: BinaryOperator::And | BinaryOperator::Or, .. } => {
            first_operand(left)
        }
        other => other,
    }
}

impl Traps {
    fn check_joins(&mut self, tables: &TableWithJoins) -> ControlFlow<String> {
        for join in &tables.joins {
            let relation = &join.relation;
            if let JoinOperator::Join(JoinConstraint::None)
            | JoinOperator::Inner(JoinConstraint::None) = join.join_operator
            {
                return ControlFlow::Break(format!(
                    "JOIN {relation} has no condition; write ON …, or else CROSS JOIN {relation}"
                ));
            }
            if join.to_string().starts_with("NATURAL ") {
                let mut first = relation;
                while let TableFactor::NestedJoin { table_with_joins, alias: None } = first {
                    first = &table_with_joins.relation;
                }
                // A subquery needs no name.
                let name = name_of_table(first)
                    .and_then(|it| Some(it.0.last()?.as_ident()?.value.clone()));
                self.natural.insert(name.unwrap_or_default(), relation.to_string());
            }
        }
        ControlFlow::Continue(())
    }

    /// Says that a `NATURAL JOIN` has no common column, so that it is a `CROSS JOIN`, or that it compares `_file` and `_row`, since the
    /// statement names one. Another join to a table of this name in the same statement cannot be told from it.
    pub(crate) fn remark_on_natural(&self, plan: &LogicalPlan) -> Result<()> {
        plan.apply_with_subqueries(|part| {
            if let LogicalPlan::Join(join) = part
                && let Some((table, _)) = join.right.schema().iter().next()
                && let Some(relation) = self.natural.get(table.map_or("", |it| it.table()))
            {
                let mut keys = join.on.iter().filter_map(|(key, _)| key.try_as_col());
                let reason = match keys.any(|key| key.name == "_row") {
                    true => "compares _file and _row, too",
                    false if join.on.is_empty() && join.filter.is_none() => {
                        "has no common column, and joins all rows with each other"
                    }
                    false => return Ok(TreeNodeRecursion::Continue),
                };
                let remark = format!(
                    "NATURAL JOIN {relation} {reason}: before it, {}, and in it, {}; JOIN {relation} ON … names what is compared",
                    list_of(&join.left.schema().columns()),
                    list_of(&join.right.schema().columns())
                );
                eprintln!("npy sql: {}", printable(&remark));
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(())
    }
}

/// Returns the text of a subtraction that cannot be meant: without blanks, and with a zero before the month or the day. The engine knows the columns, and
/// refuses others if they are compared with times or text.
fn day(expression: &Expr) -> Option<String> {
    let (difference, day) = subtraction(expression)?;
    let (year, month) = subtraction(difference)?;
    let ((year, first), (month, _), (day, last)) = (number(year)?, number(month)?, number(day)?);
    // With blanks in it, the text is longer.
    let length = year.len() + month.len() + 2;
    let is_one_word = first.line == last.line && last.column - first.column == length as u64;
    let within = |text: &str, most| {
        text.len() == 2 && text.parse().is_ok_and(|it: u32| (1..=most).contains(&it))
    };
    let is_day = is_one_word && year.len() == 4 && within(month, 12) && within(day, 31);
    let has_zero = month.starts_with('0') || day.starts_with('0');
    (is_day && has_zero).then(|| format!("{year}-{month}-{day}"))
}

fn subtraction(expression: &Expr) -> Option<(&Expr, &Expr)> {
    match expression {
        Expr::BinaryOp { left, op: BinaryOperator::Minus, right } => Some((left, right)),
        _ => None,
    }
}

/// Returns the digits of a number, and where they begin.
fn number(expression: &Expr) -> Option<(&str, Location)> {
    match expression {
        Expr::Value(ValueWithSpan { value: Value::Number(digits, _), span }) => {
            Some((digits.as_str(), span.start))
        }
        _ => None,
    }
}
