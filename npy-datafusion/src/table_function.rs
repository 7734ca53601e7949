//! The function `npy('dir/*.npy')`, which is a table.

use std::sync::Arc;

use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{ScalarValue, exec_datafusion_err, plan_datafusion_err, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::Expr;
use npy_arrow::Options;
use tokio::runtime::{Builder, Handle, RuntimeFlavor};

use crate::format::NpyFormat;
use crate::table::NpyTable;
use crate::{location, sql_options};

/// The table function `npy`: a file, a directory or all files of a pattern, without a statement that creates a table. Options come after the location, as
/// `npy('dir/', 'layout', 'columns')`.
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
        let texts: Option<Vec<&str>> = args.exprs().iter().map(text).collect();
        let Some([location, options @ ..]) = texts.as_deref() else { return Err(usage()) };
        if let Some((archive, member)) = location.split_once("::")
            && location::is_of_archives(archive)
        {
            if archive.contains(['*', '?', '[']) {
                return plan_err!(
                    "{location}: a query reads complete files; npy('{archive}') has the members as columns"
                );
            }
            return plan_err!(
                "{location}: a query reads complete files; the command `npy convert {} {}` makes a file of a member",
                location::word(location),
                location::word(&format!("{member}.npy"))
            );
        }
        let (options, rest) = options.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(usage());
        }
        let format = match location::is_of_archives(location) {
            true => NpyFormat::archives(self.options.clone()),
            false => NpyFormat::new(self.options.clone()),
        };
        let options = options.iter().map(|[name, value]| (*name, *value));
        let format = sql_options::parse(&format, options)?;
        let state = args.session();
        wait(async { NpyTable::open_with(state, location, format).await?.provider(state).await })
    }
}

/// Returns the text that an argument is.
fn text(argument: &Expr) -> Option<&str> {
    match argument {
        Expr::Literal(
            ScalarValue::Utf8(Some(text))
            | ScalarValue::LargeUtf8(Some(text))
            | ScalarValue::Utf8View(Some(text)),
            _,
        ) => Some(text),
        _ => None,
    }
}

fn usage() -> DataFusionError {
    plan_datafusion_err!(
        "npy expects a location, and then names and values of options, all as text: npy('x.npy'), npy('dir/*.npz'), npy('dir/', 'layout', 'columns')"
    )
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
