//! `VARCHAR(2)` and `CHAR(2)`, whose length DataFusion ignores: they are an error, in casts and in declared columns.

use datafusion::arrow::datatypes::FieldRef;
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::logical_expr::planner::TypePlanner;
use datafusion::sql::sqlparser::ast::DataType;

/// Refuses these types; all others are DataFusion's.
#[derive(Debug)]
pub(crate) struct RefuseLengths;

impl TypePlanner for RefuseLengths {
    fn plan_type_field(&self, sql_type: &DataType) -> Result<Option<FieldRef>> {
        match sql_type {
            DataType::Char(Some(_)) | DataType::Varchar(Some(_)) | DataType::String(Some(_)) => {
                plan_err!(
                    "{sql_type}: its length would be ignored, since text has no length here; write VARCHAR, and left(x, 2) to cut text to two characters; COPY writes text as wide as the longest one"
                )
            }
            _ => Ok(None),
        }
    }
}
