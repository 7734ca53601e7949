//! Tables, and formats to write, as the client sends them to the scheduler.

use std::sync::Arc;

use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::{
    TableReference, exec_datafusion_err, internal_datafusion_err, not_impl_err,
};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{
    AggregateUDF, Extension, HigherOrderUDF, LogicalPlan, ScalarUDF, WindowUDF,
};
use datafusion_proto::logical_plan::from_proto::parse_sorts;
use datafusion_proto::logical_plan::to_proto::serialize_sorts;
use datafusion_proto::logical_plan::{DefaultLogicalExtensionCodec, LogicalExtensionCodec};
use datafusion_proto::protobuf::SortExprNode;
use npy_core::DType;
use prost::Message;

use super::{decode, encode, names, options};
use crate::beside::{self, BesideTable};
use crate::format::{NpyFormat, NpyFormatFactory};
use crate::header;
use crate::table::NpyTable;

/// Sends an [`NpyTable`] to another process. All that is not ours goes through the codec inside.
///
/// ```
/// use std::sync::Arc;
///
/// use datafusion_proto::logical_plan::DefaultLogicalExtensionCodec;
/// use npy_datafusion::NpyLogicalCodec;
///
/// let codec = NpyLogicalCodec::new(Arc::new(DefaultLogicalExtensionCodec {}));
/// # let _ = codec;
/// ```
#[derive(Clone, Debug)]
pub struct NpyLogicalCodec {
    inner: Arc<dyn LogicalExtensionCodec>,
}

impl NpyLogicalCodec {
    /// Creates a codec around another one, for example that of Ballista.
    pub fn new(inner: Arc<dyn LogicalExtensionCodec>) -> Self {
        NpyLogicalCodec { inner }
    }
}

impl Default for NpyLogicalCodec {
    fn default() -> Self {
        NpyLogicalCodec::new(Arc::new(DefaultLogicalExtensionCodec {}))
    }
}

#[derive(Clone, PartialEq, Message)]
struct FormatMessage {
    #[prost(string, repeated, tag = "1")]
    options: Vec<String>,
    #[prost(bool, tag = "2")]
    is_archive: bool,
    /// The use of the index, as in a statement.
    #[prost(string, tag = "3")]
    index: String,
    /// How columns are stored, as in a statement.
    #[prost(string, tag = "4")]
    layout: String,
    #[prost(string, optional, tag = "5")]
    sorted_by: Option<String>,
    /// The dtype of a row, if files have no header.
    #[prost(string, optional, tag = "6")]
    raw: Option<String>,
}

/// A location: a URL, and the wildcard after it.
#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(string, tag = "1")]
    url: String,
    #[prost(string, optional, tag = "2")]
    glob: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct Order {
    #[prost(message, repeated, tag = "1")]
    sorts: Vec<SortExprNode>,
}

#[derive(Clone, PartialEq, Message)]
struct TableMessage {
    #[prost(message, repeated, tag = "1")]
    locations: Vec<Location>,
    #[prost(message, optional, tag = "2")]
    format: Option<FormatMessage>,
    #[prost(string, tag = "3")]
    extension: String,
    /// The columns of directories; their types are in the schema.
    #[prost(string, repeated, tag = "4")]
    partition_columns: Vec<String>,
    #[prost(message, repeated, tag = "5")]
    orders: Vec<Order>,
    /// The files whose rows belong to those of the arrays.
    #[prost(message, repeated, tag = "6")]
    others: Vec<Location>,
    /// The number of the columns that are theirs, which are the last ones.
    #[prost(uint64, tag = "7")]
    other_columns: u64,
}

impl Location {
    fn of(url: &ListingTableUrl) -> Self {
        Location {
            url: url.as_str().to_owned(),
            glob: url.get_glob().as_ref().map(|glob| glob.as_str().to_owned()),
        }
    }

    fn url(&self) -> Result<ListingTableUrl> {
        let url = ListingTableUrl::parse(&self.url)?;
        self.glob.as_ref().map_or(Ok(url.clone()), |glob| url.with_glob(glob))
    }
}

impl FormatMessage {
    fn of(format: &NpyFormat) -> Self {
        FormatMessage {
            options: names(format.options()),
            is_archive: format.is_archive(),
            index: format.index().to_string(),
            layout: format.layout().to_string(),
            sorted_by: format.sorted_by().map(str::to_owned),
            raw: format.raw().map(DType::descr),
        }
    }

    fn format(&self) -> Result<NpyFormat> {
        let options = options(&self.options)?;
        let format = match self.is_archive {
            true => NpyFormat::archives(options),
            false => NpyFormat::new(options),
        };
        let format = format.with_index(self.index.parse()?).with_layout(self.layout.parse()?);
        let format = match &self.raw {
            Some(row) => format.with_raw(row.parse().map_err(header::external)?),
            None => format,
        };
        Ok(match &self.sorted_by {
            Some(column) => format.with_sorted_by(column),
            None => format,
        })
    }
}

impl TableMessage {
    fn of(table: &NpyTable, codec: &NpyLogicalCodec) -> Result<Self> {
        let listing = table.listing();
        let settings = listing.options();
        if settings.output_partitioning.is_some() {
            return not_impl_err!(
                "a table with declared partitions is not sent to other processes"
            );
        }
        let format = settings.format.downcast_ref::<NpyFormat>();
        let format = format.ok_or_else(|| internal_datafusion_err!("a table of another format"))?;
        let order = |sorts| Ok(Order { sorts: serialize_sorts(sorts, codec)? });
        Ok(TableMessage {
            locations: listing.table_paths().iter().map(Location::of).collect(),
            format: Some(FormatMessage::of(format)),
            extension: settings.file_extension.clone(),
            partition_columns: settings
                .table_partition_cols
                .iter()
                .map(|(name, _)| name.clone())
                .collect(),
            orders: settings.file_sort_order.iter().map(order).collect::<Result<_>>()?,
            others: Vec::new(),
            other_columns: 0,
        })
    }

    /// Makes the table. Its schema has the columns of the files, and then those of the directories.
    fn table(
        &self,
        schema: &Schema,
        ctx: &TaskContext,
        codec: &NpyLogicalCodec,
    ) -> Result<NpyTable> {
        let locations = self.locations.iter().map(Location::url).collect::<Result<Vec<_>>>()?;
        let format = self.format.clone().unwrap_or_default().format()?;
        let column =
            |name: &String| Ok((name.clone(), schema.field_with_name(name)?.data_type().clone()));
        let partition_columns =
            self.partition_columns.iter().map(column).collect::<Result<Vec<_>>>()?;
        let order = |order: &Order| Ok(parse_sorts(&order.sorts, ctx, codec)?);
        let orders = self.orders.iter().map(order).collect::<Result<Vec<_>>>()?;
        let columns = schema.fields().len().checked_sub(partition_columns.len());
        let columns = columns.and_then(|columns| schema.fields().get(..columns));
        let columns = columns.ok_or_else(|| {
            exec_datafusion_err!("the schema of a table has fewer columns than its directories")
        })?;
        let files = Schema::new_with_metadata(columns.to_vec(), schema.metadata().clone());
        let settings = ListingOptions::new(Arc::new(format))
            .with_file_extension(&self.extension)
            .with_table_partition_cols(partition_columns)
            .with_file_sort_order(orders);
        let config = ListingTableConfig::new_with_multi_paths(locations)
            .with_listing_options(settings)
            .with_schema(Arc::new(files));
        Ok(ListingTable::try_new(config)?.into())
    }
}

impl TableMessage {
    /// Makes the table of arrays and of the files whose rows belong to theirs.
    fn with_others(
        &self,
        schema: &Schema,
        ctx: &TaskContext,
        codec: &NpyLogicalCodec,
    ) -> Result<BesideTable> {
        let count = usize::try_from(self.other_columns).ok();
        let own = count.and_then(|count| schema.fields().len().checked_sub(count));
        let fields = own.and_then(|own| schema.fields().split_at_checked(own));
        let (own, others) = fields.ok_or_else(|| {
            exec_datafusion_err!("the schema of a table has fewer columns than its files")
        })?;
        let arrays = self.table(&Schema::new(own.to_vec()), ctx, codec)?;
        let locations = self.others.iter().map(Location::url).collect::<Result<Vec<_>>>()?;
        let others = beside::table(locations, Arc::new(Schema::new(others.to_vec())))?;
        BesideTable::new(arrays, others)
    }
}

impl LogicalExtensionCodec for NpyLogicalCodec {
    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        ctx: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        match decode::<TableMessage>(bytes)? {
            Some(message) if !message.others.is_empty() => {
                Ok(Arc::new(message.with_others(&schema, ctx, self)?))
            }
            Some(message) => Ok(Arc::new(message.table(&schema, ctx, self)?)),
            None => self.inner.try_decode_table_provider(bytes, name, schema, ctx),
        }
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        table: Arc<dyn TableProvider>,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        if let Some(table) = table.downcast_ref::<NpyTable>() {
            encode(&TableMessage::of(table, self)?, to);
        } else if let Some(BesideTable { arrays, others, .. }) = table.downcast_ref() {
            let message = TableMessage {
                others: others.table_paths().iter().map(Location::of).collect(),
                other_columns: others.schema().fields().len() as u64,
                ..TableMessage::of(arrays, self)?
            };
            encode(&message, to);
        } else {
            self.inner.try_encode_table_provider(name, table, to)?;
        }
        Ok(())
    }

    fn try_decode_file_format(
        &self,
        bytes: &[u8],
        ctx: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        match decode::<FormatMessage>(bytes)? {
            Some(message) => Ok(Arc::new(NpyFormatFactory::new(message.format()?))),
            None => self.inner.try_decode_file_format(bytes, ctx),
        }
    }

    fn try_encode_file_format(
        &self,
        to: &mut Vec<u8>,
        format: Arc<dyn FileFormatFactory>,
    ) -> Result<()> {
        match format.downcast_ref::<NpyFormatFactory>() {
            Some(factory) => encode(&FormatMessage::of(factory.format()), to),
            None => self.inner.try_encode_file_format(to, format)?,
        }
        Ok(())
    }

    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[LogicalPlan],
        ctx: &TaskContext,
    ) -> Result<Extension> {
        self.inner.try_decode(bytes, inputs, ctx)
    }

    fn try_encode(&self, node: &Extension, to: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode(node, to)
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
