//! Lists of SQL, whose type does not say their length. The rows of an array have one length.

use std::collections::HashSet;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::DataType;

/// Says the type that the first column of lists needs, for the error that there is no dtype for them; `None` for other errors.
pub(super) fn in_sql(message: &str, batch: &RecordBatch) -> Option<String> {
    let (reason, advice) = message.rsplit_once("; ")?;
    if !advice.starts_with("cast the column") || !reason.contains("for List(") {
        return None;
    }
    let is_list = |array: &&ArrayRef| matches!(array.data_type(), DataType::List(_));
    let instead = match batch.columns().iter().find(is_list).map(|lists| written_type(lists)) {
        Some(Some(of_lists)) => format!("write x::{of_lists} AS x, which states their length"),
        Some(None) => "the rows of an array have one length: write x[1] AS a, x[2] AS b, or unnest(x) AS x for a row of each value".to_owned(),
        // A field of a record.
        None => "write p.x AS x for each field of a record, and x::DOUBLE[2] AS x for lists of two numbers".to_owned(),
    };
    Some(format!("{reason}; {instead}"))
}

/// Returns the type of lists as a statement has it; `None` if their lengths differ.
fn written_type(array: &dyn Array) -> Option<String> {
    let of_values = match array.data_type() {
        DataType::List(_) => {
            let lists: Vec<ArrayRef> = array.as_list::<i32>().iter().flatten().collect();
            let length = lists.first()?.len();
            if length == 0 || lists.iter().any(|list| list.len() != length) {
                return None;
            }
            let types = lists.iter().map(|list| written_type(list));
            let types: HashSet<String> = types.collect::<Option<_>>()?;
            let is_one = types.len() == 1;
            return types.into_iter().next().filter(|_| is_one).map(|it| format!("{it}[{length}]"));
        }
        DataType::Boolean => "BOOLEAN",
        DataType::Int8 => "TINYINT",
        DataType::Int16 => "SMALLINT",
        DataType::Int32 => "INT",
        DataType::Int64 => "BIGINT",
        DataType::UInt8 => "TINYINT UNSIGNED",
        DataType::UInt16 => "SMALLINT UNSIGNED",
        DataType::UInt32 => "INT UNSIGNED",
        DataType::UInt64 => "BIGINT UNSIGNED",
        DataType::Float32 => "REAL",
        DataType::Timestamp(..) => "TIMESTAMP",
        DataType::Date32 => "DATE",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "TEXT",
        _ => "DOUBLE",
    };
    Some(of_values.to_owned())
}
