//! A file and an `ndarray::Array`, by the feature `ndarray`: both are arrays to `load` and `save`.

use ndarray::{Array2, array, s};
use npy_core::{NpyArray, load, save};

fn main() -> npy_core::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("matrix.npy");

    let matrix = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    save(&path, &matrix)?; // np.save("matrix.npy", matrix)
    let again: Array2<f64> = load(&path)?;
    assert_eq!(again, matrix);

    // Views are written, too: here Fortran order, and every other column.
    save(&path, &matrix.t())?;
    assert_eq!(load::<Array2<f64>>(&path)?, matrix.t());
    save(&path, &matrix.slice(s![.., ..;2]))?;
    assert_eq!(load::<Array2<f64>>(&path)?, array![[1.0, 3.0], [4.0, 6.0]]);

    // An array of ours, as theirs, without a copy.
    let ours: NpyArray<f64> = load(&path)?;
    assert_eq!(ours.as_ndarray()?.sum(), 14.0);
    Ok(())
}
