//! A file and a `Tensor` of burn.

use burn::tensor::{Tensor, TensorData};
use npy_core::{NpyArray, load, save};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("weights.npy");
    // np.save("weights.npy", np.array([[1, 2, 3], [4, 5, 6]], dtype="f4"))
    save(&path, &[[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]])?;

    let array: NpyArray<f32> = load(&path)?;
    let shape: [usize; 2] = array.dims()?;
    let data = TensorData::new(array.into_vec(), shape);
    let tensor = Tensor::<2>::from_data(data, &Default::default());
    assert_eq!(tensor.clone().sum().into_scalar::<f32>(), 21.0);

    let values = tensor.to_data().try_to_vec::<f32>()?;
    let again = NpyArray::new(values, tensor.dims())?;
    save(&path, &again)?;
    assert_eq!(load::<NpyArray<f32>>(&path)?, again);
    Ok(())
}
