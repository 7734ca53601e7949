//! A random file, and its elements in the order of the file and in C order.

use std::fmt;
use std::ops::Range;

use npy_core::Order;
use npy_tests::fuzz::Random;

use super::item::{Form, Item};

/// An array, the bytes of its file, and what they mean.
pub(crate) struct File<T> {
    pub(crate) shape: Vec<usize>,
    pub(crate) order: Order,
    form: Form,
    /// The elements in the order of the file.
    pub(crate) stored: Vec<T>,
    /// The elements in C order.
    pub(crate) logical: Vec<T>,
    /// The index, in `stored` and in `logical`, of an element whose bytes are not a value.
    pub(crate) invalid: Option<(usize, usize)>,
    pub(crate) bytes: Vec<u8>,
}

impl<T> fmt::Debug for File<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let File { shape, order, form, invalid, bytes, .. } = self;
        let name = std::any::type_name::<T>();
        write!(
            f,
            "{name} {form:?} {shape:?} {order:?}, invalid: {invalid:?}, {} bytes",
            bytes.len()
        )
    }
}

fn shape(random: &mut Random, most: usize) -> Vec<usize> {
    let dims = [0, 1, 2, 2, 3, 3, 3, 4, 7, 20, most.min(700), most];
    loop {
        let mut shape: Vec<usize> =
            (0..random.below(5)).map(|_| dims[random.below(dims.len())]).collect();
        // Zeros are common enough among short shapes.
        if shape.contains(&0) && random.below(3) > 0 {
            shape.iter_mut().for_each(|n| *n = (*n).max(1));
        }
        // Also the number of elements of no bytes has a limit.
        if shape.iter().map(|&n| n.max(1)).product::<usize>() <= most {
            return shape;
        }
    }
}

/// Returns the index in the file of each element, the elements in C order: by counting, as the library does it by strides.
fn positions(shape: &[usize], order: Order) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    let mut positions = Vec::new();
    for _ in 0..shape.iter().product() {
        let mut at = 0;
        match order {
            Order::C => index.iter().zip(shape).for_each(|(&i, &n)| at = at * n + i),
            Order::Fortran => index.iter().zip(shape).rev().for_each(|(&i, &n)| at = at * n + i),
        }
        positions.push(at);
        for (i, &n) in index.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < n {
                break;
            }
            *i = 0;
        }
    }
    positions
}

impl<T: Item> File<T> {
    /// Makes a file of at most this many elements.
    pub(crate) fn random(random: &mut Random, most: usize) -> Self {
        let shape = shape(random, most);
        let order = if random.below(2) == 0 { Order::C } else { Order::Fortran };
        let form = [Form::Little, Form::Big, Form::Moved][random.below(3)];
        let count = shape.iter().product();
        let logical: Vec<T> = (0..count).map(T::nth).collect();
        let mut stored = logical.clone();
        let positions = positions(&shape, order);
        for (item, &at) in logical.iter().zip(&positions) {
            stored[at] = item.clone();
        }
        let dims: String = shape.iter().map(|n| format!("{n}, ")).collect();
        let fortran = if order == Order::Fortran { "True" } else { "False" };
        let mut text = format!(
            "{{'descr': {}, 'fortran_order': {fortran}, 'shape': ({}), }}",
            T::descr(form),
            if shape.len() == 1 { &dims } else { dims.trim_end_matches(", ") }
        );
        while !(text.len() + 11).is_multiple_of(64) {
            text.push(' ');
        }
        text.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
        bytes.extend(text.as_bytes());
        let header_bytes = bytes.len();
        stored.iter().for_each(|item| item.store(form, &mut bytes));
        let mut item = Vec::new();
        T::nth(0).store(form, &mut item);
        let itemsize = item.len();
        let invalid = T::invalid().filter(|_| count > 0 && random.below(4) == 0).map(|value| {
            let index = random.below(count);
            let start = header_bytes + positions[index] * itemsize;
            bytes[start..start + itemsize].copy_from_slice(&value);
            (positions[index], index)
        });
        File { shape, order, form, stored, logical, invalid, bytes }
    }

    /// Makes it an array of one dimension, in the order of the file.
    pub(crate) fn flatten(&mut self) {
        (self.shape, self.order) = (vec![self.stored.len()], Order::C);
        self.logical.clone_from(&self.stored);
        self.invalid = self.invalid.map(|(at, _)| (at, at));
    }

    /// Returns the bytes of these elements in C order.
    pub(crate) fn logical_bytes(&self, range: Range<usize>) -> Vec<u8> {
        let mut out = Vec::new();
        for index in range {
            match T::invalid() {
                Some(bytes) if self.invalid.is_some_and(|(_, at)| at == index) => out.extend(bytes),
                _ => self.logical[index].store(self.form, &mut out),
            }
        }
        out
    }
}
