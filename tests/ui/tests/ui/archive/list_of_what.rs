use npy_core::NpzArchive;

#[derive(NpzArchive)]
struct Model {
    shape: Vec<usize>,
}

fn main() {}
