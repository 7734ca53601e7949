use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(align)]
#[repr(C)]
struct Header {
    kind: u8,
    #[npy(offset = 2)]
    count: u32,
}

const _: usize = <Header as npy_core::Element>::SIZE;

fn main() {}
