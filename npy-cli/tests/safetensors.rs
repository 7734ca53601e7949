//! Safetensors files to archives and back: the same bytes, and messages for what one of the two formats lacks.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use npy_core::{DType, DynArray, NpyArray, Order, WriteNpy, npz};
use npy_tests::fuzz::Random;
use npy_tests::pickles::objects;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, View, serialize};

/// Runs the command in a directory.
fn npy(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap()
}

/// Runs a command that succeeds, and returns what it prints.
fn ok(directory: &Path, args: &[&str]) -> String {
    let output = npy(directory, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the message of a command that is refused.
fn refused(directory: &Path, args: &[&str]) -> String {
    let output = npy(directory, args);
    assert_eq!(output.status.code(), Some(2), "{args:?} {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

struct Tensor(Dtype, Vec<usize>);

impl View for Tensor {
    fn dtype(&self) -> Dtype {
        self.0
    }

    fn shape(&self) -> &[usize] {
        &self.1
    }

    fn data(&self) -> Cow<'_, [u8]> {
        // The bytes of booleans, too.
        (0..self.data_len()).map(|i| u8::try_from(i % 2).unwrap()).collect()
    }

    fn data_len(&self) -> usize {
        self.1.iter().product::<usize>() * self.0.bitsize() / 8
    }
}

const DTYPES: [Dtype; 22] = [
    Dtype::BOOL,
    Dtype::F4,
    Dtype::F6_E2M3,
    Dtype::F6_E3M2,
    Dtype::U8,
    Dtype::I8,
    Dtype::F8_E5M2,
    Dtype::F8_E4M3,
    Dtype::F8_E8M0,
    Dtype::F8_E4M3FNUZ,
    Dtype::F8_E5M2FNUZ,
    Dtype::I16,
    Dtype::U16,
    Dtype::F16,
    Dtype::BF16,
    Dtype::I32,
    Dtype::U32,
    Dtype::F32,
    Dtype::C64,
    Dtype::F64,
    Dtype::I64,
    Dtype::U64,
];

/// Returns a file with tensors of each dtype and of odd names and shapes.
fn file(metadata: &[(&str, &str)]) -> Vec<u8> {
    let mut tensors: Vec<(String, Tensor)> =
        DTYPES.iter().map(|dtype| (dtype.to_string(), Tensor(*dtype, vec![3, 8]))).collect();
    for (name, shape) in [
        ("model.layers.0/weight", vec![2, 3]),
        ("größe::[0]", vec![4]),
        ("../up", vec![1, 1, 1, 2]),
        ("", vec![1]),
        ("x.npy", vec![1]),
        ("x", vec![2]),
        ("none", vec![0, 5]),
        ("also none", vec![0]),
        ("scalar", vec![]),
    ] {
        tensors.push((name.into(), Tensor(Dtype::BF16, shape.clone())));
        tensors.push((format!("{name} f"), Tensor(Dtype::F32, shape)));
    }
    let file = serialize(tensors, None).unwrap();
    if metadata.is_empty() {
        return file;
    }
    // The crate writes the texts in any order.
    let size = usize::try_from(u64::from_le_bytes(file[..8].try_into().unwrap())).unwrap();
    let text = str::from_utf8(&file[8..8 + size]).unwrap().trim_end();
    let texts = metadata
        .iter()
        .map(|(name, text)| format!("{}:{}", serde_json::json!(name), serde_json::json!(text)));
    let texts: Vec<String> = texts.collect();
    let mut header =
        format!("{{\"__metadata__\":{{{}}},{}", texts.join(","), &text[1..]).into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    [&(header.len() as u64).to_le_bytes(), &header[..], &file[8 + size..]].concat()
}

/// Guards every dtype, name and shape, and the texts with their order: the way there and back changes no byte.
#[test]
fn a_file_is_the_same_bytes_after_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let texts = [("z", "1"), ("format", "pt"), ("a \"b\"", "größe\n\u{0}"), ("m", "")];
    for metadata in [&texts[..], &[]] {
        fs::write(path.join("a.safetensors"), file(metadata)).unwrap();
        for compress in [&["--force"][..], &["--force", "--compress"]] {
            ok(path, &[&["convert", "a.safetensors", "b.npz"], compress].concat());
            ok(path, &["convert", "b.npz", "c.safetensors", "--force"]);
            let [a, c] = ["a", "c"].map(|name| path.join(name).with_extension("safetensors"));
            assert!(fs::read(a).unwrap() == fs::read(c).unwrap(), "{metadata:?}");
        }
    }
    let archive = npz::Reader::open(path.join("b.npz")).unwrap();
    assert_eq!(archive.header("BF16").unwrap().dtype().to_string(), "<V2");
    assert_eq!(archive.header("F8_E5M2").unwrap().dtype().to_string(), "<V1");
    assert_eq!(archive.header("F4").unwrap().shape(), [3, 4]);
    assert_eq!(archive.header("scalar f").unwrap().shape(), [0; 0]);
    assert_eq!(archive.header("none").unwrap().shape(), [0, 5]);
    let array: DynArray = archive.read("__metadata__").unwrap();
    let note: serde_json::Value = serde_json::from_slice(array.as_bytes()).unwrap();
    assert_eq!(note["dtypes"]["F8_E4M3"], "float8_e4m3fn");
    assert_eq!(note["dtypes"]["F6_E2M3"], "F6_E2M3");
    assert_eq!(note["dtypes"].get("F32"), None);
}

/// Guards that tensors are little-endian and in C order, whatever the arrays are.
#[test]
fn arrays_of_any_order_become_tensors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let values: Vec<i32> = (0..60_000).collect();
    let array = NpyArray::new(values.clone(), [200, 300]).unwrap();
    let little =
        DynArray::new("<i4".parse().unwrap(), [200, 300], Order::C, bytes(&values)).unwrap();
    let mut writer = npz::WriteOptions::new().deflate(1).create(path.join("a.npz")).unwrap();
    writer.write("fortran", &array.to_order(Order::Fortran)).unwrap();
    writer.write("big", &little.cast(&">i4".parse().unwrap()).unwrap()).unwrap();
    writer.write("flag", &true).unwrap();
    writer.finish().unwrap();
    ok(path, &["convert", "a.npz", "a.safetensors"]);
    let file = fs::read(path.join("a.safetensors")).unwrap();
    let tensors = SafeTensors::deserialize(&file).unwrap();
    for name in ["fortran", "big"] {
        let tensor = tensors.tensor(name).unwrap();
        assert_eq!((tensor.dtype(), tensor.shape()), (Dtype::I32, &[200, 300][..]));
        assert!(tensor.data() == bytes(&values), "{name}");
    }
    assert_eq!(tensors.tensor("flag").unwrap().data(), [1]);
    // Each tensor is aligned.
    assert_eq!(
        tensors.tensor("big").unwrap().data().as_ptr() as usize % 4,
        file.as_ptr() as usize % 4
    );

    // A single array has the name of its file, or of the member; a slice is a tensor, too.
    array.write_npy(path.join("w.npy")).unwrap();
    ok(path, &["convert", "w.npy[:2,0]", "w.safetensors", "--dtype", "f4"]);
    assert_eq!(ok(path, &["cat", "w.safetensors::w"]), "value\n0.0\n300.0\n");
    assert_eq!(ok(path, &["cat", "a.safetensors::big[1:2,:2]"]), "[0],[1]\n300,301\n");
}

fn bytes(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Guards what safetensors lacks: the message says what to do, and no file is left.
#[test]
fn arrays_that_are_no_tensors_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let zeros = |dtype: &str| {
        let dtype: DType = dtype.parse().unwrap();
        let bytes = vec![0; 2 * dtype.itemsize()];
        DynArray::new(dtype, [2], Order::C, bytes).unwrap()
    };
    for (dtype, expected) in [
        ("<c16", "no dtype <c16; convert it to one that it has, such as --dtype c8"),
        ("<M8[s]", "no dtype <M8[s]"),
        ("<U3", "no dtype <U3"),
        ("[('a', '<f4'), ('b', '<f4')]", "choose one column with -c"),
        ("|V2", "say which numbers these bytes are, such as --void bfloat16"),
        ("|V1", "such as --void float8_e4m3fn"),
        ("|V3", "no dtype |V3; leave it out, as its tensors are numbers"),
    ] {
        let mut writer = npz::Writer::create(path.join("a.npz")).unwrap();
        writer.write("x", &zeros(dtype)).unwrap();
        writer.finish().unwrap();
        let message = refused(path, &["convert", "a.npz", "a.safetensors"]);
        assert!(message.contains("a.npz::x: ") && message.contains(expected), "{message}");
    }
    ok(path, &["convert", "a.npz", "v3.npz"]);
    for options in [&["--compress"][..], &["--order", "f"], &["--endian", "big"]] {
        let message = refused(path, &[&["convert", "a.npz", "a.safetensors"], options].concat());
        assert!(message.contains("tensors are in C order and little-endian"), "{message}");
    }
    zeros("|V1").write_npy(path.join("v1.npy")).unwrap();
    let message = refused(path, &["convert", "v1.npy", "a.safetensors", "--void", "float8_e3m4"]);
    assert!(message.contains("no dtype float8_e3m4"), "{message}");
    let message = refused(path, &["convert", "v1.npy", "a.safetensors", "--void", "float9"]);
    assert!(message.contains("float8_e4m3fn"), "{message}");
    // A member of this name that is another array.
    let mut writer = npz::Writer::create(path.join("a.npz")).unwrap();
    writer.write("__metadata__", &zeros("<f4")).unwrap();
    writer.finish().unwrap();
    let message = refused(path, &["convert", "a.npz", "a.safetensors"]);
    assert!(message.contains("remove it with npy npz rm"), "{message}");
    let files = fs::read_dir(path).unwrap().map(|file| file.unwrap().file_name());
    assert!(files.into_iter().all(|name| name != "a.safetensors"));
}

/// Guards the advice for members that are no tensors, which was a conversion that fails, and files without the name.
#[test]
fn members_that_are_no_tensors_are_left_out_by_the_commands_of_the_message() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut writer = npz::Writer::create(path.join("w.npz")).unwrap();
    let text = |dtype: &str| {
        let dtype: DType = dtype.parse().unwrap();
        let bytes = vec![0; dtype.itemsize()];
        DynArray::new(dtype, [1], Order::C, bytes).unwrap()
    };
    writer.write("vocab", &text("<U3")).unwrap();
    writer.write("w", &[0.5f32, 2.0]).unwrap();
    writer.write("at", &text("<M8[s]")).unwrap();
    writer.finish().unwrap();
    let message = refused(path, &["convert", "w.npz", "n.safetensors"]);
    let commands = "cp w.npz w.tensors.npz && npy npz rm w.tensors.npz vocab at && npy convert w.tensors.npz n.safetensors\n";
    assert!(
        message.ends_with(&format!("no dtype <U3; without these members: {commands}")),
        "{message}"
    );
    fs::copy(path.join("w.npz"), path.join("w.tensors.npz")).unwrap();
    ok(path, &["npz", "rm", "w.tensors.npz", "vocab", "at"]);
    ok(path, &["convert", "w.tensors.npz", "n.safetensors"]);
    // The start of a file says what it is.
    fs::copy(path.join("n.safetensors"), path.join("weights")).unwrap();
    ok(path, &["convert", "weights", "back.npz"]);
    ok(path, &["diff", "back.npz::w", "w.npz::w"]);
    ok(path, &["verify", "weights"]);
    assert_eq!(ok(path, &["cat", "weights"]), ok(path, &["cat", "n.safetensors"]));
    fs::write(path.join("o.npy"), objects(&[1], b"K\x05")).unwrap();
    ok(path, &["convert", "o.npy", "o.npz::a"]);
    ok(path, &["convert", "weights", "o.npz::b"]);
    let message = refused(path, &["convert", "o.npz", "o.safetensors"]);
    assert!(message.ends_with(": npy convert o.npz::a OUT.npy --dtype DTYPE\n"), "{message}");
    ok(path, &["convert", "o.npz::a", "OUT.npy", "--dtype", "f8"]);
}

/// Guards that raw bytes are the numbers that the option or the file says.
#[test]
fn raw_bytes_are_numbers_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let two: DynArray =
        DynArray::new("<V2".parse().unwrap(), [2], Order::C, vec![0x80, 0x3f, 0x20, 0xc1]).unwrap();
    two.write_npy(path.join("x.npy")).unwrap();
    let rows = "value\n1.0\n-10.0\n";
    assert_eq!(ok(path, &["cat", "x.npy"]), "value\n803f\n20c1\n");
    assert_eq!(ok(path, &["cat", "x.npy", "--void", "bfloat16"]), rows);
    assert_eq!(ok(path, &["head", "x.npy", "--csv", "--void", "float8_e5m2,bfloat16"]), rows);
    assert_eq!(ok(path, &["tail", "x.npy[-1:]", "--csv", "--void=bfloat16"]), "value\n-10.0\n");
    let message = refused(path, &["head", "x.npy", "--void", "float8_e4m3fn"]);
    assert!(message.contains("its dtype is <V2"), "{message}");

    // As numbers, or as they are.
    ok(path, &["convert", "x.npy", "f4.npy", "--void", "bfloat16"]);
    assert_eq!(ok(path, &["cat", "f4.npy"]), rows);
    ok(path, &["convert", "x.npy", "f8.npy", "--void", "bfloat16", "--dtype", "f8"]);
    assert_eq!(ok(path, &["cat", "f8.npy"]), rows);
    ok(path, &["convert", "x.npy", "x.safetensors", "--void", "bfloat16"]);
    let file = fs::read(path.join("x.safetensors")).unwrap();
    let tensor = SafeTensors::deserialize(&file).unwrap();
    assert_eq!(tensor.tensor("x").unwrap().dtype(), Dtype::BF16);
    // A tensor has a known dtype.
    assert_eq!(ok(path, &["cat", "x.safetensors"]), rows);
    for args in [&["x.npy", "--void", "bfloat16"][..], &["x.safetensors"]] {
        let stats = ok(path, &[&["stats", "--json"], args].concat());
        assert!(stats.contains("\"min\":-10.0,\"max\":1.0"), "{stats}");
        assert!(ok(path, &[&["plot"], args].concat()).starts_with("value: -10.0 … 1.0"));
    }
    let info = ok(path, &["info", "x.safetensors"]);
    assert!(info.contains("format   safetensors; this is the array that the tensor"), "{info}");
    ok(path, &["convert", "x.safetensors", "numbers.npz", "--dtype", "f4"]);
    assert_eq!(ok(path, &["cat", "numbers.npz::x"]), rows);
    let archive = npz::Reader::open(path.join("numbers.npz")).unwrap();
    assert!(!archive.contains("__metadata__"));
    // The same numbers with their bytes swapped.
    let big = DynArray::new(">V2".parse().unwrap(), [2], Order::C, vec![0x3f, 0x80, 0xc1, 0x20]);
    big.unwrap().write_npy(path.join("big.npy")).unwrap();
    assert_eq!(ok(path, &["cat", "big.npy"]), "value\n3f80\nc120\n");
    assert_eq!(ok(path, &["cat", "big.npy", "--void", "bfloat16"]), rows);
    ok(path, &["convert", "big.npy", "big.safetensors", "--void", "bfloat16"]);
    assert_eq!(ok(path, &["cat", "big.safetensors"]), rows);
    ok(path, &["convert", "x.npy", "swapped.npy", "--endian", "big"]);
    assert!(fs::read(path.join("swapped.npy")).unwrap() == fs::read(path.join("big.npy")).unwrap());
    // An archive that NumPy has written again: V2 has no byte order.
    ok(path, &["convert", "x.safetensors", "b.npz"]);
    let archive = npz::Reader::open(path.join("b.npz")).unwrap();
    let mut writer = npz::Writer::create(path.join("again.npz")).unwrap();
    let plain = DynArray::new("|V2".parse().unwrap(), [2], Order::C, two.into_bytes()).unwrap();
    writer.write("x", &plain).unwrap();
    let note: DynArray = archive.read("__metadata__").unwrap();
    writer.write("__metadata__", &note.cast(&"U100".parse().unwrap()).unwrap_or(note)).unwrap();
    writer.finish().unwrap();
    ok(path, &["convert", "again.npz", "again.safetensors"]);
    assert!(fs::read(path.join("again.safetensors")).unwrap() == file);
}

/// Guards that no tensor or member is lost by accident.
#[test]
fn files_with_others_are_replaced_by_force_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("a.safetensors"), file(&[])).unwrap();
    [1.5f32].write_npy(path.join("w.npy")).unwrap();
    let message = refused(path, &["convert", "w.npy", "a.safetensors"]);
    assert!(message.contains("would be lost; --force replaces it"), "{message}");
    let message = refused(path, &["convert", "w.npy", "a.safetensors", "--no-clobber"]);
    assert!(message.contains("exists, and --no-clobber keeps it"), "{message}");
    assert!(fs::read(path.join("a.safetensors")).unwrap() == file(&[]));
    ok(path, &["convert", "a.safetensors", "b.npz"]);
    ok(path, &["convert", "a.safetensors", "b.npz"]);
    ok(path, &["convert", "w.npy", "a.safetensors", "--force"]);
    let message = refused(path, &["convert", "a.safetensors", "b.npz"]);
    assert!(message.contains("would be lost"), "{message}");
    let message = refused(path, &["convert", "a.safetensors", "a.safetensors"]);
    assert!(message.contains("is also an input"), "{message}");
    // Several tensors are no array.
    fs::write(path.join("a.safetensors"), file(&[])).unwrap();
    let message = refused(path, &["head", "a.safetensors"]);
    assert!(message.contains("npy convert a.safetensors a.npz"), "{message}");
    assert_eq!(ok(path, &["verify", "a.safetensors"]), "a.safetensors: ok\n");
    let message = refused(path, &["head", "a.safetensors::weight"]);
    assert!(message.contains("there is no tensor \"weight\""), "{message}");
}

/// Guards that two tensors whose members would have one name are an error, and no archive is left.
#[test]
fn names_that_no_member_has_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for name in ["a\u{0}b".to_owned(), "x".repeat(70_000)] {
        let tensors = [(name, Tensor(Dtype::U8, vec![1]))];
        fs::write(path.join("a.safetensors"), serialize(tensors, None).unwrap()).unwrap();
        let message = refused(path, &["convert", "a.safetensors", "a.npz"]);
        assert!(message.starts_with("npy: a.npz: "), "{message}");
        assert!(!path.join("a.npz").exists());
    }
}

/// Guards against panics and values that are not there: each damaged file is refused, or a file with other values.
#[test]
fn damaged_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let whole = file(&[("format", "pt")]);
    let header = 8 + usize::try_from(u64::from_le_bytes(whole[..8].try_into().unwrap())).unwrap();
    let mut random = Random::new(1);
    let mut refused = 0;
    for case in 0..400 {
        let mut file = whole.clone();
        match case % 4 {
            0 => file.truncate(random.below(file.len())),
            1 => file[random.below(header)] = u8::try_from(random.below(256)).unwrap(),
            2 => {
                let at = 8 + random.below(header - 8);
                let digit = b"0123456789{}[],:\"-e"[random.below(19)];
                file[at] = digit;
            }
            _ => {
                let at = random.below(8);
                file[at] = u8::try_from(random.below(256)).unwrap();
            }
        }
        fs::write(path.join("a.safetensors"), &file).unwrap();
        let output = npy(path, &["convert", "a.safetensors", "a.npz", "--force"]);
        let message = String::from_utf8(output.stderr).unwrap();
        match output.status.code() {
            Some(0) => {}
            Some(2) => {
                refused += 1;
                assert!(message.starts_with("npy: a.safetensors"), "{case}: {message}");
                assert!(message.lines().count() == 1, "{case}: {message}");
            }
            _ => panic!("{case}: {message}"),
        }
    }
    assert!(refused > 300, "{refused}");
    for (file, expected) in [
        (&b""[..], "it has fewer than 8 bytes"),
        (&[0xff; 16], "100000000 are allowed"),
        (b"\x10\0\0\0\0\0\0\0{}", "its header has 16 bytes, and 2 are there"),
        (b"\x02\0\0\0\0\0\0\0{}12", "its tensors have 0 bytes, and 2 are there"),
        (b"\x02\0\0\0\0\0\0\0[]", "its header: "),
    ] {
        fs::write(path.join("a.safetensors"), file).unwrap();
        let output = npy(path, &["head", "a.safetensors"]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(expected), "{message}");
    }
}
