use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Header {
    #[npy(flatten)]
    kind: u8,
}

fn main() {}
