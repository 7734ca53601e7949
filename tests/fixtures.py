"""Writes the files of tests/golden: small arrays by NumPy, the same bytes each time.

cargo xtask fixtures            # with the NumPy of tests/requirements.txt
python tests/fixtures.py FOLDER
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

OUT = Path(sys.argv[1])

# "Stored array in format 2.0": the warning is expected, as some files have that version on purpose.
warnings.simplefilter("ignore", UserWarning)


def save(name, array, version=None):
    """With `version` None, NumPy chooses the version."""
    path = OUT / f"{name}.npy"
    assert not path.exists(), f"{name} is taken"
    with open(path, "wb") as file:
        npy.write_array(file, array, version=version, allow_pickle=False)


def save_bytes(name, descr, count, data):
    """Saves an array of a dtype that this NumPy cannot make by itself."""
    path = OUT / f"{name}.npy"
    assert not path.exists(), f"{name} is taken"
    with open(path, "wb") as file:
        npy.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": (count,)})
        file.write(data)


def make(dtype, rows):
    """Items in zeroed memory: assigned field by field, padding stays zero."""
    array = np.zeros(len(rows), dtype)
    for i, row in enumerate(rows):
        array[i] = row
    return array


def both(name, dtype, rows):
    """The same values in both byte orders."""
    little = make(np.dtype(dtype).newbyteorder("<"), rows)
    big = make(little.dtype.newbyteorder(">"), rows)
    save(f"{name}_le", little)
    save(f"{name}_be", big)


def scalars():
    save("bool", make("?", [True, False, True]))
    save("i1", make("i1", [-128, -1, 0, 127]))
    save("u1", make("u1", [0, 1, 128, 255]))
    for size in (2, 4, 8):
        bits = 8 * size
        top = 2 ** (bits - 1)
        both(f"i{size}", f"i{size}", [-top, -1, 0, 1, top - 1])
        both(f"u{size}", f"u{size}", [0, 1, 2 * top - 1])
        both(f"f{size}", f"f{size}", [0.0, -0.0, 1.5, -2.25, np.inf, -np.inf])
    both("c8", "c8", [0, 1.5 - 2.25j, complex(np.inf, -0.0)])
    both("c16", "c16", [0, 1.5 - 2.25j, complex(np.inf, -0.0)])
    long_doubles()
    ml_dtypes()


def long_doubles():
    """x87's 10 bytes in a slot of 16; the other 6 are arbitrary, here zeros."""
    one_and_a_half = bytes.fromhex("00000000000000c0ff3f") + bytes(6)
    minus_two = bytes.fromhex("000000000000008000c0") + bytes(6)
    for dtype, swap in (("<f16", slice(None)), (">f16", slice(None, None, -1))):
        order = "le" if dtype[0] == "<" else "be"
        items = [bytes(16), one_and_a_half, minus_two]
        data = b"".join(item[swap] for item in items)
        save(f"f16_{order}", np.frombuffer(data, dtype))
        save(f"c32_{order}", np.frombuffer(data[16:], dtype.replace("f16", "c32")))
        # As 32-bit machines save them.
        short = b"".join(item[:12][swap] for item in items)
        save_bytes(f"f12_{order}", dtype.replace("16", "12"), 3, short)


def ml_dtypes():
    """As np.save writes arrays of ml_dtypes: 1.0, -2.5 and infinity of bfloat16; 1.0 and -2.0 of float8_e4m3fn."""
    save_bytes("bfloat16", "<V2", 3, bytes.fromhex("803f20c0807f"))
    save_bytes("float8", "<V1", 2, bytes.fromhex("38c0"))


def times():
    days = ["1970-01-01", "2024-02-29", "NaT", "1583-01-01"]
    both("M8_D", "M8[D]", days)
    both("M8_ns", "M8[ns]", ["1970-01-01T00:00:00.000000001", "NaT", "2262-04-11T23:47:16.854775807"])
    both("M8_25s", "M8[25s]", np.array([0, -1, 2**40], "M8[25s]"))
    both("m8_ms", "m8[ms]", [0, -1, "NaT", 2**53])
    both("m8_7D", "m8[7D]", [0, -1, 1])
    save("M8_generic", make("<M8", ["NaT", "NaT"]))
    save("m8_generic", make("<m8", [1, "NaT"]))
    # `make` would swap their bytes.
    for kind in "Mm":
        save(f"{kind}8_generic_be", np.array([1, -(2**63)], ">i8").view(f">{kind}8"))
    for unit in "YMWhmsa":
        unit = {"a": "as"}.get(unit, unit)
        save(f"m8_unit_{'month' if unit == 'M' else unit}", make(f"<m8[{unit}]", [1, -1]))
    for unit in ("us", "ps", "fs"):
        save(f"m8_unit_{unit}", make(f"<m8[{unit}]", [1, -1]))


def text_and_bytes():
    save("S5", make("S5", [b"", b"a", b"hello", b"a\0b", b"\xff\x80"]))
    save("S0", np.zeros(3, [("x", "S0")])["x"])
    both("U4", "U4", ["", "a", "a\0b", "\u00e9\u6574\U0001f600z"])
    save("U0", np.zeros(2, [("x", "<U0")])["x"])
    save("record_S0", make([("s", "S0"), ("n", "u1"), ("u", "<U0")], [(b"", 1, ""), (b"", 2, "")]))
    save("V3", np.frombuffer(b"\0\x01\x02\xff\xfe\xfd", "V3"))
    both("U_surrogate", "U3", ["a", "b\ud800"])
    save("text_list", np.array(["naïve", "", "a\0b", "\U0001f600"]))
    save("text_list_empty", np.array([], str))
    save("text_list_of_empty", np.array(["", ""]))
    save("text_list_big", np.array(["naïve", ""]).astype(">U5"))
    save("text_list_matrix", np.asfortranarray([["a", "bc"], ["def", ""], ["é", "整"]]))
    save("text_single", np.array("é整"))
    save("bytes_list", np.array([b"ab", b"", b"a\0b", b"\xff\x80"]))
    save("bytes_list_empty", np.array([], bytes))
    save("bytes_list_of_empty", np.array([b"", b""]))


def shapes():
    c = np.arange(24, dtype="<i4").reshape(2, 3, 4)
    save("order_C", c)
    save("order_F", np.asfortranarray(c))
    save("order_F_be", np.asfortranarray(c.astype(">i4")))
    save("order_F_record", np.asfortranarray(make([("x", "<i2"), ("y", "u1")], [(i, i) for i in range(6)]).reshape(2, 3)))
    save("order_of_one_column", np.asfortranarray(c[:1, :1]))
    save("shape_0d", np.array(1.5, "<f8"))
    save("shape_0d_record", make([("x", "<i4"), ("y", "<f8")], [(7, 1.5)]).reshape(()))
    save("shape_empty", np.zeros(0, "<f4"))
    save("shape_empty_rank_3", np.zeros((2, 0, 3), "<f4"))
    save("shape_empty_record", np.zeros(0, [("x", "<i4")]))
    save("shape_rank_64", np.ones((1,) * 63 + (2,), "u1"))


def records():
    flat = [("station", "u4"), ("t0", "i8"), ("gain", "f4"), ("ok", "?"), ("code", "S4")]
    both("record", flat, [(7, -1, 1.5, True, b"HHZ"), (2**32 - 1, 2**62, -0.0, False, b"")])
    save("record_mixed_order", make([("a", "<i4"), ("b", ">i4"), ("c", "<f8"), ("d", ">u2")], [(1, 1, 1.5, 1)]))
    save("record_no_fields", np.zeros(2, []))
    save("record_one_field", make([("x", "<f8")], [(1.5,), (2.5,)]))

    aligned = np.dtype([("a", "u1"), ("b", "<i4"), ("c", "<i2"), ("d", "<f8")], align=True)
    save("aligned", make(aligned, [(1, -2, 3, 4.5), (255, 2**31 - 1, -1, -0.0)]))
    tail = np.dtype([("a", "<f8"), ("b", "u1")], align=True)
    save("aligned_tail", make(tail, [(1.5, 2), (2.5, 3)]))
    holes = {"names": ["a", "b"], "formats": ["<i2", "<i4"], "offsets": [4, 10], "itemsize": 20}
    save("padded_all_round", make(holes, [(1, 2), (-1, -2)]))

    inner = [("x", "<i2"), ("y", "<f4")]
    save("nested", make([("id", "u1"), ("pos", inner)], [(1, (2, 3.5)), (4, (5, 6.5))]))
    deep = [("a", [("b", [("c", [("d", "<i2"), ("e", ">i4")]), ("f", "u1")])])]
    save("nested_deep", make(deep, [((((1, 2), 3),),)]))
    outer = np.dtype([("flag", "u1"), ("pair", aligned), ("last", "<i2")], align=True)
    save("nested_aligned", make(outer, [(1, (2, 3, 4, 5.5), 6)]))

    both("sub_array", [("id", "u2"), ("samples", "f4", (4,))], [(1, [1, 2, 3, 4.5]), (2, [0, -1, 0, 0])])
    save("sub_array_matrix", make([("m", "<i2", (2, 3))], [(np.arange(6).reshape(2, 3),)]))
    save("sub_array_nested", make([("m", np.dtype((("<i2", (3,)), (2,))))], [(np.arange(6).reshape(2, 3),)]))
    save("sub_array_of_one", make([("m", "<i2", (1,))], [([5],)]))
    save("sub_array_empty", make([("id", "u1"), ("m", "<i2", (0, 3))], [(1, np.zeros((0, 3)))]))
    save("sub_array_text", make([("s", "S3", (2,)), ("u", "<U2", (2,))], [([b"ab", b"c"], ["d\u00e9", "\u6574"])]))
    records_of_records()

    small = [("h", "f2"), ("z", "c8"), ("w", "c16"), ("u", "U3"), ("v", "V2"), ("at", "M8"), ("took", "m8[25s]")]
    both("record_dtypes", small, [(1.5, 1 - 2j, 0.5j, "é整", b"\x01\x00", "NaT", 4), (-2.0, 0, 1e300, "", b"", "NaT", -1)])

    times_inside = [("at", "<M8[ms]"), ("took", "<m8[25us]")]
    save("record_times", make(times_inside, [("2024-02-29T12:00:00.001", 3), ("NaT", "NaT")]))


def records_of_records():
    """Arrays of records of arrays of records."""
    pick = np.dtype([("phase", "S2"), ("at", "<f8"), ("weights", "<f4", (3,))])
    event = np.dtype([("id", "<u4"), ("picks", pick, (2,)), ("cov", ("<f8", (2, 2)))])
    array = np.zeros((2, 2), event)
    array["id"] = [[1, 2], [3, 4]]
    array["picks"]["phase"] = [b"P", b"Sg"]
    array["picks"]["at"] = [0.5, 1.25]
    array["picks"]["weights"] = np.arange(3)
    array["cov"] = np.eye(2)
    save("records_of_records", array)


def names():
    save("titles", make([(("the gain", "gain"), "<f4"), ("id", "u1")], [(1.5, 2)]))
    save("title_only_in_one", make([("id", "u1"), (("Stra\u00dfe", "street"), "S3")], [(1, b"abc")]))
    save("title_nested", make([("a", [(("t", "x"), "<i2"), ("y", "u1")])], [((1, 2),)]))
    save("name_latin1", make([("caf\u00e9", "<f4"), ("\u00fc", "u1")], [(1.5, 2)]))
    save("name_cjk", make([("\u6574\u6570", "<i4"), ("\u6d6e", "<f8")], [(1, 1.5)]))
    save("name_emoji", make([("\U0001f600", "<i4")], [(1,)]))
    save("name_surrogate", make([("a\ud800b", "<i4")], [(1,)]))
    quotes = ["it's", 'say "hi"', "both ' and \"", "back\\slash", "new\nline", "nul\0", "\u200b", " "]
    save("name_quotes", make([(name, "u1") for name in quotes], [tuple(range(len(quotes)))]))
    save("name_brackets", make([("(a, [b", "u1"), ("{c: 'd'}", "u1")], [(1, 2)]))


def versions():
    array = np.arange(3, dtype="<i4")
    save("version_1", array, (1, 0))
    save("version_2", array, (2, 0))
    save("version_3", array, (3, 0))
    save("version_2_latin1", make([("caf\u00e9", "<i4")], [(1,)]), (2, 0))
    # The dictionary fills the header up to a multiple of 64: another 64 blanks follow.
    for length in (30, 31, 32, 33):
        save(f"padding_{length}", make([("n" * length, "<f4")], [(1.5,)]))
    # Too long for the two bytes of version 1.
    fields = [(f"field_{i:03}_{'x' * 120}", "u1") for i in range(480)]
    save("version_2_long", make(fields, [tuple(i % 256 for i in range(480))]))


for group in (scalars, times, text_and_bytes, shapes, records, names, versions):
    group()
