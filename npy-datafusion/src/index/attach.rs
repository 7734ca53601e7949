//! Gives the bounds of an index to the planner and to a scan.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, UInt64Array};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    FileGroup, FileScanConfig, FileScanConfigBuilder, FileSource,
};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::scalar::ScalarValue;

use super::blocks::{Containers, FileBlocks, FileBounds, Pruner, TableIndex};
use super::{Bounds, Loaded};
use crate::source::NpySource;

/// Returns the scan, whose files have their blocks. Its statistics have the bounds of the columns, exact ones if the index is trusted.
pub(crate) fn attach(
    scan: &FileScanConfig,
    source: &NpySource,
    loaded: &Loaded,
) -> Result<FileScanConfig> {
    let schema = source.table_schema().file_schema();
    let mut tables = Vec::new();
    for (directory, index) in &loaded.indices {
        let frozen = loaded.are_frozen.then(|| directory.clone());
        tables.push((index, Arc::new(TableIndex::new(index, schema, frozen)?)));
    }
    let with_blocks = |file: &PartitionedFile| {
        let mut file = file.clone();
        for (index, table) in &tables {
            if let Some(entry) = index.entry(&file.object_meta) {
                file.extensions.insert(FileBlocks {
                    index: Arc::clone(table),
                    blocks: entry.blocks.clone(),
                    rows: entry.rows,
                    header: entry.header.clone(),
                });
                break;
            }
        }
        file
    };
    let groups: Vec<FileGroup> = scan
        .file_groups
        .iter()
        .map(|group| {
            let files = FileGroup::new(group.iter().map(with_blocks).collect());
            match group.file_statistics(None) {
                Some(statistics) => files.with_statistics(Arc::new(statistics.clone())),
                None => files,
            }
        })
        .collect();
    let builder = FileScanConfigBuilder::from(scan.clone()).with_file_groups(groups);
    let scan = builder.build();
    let mut statistics = scan.statistics();
    let files: Vec<&PartitionedFile> = scan.file_groups.iter().flat_map(FileGroup::iter).collect();
    let blocks: Option<Vec<&FileBlocks>> =
        files.iter().map(|file| file.extensions.get::<FileBlocks>()).collect();
    if let Some(blocks) = blocks
        && statistics.column_statistics.len() >= schema.fields().len()
    {
        for (field, column) in schema.fields().iter().zip(&mut statistics.column_statistics) {
            let Some(bounds) = of_files(&blocks, field.name())? else { continue };
            // -0.0 is equal to 0.0 and another text, so the bounds of floats are not exact.
            let is_exact = loaded.are_frozen && !field.data_type().is_floating();
            let precision = |value: ScalarValue| match (value.is_null(), is_exact) {
                (true, _) => Precision::Absent,
                (_, true) => Precision::Exact(value),
                (_, false) => Precision::Inexact(value),
            };
            (column.min_value, column.max_value) = (precision(bounds.min), precision(bounds.max));
            let nulls = bounds.nulls.and_then(|nulls| usize::try_from(nulls).ok());
            if let (Some(nulls), Precision::Absent) = (nulls, &column.null_count) {
                column.null_count = match loaded.are_frozen {
                    true => Precision::Exact(nulls),
                    false => Precision::Inexact(nulls),
                };
            }
        }
    }
    Ok(FileScanConfigBuilder::from(scan).with_statistics(statistics).build())
}

/// Returns the bounds of a column in all files; `None` if a file has none.
fn of_files(files: &[&FileBlocks], name: &str) -> Result<Option<FileBounds>> {
    let mut all: Option<FileBounds> = None;
    for file in files {
        let Some(column) = column(file, name) else { return Ok(None) };
        let bounds = file.of_file(column)?;
        all = Some(match all {
            None => bounds,
            Some(before) => {
                let is_unknown = |it: &FileBounds| it.min.is_null() || it.max.is_null();
                // A file of nulls alone has no bounds either: all files must have some.
                if is_unknown(&before) || is_unknown(&bounds) {
                    return Ok(None);
                }
                let nulls = before.nulls.zip(bounds.nulls);
                FileBounds {
                    min: least(before.min, bounds.min, false),
                    max: least(before.max, bounds.max, true),
                    nulls: nulls.and_then(|(a, b)| a.checked_add(b)),
                }
            }
        });
    }
    Ok(all)
}

fn least(a: ScalarValue, b: ScalarValue, is_max: bool) -> ScalarValue {
    match a.partial_cmp(&b) {
        Some(order) if order.is_gt() != is_max => b,
        _ => a,
    }
}

fn column<'f>(file: &'f FileBlocks, name: &str) -> Option<&'f Bounds> {
    file.index.columns.iter().find(|column| column.field.name() == name)
}

/// Returns the least and the greatest value of a column in a file that has blocks; null if they are not known.
pub(crate) fn extremes_of_file(
    file: &PartitionedFile,
    name: &str,
) -> Result<Option<(ScalarValue, ScalarValue)>> {
    let Some(blocks) = file.extensions.get::<FileBlocks>() else { return Ok(None) };
    let bounds = column(blocks, name).map(|column| blocks.of_file(column)).transpose()?;
    Ok(bounds.map(|bounds| (bounds.min, bounds.max)))
}

/// Returns true if the index knows that a column is in ascending order in a file, and has no nulls.
pub(crate) fn is_sorted(file: &FileBlocks, name: &str) -> Result<bool> {
    let Some(column) = column(file, name) else { return Ok(false) };
    let mut last: Option<ScalarValue> = None;
    for block in file.blocks.clone() {
        let min = ScalarValue::try_from_array(&column.min, block)?;
        let max = ScalarValue::try_from_array(&column.max, block)?;
        let comes_after =
            last.is_none_or(|last| min.partial_cmp(&last).is_some_and(Ordering::is_ge));
        if !column.sorted.value(block) || min.is_null() || max.is_null() || !comes_after {
            return Ok(false);
        }
        last = Some(max);
    }
    Ok(true)
}

/// Returns the scan without the files in which no row meets its conditions, and the number of those. One file stays, as a scan has at least one.
pub(crate) fn without_pruned(
    scan: &FileScanConfig,
    source: &NpySource,
) -> Result<Option<(FileScanConfig, usize)>> {
    let Some(predicate) = source.filter() else { return Ok(None) };
    // Groups with values of their own are what the planner has been told.
    if scan.output_partitioning.is_some() {
        return Ok(None);
    }
    let files: Vec<&PartitionedFile> = scan.file_groups.iter().flat_map(FileGroup::iter).collect();
    let schema = source.table_schema().file_schema();
    let Some(passing) = passing(&files, predicate, schema)? else { return Ok(None) };
    let passes = |(file, passes): (&&PartitionedFile, &bool)| passes.then(|| (*file).clone());
    let mut left: Vec<PartitionedFile> = files.iter().zip(&passing).filter_map(passes).collect();
    if left.is_empty() {
        left.extend(files.first().map(|file| (*file).clone()));
    }
    let pruned = files.len() - left.len();
    if pruned == 0 {
        return Ok(None);
    }
    let groups = FileGroup::new(left).split_files(scan.file_groups.len().max(1));
    let builder = FileScanConfigBuilder::from(scan.clone()).with_file_groups(groups);
    Ok(Some((builder.build(), pruned)))
}

/// Returns false for each file in which no row meets the conditions. `None`: all may have some.
pub(crate) fn passing(
    files: &[&PartitionedFile],
    predicate: Arc<dyn PhysicalExpr>,
    schema: &SchemaRef,
) -> Result<Option<Vec<bool>>> {
    let names: Vec<String> =
        collect_columns(&predicate).iter().map(|column| column.name().to_owned()).collect();
    let mut columns = HashMap::new();
    for name in &names {
        let Ok(field) = schema.field_with_name(name) else { continue };
        let null = ScalarValue::try_from(field.data_type())?;
        let (mut min, mut max, mut nulls) = (Vec::new(), Vec::new(), Vec::new());
        for file in files {
            let blocks = file.extensions.get::<FileBlocks>();
            let bounds = blocks.and_then(|it| Some(it.of_file(column(it, name)?)));
            let bounds = bounds.transpose()?;
            nulls.push(bounds.as_ref().and_then(|it| it.nulls));
            let (low, high) =
                bounds.map_or((null.clone(), null.clone()), |bounds| (bounds.min, bounds.max));
            min.push(low);
            max.push(high);
        }
        let (min, max) = (ScalarValue::iter_to_array(min)?, ScalarValue::iter_to_array(max)?);
        let nulls: ArrayRef = Arc::new(UInt64Array::from(nulls));
        columns.insert(name.clone(), (min, max, Some(nulls)));
    }
    let rows = |file: &&PartitionedFile| Some(file.extensions.get::<FileBlocks>()?.rows);
    let containers = Containers { columns, rows: files.iter().map(rows).collect() };
    Ok(Pruner::new(predicate, Arc::clone(schema)).passing(&containers))
}

/// Returns the files in the order of the bounds of a column. Files without known bounds come last.
pub(crate) fn best_first(
    files: Vec<PartitionedFile>,
    name: &str,
    is_greatest_first: bool,
) -> Vec<PartitionedFile> {
    let best = |file: &PartitionedFile| {
        let blocks = file.extensions.get::<FileBlocks>()?;
        let bounds = blocks.of_file(column(blocks, name)?).ok()?;
        let best = if is_greatest_first { bounds.max } else { bounds.min };
        (!best.is_null()).then_some(best)
    };
    let mut keyed: Vec<_> = files.into_iter().map(|file| (best(&file), file)).collect();
    keyed.sort_by(|(a, _), (b, _)| match (a, b) {
        (Some(a), Some(b)) => {
            let order = a.partial_cmp(b).unwrap_or(Ordering::Equal);
            if is_greatest_first { order.reverse() } else { order }
        }
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    keyed.into_iter().map(|(_, file)| file).collect()
}
