use npy_core::{NpyArray, NpzArchive};

#[derive(NpzArchive)]
struct Model {
    #[npy(default)]
    weights: NpyArray<f32>,
}

fn no_list() -> f32 {
    0.0
}

#[derive(NpzArchive)]
struct Other {
    #[npy(default = no_list)]
    list: Vec<f32>,
}

#[derive(NpzArchive)]
#[npy(default)]
struct Whole {
    list: Vec<f32>,
}

fn main() {}
