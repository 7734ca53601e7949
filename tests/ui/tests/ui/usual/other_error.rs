// advice: From<npy_core::Error>
#[derive(Debug)]
struct MyError;

fn read() -> Result<Vec<f32>, MyError> {
    Ok(npy_core::load("x.npy")?)
}

fn main() {}
