//! Files without a header, which are data alone, as NumPy's `tofile` writes them: `OPTIONS ('raw' '<i2,384')`.
//!
//! The option states the dtype of a row, and the size of a file the number of its rows. From both, the planner makes the header that a file lacks, and sends it with the scan.

use datafusion::common::{plan_datafusion_err, plan_err};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::error::Result;
use npy_core::DType;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};

use crate::groups::Groups;
use crate::header::{File, failed, located};

/// The first bytes of a file that has a header.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Parses the dtype of a row: that of an item, and after a comma the shape of a row, as `<i2`, `<i2,384` or `f4,480x640`.
pub(crate) fn parse(text: &str) -> Result<DType> {
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    let (item, shape) = match text.rsplit_once(',') {
        Some((item, shape)) if shape.split('x').all(is_digits) => (item, Some(shape)),
        _ => (text, None),
    };
    let failed = |error: &dyn std::fmt::Display| {
        plan_datafusion_err!(
            "the option raw is {text:?}: {error}; it is the dtype of an item, and the shape of a row, such as '<i2' or 'f4,480x640'"
        )
    };
    let shape = shape.into_iter().flat_map(|shape| shape.split('x')).map(str::parse);
    let shape = shape.collect::<std::result::Result<Vec<usize>, _>>();
    let shape = shape.map_err(|error| failed(&error))?;
    let item: DType = item
        .parse()
        .or_else(|error| format!("<{item}").parse().map_err(|_| error))
        .map_err(|error: npy_core::Error| failed(&error))?;
    let row = item.array(&shape).map_err(|error| failed(&error))?;
    match () {
        () if row.has_object() => Err(failed(&"Python objects are not in files without a header")),
        () if row.itemsize() == 0 => {
            Err(failed(&"a row has no bytes, so a file has any number of them"))
        }
        () => Ok(row),
    }
}

/// Makes the headers of files.
pub(crate) async fn headers(
    store: &dyn ObjectStore,
    url: &ListingTableUrl,
    files: &[ObjectMeta],
    row: &DType,
) -> Result<Groups> {
    if url.is_collection() && url.get_glob().is_none() {
        return plan_err!(
            "{url}: it is a directory, and files without a header may have any name; name a file, or a pattern, as 'dir/*.bin'"
        );
    }
    let size = row.itemsize() as u64;
    if size == 0 || row.has_object() {
        return plan_err!("a row of {row} is not in files without a header; name another dtype");
    }
    // The files are of one kind, so the first one tells.
    if let Some(first) = files.iter().find(|file| file.size >= MAGIC.len() as u64) {
        let start = store.get_range(&first.location, 0..MAGIC.len() as u64).await;
        if start.map_err(|error| failed(store, first, &error))? == MAGIC {
            return Err(located(
                store,
                first,
                &"it is a .npy file, whose header would be read as rows; leave the option raw out",
            ));
        }
    }
    let header = |meta: &ObjectMeta| {
        if !meta.size.is_multiple_of(size) {
            let reason = format!(
                "its {} bytes are not a multiple of the {size} of a row; name another dtype or shape of a row, or copy the complete file again",
                meta.size
            );
            return Err(located(store, meta, &reason));
        }
        Ok((meta.location.clone(), File::of_rows(row.clone(), meta.size / size)))
    };
    files.iter().map(header).collect()
}
