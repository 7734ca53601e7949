//! The name that was probably meant.

use npy_datafusion::datafusion::common::utils::datafusion_strsim::levenshtein;

/// Returns the name of several that differs from another one in a third of its letters at most.
pub(crate) fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // The time for a distance grows with the product of both lengths.
    const MAX_NAME_BYTES: usize = 64;
    let lower = name.to_lowercase();
    let names = names.into_iter().filter(|other| other.len() <= MAX_NAME_BYTES);
    let distances = names.map(|other| (levenshtein(&lower, &other.to_lowercase()), other));
    let (distance, nearest) = distances.min_by_key(|(distance, _)| *distance)?;
    let is_near = name.len() <= MAX_NAME_BYTES && distance * 3 <= name.chars().count();
    is_near.then_some(nearest)
}
