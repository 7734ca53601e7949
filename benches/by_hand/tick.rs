//! The packed record, decoded and encoded by hand.

use crate::records::Tick;

macro_rules! decoder {
    ($name:ident, $from:ident) => {
        pub(crate) fn $name(item: &[u8; 27]) -> Tick {
            let four = |start: usize| -> [u8; 4] { item[start..start + 4].try_into().unwrap() };
            Tick {
                id: u32::$from(four(0)),
                time: f64::$from(item[4..12].try_into().unwrap()),
                x: f32::$from(four(12)),
                y: f32::$from(four(16)),
                z: f32::$from(four(20)),
                flag: item[24],
                count: i16::$from([item[25], item[26]]),
            }
        }
    };
}

decoder!(little, from_le_bytes);
decoder!(big, from_be_bytes);

pub(crate) const DESCR: &str = "[('id', '<u4'), ('time', '<f8'), ('x', '<f4'), ('y', '<f4'), ('z', '<f4'), ('flag', '|u1'), ('count', '<i2')]";

pub(crate) fn encoded(tick: &Tick) -> [u8; 27] {
    let mut item = [0; 27];
    item[..4].copy_from_slice(&tick.id.to_le_bytes());
    item[4..12].copy_from_slice(&tick.time.to_le_bytes());
    item[12..16].copy_from_slice(&tick.x.to_le_bytes());
    item[16..20].copy_from_slice(&tick.y.to_le_bytes());
    item[20..24].copy_from_slice(&tick.z.to_le_bytes());
    item[24] = tick.flag;
    item[25..].copy_from_slice(&tick.count.to_le_bytes());
    item
}
