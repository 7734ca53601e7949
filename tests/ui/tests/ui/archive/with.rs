use npy_core::NpzArchive;

mod seconds {
    pub type Stored = Vec<f64>;

    pub fn encode(_: &str) -> Stored {
        Vec::new()
    }
}

#[derive(NpzArchive)]
struct Model {
    #[npy(with = seconds)]
    text: String,
}

fn main() {}
