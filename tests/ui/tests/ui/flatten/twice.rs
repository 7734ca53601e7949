use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Place {
    lat: f64,
    lon: f64,
}

#[derive(NpyRecord)]
struct Station {
    lat: f64,
    #[npy(flatten)]
    place: Place,
}


fn main() {}
