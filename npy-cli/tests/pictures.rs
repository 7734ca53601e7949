//! Files with pictures: their format, and which picture an array has.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use npy_core::{DateTime64, DynArray, LongDouble, NpyArray, Order, WriteNpy, time};

use crate::support::{code, ok};

/// Runs the command in a directory.
fn npy(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap()
}

/// Draws an array, and returns the file.
fn drawn(directory: &Path, args: &[&str]) -> Vec<u8> {
    let output = npy(directory, &[&["plot", "x.npy"], args].concat());
    assert!(output.status.success(), "{output:?}");
    match args.iter().position(|arg| *arg == "-o").map(|at| args[at + 1]) {
        Some(path) => fs::read(directory.join(path)).unwrap(),
        None => output.stdout,
    }
}

/// Guards that the ending of a file is its format: PNG once was SVG in a file of that name.
#[test]
fn the_ending_of_a_file_is_its_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    vec![1.0, 3.0, 2.0].write_npy(path.join("x.npy")).unwrap();
    assert!(drawn(path, &["-o", "x.png"]).starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(drawn(path, &["-o", "X.SVG"]).starts_with(b"<svg "));
    for wrong in ["x.gif", "x.jpg", "x"] {
        let output = npy(path, &["plot", "x.npy", "-o", wrong]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            message,
            format!("npy: {wrong}: is not the name of a picture; end it in .svg or .png\n")
        );
        assert!(!path.join(wrong).exists());
    }
}

/// Guards that an array with colors is drawn as the image that it is, and any other as a matrix.
#[test]
fn an_array_of_colors_is_an_image() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // A heat map names the greatest value at its bar of colors.
    let is_image = |args: &[&str]| {
        let svg = String::from_utf8(drawn(path, &[args, &["-o", "x.svg"]].concat())).unwrap();
        assert!(svg.contains("<image "), "{svg}");
        svg.matches("<image ").count() == 1
    };
    let bytes: Vec<u8> = (0..8 * 6 * 3).collect();
    for channels in [3, 4] {
        let shape = [8, 18 / channels, channels];
        let image = NpyArray::new(bytes[..shape.iter().product()].to_vec(), shape).unwrap();
        image.write_npy(path.join("x.npy")).unwrap();
        assert!(is_image(&[]), "{shape:?}");
        assert!(!is_image(&["-k", "heatmap"]), "{shape:?}");
    }
    for (scale, expected) in [(1.0 / 255.0, true), (1.0, false)] {
        let values = bytes.iter().map(|&byte| f32::from(byte) * scale).collect();
        NpyArray::new(values, [8, 6, 3]).unwrap().write_npy(path.join("x.npy")).unwrap();
        assert_eq!(is_image(&[]), expected, "{scale}");
    }
    let said = |args: &[&str]| {
        let output = npy(path, &[&["plot", "x.npy"], args].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let range = "note: x.npy: its values are 0 to 143; an image of floats has 0 to 1";
    assert_eq!(said(&[]), (Some(0), format!("{range}; this is a heat map\n")));
    let heat_map = "note: x.npy: the columns of this heat map are all 18 of a row; ";
    let slice = (Some(0), format!("{heat_map}a slice such as [0] leaves out a dimension\n"));
    assert_eq!(said(&["-k", "heatmap"]), slice);
    let named = "npy: x.npy: an image has all of its columns, and -c chooses some; leave out -c\n";
    assert_eq!(said(&["-k", "image", "-c", "0,1"]), (Some(2), named.into()));
    let integers = bytes.iter().map(|&byte| i8::from_ne_bytes([byte])).collect::<Vec<_>>();
    NpyArray::new(integers, [8, 6, 3]).unwrap().write_npy(path.join("x.npy")).unwrap();
    let advice = "an image has unsigned integers of 8 or 16 bits, or floats from 0 to 1\n";
    assert_eq!(said(&[]), (Some(0), format!("{heat_map}{advice}")));
    let integers = bytes.iter().map(|&byte| u16::from(byte)).collect::<Vec<_>>();
    NpyArray::new(integers, [8, 6, 3]).unwrap().write_npy(path.join("x.npy")).unwrap();
    assert_eq!(said(&[]), (Some(0), format!("{heat_map}-k image draws an image\n")));
    assert!(is_image(&["-k", "image"]));
    let values = bytes.iter().map(|&byte| f32::from(byte)).collect::<Vec<_>>();
    NpyArray::new(values, [8, 6, 3]).unwrap().write_npy(path.join("x.npy")).unwrap();
    let output = npy(path, &["plot", "x.npy", "-k", "image"]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message, "npy: x.npy: its values are 0 to 143; an image of floats has 0 to 1\n");
    NpyArray::new(bytes.clone(), [8, 2, 9]).unwrap().write_npy(path.join("x.npy")).unwrap();
    assert_eq!(said(&[]), slice);
    let gray = NpyArray::new(bytes, [8, 18]).unwrap();
    gray.write_npy(path.join("x.npy")).unwrap();
    assert!(is_image(&["-k", "image"]) && !is_image(&[]));
    // A picture has fewer cells than a large image.
    for (width, is_mean) in [(1024, false), (2048, true)] {
        let image = NpyArray::new(vec![9u8; 2 * width], [2, width]).unwrap();
        image.write_npy(path.join("x.npy")).unwrap();
        let svg = String::from_utf8(drawn(path, &["-k", "image", "-o", "x.svg"])).unwrap();
        assert_eq!(svg.contains("a cell is the mean of 1 × 2 values"), is_mean);
    }
}

/// Guards the pixels of an image: they are the elements, also those with an opacity and of 16 bits.
#[test]
fn the_pixels_of_an_image_are_its_elements() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let pixels = || {
        let output = npy(path, &["plot", "x.npy", "-o", "x.png", "--pixels"]);
        assert!(output.status.success(), "{output:?}");
        let file = fs::read(path.join("x.png")).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        ((info.width, info.height, info.color_type), bytes, message)
    };
    let bytes: Vec<u8> = (0..48).map(|n| n * 5).collect();
    for (shape, color) in [
        (&[6, 8][..], png::ColorType::Grayscale),
        (&[2, 8, 3], png::ColorType::Rgb),
        (&[4, 3, 4], png::ColorType::Rgba),
    ] {
        NpyArray::new(bytes.clone(), shape).unwrap().write_npy(path.join("x.npy")).unwrap();
        let (width, height) = (shape[1].try_into().unwrap(), shape[0].try_into().unwrap());
        assert_eq!(pixels(), ((width, height, color), bytes.clone(), String::new()));
    }
    // A picture has fewer cells than this image.
    NpyArray::new(vec![9u8; 4000], [2, 2000]).unwrap().write_npy(path.join("x.npy")).unwrap();
    assert_eq!(pixels().1, [9; 4000]);
    NpyArray::new(vec![1u16, 2, 0x1234], [1, 3]).unwrap().write_npy(path.join("x.npy")).unwrap();
    assert_eq!(pixels().1, [0, 1, 0, 2, 0x12, 0x34]);
    NpyArray::new(vec![0.0, 0.2, 1.0], [1, 3]).unwrap().write_npy(path.join("x.npy")).unwrap();
    assert_eq!((pixels().1, pixels().2), (vec![0, 51, 255], String::new()));
    for mask in [[false, true], [true, true], [false, false]] {
        NpyArray::new(mask.to_vec(), [1, 2]).unwrap().write_npy(path.join("x.npy")).unwrap();
        let bytes = mask.map(|value| if value { 255 } else { 0 });
        assert_eq!((pixels().1, pixels().2), (bytes.to_vec(), String::new()));
    }
    for (values, bytes, said) in [
        ([-5.0, 0.0, 5.0], [0, 128, 255], "the values -5 to 5 become 0 to 255"),
        ([-1e308, 0.0, 1e308], [0, 128, 255], "the values -1e+308 to 1e+308 become 0 to 255"),
        ([5.0; 3], [128; 3], "all finite values are 5, which becomes 128"),
        (
            [f64::INFINITY, f64::NEG_INFINITY, f64::NAN],
            [255, 0, 0],
            "no value is finite; infinity becomes 255, and all others 0",
        ),
        ([f64::NAN; 3], [0; 3], "no value is finite; infinity becomes 255, and all others 0"),
        ([0.0, 255.0, f64::NEG_INFINITY], [0, 255, 0], "1 value is -inf, and black as the least"),
        ([0.0, 255.0, f64::INFINITY], [0, 255, 255], "1 value is inf, and white as the greatest"),
        (
            [0.0, f64::INFINITY, f64::INFINITY],
            [128, 255, 255],
            "all finite values are 0, which becomes 128\nnote: x.npy: 2 values are inf, and white as the greatest",
        ),
    ] {
        NpyArray::new(values.to_vec(), [3, 1]).unwrap().write_npy(path.join("x.npy")).unwrap();
        let said = format!("note: x.npy: {said}\n");
        assert_eq!((pixels().1, pixels().2), (bytes.to_vec(), said));
    }
    NpyArray::new(vec![0.0, f64::NAN, 1.0], [1, 3]).unwrap().write_npy(path.join("x.npy")).unwrap();
    let said = "note: x.npy: 1 value is NaN, and black as the least\n";
    assert_eq!((pixels().1, pixels().2), (vec![0, 0, 255], said.to_owned()));
    NpyArray::new(vec![-5i64, 0, 5], [3, 1]).unwrap().write_npy(path.join("x.npy")).unwrap();
    let said = "note: x.npy: the values -5 to 5 become 0 to 255\n";
    assert_eq!((pixels().1, pixels().2), (vec![0, 128, 255], said.to_owned()));
    // As floats, these integers are equal, and long doubles are read as floats.
    NpyArray::new(vec![1i64 << 53, (1 << 53) + 1], [1, 2])
        .unwrap()
        .write_npy(path.join("x.npy"))
        .unwrap();
    let said =
        "note: x.npy: as floats of 64 bits, all finite values are 9.0072e+15, which becomes 127\n";
    assert_eq!((pixels().1, pixels().2), (vec![127, 127], said.to_owned()));
    let long = [-5.0, 0.0, 5.0].map(LongDouble::from).to_vec();
    NpyArray::new(long, [1, 3]).unwrap().write_npy(path.join("x.npy")).unwrap();
    let said = "note: x.npy: the values -5 to 5 become 0 to 255\n";
    assert_eq!((pixels().1, pixels().2), (vec![0, 128, 255], said.to_owned()));
    NpyArray::new(vec![0i32, 255], [1, 2]).unwrap().write_npy(path.join("x.npy")).unwrap();
    assert_eq!((pixels().1, pixels().2), (vec![0, 255], String::new()));
    let output = npy(path, &["plot", "x.npy", "-k", "image"]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.ends_with("; --pixels -o OUT.png writes its elements as pixels\n"),
        "{message}"
    );
    NpyArray::new(vec![2.0; 4], [1, 1, 4]).unwrap().write_npy(path.join("x.npy")).unwrap();
    vec![1u8].write_npy(path.join("y.npy")).unwrap();
    NpyArray::new(vec![1u8; 8], [2, 2, 2]).unwrap().write_npy(path.join("stack.npy")).unwrap();
    NpyArray::new(vec![1u8; 6], [2, 3, 1]).unwrap().write_npy(path.join("gray.npy")).unwrap();
    NpyArray::new(vec![1u8; 80], [2, 2, 4, 5]).unwrap().write_npy(path.join("many.npy")).unwrap();
    NpyArray::new(vec![1u8; 60], [2, 2, 5, 3]).unwrap().write_npy(path.join("colors.npy")).unwrap();
    let complex = DynArray::new("<c16".parse().unwrap(), [1, 1], Order::C, vec![0; 16]);
    npy_core::save(path.join("c.npy"), &complex.unwrap()).unwrap();
    for (args, part) in [
        (&["x.npy", "-o", "z.png"][..], "an image of shape (h, w, 4) has bytes"),
        (&["y.npy", "-o", "z.png"], "pixels are numbers of shape (h, w), (h, w, 3) or (h, w, 4)\n"),
        (&["stack.npy", "-o", "z.png"], "its shape is (2, 2, 2), and pixels are numbers"),
        (&["stack.npy", "-o", "z.png"], "; 'stack.npy[0]' is one image\n"),
        (&["many.npy", "-o", "z.png"], "; 'many.npy[0,0]' is one image\n"),
        (&["many.npy[1]", "-o", "z.png"], "; 'many.npy[1,0]' is one image\n"),
        (&["many.npy[:,1:]", "-o", "z.png"], "; 'many.npy[0,1]' is one image\n"),
        (&["colors.npy", "-o", "z.png"], "; 'colors.npy[0]' is one image\n"),
        (&["gray.npy", "-o", "z.png"], "; 'gray.npy[...,0]' is one image\n"),
        (&["c.npy", "-o", "z.png"], "pixels are numbers, and its dtype is <c16\n"),
        (&["x.npy", "-o", "z.svg"], "--pixels writes a PNG file; end its name in .png"),
    ] {
        let output = npy(path, &[&["plot", "--pixels"], args].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && message.contains(part), "{message}");
    }
}

/// Guards that `npy view` may show the images of its pictures, and still runs nothing.
#[test]
fn a_page_shows_images_and_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let image = NpyArray::new(vec![7u8; 60], [4, 5, 3]).unwrap();
    image.write_npy(path.join("x.npy")).unwrap();
    assert!(npy(path, &["view", "x.npy", "-o", "x.html"]).status.success());
    let page = fs::read_to_string(path.join("x.html")).unwrap();
    let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:\"";
    assert!(page.contains(policy) && page.contains("href=\"data:image/png;base64,"), "{page}");
}

/// Guards columns that are not drawn: those that were named are an error, and others are counted.
#[test]
fn columns_that_are_not_drawn_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let said = |args: &[&str]| {
        let output = npy(path, &[&["plot", "x.npy", "-o", "x.svg"], args].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let array = NpyArray::new((0..30).collect::<Vec<i32>>(), [3, 10]).unwrap();
    array.write_npy(path.join("x.npy")).unwrap();
    // A heat map has all of them.
    for args in [&[][..], &["-c", "0,1,2,3,4,5,6,7,8"], &["-c", "9,1"]] {
        assert_eq!(said(args), (Some(0), String::new()), "{args:?}");
    }
    let drawn = "note: x.npy: only 8 of 10 columns are drawn; -c names others\n";
    assert_eq!(said(&["-k", "line"]), (Some(0), drawn.into()));
    let (exit, message) = said(&["-k", "line", "-c", "0,1,2,3,4,5,6,7,8"]);
    assert_eq!(exit, Some(2));
    assert!(message.contains("only 8 of 9 named columns have an axis in common"), "{message}");
    fs::write(path.join("x.csv"), "n,t,s\n1,2024-01-31,a\n2,2024-02-01,b\n").unwrap();
    assert!(npy(path, &["convert", "x.csv", "x.npy"]).status.success());
    assert_eq!(said(&["-c", "t,n"]), (Some(0), String::new()));
    for (args, part) in [
        (
            &["-c", "n,t"][..],
            "only 1 of 2 named columns have an axis in common; name at most 8 columns of numbers, and before them at most one of times\n",
        ),
        (&["-c", "t,n", "-k", "histogram"], "name at most 8 columns of numbers, or one of times\n"),
        (&["-c", "s,t"], "column s has no numbers to draw; leave it out of -c\n"),
    ] {
        let (exit, message) = said(args);
        assert!(exit == Some(2) && message.contains(part), "{message}");
    }
    for args in [["-c", "t"], ["-k", "histogram"]] {
        assert_eq!(said(&args).0, Some(0), "{args:?}");
    }
}

/// Guards values between missing ones, which were lines of no length.
#[test]
fn a_value_between_missing_ones_is_a_dot() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    [1.0, f64::NAN, 2.0, f64::NAN, 3.0, 4.0].write_npy(path.join("x.npy")).unwrap();
    let svg = String::from_utf8(drawn(path, &["-o", "x.svg"])).unwrap();
    assert_eq!(svg.matches("<circle ").count(), 2, "{svg}");
}

/// Guards pictures without a value, which were empty without a word.
#[test]
fn a_picture_without_a_finite_value_has_a_note() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for value in [f64::NAN, f64::INFINITY] {
        npy_core::save(path.join("x.npy"), &[[value; 9]; 9]).unwrap();
        for args in [&["-k", "heatmap"][..], &["-k", "histogram"], &["-k", "line", "-c", "0"]] {
            let message = "note: x.npy: no value is finite, so the picture is empty\n".to_owned();
            assert_eq!(code(path, &[&["plot", "x.npy"], args].concat()), (0, message));
        }
    }
}

/// Guards complex numbers, whose parts looked like columns of a matrix where no legend names them.
#[test]
fn parts_of_complex_numbers_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let note = "a complex number is two columns, re and im";
    let all = "all real and imaginary parts";
    for (columns, args, part) in [
        (15, &[][..], note),
        (15, &["-k", "histogram"], all),
        (15, &["-k", "heatmap", "-c", "0,1"], note),
        (15, &["-k", "heatmap", "-c", "[0].re,1.im"], ""),
        (200, &[], "re and im; a cell is the mean of"),
        (2, &["-k", "heatmap"], note),
        (2, &["-k", "histogram"], "[0].re"),
        (2, &[], "[1].im"),
    ] {
        let bytes = vec![0; 16 * 2 * columns];
        let array = DynArray::new("<c16".parse().unwrap(), [2, columns], Order::C, bytes).unwrap();
        npy_core::save(path.join("x.npy"), &array).unwrap();
        let svg = String::from_utf8(drawn(path, &[&["-o", "x.svg"], args].concat())).unwrap();
        let text = npy(path, &[&["plot", "x.npy"], args].concat()).stdout;
        for text in [svg, String::from_utf8(text).unwrap()] {
            assert!(text.contains(part), "{args:?}: {text}");
            assert_eq!(text.contains(note), part.contains("re and im"), "{args:?}: {text}");
        }
    }
}

/// Guards the times in the heading of a plot in the terminal: a float of nanoseconds has not all of their digits.
#[test]
fn headings_have_the_times_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    for (counts, expected) in [
        (
            [1_577_836_800_000_000_000, 1_717_200_000_123_456_789],
            "value: 2020-01-01T00:00:00 … 2024-06-01T00:00:00.123456789\n",
        ),
        (
            [-i64::MAX, i64::MAX],
            "value: 1677-09-21T00:12:43.145224193 … 2262-04-11T23:47:16.854775807\n",
        ),
    ] {
        let times = counts.map(DateTime64::<time::Ns>::new);
        npy_core::save(folder.path().join("x.npy"), &times).unwrap();
        let drawn = ok(folder.path(), &["plot", "x.npy"]);
        assert!(drawn.starts_with(expected), "{drawn}");
    }
}
