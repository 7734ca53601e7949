// The message is of rustc alone; it must be at the type of the field.
use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[repr(C, packed)]
struct Pick {
    #[npy(width = 4)]
    station: String,
    time: f64,
}

fn main() {}
