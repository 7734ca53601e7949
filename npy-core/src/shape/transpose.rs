//! Moves the bytes of an array from C order to Fortran order, or back.

use super::{Axis, Order, Positions};
use crate::checked;

/// The bytes of a cache line. A tile is as wide as one line, so every line is read and written once while it is in the cache.
const LINE: usize = 64;

/// A dimension, with the distances between its elements, counted in elements.
#[derive(Clone, Copy)]
struct Dimension {
    len: usize,
    from: usize,
    to: usize,
}

/// Copies an array of this shape, whose elements of `size` bytes are in the order `from`, to `target` in the other order.
///
/// The two orders must differ ([`Order::normalized`]), and both slices must have the bytes of the array.
pub(crate) fn transpose(
    source: &[u8],
    target: &mut [u8],
    size: usize,
    shape: &[usize],
    from: Order,
) {
    match size {
        1 => fixed::<1>(source, target, shape, from),
        2 => fixed::<2>(source, target, shape, from),
        4 => fixed::<4>(source, target, shape, from),
        8 => fixed::<8>(source, target, shape, from),
        16 => fixed::<16>(source, target, shape, from),
        _ => each_run(shape, from, LINE.div_ceil(size.max(1)), |run| {
            let start = checked::mul(run.target, size);
            let bytes = checked::mul(run.count, size);
            let items = checked::slice_mut(target, start..checked::add(start, bytes));
            for (n, item) in items.chunks_exact_mut(size.max(1)).enumerate() {
                let at = checked::add(run.source, checked::mul(n, run.stride));
                let start = checked::mul(at, size);
                let found = checked::slice(source, start..checked::add(start, size));
                if found.len() == item.len() {
                    item.copy_from_slice(found);
                }
            }
        }),
    }
}

/// Like [`transpose`], for elements of `N` bytes.
fn fixed<const N: usize>(source: &[u8], target: &mut [u8], shape: &[usize], from: Order) {
    let (source, _) = source.as_chunks::<N>();
    let (target, _) = target.as_chunks_mut::<N>();
    each_run(shape, from, LINE.div_ceil(N), |run| {
        let end = checked::add(run.target, run.count);
        let items = checked::slice_mut(target, run.target..end);
        let found = checked::tail(source, run.source).iter().step_by(run.stride);
        for (item, found) in items.iter_mut().zip(found) {
            *item = *found;
        }
    });
}

/// Elements that are contiguous in the target, and `stride` elements apart in the source.
struct Run {
    source: usize,
    stride: usize,
    target: usize,
    count: usize,
}

/// Calls `copy` for runs that together are the whole array. The runs of a tile of `edge` times `edge` elements follow one another.
fn each_run(shape: &[usize], from: Order, edge: usize, mut copy: impl FnMut(Run)) {
    let mut dimensions = dimensions(shape, from);
    // The one that is contiguous in the source, and the one that is contiguous in the target.
    let (Some(last), Some(first)) = (dimensions.pop(), dimensions.first().copied()) else { return };
    let between = checked::tail(&dimensions, 1);
    let sources = positions(between, |dimension| dimension.from);
    let targets = positions(between, |dimension| dimension.to);
    for (source, target) in sources.zip(targets) {
        for i in (0..first.len).step_by(edge) {
            for k in (0..last.len).step_by(edge) {
                let count = edge.min(checked::sub(last.len, k));
                for i in i..first.len.min(checked::add(i, edge)) {
                    copy(Run {
                        source: checked::add(source, checked::add(i, checked::mul(k, last.from))),
                        stride: last.from,
                        target: checked::add(target, checked::add(checked::mul(i, first.to), k)),
                        count,
                    });
                }
            }
        }
    }
}

/// Returns the dimensions of more than one element, beginning with the one that is contiguous in the source.
fn dimensions(shape: &[usize], from: Order) -> Vec<Dimension> {
    let mut dimensions: Vec<Dimension> =
        shape.iter().map(|&len| Dimension { len, from: 0, to: 0 }).collect();
    if from == Order::C {
        dimensions.reverse();
    }
    let stride = |stride: &mut usize, len: usize| {
        let next = checked::mul(*stride, len);
        std::mem::replace(stride, next)
    };
    let (mut from, mut to) = (1, 1);
    dimensions.iter_mut().for_each(|it| it.from = stride(&mut from, it.len));
    dimensions.iter_mut().rev().for_each(|it| it.to = stride(&mut to, it.len));
    dimensions.retain(|dimension| dimension.len > 1);
    dimensions
}

/// Iterates over all indices of these dimensions, and returns the position of each.
fn positions(dimensions: &[Dimension], stride: impl Fn(&Dimension) -> usize) -> Positions {
    let axes = dimensions.iter().map(|it| Axis { index: 0, len: it.len, stride: stride(it) });
    Positions::new(axes.collect())
}

#[cfg(test)]
mod tests {
    use super::super::reordered;
    use super::*;

    /// Guards all sizes of elements, tiles that are not full, and dimensions between the first and the last.
    #[test]
    fn tiles_are_what_single_elements_are() {
        let shapes: [&[usize]; 8] = [
            &[2, 3],
            &[65, 33],
            &[130, 1, 3],
            &[3, 130],
            &[2, 3, 4, 5],
            &[17, 2, 1, 19],
            &[1, 5, 1, 7, 1],
            &[2; 7],
        ];
        for shape in shapes {
            let count: usize = shape.iter().product();
            for size in [1, 2, 3, 4, 8, 12, 16, 100] {
                let source: Vec<u8> = (0..251).cycle().take(count * size).collect();
                for (from, to) in [(Order::C, Order::Fortran), (Order::Fortran, Order::C)] {
                    let mut target = vec![0; source.len()];
                    transpose(&source, &mut target, size, shape, from);
                    let expected: Vec<u8> = reordered(shape, from, to)
                        .flat_map(|at| &source[at * size..(at + 1) * size])
                        .copied()
                        .collect();
                    assert!(target == expected, "{shape:?} of {size} bytes from {from:?}");
                }
            }
        }
    }
}
