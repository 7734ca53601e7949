use npy_core::NpzArchive;

#[derive(NpzArchive)]
struct Layer {
    weights: Vec<f32>,
}

#[derive(NpzArchive)]
struct Model {
    layers: Vec<Layer>,
}

fn main() {}
