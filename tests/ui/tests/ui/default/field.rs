use npy_core::NpyRecord;

struct NoDefault;

#[derive(NpyRecord)]
struct Header {
    kind: u8,
    #[npy(skip)]
    cache: NoDefault,
}

fn main() {}
