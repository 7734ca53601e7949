use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Place {
    #[npy(title = "id")]
    lat: f64,
}

#[derive(NpyRecord)]
struct Station {
    id: u8,
    #[npy(flatten)]
    place: Place,
}

fn main() {}
