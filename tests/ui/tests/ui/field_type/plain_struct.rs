use npy_core::NpyRecord;

struct Header {
    gain: f32,
}

#[derive(NpyRecord)]
struct Trace {
    header: Header,
}

fn main() {}
