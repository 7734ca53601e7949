use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Trace {
    good: u8,
    bad: char,
}

fn main() {}
