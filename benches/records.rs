//! The items of the workloads.

use npy_core::{NpyRecord, ZeroCopy};

/// The packed record of 27 bytes; 32 bytes in memory.
#[derive(
    NpyRecord,
    npyz::Serialize,
    npyz::Deserialize,
    npyz::AutoSerialize,
    Debug,
    Clone,
    Copy,
    PartialEq,
)]
pub(crate) struct Tick {
    pub(crate) id: u32,
    pub(crate) time: f64,
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) z: f32,
    pub(crate) flag: u8,
    pub(crate) count: i16,
}

/// The same record, with the same layout in memory as in the file.
#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy)]
#[repr(C, packed)]
pub(crate) struct PackedTick {
    id: u32,
    time: f64,
    x: f32,
    y: f32,
    z: f32,
    flag: u8,
    count: i16,
}

impl From<PackedTick> for Tick {
    fn from(PackedTick { id, time, x, y, z, flag, count }: PackedTick) -> Tick {
        Tick { id, time, x, y, z, flag, count }
    }
}

/// A seismic record of 4116 bytes.
#[derive(
    NpyRecord,
    npyz::Serialize,
    npyz::Deserialize,
    npyz::AutoSerialize,
    Debug,
    Clone,
    Copy,
    PartialEq,
)]
pub(crate) struct Trace {
    pub(crate) id: u64,
    pub(crate) start: i64,
    pub(crate) gain: f32,
    pub(crate) samples: [f32; 1024],
}

/// Returns a record of arbitrary values, except that the sum of all times is exact.
pub(crate) fn tick(i: u32) -> Tick {
    let [a, b, c, d] = i.wrapping_mul(0x9e37_79b9).to_le_bytes();
    Tick {
        id: i,
        time: f64::from(i % 1000),
        x: f32::from(a),
        y: f32::from(b) * 0.5,
        z: -f32::from(c),
        flag: d,
        count: i16::from_le_bytes([c, d]),
    }
}

pub(crate) fn trace(i: u32) -> Trace {
    let level = f32::from(tick(i).count);
    let mut samples = [level; 1024];
    for (sample, n) in samples.iter_mut().zip(0_u16..) {
        *sample += f32::from(n);
    }
    Trace { id: u64::from(i), start: i64::from(i) * 1000, gain: 1.5, samples }
}

/// A type of number in a file.
pub(crate) trait Number: Copy {
    /// Returns its bytes in memory as an integer.
    fn bits(self) -> u64;
}

macro_rules! numbers {
    ($($number:ty: $bits:expr),* $(,)?) => {
        $(impl Number for $number {
            fn bits(self) -> u64 {
                let bits: fn($number) -> u64 = $bits;
                bits(self)
            }
        })*
    };
}

numbers! {
    u8: u64::from,
    i16: |n| n.cast_unsigned().into(),
    u32: u64::from,
    u64: |n| n,
    i64: i64::cast_unsigned,
    f32: |n| n.to_bits().into(),
    f64: f64::to_bits,
}
