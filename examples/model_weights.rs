//! The weights of a model, a struct of layers, to an archive and back.
//!
//! `cargo run --example model_weights`

use std::collections::BTreeMap;

use npy_core::{NpyArray, NpzArchive, npz};

/// The contents of a model: each array is a member of the archive.
#[derive(NpzArchive, Debug, Clone, PartialEq)]
struct Model {
    name: String,
    epochs: u32,
    /// The layers by position: `layers/0/weights`, …
    layers: BTreeMap<usize, Dense>,
    /// The factor that brings the data into the range of the model; older files have none.
    scale: Option<Scale>,
}

/// A layer that connects all inputs to all outputs.
#[derive(NpzArchive, Debug, Clone, PartialEq)]
struct Dense {
    /// The dimensions are outputs and inputs.
    weights: NpyArray<f32>,
    /// An older name is also accepted when reading.
    #[npy(alias = "b")]
    bias: Vec<f32>,
}

#[derive(NpzArchive, Debug, Clone, PartialEq)]
struct Scale {
    mean: f32,
    deviation: f32,
}

impl Dense {
    /// Returns some weights, neither trained nor random.
    fn new(inputs: usize, outputs: usize) -> npy_core::Result<Self> {
        let weights = (0..inputs * outputs).map(|i| ((i * 7 % 11) as f32 - 5.0) / 10.0).collect();
        let weights = NpyArray::new(weights, [outputs, inputs])?;
        Ok(Dense { weights, bias: vec![0.1; outputs] })
    }

    fn run(&self, inputs: &[f32]) -> Vec<f32> {
        let rows = self.weights.as_slice_memory_order().chunks(inputs.len());
        let sum = |row: &[f32]| row.iter().zip(inputs).map(|(w, x)| w * x).sum::<f32>();
        rows.zip(&self.bias).map(|(row, bias)| (sum(row) + bias).max(0.0)).collect()
    }
}

impl Model {
    fn run(&self, inputs: &[f32]) -> Vec<f32> {
        let scaled = |x: &f32| self.scale.as_ref().map_or(*x, |s| (x - s.mean) / s.deviation);
        let inputs = inputs.iter().map(scaled).collect();
        self.layers.values().fold(inputs, |values: Vec<f32>, layer| layer.run(&values))
    }
}

fn main() -> npy_core::Result<()> {
    let path = "target/examples/model.npz";
    std::fs::create_dir_all("target/examples")?;

    let layers = [Dense::new(4, 8)?, Dense::new(8, 3)?];
    let model = Model {
        name: "small".into(),
        epochs: 20,
        layers: layers.into_iter().enumerate().collect(),
        scale: Some(Scale { mean: 1.0, deviation: 2.0 }),
    };
    npz::save(path, &model)?;

    let loaded: Model = npz::load(path)?;
    assert_eq!(loaded, model);
    let outputs = loaded.run(&[1.0, 2.0, 3.0, 4.0]);
    println!("{} of {} epochs gives {outputs:?}", loaded.name, loaded.epochs);

    let archive = npz::Reader::open(path)?;
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    for name in &names {
        let header = archive.header(name)?;
        println!("{name:>20}  {}  {:?}", header.dtype(), header.shape());
    }
    println!("in NumPy:");
    println!("    import numpy as np; print(np.load({path:?})[\"layers/0/weights\"])");
    Ok(())
}
