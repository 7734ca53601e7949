//! A file and a `Mat` of faer, whose columns have padding: element by element.

use faer::{Mat, mat};
use npy_core::{NpyArray, load, save};

fn main() -> npy_core::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("matrix.npy");
    // np.save("matrix.npy", np.array([[1, 2, 3], [4, 5, 6]], dtype="f8"))
    save(&path, &[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;

    let array: NpyArray<f64> = load(&path)?;
    let [rows, columns] = array.dims()?;
    let matrix = Mat::from_fn(rows, columns, |row, column| array[[row, column]]);
    assert_eq!(matrix, mat![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);

    save(&path, &NpyArray::from_fn([rows, columns], |[row, column]| matrix[(row, column)])?)?;
    assert_eq!(load::<NpyArray<f64>>(&path)?, array);
    Ok(())
}
