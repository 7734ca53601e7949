//! A file and a `Tensor` of tract, which is made of an array of ndarray 0.17: the feature `ndarray`.

use npy_core::{load, save};
use tract_data::internal::Tensor;
use tract_data::internal::tract_ndarray::{ArrayD, arr2};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("input.npy");
    let matrix = arr2(&[[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    save(&path, &matrix)?; // np.save("input.npy", matrix)

    let tensor: Tensor = load::<ArrayD<f32>>(&path)?.into();
    assert_eq!(tensor.shape(), [2, 3]);

    save(&path, &tensor.to_plain_array_view::<f32>()?)?;
    assert_eq!(load::<ArrayD<f32>>(&path)?, matrix.into_dyn());
    Ok(())
}
