use std::collections::HashMap;

use npy_core::NpzArchive;

#[derive(NpzArchive)]
struct Model {
    good: Vec<f32>,
    bad: HashMap<String, f32>,
}

fn main() {}
