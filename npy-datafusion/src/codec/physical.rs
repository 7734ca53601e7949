//! Scans, as the scheduler sends them to executors.

use std::sync::Arc;

use datafusion::common::{exec_datafusion_err, exec_err};
use datafusion::datasource::physical_plan::{
    FileGroup, FileScanConfig, FileScanConfigBuilder, FileSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result;
use datafusion::execution::{FunctionRegistry, TaskContext};
use datafusion::logical_expr::{AggregateUDF, HigherOrderUDF, ScalarUDF, WindowUDF};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_physical_expr_common::physical_expr::proto_decode::PhysicalExprDecodeCtx;
use datafusion_physical_expr_common::physical_expr::proto_encode::PhysicalExprEncodeCtx;
use datafusion_proto::bytes::{
    physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use datafusion_proto::physical_plan::from_proto::{
    parse_protobuf_file_scan_config, parse_table_schema_from_proto,
};
use datafusion_proto::physical_plan::to_proto::serialize_file_scan_config;
use datafusion_proto::physical_plan::{
    DefaultPhysicalExtensionCodec, PhysicalExtensionCodec, PhysicalPlanDecodeContext,
    PhysicalProtoConverterExtension,
};
use datafusion_proto::protobuf::{FileScanExecConf, PhysicalExprNode};
use prost::Message;

use super::blocks::BlocksMessage;
use super::groups::{self, GroupMessage};
use super::{decode, encode, names, options};
use crate::beside::BesideExec;
use crate::header::external;
use crate::own_aggregates;
use crate::source::NpySource;

/// Sends a scan of [`NpySource`] to another process, with its conditions. All that is not ours goes through the codec inside.
///
/// The session of each process is made by [`with_npy`](crate::with_npy): one without our functions is refused, because parts of a result would be
/// computed by others.
///
/// ```
/// use std::sync::Arc;
///
/// use datafusion_proto::physical_plan::DefaultPhysicalExtensionCodec;
/// use npy_datafusion::NpyPhysicalCodec;
///
/// let codec = NpyPhysicalCodec::new(Arc::new(DefaultPhysicalExtensionCodec {}));
/// # let _ = codec;
/// ```
#[derive(Clone, Debug)]
pub struct NpyPhysicalCodec {
    inner: Arc<dyn PhysicalExtensionCodec>,
}

impl NpyPhysicalCodec {
    /// Creates a codec around another one, for example that of Ballista.
    pub fn new(inner: Arc<dyn PhysicalExtensionCodec>) -> Self {
        NpyPhysicalCodec { inner }
    }
}

impl Default for NpyPhysicalCodec {
    fn default() -> Self {
        NpyPhysicalCodec::new(Arc::new(DefaultPhysicalExtensionCodec {}))
    }
}

#[derive(Clone, PartialEq, Message)]
struct ScanMessage {
    /// Files, ranges, schema, projection and limit.
    #[prost(message, optional, tag = "1")]
    files: Option<FileScanExecConf>,
    /// The conditions. They are not in the message above, and no one else checks them.
    #[prost(message, optional, tag = "2")]
    predicate: Option<PhysicalExprNode>,
    #[prost(string, repeated, tag = "3")]
    options: Vec<String>,
    /// The number of parts of a file that are read at a time.
    #[prost(uint64, tag = "4")]
    threads: u64,
    /// The blocks of the files, if they have an index.
    #[prost(message, optional, tag = "5")]
    blocks: Option<BlocksMessage>,
    /// The number of files that the planner has left out.
    #[prost(uint64, tag = "6")]
    pruned: u64,
    /// The tags of the files, which the message of files does not have; empty ones are none. In a store, times are too coarse without them.
    #[prost(string, repeated, tag = "7")]
    tags: Vec<String>,
    /// The folders of a table whose columns are files, in the order of the scan.
    #[prost(message, repeated, tag = "8")]
    groups: Vec<GroupMessage>,
    /// Two scans in its place.
    #[prost(message, optional, tag = "9")]
    beside: Option<BesideMessage>,
}

fn tags(groups: &[FileGroup]) -> Vec<String> {
    let files = groups.iter().flat_map(FileGroup::iter);
    files.map(|file| file.object_meta.e_tag.clone().unwrap_or_default()).collect()
}

/// Gives the files of a scan their tags.
fn with_tags(groups: &[FileGroup], tags: Vec<String>) -> Vec<FileGroup> {
    let mut tags = tags.into_iter();
    let with_tags = |group: &FileGroup| {
        let files = group.iter().map(|file| {
            let mut file = file.clone();
            file.object_meta.e_tag = tags.next().filter(|tag| !tag.is_empty());
            file
        });
        let files = FileGroup::new(files.collect());
        match group.file_statistics(None) {
            Some(statistics) => files.with_statistics(Arc::new(statistics.clone())),
            None => files,
        }
    };
    groups.iter().map(with_tags).collect()
}

/// Two scans whose rows belong together.
#[derive(Clone, PartialEq, Message)]
struct BesideMessage {
    /// The columns of the result, among those of both.
    #[prost(uint64, repeated, tag = "1")]
    positions: Vec<u64>,
    #[prost(bytes = "vec", tag = "2")]
    arrays: Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    others: Vec<u8>,
}

/// Returns the scan, if the plan is one of ours.
fn scan(plan: &dyn ExecutionPlan) -> Option<(&FileScanConfig, &NpySource)> {
    let scan = plan.downcast_ref::<DataSourceExec>()?.data_source();
    let scan = scan.downcast_ref::<FileScanConfig>()?;
    Some((scan, scan.file_source().downcast_ref::<NpySource>()?))
}

/// Refuses a session without our functions. Functions are sent by their names, under which it has DataFusion's: their parts of a result are others.
fn check_functions(ctx: &TaskContext) -> Result<()> {
    let is_here = |ours: Arc<AggregateUDF>| ctx.udaf(ours.name()).is_ok_and(|found| found == ours);
    match own_aggregates::functions().all(is_here) {
        true => Ok(()),
        false => exec_err!(
            "the session that is to read .npy files for another process lacks the functions of npy_datafusion; make the session of each process by npy_datafusion::with_npy"
        ),
    }
}

impl PhysicalExtensionCodec for NpyPhysicalCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        ctx: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let message = decode::<ScanMessage>(bytes)?;
        if let Some(message) = message.as_ref().and_then(|message| message.beside.clone()) {
            let plan =
                |bytes: &[u8]| physical_plan_from_bytes_with_extension_codec(bytes, ctx, self);
            let (arrays, others) = (plan(&message.arrays)?, plan(&message.others)?);
            let positions = message.positions.into_iter().map(usize::try_from);
            let positions = positions.collect::<std::result::Result<_, _>>().map_err(external)?;
            return Ok(Arc::new(BesideExec::new(arrays, others, positions)?));
        }
        let Some(message) = message else {
            return self.inner.try_decode(bytes, inputs, ctx, converter);
        };
        check_functions(ctx)?;
        let files = message.files.ok_or_else(|| exec_datafusion_err!("a scan without files"))?;
        let schema = parse_table_schema_from_proto(&files)?;
        let headers = ctx.runtime_env().cache_manager.get_file_metadata_cache();
        let plans = PhysicalPlanDecodeContext::new(ctx, self);
        let predicate = message
            .predicate
            .map(|node| converter.proto_to_physical_expr(&node, schema.table_schema(), &plans))
            .transpose()?;
        let source = NpySource::new(schema, options(&message.options)?)
            .with_header_cache(headers)
            .with_predicate(predicate)
            .with_threads(usize::try_from(message.threads).unwrap_or(1))
            .with_pruned(usize::try_from(message.pruned).unwrap_or(usize::MAX));
        let scan = parse_protobuf_file_scan_config(&files, &plans, converter, Arc::new(source))?;
        let tagged = with_tags(&scan.file_groups, message.tags);
        let file_groups = match message.blocks {
            Some(blocks) => blocks.give(&tagged)?,
            None => tagged,
        };
        let file_groups = groups::give(message.groups, file_groups)?;
        let scan = FileScanConfigBuilder::from(scan).with_file_groups(file_groups).build();
        Ok(DataSourceExec::from_data_source(scan))
    }

    fn try_encode(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        to: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        if let Some(joined) = plan.downcast_ref::<BesideExec>() {
            let positions = joined.positions.iter().map(|&position| position as u64).collect();
            let bytes = |plan: &Arc<dyn ExecutionPlan>| {
                let bytes = physical_plan_to_bytes_with_extension_codec(Arc::clone(plan), self);
                bytes.map(|bytes| bytes.to_vec())
            };
            let (arrays, others) = (bytes(&joined.arrays)?, bytes(&joined.others)?);
            let beside = Some(BesideMessage { positions, arrays, others });
            encode(&ScanMessage { beside, ..ScanMessage::default() }, to);
            return Ok(());
        }
        let Some((scan, source)) = scan(&*plan) else {
            return self.inner.try_encode(plan, to, converter);
        };
        let predicate = source.filter();
        let predicate =
            predicate.map(|it| converter.physical_expr_to_proto(&it, self)).transpose()?;
        let files = Some(serialize_file_scan_config(scan, self, converter)?);
        let (options, threads) = (names(source.options()), source.threads() as u64);
        let (blocks, pruned) = (BlocksMessage::of(scan, source)?, source.pruned() as u64);
        let (tags, groups) = (tags(&scan.file_groups), groups::of(scan));
        let message = ScanMessage {
            files,
            predicate,
            options,
            threads,
            blocks,
            pruned,
            tags,
            groups,
            beside: None,
        };
        encode(&message, to);
        Ok(())
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        self.inner.try_decode_udf(name, bytes)
    }

    fn try_encode_udf(&self, function: &ScalarUDF, to: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode_udf(function, to)
    }

    fn try_decode_higher_order_function(
        &self,
        name: &str,
        bytes: &[u8],
    ) -> Result<Arc<HigherOrderUDF>> {
        self.inner.try_decode_higher_order_function(name, bytes)
    }

    fn try_encode_higher_order_function(
        &self,
        function: &HigherOrderUDF,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        self.inner.try_encode_higher_order_function(function, to)
    }

    fn try_decode_expr(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn PhysicalExpr>],
        ctx: &PhysicalExprDecodeCtx<'_>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        self.inner.try_decode_expr(bytes, inputs, ctx)
    }

    fn try_encode_expr(
        &self,
        expression: &Arc<dyn PhysicalExpr>,
        to: &mut Vec<u8>,
        ctx: &PhysicalExprEncodeCtx<'_>,
    ) -> Result<()> {
        self.inner.try_encode_expr(expression, to, ctx)
    }

    fn try_decode_udaf(&self, name: &str, bytes: &[u8]) -> Result<Arc<AggregateUDF>> {
        self.inner.try_decode_udaf(name, bytes)
    }

    fn try_encode_udaf(&self, function: &AggregateUDF, to: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode_udaf(function, to)
    }

    fn try_decode_udwf(&self, name: &str, bytes: &[u8]) -> Result<Arc<WindowUDF>> {
        self.inner.try_decode_udwf(name, bytes)
    }

    fn try_encode_udwf(&self, function: &WindowUDF, to: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode_udwf(function, to)
    }
}
