// advice: `u64`
fn main() -> npy_core::Result<()> {
    npy_core::save("x.npy", &vec![1usize, 2])
}
