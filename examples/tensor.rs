//! Any number into a tensor library, and back: two methods, after which its tensors are files, and members of archives.
//!
//! `cargo run --example tensor`

use std::collections::BTreeMap;
use std::io::Read;

use npy_core::{
    AnyArray, ArrayWriter, Cast, Error, NpyView, Order, ReadNpy, Reader, Result, WriteNpy, for_any,
    npz,
};

/// The tensor of another library, which has two types.
#[derive(Debug, PartialEq)]
enum Tensor {
    Indices(Vec<i64>, Vec<usize>),
    Floats(Vec<f32>, Vec<usize>),
}

impl ReadNpy for Tensor {
    /// The elements are in C order, whatever the file has, and `for_any!` has one arm for several types.
    fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
        let array = AnyArray::read_npy_array(reader.set_order(Order::C))?;
        let shape = array.shape().to_vec();
        Ok(for_any!(array, typed => {
            I64 => Tensor::Indices(typed.into_vec(), shape),
            Bool | I8 | I16 | I32 | U8 | U16 | U32 =>
                Tensor::Indices(typed.into_iter().map(i64::from).collect(), shape),
            F32 => Tensor::Floats(typed.into_vec(), shape),
            F64 => Tensor::Floats(AnyArray::from(typed).cast(Cast::Numeric)?.into_vec(), shape),
            _ => return Err(Error::custom(format!("there are no tensors of {}", typed.dtype()))),
        }))
    }
}

impl WriteNpy for Tensor {
    /// A view copies nothing. For a library that has bytes and not slices, there is `DynView`.
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        match self {
            Tensor::Indices(items, shape) => NpyView::new(items, &shape[..])?.write_npy_array(to),
            Tensor::Floats(items, shape) => NpyView::new(items, &shape[..])?.write_npy_array(to),
        }
    }
}

fn main() -> Result<()> {
    let directory = std::env::temp_dir().join(format!("npy-tensor-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;

    let path = directory.join("x.npy");
    [true, false, true].write_npy(&path)?;
    println!("{:?}", Tensor::read_npy(&path)?);
    ["no", "number"].write_npy(&path)?;
    println!("{}", Tensor::read_npy(&path).unwrap_err()); // names the file

    let weights = Tensor::Floats(vec![0.5; 6], vec![2, 3]);
    let labels = Tensor::Indices(vec![3, 1, 2, 0], vec![4]);
    let model = BTreeMap::from([("weights".to_owned(), weights), ("labels".to_owned(), labels)]);
    let path = directory.join("model.npz");
    npz::save(&path, &model)?; // np.load(path)["weights"]
    assert_eq!(npz::load::<BTreeMap<String, Tensor>>(&path)?, model);
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}
