// advice: width = 16
use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Station {
    #[npy(width = "16")]
    name: String,
}

fn main() {}
