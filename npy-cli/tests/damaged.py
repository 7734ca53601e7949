"""Damages random files of NumPy in the ways of its users, lets `npy repair` mend them, and compares by np.load.

usage: damaged.py NPY FOLDER FIRST COUNT
"""

import io
import random
import re
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
from numpy.lib import format

warnings.simplefilter("ignore")

SCALARS = "? b B <i2 >i2 <i4 >u4 <i8 >i8 <u8 <f2 <f4 >f4 <f8 >f8 <c8 >c16 S1 S5 <U1 >U3 V3 <M8[s] >M8[ns] <m8[D] <m8[25us]".split()


class Wrong(Exception):
    """A finding."""


def dtype(rng, depth=0):
    if depth < 2 and rng.random() < 0.2:
        names = rng.sample(["x", "y", "größe", "a b", "}", "'", "\\", "温度"], rng.randint(1, 3))
        fields = []
        for name in names:
            shape = rng.choice([(), (), (2,), (2, 3)])
            fields.append((name, dtype(rng, depth + 1), shape))
        return np.dtype(fields, align=rng.random() < 0.3)
    return np.dtype(rng.choice(SCALARS))


def content(rng, of, count):
    """Returns values whose bytes have many line ends."""
    if of.hasobject:
        array = np.empty(count, of)
        for i in range(count):
            array[i] = rng.choice([None, 1, "größe\r\n", [1, 2], 2.5])
        return array
    pool = bytes(range(256)) + b"\r\n\r\n\n\n\r" * rng.choice([0, 0, 5, 40]) + bytes(rng.choice([0, 300]))
    data = bytes(rng.choices(pool, k=count * of.itemsize))
    array = np.frombuffer(bytearray(data), of, count)
    return clean(array)


def clean(array):
    """Gives booleans and text values that they can have."""
    if array.dtype.names:
        for name in array.dtype.names:
            array[name] = clean(array[name].copy())
    elif array.dtype.kind == "b":
        array = array.view("u1") % 2 == 1
    elif array.dtype.kind == "U":
        codes = np.ascontiguousarray(array).view(array.dtype.byteorder.replace("|", "=") + "u4") % 0xD800
        array = codes.astype(codes.dtype).view(array.dtype).reshape(array.shape)
    return array


def shape(rng):
    kind = rng.random()
    if kind < 0.1:
        return ()
    if kind < 0.5:
        return (rng.choice([0, 1, 2, 10, 13, 266, 2573, rng.randint(1, 3000)]),)
    return tuple(rng.choice([1, 2, 3, 5, 10, 13]) for _ in range(rng.randint(2, 4)))


def array(rng, objects=0.05):
    of = np.dtype("O") if rng.random() < objects else dtype(rng)
    dims = shape(rng)
    values = content(rng, of, int(np.prod(dims))).reshape(dims)
    return np.asfortranarray(values) if rng.random() < 0.4 else values


def version(rng, values):
    """Returns a version that can hold the header of this array."""
    descr = repr(values.dtype.descr) if values.dtype.names else ""
    can_be_latin = all(ord(c) < 256 for c in descr)
    return rng.choice([None, (1, 0), (2, 0), (3, 0)] if can_be_latin else [None, (3, 0)])


def saved(rng, values):
    file = io.BytesIO()
    if rng.random() < 0.5:
        np.save(file, values)
    else:
        format.write_array(file, values, version(rng, values), allow_pickle=True)
    return file.getvalue()


def parts(data):
    """Returns the positions of the dictionary, of its end and of the values."""
    text = 10 if data[6] == 1 else 12
    size = int.from_bytes(data[8:text], "little")
    header = data[text : text + size]
    return text, text + len(header.rstrip()), text + size


def with_dict(data, change):
    """Returns a file whose dictionary is changed, as a program writes it that has its own header."""
    text, end, values = parts(data)
    encoding = "utf-8" if data[6] == 3 else "latin-1"
    new = change(data[text:end].decode(encoding)).encode(encoding)
    line = new + b" " * (-(text + len(new) + 1) % 64) + b"\n"
    return data[:8] + len(line).to_bytes(text - 8, "little") + line + data[values:]


def equal(one, other):
    """Compares the bytes, but not those between fields, and Python objects."""
    if one.dtype.names:
        return all(equal(one[name], other[name]) for name in one.dtype.names)
    return one.tolist() == other.tolist() if one.dtype.hasobject else one.tobytes() == other.tobytes()


def prefix(found, right):
    """Raises unless these are the values, or the first rows of them. Returns true for all of them."""
    def state(what):
        raise Wrong(f"{what}: {found.dtype} {found.shape} {found.tobytes()[:40]}, and not {right.dtype} {right.shape} {right.tobytes()[:40]}")
    if found.dtype != right.dtype or found.dtype.descr != right.dtype.descr:
        state("another dtype")
    if found.ndim != right.ndim:
        state("other dimensions")
    differ = [i for i in range(right.ndim) if found.shape[i] != right.shape[i]]
    if len(differ) > 1 or any(found.shape[i] > right.shape[i] for i in differ):
        state("another shape")
    start = right[(..., *(slice(n) for n in found.shape))]
    if not equal(found, start):
        state("other values")
    return not differ


def load(path):
    return np.load(path, allow_pickle=True)


class Case:
    """A damaged file, and what was in it."""

    def __init__(self, kind, data, right, name="x.npy", args=(), lossy=False, may_fail=True, ambiguous=False):
        self.kind, self.data, self.right, self.name, self.args = kind, data, right, name, list(args)
        #: Some rows may be missing.
        self.lossy = lossy
        #: It may be refused.
        self.may_fail = may_fail
        #: The damage looks like another one; the message must say so.
        self.ambiguous = ambiguous


NUMBERS = ["np.int64({})", "numpy.int32({})", "array({})", "np.uint8({})", "np.intp({})", "array({}, dtype=int8)", "int64({})", "{}", " {} "]


def spelled(rng, text):
    """Spells shape and order as NumPy once wrote them."""
    dims = [int(n) for n in re.findall(r"\d+", re.search(r"'shape': \(([^)]*)\)", text)[1])]
    numbers = [rng.choice(NUMBERS).format(n) for n in dims]
    comma = "," if len(dims) == 1 else ""
    kind = rng.random()
    if kind < 0.2:
        new = f"[{', '.join(numbers)}]"
    elif kind < 0.4 and len(dims) == 1:
        new = numbers[0]
    else:
        new = f"({', '.join(numbers)}{comma})"
    text = re.sub(r"'shape': \([^)]*\)", lambda _: f"'shape': {new}", text)
    for name, others in [("False", ["0", "np.False_", "np.bool_(False)", "False"]), ("True", ["1", "np.True_", "True"])]:
        text = text.replace(f"'fortran_order': {name}", f"'fortran_order': {rng.choice(others)}")
    return text


def metadata(rng, text):
    extra = rng.choice(["{}", "{'a': 1}", "{'vlen': <class 'bytes'>}", "{'}': \"'{\"}", "{'enum': {'A': 1, 'B': (2, 3)}}", "{'h5': None, 3: [1.5]}"])
    start, rest = text.split("'fortran_order'", 1)
    codes = [m for m in re.finditer(r"'[<>|][a-zA-Z?]\d*(\[\w+\])?'", start)]
    if not codes:
        return text
    chosen = rng.choice(codes)
    return start[: chosen.start()] + f"({chosen[0]}, {extra})" + start[chosen.end() :] + "'fortran_order'" + rest


def negative(rng, text):
    return re.sub(r"'shape': \((\d+)", lambda m: f"'shape': ({rng.choice(['-', '-', '- '])}{rng.choice([max(int(m[1]), 1), 1])}", text)


def lf_to_crlf(data):
    return data.replace(b"\n", b"\r\n")


def unix2dos(data):
    return re.sub(rb"(?<!\r)\n", b"\r\n", data)


def array_case(rng):
    values = array(rng)
    data = saved(rng, values)
    text, end, start = parts(data)
    is_object = values.dtype.hasobject
    kind = rng.choice("values metadata killed cut cut_data crlf unix2dos dos2unix mac utf8 replaced latin1 raw before padding negative growing crlf_cut both".split())
    case = lambda new, **more: Case(kind, new, values, **more)
    if kind == "values":
        return case(with_dict(data, lambda old: spelled(rng, old)), may_fail=False)
    if kind == "metadata":
        return case(with_dict(data, lambda old: metadata(rng, old)), may_fail=False)
    if kind == "both":
        data = with_dict(data, lambda old: spelled(rng, metadata(rng, old)))
        _, _, start = parts(data)
        cut = rng.randint(start, len(data))
        return case(data[:cut], lossy=cut < len(data))
    if kind in ("killed", "cut_data"):
        cut = rng.randint(start, len(data))
        return case(data[:cut], lossy=cut < len(data))
    if kind == "cut":
        cut = rng.randrange(len(data))
        return case(data[:cut], lossy=True)
    if kind == "crlf":
        return case(lf_to_crlf(data), may_fail=is_object)
    if kind == "unix2dos":
        return case(unix2dos(data))
    if kind == "dos2unix":
        new = data.replace(b"\r\n", b"\n")
        return case(new, lossy=True, ambiguous=new != data)
    if kind == "mac":
        swap = rng.choice([(b"\n", b"\r"), (b"\r", b"\n")])
        return case(data.replace(*swap), ambiguous="mac")
    if kind == "crlf_cut":
        new = lf_to_crlf(data)
        return case(new[: rng.randint(start, len(new))], lossy=True)
    if kind == "utf8":
        return case(data.decode("latin-1").encode(), may_fail=is_object)
    if kind == "replaced":
        return case(data.decode("utf-8", rng.choice(["replace", "ignore"])).encode(), ambiguous="mac")
    if kind == "latin1":
        of = np.dtype([(rng.choice(["größe", "é", "Ünïcode", "µ"]), rng.choice(SCALARS)), ("b", "u1")])
        values = content(rng, of, rng.randint(0, 40))
        file = io.BytesIO()
        format.write_array(file, values, (2, 0))
        data = bytearray(file.getvalue())
        data[6] = 3
        return Case(kind, bytes(data), values, may_fail=False)
    if kind == "raw":
        if is_object or values.dtype.names or not values.size:
            return array_case(rng)
        row = "x".join(map(str, values.shape[1:]))
        args = ["--raw", values.dtype.str + ("," + row if row else "")]
        if rng.random() < 0.5:
            args = ["--raw", values.dtype.str, "--shape", ",".join(map(str, values.shape))]
        if not values.ndim or values.dtype.str.startswith("|V"):
            return array_case(rng)
        return case(np.ascontiguousarray(values).tobytes(), args=args, may_fail=False)
    if kind == "before":
        new = bytearray(data)
        new[rng.randrange(text)] = rng.randrange(256)
        return case(bytes(new), may_fail=is_object)
    if kind == "padding":
        new = bytearray(data)
        at = rng.randrange(end, start)
        if rng.random() < 0.5:
            new[at] = rng.randrange(256)
        else:
            del new[at : at + rng.randint(1, start - at)]
        return case(bytes(new))
    if kind == "negative":
        if not values.ndim:
            return array_case(rng)
        return case(with_dict(data, lambda old: negative(rng, old)))
    if kind == "growing":
        axis = -1 if np.isfortran(values) else 0
        if not values.ndim or is_object:
            return array_case(rng)
        rows = rng.randint(0, values.shape[axis])
        few = values[..., :rows] if axis else values[:rows]
        # The elements of one column are rows, in both orders.
        if axis and set(few.shape[1:]) == {1}:
            return array_case(rng)
        # One row and one column are in both orders; the file must keep that of all rows.
        counted = with_dict(data, lambda old: re.sub(r"'shape': \([^)]*\)", f"'shape': {few.shape}", old))
        new = counted[: parts(counted)[2]] + data[start:]
        cut = rng.choice([0, 0, rng.randint(0, 9)])
        return case(new[: len(new) - cut], lossy=True, args=rng.choice([[], ["--uncounted", "keep"]]))
    raise AssertionError(kind)


class Pipe(io.RawIOBase):
    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def archive(rng, arrays, changed):
    """Writes an archive in one of NumPy's ways; `changed` has members that are not as NumPy saves them."""
    file = io.BytesIO()
    kind = rng.choice(["savez", "deflated", "pipe", "packed_pipe", "zip64", "bzip2", "lzma"])
    if changed or kind in ("zip64", "bzip2", "lzma"):
        method = {"bzip2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}.get(kind, rng.choice([0, 8]))
        to = Pipe(file) if "pipe" in kind else file
        with zipfile.ZipFile(to, "w", method) as writer:
            for name, values in arrays.items():
                data = changed.get(name) or saved(rng, values)
                with writer.open(f"{name}.npy", "w", force_zip64=kind == "zip64") as member:
                    member.write(data)
            if rng.random() < 0.2:
                writer.comment = b"comment"
    else:
        save = np.savez_compressed if kind in ("deflated", "packed_pipe") else np.savez
        save(Pipe(file) if "pipe" in kind else file, **arrays)
    return file.getvalue()


def entries(data):
    """Returns the name, the start and the end of each member."""
    infos = sorted(zipfile.ZipFile(io.BytesIO(data)).infolist(), key=lambda info: info.header_offset)
    ends = [info.header_offset for info in infos[1:]] + [zipfile.ZipFile(io.BytesIO(data)).start_dir]
    return [(info.filename.removesuffix(".npy"), info.header_offset, end) for info, end in zip(infos, ends)]


def archive_case(rng):
    names = rng.sample(["a", "b", "größe", "m/x", "c d", "温度", "z", "arr_0"], rng.randint(1, 8))
    arrays = {name: array(rng) for name in names}
    kind = rng.choice("npz_cut npz_cut npz_no_directory npz_crlf npz_unix2dos npz_dos2unix npz_utf8 npz_local npz_central npz_byte npz_zeros npz_hole npz_twice npz_array npz_before npz_swapped".split())
    changed = {}
    lossy = set()
    if kind == "npz_array":
        for name in rng.sample(names, rng.randint(1, len(names))):
            values = arrays[name]
            data = saved(rng, values)
            _, _, start = parts(data)
            way = rng.random()
            if way < 0.4:
                data = with_dict(data, lambda old: spelled(rng, old))
            elif way < 0.7:
                data = with_dict(data, lambda old: metadata(rng, old))
            else:
                data = data[: rng.randint(start, len(data))]
                lossy.add(name)
            changed[name] = data
    data = archive(rng, arrays, changed)
    members = entries(data)
    directory = members[-1][2]
    #: The members that must be kept.
    kept = set(names)
    def touch(at, size=1):
        kept.difference_update(name for name, start, end in members if start < at + size and at < end)
    new = bytearray(data)
    if kind == "npz_cut":
        cut = rng.choice([rng.randrange(len(data)), rng.randrange(directory), directory])
        del new[cut:]
        touch(cut, len(data))
    elif kind == "npz_no_directory":
        del new[directory:]
    elif kind in ("npz_crlf", "npz_unix2dos", "npz_dos2unix"):
        change = {"npz_crlf": lf_to_crlf, "npz_unix2dos": unix2dos}.get(kind, lambda old: old.replace(b"\r\n", b"\n"))
        new = change(data)
        # A member that did not change may be after others that did.
        kept = set(names) if new == data else set()
    elif kind == "npz_utf8":
        new = data.decode("latin-1").encode()
        kept = set(names) if new == data else set()
    elif kind in ("npz_local", "npz_swapped"):
        name, start, end = rng.choice(members)
        length = int.from_bytes(data[start + 26 : start + 28], "little")
        at = start + rng.randrange(30 + length)
        if kind == "npz_local":
            new[at] = rng.randrange(256)
        else:
            new[at : at + 2] = new[at : at + 2][::-1]
        touch(at, 2)
        if rng.random() < 0.3:
            del new[directory:]
            # With its wrong size it may seem to be the one that the file ends in.
            kept &= {other for other, begin, _ in members if begin < start}
            # Nothing else has the name.
            if at >= start + 28:
                kept.add("?")
    elif kind == "npz_central":
        new[rng.randrange(directory, len(data))] = rng.randrange(256)
    elif kind == "npz_byte":
        at = rng.randrange(len(data))
        new[at] = rng.randrange(256)
        touch(at)
    elif kind == "npz_zeros":
        at = rng.randrange(len(data))
        new[at:] = bytes(len(data) - at)
        touch(at, len(data))
    elif kind == "npz_hole":
        at = rng.randrange(len(data))
        size = rng.randint(1, 60)
        del new[at : at + size]
        touch(at, size)
    elif kind == "npz_twice":
        new += data[: rng.randint(1, len(data))]
    elif kind == "npz_before":
        new = bytearray(rng.choice([b"#!/bin/sh\n", b"\xef\xbb\xbf", b"\0" * 100, b"PK\3\4"])) + new
    case = Case(kind, bytes(new), arrays, "x.npz")
    case.kept, case.lossy = kept, lossy
    return case


def tell(path, args):
    run = subprocess.run([npy, "repair", path, *args], capture_output=True, timeout=60)
    said = run.stdout.decode() + run.stderr.decode()
    if run.returncode not in (0, 1, 2) or "panicked" in said:
        raise Wrong(f"it ended with {run.returncode}: {said}")
    return run.returncode, said


def judge_array(case, path, out, code, said):
    if code == 2:
        if not case.may_fail:
            raise Wrong(f"refused: {said}")
        if ";" not in said:
            raise Wrong(f"without advice: {said}")
        return "refused"
    if case.ambiguous is True and "copied as text" in said:
        return "ambiguous"
    if not out.exists():
        if case.ambiguous == "mac":
            return "not found"
        result = "right"
        found = load(path)
    else:
        result = "repaired"
        found = load(out)
    complete = prefix(found, case.right)
    if not complete and not case.lossy:
        raise Wrong(f"rows are missing: {said}")
    return result if complete else f"{result}, first rows"


def judge_archive(case, path, out, code, said):
    if code == 2:
        if case.kept - {"?"} and "has other names" not in said:
            raise Wrong(f"refused, and {case.kept} are there: {said}")
        if ";" not in said:
            raise Wrong(f"without advice: {said}")
        return "refused"
    with load(out if out.exists() else path) as found:
        for name in found.files:
            if f'"{name}.npy" is kept as it is' in said:
                continue
            if name not in case.right:
                if "?" in case.kept:
                    continue
                raise Wrong(f"the member {name!r} was not there: {said}")
            is_cut = f'"{name}.npy" is kept, and was not checked: the file ends within the member' in said
            if not prefix(found[name], case.right[name]) and name not in case.lossy and not is_cut:
                raise Wrong(f"rows of {name!r} are missing: {said}")
        missing = case.kept - {"?"} - set(found.files)
        # The directory and the member have two names for it: one of them is wrong.
        has_two_names = "there is another member where the directory says" in said
        if len(missing) > has_two_names:
            raise Wrong(f"{missing} are missing: {said}")
        return ("repaired" if out.exists() else "right") + ("" if len(found.files) == len(case.right) else ", some members")


def judge(seed, folder):
    rng = random.Random(seed)
    case = (array_case if rng.random() < 0.6 else archive_case)(rng)
    path, out = folder / case.name, folder / f"out{case.name[1:]}"
    out.unlink(missing_ok=True)
    path.write_bytes(case.data)
    try:
        code, said = tell(path, [*case.args, "-o", out, "--yes"])
        if path.read_bytes() != case.data:
            raise Wrong("the original was changed")
        if out.exists() != (code == 0 and "needs no repair" not in said):
            raise Wrong(f"exit code {code}, and the file {'exists' if out.exists() else 'is missing'}: {said}")
        judges = judge_archive if case.name == "x.npz" else judge_array
        return case.kind, judges(case, path, out, code, said)
    except Exception as error:
        raise Wrong(f"seed {seed}, {case.kind}: {type(error).__name__}: {error}") from error


npy = sys.argv[1]
folder, first, count = Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
results, wrong = {}, []
for seed in range(first, first + count):
    try:
        result = judge(seed, folder)
        results[result] = results.get(result, 0) + 1
    except Wrong as error:
        wrong.append(str(error))
for (kind, result), number in sorted(results.items()):
    print(f"{kind}: {result}: {number}")
print(*wrong, sep="\n")
print(f"{count} files, {len(wrong)} wrong")
