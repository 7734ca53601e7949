//! The function `npy('dir/*.npy')`, which is a table.

use std::sync::Arc;

use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{ScalarValue, exec_datafusion_err, plan_datafusion_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::Expr;
use npy_arrow::Options;
use tokio::runtime::{Builder, Handle, RuntimeFlavor};

use crate::table::NpyTable;

/// The table function `npy`: a file, a directory or all files of a pattern, without a statement that creates a table.
///
/// [`session`](crate::session) has it; other sessions register it.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
///
/// use datafusion::prelude::SessionContext;
/// use npy_datafusion::NpyFunction;
///
/// let ctx = SessionContext::new();
/// ctx.register_udtf("npy", Arc::new(NpyFunction::default()));
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("x.npy");
/// npy_core::save(&path, &[1.5f64, 2.5])?;
/// let sql = format!("SELECT sum(value) FROM npy('{}')", path.display());
/// ctx.sql(&sql).await?.show().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct NpyFunction {
    options: Options,
}

impl NpyFunction {
    /// Creates the function, with these types for what has more than one in Arrow.
    pub fn new(options: Options) -> Self {
        NpyFunction { options }
    }
}

impl TableFunctionImpl for NpyFunction {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let [Expr::Literal(location, _)] = args.exprs() else { return Err(usage()) };
        let (ScalarValue::Utf8(Some(location))
        | ScalarValue::LargeUtf8(Some(location))
        | ScalarValue::Utf8View(Some(location))) = location
        else {
            return Err(usage());
        };
        let table = NpyTable::open(args.session(), location, self.options.clone());
        Ok(Arc::new(wait(table)?))
    }
}

fn usage() -> DataFusionError {
    plan_datafusion_err!("npy expects one text: npy('x.npy'), npy('dir/'), npy('dir/*.npz')")
}

/// Waits for a result in a function that is not asynchronous: the planner calls table functions so.
fn wait<T: Send>(future: impl Future<Output = Result<T>> + Send) -> Result<T> {
    if let Ok(handle) = Handle::try_current()
        && handle.runtime_flavor() == RuntimeFlavor::MultiThread
    {
        return tokio::task::block_in_place(|| handle.block_on(future));
    }
    // The only thread of this runtime must not wait for itself.
    let own = || Builder::new_current_thread().enable_all().build()?.block_on(future);
    let result = std::thread::scope(|scope| scope.spawn(own).join());
    result.map_err(|_| exec_datafusion_err!("reading the headers has failed"))?
}
