"""Runs the workloads with NumPy. numpy.rs sends one request per line on stdin:

run ID DIR      runs the workload once: the seconds it took, and 0
check ID DIR    the same, with the checksum of the result instead of 0
peak ID DIR     runs the workload once: its peak memory in bytes, minus the memory in use before
forget          drops the data kept from round to round
versions        the versions of NumPy and Python
"""

import glob
import io
import os
import platform
import sys
import time

import numpy as np

TICK = np.dtype([("id", "<u4"), ("time", "<f8"), ("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("flag", "u1"), ("count", "<i2")])
TICK_IN_C = np.dtype(TICK.descr, align=True)


def swapped(path):
    array = np.load(path)
    return array.byteswap(inplace=True).view(array.dtype.newbyteorder())


def bits(array):
    """Returns the numbers of an array as they are in memory, as u8."""
    array = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False)).reshape(-1)
    return array.view(f"u{array.dtype.itemsize}").astype("u8")


def weighted(numbers):
    return int((numbers * np.arange(1, len(numbers) + 1, dtype="u8")).sum())


def together(sums):
    total = 0
    for one in sums:
        total = (total * 31 + one) % 2**64
    return total


def array_sum(array):
    if array.dtype.names is None:
        return together([weighted(bits(array))])
    return together([weighted(bits(array[name])) for name in array.dtype.names])


def texts_sum(texts):
    return weighted(np.array([sum(text.encode()) for text in texts], dtype="u8"))


def arrays_sum(arrays):
    return together([array_sum(array) for array in arrays])


def dtype_sum(dtype):
    fields = [dtype.fields[name] for name in dtype.names]
    numbers = [offset * 256 + field.itemsize for field, offset in fields]
    return weighted(np.array(numbers, dtype="u8"))


def header(file):
    def parse():
        stream = io.BytesIO(file)
        np.lib.format.read_magic(stream)
        return np.lib.format.read_array_header_1_0(stream)[2]

    return parse


def headers(path, times):
    with open(path, "rb") as file:
        parse = header(file.read())
    for _ in range(times - 1):
        parse()
    return parse()


def opened(path, times):
    for _ in range(times - 1):
        np.load(path, mmap_mode="r")
    return len(np.load(path, mmap_mode="r"))


def many(array):
    """Returns the twenty arrays of an archive."""
    return {f"array_{i}": part for i, part in enumerate(np.split(array, 20))}


def archive(path):
    with np.load(path) as arrays:
        return [arrays[f"array_{i}"] for i in range(20)]


def middle(path):
    with np.load(path) as arrays:
        array = arrays["array_0"]
    return array[len(array) // 2 :][:10]


def nothing(_):
    return 0


def times(path):
    """Reads the number that the benchmark wrote to a file."""
    with open(path) as file:
        return int(file.read())


# For each job: the function that makes the data kept from round to round, the function that is timed with it, and the checksum of
# its result. The benchmark itself reads the files that were written.
JOBS = {
    "W1r": (lambda at: at("input.npy"), np.load, array_sum),
    "W1w": (lambda at: (at("output"), np.load(at("input.npy"))), lambda of: save(*of), nothing),
    "W2r": (lambda at: at("input.npy"), lambda path: np.load(path).astype(TICK_IN_C), array_sum),
    "W2p": (lambda at: at("input.npy"), np.load, array_sum),
    "W2w": (
        lambda at: (at("output"), np.load(at("input.npy")).astype(TICK_IN_C)),
        lambda of: save(of[0], of[1].astype(TICK)),
        nothing,
    ),
    "W3r": (lambda at: at("input.npy"), np.load, array_sum),
    "W3w": (lambda at: (at("output"), np.load(at("input.npy"))), lambda of: save(*of), nothing),
    "W4a": (lambda at: at("input.npy"), swapped, array_sum),
    "W4b": (lambda at: at("input.npy"), lambda path: np.load(path).astype(TICK_IN_C), array_sum),
    "W5": (
        lambda at: sorted(glob.glob(at("small_*.npy"))),
        lambda paths: [np.load(path) for path in paths],
        arrays_sum,
    ),
    "W6a": (lambda at: (at("output"), many(np.load(at("input.npy")))), lambda of: np_savez(np.savez, *of), nothing),
    "W6b": (lambda at: at("stored.npz"), archive, arrays_sum),
    "W6c": (
        lambda at: (at("output"), many(np.load(at("input.npy")))),
        lambda of: np_savez(np.savez_compressed, *of),
        nothing,
    ),
    "W6d": (lambda at: at("deflated.npz"), archive, arrays_sum),
    "W14": (
        lambda at: (at("output"), {"array_0": np.load(at("input.npy"))}),
        lambda of: np_savez(np.savez_compressed, *of),
        nothing,
    ),
    "W17": (lambda at: at("walk.npz"), middle, array_sum),
    "W17d": (lambda at: at("chunks.npz"), middle, array_sum),
    "W19": (
        lambda at: (at("output"), at("sizes.npy")),
        lambda of: np_savez(np.savez_compressed, of[0], {"a": np.load(of[1])}),
        nothing,
    ),
    "W7": (lambda at: (at("input.npy"), times(at("times"))), lambda of: headers(*of), dtype_sum),
    "W7own": (lambda at: (at("input.npy"), times(at("times"))), lambda of: headers(*of), nothing),
    "W8a": (lambda at: (at("large.npy"), times(at("times"))), lambda of: opened(*of), int),
    "W8b": (
        lambda at: (at("large.npy"), np.load(at("picks.npy"))),
        lambda of: np.load(of[0], mmap_mode="r")[of[1]],
        array_sum,
    ),
    "W8c": (
        lambda at: at("large.npy"),
        lambda path: np.load(path, mmap_mode="r")["time"].sum(),
        int,
    ),
    "W16": (lambda at: at("input.npy"), lambda path: np.load(path).astype("f4"), array_sum),
    "W15": (lambda at: at("input.npy"), lambda path: np.load(path, allow_pickle=True), texts_sum),
    "W15d": (
        lambda at: at("input.npy"),
        lambda path: np.load(path, allow_pickle=True).item(),
        lambda arrays: arrays_sum(arrays[name] for name in sorted(arrays)),
    ),
    "W9": (lambda at: at("input.npy"), lambda path: np.load(path, mmap_mode="r")["x"].copy(), array_sum),
}


def save(path, array):
    # An open file, because NumPy would add `.npy` to a name without it.
    with open(path, "wb") as file:
        np.save(file, array)


def np_savez(write, path, arrays):
    with open(path, "wb") as file:
        write(file, **arrays)


def memory(key):
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(key):
                return int(line.split()[1]) << 10
    return 0


def answer(words, kept):
    match words:
        case ["versions"]:
            return f"NumPy {np.__version__}, Python {platform.python_version()}"
        case ["forget"]:
            kept.clear()
            return ""
        case [what, job, *directory]:
            directory = " ".join(directory)
            prepare, run, total = JOBS[job]
            if job not in kept:
                kept[job] = prepare(lambda name: os.path.join(directory, name))
            before = 0
            if what == "peak":
                # Only on Linux.
                if not os.path.exists("/proc/self/clear_refs"):
                    return ""
                with open("/proc/self/clear_refs", "w") as file:
                    file.write("5")
                before = memory("VmRSS")
            start = time.perf_counter()
            result = run(kept[job])
            seconds = time.perf_counter() - start
            if what == "peak":
                return max(0, memory("VmHWM") - before)
            return f"{seconds} {total(result) if what == 'check' else 0}"


def main():
    kept = {}
    for line in sys.stdin:
        print(answer(line.split(), kept), flush=True)


main()
