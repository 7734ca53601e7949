use npy_core::{NpyView, DType, Element, InvalidValue, ZeroCopy};
use npy_test_macros::becomes;

// An attribute after the derive adds a field that the derive has not seen.
#[derive(ZeroCopy, Clone, Copy)]
#[npy(transparent)]
#[repr(C)]
#[becomes(#[repr(C)] struct Flag { count: u8, more: bool })]
struct Flag {
    count: u8,
}

impl Element for Flag {
    const SIZE: usize = 2;

    fn dtype() -> DType {
        <[u8; 2]>::dtype()
    }

    fn decode(item: &[u8]) -> Self {
        Flag { count: item[0], more: item[1] != 0 }
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        [self.count, u8::from(self.more)].encode(item)
    }
}

fn main() {
    let _ = NpyView::<Flag>::from_bytes(&[]);
}
