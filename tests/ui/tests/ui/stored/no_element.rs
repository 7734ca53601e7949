use npy_core::NpyRecord;

mod text {
    pub type Stored = String;

    pub fn encode(length: &f64) -> Stored {
        length.to_string()
    }

    pub fn decode(text: Stored) -> f64 {
        text.parse().unwrap()
    }
}

#[derive(NpyRecord)]
struct Event {
    #[npy(with = text)]
    length: f64,
}

fn main() {}
