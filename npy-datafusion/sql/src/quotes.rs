//! Names of files and columns that a statement needs in double quotes.

use std::collections::HashSet;
use std::ops::ControlFlow;

use npy_datafusion::datafusion::common::plan_err;
use npy_datafusion::datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::logical_expr::{self, LogicalPlan};
use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::datafusion::sql::parser::Statement;
use npy_datafusion::datafusion::sql::sqlparser::ast::{
    self, Expr, FunctionArguments, Select, SelectItem, SetExpr, Value, ValueWithSpan, Visitor,
};
use npy_datafusion::datafusion::sql::sqlparser::dialect::GenericDialect;
use npy_datafusion::datafusion::sql::sqlparser::keywords::{
    self, ALL_KEYWORDS, ALL_KEYWORDS_INDEX, Keyword,
};
use npy_datafusion::datafusion::sql::sqlparser::parser::Parser;
use npy_datafusion::datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer, Word};

use crate::advice::{is_array, of_table};
use crate::statements::written;
use crate::tables::{self, position, stem};

/// Words that begin or end a part of a statement, other than those that the parser lists.
const RESERVED: [Keyword; 12] = [
    Keyword::ALL,
    Keyword::CASE,
    Keyword::CAST,
    Keyword::DISTINCT,
    Keyword::FALSE,
    Keyword::IN,
    Keyword::NOT,
    Keyword::NULL,
    Keyword::ON,
    Keyword::TRUE,
    Keyword::USING,
    Keyword::VALUES,
];

/// Returns the names of the columns of all files.
pub(crate) async fn columns_of(ctx: &SessionContext, files: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    for (index, _) in files.iter().enumerate() {
        let Ok(table) = ctx.table_provider(position(index)).await else { continue };
        names.extend(table.schema().fields().iter().map(|field| field.name().clone()));
    }
    names
}

/// Returns the way to write a column whose name is a word of SQL, which a statement has without quotes; `None` if there is none.
pub(crate) fn of_columns(columns: &[String], sql: &str) -> Option<String> {
    let name = columns.iter().find(|name| is_reserved(name) && is_bare(sql, name))?;
    Some(format!("{name} is a word of SQL: write \"{name}\", in double quotes, for the column"))
}

/// Refuses names that begin with a digit: the parser takes `2theta` for the number 2 that is called theta, and `1e3` for a number.
pub(crate) fn check_numbers(sql: &str, columns: &[String]) -> Result<()> {
    // The parser says why a statement has no tokens.
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, sql).tokenize() else { return Ok(()) };
    for pair in tokens.windows(2) {
        if let [Token::Number(number, _), Token::Word(Word { value, quote_style: None, .. })] = pair
        {
            let name = format!("{}{value}", number.trim_start_matches('.'));
            // Of a file 2024.npy, the parser tells more.
            if number.ends_with('.') && !columns.contains(&name) {
                continue;
            }
            return plan_err!(
                "{number}{value} is the number {number} and the name {value}; write \"{name}\", in double quotes, for a name, '{name}' for a text, and a blank after a number"
            );
        }
    }
    let is_column =
        |number: &String| number.contains(|c: char| c.is_alphabetic()) && columns.contains(number);
    let mut numbers = tokens.iter().filter_map(|token| match token {
        Token::Number(number, _) => Some(number),
        _ => None,
    });
    match numbers.find(|number| is_column(number)) {
        Some(number) => plan_err!(
            "{number} is a number, and the name of a column; write \"{number}\", in double quotes, for the column, or CAST('{number}' AS DOUBLE)"
        ),
        None => Ok(()),
    }
}

/// Refuses words of SQL that have a value of their own, where a column has this name: `current_date` is today.
pub(crate) fn check_words(statement: &Statement, plan: &LogicalPlan) -> Result<()> {
    let mut words = Words::default();
    plan.apply_with_subqueries(|part| {
        if let LogicalPlan::TableScan(scan) = part {
            let fields = scan.source.schema();
            words.columns.extend(fields.fields().iter().map(|field| field.name().clone()));
        }
        part.apply_expressions(|expression| {
            expression.apply(|expression| {
                if let logical_expr::Expr::ScalarFunction(call) = expression {
                    words.functions.insert(call.name().to_owned());
                    words.functions.extend(call.func.aliases().iter().cloned());
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    match tables::visit(statement, &mut words) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break((name, other)) => plan_err!(
            "{name} is a word of SQL here, and the name of a column; write \"{name}\", in double quotes, for the column, or {other}"
        ),
    }
}

/// Finds the first word that has a value of its own and is the name of a column, and another way to write the value.
#[derive(Default)]
struct Words {
    columns: HashSet<String>,
    /// The functions of the plan: it has the column for other words, as `user`.
    functions: HashSet<String>,
}

impl Visitor for Words {
    type Break = (String, String);

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<Self::Break> {
        if let Expr::Function(ast::Function { name, args: FunctionArguments::None, .. }) =
            expression
            && let name = name.to_string()
            && self.columns.contains(&name)
            && self.functions.contains(&name)
        {
            let other = format!("{name}()");
            return ControlFlow::Break((name, other));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Self::Break> {
        for item in &select.projection {
            if let SelectItem::UnnamedExpr(Expr::Value(ValueWithSpan { value, .. })) = item
                && matches!(value, Value::Boolean(_) | Value::Null)
                && let text = value.to_string()
                && let Some(name) =
                    self.columns.iter().find(|name| name.eq_ignore_ascii_case(&text))
            {
                return ControlFlow::Break((name.clone(), format!("{text} AS x")));
            }
        }
        ControlFlow::Continue(())
    }
}

/// Returns the way to write a file whose name a statement has without quotes; `None` if there is none.
pub(crate) fn of_files(files: &[String], sql: &str) -> Option<String> {
    let of_argument = |(index, file): (usize, &String)| {
        let name = stem(file)?;
        let needs_quotes = written(&name) != name && is_bare(sql, &name);
        needs_quotes
            .then(|| format!("write {}, or {}, for {file}", written(&name), position(index)))
    };
    let mut words = sql.split_whitespace().map(|word| word.trim_matches(|c| "(),;".contains(c)));
    let of_argument = files.iter().enumerate().find_map(of_argument);
    of_argument
        .or_else(|| of_table(words.find(|word| is_array(word) && !word.contains(['\'', '"']))?))
}

/// Returns true for a word that cannot be a name without quotes.
pub(crate) fn is_reserved(name: &str) -> bool {
    let Ok(at) = ALL_KEYWORDS.binary_search(&&*name.to_uppercase()) else { return false };
    let is_it = |word: &Keyword| ALL_KEYWORDS_INDEX.get(at) == Some(word);
    RESERVED.iter().any(is_it)
        || keywords::RESERVED_FOR_COLUMN_ALIAS.iter().any(is_it)
        || keywords::RESERVED_FOR_IDENTIFIER.iter().any(is_it)
        || keywords::RESERVED_FOR_TABLE_ALIAS.iter().any(is_it)
        || !is_parsed_as_name(name)
}

/// Returns true for a word that the parser takes for the name of a column.
fn is_parsed_as_name(word: &str) -> bool {
    let sql = format!(
        "SELECT {word}, {word} + 1 FROM t WHERE 1 = {word} GROUP BY {word} ORDER BY {word}"
    );
    let Ok(statements) = Parser::parse_sql(&GenericDialect {}, &sql) else { return false };
    let [ast::Statement::Query(query)] = &statements[..] else { return false };
    let SetExpr::Select(select) = &*query.body else { return false };
    matches!(select.projection.first(), Some(SelectItem::UnnamedExpr(Expr::Identifier(_))))
}

/// Returns true if a statement has a name without quotes, as a word of its own.
pub(crate) fn is_bare(sql: &str, name: &str) -> bool {
    let is_within = |c: char| c.is_alphanumeric() || "_'\"".contains(c);
    sql.match_indices(name).any(|(at, _)| {
        let before = sql.get(..at).and_then(|it| it.chars().next_back());
        let after = sql.get(at + name.len()..).and_then(|it| it.chars().next());
        !before.is_some_and(is_within) && !after.is_some_and(is_within)
    })
}
