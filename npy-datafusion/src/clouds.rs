//! The stores of clouds, with the errors of DataFusion.

use std::sync::Arc;

use datafusion::common::plan_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use object_store::ObjectStore;
use url::Url;

pub(crate) use npy_clouds::advice;

/// Makes the store of a URL; `None` if its scheme is not one of a cloud. No request is sent.
pub(crate) fn open(url: &Url) -> Result<Option<Arc<dyn ObjectStore>>> {
    npy_clouds::open(url).map_err(|message| plan_datafusion_err!("{message}"))
}

/// Removes the layers around an error of a cloud.
pub(crate) fn plain(error: DataFusionError) -> DataFusionError {
    match advice(&error) {
        Some(text) => DataFusionError::Execution(text.to_owned()),
        None => error,
    }
}
