//! Joins small batches: those where few rows met the condition.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::error::Result;
use futures::StreamExt;
use futures::stream::{self, BoxStream};

use crate::columns::MAX_SKIPPED;

type Batches = BoxStream<'static, Result<RecordBatch>>;

/// Joins batches of fewer than `few` rows, at most as many as a scan reads before it returns one without rows. Each batch costs the operators
/// after the scan as much as some hundred rows.
pub(crate) fn joined(batches: Batches, few: usize) -> Batches {
    let next = move |(mut batches, mut waiting): (Batches, Option<_>)| async move {
        if let Some(batch) = waiting.take() {
            return Some((batch, (batches, None)));
        }
        let mut small: Vec<RecordBatch> = Vec::new();
        let mut rows = 0;
        for _ in 0..MAX_SKIPPED {
            match batches.next().await {
                Some(Ok(batch)) if (1..few).contains(&batch.num_rows()) => {
                    rows += batch.num_rows();
                    small.push(batch);
                    if rows >= few {
                        break;
                    }
                }
                other => {
                    waiting = other;
                    break;
                }
            }
        }
        let first = match &small[..] {
            [] => waiting.take()?,
            [one] => Ok(one.clone()),
            [first, ..] => concat_batches(&first.schema(), &small).map_err(Into::into),
        };
        Some((first, (batches, waiting)))
    };
    // A stream must not be asked again after its end.
    stream::unfold((batches.fuse().boxed(), None), next).boxed()
}
