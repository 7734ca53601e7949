use npy_core::npz;

fn main() {
    let list = vec![1.0, 2.0];
    npz::save("list.npz", &list).unwrap();
}
