//! A file and a `Tensor` of candle.

use candle_core::{Device, Tensor};
use npy_core::{NpyArray, load, save};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("weights.npy");
    // np.save("weights.npy", np.array([[1, 2, 3], [4, 5, 6]], dtype="f4"))
    save(&path, &[[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]])?;

    let array: NpyArray<f32> = load(&path)?;
    let shape = array.shape().to_vec();
    let tensor = Tensor::from_vec(array.into_vec(), shape, &Device::Cpu)?;
    assert_eq!(tensor.to_vec2::<f32>()?, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);

    let values = tensor.flatten_all()?.to_vec1::<f32>()?;
    let again = NpyArray::new(values, tensor.dims())?;
    save(&path, &again)?;
    assert_eq!(load::<NpyArray<f32>>(&path)?, again);

    // candle reads `.npy` itself, if no dtype is converted.
    let theirs = Tensor::read_npy(&path)?;
    assert_eq!(theirs.to_vec2::<f32>()?, tensor.to_vec2::<f32>()?);
    Ok(())
}
