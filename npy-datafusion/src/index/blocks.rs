//! The blocks of rows of a file that may have rows of a query.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, Int64Array, UInt64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::common::Column;
use datafusion::common::pruning::PruningStatistics;
use datafusion::error::Result;
use datafusion::physical_expr::{PhysicalExpr, conjunction, split_conjunction};
use datafusion::physical_expr_common::physical_expr::{
    snapshot_generation, snapshot_physical_expr,
};
use datafusion::physical_optimizer::pruning::{PruningPredicate, PruningPredicateBuilder};
use datafusion::physical_plan::metrics::Count;
use datafusion::scalar::ScalarValue;
use object_store::path::Path;

use super::bounds::extremes;
use super::{Bounds, Index, sound};
use crate::header::File;
use crate::virtual_columns::{ROW, is_virtual};

/// An index with the columns of a table, in its types.
#[derive(Debug)]
pub(crate) struct TableIndex {
    /// The rows of a block.
    pub(crate) block: u64,
    pub(crate) columns: Vec<Bounds>,
    /// The directory of the index, if it is trusted.
    pub(crate) frozen: Option<Path>,
}

impl TableIndex {
    pub(super) fn new(index: &Index, schema: &Schema, frozen: Option<Path>) -> Result<Self> {
        let column = |bounds: &Bounds| {
            let field = schema.field_with_name(bounds.field.name()).ok();
            field.filter(|field| !is_virtual(field)).and_then(|it| bounds.converted(it).transpose())
        };
        let columns = index.columns.iter().filter_map(column).collect::<Result<Vec<_>>>()?;
        Ok(TableIndex { block: index.wanted.block, columns, frozen })
    }
}

/// The blocks of a file.
#[derive(Clone, Debug)]
pub(crate) struct FileBlocks {
    pub(crate) index: Arc<TableIndex>,
    /// The blocks of this file in the index.
    pub(crate) blocks: Range<usize>,
    /// The rows of the file.
    pub(crate) rows: u64,
    /// The header, if the index has it. The cache of the session may have no memory for those of all files.
    pub(crate) header: Option<Arc<File>>,
}

/// The bounds of a column in a whole file.
pub(super) struct FileBounds {
    pub(super) min: ScalarValue,
    pub(super) max: ScalarValue,
    pub(super) nulls: Option<u64>,
}

impl FileBlocks {
    /// Returns the blocks of a file from `first` on; `None` if the index has fewer.
    #[cfg(feature = "proto")]
    pub(crate) fn new(index: Arc<TableIndex>, first: usize, rows: u64) -> Option<Self> {
        let end = first.checked_add(super::blocks_of(rows, index.block)?)?;
        let is_there = index.columns.iter().all(|column| column.min.len() >= end);
        is_there.then(|| FileBlocks { index, blocks: first..end, rows, header: None })
    }

    /// Returns the blocks of a file if nothing is known but the numbers of its rows.
    pub(crate) fn without_bounds(rows: u64) -> Option<Self> {
        let index = TableIndex { block: super::INDEX_BLOCK, columns: Vec::new(), frozen: None };
        let blocks = 0..super::blocks_of(rows, index.block)?;
        Some(FileBlocks { index: Arc::new(index), blocks, rows, header: None })
    }

    /// Returns the rows of a block.
    fn rows_of(&self, block: usize) -> Range<u64> {
        let start = (block as u64).saturating_mul(self.index.block).min(self.rows);
        start..start.saturating_add(self.index.block).min(self.rows)
    }

    /// Returns the bounds of a column in all blocks; null if one of them is not known.
    pub(super) fn of_file(&self, column: &Bounds) -> Result<FileBounds> {
        let count = self.blocks.len();
        let slice = |values: &ArrayRef| values.slice(self.blocks.start, count);
        let (min, max) = (slice(&column.min), slice(&column.max));
        let nulls = column.nulls.slice(self.blocks.start, count);
        let is_known = (0..count).all(|block| {
            let rows = self.rows_of(block);
            let is_null = nulls.is_valid(block)
                && u64::try_from(nulls.value(block)) == Ok(rows.end - rows.start);
            is_null || (min.is_valid(block) && max.is_valid(block))
        });
        let add = |sum: u64, nulls: Option<i64>| sum.checked_add(u64::try_from(nulls?).ok()?);
        let sum = nulls.iter().try_fold(0, add);
        let null = ScalarValue::try_from(column.field.data_type())?;
        let (min, max) = match is_known {
            true => (extremes_of(&min)?.0, extremes_of(&max)?.1),
            false => (null.clone(), null),
        };
        Ok(FileBounds { min, max, nulls: sum })
    }
}

/// Returns the extremes of bounds, whose type is that of the table.
fn extremes_of(values: &ArrayRef) -> Result<(ScalarValue, ScalarValue)> {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Utf8, Utf8View};
    let plain = match values.data_type() {
        LargeUtf8 | Utf8View => cast(values, &Utf8)?,
        LargeBinary | BinaryView => cast(values, &Binary)?,
        _ => Arc::clone(values),
    };
    let (min, max) = extremes(&plain)?;
    Ok((min.cast_to(values.data_type())?, max.cast_to(values.data_type())?))
}

/// The bounds of blocks, or of files, as DataFusion asks for them.
pub(super) struct Containers {
    pub(super) columns: HashMap<String, (ArrayRef, ArrayRef, Option<ArrayRef>)>,
    pub(super) rows: UInt64Array,
}

impl PruningStatistics for Containers {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        Some(Arc::clone(&self.columns.get(&column.name)?.0))
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        Some(Arc::clone(&self.columns.get(&column.name)?.1))
    }

    fn num_containers(&self) -> usize {
        self.rows.len()
    }

    fn null_counts(&self, column: &Column) -> Option<ArrayRef> {
        self.columns.get(&column.name)?.2.clone()
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        Some(Arc::new(self.rows.clone()))
    }

    fn contained(&self, _: &Column, _: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}

/// The conditions of a scan, as far as bounds can tell that no row meets them.
#[derive(Debug)]
pub(crate) struct Pruner {
    predicate: Arc<dyn PhysicalExpr>,
    schema: SchemaRef,
    /// The test of bounds, and the generation of the conditions that it is for. Some are known only while the query runs.
    test: Mutex<Option<(u64, Option<Arc<PruningPredicate>>)>>,
}

impl Pruner {
    pub(crate) fn new(predicate: Arc<dyn PhysicalExpr>, schema: SchemaRef) -> Self {
        Pruner { predicate, schema, test: Mutex::default() }
    }

    /// Returns true if the conditions become stricter while the query runs.
    fn is_dynamic(&self) -> bool {
        self.generation() != 0
    }

    fn generation(&self) -> u64 {
        snapshot_generation(&self.predicate)
    }

    /// Returns the test of bounds; `None` if it would exclude nothing.
    fn test(&self) -> Option<Arc<PruningPredicate>> {
        let generation = self.generation();
        let mut test = self.test.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, test)) = &*test
            && *of == generation
        {
            return test.clone();
        }
        // Conditions that cannot be tested exclude nothing.
        let current = snapshot_physical_expr(Arc::clone(&self.predicate));
        let made = current.and_then(|current| {
            let parts = split_conjunction(&current).into_iter();
            let sound = parts.filter(|part| sound::is_sound(part, &self.schema));
            let sound = conjunction(sound.cloned());
            PruningPredicateBuilder::new()
                .with_file_schema(Arc::clone(&self.schema))
                .try_build(sound)
        });
        let made = made.ok().filter(|it| !it.always_true()).map(Arc::new);
        *test = Some((generation, made.clone()));
        made
    }

    /// Returns false for each container in which no row meets the conditions. `None`: all may have some.
    pub(super) fn passing(&self, containers: &Containers) -> Option<Vec<bool>> {
        let passing = self.test()?.prune(containers).ok()?;
        (passing.len() == containers.num_containers()).then_some(passing)
    }

    /// Returns true if no block of a file has rows of the query.
    pub(crate) fn excludes(&self, file: &FileBlocks) -> bool {
        let passing = self.passing(&self.containers(file));
        passing.is_some_and(|passing| !passing.contains(&true))
    }

    /// Returns the rows of a file, of these, that are in blocks that may have rows of the query. `longest` is the most rows at a time, if conditions become stricter.
    pub(crate) fn runs(
        self: &Arc<Self>,
        blocks: Option<FileBlocks>,
        rows_of_file: u64,
        rows: Range<u64>,
        longest: u64,
        pruned: Count,
    ) -> Runs {
        // Without an index, the numbers of the rows are bounds of a virtual column.
        let is_numbered = || self.schema.field_with_name(ROW).is_ok_and(is_virtual);
        let blocks = blocks.filter(|blocks| blocks.rows == rows_of_file);
        let blocks = blocks
            .or_else(|| is_numbered().then(|| FileBlocks::without_bounds(rows_of_file)).flatten());
        let Some(blocks) = blocks else { return Runs::all(rows) };
        let longest = if self.is_dynamic() { longest } else { u64::MAX };
        let source = Source { pruner: Arc::clone(self), blocks, longest, pruned, passing: None };
        Runs { rows, source: Some(source) }
    }

    /// Returns the bounds of the blocks of a file, of the columns of the conditions.
    fn containers(&self, file: &FileBlocks) -> Containers {
        let used = datafusion::physical_expr::utils::collect_columns(&self.predicate);
        let is_used = |name: &str| used.iter().any(|column| column.name() == name);
        let (start, count) = (file.blocks.start, file.blocks.len());
        let mut columns = HashMap::new();
        for Bounds { field, min, max, nulls, .. } in &file.index.columns {
            if is_used(field.name()) {
                let nulls = nulls.slice(start, count);
                let nulls = cast(&nulls, &DataType::UInt64).ok();
                let bounds = (min.slice(start, count), max.slice(start, count), nulls);
                columns.insert(field.name().clone(), bounds);
            }
        }
        let of_blocks = || (0..count).map(|block| file.rows_of(block));
        if self.schema.field_with_name(ROW).is_ok_and(is_virtual) {
            let first = of_blocks().map(|rows| i64::try_from(rows.start).ok());
            let last = of_blocks().map(|rows| i64::try_from(rows.end.saturating_sub(1)).ok());
            let (first, last): (Int64Array, Int64Array) = (first.collect(), last.collect());
            let nulls = UInt64Array::from_value(0, count);
            let bounds: (ArrayRef, ArrayRef, Option<ArrayRef>) =
                (Arc::new(first), Arc::new(last), Some(Arc::new(nulls)));
            columns.insert(ROW.to_owned(), bounds);
        }
        let rows = of_blocks().map(|rows| rows.end - rows.start);
        Containers { columns, rows: UInt64Array::from_iter_values(rows) }
    }
}

/// Ranges of rows that may have rows of the query. Each is tested when it is asked for, with the conditions of that time.
pub(crate) struct Runs {
    /// The rows that are still to come.
    rows: Range<u64>,
    /// `None`: all rows are one range.
    source: Option<Source>,
}

struct Source {
    pruner: Arc<Pruner>,
    blocks: FileBlocks,
    /// The most rows of a range.
    longest: u64,
    pruned: Count,
    /// For each block, true if it may have rows, by the conditions of a generation.
    passing: Option<(u64, Option<Vec<bool>>)>,
}

impl Source {
    fn passing(&mut self) -> Option<&[bool]> {
        let generation = self.pruner.generation();
        if self.passing.as_ref().is_none_or(|(of, _)| *of != generation) {
            let passing = self.pruner.passing(&self.pruner.containers(&self.blocks));
            self.passing = Some((generation, passing));
        }
        self.passing.as_ref().and_then(|(_, passing)| passing.as_deref())
    }
}

impl Runs {
    /// Returns all rows as one range.
    pub(crate) fn all(rows: Range<u64>) -> Self {
        Runs { rows, source: None }
    }
}

impl Iterator for Runs {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        while !self.rows.is_empty() {
            let rows = self.rows.clone();
            let Some(source) = &mut self.source else {
                self.rows.start = rows.end;
                return Some(rows);
            };
            let (size, longest) = (source.blocks.index.block, source.longest);
            let pruned = source.pruned.clone();
            let Some(passing) = source.passing() else {
                let end = rows.end.min(rows.start.saturating_add(longest));
                self.rows.start = end;
                return Some(rows.start..end);
            };
            let passes = |row: u64| {
                let block = usize::try_from(row / size).ok();
                block.and_then(|block| passing.get(block)).copied().unwrap_or(true)
            };
            let next_block = |row: u64| rows.end.min((row / size + 1).saturating_mul(size));
            let mut end = next_block(rows.start);
            if !passes(rows.start) {
                self.rows.start = end;
                pruned.add(1);
                continue;
            }
            while end < rows.end && end - rows.start < longest && passes(end) {
                end = next_block(end);
            }
            self.rows.start = end;
            return Some(rows.start..end);
        }
        None
    }
}
