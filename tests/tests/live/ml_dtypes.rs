//! The numbers of ml_dtypes, which NumPy saves as raw bytes.

use std::fs;

use half::bf16;
use npy_core::{ByteOrder, Float8, Float8Format, ReadNpy, Reader, WriteOptions};

use crate::python;

const FORMATS: [(&str, Float8Format); 11] = [
    ("float8_e3m4", Float8Format::E3M4),
    ("float8_e4m3", Float8Format::E4M3),
    ("float8_e4m3fn", Float8Format::E4M3Fn),
    ("float8_e4m3fnuz", Float8Format::E4M3Fnuz),
    ("float8_e4m3b11fnuz", Float8Format::E4M3B11Fnuz),
    ("float8_e5m2", Float8Format::E5M2),
    ("float8_e5m2fnuz", Float8Format::E5M2Fnuz),
    ("float8_e8m0fnu", Float8Format::E8M0Fnu),
    ("float6_e2m3fn", Float8Format::Float6E2M3Fn),
    ("float6_e3m2fn", Float8Format::Float6E3M2Fn),
    ("float4_e2m1fn", Float8Format::Float4E2M1Fn),
];

/// Guards each value of each format, and what is saved: raw bytes that are read as `Float8`, but for `<f1`.
#[test]
fn floats_of_one_byte_mean_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let script = r#"
import ml_dtypes
for name in sys.argv[2:]:
    count = 16 if name.startswith('float4') else 64 if name.startswith('float6') else 256
    bits = np.arange(count, dtype='u1')
    floats = bits.view(getattr(ml_dtypes, name))
    np.save(name + '.npy', floats)
    np.save(name + '.bits.npy', bits)
    np.save(name + '.f4.npy', floats.astype('f4'))
halves = np.array([1.5, -2, 3e38], ml_dtypes.bfloat16)
np.save('bf16.npy', halves)
big = np.dtype(ml_dtypes.bfloat16).newbyteorder('>')
np.save('bf16.big.npy', halves.astype(big))
records = np.zeros(3, [('id', '>u2'), ('half', big), ('halves', big, (2,))])
records['half'] = halves
records['halves'] = halves[:2]
np.save('records.npy', records)
floats = np.arange(3, dtype='u1').view(ml_dtypes.float8_e4m3)
np.save('float8.big.npy', floats.view(floats.dtype.newbyteorder('>')))
"#;
    let names = FORMATS.map(|(name, _)| format!("'{name}'")).join(", ");
    python(&script.replace("sys.argv[2:]", &format!("[{names}]")), directory.path());
    for (name, format) in FORMATS {
        let path = |end: &str| directory.path().join(format!("{name}{end}.npy"));
        let numbers = Vec::<f32>::read_npy(path(".f4")).unwrap();
        let floats = Vec::<Float8>::read_npy(path(""));
        if name == "float8_e5m2" {
            let error = floats.unwrap_err().to_string();
            assert!(error.contains("float8_e5m2 of ml_dtypes"), "{error}");
        } else {
            assert!(floats.unwrap().iter().map(|float| float.0).eq((0..=255).take(numbers.len())));
        }
        let bits = Vec::<u8>::read_npy(path(".bits")).unwrap();
        for (bits, number) in bits.into_iter().zip(numbers) {
            let found = Float8(bits).to_f32(format);
            let is_equal = found.to_bits() == number.to_bits() || found.is_nan() && number.is_nan();
            assert!(is_equal, "{name} {bits:#x}: {found}, not {number}");
        }
    }
    let path = |name: &str| directory.path().join(name);
    let halves = Vec::<bf16>::read_npy(path("bf16.npy")).unwrap();
    assert_eq!(halves[1].to_f32(), -2.0);
    assert_eq!(Vec::<bf16>::read_npy(path("bf16.big.npy")).unwrap(), halves);
    let mut file = Vec::new();
    WriteOptions::new().byte_order(ByteOrder::Big).write_to(&mut file, &halves).unwrap();
    assert!(file == fs::read(path("bf16.big.npy")).unwrap());
    let records = || Reader::open(path("records.npy")).unwrap();
    assert_eq!(records().read_column::<bf16>("half").unwrap(), halves);
    let pairs = records().read_column::<[bf16; 2]>("halves").unwrap();
    assert_eq!(pairs, [[halves[0], halves[1]]; 3]);
    let floats = Vec::<Float8>::read_npy(path("float8.big.npy")).unwrap();
    let mut file = Vec::new();
    WriteOptions::new().byte_order(ByteOrder::Big).write_to(&mut file, &floats).unwrap();
    assert!(file == fs::read(path("float8.big.npy")).unwrap());
}
