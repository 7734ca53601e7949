use npy_core::{NpyView, DType, Element, InvalidValue, ZeroCopy};
use npy_test_macros::becomes;

// An attribute after the derive: the struct is not the one that the derive has seen.
#[derive(ZeroCopy, Clone, Copy)]
#[repr(transparent)]
#[becomes(#[repr(transparent)] struct Flag(bool);)]
struct Flag(u8);

impl Element for Flag {
    const SIZE: usize = 1;

    fn dtype() -> DType {
        u8::dtype()
    }

    fn decode(item: &[u8]) -> Self {
        Flag(u8::decode(item) != 0)
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        u8::from(self.0).encode(item)
    }
}

fn main() {
    let _ = NpyView::<Flag>::from_bytes(&[]);
}
