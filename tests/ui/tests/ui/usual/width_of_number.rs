// advice: remove it
use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Station {
    #[npy(width = 8)]
    gain: f32,
}

fn main() {}
