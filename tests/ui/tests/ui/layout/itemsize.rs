use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(itemsize = 4)]
struct Header {
    kind: u8,
    count: u32,
}


fn main() {}
