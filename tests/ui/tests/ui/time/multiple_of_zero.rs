use npy_core::time::TimeUnit;
use npy_core::dtype::{Resolution, Unit};
use npy_core::{DateTime64, Element, TimeDelta64};

enum Never {}

impl TimeUnit for Never {
    const RESOLUTION: Option<Resolution> = Some(Resolution { multiple: 0, unit: Unit::Second });
}

enum TooMany {}

impl TimeUnit for TooMany {
    const RESOLUTION: Option<Resolution> = Some(Resolution { multiple: 1 << 31, unit: Unit::Second });
}

const _: usize = <DateTime64<Never> as Element>::SIZE;
const _: usize = <TimeDelta64<TooMany> as Element>::SIZE;

fn main() {}
