use npy_core::{NpzArchive, npz};

#[derive(NpzArchive)]
struct Model<T> {
    list: Vec<T>,
}

fn save<T>(model: &Model<T>) {
    npz::save("model.npz", model).unwrap();
}

fn main() {}
