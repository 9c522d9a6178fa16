"""An open checkpoint: its stored tensors as arrays, its weights as float32."""
import ctypes
import json
import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

from . import _types
from ._arrays import numpy as np
from ._lab import Handle, Result, call_about, path_of, shape_at
from ._native import call, lib, text
from ._options import context_of

Path = Union[str, "os.PathLike[str]"]
Progress = Callable[[int, int], Any]


def decoded(value):
    return value.decode("utf-8", "replace") if value is not None else None


class _Memory:
    """Memory of a checkpoint as numpy takes it. It keeps the checkpoint open as long as there are arrays."""

    def __init__(self, handle, address, typestr, shape):
        self._handle = handle
        self.__array_interface__ = {"version": 3, "data": (address, True), "typestr": typestr, "shape": shape}


# The types of numpy for stored numbers, by the name of their format.
_FLOATS = {"fp64": "<f8", "fp32": "<f4", "fp16": "<f2"}


def _stored_type(t):
    """The numpy type and the shape of a stored tensor: its numbers, or codes or bytes where numpy has no such type."""
    shape = shape_at(t.shape, t.rank)
    if t.kind == _types.BND_STORED_FLOAT and t.bits >= 8:
        return _FLOATS.get(t.format.contents.name.decode(), f"<u{t.bits // 8}"), shape
    if t.kind == _types.BND_STORED_INTEGER and t.bits in (8, 16, 32, 64):
        return f"<{'i' if t.is_signed else 'u'}{t.bits // 8}", shape
    if t.kind == _types.BND_STORED_OTHER and t.dtype in (b"BOOL", b"|b1"):
        return "|b1", shape
    codes = 8 // t.bits if t.bits in (1, 2, 4) else 0
    if codes and shape and shape[-1] % codes == 0:  # codes in bytes, the last axis packed
        return "|u1", shape[:-1] + (shape[-1] // codes,)
    return "|u1", (t.size,)


class Checkpoint:
    """An open checkpoint: a mapping from the names of its stored tensors to numpy arrays.

    Arrays are views of the mapped file, and read-only: nothing is copied. What numpy has no type for are codes (BF16:
    uint16; FP8: uint8; 4 bits: two codes per byte) or bytes (blocks of GGUF). `weight` decodes instead.

    >>> import tempfile, struct
    >>> header = b'{"w":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}'
    >>> path = tempfile.mkdtemp() + "/one.safetensors"
    >>> with open(path, "wb") as file:
    ...     _ = file.write(struct.pack("<Q", len(header)) + header + struct.pack("<HH", 0x3F80, 0xC000))
    >>> checkpoint = open_checkpoint(path)
    >>> list(checkpoint), checkpoint.dtype("w"), checkpoint.shape("w")
    (['w'], 'BF16', (2,))
    >>> checkpoint["w"]
    array([16256, 49152], dtype=uint16)
    >>> checkpoint.weight("w")
    array([ 1., -2.], dtype=float32)
    """

    def __init__(self, path: Path, strict: bool = True):
        name, found = path_of(path), []
        handle = Handle("bnd_checkpoint_free")
        report = None if strict else _types.bnd_checkpoint_damage(
            lambda _, *what: found.append(tuple(map(decoded, what))))
        call_about(os.fsdecode(name), "bnd_checkpoint_new", handle.out, name, report, None)
        self._handle: Optional[Handle] = handle
        self.path, self._strict = os.fsdecode(name), bool(strict)
        #: What is wrong with the files, if strict is False: (code, where, message).
        self.damage: List[Tuple[str, str, str]] = found

    def __reduce__(self):
        """A copy, or one in another process, opens the files again."""
        self._open()
        return Checkpoint, (self.path, self._strict)

    def _open(self):
        if self._handle is None:
            raise ValueError(f"{self.path} is closed")
        return self._handle.value

    def close(self) -> None:
        """Closes the files when the last array of them is gone."""
        self._handle = None

    def __enter__(self) -> "Checkpoint":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    # ---- stored tensors ----

    def __len__(self) -> int:
        return lib.bnd_checkpoint_count(self._open())

    def __iter__(self) -> Iterator[str]:
        handle = self._open()
        return iter([decoded(lib.bnd_checkpoint_at(handle, i).contents.name) for i in range(len(self))])

    def __contains__(self, name) -> bool:
        if not isinstance(name, str) or "\0" in name:
            return False
        return bool(lib.bnd_checkpoint_find(self._open(), name.encode(errors="surrogatepass")))

    def keys(self) -> List[str]:
        """The names of the stored tensors, file by file, in the order of the data."""
        return list(self)

    def values(self) -> Iterator[np.ndarray]:
        """The arrays, in the order of keys()."""
        return (self[name] for name in self)

    def items(self) -> Iterator[Tuple[str, np.ndarray]]:
        """Names and arrays."""
        return ((name, self[name]) for name in self)

    def get(self, name: str, default: Any = None) -> Any:
        """The array of a stored tensor; the default if there is none of this name."""
        return self[name] if name in self else default

    def _stored(self, name):
        found = lib.bnd_checkpoint_find(self._open(), text(name, "the name of a tensor"))
        if not found:
            raise KeyError(f"{self.path} has no tensor {name!r}")
        return found.contents

    def __getitem__(self, name: str) -> np.ndarray:
        t = self._stored(name)
        kind, shape = _stored_type(t)
        if t.size == 0:
            return np.empty(shape, dtype=kind)
        return np.asarray(_Memory(self._handle, t.data, kind, shape))

    def dtype(self, name: str) -> str:
        """The type of a stored tensor, as its file calls it: "BF16", "F8_E4M3"; in GGUF "MXFP4"."""
        return decoded(self._stored(name).dtype)

    def shape(self, name: str) -> Tuple[int, ...]:
        """The shape of a stored tensor, the slowest axis first."""
        t = self._stored(name)
        return shape_at(t.shape, t.rank)

    # ---- weights ----

    @property
    def weights(self) -> List[str]:
        """The names of the weights, as an unquantized checkpoint has them. A quantized weight is several tensors."""
        handle = self._open()
        return [decoded(lib.bnd_checkpoint_weight_at(handle, i).contents.name)
                for i in range(lib.bnd_checkpoint_weights(handle))]

    def _weight(self, name):
        found = lib.bnd_checkpoint_find_weight(self._open(), text(name, "the name of a weight"))
        if not found:
            raise KeyError(f"{self.path} has no weight {name!r}")
        return found

    def weight(self, name: str, out: Optional[np.ndarray] = None, threads: Optional[int] = None) -> np.ndarray:
        """The numbers of a weight as float32: of quantized weights the product of codes and scales, rounded once."""
        found = self._weight(name)
        shape = shape_at(found.contents.shape, found.contents.rank)
        if out is None:
            out = np.empty(shape, dtype=np.float32)
        elif not (isinstance(out, np.ndarray) and out.dtype == np.float32 and out.shape == shape
                  and out.flags.c_contiguous and out.flags.writeable):
            raise ValueError(f"out must be a writable, C-contiguous array of float32 with the shape {shape}")
        context = context_of(threads)
        call("bnd_decode_weight_f32", ctypes.c_void_p(out.ctypes.data), found, 0, found.contents.count,
             ctypes.byref(context))
        return out

    def describe(self, name: str) -> Result:
        """How a weight is stored: layout ("" where it is one tensor), dtype, shape, bits per element, and its tensors
        by part ("codes", "scales" ...)."""
        found = self._weight(name)
        w = found.contents
        parts = {decoded(lib.bnd_layout_part_name(i)): decoded(part.contents.name)
                 for i, part in enumerate(w.parts) if part}
        return Result(name=decoded(w.name), layout=decoded(w.layout.contents.name) if w.layout else "",
                      dtype=stored_as(found), shape=list(shape_at(w.shape, w.rank)), elements=w.count,
                      bits_per_element=w.bits_per_element, decodes=w.is_float, why_not=decoded(w.why_not) or "",
                      parts=parts)

    # ---- the rest ----

    @property
    def kind(self) -> str:
        """What kind of files it has: safetensors, gguf or npy."""
        return ("safetensors", "gguf", "npy")[lib.bnd_checkpoint_kind_of(self._open())]

    @property
    def files(self) -> Dict[str, int]:
        """The files with tensors, and their sizes in bytes."""
        handle = self._open()
        return {os.fsdecode(lib.bnd_checkpoint_file_name(handle, i)): lib.bnd_checkpoint_file_size(handle, i)
                for i in range(lib.bnd_checkpoint_files(handle))}

    @property
    def metadata(self) -> Dict[str, str]:
        """The texts of __metadata__, or the strings of GGUF."""
        handle = self._open()
        pairs = (lib.bnd_checkpoint_metadata_at(handle, i).contents
                 for i in range(lib.bnd_checkpoint_metadata_count(handle)))
        return {decoded(pair.key): decoded(pair.value) for pair in pairs}

    @property
    def config(self) -> Optional[dict]:
        """config.json of the folder; None if there is none."""
        length = ctypes.c_size_t()
        found = lib.bnd_checkpoint_text(self._open(), b"config.json", ctypes.byref(length))
        if found is None:
            return None
        try:
            return json.loads(found.decode())
        except (ValueError, RecursionError) as why:
            folder = self.path if os.path.isdir(self.path) else os.path.dirname(self.path)
            raise ValueError(f"{os.path.join(folder, 'config.json')} cannot be read as JSON: {why}") from None

    def __repr__(self) -> str:
        if self._handle is None:
            return f"Checkpoint({self.path!r}, closed)"
        size = sum(self.files.values())
        return f"Checkpoint({self.path!r}: {len(self)} tensors in {len(self.files)} files of {size:,} bytes)"


def open_checkpoint(path: Path, strict: bool = True) -> Checkpoint:
    """Opens a checkpoint: a file or a folder. With strict=False, damage that leaves something to read is not an error:
    it is in `.damage`, and tensors that are not complete are left out."""
    return Checkpoint(path, strict)


def opened_of(checkpoint):
    return checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(checkpoint)


def stored_as(weight):
    """The layout of a weight, or its dtype."""
    return decoded(lib.bnd_stored_as(weight))
