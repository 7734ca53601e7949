//! The advice for data that ends too early: to keep what is complete of it.

/// The advice for data with complete rows, in memory or from a stream.
pub(crate) const ROWS_IN_MEMORY: &str = "keep its complete rows: a loop over Reader::records returns those of a .npy file in C order before this error";

/// The advice for data in Fortran order, which has complete columns.
pub(crate) const COLUMNS_IN_MEMORY: &str =
    "keep its complete columns: write the bytes to a file for the command npy repair";

/// The same for a file. In a member of an archive, the command alone finds the rows.
const ROWS: &str = "keep its complete rows: the command npy repair FILE -o OUT --yes writes them to a file, and a loop over Reader::records returns those of a .npy file in C order before this error";

const COLUMNS: &str =
    "keep its complete columns: the command npy repair FILE -o OUT --yes writes them to a file";

/// Returns the advice for data of a file, from the one for any data.
pub(super) fn in_file(remedy: &'static str) -> &'static str {
    match remedy {
        ROWS_IN_MEMORY => ROWS,
        COLUMNS_IN_MEMORY => COLUMNS,
        other => other,
    }
}
