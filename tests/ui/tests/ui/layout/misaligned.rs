use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(align)]
#[repr(C)]
struct Header {
    kind: u8,
    #[npy(offset = 2)]
    count: u32,
}


fn main() {}
