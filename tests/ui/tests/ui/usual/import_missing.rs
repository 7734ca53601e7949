// advice: trait is in scope
fn main() -> npy_core::Result<()> {
    [1.0f32, 2.0].write_npy("x.npy")
}
