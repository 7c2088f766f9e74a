#!/usr/bin/python3
"""Files of samples, read by others: .csv by pandas, .mat by SciPy, .h5 by h5dump, .json by Python. All columns are equal
to the last bit. Usage: read_files.py PAWL FOLDER. Exit code 77: a reader is missing, and a line says which."""
import json
import math
import pathlib
import shutil
import struct
import subprocess
import sys


def missing(what):
    print(f"read_files.py: SKIPPED: {what} is not installed (scripts/bootstrap web installs it)")
    sys.exit(77)


try:
    import pandas
except ImportError:
    missing("python3-pandas")
try:
    import scipy.io
except ImportError:
    missing("python3-scipy")
if shutil.which("h5dump") is None:
    missing("hdf5-tools")

pawl, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def check(words):
    files = {}
    for ending in ("json", "csv", "mat", "h5"):
        files[ending] = folder / f"samples.{ending}"
        subprocess.run([pawl, "run", *words, "--out", files[ending]], check=True, stdout=subprocess.DEVNULL)
    samples = json.loads(files["json"].read_text())["samples"]
    names = list(samples)

    table = pandas.read_csv(files["csv"], float_precision="round_trip")
    assert list(table.columns) == names, (list(table.columns), names)
    for name in names:
        assert all(map(same, table[name], samples[name])), f"{words}: {name} in .csv"

    stored = scipy.io.loadmat(files["mat"], chars_as_strings=False)
    assert "".join(stored["Aclass"][0]).strip() == "Atrajectory"
    assert "".join(stored["Aclass"][3]).strip() == "binTrans"
    found = ["".join(column).strip() for column in stored["name"].T]
    assert found == ["time" if name == "t" else name for name in names], found
    info = stored["dataInfo"]
    for i, name in enumerate(names):
        assert info[0][i] == (0 if name == "t" else 2) and info[2][i] == 0 and info[3][i] == -1
        assert all(map(same, stored["data_2"][info[1][i] - 1], samples[name])), f"{words}: {name} in .mat"

    raw = folder / "table.bin"
    subprocess.run(["h5dump", "-d", "/table", "-b", "LE", "-o", raw, files["h5"]], check=True, stdout=subprocess.DEVNULL)
    numbers = [one[0] for one in struct.iter_unpack("<d", raw.read_bytes())]
    rows = len(samples["t"])
    assert len(numbers) == rows * len(names)
    for i, name in enumerate(names):
        assert all(map(same, numbers[i :: len(names)], samples[name])), f"{words}: {name} in .h5"
    text = subprocess.run(["h5dump", "-d", "/names", files["h5"]], check=True, capture_output=True, text=True).stdout
    for name in names:
        assert f'"{name}"' in text, f"{words}: {name} is not among the names of .h5"
    print(f"{' '.join(words)}: {rows} rows, {len(names)} columns, equal in all four files")


check(["bouncing-ball"])
check(["pendulum-stop", "--samples", "300"])
check(["transistor-amplifier", "--stop", "0.01"])


def check_sweep():
    """A sweep with runs that the model refuses: .csv, .npz and .h5 have the same rows."""
    import numpy

    files = {ending: folder / f"sweep.{ending}" for ending in ("csv", "npz", "h5")}
    words = ["diode-circuit", "--vary", "index=1,2,3", "--random", "R=uniform(0.5,2)", "--runs", "5", "--stop", "0.02", "--keep", "final,events"]
    subprocess.run([pawl, "sweep", *words, "--csv", files["csv"], "--npz", files["npz"], "--hdf5", files["h5"]], check=True, stdout=subprocess.DEVNULL)
    table = pandas.read_csv(files["csv"], float_precision="round_trip")
    assert list(table["run"]) == list(range(15))
    assert list(table["outcome"]) == ["finished", "finished", "threw"] * 5
    assert table["reason"].notna().sum() == 5
    names = list(table.columns[2:-1])
    arrays = numpy.load(files["npz"])
    assert [word.decode() for word in arrays["outcome"]] == list(table["outcome"])
    raw = folder / "table.bin"
    subprocess.run(["h5dump", "-d", "/table", "-b", "LE", "-o", raw, files["h5"]], check=True, stdout=subprocess.DEVNULL)
    numbers = [one[0] for one in struct.iter_unpack("<d", raw.read_bytes())]
    for i, name in enumerate(names):
        assert all(map(same, arrays[name], table[name])), f"{name} in .npz"
        assert all(map(same, numbers[i :: len(names)], table[name])), f"{name} in .h5"
    text = subprocess.run(["h5dump", "-d", "/reasons", files["h5"]], check=True, capture_output=True, text=True).stdout
    assert text.count("index = 3 must be 1") == 5
    print(f"a sweep: {len(table)} rows, {len(names)} columns, equal in all three files")


check_sweep()
