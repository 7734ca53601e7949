// advice: #[npy(width = 16)]
use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Station {
    name: String,
}

fn main() {}
