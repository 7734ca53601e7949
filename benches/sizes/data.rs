//! Seven kinds of data that arrays have. Each is the same in every run.

use std::path::Path;

use crate::by_hand;

/// A kind of data.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// Writes a `.npy` file of at most this many bytes of data.
    pub(super) write: fn(&Path, usize),
}

pub(super) const KINDS: [Kind; 7] = [
    Kind { name: "random walk, `f32`", write: walk },
    Kind { name: "seismic signal, `i32`", write: seismic },
    Kind { name: "noise, `f64`", write: noise },
    Kind { name: "times, `i64`", write: times },
    Kind { name: "masks, `u8`", write: masks },
    Kind { name: "records of 27 bytes", write: records },
    Kind { name: "text, `U16`", write: texts },
];

/// Nanoseconds since 1970.
const START: i64 = 1_700_000_000_000_000_000;
const MILLISECOND: i64 = 1_000_000;

/// A generator of random numbers: xorshift, with a product at the end.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.bits() % u64::from(end)).unwrap()
    }

    /// Returns a number from 0 to 1, with 53 random bits.
    #[expect(clippy::cast_precision_loss)] // None is lost.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number of almost a normal distribution: the sum of four.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..4).map(|_| self.unit() - 0.5).sum::<f64>() * 1.732
    }
}

fn write<const SIZE: usize>(
    path: &Path,
    descr: &str,
    bytes: usize,
    mut next: impl FnMut() -> [u8; SIZE],
) {
    let items: Vec<_> = (0..bytes / SIZE).map(|_| next()).collect();
    by_hand::write(path, descr, &items, |item| *item);
}

#[expect(clippy::cast_possible_truncation)] // It is a walk of either type.
fn walk(path: &Path, bytes: usize) {
    let (mut random, mut at) = (Random::new(1), 0.0);
    write(path, "'<f4'", bytes, || {
        at += random.normal();
        (at as f32).to_le_bytes()
    });
}

/// A damped oscillation that noise excites.
#[expect(clippy::cast_possible_truncation)] // The amplitude is some thousands.
fn seismic(path: &Path, bytes: usize) {
    let (mut random, mut last, mut before) = (Random::new(2), 0.0, 0.0);
    write(path, "'<i4'", bytes, || {
        let next = 1.6 * last - 0.8 * before + 200.0 * random.normal();
        (before, last) = (last, next);
        (next as i32).to_le_bytes()
    });
}

fn noise(path: &Path, bytes: usize) {
    let mut random = Random::new(3);
    write(path, "'<f8'", bytes, || random.unit().to_le_bytes());
}

/// About one each second, rounded to milliseconds.
fn times(path: &Path, bytes: usize) {
    let (mut random, mut time) = (Random::new(4), START);
    write(path, "'<i8'", bytes, || {
        time += MILLISECOND * i64::from(1000 + random.below(40));
        time.to_le_bytes()
    });
}

/// Runs of zeros and of ones, up to 100 of them.
fn masks(path: &Path, bytes: usize) {
    let (mut random, mut left, mut value) = (Random::new(5), 0, 0);
    write(path, "'|u1'", bytes, || {
        if left == 0 {
            left = 1 + random.below(100);
            value = 1 - value;
        }
        left -= 1;
        [value]
    });
}

#[expect(clippy::cast_possible_truncation)] // One of the numbers is an `f32`.
fn records(path: &Path, bytes: usize) {
    const DESCR: &str = "[('time', '<i8'), ('price', '<f8'), ('change', '<f4'), ('count', '<i4'), ('place', '<u2'), ('kind', '|i1')]";
    let (mut random, mut time, mut price) = (Random::new(6), START, 0.0);
    write(path, DESCR, bytes, || {
        time += MILLISECOND * i64::from(1000 + random.below(40));
        price += 0.01 * random.normal();
        let mut item = [0; 27];
        item[..8].copy_from_slice(&time.to_le_bytes());
        item[8..16].copy_from_slice(&price.to_le_bytes());
        item[16..20].copy_from_slice(&(random.normal() as f32).to_le_bytes());
        item[20..24].copy_from_slice(&random.below(1000).to_le_bytes());
        item[24] = u8::try_from(random.below(4)).unwrap();
        item[26] = u8::try_from(random.below(3)).unwrap();
        item
    });
}

/// Nine names of cities, each with a number.
fn texts(path: &Path, bytes: usize) {
    const CITIES: [&str; 9] =
        ["Berlin", "Paris", "Oslo", "Lima", "Nairobi", "Quito", "Zürich", "Kyoto", "Accra"];
    let mut random = Random::new(7);
    write(path, "'<U16'", bytes, || {
        let city = CITIES[random.below(9) as usize];
        let text = format!("{city} {}", random.below(1000));
        let mut item = [0; 64];
        for (bytes, character) in item.as_chunks_mut().0.iter_mut().zip(text.chars()) {
            *bytes = u32::from(character).to_le_bytes();
        }
        item
    });
}
