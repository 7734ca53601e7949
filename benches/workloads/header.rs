//! W7: a header of fifty fields, from memory.

use npy_core::{DType, Header, NpyRecord, Reader, WriteNpy};
use npyz::NpyHeader;

use super::input;
use crate::by_hand;
use crate::contest::{Contender, Goal, Who, Workload};
use crate::place::Place;
use crate::sum::weighted;

pub(super) const WORKLOADS: [Workload; 2] = [
    Workload {
        id: "W7",
        work: "parse a header of 50 fields",
        goal: Goal::of(2.0),
        times,
        written: None,
        prepare,
        contenders: any,
        numpy: true,
    },
    Workload {
        id: "W7own",
        work: "recognize a header that was parsed just before",
        goal: Goal::of(0.05),
        times,
        written: None,
        prepare,
        contenders: own,
        numpy: true,
    },
];

/// Makes a struct of fields that are named and typed in turn.
macro_rules! record {
    ($($a:ident $b:ident $c:ident $d:ident $e:ident)*) => {
        /// A record whose header is long.
        #[derive(NpyRecord, Debug, Clone, Copy)]
        struct Wide {
            $($a: u32, $b: f64, $c: f32, $d: i16, $e: u8),*
        }
    };
}

record! {
    field_0 field_1 field_2 field_3 field_4 field_5 field_6 field_7 field_8 field_9
    field_10 field_11 field_12 field_13 field_14 field_15 field_16 field_17 field_18 field_19
    field_20 field_21 field_22 field_23 field_24 field_25 field_26 field_27 field_28 field_29
    field_30 field_31 field_32 field_33 field_34 field_35 field_36 field_37 field_38 field_39
    field_40 field_41 field_42 field_43 field_44 field_45 field_46 field_47 field_48 field_49
}

fn times(place: &Place) -> u32 {
    place.items(500)
}

fn prepare(place: &Place) {
    // The file has no rows, because reading them would be timed too.
    let nothing: [Wide; 0] = [];
    nothing.write_npy(input(place)).unwrap();
    std::fs::write(place.path("times"), times(place).to_string()).unwrap();
}

/// Returns a header with other names, and the header itself. In turn, they defeat the cache, which holds the last parsed header.
fn in_turn(place: &Place) -> [Vec<u8>; 2] {
    let file = std::fs::read(input(place)).unwrap();
    let mut other = file.clone();
    while let Some(at) = other.windows(6).position(|name| name == b"field_") {
        other[at..at + 6].copy_from_slice(b"other_");
    }
    [other, file]
}

/// Returns a contender that repeatedly parses headers in turn, and returns the last.
fn parser<R: 'static, const N: usize>(
    place: &Place,
    files: [Vec<u8>; N],
    who: Who,
    parse: impl Fn(&[u8]) -> R + 'static,
    sum: impl Fn(&R) -> u64 + 'static,
) -> Contender {
    let times = times(place);
    let again = move || {
        let turns = files.iter().cycle().zip(1..times);
        turns.for_each(|(file, _)| drop(std::hint::black_box(parse(std::hint::black_box(file)))));
        parse(&files[N - 1])
    };
    Contender::new(who, again, sum)
}

/// Returns a checksum of the fields' offsets and sizes.
fn sum_of(fields: impl Iterator<Item = (usize, usize)>) -> u64 {
    weighted(fields.map(|(offset, size)| u64::try_from(offset * 256 + size).unwrap()))
}

fn sum_by_hand(fields: &[by_hand::Field]) -> u64 {
    assert!(fields.iter().all(|it| it.name.starts_with("field_") && "fiu".contains(it.kind)));
    sum_of(fields.iter().map(|it| (it.offset, it.size)))
}

fn sum_of_ours(dtype: &DType) -> u64 {
    sum_of(dtype.fields().iter().map(|it| (it.offset(), it.dtype().itemsize())))
}

fn sum_of_npyz(header: &NpyHeader) -> u64 {
    let npyz::DType::Record(fields) = header.dtype() else { panic!("it is a record") };
    let mut offset = 0;
    sum_of(fields.iter().map(|field| {
        let size = field.dtype.num_bytes().unwrap();
        offset += size;
        (offset - size, size)
    }))
}

fn any(place: &Place) -> Vec<Contender> {
    // ndarray-npy has no public parser and no records: it parses the header, and then returns an error.
    let refused = |file: &[u8]| {
        use ndarray_npy::ReadNpyExt;
        ndarray::Array1::<f64>::read_npy(file).unwrap_err();
    };
    let files = in_turn(place);
    let expected = sum_by_hand(&by_hand::fields(&files[1]));
    let ours = |file: &[u8]| Header::parse(file).unwrap().0;
    let npyz = |file: &[u8]| NpyHeader::from_reader(file).unwrap();
    let each = || files.clone();
    vec![
        parser(place, each(), Who::ByHand, by_hand::fields, |fields| sum_by_hand(fields)),
        parser(place, each(), Who::Ours, ours, |header| sum_of_ours(header.dtype())),
        parser(place, each(), Who::Npyz, npyz, sum_of_npyz),
        parser(place, each(), Who::NdarrayNpy, refused, move |()| expected),
    ]
}

fn own(place: &Place) -> Vec<Contender> {
    let rows = |rows: &usize| u64::try_from(*rows).unwrap();
    let read = |file: &[u8]| Reader::new(file).unwrap().read_vec::<Wide>().unwrap().len();
    let known = |file: &[u8]| Header::parse(file).unwrap().0;
    let file = || [std::fs::read(input(place)).unwrap()];
    vec![
        // The fifty fields are checked above. Here each sum is 0, the number of rows that `read` finds.
        parser(place, file(), Who::ByHand, by_hand::fields, |_| 0),
        parser(place, file(), Who::Ours, known, |_| 0),
        parser(place, file(), Who::Other("read as a `Vec` of no rows"), read, rows),
    ]
}
