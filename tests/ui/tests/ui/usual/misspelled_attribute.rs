// advice: did you mean `rename`
use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Trace {
    #[npy(renam = "x")]
    gain: f32,
}

fn main() {}
