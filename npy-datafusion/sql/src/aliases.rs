//! Names that `SELECT` gives, where a statement cannot use them yet.

use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::ControlFlow;

use npy_datafusion::datafusion::sql::parser::Statement;
use npy_datafusion::datafusion::sql::sqlparser::ast::{Select, SelectItem, Visitor};

use crate::quotes::is_bare;
use crate::statements::written;
use crate::tables;

/// The names that `SELECT` gives, with the expressions as a statement has them.
#[derive(Default)]
pub(crate) struct Aliases(HashMap<String, String>);

impl Aliases {
    pub(crate) fn of(statement: &Statement) -> Self {
        let mut aliases = Aliases::default();
        // The visitor never stops early.
        _ = tables::visit(statement, &mut aliases);
        aliases
    }

    /// Returns what to write for a name that is not a column; `None` if `SELECT` does not give it.
    pub(crate) fn advice(&self, name: &str) -> Option<String> {
        let expression = self.0.get(name)?;
        let name = written(name);
        // A function may be of a group or of a window, which WHERE cannot have.
        let in_place = match expression.contains('(') {
            true => String::new(),
            false => format!(", or write {expression} in the place of {name}"),
        };
        Some(format!(
            "SELECT gives this name, which WHERE and other columns do not know: put the query within another one, SELECT * FROM (SELECT {expression} AS {name} FROM …) WHERE {name} …{in_place}"
        ))
    }

    /// Returns what to write in `GROUP BY` for an expression of this column whose name is that of a column, too; nothing if there is none.
    pub(crate) fn in_group(&self, column: &str, columns: &[String]) -> String {
        let is_column =
            |(alias, it): &(&String, &String)| columns.contains(alias) && is_bare(it, column);
        let found = self.0.iter().filter(is_column).min();
        found.map_or_else(String::new, |(alias, it)| {
            format!("write {it} in GROUP BY, where {} is a column, or ", written(alias))
        })
    }
}

impl Visitor for Aliases {
    type Break = Infallible;

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Infallible> {
        for item in &select.projection {
            if let SelectItem::ExprWithAlias { expr, alias } = item {
                self.0.insert(alias.value.clone(), expr.to_string());
            }
        }
        ControlFlow::Continue(())
    }
}
