//! A file and a `DMatrix` of nalgebra, whose elements are stored by columns: Fortran order.

use nalgebra::DMatrix;
use npy_core::{NpyArray, NpyView, Order, ReadOptions, save};

fn main() -> npy_core::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("matrix.npy");
    // np.save("matrix.npy", np.array([[1, 2, 3], [4, 5, 6]], dtype="f8"))
    save(&path, &[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;

    let array: NpyArray<f64> = ReadOptions::new().order(Order::Fortran).read(&path)?;
    let [rows, columns] = array.dims()?;
    let matrix = DMatrix::from_vec(rows, columns, array.into_vec_memory_order());
    assert_eq!(matrix, DMatrix::from_row_slice(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));

    save(&path, &NpyView::with_order(matrix.as_slice(), [rows, columns], Order::Fortran)?)?;
    let again: NpyArray<f64> = npy_core::load(&path)?;
    assert_eq!(again[[1, 0]], matrix[(1, 0)]);
    assert_eq!(again.as_slice_memory_order(), matrix.as_slice());
    Ok(())
}
