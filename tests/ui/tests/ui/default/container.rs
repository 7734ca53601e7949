use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(default)]
struct Header {
    kind: u8,
    count: u8,
}

fn main() {}
