//! SciPy's sparse matrices, both ways: each side loads the other's files, and the members have the same bytes.

use super::*;
use npy_core::npz::{self, NpzArchive, sparse};

/// Makes a matrix of each format, and of each class.
const MATRICES: &str = r#"
import scipy.sparse as sparse

dense = np.array([[0, 0, 1.5, 0, 0, -2.5], [4, 0, 0, 0, 0, 0], [0, 5, 0, 6, 0, 0], [0, 0, 0, 0, 0, 7]])
FORMATS = ['csr', 'csc', 'coo', 'dia', 'bsr']

def make(format, kind):
    if format == 'bsr':
        return getattr(sparse, f'bsr_{kind}')(dense, blocksize=(2, 3))
    return getattr(sparse, f'{format}_{kind}')(dense)
"#;

/// Reads a file by SciPy, and writes it again under another name.
fn rewrite<T: NpzArchive>(dir: &Path, name: &str) {
    let matrix: T = npz::load(dir.join(format!("{name}.npz"))).unwrap();
    npz::save(dir.join(format!("{name}.ours.npz")), &matrix).unwrap();
}

/// Guards the members: after reading and writing they have the same bytes as SciPy's, and SciPy loads them.
#[test]
fn what_scipy_saves_is_read_and_written() {
    let dir = tempfile::tempdir().unwrap();
    let script = format!(
        "{MATRICES}
for format in FORMATS:
    for kind in ['array', 'matrix']:
        for compressed in [False, True]:
            sparse.save_npz(f'{{format}}_{{kind}}_{{int(compressed)}}', make(format, kind), compressed=compressed)
"
    );
    python(&script, dir.path());
    for kind in ["array_0", "array_1", "matrix_0", "matrix_1"] {
        rewrite::<sparse::Csr<f64>>(dir.path(), &format!("csr_{kind}"));
        rewrite::<sparse::Csc<f64>>(dir.path(), &format!("csc_{kind}"));
        rewrite::<sparse::Coo<f64>>(dir.path(), &format!("coo_{kind}"));
        rewrite::<sparse::Dia<f64>>(dir.path(), &format!("dia_{kind}"));
        rewrite::<sparse::Bsr<f64>>(dir.path(), &format!("bsr_{kind}"));
    }
    let script = format!(
        "{MATRICES}
import zipfile
seen = 0
for format in FORMATS:
    for kind in ['array', 'matrix']:
        for compressed in '01':
            name = f'{{format}}_{{kind}}_{{compressed}}'
            loaded = sparse.load_npz(name + '.ours.npz')
            assert type(loaded) is type(make(format, kind)), type(loaded)
            assert (loaded.toarray() == dense).all(), loaded.toarray()
            theirs, ours = zipfile.ZipFile(name + '.npz'), zipfile.ZipFile(name + '.ours.npz')
            assert theirs.namelist() == ours.namelist(), ours.namelist()
            for member in theirs.namelist():
                assert theirs.read(member) == ours.read(member), (name, member)
            seen += 1
print(seen)
"
    );
    assert_eq!(python(&script, dir.path()).trim(), "20");
}

/// Guards wide indices, values of other dtypes, and matrices made in Rust.
#[test]
fn what_is_made_here_scipy_loads() {
    let dir = tempfile::tempdir().unwrap();
    let wide = sparse::Csr::<Complex<f32>, i64> {
        shape: [2, 1 << 40],
        indptr: vec![0, 1, 2],
        indices: vec![(1 << 40) - 1, 0],
        data: vec![Complex::new(0.5, -1.0), Complex::new(0.0, 2.0)],
        is_array: true,
    };
    npz::save(dir.path().join("wide.npz"), &wide).unwrap();
    let narrow = sparse::Coo::<u8, i64> {
        shape: [3, 2],
        row: vec![2, 2, 0],
        col: vec![1, 1, 0],
        data: vec![3, 4, 5],
        is_array: false,
    };
    npz::save(dir.path().join("narrow.npz"), &narrow).unwrap();
    let empty: sparse::Csc<f64> = sparse::Csc {
        shape: [0, 2],
        indptr: vec![0; 3],
        indices: vec![],
        data: vec![],
        is_array: true,
    };
    npz::save(dir.path().join("empty.npz"), &empty).unwrap();
    let script = "
import scipy.sparse as sparse
wide = sparse.load_npz('wide.npz')
assert wide.dtype == 'c8' and wide.shape == (2, 2**40) and wide.indices.dtype == 'i8', wide
assert wide[0, 2**40 - 1] == 0.5 - 1j and wide[1, 0] == 2j
narrow = sparse.load_npz('narrow.npz')
assert narrow.toarray().tolist() == [[5, 0], [0, 0], [0, 7]] and narrow.dtype == 'u1'
assert isinstance(narrow, sparse.coo_matrix)
assert sparse.load_npz('empty.npz').shape == (0, 2)
sparse.save_npz('wide_again', wide)
sparse.save_npz('deep', sparse.coo_array(np.arange(8).reshape(2, 2, 2)))
sparse.save_npz('flat', sparse.csr_array(np.arange(8)))
";
    python(script, dir.path());
    let load = |name| npz::load::<sparse::Csr<Complex<f32>, i64>>(dir.path().join(name));
    assert_eq!(load("wide_again.npz").unwrap(), wide);
    let error = npz::load::<sparse::Csr<Complex<f32>>>(dir.path().join("wide.npz")).unwrap_err();
    assert!(error.to_string().contains("1099511627775 does not fit into 32 bits"), "{error}");
    let deep = npz::load::<sparse::Coo<i64>>(dir.path().join("deep.npz")).unwrap_err();
    assert!(deep.to_string().contains("[2, 2, 2] is not the shape of a matrix"), "{deep}");
    let deep: sparse::CooArray<i64> = npz::load(dir.path().join("deep.npz")).unwrap();
    assert_eq!((&deep.shape[..], deep.coords.shape()), (&[2, 2, 2][..], &[3, 7][..]));
    assert_eq!(deep.data, [1, 2, 3, 4, 5, 6, 7]);
    let flat = npz::load::<sparse::Csr<i64>>(dir.path().join("flat.npz")).unwrap_err();
    assert!(flat.to_string().contains("[8] is not the shape of a matrix"), "{flat}");
}

/// Guards the type for any format, and arrays of other than two dimensions.
#[test]
fn any_format_is_read_and_written() {
    let dir = tempfile::tempdir().unwrap();
    let script = format!(
        "{MATRICES}
for format in FORMATS:
    sparse.save_npz(format, make(format, 'array'))
deep = np.zeros((2, 3, 4, 1), 'f4')
deep[1, 2, 3, 0], deep[0, 0, 1, 0] = 1.5, -2
sparse.save_npz('coo_deep', sparse.coo_array(deep))
sparse.save_npz('coo_line', sparse.coo_array(np.array([0, 1.5, 0, 2])))
"
    );
    python(&script, dir.path());
    for name in ["csr", "csc", "coo", "dia", "bsr"] {
        rewrite::<sparse::Sparse<f64>>(dir.path(), name);
    }
    rewrite::<sparse::Sparse<f32, i64>>(dir.path(), "coo_deep");
    rewrite::<sparse::Sparse<f64, i64>>(dir.path(), "coo_line");
    let matrix: sparse::Coo<f64> = npz::load(dir.path().join("coo.npz")).unwrap();
    let array: sparse::CooArray<f64> = npz::load(dir.path().join("coo.npz")).unwrap();
    assert_eq!((&array.shape[..], &array.data), (&matrix.shape[..], &matrix.data));
    assert_eq!(array.coords.into_vec(), [&matrix.row[..], &matrix.col].concat());
    rewrite::<sparse::CooArray<f64>>(dir.path(), "coo");
    let script = "
import scipy.sparse as sparse, zipfile
for name in ['csr', 'csc', 'coo', 'dia', 'bsr', 'coo_deep', 'coo_line']:
    theirs, ours = sparse.load_npz(name + '.npz'), sparse.load_npz(name + '.ours.npz')
    assert type(theirs) is type(ours) and theirs.shape == ours.shape, name
    assert (theirs.toarray() == ours.toarray()).all(), name
    if name != 'coo_line':
        theirs, ours = zipfile.ZipFile(name + '.npz'), zipfile.ZipFile(name + '.ours.npz')
        assert theirs.namelist() == ours.namelist(), ours.namelist()
        for member in theirs.namelist():
            assert theirs.read(member) == ours.read(member), (name, member)
";
    python(script, dir.path());
}

/// Guards `csr_array`s of one dimension, which SciPy saves with a shape of one number.
#[test]
fn compressed_vectors_are_read_and_written() {
    let dir = tempfile::tempdir().unwrap();
    let script = "
import scipy.sparse as sparse
sparse.save_npz('some', sparse.csr_array(np.array([0, 1.5, 0, 2])))
sparse.save_npz('none', sparse.csr_array(np.zeros(3)))
sparse.save_npz('empty', sparse.csr_array(np.zeros(0)))
sparse.save_npz('row', sparse.csr_array(np.array([[0, 1.5, 0, 2]])))
";
    python(script, dir.path());
    let some: sparse::CsrVector<f64> = npz::load(dir.path().join("some.npz")).unwrap();
    assert_eq!(
        (some.shape, &some.indices[..], &some.data[..]),
        ([4], &[1, 3][..], &[1.5, 2.0][..])
    );
    let any: sparse::Sparse<f64> = npz::load(dir.path().join("some.npz")).unwrap();
    assert_eq!(any, sparse::Sparse::CsrVector(some));
    for name in ["some", "none", "empty"] {
        rewrite::<sparse::CsrVector<f64>>(dir.path(), name);
        let load = |path| npz::load::<sparse::Csr<f64>>(dir.path().join(path));
        let error = load(format!("{name}.npz")).unwrap_err().to_string();
        assert!(error.contains("is not the shape of a matrix"), "{error}");
    }
    let row = npz::load::<sparse::CsrVector<f64>>(dir.path().join("row.npz")).unwrap_err();
    assert!(row.to_string().contains("[1, 4] is not the shape of a vector"), "{row}");
    let script = "
import scipy.sparse as sparse, zipfile
for name in ['some', 'none', 'empty']:
    theirs, ours = sparse.load_npz(name + '.npz'), sparse.load_npz(name + '.ours.npz')
    assert type(theirs) is type(ours) and theirs.shape == ours.shape, name
    assert (theirs.toarray() == ours.toarray()).all(), name
    theirs, ours = zipfile.ZipFile(name + '.npz'), zipfile.ZipFile(name + '.ours.npz')
    assert theirs.namelist() == ours.namelist(), ours.namelist()
    for member in theirs.namelist():
        assert theirs.read(member) == ours.read(member), (name, member)
";
    python(script, dir.path());
}
