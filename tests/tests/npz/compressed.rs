//! Members that were compressed by other methods than deflate.

use std::io::Cursor;

use npy_core::npz::Reader;
use npy_core::{Error, ErrorKind};
use npy_tests::alloc::peak;
use npy_tests::zips::{Raw, archive, crc, npy};

// Each holds `np.arange(100, dtype='<u2')` as Python's `zipfile` compresses it (that of Python 3.14 for Zstandard).
const BZIP2: &[u8] = b"BZh91AY&SYS\xf4\x12\x9d\x00\x00\x89\x7f\xa0\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xffE\xdf\x0a\x08\
    \x000\x00\xb5\x83\x8d\x0d\x00h\x00h\x00\x00\x004\x00\x00\x00\x03 \x00\x01\x88\x07\x00\x1e\xa3 \x00i\x90\x00\
    \x00\x00hh\x00\x00\x00\x00\x00\x00\x06\x9a\x92OQ\xa3CL\x83@d\xd0\xd1\xa0\xd0\xc821\x06@\x0c\x83 d\xc9\x93M\
    \x00\xc4\xfd \x0a\x15,\\\xc1\x93F\xce\x00\x07O\x04\x19\xf4\x08Q#H\x952u\x0aU+\x11`\xa3-\\\xbd\x83\x16L\xda5l\
    \xdd\xc3\x97N\xde=\x85\x0e$X\xd1\xe4\x09&T\xb9\x93gO\xa1F\x95:\x95kW\xb1f\xd5\xbb\x97o_\xc1\x87\x16<\x99sg\
    \x14m\x1auk\xd9\xb7v\xfe\x15-V\xadz@\x1a\xc5\x11\x02\xf9\x06\xacpTT\xd9\x13n\xc7\xc9ed\\\x12\xc9Il\xca\x92\
    \xd8\x03%R\xca\xc8\x0d\xc8\x17HA!\x02\x8a#\xe2\xd1\x10J\x08$\x0d\x02\x12\xc9\x1a\xee\xac0\x16\xc3\x85\xb1d0\
    \xa7\xc1\xfd\xa5=x\xd3AM7q*\xf8b\x1bb\xeeH\xa7\x0a\x12\x0a~\x82S\xa0";
const LZMA: &[u8] = b"\x09\x04\x05\x00]\x00\x00\x80\x00\x00I\x93\x86\xa4\xde\xd3\x82yj[\x0d#86\xab\x9d\x9dLM\xee\xe3m\xc3\x1d\xee\
    \xb60\x9f\xa5\x144)\x7f\x932r\xa3z\xaac\xeb7\xa8\x8a\xe4\x96\xc7M/\xa3\xbe\x8aY\x93\x13\xd9\xe8\x97\xda\x88'\
    q\x8f\x02\xf4?\x9cf\xd8\xa2rXU\x82\xbe%R\xaf\xf3\\@\xde\xe7\xf2Yn\x83\"\x07\x98\xd4Dc\xf49`aW\x98\xe0\x88/7\
    \xd2]\xdd\xbf\xe1\x134\x15J\xe0\x08\xbe{#\xf9\x06\x144i\xc8\x9e\x0b\xa0\x8aC\xc9\xe6-\x0f\xf1\xf9=8\x1dIC\
    \xcdw\x00\xf4\x02D\xbaCQI\x16\x84`_\xab\x96\xb0CT\xed\xd6\x10P\xde\xca(\xb1\xf5)\xe1u=%\\\xbb\xf0\x0a,\x8c0\
    \x13\xee\x08\xd3\xf6\xd1\x8d\x9d\x82\xd2\xe8\xab\x0e\x1f`\x87\x1d\xb7\x03_\x0d\xc1\xd6\x88\xc2\x8d\xbd\xc2\
    \x9e@\x04C\xea\xa4\xc0\xf3\xff\xff\xab\x03\xc0\x00";
const ZSTD: &[u8] = b"(\xb5/\xfd\x00X%\x07\x00\xf6\xd06%\x80n\xa51P\xaa\xff$\x94\xfc\xc7S)\xbd\x13\x08!,\xab\xe3OXhn\xb1\xf7!\x0eP\
    X\xe9\xaa\x0akcQ\x0a3\x00*\x00)\x00*a\xf2\xfbb/\x05W\x8c\x0a\x9d\xc6U)\x8eO!M\xc1\x9d\"o\xf6tP\xe1\x94\x9a\
    \xbd\xa6U\xb9\xb2\xa9\xd9*\xb8s7\x8a\xbc\xad\x9ajV\xeeV\xc3\xd9\xae\x02\xfa\xc6\x1ag\x8c\xf1\xc5\x16WL\xf1\
    \xc4\x12G\x0c\xf1\xc3\x0e7\xcc\xf0\xc2\x0a'\x8c\xf0\xc1\xae\x0d.\x98\xe0\x81\x05\x0e\x18\xe0\xd6\xacw\xa9U4\
    \xcf,s\xcc0\xbf<\xdbe\xf0\x96Y^Y\xe5\x94Q>Yv\xeco\x93K&Y>\xb2\xc8\xb0_\xef!\x83\xfc\xb1\xc7\x1ds\x1c\xeff:|i\
    \xddJ'\x8d\xf4\xd1F\xe7.\x9a\xe8\xa1q\x0b\x1d4\xd0?\xdf\xf6\xd9v\xed\x9ey\xdeY\xe7\x9cq\xa6}\xb3\xcd5\x07\
    \x01\x00\x86O\x10\x05";

fn numbers() -> Vec<u16> {
    (0..100).collect()
}

/// Returns the member of each method.
fn members() -> [Raw; 3] {
    let file = npy(&numbers());
    // LZMA ends with a marker, which bit 1 tells.
    [(12, 0, BZIP2), (14, 2, LZMA), (93, 0, ZSTD)].map(|(method, flags, data)| Raw {
        data: data.to_vec(),
        compressed: data.len() as u64,
        method,
        flags,
        ..Raw::of("x.npy", &file)
    })
}

fn read(member: Raw) -> Result<Vec<u16>, Error> {
    Reader::new(Cursor::new(archive(b"", &[member], b"")))?.read("x")
}

/// Guards each method, for whole members, their bytes, and parts.
#[test]
fn members_of_each_method_are_read() {
    for member in members() {
        assert_eq!(read(member.clone()).unwrap(), numbers(), "{}", member.method);
        let reader = Reader::new(Cursor::new(archive(b"", &[member], b""))).unwrap();
        assert_eq!(reader.read_bytes("x").unwrap(), npy(&numbers()));
        assert_eq!(reader.header("x").unwrap().shape(), [100]);
        let mut chunk = Vec::new();
        let mut rows = reader.member("x").unwrap();
        while rows.read_chunk::<u16>(&mut chunk, 7).unwrap() > 0 {}
        assert_eq!(chunk, numbers());
        // Only forward: these decoders do not start over.
        assert!(!reader.is_seekable("x").unwrap());
        let mut rows = reader.member("x").unwrap();
        rows.seek_to(90).unwrap();
        assert_eq!(rows.read_vec::<u16>().unwrap(), numbers()[90..]);
        let error = rows.seek_to(5).unwrap_err().to_string();
        assert!(error.contains("can only seek forward; open it again"), "{error}");
    }
    // Not every writer ends LZMA with the marker; then the size is the end.
    let [_, mut lzma, _] = members();
    lzma.flags = 0;
    assert_eq!(read(lzma).unwrap(), numbers());
}

/// Guards against panics and wrong values: one changed bit, or a missing end, is an error or changes nothing.
#[test]
fn damaged_members_are_errors() {
    for member in members() {
        for at in 0..member.data.len() {
            for bit in 0..8 {
                let mut changed = member.clone();
                changed.data[at] ^= 1 << bit;
                match read(changed) {
                    Ok(found) => {
                        assert_eq!(found, numbers(), "method {}, byte {at}", member.method)
                    }
                    // Otherwise a program would take a damaged file for a failing disk.
                    Err(error) => assert!(
                        !matches!(error.kind(), ErrorKind::Io(_)),
                        "method {}, byte {at}: {error}",
                        member.method
                    ),
                }
            }
            let mut cut = member.clone();
            cut.data.truncate(at);
            cut.compressed = at as u64;
            if let Ok(found) = read(cut) {
                // Only the end of the stream is missing.
                assert_eq!(found, numbers(), "method {}, {at} bytes", member.method);
            }
        }
        for size in [member.size - 1, member.size + 1] {
            let wrong = Raw { size, ..member.clone() };
            assert!(read(wrong).is_err(), "method {}", member.method);
        }
        let other = Raw { crc: crc(b"other"), ..member.clone() };
        let error = read(other).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Checksum { .. }), "{error}");
    }
}

/// Guards memory: a dictionary or a window that only a header claims is not allocated.
#[test]
fn claims_of_large_dictionaries_take_no_memory() {
    let [_, mut lzma, mut zstd] = members();
    lzma.data[5..9].copy_from_slice(&u32::MAX.to_le_bytes());
    let (read_it, cost) = peak(|| read(lzma));
    assert_eq!(read_it.unwrap(), numbers());
    assert!(cost < 2 << 20, "{cost}");
    // The byte after the frame's descriptor is the window: 2 to the power of its upper five bits, plus 10.
    zstd.data[5] = 0xa8;
    let (read_it, cost) = peak(|| read(zstd));
    let error = read_it.unwrap_err().to_string();
    assert!(error.contains("its Zstandard frame cannot be read: "), "{error}");
    assert!(cost < 2 << 20, "{cost}");
}
