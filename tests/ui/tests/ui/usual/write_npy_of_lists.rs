// advice: npy_core::NpyArray<T>
use npy_core::WriteNpy;

fn main() -> npy_core::Result<()> {
    [vec![1.0f32, 2.0], vec![3.0, 4.0]].write_npy("rows.npy")
}
