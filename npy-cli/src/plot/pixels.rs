//! The pixels of an image as a PNG file: one for each element, without axes.

use std::iter;

use npy_core::dtype::ScalarKind;
use npy_core::{ByteOrder, DynArray};
use png::{BitDepth, ColorType, Encoder};

use super::read::kind;
use super::{axis, range, widened};
use crate::commands::info::python_tuple;
use crate::ml_dtype::RawNumbers;
use crate::output::{Failure, Of, Result, note};
use crate::shell;
use crate::source::{self, Source};
use crate::target::{Index, Target};
use crate::text::{Cell, short_number};

/// Returns an array of shape (h, w), (h, w, 3) or (h, w, 4) as a PNG file of w × h pixels: gray, RGB or RGBA.
pub(crate) fn png(target: &Target, void: &RawNumbers) -> Result<Vec<u8>> {
    let reader = source::open(target)?.into_array(target)?;
    source::tell_of_rest(&reader, target);
    let mut source = Source::of(reader.numbers_of(void, target)?, target)?;
    let (height, width, color) = match source.header().shape()[..] {
        [height, width] => (height, width, ColorType::Grayscale),
        [height, width, 3] => (height, width, ColorType::Rgb),
        [height, width, 4] => (height, width, ColorType::Rgba),
        ref shape => return Err(not_pixels(target, shape)),
    };
    let size = |length: usize| u32::try_from(length).ok().filter(|&length| length > 0);
    let (Some(width), Some(height)) = (size(width), size(height)) else {
        return Err(Failure::new(target, format!("a picture has no {width} × {height} pixels")));
    };
    let array = source.read_all()?;
    let (depth, samples) = match kind(array.dtype()) {
        Some(ScalarKind::UInt) if array.dtype().itemsize() == 1 => {
            (BitDepth::Eight, array.into_bytes())
        }
        Some(ScalarKind::UInt) if array.dtype().itemsize() == 2 => {
            (BitDepth::Sixteen, array.into_byte_order(ByteOrder::Big).of(target)?.into_bytes())
        }
        Some(ScalarKind::Bool | ScalarKind::Int | ScalarKind::UInt | ScalarKind::Float) => {
            (BitDepth::Eight, scaled(&array, color == ColorType::Rgba, target)?)
        }
        _ => {
            let message = format!("pixels are numbers, and its dtype is {}", array.dtype());
            return Err(Failure::new(target, message));
        }
    };
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&samples)?;
        writer.finish()
    });
    written.map_err(|error| Failure::new(target, error))?;
    Ok(file)
}

/// Returns numbers as bytes: those from 0 to 1 from black to white, and others from the least to the greatest. A remark says that NaN is black, and infinity black or white.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
fn scaled(array: &DynArray, has_opacity: bool, target: &Target) -> Result<Vec<u8>> {
    let cell = Cell::new(array.dtype());
    let items = array.as_bytes().chunks_exact(cell.size());
    let values: Vec<f64> = items.clone().map(|item| cell.float(item)).collect();
    let found = range(values.iter().copied());
    let is_part = |value: &f64| value.is_nan() || (0.0..=1.0).contains(value);
    let is_from_0_to_1 = match kind(array.dtype()) {
        Some(ScalarKind::Bool) => true,
        Some(ScalarKind::Float) => values.iter().all(is_part),
        _ => false,
    };
    let shown = if is_from_0_to_1 { (0.0, 1.0) } else { widened(found) };
    let byte = |value: f64| (axis::part(value, shown) * 255.0).round().clamp(0.0, 255.0) as u8;
    if !is_from_0_to_1 && has_opacity {
        let message = "an image of shape (h, w, 4) has bytes, u2, booleans, or floats from 0 to 1";
        return Err(Failure::new(target, message));
    }
    if found.is_none() || !is_from_0_to_1 && found != Some((0.0, 255.0)) {
        // Integers and long doubles that differ may become one float.
        let mut finite = items.zip(&values).filter(|(_, value)| value.is_finite());
        let first = finite.next().map(|(item, _)| item);
        let are_equal = finite.all(|(item, _)| Some(item) == first);
        note(target, scale(found, are_equal, byte));
    }
    let special = [
        (f64::NAN, "NaN, and black as the least"),
        (f64::NEG_INFINITY, "-inf, and black as the least"),
        (f64::INFINITY, "inf, and white as the greatest"),
    ];
    for (of, shade) in special {
        let is_special = |value: f64| value == of || value.is_nan() && of.is_nan();
        let count = values.iter().filter(|&&value| is_special(value)).count();
        if count > 0 && found.is_some() {
            let verb = if count == 1 { "value is" } else { "values are" };
            note(target, format!("{count} {verb} {shade}"));
        }
    }
    Ok(values.into_iter().map(byte).collect())
}

/// Says which values become which bytes, of the least and the greatest finite value.
fn scale(range: Option<(f64, f64)>, are_equal: bool, byte: impl Fn(f64) -> u8) -> String {
    match range {
        None => "no value is finite; infinity becomes 255, and all others 0".to_owned(),
        Some((low, high)) if low == high => {
            let start = if are_equal { "all" } else { "as floats of 64 bits, all" };
            let value = short_number(low);
            format!("{start} finite values are {value}, which becomes {}", byte(low))
        }
        Some((low, high)) => {
            format!("the values {} to {} become 0 to 255", short_number(low), short_number(high))
        }
    }
}

/// Returns the error for an array of another shape, with a slice that is one image of several.
fn not_pixels(target: &Target, shape: &[usize]) -> Failure {
    let message = format!(
        "its shape is {}, and pixels are numbers of shape (h, w), (h, w, 3) or (h, w, 4)",
        python_tuple(shape)
    );
    let failure = Failure::new(target, message);
    let part = match *shape {
        // One channel of an image.
        [_, _, 1] if target.slice.is_none() => {
            let slice = Some(vec![Index::Ellipsis, Index::At(0)]);
            Some(Target { slice, ..target.clone() })
        }
        [.., 1] => None,
        [.., 3 | 4] if shape.len() > 3 => first_of(target, shape.len() - 3),
        [.., _, _] if shape.len() > 2 => first_of(target, shape.len() - 2),
        _ => None,
    };
    match part {
        Some(part) => failure.with(&format!("; {} is one image", shell::target(&part))),
        _ => failure,
    }
}

/// Returns the part of an array at the first index of its first dimensions.
fn first_of(target: &Target, mut count: usize) -> Option<Target> {
    let mut slice = target.slice.clone().unwrap_or_default();
    for index in &mut slice {
        match *index {
            // The dimensions that it has are not known here.
            Index::Ellipsis => return None,
            Index::Range { start, step, .. } if count > 0 => {
                *index = Index::At(start.unwrap_or(if step < 0 { -1 } else { 0 }));
                count -= 1;
            }
            Index::At(_) | Index::Range { .. } => {}
        }
    }
    slice.extend(iter::repeat_n(Index::At(0), count));
    Some(Target { slice: Some(slice), ..target.clone() })
}
