use std::collections::HashSet;

use npy_core::NpzArchive;

#[derive(NpzArchive)]
struct Model {
    good: Vec<f32>,
    bad: HashSet<String>,
}

fn main() {}
