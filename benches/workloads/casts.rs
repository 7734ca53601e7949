//! W16: numbers of another type than that of the file.

use npy_core::{Cast, ReadOptions, WriteNpy};

use super::{input, once, reader};
use crate::by_hand;
use crate::contest::{Contender, Goal, Who, Workload};
use crate::place::Place;

pub(super) const WORKLOADS: [Workload; 1] = [Workload {
    id: "W16",
    work: "read 10 million `f64` as `f32`",
    goal: Goal::of(1.3),
    times: once,
    written: None,
    prepare: |place| {
        let numbers = (0..place.items(10_000_000)).map(|i| f64::from(i) / 7.0);
        numbers.collect::<Vec<_>>().write_npy(input(place)).unwrap();
    },
    contenders,
    numpy: true,
}];

fn contenders(place: &Place) -> Vec<Contender> {
    #[expect(clippy::cast_possible_truncation, reason = "the rounding is the work")]
    let narrow = |bytes: &[u8; 8]| f64::from_le_bytes(*bytes) as f32;
    let by = |cast| {
        move |path: &std::path::Path| -> Vec<f32> {
            ReadOptions::new().cast(cast).read(path).unwrap()
        }
    };
    vec![
        reader(place, Who::ByHand, move |path| by_hand::read(path, narrow)),
        reader(place, Who::Ours, by(Cast::Numeric)),
        reader(place, Who::Other("by `Cast::Checked`"), by(Cast::Checked)),
    ]
}
