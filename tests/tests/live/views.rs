//! Arrays viewed in NumPy's files without a copy.

use super::*;
use npy_core::{Be, Le, NpyView, NpyViewMut, ZeroCopy};

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[npy(align)]
#[repr(C)]
struct Sample {
    flag: u8,
    value: f64,
    axes: [[i16; 3]; 2],
}

#[derive(NpyRecord, ZeroCopy, Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Pick {
    station: u8,
    time: Be<f64>,
    count: Le<u32>,
}

/// Guards the layouts: `repr(C)` matches `align=True`, and a stated byte order is the same in memory as in NumPy.
#[test]
fn what_numpy_saves_is_viewed_and_what_is_changed_it_loads() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
axes = [[1, 2, 3], [4, 5, -6]]
np.save('aligned', make(np.dtype([('flag', 'u1'), ('value', '=f8'), ('axes', '=i2', (2, 3))], align=True), [(7, 1.5, axes), (8, -0.5, axes)]))
np.save('ordered', make([('station', 'u1'), ('time', '>f8'), ('count', '<u4')], [(1, 0.25, 2**32 - 1), (2, 1e300, 3)]))
np.save('fortran', np.arange(6, dtype='>i2').reshape(2, 3, order='F'))
"#;
    python(script, dir.path());
    // The buffer starts at a multiple of 64, so that the data is aligned for any type.
    let load = |name: &str| {
        let file = std::fs::read(dir.path().join(name)).unwrap();
        let mut buffer = vec![0; file.len() + 64];
        let start = 64 - buffer.as_ptr().addr() % 64;
        buffer[start..start + file.len()].copy_from_slice(&file);
        (buffer, start)
    };
    let (buffer, start) = load("aligned.npy");
    let axes = [[1, 2, 3], [4, 5, -6]];
    let samples = [Sample { flag: 7, value: 1.5, axes }, Sample { flag: 8, value: -0.5, axes }];
    assert_eq!(*NpyView::<Sample>::from_bytes(&buffer[start..]).unwrap(), samples);

    let (buffer, start) = load("fortran.npy");
    let view = NpyView::<Be<i16>>::from_bytes(&buffer[start..]).unwrap();
    assert_eq!((view.shape(), view.order()), (&[2, 3][..], Order::Fortran));
    assert_eq!(view.at(&[1, 2]).map(|n| n.get()), Some(5));

    let mut file = std::fs::read(dir.path().join("ordered.npy")).unwrap();
    let mut picks = NpyViewMut::<Pick>::from_bytes(&mut file).unwrap();
    assert_eq!(picks[0], Pick { station: 1, time: Be::new(0.25), count: Le::new(u32::MAX) });
    picks[1].time = Be::new(-2.0);
    picks[1].count = Le::new(picks[1].count.get() + 0x0102);
    std::fs::write(dir.path().join("ordered.npy"), file).unwrap();
    let script = r#"
a = np.load('ordered.npy')
assert a.tolist() == [(1, 0.25, 2**32 - 1), (2, -2.0, 3 + 0x0102)], a
"#;
    python(script, dir.path());
}
