use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Event {
    #[npy(with = seconds)]
    length: std::time::Duration,
}

fn main() {}
