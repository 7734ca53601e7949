use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(itemsize = 4)]
struct Header {
    kind: u8,
    count: u32,
}

const _: usize = <Header as npy_core::Element>::SIZE;

fn main() {}
