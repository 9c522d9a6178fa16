"""Builds the wheel and the source distribution of the Python package libbinade (PEP 517), with the standard library
alone.

A wheel has the package, and in libbinade/lib the shared libraries of the project with those that they need besides the
C library. There is no compiled extension, so one wheel serves every Python 3. BINADE_BUILD names a build folder whose
libraries are taken; without it, configure and make build them in a temporary folder.

    libbinade_build.py wheel FOLDER            a wheel in FOLDER
    libbinade_build.py sdist FOLDER TARBALL    a source distribution in FOLDER, of the release TARBALL of `make dist`
"""
import base64
import glob
import hashlib
import io
import os
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

NAME = "libbinade"
# What every Linux that a manylinux tag names has (PEP 600): never part of a wheel.
SYSTEM = ("ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libgcc_s.so", "linux-vdso")
METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: Numbers, arrays, training runs and checkpoints in any floating-point format, bit for bit
License: {license}
Requires-Python: >=3.8
Requires-Dist: numpy>=1.20
Classifier: Intended Audience :: Science/Research
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{readme}
"""


# ---- where things are ----

def source_top():
    """The folder of configure.ac: above this file, in the repository and in a source distribution."""
    top = os.path.dirname(os.path.abspath(__file__))
    while not os.path.exists(os.path.join(top, "configure.ac")):
        if os.path.dirname(top) == top:
            raise SystemExit("libbinade_build: configure.ac is not above this folder; build from the repository, or "
                             "from a source distribution")
        top = os.path.dirname(top)
    return top


def read(*names):
    with open(os.path.join(source_top(), *names), encoding="utf-8") as file:
        return file.read()


def version():
    return re.search(r"^AC_INIT\(\[binade\], \[([^]]+)\]", read("configure.ac"), re.MULTILINE)[1]


def metadata():
    page = read("doc", "tutorials", "library-python.md")
    known = re.search(r"MIT|Apache|BSD|GPL|Unlicense|CC0", read("LICENSE"))
    return METADATA.format(name=NAME, version=version(), readme=page, license=known[0] if known else "see LICENSE")


def python_files():
    """(name in the wheel, path) of every file of the package."""
    package = os.path.join(source_top(), "tools", "python")
    for folder, folders, names in os.walk(os.path.join(package, NAME)):
        folders[:] = sorted(f for f in folders if f not in ("__pycache__", "lib"))
        for name in sorted(names):
            if name.endswith((".py", ".pyi", "py.typed")) and name != "_installed.py":
                path = os.path.join(folder, name)
                yield os.path.relpath(path, package).replace(os.sep, "/"), path


# ---- the shared libraries ----

def build_libraries(folder):
    """Configures and makes both libraries in a folder."""
    top, jobs = source_top(), str(os.cpu_count() or 1)
    if not os.path.exists(os.path.join(top, "configure")):
        subprocess.run(["autoreconf", "-fi"], cwd=top, check=True, stdout=sys.stderr)
    subprocess.run([os.path.join(top, "configure"), "--disable-static"], cwd=folder, check=True, stdout=sys.stderr)
    subprocess.run(["make", "-j" + jobs, "libbinade.la", "libbinade-lab.la"], cwd=folder, check=True, stdout=sys.stderr)


def own_libraries(build):
    """The files of libbinade and libbinade-lab, without the links to them."""
    found = []
    for pattern in ("libbinade.so.*.*", "libbinade-lab-*.so", "libbinade.[0-9]*.dylib", "libbinade-lab-*.dylib"):
        paths = glob.glob(os.path.join(build, ".libs", pattern))
        found += [path for path in sorted(paths) if not os.path.islink(path)][-1:]
    if len(found) != 2:
        raise SystemExit(f"libbinade_build: {build} has no shared libraries: run make there, in a build without "
                         "--disable-shared")
    if any(b"__asan_init" in read_bytes(path) for path in found):
        raise SystemExit(f"libbinade_build: the libraries of {build} have sanitizers: a wheel needs a build without "
                         "them")
    return found


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


class Elf:
    """What the dynamic section of a 64-bit little-endian ELF file says."""

    NEEDED, STRTAB, SONAME, RPATH, RUNPATH = 1, 5, 14, 15, 29

    def __init__(self, data):
        self.data, self.segments, self.entries = data, [], []
        at, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
        for i in range(count):
            kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", data, at + i * size)
            if kind == 1:  # loaded
                self.segments.append((address, offset, length))
            elif kind == 2:  # dynamic
                self.entries = [struct.unpack_from("<QQ", data, p) for p in range(offset, offset + length, 16)]
        self.texts = self.offset(next(value for tag, value in self.entries if tag == self.STRTAB))

    def offset(self, address):
        return next(address - start + offset for start, offset, length in self.segments
                    if start <= address < start + length)

    def places(self, *tags):
        return [self.texts + value for tag, value in self.entries if tag in tags]

    def names(self, *tags):
        return [self.data[at:self.data.index(b"\0", at)].decode() for at in self.places(*tags)]


def beside_itself(data):
    """The library without the build folder in its search path: where it is itself takes that place."""
    data, elf = bytearray(data), Elf(data)
    for at, path in zip(elf.places(Elf.RPATH, Elf.RUNPATH), elf.names(Elf.RPATH, Elf.RUNPATH)):
        new = b"$ORIGIN" if len(path) >= 7 else b""
        data[at:at + len(path)] = new.ljust(len(path), b"\0")
    return bytes(data)


def stripped(path, folder):
    """The file without debugging information, if there is a strip."""
    if shutil.which("strip") is None:
        return path
    copy = os.path.join(folder, os.path.basename(path))
    done = subprocess.run(["strip", "--strip-unneeded", "-o", copy, path], stderr=subprocess.DEVNULL)
    return copy if done.returncode == 0 else path


def needed_files(paths):
    """soname -> file of every library that these need and that no Linux has for certain, as the loader finds it."""
    found = {}
    for path in paths:
        listed = subprocess.run(["ldd", path], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
        for soname, file in re.findall(r"^\s*(\S+) => (/\S+)", listed, re.MULTILINE):
            if not soname.startswith(SYSTEM + (NAME,)):
                found[soname] = file
    return found


def libraries(build, folder):
    """name in libbinade/lib -> contents, of every shared library of the wheel."""
    own = own_libraries(build)
    if not sys.platform.startswith("linux"):
        return {os.path.basename(path): read_bytes(path) for path in own}
    files = {}
    for path in own:
        data = beside_itself(read_bytes(stripped(path, folder)))
        files[Elf(data).names(Elf.SONAME)[0]] = data
    for soname, path in needed_files(own).items():
        files[soname] = read_bytes(os.path.realpath(path))
    return files


def platform_tag(files):
    """The oldest Linux that the wheel runs on, by the versions of the C library's symbols that its libraries ask for.

    With glibc a wheel is manylinux_2_N (PEP 600) if no symbol is newer than glibc 2.N and if every library that they
    need is in the wheel or on every such Linux. In all other cases the tag is that of this platform alone.
    """
    machine = os.uname().machine
    plain = re.sub(r"[-.]", "_", sysconfig.get_platform())
    if not sys.platform.startswith("linux") or "musl" in (sysconfig.get_config_var("HOST_GNU_TYPE") or ""):
        return plain
    needed = {name for data in files.values() for name in Elf(data).names(Elf.NEEDED)}
    if any(name not in files and not name.startswith(SYSTEM) for name in needed):
        return plain
    minor = max(int(n) for data in files.values() for n in re.findall(rb"GLIBC_2\.(\d+)", data))
    return f"manylinux_2_{max(minor, 17)}_{machine}"


def licences(files):
    """name -> text: this project's licence, and those of the libraries that are carried, as Debian has them."""
    found = {"LICENSE": read("LICENSE").encode()}
    for soname in sorted(files):
        base = re.match(r"[a-z-]+", soname)[0].rstrip("-")
        for path in sorted(glob.glob(f"/usr/share/doc/{base}[0-9]*/copyright")) if not base.startswith(NAME) else []:
            found[f"{base}.copyright"] = read_bytes(path)
    for name in ("LGPL-3", "GPL-3", "GPL-2"):
        path = os.path.join("/usr/share/common-licenses", name)
        if len(found) > 1 and os.path.exists(path):
            found[name] = read_bytes(path)
    return found


# ---- the files ----

def write_wheel(path, entries, record):
    """A zip file whose bytes depend on the entries alone."""
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in entries:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr, info.compress_type = (0o755 if "/lib/" in name else 0o644) << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(info, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
        info = zipfile.ZipInfo(record, (1980, 1, 1, 0, 0, 0))
        info.external_attr = 0o644 << 16
        wheel.writestr(info, "".join(lines) + f"{record},,\n")


def info_files(tag):
    wheel = f"Wheel-Version: 1.0\nGenerator: libbinade_build\nRoot-Is-Purelib: false\nTag: {tag}\n"
    return [("METADATA", metadata().encode()), ("WHEEL", wheel.encode())]


def make_wheel(folder, build):
    with tempfile.TemporaryDirectory() as scratch:
        files = libraries(build, scratch)
    tag = "py3-none-" + platform_tag(files)
    info = f"{NAME}-{version()}.dist-info"
    entries = [(name, read_bytes(path)) for name, path in python_files()]
    entries += [(f"{NAME}/lib/{name}", data) for name, data in sorted(files.items())]
    entries += [(f"{info}/{name}", data) for name, data in info_files(tag)]
    entries += [(f"{info}/licenses/{name}", data) for name, data in sorted(licences(files).items())]
    os.makedirs(folder, exist_ok=True)
    name = f"{NAME}-{version()}-{tag}.whl"
    write_wheel(os.path.join(folder, name), entries, f"{info}/RECORD")
    return name


PYPROJECT = '''[build-system]
requires = []
build-backend = "libbinade_build"
backend-path = ["tools/python/backend"]
'''


def make_sdist(folder, tarball):
    """The release with the metadata that Python's tools look for at its top."""
    base = f"{NAME}-{version()}"
    os.makedirs(folder, exist_ok=True)
    with tarfile.open(tarball) as release, tarfile.open(os.path.join(folder, base + ".tar.gz"), "w:gz",
                                                        format=tarfile.PAX_FORMAT) as made:
        for member in release:
            data = release.extractfile(member) if member.isreg() else None
            member.name = base + "/" + member.name.partition("/")[2] if "/" in member.name else base
            made.addfile(member, data)
        for name, text in (("PKG-INFO", metadata()), ("pyproject.toml", PYPROJECT)):
            member = tarfile.TarInfo(f"{base}/{name}")
            member.size = len(text.encode())
            made.addfile(member, io.BytesIO(text.encode()))
    return base + ".tar.gz"


# ---- PEP 517 ----

def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = f"{NAME}-{version()}.dist-info"
    os.makedirs(os.path.join(metadata_directory, info), exist_ok=True)
    for name, data in info_files("py3-none-any")[:1]:
        with open(os.path.join(metadata_directory, info, name), "wb") as file:
            file.write(data)
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = os.environ.get("BINADE_BUILD")
    if build:
        return make_wheel(wheel_directory, os.path.abspath(build))
    with tempfile.TemporaryDirectory() as folder:
        build_libraries(folder)
        return make_wheel(wheel_directory, folder)


def build_sdist(sdist_directory, config_settings=None):
    with tempfile.TemporaryDirectory() as folder:
        top = source_top()
        if not os.path.exists(os.path.join(top, "configure")):
            subprocess.run(["autoreconf", "-fi"], cwd=top, check=True, stdout=sys.stderr)
        subprocess.run([os.path.join(top, "configure")], cwd=folder, check=True, stdout=sys.stderr)
        subprocess.run(["make", "dist"], cwd=folder, check=True, stdout=sys.stderr)
        return make_sdist(sdist_directory, glob.glob(os.path.join(folder, "binade-*.tar.gz"))[0])


def main(words):
    if len(words) == 2 and words[0] == "wheel":
        print(os.path.join(words[1], build_wheel(words[1])))
    elif len(words) == 3 and words[0] == "sdist":
        print(os.path.join(words[1], make_sdist(words[1], words[2])))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
