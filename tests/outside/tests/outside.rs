//! What a crate of a user does with its own array type, and with the traits of other crates next to ours.

use npy_core::{NpyArray, NpyView, Order, ReadNpy, WriteNpy, WriteOptions};
use npy_outside::Picture;

/// Guards the documented way for array types of other crates: a file, a member of an archive, options.
#[test]
fn an_array_type_of_another_crate_is_written_and_read() {
    let picture = Picture { width: 3, pixels: vec![1_u8, 2, 3, 4, 5, 6] };
    let mut file = Vec::new();
    picture.write_npy_to(&mut file).unwrap();
    assert_eq!(Picture::read_npy_from(&file[..]).unwrap(), picture);
    assert_eq!(NpyArray::<u8>::read_npy_from(&file[..]).unwrap().shape(), [2, 3]);

    let mut archive = npy_core::npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    archive.write("picture", &picture).unwrap();
    let archive = npy_core::npz::Reader::new(archive.finish().unwrap()).unwrap();
    assert_eq!(archive.read::<Picture<u8>>("picture").unwrap(), picture);
}

/// Guards what arrives in Fortran order, or in another rank than the type has.
#[test]
fn its_own_rules_hold() {
    let mut file = Vec::new();
    let view = NpyView::with_order(&[1_u8, 4, 2, 5, 3, 6], [2, 3], Order::Fortran).unwrap();
    view.write_npy_to(&mut file).unwrap();
    assert_eq!(Picture::<u8>::read_npy_from(&file[..]).unwrap().pixels, [1, 2, 3, 4, 5, 6]);

    let picture = Picture { width: 3, pixels: vec![1_u8, 2, 3, 4, 5, 6] };
    let mut fortran = Vec::new();
    WriteOptions::new().order(Order::Fortran).write_to(&mut fortran, &picture).unwrap();
    assert_eq!(fortran, file);

    let mut list = Vec::new();
    [1_u8].write_npy_to(&mut list).unwrap();
    let error = Picture::<u8>::read_npy_from(&list[..]).unwrap_err();
    assert_eq!(error.to_string(), "a picture has two dimensions, found 1");
}

mod everything_imported {
    use bytes::{Buf, BufMut};
    use ndarray::prelude::*;
    use npy_core::*;
    use std::io::prelude::*;

    /// Guards that no method of ours is ambiguous with one of these traits.
    #[test]
    fn traits_of_other_crates_are_used_next_to_ours() -> Result<()> {
        let mut bytes: Vec<u8> = Vec::new();
        bytes.put(&b"abc"[..]);
        bytes.put_u8(b'd');
        bytes.write_all(b"ef").unwrap();
        let mut start = Vec::new();
        // `Read` and `Buf` both have a `take`.
        Read::take(&bytes[..], 2).read_to_end(&mut start).unwrap();
        assert_eq!((&bytes[..]).get_u8(), b'a');
        assert_eq!(start, b"ab");
        assert_eq!(Buf::take(&bytes[..], 3).remaining(), 3);
        assert_eq!(bytes.iter().take(2).count(), 2);
        assert_eq!(bytes.iter().find(|&&byte| byte == b'e'), Some(&b'e'));
        let mut some = Some(3);
        assert_eq!((some.take(), some), (Some(3), None));

        let mut file = Vec::new();
        array![[1.0, 2.0], [3.0, 4.0]].write_npy_to(&mut file)?;
        let matrix = Array2::<f64>::read_npy_from(&file[..])?;
        assert_eq!(matrix.sum(), 10.0);
        bytes.write_npy_to(&mut file)?;
        Ok(())
    }
}

/// Guards `docs/start/rust.md`: its programs run as they are pasted, and print what the page says.
#[test]
fn the_first_page_for_rust_prints_what_it_says() {
    let page = include_str!("../../../docs/start/rust.md");
    let place = std::env::temp_dir().join(format!("npy-first-{}", std::process::id()));
    std::fs::create_dir_all(&place).unwrap();
    let mut rest = page;
    let mut after = |start: &str, end: &str| {
        let (found, after) = rest.split_once(start).unwrap().1.split_once(end).unwrap();
        rest = after;
        found
    };
    for (path, source) in [
        (env!("CARGO_BIN_EXE_first"), include_str!("../src/bin/first.rs")),
        (env!("CARGO_BIN_EXE_options"), include_str!("../src/bin/options.rs")),
        (env!("CARGO_BIN_EXE_picks"), include_str!("../src/bin/picks.rs")),
    ] {
        let program = source.split_once("\n\n").unwrap().1;
        assert_eq!(after("```rust\n", "```"), program, "{path} is a program of the page");
        let run = std::process::Command::new(path).current_dir(&place).output().unwrap();
        assert_eq!(String::from_utf8(run.stdout).unwrap().trim(), after("rints `", "`"));
    }
    std::fs::remove_dir_all(&place).unwrap();
}
