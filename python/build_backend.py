"""An in-tree PEP 517 backend without requirements: runs CMake, zips the wheel. `pip install .` works offline with it.

The wheel is for this Python and this system (tag cpXY-cpXY-linux_<machine>): it links the Debian libraries that
scripts/bootstrap installs and makes no claim about others.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _version():
    with open(os.path.join(ROOT, "CMakeLists.txt")) as text:
        return re.search(r"project\(pawl VERSION ([\d.]+)", text.read()).group(1)


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


METADATA = """Metadata-Version: 2.1
Name: pawl
Version: {version}
Summary: Simulation of stiff, discontinuous, high-index systems
Requires-Python: >=3.9
Requires-Dist: numpy
"""


def _dist_info(version):
    return {
        f"pawl-{version}.dist-info/METADATA": METADATA.format(version=version),
        f"pawl-{version}.dist-info/WHEEL": f"Wheel-Version: 1.0\nGenerator: pawl\nRoot-Is-Purelib: false\nTag: {_tag()}\n",
    }


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    version = _version()
    for name, text in _dist_info(version).items():
        path = os.path.join(metadata_directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    return f"pawl-{version}.dist-info"


def _build(prefix):
    build = os.environ.get("PAWL_BUILD_DIR") or os.path.join(ROOT, "build", "python")
    if not os.path.exists(os.path.join(build, "CMakeCache.txt")):
        command = ["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DPAWL_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
        subprocess.run(command + (["-G", "Ninja"] if _has("ninja") else []), check=True)
    subprocess.run(["cmake", "--build", build, "--target", "pawl_python", "--parallel", os.environ.get("PAWL_JOBS", str(os.cpu_count() or 1))], check=True)
    subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", prefix, "--strip"], check=True)


def _has(program):
    return any(os.access(os.path.join(folder, program), os.X_OK) for folder in os.environ.get("PATH", "").split(os.pathsep))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _version()
    name = f"pawl-{version}-{_tag()}.whl"
    record = f"pawl-{version}.dist-info/RECORD"
    with tempfile.TemporaryDirectory() as prefix:
        _build(prefix)
        contents = {}
        for folder, _, files in os.walk(prefix):
            for file in files:
                path = os.path.join(folder, file)
                with open(path, "rb") as data:
                    contents[os.path.relpath(path, prefix)] = data.read()
    contents.update({key: text.encode() for key, text in _dist_info(version).items()})
    lines = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in sorted(contents.items()):
            wheel.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{path},sha256={digest},{len(data)}")
        wheel.writestr(zipfile.ZipInfo(record, (1980, 1, 1, 0, 0, 0)), "\n".join(lines + [f"{record},,"]) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    version = _version()
    name = f"pawl-{version}.tar.gz"
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz") as archive:
        for file in filter(None, files):
            archive.add(os.path.join(ROOT, file), f"pawl-{version}/{file}")
    return name
