//! Any bytes, at any address, as an array in place: what can be viewed can also be read, and is the same.

use npy_core::{
    Be, ByteOrder, ByteStr, Element, Le, NpyArray, NpyRecord, NpyView, ReadNpy, WriteOptions,
    ZeroCopy,
};

use super::choices::Choices;
use super::record::Aligned;

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy)]
#[repr(C, packed)]
struct Packed {
    flag: u8,
    first: f64,
    rest: [u16; 2],
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy)]
#[npy(align)]
#[repr(C)]
struct Outer {
    count: i16,
    inner: Aligned,
    more: [[Aligned; 2]; 3],
    last: u8,
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy)]
#[repr(C)]
struct Ordered(u8, Le<i32>, Be<f64>, [Be<u16>; 2], ByteStr<3>);

type Check = fn(&[u8]);

const CHECKS: [Check; 10] = [
    check::<u8>,
    check::<u16>,
    check::<f64>,
    check::<Be<i32>>,
    check::<ByteStr<0>>,
    check::<[f32; 3]>,
    check::<Packed>,
    check::<Aligned>,
    check::<Outer>,
    check::<Ordered>,
];

pub(super) fn run(input: &[u8]) {
    let mut choices = Choices(input);
    let check = choices.pick(&CHECKS);
    let at = choices.below(16);
    let input = choices.rest();
    // Places the same bytes at another offset from a multiple of 16.
    let mut memory = vec![0; input.len() + 32];
    let start = memory.as_ptr().align_offset(16) + at;
    memory[start..start + input.len()].copy_from_slice(input);
    check(&memory[start..start + input.len()]);
}

fn check<T: ZeroCopy>(file: &[u8]) {
    let Ok(view) = NpyView::<T>::from_bytes(file) else { return };
    let read = NpyArray::<T>::read_npy_from(file).expect("what can be viewed can be read");
    assert_eq!(view.shape(), read.shape());
    assert_eq!(view.order(), read.order());
    assert_eq!(view.len(), read.as_slice_memory_order().len());
    let encoded = |items: &[T]| {
        let mut bytes = vec![0; T::SIZE];
        let mut all = Vec::new();
        for item in items.iter().take(1000) {
            item.encode(&mut bytes).expect("any bytes are a value");
            all.extend_from_slice(&bytes);
        }
        all
    };
    assert_eq!(encoded(&view), encoded(read.as_slice_memory_order()));
    let origin = vec![0; view.shape().len()];
    assert_eq!(view.at(&origin).is_some(), !view.is_empty());
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    fn add<T: Element>(seeds: &mut Vec<Vec<u8>>, check: u8) {
        let mut options = WriteOptions::new();
        for order in [ByteOrder::Little, ByteOrder::Big] {
            for at in [0, 1, 8] {
                let mut seed = vec![check, at];
                let item = T::decode(&vec![3; T::SIZE]);
                let array = [item, T::decode(&vec![5; T::SIZE])];
                let written = options.byte_order(order).write_to(&mut seed, &array);
                written.expect("memory takes it");
                seeds.push(seed);
            }
        }
    }
    add::<u8>(&mut seeds, 0);
    add::<u16>(&mut seeds, 1);
    add::<f64>(&mut seeds, 2);
    add::<Be<i32>>(&mut seeds, 3);
    add::<ByteStr<0>>(&mut seeds, 4);
    add::<[f32; 3]>(&mut seeds, 5);
    add::<Packed>(&mut seeds, 6);
    add::<Aligned>(&mut seeds, 7);
    add::<Outer>(&mut seeds, 8);
    add::<Ordered>(&mut seeds, 9);
    seeds
}
