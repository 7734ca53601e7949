//! The benchmark: the same queries over `.npy` files, over Parquet, and by hand in NumPy.

fn main() {}
