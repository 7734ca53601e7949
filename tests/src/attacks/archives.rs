//! Archives that somebody may send to do harm.

use std::io::Cursor;

use npy_core::npz::WriteOptions;

use super::Attack;
use super::Outcome::{Pickle, Read, Refused};
use crate::zips::{Raw, archive, npy};

/// A member without any fault.
fn honest(name: &str) -> Raw {
    Raw::of(name, &npy(&[1u8, 2, 3]))
}

fn one(member: Raw) -> Vec<u8> {
    archive(b"", &[member], b"")
}

/// Zeros, compressed as far as deflate can, in an archive of ours.
fn zeros(n: usize) -> Vec<u8> {
    let mut options = WriteOptions::new();
    let mut writer = options.deflate(9).writer(Cursor::new(Vec::new())).expect("memory takes it");
    writer.write("x", &vec![0u8; n]).expect("memory takes it");
    writer.finish().expect("memory takes it").into_inner()
}

/// Returns an archive of two members with these bytes written over its end record, `at` bytes from the start of that.
fn with_end(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = archive(b"", &[honest("x.npy"), honest("y.npy")], b"");
    let start = file.len() - 22 + at;
    file[start..start + bytes.len()].copy_from_slice(bytes);
    file
}

/// The same with a zip64 end record that states this count of members, and this size and position of the directory.
fn with_large_end(count: u64, size: Option<u64>, place: Option<u64>) -> Vec<u8> {
    let mut file = archive(b"", &[honest("x.npy"), honest("y.npy")], b"");
    let end = file.split_off(file.len() - 22);
    let stated = |at: usize| u64::from(u32::from_le_bytes([0, 1, 2, 3].map(|i| end[at + i])));
    let large = file.len() as u64;
    file.extend(b"PK\x06\x06\x2c\0\0\0\0\0\0\0\x2d\x03\x2d\0\0\0\0\0\0\0\0\0");
    let numbers = [count, count, size.unwrap_or(stated(12)), place.unwrap_or(stated(16))];
    numbers.iter().for_each(|number| file.extend(number.to_le_bytes()));
    file.extend(b"PK\x06\x07\0\0\0\0");
    file.extend(large.to_le_bytes());
    file.extend(b"\x01\0\0\0PK\x05\x06\0\0\0\0\xff\xff\xff\xff");
    file.extend([0xff; 8]);
    file.extend([0; 2]);
    file
}

/// Returns an archive of many members, each with a different name.
fn members(n: usize) -> Vec<u8> {
    let member = Raw::of("x", b"");
    let names = (0..n).map(|i| format!("{i:x}").into_bytes());
    let members: Vec<_> = names.map(|name| Raw { name, ..member.clone() }).collect();
    archive(b"", &members, b"")
}

/// Returns an archive followed by many end records, each of which claims a directory of many members at the start of
/// the file.
fn ends(n: usize) -> Vec<u8> {
    let end = b"PK\x05\x06\0\0\0\0\xf0\xff\xf0\xff\xff\xff\xff\0\0\0\0\0\0\0";
    [members(n / 100), end.repeat(n / 22)].concat()
}

attacks! {
    // Decompression bombs.

    /// Inflates to a thousand times its size. 409: data amplification.
    bomb_of_zeros, 409, Refused("Limits::inflation"), |n| zeros(n * 100);
    /// A member that inflates to more than it states: a reader that trusts the size would write past its buffer.
    bomb_that_states_less, 409, Refused("inflates to more than"), |n| {
        let file = npy(&[1u8, 2, 3]);
        let more = Raw::of("x.npy", &[&file[..], &vec![0; n]].concat()).deflated();
        one(Raw { size: file.len() as u64, ..more })
    };
    /// The same with a stated size that is too large: a claim of memory.
    bomb_that_states_more, 789, Refused("Limits::inflat"), |_| {
        one(Raw { size: u64::MAX >> 1, zip64: true, ..honest("x.npy").deflated() })
    };
    /// A member that inflates only a little: not a bomb.
    compressed_a_little, 409, Read, |n| one(Raw::of("x.npy", &npy(&vec![1u8; n])).deflated());
    /// Deflate blocks without content, each of five bytes: much work for no output.
    blocks_of_nothing, 400, Refused("the member ends after"), |n| {
        let data = [0, 0, 0, 0xff, 0xff].repeat(n / 5);
        one(Raw { compressed: data.len() as u64, data, method: 8, ..honest("x.npy") })
    };
    /// An archive in an archive in an archive: only the outermost is opened.
    nested_archives, 674, Refused("not a .npy file"), |n| {
        let nest = |inner: Vec<u8>, _| one(Raw::of("x.npy", &inner));
        (0..n / 200).fold(zeros(1 << 20), nest)
    };
    /// Overlapping members, each of which contains all that follow: the total grows with the square. CVE-2019-13232.
    overlapping_members, 409, Refused("overlaps the next one"), |n| {
        let count = n / 100;
        let rest = archive(b"", &vec![honest("x.npy"); count], b"").len() as u64;
        let over = |i| {
            let long = rest * (count - i) as u64 / count as u64 / 2;
            Raw { name: format!("{i}.npy").into(), size: long, compressed: long, ..honest("x.npy") }
        };
        archive(b"", &(0..count).map(over).collect::<Vec<_>>(), b"")
    };
    /// One member that many directory entries point to.
    one_member_many_times, 409, Refused("the archive is malformed"), |n| {
        let other = |i| Raw { name: format!("{i}.npy").into(), place: Some(0), ..honest("x.npy") };
        let mut members = vec![honest("x.npy")];
        members.extend((0..n / 200).map(other));
        archive(b"", &members, b"")
    };
    /// Two directory entries for one member: their plain names are the same, their Unicode names differ.
    one_member_two_entries, 409, Refused("overlaps the next one"), |_| {
        // The names in the extra fields for Unicode paths.
        let other = [0, 1].map(|i: u8| {
            let mut extra = b"up\x0a\0\x01".to_vec();
            extra.extend(crate::zips::crc(b"x.npy").to_le_bytes());
            extra.extend([b'a' + i, b'.', b'n', b'p', b'y']);
            Raw { place: Some(0), extra, ..honest("x.npy") }
        });
        archive(b"", &other, b"")
    };
    /// A member that reaches into the directory.
    member_over_the_directory, 409, Refused("overlaps the next one"), |_| {
        one(Raw { size: 300, compressed: 300, ..honest("x.npy") })
    };

    // Names.

    /// Names that climb out of the directory, and absolute ones. 22: path traversal.
    names_that_climb, 22, Read, |_| {
        archive(b"", &["../../x.npy", "/etc/x.npy", "..\\x.npy", "C:\\x.npy", "a/../../b.npy"].map(honest), b"")
    };
    /// Names with a meaning for the system. 41: names of devices and the like.
    names_of_devices, 41, Read, |_| archive(b"", &[".npy", "...npy", "CON.npy", "-rf.npy", "~/x.npy"].map(honest), b"");
    /// A NUL, which ends a name in Python. 158.
    nul_in_a_member_name, 158, Read, |_| one(honest("x.npy\0.exe"));
    /// Two members of one name: one may be checked and the other one used. 694: an identifier that occurs twice.
    members_of_one_name, 694, Read, |_| archive(b"", &[honest("x.npy"), Raw::of("x.npy", &npy(&[9u8]))], b"");
    /// Terminal escape sequences. 150.
    terminal_escapes_in_a_member_name, 150, Refused("checksum"), |_| one(Raw { crc: 1, ..honest("\x1b]0;x\x07\x1b[2J.npy") });
    /// Bidirectional control characters, which reorder the text after them. 451.
    bidirectional_member_name, 451, Refused("checksum"), |_| one(Raw { crc: 1, ..honest("\u{202e}yp\u{2066}.npy") });
    /// A name marked as UTF-8 that is not UTF-8. 176.
    member_name_of_broken_utf8, 176, Refused("marked as UTF-8 and is not"), |_| {
        one(Raw { name: b"\xed\xa0\x80\xff.npy".to_vec(), flags: 0x800, ..honest("x.npy") })
    };
    /// The longest possible name. 400.
    long_member_name, 400, Read, |n| one(honest(&"x".repeat(n.min(65_000))));

    // Contradictions. 436: two readers that interpret the same bytes differently.

    /// A wrong checksum. 354.
    checksum_that_lies, 354, Refused("the checksum is"), |_| one(Raw { crc: 0xdead_beef, ..honest("x.npy") });
    /// The same for a deflated member.
    checksum_that_lies_deflated, 354, Refused("the checksum is"), |_| {
        one(Raw { crc: 0xdead_beef, ..honest("x.npy").deflated() })
    };
    /// A different name in the member's own header.
    names_that_disagree, 436, Refused("another member where the directory says"),
        |_| one(Raw { local_name: Some(b"y.npy".to_vec()), ..honest("x.npy") });
    /// A longer name there, which begins with the name in the directory.
    names_that_disagree_in_length, 436, Refused("another member where the directory says"),
        |_| one(Raw { local_name: Some(b"x.npy\0y".to_vec()), ..honest("x.npy") });
    /// A name that is UTF-8 in one header and in a code page in the other.
    names_of_two_encodings, 436, Refused("another member where the directory says"), |_| {
        let mut file = one(honest("größe.npy"));
        // The flags of the member's own header.
        file[7] = 0;
        file
    };
    /// Other sizes there: as in Python, those in the directory count, and the checksum holds.
    sizes_that_disagree, 436, Read, |_| one(Raw { local_lies: true, ..honest("x.npy") });
    /// Two different sizes of a stored member.
    stored_sizes_that_differ, 130, Refused("of 5 bytes takes 131 bytes"), |_| one(Raw { size: 5, ..honest("x.npy") });
    /// A member that is not at its stated position.
    place_that_lies, 130, Refused("no member where the directory says"), |_| one(Raw { place: Some(3), ..honest("x.npy") });
    /// A member whose stated position is past the end of the file.
    place_behind_the_file, 130, Refused("the archive is malformed"), |_| one(Raw { place: Some(1 << 30), ..honest("x.npy") });
    /// An array that ends before its member.
    bytes_behind_the_array, 130, Refused("bytes follow the array"), |_| one(Raw::of("x.npy", &[npy(&[1u8]), b"more".to_vec()].concat()));
    /// An array that is longer than its member.
    array_over_its_member, 130, Refused("truncated"), |_| one(Raw::of("x.npy", &npy(&[1u8; 9])[..130]));

    // False directories.

    /// A count of members that is too large.
    count_that_is_too_large, 130, Refused("the archive is malformed"), |_| with_end(8, &[9, 0, 9, 0]);
    /// A count that is too small: some readers would see the other members, and some not.
    count_that_is_too_small, 436, Refused("the archive is malformed"), |_| with_end(8, &[1, 0, 1, 0]);
    /// A count of zero.
    count_of_none, 436, Refused("the archive is malformed"), |_| with_end(8, &[0; 4]);
    /// A directory of 4 GiB.
    directory_that_is_too_long, 130, Refused("is said to take 4294967294 bytes"), |_| with_end(12, &[0xfe, 0xff, 0xff, 0xff]);
    /// A directory that is not at its stated position.
    directory_that_is_elsewhere, 130, Refused("the archive is malformed"), |_| with_end(16, &[0xfe, 0xff, 0xff, 0x0f]);
    /// An archive that is one of several parts.
    archive_in_parts, 130, Refused("a part of an archive in several"), |_| with_end(4, &[7, 0, 9, 0]);
    /// Members on another disk.
    members_in_parts, 130, Refused("a part of an archive in several"), |_| with_end(8, &[1, 0, 2, 0]);
    /// A directory of zero bytes with members.
    directory_of_nothing, 130, Refused("its directory of 0 bytes is said to have 2 members"), |_| with_end(12, &[0; 4]);
    /// A directory with extra bytes after its members.
    directory_of_other_bytes, 436, Refused("bytes after the 2 members"), |_| {
        let mut file = with_end(0, b"PK");
        let end = file.len() - 22;
        let stated = [12, 13, 14, 15].map(|at| file[end + at]);
        file[end + 12..end + 16].copy_from_slice(&(u32::from_le_bytes(stated) + 9).to_le_bytes());
        file.splice(end..end, *b"more data");
        file
    };
    /// An end record in the comment, which Python takes for the end of the archive.
    end_in_a_comment, 436, Refused("the archive is malformed"),
        |_| archive(b"", &[honest("x.npy")], b"PK\x05\x06 is how an end begins");
    /// A comment length that is larger than the rest of the file.
    comment_that_is_too_long, 130, Refused("the archive is malformed"), |_| with_end(20, &[0xff, 0xff]);
    /// Half a directory.
    directory_that_is_cut, 130, Refused("the archive is malformed"), |_| {
        let mut file = with_end(0, b"PK");
        file.truncate(file.len() - 60);
        file
    };
    /// A zip64 count of members that would take all memory. 789.
    large_count, 789, Refused("the archive is malformed"), |_| with_large_end(u64::MAX >> 8, None, None);
    /// The same with the largest possible count.
    large_count_of_all, 190, Refused("the archive is malformed"), |_| with_large_end(u64::MAX, None, None);
    /// A directory of 8 EiB.
    large_directory, 190, Refused("not where the locator says"), |_| with_large_end(2, Some(u64::MAX >> 1), None);
    /// A directory at a position past the end of any file.
    large_place, 190, Refused("the archive is malformed"), |_| with_large_end(2, None, Some(u64::MAX - 3));
    /// A zip64 count that is too small.
    large_count_that_is_too_small, 436, Refused("the archive is malformed"), |_| with_large_end(1, None, None);
    /// A zip64 count of zero.
    large_count_of_none, 436, Refused("the archive is malformed"), |_| with_large_end(0, None, None);
    /// Two end records with different numbers, although the small form could hold them.
    ends_that_disagree, 436, Refused("its two end records disagree"), |_| {
        let mut file = with_large_end(2, None, None);
        let end = file.len() - 22;
        file[end + 8..end + 12].copy_from_slice(&[3, 0, 3, 0]);
        file
    };
    /// A locator with another position.
    large_end_elsewhere, 436, Refused("not where the locator says"), |_| {
        let mut file = with_large_end(2, None, None);
        let locator = file.len() - 42;
        file[locator + 8] ^= 1;
        file
    };
    /// A zip64 end record with extra data, in which some readers search for records.
    large_end_with_other_data, 436, Refused("not directly before the locator"), |_| {
        let mut file = with_large_end(2, None, None);
        let locator = file.len() - 42;
        let record = locator - 56;
        file[record + 4] += 9;
        file.splice(locator..locator, *b"more data");
        file
    };
    /// The same with the largest possible size. 789.
    large_end_without_end, 789, Refused("not directly before the locator"), |_| {
        let mut file = with_large_end(2, None, None);
        let record = file.len() - 98;
        file[record + 4..record + 12].fill(0xff);
        file
    };
    /// A correct zip64 end record that is not needed.
    large_end_without_need, 436, Read, |_| with_large_end(2, None, None);
    /// A member of 8 EiB, stored.
    large_member, 789, Refused("overlaps the next one"), |_| {
        one(Raw { size: u64::MAX >> 1, compressed: u64::MAX >> 1, zip64: true, ..honest("x.npy") })
    };
    /// A member that begins at 16 EiB.
    large_member_place, 190, Refused("the archive is malformed"), |_| one(Raw { place: Some(u64::MAX), zip64: true, ..honest("x.npy") });
    /// A zip64 extra field without numbers.
    large_field_of_nothing, 130, Refused("the archive is malformed"), |_| {
        one(Raw { size: u64::from(u32::MAX), compressed: u64::from(u32::MAX), extra: b"\x01\0\0\0".to_vec(), ..honest("x.npy") })
    };
    /// An extra field longer than the rest of the header. 125: reading out of bounds.
    field_over_its_end, 125, Refused("said to take 65535 bytes, and only 0 are left"), |_| one(Raw { extra: b"\x01\0\xff\xff".to_vec(), ..honest("x.npy") });
    /// As many extra fields as fit. 400.
    many_extra_fields, 400, Read, |n| one(Raw { extra: b"zz\0\0".repeat((n / 4).min(16_000)), ..honest("x.npy") });

    // Large numbers of things.

    /// Members of no bytes; a file may have any number of them.
    many_members, 400, Refused("not a .npy file"), |n| members(n / 50);
    /// Many end records, each with a false claim. Trying each of them would cost as much as reading the file; Python
    /// tries the last one.
    many_ends, 407, Refused("is said to take 16777215 bytes"), |n| ends(n);
    /// The same in the comment, where end records may occur. Python takes the last for the end.
    many_ends_in_a_comment, 407, Refused("its directory ends too early"), |n| {
        let comment = b"PK\x05\x06".repeat((n / 4).min(16_000));
        archive(b"", &[honest("x.npy")], &comment)
    };
    /// End records before the archive.
    many_ends_before, 407, Read, |n| archive(&ends(n), &[honest("x.npy")], b"");
    /// Headers of members before the archive.
    many_headers_before, 407, Read, |n| archive(&b"PK\x03\x04PK\x01\x02".repeat(n / 8), &[honest("x.npy")], b"");

    // Unsupported features.

    /// Encrypted with a broken cipher. 327.
    encrypted_member, 327, Refused("an encrypted member"), |_| one(Raw { flags: 1, ..honest("x.npy") });
    /// Strongly encrypted.
    strongly_encrypted_member, 327, Refused("an encrypted member"), |_| one(Raw { flags: 1 << 6, ..honest("x.npy") });
    /// Encrypted with masked headers.
    member_with_masked_header, 327, Refused("an encrypted member"), |_| one(Raw { flags: 1 << 13, ..honest("x.npy") });
    /// A patch for another file, not an array.
    patched_member, 436, Refused("a member of patched data"), |_| one(Raw { flags: 1 << 5, ..honest("x.npy") });
    /// An unknown compression method.
    unknown_method, 436, Refused("a member compressed by"), |_| one(Raw { method: 1234, ..honest("x.npy") });
    /// Bytes that are not a deflate stream.
    noise_to_inflate, 20, Refused("compressed bytes are damaged"), |n| {
        let data = b"\xff\x37".repeat(n / 2);
        one(Raw { compressed: data.len() as u64, data, method: 8, ..honest("x.npy") })
    };
    /// An archive without members.
    empty_archive, 130, Read, |_| archive(b"", &[], b"");
    /// A pickle, which is a program: `np.load` runs it with `allow_pickle=True`. 502.
    a_pickle_for_a_member, 502, Pickle, |_| {
        let text = super::header("'|O'", "(1,)");
        one(Raw::of("x.npy", &super::file(1, &text, b"cos\nsystem\n(S'id'\ntR.")))
    };
}
