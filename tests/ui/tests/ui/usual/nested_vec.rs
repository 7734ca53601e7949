// advice: NpyArray::new(data, [rows, columns])
fn main() -> npy_core::Result<()> {
    let x = vec![vec![1.0f32, 2.0], vec![3.0, 4.0]];
    npy_core::save("x.npy", &x)
}
