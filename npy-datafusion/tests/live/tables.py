"""Makes random tables, and answers queries about them with NumPy. Each line of the input is a request, and each of the output an answer."""

import operator
import os
import sys

import numpy as np

# "npy" for records; "stored" or "deflated" for archives.
KIND = "npy"


def kind(name):
    global KIND
    KIND = name


SPECIAL = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.5]


def column(rng, kind, rows):
    """Returns values that are sorted, in clusters, or in no order; in clusters, a block has few of them."""
    base = rng.integers(-50, 50, rows)
    order = rng.integers(0, 4)
    if order == 0:
        base = np.sort(base)
    elif order == 1:
        base = np.sort(base)[::-1]
    elif order == 2:
        base = np.repeat(rng.integers(-50, 50, rows // 100 + 1), 100)[:rows]
    if kind in ("f4", "f8"):
        values = base.astype(kind) / 4
        special = rng.random(rows) < rng.choice([0, 0.001, 0.05])
        values[special] = rng.choice(SPECIAL, special.sum())
        return values
    if kind.startswith("M8"):
        values = base.astype("i8").astype(kind)
        values[rng.random(rows) < rng.choice([0, 0.01])] = "NaT"
        if rng.random() < 0.2 and rows > 200:
            values[:200] = "NaT"
        return values
    if kind == "u8":
        return base.astype("u8") if rng.random() < 0.5 else (base + 50).astype("u8")
    if kind == "U":
        return np.array([f"s{value:+03d}" if value else "" for value in base], dtype="U4")
    if kind == "S":
        return np.array([b"b%d" % value for value in abs(base)], dtype="S4")
    if kind == "?":
        return base > 30
    return base.astype(kind)


def random_columns(rng, first, rows):
    """Returns the columns of some rows, and the dtypes that they have in a file."""
    kinds = {
        "n": "i8",
        "i": rng.choice(["i2", "i4", ">i4", "i8"]),
        "f": rng.choice(["f4", "f8", "<f8"]),
        "t": rng.choice(["M8[s]", "M8[ms]", "M8[us]", "M8[ns]"]),
        "d": "M8[D]",
        "u": "u8",
        "s": "U",
        "b": "S",
        "o": "?",
    }
    for name in ("t", "u", "s", "o"):
        # The first file has all columns, so that each is one of the table.
        if first > 0 and rng.random() < 0.1:
            del kinds[name]
    columns = {name: column(rng, str(kind), rows) for name, kind in kinds.items()}
    columns["n"] = np.arange(first, first + rows)
    return columns, [(name, kinds[name] if name in "if" else values.dtype) for name, values in columns.items()]


def save(path, array):
    # As a program that replaces its files.
    with open(path + ".tmp", "wb") as file:
        if KIND == "npy":
            np.save(file, array)
        else:
            write = np.savez if KIND == "stored" else np.savez_compressed
            write(file, **{name: array[name] for name in array.dtype.names})
    os.replace(path + ".tmp", path)


def extension():
    return "npy" if KIND == "npy" else "npz"


def write(rng, path, first, rows):
    columns, dtypes = random_columns(rng, first, rows)
    table = np.zeros(rows, dtype=dtypes)
    for name, values in columns.items():
        table[name] = values
    save(path, table)


def make_folders(seed, directory):
    """Writes folders in which each file is a column."""
    rng = np.random.default_rng(int(seed))
    folders = rng.integers(1, 5)
    for number in range(folders):
        folder = directory if folders == 1 else f"{directory}/f{number}"
        os.makedirs(folder, exist_ok=True)
        rows = int(rng.choice([0, 1, 70, 500, 3000])) if number > 0 else 1000
        columns, dtypes = random_columns(rng, number * 10000, rows)
        for name, dtype in dtypes:
            values = columns[name].astype(dtype)
            save(f"{folder}/{name}.npy", values.reshape(-1, 1) if rng.random() < 0.2 else values)
        vectors = np.stack([columns["n"], columns["n"] * 2, columns["n"] + 1], axis=1)
        save(f"{folder}/v.npy", np.asfortranarray(vectors) if rng.random() < 0.5 else vectors)


def make(seed, directory):
    rng = np.random.default_rng(int(seed))
    for file in range(rng.integers(1, 5)):
        rows = int(rng.choice([0, 1, 70, 500, 3000]))
        write(rng, f"{directory}/{file}.{extension()}", file * 10000, rows)
    if not any(os.path.getsize(f"{directory}/{name}") > 3000 for name in os.listdir(directory)):
        write(rng, f"{directory}/9.{extension()}", 90000, 1000)


def replace(seed, directory):
    rng = np.random.default_rng(int(seed))
    names = sorted(name for name in os.listdir(directory) if name.endswith((".npy", ".npz")))
    name = str(rng.choice(names))
    write(rng, f"{directory}/{name}", int(name[0]) * 10000, int(rng.choice([1, 500, 3000])))


def sort_key(values):
    """Returns integers in the order of the engine: -NaN, numbers, NaN."""
    bits = values.astype("f8").view("i8")
    return np.where(bits < 0, bits ^ 0x7FFFFFFFFFFFFFFF, bits)


class Value:
    def __init__(self, values, null=None):
        if values.dtype.kind == "f":
            values = sort_key(np.where(values == 0, 0.0, values))
        elif values.dtype.kind == "M":
            null = np.isnat(values) | (False if null is None else null)
            values = values.astype("M8[ns]").view("i8")
        self.values = values
        self.null = np.zeros(values.shape, bool) if null is None else null


def parts_of(directory):
    """Returns the columns of each file, or of each folder in which they are files."""
    names = sorted(os.listdir(directory))
    if any(os.path.isdir(f"{directory}/{name}") for name in names):
        return [part for name in names for part in parts_of(f"{directory}/{name}")]
    archives = [np.load(f"{directory}/{name}") for name in names if name.endswith(".npz")]
    if archives:
        return [dict(archive) for archive in archives]
    arrays = {name[:-4]: np.load(f"{directory}/{name}") for name in names if name.endswith(".npy")}
    if "n" in arrays:
        return [{name: values if name == "v" else values.ravel() for name, values in arrays.items()}]
    return [{name: array[name] for name in array.dtype.names} for array in arrays.values()]


class Table:
    def __init__(self, directory):
        self.parts = parts_of(directory)
        self.rows = sum(len(part["n"]) for part in self.parts)

    def raw(self, name):
        values, null = [], []
        example = next((part[name] for part in self.parts if name in part), np.zeros(0, "i8"))
        for part in self.parts:
            rows = len(part["n"])
            values.append(part.get(name, np.zeros(rows, example.dtype)))
            null.append(np.full(rows, name not in part))
        return np.concatenate(values), np.concatenate(null)

    def __getattr__(self, name):
        return Value(*self.raw(name))


def literal(value):
    if isinstance(value, float):
        return int(Value(np.array([value])).values[0])
    return value


def compare(name, column, value):
    truth = getattr(operator, name)(column.values, literal(value))
    return truth & ~column.null, column.null


def time_of_day(column):
    day = Value(column.values % 86_400_000_000_000)
    day.null = column.null
    return day


def is_distinct(column, value):
    return (column.values != literal(value)) | column.null, np.zeros(column.null.shape, bool)


def as_float(column):
    return Value(column.values.astype("f8")).values


def starts(column, text):
    return np.char.startswith(column.values.astype("U"), text) & ~column.null, column.null


def is_true(column):
    return column.values.astype(bool) & ~column.null, np.zeros(column.null.shape, bool)


def is_in(column, values):
    truth = np.isin(column.values, np.array([literal(value) for value in values]))
    return truth & ~column.null, column.null


def is_null(column):
    return column.null, np.zeros(column.null.shape, bool)


def negated(a):
    return ~a[0] & ~a[1], a[1]


def both(a, b):
    false = (~a[0] & ~a[1]) | (~b[0] & ~b[1])
    return a[0] & b[0], ~(a[0] & b[0]) & ~false


def either(a, b):
    true = a[0] | b[0]
    return true, (a[1] | b[1]) & ~true


def ask(directory, condition):
    table = Table(directory)
    mask = eval(condition, globals(), {"T": table})[0]
    n, f = table.raw("n")[0], table.raw("f")[0]
    chosen = n[mask]
    total = [len(chosen), *((chosen.sum(), chosen.min(), chosen.max()) if len(chosen) else (0, "", ""))]
    up = chosen[np.lexsort((chosen, table.i.values[mask]))][:5]
    mask = mask & (f != 0)
    down = n[mask][np.lexsort((n[mask], -1 - sort_key(f)[mask]))][:5]
    first = np.sort(chosen)
    parts = (total, up, down, first[:5], first[::-1][:5])
    return "|".join(" ".join(map(str, part)) for part in parts)


def extremes(directory):
    table, texts = Table(directory), []
    for name in ("i", "t", "u", "s", "o"):
        column = getattr(table, name)
        values = column.values[~column.null]
        if name == "s":
            values = np.array(sorted(values)) if len(values) else values
        low, high = (values.min(), values.max()) if len(values) and name != "s" else ("", "")
        if name == "s" and len(values):
            low, high = values[0], values[-1]
        as_number = lambda value: value if isinstance(value, str) else int(value)
        texts.append(f"{len(values)} {as_number(low)} {as_number(high)}")
    return "|".join(texts)


for line in sys.stdin:
    command, *arguments = line.rstrip("\n").split("\t")
    answer = {"kind": kind, "make": make, "folders": make_folders, "replace": replace, "ask": ask, "extremes": extremes}[command](*arguments)
    print("" if answer is None else answer, flush=True)
