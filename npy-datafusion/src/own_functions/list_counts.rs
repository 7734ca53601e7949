//! Lengths of lists, and positions in them, with a sign: DataFusion 55.2 has none, so that a difference of two of them wraps.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::error::Result;
use datafusion::functions_nested::cardinality::cardinality_udf;
use datafusion::functions_nested::dimension::{array_dims_udf, array_ndims_udf};
use datafusion::functions_nested::length::array_length_udf;
use datafusion::functions_nested::position::{array_position_udf, array_positions_udf};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl};

/// Returns `array_length` and its relatives.
pub(super) fn functions() -> impl Iterator<Item = Arc<ScalarUDF>> {
    let theirs = [
        array_dims_udf(),
        array_length_udf(),
        array_ndims_udf(),
        array_position_udf(),
        array_positions_udf(),
        cardinality_udf(),
    ];
    theirs.into_iter().map(|inner| Arc::new(ScalarUDF::new_from_impl(ListCount { inner })))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ListCount {
    inner: Arc<ScalarUDF>,
}

impl ScalarUDFImpl for ListCount {
    as_theirs!();

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(match self.inner.return_type(types)? {
            DataType::List(_) => {
                DataType::List(Arc::new(Field::new_list_field(DataType::Int64, true)))
            }
            _ => DataType::Int64,
        })
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(types)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let of_type = args.return_field.data_type().clone();
        self.inner.inner().invoke_with_args(args)?.cast_to(&of_type, None)
    }
}
