use npy_core::NpzArchive;

#[derive(NpzArchive)]
#[npy(endian = "big")]
struct Model {
    #[npy(width = 16)]
    name: String,
}

#[derive(NpzArchive)]
struct Generic<T> {
    #[npy(title = "in volts")]
    gains: Vec<T>,
}

fn main() {}
