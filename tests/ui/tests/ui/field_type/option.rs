use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Trace {
    good: f32,
    bad: Option<f64>,
}

fn main() {}
