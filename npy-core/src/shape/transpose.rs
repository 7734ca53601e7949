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
        _ => each_tile(shape, from, LINE.div_ceil(size.max(1)), &mut |tile| {
            for run in 0..tile.runs {
                let start = checked::mul(tile.target(run), size);
                let bytes = checked::mul(tile.count, size);
                let items = checked::slice_mut(target, start..checked::add(start, bytes));
                for (n, item) in items.chunks_exact_mut(size.max(1)).enumerate() {
                    let at = checked::add(tile.source(run), checked::mul(n, tile.stride));
                    item.copy_from_slice(checked::part(source, at, size));
                }
            }
        }),
    }
}

/// Like [`transpose`], for elements of `N` bytes.
fn fixed<const N: usize>(source: &[u8], target: &mut [u8], shape: &[usize], from: Order) {
    let (source, _) = source.as_chunks::<N>();
    let (target, _) = target.as_chunks_mut::<N>();
    each_tile(shape, from, LINE.div_ceil(N), &mut |tile| {
        for run in 0..tile.runs {
            let start = tile.target(run);
            let items = checked::slice_mut(target, start..checked::add(start, tile.count));
            let found = checked::tail(source, tile.source(run)).iter().step_by(tile.stride);
            for (item, found) in items.iter_mut().zip(found) {
                *item = *found;
            }
        }
    });
}

/// A tile of runs. The elements of a run are contiguous in the target; its runs follow one another in the source.
struct Tile {
    source: usize,
    target: usize,
    runs: usize,
    /// The number of elements in a run.
    count: usize,
    /// The distance of the elements of a run in the source.
    stride: usize,
    /// The distance of the runs in the target.
    target_stride: usize,
}

impl Tile {
    /// Returns the position of a run in the source.
    fn source(&self, run: usize) -> usize {
        checked::add(self.source, run)
    }

    /// Returns the position of a run in the target.
    fn target(&self, run: usize) -> usize {
        checked::add(self.target, checked::mul(run, self.target_stride))
    }
}

/// Calls `copy` for tiles of up to `edge` times `edge` elements that together are the whole array. This is compiled once, for all sizes.
fn each_tile(shape: &[usize], from: Order, edge: usize, copy: &mut dyn FnMut(Tile)) {
    let mut dimensions = dimensions(shape, from);
    // The one that is contiguous in the source, and the one that is contiguous in the target.
    let (Some(last), Some(first)) = (dimensions.pop(), dimensions.first().copied()) else { return };
    let between = checked::tail(&dimensions, 1);
    let sources = positions(between, |dimension| dimension.from);
    let targets = positions(between, |dimension| dimension.to);
    for (source, target) in sources.zip(targets) {
        for i in (0..first.len).step_by(edge) {
            for k in (0..last.len).step_by(edge) {
                copy(Tile {
                    source: checked::add(source, checked::add(i, checked::mul(k, last.from))),
                    target: checked::add(target, checked::add(checked::mul(i, first.to), k)),
                    runs: edge.min(checked::sub(first.len, i)),
                    count: edge.min(checked::sub(last.len, k)),
                    stride: last.from,
                    target_stride: first.to,
                });
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
