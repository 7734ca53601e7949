//! The folders of a scan whose columns are files, and the headers that files lack, so that executors neither list folders nor read headers.

use std::sync::Arc;

use datafusion::arrow::temporal_conversions::timestamp_ns_to_datetime;
use datafusion::common::exec_datafusion_err;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig};
use datafusion::error::{DataFusionError, Result};
use object_store::ObjectMeta;
use object_store::path::Path;
use prost::Message;

use crate::archive::Fetched;
use crate::groups::Group;
use crate::header::{Contents, File, Member, Place};

/// A folder.
#[derive(Clone, PartialEq, Message)]
pub(super) struct GroupMessage {
    #[prost(uint64, tag = "1")]
    rows: u64,
    #[prost(message, repeated, tag = "2")]
    columns: Vec<ColumnMessage>,
    /// The dtype of a row of a file without a header, which has no folder.
    #[prost(string, optional, tag = "3")]
    row: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct ColumnMessage {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    dtype: String,
    /// The position of the first row.
    #[prost(uint64, tag = "3")]
    start: u64,
    /// In Fortran order, the numbers of the columns in the file, in the order in which a row has them.
    #[prost(uint64, repeated, tag = "4")]
    order: Vec<u64>,
    #[prost(bool, tag = "5")]
    is_fortran: bool,
    #[prost(string, tag = "6")]
    path: String,
    #[prost(uint64, tag = "7")]
    size: u64,
    /// Nanoseconds since 1970.
    #[prost(int64, tag = "8")]
    modified: i64,
    #[prost(string, optional, tag = "9")]
    e_tag: Option<String>,
    #[prost(string, optional, tag = "10")]
    version: Option<String>,
}

/// Returns the folders of a scan; none if its files are not folders.
pub(super) fn of(scan: &FileScanConfig) -> Vec<GroupMessage> {
    let files = scan.file_groups.iter().flat_map(FileGroup::iter);
    files.filter_map(|file| message(&file.extensions.get::<Group>()?.0)).collect()
}

fn message(file: &File) -> Option<GroupMessage> {
    let members = match &file.contents {
        Contents::Members { members, .. } => members,
        Contents::Rows { dtype, .. } => {
            let row = Some(dtype.descr());
            return Some(GroupMessage { rows: file.rows, columns: Vec::new(), row });
        }
    };
    let columns = members.iter().map(column).collect::<Option<Vec<_>>>()?;
    Some(GroupMessage { rows: file.rows, columns, row: None })
}

fn column(member: &Member) -> Option<ColumnMessage> {
    let meta = member.file.as_ref()?;
    let (start, order, is_fortran) = match &member.place {
        Place::At(start) => (*start, Vec::new(), false),
        Place::Columns { start, order } => (*start, order.to_vec(), true),
        Place::Packed { .. } => return None,
    };
    Some(ColumnMessage {
        name: member.name.clone(),
        dtype: member.dtype.descr(),
        start,
        order,
        is_fortran,
        path: meta.location.to_string(),
        size: meta.size,
        modified: meta.last_modified.timestamp_nanos_opt()?,
        e_tag: meta.e_tag.clone(),
        version: meta.version.clone(),
    })
}

/// Gives the files of a scan their folders.
pub(super) fn give(messages: Vec<GroupMessage>, files: Vec<FileGroup>) -> Result<Vec<FileGroup>> {
    if messages.is_empty() {
        return Ok(files);
    }
    let mut messages = messages.into_iter();
    let mut with_columns = |file: &PartitionedFile| -> Result<PartitionedFile> {
        let mut file = file.clone();
        file.extensions.insert(Group(messages.next().ok_or_else(malformed)?.file()?));
        Ok(file)
    };
    let groups = files.iter().map(|group| {
        let files = group.iter().map(&mut with_columns).collect::<Result<Vec<_>>>()?;
        Ok(match group.file_statistics(None) {
            Some(statistics) => FileGroup::new(files).with_statistics(Arc::new(statistics.clone())),
            None => FileGroup::new(files),
        })
    });
    let groups = groups.collect::<Result<Vec<_>>>()?;
    match messages.next() {
        None => Ok(groups),
        Some(_) => Err(malformed()),
    }
}

impl GroupMessage {
    fn file(self) -> Result<File> {
        let rows = self.rows;
        if let Some(row) = self.row {
            let row: npy_core::DType = row.parse().map_err(|_| malformed())?;
            return Ok(File::of_rows(row, rows));
        }
        let members = self.columns.into_iter().map(|column| column.member(rows));
        let members = members.collect::<Result<_>>()?;
        let contents = Contents::Members { members, directory: Fetched::default() };
        Ok(File { rows, contents, fetched: None, is_single: false })
    }
}

impl ColumnMessage {
    /// Returns the column. Its rows are within its file.
    fn member(self, rows: u64) -> Result<Member> {
        let dtype: npy_core::dtype::DType = self.dtype.parse().map_err(|_| malformed())?;
        let end = rows.checked_mul(dtype.itemsize() as u64);
        let end = end.and_then(|bytes| bytes.checked_add(self.start));
        let values = dtype.flat().1.iter().try_fold(1usize, |all, size| all.checked_mul(*size));
        let count = self.order.len();
        let is_within = self.order.iter().all(|&number| number < count as u64);
        let is_complete = !self.is_fortran || (values == Some(count) && is_within);
        if end.is_none_or(|end| end > self.size) || !is_complete {
            return Err(malformed());
        }
        let place = match self.is_fortran {
            true => Place::Columns { start: self.start, order: self.order.into() },
            false => Place::At(self.start),
        };
        let modified = timestamp_ns_to_datetime(self.modified).ok_or_else(malformed)?;
        let file = ObjectMeta {
            location: Path::parse(&self.path).map_err(|_| malformed())?,
            last_modified: modified.and_utc(),
            size: self.size,
            e_tag: self.e_tag,
            version: self.version,
        };
        Ok(Member { name: self.name, dtype, place, file: Some(Arc::new(file)) })
    }
}

fn malformed() -> DataFusionError {
    exec_datafusion_err!(
        "the folders of a scan do not fit its files; run the same version in all processes"
    )
}
