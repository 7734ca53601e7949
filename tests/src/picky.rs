//! Items that refuse some values.

use npy_core::{DType, Element, InvalidValue};

/// A number that must be even, checked when it is read and written.
#[derive(Debug, PartialEq)]
pub struct Even(pub u8);

impl Element for Even {
    const SIZE: usize = 1;

    fn dtype() -> DType {
        u8::dtype()
    }

    fn decode(item: &[u8]) -> Self {
        Even(u8::decode(item))
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        Even::check(&[self.0])?;
        self.0.encode(item)
    }

    fn check(items: &[u8]) -> Result<(), InvalidValue> {
        let odd = items.iter().position(|n| n % 2 == 1);
        odd.map_or(Ok(()), |i| Err(InvalidValue::new(format!("{} is odd", items[i])).at_item(i)))
    }
}

/// A number that must not be 13, checked when it is written. Writing two other numbers does not return.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lucky(pub u32);

impl Lucky {
    /// A number that panics when it is written.
    pub const PANICS: Self = Lucky(u32::MAX);
    /// A number that prints the line `halfway` when it is written, and then waits until the process is killed.
    pub const WAITS: Self = Lucky(u32::MAX - 1);
}

impl Element for Lucky {
    const SIZE: usize = 4;

    fn dtype() -> DType {
        u32::dtype()
    }

    fn decode(item: &[u8]) -> Self {
        Lucky(u32::decode(item))
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        if *self == Lucky::WAITS {
            println!("\nhalfway");
            loop {
                std::thread::park();
            }
        }
        assert!(*self != Lucky::PANICS, "a value that panics");
        if self.0 == 13 { Err(InvalidValue::new("13")) } else { self.0.encode(item) }
    }
}
