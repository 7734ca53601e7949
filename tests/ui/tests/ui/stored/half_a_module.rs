use npy_core::NpyRecord;

mod seconds {
    pub type Stored = f64;

    pub fn decode(seconds: Stored) -> std::time::Duration {
        std::time::Duration::from_secs_f64(seconds)
    }
}

#[derive(NpyRecord)]
struct Event {
    #[npy(with = seconds)]
    length: std::time::Duration,
}

fn main() {}
