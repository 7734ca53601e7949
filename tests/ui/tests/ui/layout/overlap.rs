use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Header {
    count: u32,
    #[npy(offset = 2)]
    kind: u8,
}


fn main() {}
