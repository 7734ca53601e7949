use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Trace {
    good: f32,
    bad: Vec<f32>,
}

fn main() {}
