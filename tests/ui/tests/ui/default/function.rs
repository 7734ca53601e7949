use npy_core::NpyRecord;

fn text() -> &'static str {
    "1"
}

#[derive(NpyRecord)]
struct Header {
    #[npy(default = text)]
    kind: u8,
}

fn main() {}
