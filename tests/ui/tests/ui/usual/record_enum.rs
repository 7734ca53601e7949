// advice: NpyElement
use npy_core::NpyRecord;

#[derive(NpyRecord)]
enum Phase {
    P,
    S,
}

fn main() {}
