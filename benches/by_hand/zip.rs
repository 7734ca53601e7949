//! Archives by hand: zip without zip64, crc32fast, libdeflate.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use libdeflater::{CompressionLvl, Compressor, Decompressor};

use super::{data_start, decoded, encoded, header_of};

/// The storage method of a member in the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Stored,
    Deflated,
}

/// The part that both headers of a member share: version, flags, method, time, checksum, sizes, and the length of the name.
fn common(method: Method, crc: u32, packed: usize, size: usize, name: &str) -> Vec<u8> {
    let method = if method == Method::Stored { 0 } else { 8 };
    let mut bytes = Vec::new();
    for half in [20_u16, 0, method, 0, 0x21] {
        bytes.extend(half.to_le_bytes());
    }
    bytes.extend(crc.to_le_bytes());
    for size in [packed, size] {
        bytes.extend(u32::try_from(size).unwrap().to_le_bytes());
    }
    bytes.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

/// Writes arrays as `array_0.npy` and so on.
pub(crate) fn write_archive(path: &Path, arrays: &[Vec<f32>], method: Method) {
    let mut file = File::create(path).unwrap();
    let mut directory = Vec::new();
    let mut position = 0;
    let mut compressor = Compressor::new(CompressionLvl::new(6).unwrap());
    for (i, array) in arrays.iter().enumerate() {
        let name = format!("array_{i}.npy");
        let header = header_of("'<f4'", array.len());
        let size = header.len() + array.len() * 4;
        let start = 30 + name.len();
        let (crc, packed) = match method {
            Method::Stored => {
                // The checksum is known only after the data, and then written before it.
                file.seek(SeekFrom::Start(position + start as u64)).unwrap();
                let mut hasher = crc32fast::Hasher::new();
                hasher.update(&header);
                file.write_all(&header).unwrap();
                encoded(
                    array,
                    |number| number.to_le_bytes(),
                    |block| {
                        hasher.update(block);
                        file.write_all(block).unwrap();
                    },
                );
                (hasher.finalize(), size)
            }
            Method::Deflated => {
                let mut bytes = Vec::with_capacity(size);
                bytes.extend(header);
                bytes.extend(array.iter().flat_map(|number| number.to_le_bytes()));
                let mut packed = vec![0; compressor.deflate_compress_bound(size)];
                let length = compressor.deflate_compress(&bytes, &mut packed).unwrap();
                file.seek(SeekFrom::Start(position + start as u64)).unwrap();
                file.write_all(&packed[..length]).unwrap();
                (crc32fast::hash(&bytes), length)
            }
        };
        let common = common(method, crc, packed, size, &name);
        file.seek(SeekFrom::Start(position)).unwrap();
        file.write_all(&[b"PK\x03\x04", &common[..], name.as_bytes()].concat()).unwrap();
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(common);
        directory.extend([0; 10]);
        directory.extend(u32::try_from(position).unwrap().to_le_bytes());
        directory.extend(name.bytes());
        position += (start + packed) as u64;
    }
    file.seek(SeekFrom::Start(position)).unwrap();
    let count = u16::try_from(arrays.len()).unwrap().to_le_bytes();
    let size = u32::try_from(directory.len()).unwrap().to_le_bytes();
    let start = u32::try_from(position).unwrap().to_le_bytes();
    let end = [b"PK\x05\x06\0\0\0\0", &count[..], &count, &size, &start, &[0; 2]].concat();
    file.write_all(&[directory, end].concat()).unwrap();
}

/// A member, as the directory lists it.
struct Member {
    method: Method,
    crc: u32,
    packed: usize,
    size: usize,
    position: u64,
}

/// Reads arrays of `f32` in the order of the directory, and checks the checksums.
pub(crate) fn read_archive(path: &Path) -> Vec<Vec<f32>> {
    let mut file = File::open(path).unwrap();
    members(&mut file).iter().map(|member| read_member(&mut file, member)).collect()
}

fn members(file: &mut File) -> Vec<Member> {
    // The floor knows that its files have no comment at the end.
    file.seek(SeekFrom::End(-22)).unwrap();
    let mut end = [0; 22];
    file.read_exact(&mut end).unwrap();
    assert_eq!(&end[..4], b"PK\x05\x06");
    let mut directory = vec![0; number(&end, 12)];
    file.seek(SeekFrom::Start(number(&end, 16) as u64)).unwrap();
    file.read_exact(&mut directory).unwrap();
    let mut rest = &directory[..];
    let mut members = Vec::new();
    while !rest.is_empty() {
        members.push(Member {
            method: if half(rest, 10) == 0 { Method::Stored } else { Method::Deflated },
            crc: u32::from_le_bytes(rest[16..20].try_into().unwrap()),
            packed: number(rest, 20),
            size: number(rest, 24),
            position: number(rest, 42) as u64,
        });
        rest = &rest[46 + half(rest, 28) + half(rest, 30) + half(rest, 32)..];
    }
    members
}

fn read_member(file: &mut File, member: &Member) -> Vec<f32> {
    let mut local = [0; 30];
    file.seek(SeekFrom::Start(member.position)).unwrap();
    file.read_exact(&mut local).unwrap();
    let skip = half(&local, 26) + half(&local, 28);
    file.seek_relative(i64::try_from(skip).unwrap()).unwrap();
    let decode = |item: &[u8; 4]| f32::from_le_bytes(*item);
    if member.method == Method::Deflated {
        let mut packed = vec![0; member.packed];
        file.read_exact(&mut packed).unwrap();
        let mut bytes = vec![0; member.size];
        Decompressor::new().deflate_decompress(&packed, &mut bytes).unwrap();
        assert_eq!(crc32fast::hash(&bytes), member.crc);
        return bytes[data_start(&bytes)..].as_chunks().0.iter().map(decode).collect();
    }
    let mut hasher = crc32fast::Hasher::new();
    let mut header = vec![0; 10];
    file.read_exact(&mut header).unwrap();
    header.resize(data_start(&header), 0);
    file.read_exact(&mut header[10..]).unwrap();
    hasher.update(&header);
    let bytes = member.size - header.len();
    let array = decoded(file, bytes, decode, |block| hasher.update(block));
    assert_eq!(hasher.finalize(), member.crc);
    array
}

/// Returns the 2-byte number at this offset of a header.
fn half(bytes: &[u8], at: usize) -> usize {
    u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()).into()
}

/// Returns the 4-byte number at this offset of a header.
fn number(bytes: &[u8], at: usize) -> usize {
    usize::try_from(u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())).unwrap()
}
