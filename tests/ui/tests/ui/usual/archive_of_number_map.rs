// advice: each field of an archive is an array
use npy_core::NpzArchive;

#[derive(NpzArchive)]
struct Model {
    weights: Vec<f32>,
    layers: std::collections::HashSet<u32>,
}

fn main() {}
