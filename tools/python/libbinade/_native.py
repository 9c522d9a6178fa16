"""The two shared libraries: where they are, and their calls with the types of _types.py.

`lib.bnd_encode_f32(...)` is a call of libbinade or of libbinade-lab, which is loaded when its first call is looked up.
`call("bnd_encode_f32", ...)` is for calls that return a bnd_status and take a bnd_error last: a failure is raised.
"""
import ctypes
import ctypes.util
import glob
import os
import sys

from . import _types


class Error(ValueError):
    """What the library refused, in its own words. `status` is its name ("BND_BAD_NAME"). `where` is an offset into the
    text that was read."""

    def __init__(self, status, where, message):
        super().__init__(message)
        self.status, self.where = status, where

    def __reduce__(self):
        return Error, (self.status, self.where, str(self))


Error.__module__ = "libbinade"  # where users see it


def _patterns(name):
    """How the files of a library may be called: libbinade has its version at the end, libbinade-lab in the middle."""
    if sys.platform == "darwin":
        return [f"lib{name}.dylib", f"lib{name}.*.dylib", f"lib{name}-[0-9]*.dylib"]
    if sys.platform == "win32":
        return [f"{name}.dll", f"lib{name}.dll", f"lib{name}-[0-9]*.dll"]
    return [f"lib{name}.so", f"lib{name}.so.*", f"lib{name}-[0-9]*.so"]


def _folders():
    """Where the libraries may be, best first: in this package (of a wheel), where `make install` put them, then in the
    prefix that the package is installed in."""
    here = os.path.dirname(os.path.abspath(__file__))
    folders, above = [os.path.join(here, "lib")], here
    try:
        from ._installed import LIBDIR
        folders.append(LIBDIR)
    except ImportError:
        pass
    while os.path.dirname(above) != above:
        above = os.path.dirname(above)
        folders += [os.path.join(above, name) for name in ("lib", "lib64", os.path.join("lib", "*-linux-gnu"))]
    return folders


def _candidates(name):
    """The files to try, best first. BINADE_LIBRARY names libbinade itself, or the folder of both libraries."""
    patterns, named = _patterns(name), os.environ.get("BINADE_LIBRARY")
    if named:
        folder = named if os.path.isdir(named) else os.path.dirname(named)
        found = [path for p in patterns for path in sorted(glob.glob(os.path.join(folder, p)))]
        return [named] if name == "binade" and not os.path.isdir(named) else found
    found = [path for folder in _folders() for p in patterns for path in sorted(glob.glob(os.path.join(folder, p)))]
    by_loader = ctypes.util.find_library(name)
    return found + ([by_loader] if by_loader else []) + patterns[:1]


def _load_carried():
    """Loads what the libraries in a wheel need, so that the loader has it when they are loaded. OpenMP is the system's
    if there is one, since other packages use the same."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
    for soname in ("libgomp.so.1", "libgmp.so.10", "libmpfr.so.6", "libjansson.so.4"):
        path = os.path.join(folder, soname)
        for file in ((soname, path) if "gomp" in soname else (path,)) if os.path.exists(path) else ():
            try:
                ctypes.CDLL(file)
                break
            except OSError:
                continue


def _load(name):
    tried = []
    _load_carried()
    for path in _candidates(name):
        try:
            # The laboratory needs libbinade's calls, which the loader finds by its soname once it is loaded.
            return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        except OSError as why:
            tried.append(f"{path}: {why}")
    raise ImportError(f"lib{name} was not found. Set BINADE_LIBRARY to the folder of the shared libraries. Tried:\n  "
                      + "\n  ".join(tried or [os.environ.get("BINADE_LIBRARY", "")]))


class _Library:
    """The calls of both libraries as attributes."""

    def __init__(self):
        self._handles = {}

    def _handle(self, name):
        if name not in self._handles:
            self._handles[name] = _load(name)
        return self._handles[name]

    def __getattr__(self, name):
        library = "binade" if name in _types.NUMBER else "binade-lab" if name in _types.LAB else None
        if library is None:
            raise AttributeError(name)
        handle = self._handle(library)
        try:
            function = getattr(handle, name)
        except AttributeError:
            raise ImportError(f"{handle._name} has no {name}: it is of another version than this package") from None
        function.restype, function.argtypes = (_types.NUMBER if library == "binade" else _types.LAB)[name]
        setattr(self, name, function)
        return function


lib = _Library()
__version__ = lib.bnd_version().decode()
if __version__ != _types.VERSION:
    raise ImportError(f"{lib._handle('binade')._name} is version {__version__}, and this package is {_types.VERSION}")


def call(name, *arguments):
    """Makes a call that may fail. The bnd_error, its last argument, is added here."""
    why = _types.bnd_error()
    status = getattr(lib, name)(*arguments, ctypes.byref(why))
    if status != _types.BND_OK:
        known = lib.bnd_status_name(status).decode() or str(status)
        message = why.message.decode("utf-8", "replace")
        raise MemoryError(message) if status == _types.BND_NO_MEMORY else Error(known, why.where, message)


def brief(value):
    """A value as messages have it: what it would take to write it, but no more than a line of that."""
    written = repr(value)
    return written if len(written) <= 80 else f"{written[:60]}... ({len(written):,} characters)"


def text(value, what):
    """A str as the bytes that the library reads."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is a str, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{what} has a NUL character in it")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} has half of a surrogate pair in it: {value[:60]!a}") from None
