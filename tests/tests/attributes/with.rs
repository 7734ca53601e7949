//! `#[npy(with = module)]`, and values that only `check` refuses.

use super::*;

#[test]
fn a_module_says_how_a_field_is_stored() {
    mod seconds {
        use std::time::Duration;

        pub(super) type Stored = f64;

        pub(super) fn encode(duration: &Duration) -> Stored {
            duration.as_secs_f64()
        }

        pub(super) fn decode(seconds: Stored) -> Duration {
            Duration::from_secs_f64(seconds)
        }
    }

    #[derive(NpyRecord, Debug, PartialEq)]
    #[npy(endian = "big")]
    struct Pick {
        #[npy(with = seconds, rename = "s")]
        length: std::time::Duration,
        #[npy(with = "seconds", default = Default::default)]
        other: std::time::Duration,
    }

    let length = std::time::Duration::from_millis(1500);
    assert_there_and_back(
        "[('s', '>f8'), ('other', '>f8')]",
        vec![Pick { length, other: length * 2 }],
    );
    let bytes = raw("[('s', '<f8')]", &1.5f64.to_le_bytes());
    let pick = Pick { length, other: std::time::Duration::ZERO };
    assert_eq!(read::<Pick>(&bytes).unwrap(), [pick]);
}

/// Guards modules that refuse values: in both directions the error names row and field, in both byte orders, and a default is checked, too.
#[test]
fn a_module_may_refuse_values() {
    mod even {
        pub(super) type Stored = u16;

        pub(super) fn encode(half: &u16) -> Result<Stored, String> {
            half.checked_mul(2).ok_or_else(|| format!("{half} is too large"))
        }

        pub(super) fn decode(stored: Stored) -> Result<u16, String> {
            if stored.is_multiple_of(2) { Ok(stored / 2) } else { Err(format!("{stored} is odd")) }
        }
    }

    // Only what is read is refused: `encode` cannot fail.
    mod small {
        pub(super) type Stored = u8;

        pub(super) fn encode(value: &u8) -> Stored {
            *value
        }

        pub(super) fn decode(stored: Stored) -> Result<u8, std::num::TryFromIntError> {
            i8::try_from(stored).map(i8::cast_unsigned)
        }
    }

    #[derive(NpyRecord, Debug, PartialEq, Clone, Copy)]
    struct Pick {
        time: u16,
        #[npy(with = even)]
        half: u16,
        #[npy(with = small, default)]
        small: u8,
    }

    #[derive(NpyRecord, Debug, PartialEq, Clone, Copy)]
    struct Nested {
        pick: [Pick; 2],
    }

    let good = Pick { time: 1, half: 300, small: 127 };
    let descr = "[('time', '<u2'), ('half', '<u2'), ('small', '|u1')]";
    assert_there_and_back(descr, vec![good; 3]);
    for (wrong, message) in [
        (Pick { half: 40_000, ..good }, "row 1: field \"half\": 40000 is too large"),
        (Pick { small: 128, ..good }, "row 1: field \"small\": out of range"),
    ] {
        let error = [good, wrong].write_npy_to(&mut Vec::new()).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
        let mut writer = Writer::<Pick, _>::new(std::io::Cursor::new(Vec::new())).unwrap();
        writer.push(&good).unwrap();
        writer.push(&wrong).unwrap_err();
        writer.push(&good).unwrap();
        let written = writer.finish().unwrap().into_inner();
        assert_eq!(read::<Pick>(&written).unwrap(), [good; 2]);
        let nested = Nested { pick: [good, wrong] };
        [nested].write_npy_to(&mut Vec::new()).unwrap_err();
    }
    for descr in ["[('time', '<u2'), ('half', '<u2')]", "[('time', '>u2'), ('half', '>u2')]"] {
        let numbers = [1u16, 600, 2, 3];
        let bytes = match descr.contains('>') {
            true => numbers.map(u16::to_be_bytes).concat(),
            false => numbers.map(u16::to_le_bytes).concat(),
        };
        let error = read::<Pick>(&raw(descr, &bytes)).unwrap_err().to_string();
        assert!(error.starts_with("row 1: field \"half\": 3 is odd"), "{error}");
        let picks = read::<Pick>(&raw(descr, &bytes[..4])).unwrap();
        assert_eq!(picks, [Pick { time: 1, half: 300, small: 0 }]);
    }
}

/// Guards a hand-written element that refuses values only when they are read: it is not written either, by any writer.
#[test]
fn a_value_that_only_check_refuses_is_not_written() {
    #[derive(Debug, PartialEq, Clone, Copy)]
    struct Percent(u8);

    impl Element for Percent {
        const SIZE: usize = 1;

        fn dtype() -> DType {
            u8::dtype()
        }

        fn decode(item: &[u8]) -> Self {
            Percent(u8::decode(item))
        }

        fn encode(&self, item: &mut [u8]) -> Result<(), npy_core::InvalidValue> {
            self.0.encode(item)
        }

        fn check(items: &[u8]) -> Result<(), npy_core::InvalidValue> {
            match items.iter().position(|&percent| percent > 100) {
                Some(i) => Err(npy_core::InvalidValue::new("more than 100").at_item(i)),
                None => Ok(()),
            }
        }
    }

    #[derive(NpyRecord, Debug, PartialEq, Clone, Copy)]
    struct Load {
        cpu: [Percent; 2],
    }

    let values = [Percent(0), Percent(100), Percent(101)];
    let loads = [[0, 1], [2, 3], [4, 101]].map(|cpu| Load { cpu: cpu.map(Percent) });
    let matrix = NpyArray::with_order(values.to_vec(), [3, 1], Order::Fortran).unwrap();
    let mut out = Vec::new();
    for (error, place) in [
        (values.write_npy_to(&mut out), "row 2: "),
        (loads.write_npy_to(&mut out), "row 2: field \"cpu\": "),
        (matrix.write_npy_to(&mut out), "row 2: "),
        (DynArray::of(&values[..]).map(drop), "row 2: "),
    ] {
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with(place) && error.contains("more than 100"), "{error}");
    }
    let mut writer = Writer::<Percent, _>::new(std::io::Cursor::new(Vec::new())).unwrap();
    writer.push(&values[0]).unwrap();
    let error = writer.push(&values[2]).unwrap_err().to_string();
    assert!(error.starts_with("row 1: more than 100"), "{error}");
    writer.extend(values).unwrap_err();
    writer.write_slice(&values).unwrap_err();
    let written = writer.finish().unwrap().into_inner();
    assert_eq!(read::<Percent>(&written).unwrap().len(), 5);
    let mut rows = npy_core::RowWriter::<Percent, _>::new(std::io::Cursor::new(Vec::new()), &[3]);
    let error = rows.as_mut().unwrap().push_row(&values).unwrap_err().to_string();
    assert!(error.contains("more than 100"), "{error}");
}
