//! `#[derive(NpyElement)]` through the public API.

use npy_core::{
    ByteOrder, Element, Header, NpyElement, NpyRecord, NpzArchive, ReadNpy, WriteNpy, WriteOptions,
    npz,
};

// The enum is not `Copy`, and its values are not in ascending order.
#[derive(NpyElement, Debug, PartialEq)]
#[repr(i16)]
enum Phase {
    S = 300,
    P = -2,
    Next,
}

#[derive(NpyElement, Debug, Clone, Copy, PartialEq)]
#[repr(u64)]
enum One {
    Only = u64::MAX,
}

#[derive(NpyElement, Debug, PartialEq)]
#[npy(transparent)]
struct Wrapped<T>(T);

#[derive(NpyElement, Debug, PartialEq)]
#[repr(transparent)]
struct Named {
    inner: [Phase; 2],
}

#[derive(NpyRecord, Debug, PartialEq)]
struct Pick {
    station: u8,
    phase: Phase,
    more: Named,
    weight: Wrapped<f32>,
}

fn picks() -> Vec<Pick> {
    vec![
        Pick {
            station: 1,
            phase: Phase::S,
            more: Named { inner: [Phase::P, Phase::Next] },
            weight: Wrapped(0.5),
        },
        Pick {
            station: 2,
            phase: Phase::Next,
            more: Named { inner: [Phase::S, Phase::S] },
            weight: Wrapped(-1.0),
        },
    ]
}

/// Guards the values, in both byte orders, and the dtypes.
#[test]
fn elements_are_stored_as_what_they_stand_for() {
    assert_eq!(
        Pick::dtype().to_string(),
        "[('station', '|u1'), ('phase', '<i2'), ('more', '<i2', (2,)), ('weight', '<f4')]"
    );
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let mut file = Vec::new();
        WriteOptions::new().byte_order(order).write_to(&mut file, &picks()).unwrap();
        assert_eq!(Vec::<Pick>::read_npy_from(&file[..]).unwrap(), picks());
    }
    let mut file = Vec::new();
    [Phase::S, Phase::P, Phase::Next].write_npy_to(&mut file).unwrap();
    assert_eq!(Vec::<i16>::read_npy_from(&file[..]).unwrap(), [300, -2, -1]);
    let mut file = Vec::new();
    [One::Only].write_npy_to(&mut file).unwrap();
    assert_eq!(Vec::<u64>::read_npy_from(&file[..]).unwrap(), [u64::MAX]);
}

/// Guards single values: arrays without dimensions, and fields of archives.
#[test]
fn a_single_value_is_an_array_without_dimensions() {
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Run {
        phase: Phase,
        last: Option<Phase>,
        times: Vec<f64>,
    }

    let mut file = Vec::new();
    Phase::S.write_npy_to(&mut file).unwrap();
    assert_eq!(Header::parse(&file).unwrap().0.shape(), [0_usize; 0]);
    assert_eq!(i16::read_npy_from(&file[..]).unwrap(), 300);
    assert_eq!(Phase::read_npy_from(&file[..]).unwrap(), Phase::S);
    let mut file = Vec::new();
    7i16.write_npy_to(&mut file).unwrap();
    let error = Phase::read_npy_from(&file[..]).unwrap_err().to_string();
    assert!(error.contains("7 is not a variant of Phase"), "{error}");

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.npz");
    let run = Run { phase: Phase::S, last: None, times: vec![0.5] };
    npz::save(&path, &run).unwrap();
    assert_eq!(npz::load::<Run>(&path).unwrap(), run);
}

/// Guards against a wrong variant: an invalid number is an error that names row and field.
#[test]
fn a_value_that_is_no_variant_names_row_and_field() {
    let mut file = Vec::new();
    [300i16, -2, 7, 8].write_npy_to(&mut file).unwrap();
    let error = Vec::<Phase>::read_npy_from(&file[..]).unwrap_err();
    assert_eq!(error.to_string(), "row 2: 7 is not a variant of Phase");

    let mut file = Vec::new();
    picks().write_npy_to(&mut file).unwrap();
    // The second value of `more` in the second row, little-endian.
    let at = file.len() - 4 - 2;
    file[at] = 9;
    let error = Vec::<Pick>::read_npy_from(&file[..]).unwrap_err();
    assert_eq!(error.to_string(), "row 1: field \"more\": 265 is not a variant of Phase");
}

/// Guards the checks of items that are decoded without a separate byte-swap pass.
#[test]
fn what_is_no_variant_is_found_in_both_byte_orders() {
    #[derive(NpyElement, Debug)]
    #[repr(u8)]
    enum Bit {
        Off,
        On,
    }
    #[derive(NpyRecord)]
    struct Raw {
        time: f64,
        bit: u8,
        phase: i16,
    }
    #[derive(NpyRecord, Debug)]
    struct OneByte {
        time: f64,
        bit: Bit,
    }
    #[derive(NpyRecord)]
    struct TwoBytes {
        time: f64,
        bit: u8,
        phase: Phase,
    }
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let read = |bit, phase| {
            let raw = [Raw { time: 0.5, bit: 1, phase: -2 }, Raw { time: 1.5, bit, phase }];
            let mut file = Vec::new();
            WriteOptions::new().byte_order(order).write_to(&mut file, &raw).unwrap();
            Vec::<TwoBytes>::read_npy_from(&file[..]).map(|items| {
                assert!(items[0].time == 0.5 && items[0].phase == Phase::P);
                assert!(items[1].time == 1.5 && items[1].bit == bit);
            })
        };
        read(0, 300).unwrap();
        let error = read(0, 2).unwrap_err();
        assert_eq!(error.to_string(), "row 1: field \"phase\": 2 is not a variant of Phase");

        let mut file = Vec::new();
        let bits = [OneByte { time: 0.5, bit: Bit::Off }, OneByte { time: 1.5, bit: Bit::On }];
        WriteOptions::new().byte_order(order).write_to(&mut file, &bits).unwrap();
        let read = Vec::<OneByte>::read_npy_from(&file[..]).unwrap();
        assert!(matches!(read[..], [OneByte { bit: Bit::Off, .. }, OneByte { bit: Bit::On, .. }]));
        assert!(read[0].time == 0.5 && read[1].time == 1.5);
        *file.last_mut().unwrap() = 2;
        let error = Vec::<OneByte>::read_npy_from(&file[..]).unwrap_err();
        assert_eq!(error.to_string(), "row 1: field \"bit\": 2 is not a variant of Bit");
    }
}
