use npy_core::NpzArchive;

#[derive(NpzArchive)]
struct Model {
    name: String,
    #[npy(flatten)]
    weights: Vec<f32>,
}

fn main() {}
