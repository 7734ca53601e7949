//! NumPy's `.npy` files as tables of DataFusion: SQL over one file, or over a directory of them, on this machine or in the store of a cloud.
//!
//! ```no_run
//! use npy_datafusion::datafusion::error::Result;
//!
//! #[tokio::main]
//! async fn main() -> Result<()> {
//!     let ctx = npy_datafusion::session();
//!     ctx.sql("CREATE EXTERNAL TABLE ticks STORED AS NPY LOCATION 'ticks/'").await?;
//!     ctx.sql("SELECT id, avg(price) FROM ticks WHERE volume > 100 GROUP BY id").await?.show().await?;
//!     Ok(())
//! }
//! ```
//!
//! DataFusion is re-exported as [`npy_datafusion::datafusion`](datafusion), so that a program needs no dependency on the same version of it.
//!
//! A record has a column for each field, any other array the column `value`: see the table of types of [`npy_arrow`]. A directory is a table of
//! all files in it that end in `.npy`, or in `.npz` for `STORED AS NPZ`; directories in it named `day=2024-05-01` are a column of text, too. If some files are
//! in other directories, or in none, that is an error: a pattern names those that are meant (`dir/day=*/*.npy`, `dir/*.npy`). In a pattern each part matches
//! a part of the path (`*` no `/`), and `**` any number of directories; the table has the columns of directories that all its files have. A link to a file
//! or a directory `name=value` that does not exist is an error, and so is a pipe. A link to a directory that it is in leads to no files.
//!
//! An array of more dimensions has a row for each index of the first. Its other dimensions are one list, in C order: `(n, 2, 3)` has lists of six. So are
//! those of a field that is a sub-array. In a file in Fortran order, each value of a row is read on its own, up to 4096 of them.
//!
//! # What is read
//!
//! - `count(*)` reads the headers only: a header states the number of rows.
//! - Of a query, only the columns that it needs are converted, and those of its conditions first: the other columns are gathered for the rows
//!   that pass. Records are contiguous in a file, so all bytes of the rows that are looked at are read.
//! - A large file is divided between the threads: a range of bytes is the rows that begin in it.
//! - The number of rows without bytes is limited, because a file of 128 bytes may claim any number of them ([`Limits::empty_items`](npy_core::Limits::empty_items)).
//! - `LIMIT` reads no more than it needs.
//! - `ORDER BY … LIMIT` and joins tell the scan which rows they still need, in sessions of [`session`] and [`with_npy`]. In other sessions the scan returns
//!   all rows that meet the conditions of the query: DataFusion 55.2 can mistake columns of one name in two tables for each other.
//! - Of archives (`.npz`), whose members are the columns, only the members that a query needs are read, and of those only the rows that it
//!   looks at; of a compressed member with a seek index, the chunks that have these rows. An archive is divided between the threads at chunks. A compressed member without
//!   an index is inflated from its start by one thread. The memory is that of the chunks and requests under way.
//! - The checksum of a chunk is verified, and that of a compressed member without an index at its end; that of a stored member is not, because its rows
//!   are read in parts: `npy verify` does. If a chunk is not what the index says, the member is inflated from its start: an index that is wrong changes no row.
//! - The header of each file is read once a session: it is in the cache of the session for metadata of files. Of an archive, its directory is there, too.
//! - In a store, files are opened before they are needed: up to 32 at a time, which have 64 MiB together, and no more than were needed so far. The next
//!   blocks of a file are requested while one is looked at, and of compressed members six parts at a time.
//!
//! # Where a row is
//!
//! `_file` is the path or the URL of the file of a row, and `_row` the row's index in it, from 0. `*` does not have these columns: a statement that names
//! them has them, by [`sql`] and in the command `npy sql`. DataFusion has no hidden columns; so for a statement of [`SessionContext::sql`], `SET npy.virtual_columns = true`
//! adds them to all tables, and `*` has them then, too, though `t.*` does not.
//!
//! # The index of a directory
//!
//! [`write_index`], or the command `npy index`, writes `_npy.index`: the headers of the `.npy` files of a directory, and the bounds of each block of their rows; in a directory without
//! such files, the bounds of its archives. A table uses it for files
//! that have not changed since: files and blocks in which no row meets the conditions are not read. `OPTIONS ('index' 'frozen')` trusts it, lists
//! no file, and answers `min`, `max` and `count` from it; `'off'` ignores it ([`IndexMode`]). Written again, it reads only the files that have changed; `COPY … OPTIONS ('index' 'update')` does
//! that when its files are there.
//!
//! # Files of clouds
//!
//! With the feature `clouds`, which is on by default, a location may be `s3://bucket/dir/`, `gs://…`, `az://container/…`, `abfs://…` or the URL of a file of a web server. The stores are made from the usual
//! environment variables (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, `GOOGLE_APPLICATION_CREDENTIALS`, `AZURE_STORAGE_ACCOUNT_NAME`, …): [`object_stores`].
//!
//! # Files without a header
//!
//! `OPTIONS ('raw' '<i2,384')` makes a table of data alone, as NumPy's `tofile` writes it: the option states the dtype of an item and the shape of a row
//! ([`NpyFormat::with_raw`]), and the size of a file the number of its rows.
//!
//! # Numbers of ml_dtypes
//!
//! `OPTIONS ('void' 'bfloat16')` says which numbers raw bytes (`V2`, `V1`) are; their columns are `Float32`, exactly. There are `bfloat16` and the names of 8 bits and fewer,
//! such as `float8_e4m3fn`: one of each size in a table.
//!
//! # Columns in files of their own
//!
//! `OPTIONS ('layout' 'columns')` makes a table of a folder in which each `.npy` file is a column, or of all such folders in a directory ([`Layout`]). An array of the shape
//! `(n, 1)` is `n` numbers. All files of a folder have one length.
//!
//! # Arrays beside Parquet
//!
//! With the feature `parquet`, `OPTIONS ('beside' 'metadata/*.parquet')` adds the columns of Parquet files to those of the arrays. Rows are joined by their positions. By an index of the
//! arrays, files of both are left out, where files of both end at the same row.
//!
//! # Files that are sorted
//!
//! `OPTIONS ('sorted_by' 't')` states that a column is in ascending order in each file. The order is proved before it is used, by the index or by reading the column once a
//! session; a file that is not in order is an error. Then `ORDER BY t` needs no sort, and conditions on `t` leave out files and blocks.
//!
//! # Vectors
//!
//! `npy_l2(a, b)`, `npy_cosine(a, b)` and `npy_dot(a, b)` are of lists of `f16`, `f32` or `f64`, and compute in `f64`:
//! `SELECT id FROM t ORDER BY npy_l2(v, [0.5, 1.0]) LIMIT 10`.
//!
//! # The order of rows
//!
//! The rows of one file keep its order: in a result, with `LIMIT`, for `row_number() OVER ()`, `first_value` and `array_agg`, and in the file that `COPY`
//! writes. Where the result depends on it, one stream reads the file, and the other threads read its next parts ahead; for sums and `GROUP BY` the file
//! is divided. Rows have no order without `ORDER BY` if they are those of several files, or of text and Parquet files and of `CREATE TABLE`, or come
//! from a join, `IN (SELECT …)`, `GROUP BY`, `DISTINCT` or `UNION`; nor have those that `COPY … TO 'dir/'` divides between several files, or that a
//! cluster returns.
//!
//! # NaN
//!
//! A NaN is greater than all other numbers and equal to itself, unlike in NumPy; one whose sign is set, as 0/0 has it on x86, is another value, which is less
//! than all numbers; `CASE WHEN isnan(x) THEN CAST('NaN' AS DOUBLE) ELSE x END` makes them one. So `max`
//! of a column with a NaN is NaN, and `min` is the least number. With `GROUP BY`, DataFusion 55.2 has wrong results for groups with NaN or with infinities alone
//! ([apache/datafusion#24432](https://github.com/apache/datafusion/issues/24432)): sessions of [`session`] and [`with_npy`] have functions of their own under these names.
//!
//! # Times
//!
//! Times are compared exactly, whatever their units, in sessions of [`session`] and [`with_npy`]. In other sessions, DataFusion 55.2 cuts a literal to the unit of the column: for a
//! column in seconds, `t < TIMESTAMP '2024-01-01T00:00:55.5'` loses the row at 55 seconds; and for one of days, it makes a day of the text in `d < '2024-01-01T12:00:00'`,
//! and compares `d > 20240101` by the days since 1970, which is an error here: `d > '2024-01-01'`.
//!
//! Nanoseconds count the years 1677 to 2262. In sessions of [`session`] and [`with_npy`], times beyond them are compared (`t < '9999-12-31'`), also with another column, are cut (`date_trunc`) and have bins (`date_bin`), `to_timestamp` of
//! such a float is an error, and the parts of spans of time are exact: `extract(epoch FROM d)`.
//!
//! # Where DataFusion differs from other engines
//!
//! - -0.0 equals 0.0 in comparisons, joins, `GROUP BY` and `SELECT DISTINCT`. They can be two values in `IN` lists, windows (`rank()`, `PARTITION BY`),
//!   `ORDER BY`, `count(DISTINCT x)`, `x = -0.0 AND x <> 0.0` and within lists and records: `x + 0.0` makes them one.
//! - `x = 0.1` compares a column of 32 bits as 64 bits, so no row is equal: `x = CAST(0.1 AS REAL)`.
//! - `x + y`, `x - y` and `x * y` of integers wrap at the width of their columns, as in NumPy: `CAST(x AS BIGINT) - y`, `CAST(x AS DECIMAL(38, 0)) + y`. So does `sum` in DataFusion 55.2; in sessions
//!   of [`session`] and [`with_npy`], a sum of integers or of spans of time that does not fit into 64 bits is an error.
//! - An unsigned column of 64 bits (`u8`) and signed integers make a decimal: `CAST(x + 1 AS BIGINT UNSIGNED)`.
//! - In `median`, `percentile_cont` and `approx_median`, a NaN is the greatest number. In sessions of [`session`] and [`with_npy`] they are NaN if a value is,
//!   as in NumPy, and so is `corr` in all sessions: `median(x) FILTER (WHERE NOT isnan(x))`. `nullif(x, 'NaN')` does not find a NaN with a sign;
//!   `CASE WHEN isnan(x) THEN NULL ELSE x END` does.
//! - `avg(x) OVER (ORDER BY t ROWS 9 PRECEDING)` subtracts the rows that leave the frame, so that a NaN spoils all later ones; in sessions of [`session`] and [`with_npy`]
//!   it is that of the frame. There, `lag(x) OVER (PARTITION BY s)` is an error, since such rows have no order: `OVER (PARTITION BY s ORDER BY _row)`.
//! - `b LEFT JOIN a USING (id)` has the `id` of the table whose name is first, which may be null. In sessions of [`session`] and [`with_npy`] an outer join with
//!   `USING` or `NATURAL` is an error that says what to write, and so is `value[0]`: lists begin at 1.
//! - Integers are divided without a rest: `1 / 2` is 0. An unsigned column of 64 bits divided by a signed integer is a
//!   decimal with a fraction: `CAST(u AS BIGINT) / 10`. `VARCHAR(2)` is an error in sessions of [`session`] and [`with_npy`], since text has no length.
//! - Conditions of a `WHERE` are in no order: one guards no other from a division by zero or a `CAST` that
//!   fails, as `CASE WHEN x <> 0 THEN 1 / x END` does, and `TRY_CAST`.
//! - `INTERSECT ALL` and `EXCEPT ALL` do not count equal rows. `a IS DISTINCT FROM true AND b` compares `a` with `true AND b`: write
//!   `(a IS DISTINCT FROM true) AND b`.
//! - `TABLESAMPLE` is ignored. `SIMILAR TO` takes a regular expression, which may match a part of the text. `date_bin` of a null is null.
//! - Times of units that Arrow lacks (ps, fs, as, and spans of months and years) are their counts. A `UNION`, a join or a comparison of two such columns
//!   does not convert them. A column that a statement declares holds times as `TIMESTAMP`, `DATE` or `VARCHAR`, and spans as `INTERVAL` or `VARCHAR`; those of
//!   units that Arrow lacks are read without declared columns only.
//!
//! # Files that differ
//!
//! The table has the fields of all files. Where a file has another byte order, another order of fields or narrower numbers, its values are
//! converted ([`Cast::Lossless`](npy_core::Cast::Lossless)), and text and times get the widest and the finest dtype, also units that Arrow lacks; a field that it lacks is null. Records
//! within records must have the same fields in all files. A damaged file is an error that names it.
//!
//! # Files that change
//!
//! Files of this machine are listed for each query, so files may be added and replaced. So are those of a store by a session of [`session`]; a session of your
//! own has DataFusion's cache of listings, which keeps them until the session ends: there, a file that has changed is an error.
//!
//! # What is written
//!
//! ```no_run
//! # #[tokio::main]
//! # async fn main() -> datafusion::error::Result<()> {
//! let ctx = npy_datafusion::session();
//! ctx.sql("COPY (SELECT 1 AS id, 'RJOB' AS station) TO 'stations.npy'").await?.collect().await?;
//! # Ok(())
//! # }
//! ```
//!
//! `COPY … TO 'x.npy'` writes one file, `COPY … TO 'x.npz'` an archive whose arrays are the columns, `COPY … TO 'dir/' STORED AS NPY` several files,
//! `PARTITIONED BY (day)` a directory for each day, and `INSERT INTO` adds files to a table, whose types do not have each value: a fraction among integers, a float that would be
//! infinite and a time with a rest are errors. A `.npy` file is an array of records, also
//! of a single field, or of the values themselves if the only column is `value`: `COPY (SELECT price AS value FROM t) TO 'price.npy'`. A column keeps the dtype that its metadata or the table state; text is as wide as the longest value of the file. A
//! null where the dtype has no missing value is an error, unless
//! `OPTIONS (fill_nulls true)`. So is one in a column of `PARTITIONED BY`. A name without an extension is a directory, unless there is such a file.
//!
//! `COPY` to a file that its query reads is an error, and so is one that replaces an archive with other members, unless `SET npy.force = true`. With `SET npy.no_clobber = true`, no file is
//! replaced, also none that another program writes meanwhile. A file in a directory that does not exist is an error, and so are a name of another format than that of `STORED AS`, and files for a
//! directory whose own files have other columns or are in other directories `name=value`, unless `npy.force` is on. The rules hold for statements of [`sql`] and [`statement_to_plan`], and not for those of [`SessionContext::sql`].
//!
//! On this machine a file is replaced as by [`whole_file`](https://docs.rs/whole-file): links are followed, permissions are kept, and a pipe is written to. Other
//! formats (`COPY … TO 'x.csv'`) are DataFusion's, which replaces links, and has emptied the old file if the query fails; the command `npy sql` writes such a
//! file elsewhere first.
//!
//! The header of a file states the number of rows, which is known last. So the records of each file are kept until the query has succeeded: 8 MiB in memory,
//! or less if the memory pool has less, and the others in the temporary directory of the session. Those of a store are sent, large files in parts. No file
//! appears before the whole query has succeeded. If the process is killed meanwhile, parts can stay in a store; its lifecycle rules remove them.
//!
//! # Many machines
//!
//! The feature `proto` has the codecs by which engines of several machines send tables and scans: `NpyLogicalCodec` and `NpyPhysicalCodec`. The package
//! `npy-distributed` has the programs of a cluster of `datafusion-distributed`, which is recommended, and `npy-ballista` those of Ballista. A program of your own with
//! `datafusion-distributed` needs the second codec and [`with_npy`] in the session of the client and in those of its workers, which must know the same functions:
//!
//! ```text
//! let codec = Arc::new(NpyPhysicalCodec::new(Arc::new(DefaultPhysicalExtensionCodec {})));
//! let state = SessionStateBuilder::new()
//!     .with_default_features()
//!     .with_distributed_worker_resolver(workers)
//!     .with_distributed_user_codec_arc(codec)
//!     .with_distributed_planner();
//! let ctx = SessionContext::new_with_state(npy_datafusion::with_npy(state).build());
//! ```

// On docs.rs, each item names the feature that it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod ahead;
mod archive;
mod barriers;
mod beside;
#[cfg(feature = "clouds")]
mod clouds;
#[cfg(feature = "proto")]
mod codec;
mod columns;
mod condition;
mod copy_target;
mod days_and_text;
mod exact_inserts;
mod exact_times;
mod file_order;
mod files;
mod float_groups;
mod floored;
mod format;
mod grouping_sets;
mod groups;
mod header;
mod index;
mod large_literals;
mod lists_of_columns;
mod location;
mod member_stream;
mod members;
mod merge;
mod nulls_of_in;
mod opener;
mod own_aggregates;
mod own_functions;
mod packed;
mod raw;
mod read_ahead;
mod records;
mod refused;
mod replaced;
mod settings;
mod sink;
mod small;
mod sorted;
mod source;
mod spans_and_intervals;
mod sql_options;
mod stores;
mod table;
mod table_function;
mod text_lengths;
mod time_literals;
mod unordered_windows;
mod vectors;
mod virtual_columns;
mod wide_floats;
mod written_times;

use std::sync::Arc;

#[cfg(feature = "proto")]
pub use codec::{NpyLogicalCodec, NpyPhysicalCodec};
pub use datafusion;
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use exact_inserts::InsertExactly;
use exact_times::KeepTimes;
use file_order::FileOrder;
#[doc(hidden)]
pub use files::archives_of;
pub use format::{NpyFormat, NpyFormatFactory};
use grouping_sets::HideKeys;
pub use groups::Layout;
#[doc(hidden)]
pub use index::NAME as INDEX_NAME;
pub use index::{INDEX_BLOCK, IndexMode, IndexReport, write_index};
use large_literals::KeepLargeLiterals;
use lists_of_columns::SplitLists;
#[doc(hidden)]
pub use location::{insert_refused, is_one_file, word};
#[doc(hidden)]
pub use npy_arrow::DESCR;
pub use npy_arrow::Options as NpyOptions;
use nulls_of_in::KeepNullsOfIn;
use own_aggregates::{ReplaceAggregates, with_whole_sums};
use own_functions::OwnPlans;
use refused::RefuseWrong;
use settings::NpySettings;
pub use source::NpySource;
pub use stores::object_stores;
pub use table::{NpyTable, NpyTableFactory};
pub use table_function::NpyFunction;
use text_lengths::RefuseLengths;
use time_literals::KeepTimesOfText;
use virtual_columns::VirtualColumns;
#[doc(hidden)]
pub use virtual_columns::name_of_table;
pub use virtual_columns::{sql, statement_to_plan};
use wide_floats::WidenFloats;
use written_times::CheckWrittenTimes;
pub use written_times::check_times;

/// Creates a session that knows the format: `CREATE EXTERNAL TABLE t STORED AS NPY LOCATION 'dir/'`.
pub fn session() -> SessionContext {
    session_with_config(SessionConfig::new())
}

/// Creates a session that knows the format, with other settings than the defaults.
///
/// ```
/// use datafusion::prelude::SessionConfig;
///
/// let ctx = npy_datafusion::session_with_config(SessionConfig::new().with_target_partitions(4));
/// # let _ = ctx;
/// ```
pub fn session_with_config(config: SessionConfig) -> SessionContext {
    // Files may be added to a directory, or replaced: each query lists them.
    let runtime = RuntimeEnvBuilder::new()
        .with_object_list_cache_limit(0)
        .with_object_store_registry(object_stores())
        .build();
    let runtime = Arc::new(runtime.unwrap_or_default());
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime)
        .with_default_features();
    let ctx = SessionContext::new_with_state(with_npy(state).build());
    ctx.register_udtf("npy", Arc::new(NpyFunction::default()));
    ctx
}

/// Adds the formats and their tables to a session that is being made, for example one of Ballista; also the rule by which the rows of a file keep its
/// order, `min` and `max` of groups with NaN, and rules by which a condition is about the column that the query names. Call it after
/// `with_default_features`.
///
/// ```
/// use datafusion::execution::SessionStateBuilder;
/// use datafusion::prelude::SessionContext;
///
/// let state = SessionStateBuilder::new().with_default_features();
/// let ctx = SessionContext::new_with_state(npy_datafusion::with_npy(state).build());
/// # let _ = ctx;
/// ```
pub fn with_npy(mut state: SessionStateBuilder) -> SessionStateBuilder {
    let formats: [Arc<dyn FileFormatFactory>; 2] = [
        Arc::new(NpyFormatFactory::new(NpyFormat::default())),
        Arc::new(NpyFormatFactory::new(NpyFormat::archives(NpyOptions::default()))),
    ];
    state.file_formats().get_or_insert_default().extend(formats);
    state.analyzer().get_or_insert_default().rules.insert(0, Arc::new(KeepLargeLiterals));
    // Before DataFusion's rules, which convert text to days and the keys of joins to one type.
    let rules = &mut state.analyzer().get_or_insert_default().rules;
    rules.insert(0, Arc::new(RefuseWrong));
    rules.insert(1, Arc::new(KeepTimesOfText));
    rules.insert(2, Arc::new(KeepNullsOfIn));
    rules.insert(3, Arc::new(InsertExactly));
    rules.insert(4, Arc::new(WidenFloats));
    exact_times::with_exact_times(state.optimizer().get_or_insert_default());
    with_whole_sums(state.optimizer().get_or_insert_default());
    barriers::with_barriers(state.physical_optimizers().get_or_insert_default());
    float_groups::with_all_float_groups(state.physical_optimizers().get_or_insert_default());
    state.scalar_functions().get_or_insert_default().extend(own_functions::functions());
    state.expr_planners().get_or_insert_default().insert(0, Arc::new(OwnPlans));
    state.scalar_functions().get_or_insert_default().extend(vectors::functions());
    state.scalar_functions().get_or_insert_default().extend(exact_times::functions());
    state.scalar_functions().get_or_insert_default().push(grouping_sets::function());
    state.scalar_functions().get_or_insert_default().push(exact_inserts::function());
    state.relation_planners().get_or_insert_default().push(Arc::new(VirtualColumns));
    state.type_planner().get_or_insert_with(|| Arc::new(RefuseLengths));
    let settings = state.config().get_or_insert_default().options_mut();
    settings.extensions.insert(NpySettings::default());
    // In a UNION of columns whose dtypes differ, the planner keeps the dtype of one and the plan that of another: the check would refuse their groups.
    settings.execution.skip_physical_aggregate_schema_check = true;
    state.aggregate_functions().get_or_insert_default().extend(own_aggregates::functions());
    state
        .with_analyzer_rule(Arc::new(SplitLists))
        .with_analyzer_rule(Arc::new(ReplaceAggregates))
        .with_analyzer_rule(Arc::new(CheckWrittenTimes))
        .with_analyzer_rule(Arc::new(KeepTimes))
        .with_analyzer_rule(Arc::new(HideKeys))
        .with_physical_optimizer_rule(Arc::new(FileOrder))
        .with_table_factory("NPY".into(), Arc::new(NpyTableFactory::default()))
        .with_table_factory("NPZ".into(), Arc::new(NpyTableFactory::default()))
}

/// Registers a file, or a directory of files, as a table.
///
/// The location is a path or a URL; that of a directory ends in `/`. Archives are a table, too: `dir/*.npz`.
///
/// ```no_run
/// # #[tokio::main]
/// # async fn main() -> datafusion::error::Result<()> {
/// use datafusion::prelude::*;
/// use npy_datafusion::{NpyOptions, register};
///
/// let ctx = SessionContext::new();
/// register(&ctx, "ticks", "file:///data/ticks/", NpyOptions::default()).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If there is no file, if a header is damaged, or if a field has different types in different files and none holds both.
pub async fn register(
    ctx: &SessionContext,
    name: &str,
    location: &str,
    options: NpyOptions,
) -> Result<()> {
    let table = NpyTable::open(&ctx.state(), location, options).await?;
    ctx.register_table(name, Arc::new(table))?;
    Ok(())
}
