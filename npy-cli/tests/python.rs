//! The Python of messages, and dtypes as NumPy has them. Only `cargo xtask test` turns on the feature `live`.

use std::path::Path;

use crate::support::{code, ok};

fn numpy(directory: &Path, script: &str) -> String {
    let script = format!("import os, sys\nimport numpy as np\nos.chdir(sys.argv[1])\n{script}");
    npy_tests::Numpy::run(&script, &[directory.as_os_str()])
}

/// Guards each line of Python for times: it runs as it is printed, and writes the counts of the field that the message is about.
#[test]
fn the_python_of_a_message_about_times_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    numpy(
        path,
        "
times = np.array(['2020-01-01', '2021-06-01', 'NaT'], 'M8[ms]')
np.save('t.npy', times)
np.save('big.npy', times.astype('>M8[s]'))
a = np.zeros(3, [('t', 'M8[ms]'), ('it\\'s', 'm8[s]'), ('v', 'M8[D]', (2,)), ('h', [('t', 'M8[s]'), ('z', 'f4')]), ('s', [('t', '>M8[s]', (2,))], (2,))])
a['t'] = times
a['it\\'s'] = [1, 2, 3]
a['v'] = [[1, 2], [3, 4], [5, 6]]
a['h']['t'] = times
a['s']['t'] = np.arange(12).reshape(3, 2, 2)
np.save('r.npy', a)
np.savez('z.npz', r=a)
np.savez('two.npz', r=a, t=times)
",
    );
    for (args, values) in [
        (&["t.npy", "--dtype", "i8"][..], "np.load('t.npy')"),
        (&["big.npy", "--dtype", "i8"], "np.load('big.npy')"),
        (&["r.npy", "--dtype", "[('t', 'i8')]"], "np.load('r.npy')['t']"),
        (&["r.npy", "--dtype", "i8", "-c", "t"], "np.load('r.npy')['t']"),
        (&["r.npy[1:]", "--dtype", "i8", "-c", "t"], "np.load('r.npy')['t'][1:]"),
        (&["r.npy", "--dtype", "f8", "-c", "it's"], "np.load('r.npy')['it\\'s']"),
        (&["r.npy", "--dtype", "[('v', 'i8', (2,))]"], "np.load('r.npy')['v']"),
        (&["r.npy", "--dtype", "i8", "-c", "v[1]"], "np.load('r.npy')['v']"),
        (&["r.npy", "--dtype", "i8", "-c", "h.t"], "np.load('r.npy')['h']['t']"),
        (&["r.npy", "--dtype", "[('h', [('t', 'i8')])]"], "np.load('r.npy')['h']['t']"),
        (&["r.npy", "--dtype", "i8", "-c", "s.1.t"], "np.load('r.npy')['s']['t']"),
        (&["r.npy", "--dtype", "[('s', [('t', 'i8', (2,))], (2,))]"], "np.load('r.npy')['s']['t']"),
        (&["z.npz", "--dtype", "i8", "-c", "h.t"], "np.load('z.npz')['r']['h']['t']"),
        (&["two.npz::r", "--dtype", "[('t', 'i8')]"], "np.load('two.npz')['r']['t']"),
    ] {
        let (input, options) = args.split_first().unwrap();
        let args = [&["convert", input, "OUT.npy"], options].concat();
        let (code, message) = code(path, &args);
        let line =
            message.split_once("in Python: ").and_then(|(_, rest)| rest.split_once(" has the"));
        let (line, _) = line.unwrap_or_else(|| panic!("{args:?}: {code}, {message}"));
        let check = format!(
            "
{line}
found, values = np.load('OUT.npy'), {values}
kind = values.dtype.kind + '8[' + np.datetime_data(values.dtype)[0] + ']'
assert np.array_equal(found.astype('i8').view(kind), values.astype(kind), equal_nan=True), (found, values)"
        );
        numpy(path, &check);
    }
}

/// Guards times that are cut off to a coarser unit: NumPy is the judge for each pair of units, in both byte orders, and before 1970.
#[test]
fn times_are_cut_off_as_by_astype() {
    let script = r#"
import itertools, subprocess
day = 86400e18
lengths = {"Y": 366 * day, "M": 31 * day, "W": 7 * day, "D": day, "h": 3600e18, "m": 60e18, "s": 1e18, "ms": 1e15, "us": 1e12, "ns": 1e9, "ps": 1e6, "fs": 1e3, "as": 1}
units = {**lengths, "25s": 25e18, "3M": 93 * day, "7D": 7 * day, "2W": 14 * day, "10ns": 1e10}
some = [0, 1, -1, 59, -59, 1500, -1501, 86399, -86401, 10**9 + 7, -(10**9) - 7, 10**18 + 1, -(10**18) - 1]
count = 0
for kind, (one, length) in itertools.product("Mm", units.items()):
    columns = {}
    for i, other in enumerate(units):
        # Beyond these, NumPy overflows without an error.
        base = min(lengths[unit.lstrip("0123456789")] for unit in (one, other))
        values = [n for n in some if abs(n) * length < 2**62 * min(base, day)]
        try:
            found = np.array([np.iinfo("i8").min, *values, *[0] * (len(some) - len(values))]).view(f"{kind}8[{one}]")
            columns[f"{one} {other}"] = (found.astype(found.dtype.newbyteorder("><"[i % 2])), found.astype(f"{'<>'[i // 2 % 2]}{kind}8[{other}]", casting="unsafe"))
        except OverflowError:
            pass
    if kind == "m":
        columns = {name: pair for name, pair in columns.items() if (one[-1] in "YM") == (name[-1] in "YM")}
    source = np.zeros(len(some) + 1, [(name, found.dtype) for name, (found, _) in columns.items()])
    for name, (found, _) in columns.items():
        source[name] = found
    np.save("x.npy", source)
    dtype = str([(name, expected.dtype.str) for name, (_, expected) in columns.items()])
    subprocess.run(["NPY", "convert", "x.npy", "o.npy", "--dtype", dtype, "--cast", "numeric"], check=True)
    array = np.load("o.npy")
    for name, (found, expected) in columns.items():
        assert array[name].tobytes() == expected.tobytes(), (kind, name, found, expected, array[name])
        count += 1
assert count > 450, count
"#;
    let dir = tempfile::tempdir().unwrap();
    numpy(dir.path(), &script.replace("NPY", env!("CARGO_BIN_EXE_npy")));
}

/// Guards counts and commas of dtypes: those that NumPy reads are read as the same.
#[test]
fn dtypes_with_counts_and_commas_are_those_of_numpy() {
    const DTYPES: [&str; 17] = [
        "3f4",
        "(2,3)f4",
        "(3,)>f4",
        ">3f4",
        "3>f4",
        "=2i2",
        "|3u1",
        ">u4,3f4",
        ">u4, (2, 3)f4",
        "int32,2float64",
        "f4, ?, M8[ns]",
        "2M8[ns]",
        "3 f4",
        "[('n', '>u4'), ('v', '3f4')]",
        "[(('3u1', 'n'), '>u4'), ('3f4', '(2,)f4', (3,))]",
        "[('a', [('b', '2u1')]), ('c', 'u1,f4')]",
        "np.dtype('>u4,3f4')",
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for dtype in DTYPES {
        let value = match dtype.starts_with(['[', 'n']) {
            true => dtype.to_owned(),
            false => format!("'{dtype}'"),
        };
        numpy(
            path,
            &format!(
                "
dtype = np.dtype({value})
data = np.arange(4 * dtype.itemsize, dtype='u1') % 2
data.tofile('x.bin')
np.save('x.npy', np.frombuffer(data.tobytes(), dtype))"
            ),
        );
        ok(path, &["convert", "x.bin", "y.npy", "--raw", dtype]);
        let script = "
x, y = np.load('x.npy'), np.load('y.npy')
assert x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes(), (x.dtype, y.dtype)";
        numpy(path, script);
    }
}
