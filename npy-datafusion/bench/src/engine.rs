//! DataFusion, over `.npy` files or Parquet.

use std::path::Path;

use cpu_time::ProcessTime;
use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::compute::{cast, sum};
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use npy_datafusion::NpyOptions;

use crate::{Query, Result};

/// A session with the table `t`.
pub(crate) struct Engine(SessionContext);

impl Engine {
    pub(crate) async fn npy(directory: &Path) -> Result<Self> {
        let ctx = npy_datafusion::session();
        let files = format!("{}/*.npy", directory.display());
        npy_datafusion::register(&ctx, "t", &files, NpyOptions::default()).await?;
        Ok(Engine(ctx))
    }

    /// Opens Parquet as DataFusion does by default, or with conditions that are evaluated before the other columns are decoded.
    pub(crate) async fn parquet(directory: &Path, pushdown: bool) -> Result<Self> {
        let mut config = SessionConfig::new();
        config.options_mut().execution.parquet.pushdown_filters = pushdown;
        let ctx = SessionContext::new_with_config(config);
        let files = format!("{}/*.parquet", directory.display());
        ctx.register_parquet("t", files, ParquetReadOptions::default()).await?;
        Ok(Engine(ctx))
    }

    /// Runs a query. Returns the CPU time in milliseconds, and a sum of the result.
    pub(crate) async fn run(&self, query: &Query) -> Result<(f64, f64)> {
        let start = cpu_ms();
        let rows = self.0.sql(query.sql).await?.collect().await?;
        let cpu = cpu_ms() - start;
        let mut total = 0.0;
        for batch in &rows {
            total += sum_of(batch)?;
        }
        Ok((cpu, total))
    }
}

/// Returns the sum of the second column, and the number of rows.
pub(crate) fn sum_of(batch: &RecordBatch) -> Result<f64> {
    let values = cast(batch.column(1), &DataType::Float64)?;
    let values = values.as_primitive::<Float64Type>();
    Ok(sum(values).unwrap_or_default() + values.len() as f64)
}

/// Returns the CPU time of all threads of this process, also of those that have ended.
pub(crate) fn cpu_ms() -> f64 {
    ProcessTime::now().as_duration().as_secs_f64() * 1e3
}
