"""Inputs for casts: named sets of numbers, and numbers chosen for a format."""
import numpy

import libbinade as bd

from .._native import brief

_SOURCES = {"fp64": (numpy.float64, 64), "fp32": (numpy.float32, 32), "fp16": (numpy.float32, 16),
            "bf16": (numpy.float32, 16)}
PIECE = 1 << 22


def number_type(source):
    """The numpy type that holds every number of a source format."""
    return _SOURCES[source][0]


def _every_code(name):
    """The numbers of all codes of a format, in pieces."""
    f = bd.Format(name)
    if not 0 < f.width <= 32:
        raise ValueError(f"all-{name}: {f.name} has {f.width} bits; sets of all codes end at 32 bits")
    if f.name == "fp32":
        return (numpy.arange(first, first + PIECE, dtype=numpy.uint32).view(numpy.float32)
                for first in range(0, 1 << 32, PIECE))
    return (bd.decode(numpy.arange(first, min(first + PIECE, 1 << f.width), dtype=f.dtype), f)
            for first in range(0, 1 << f.width, PIECE))


def landmarks(f, dtype):
    """Numbers where casts to f go wrong: each value of f and the middle between neighbours, with the numbers next to
    them; the limits; both zeros, infinities and NaNs."""
    if 0 < f.width <= 16:
        codes = numpy.arange(1 << f.width, dtype=numpy.uint32).astype(f.dtype)
        values = bd.decode(codes, f, dtype=numpy.float64)
    else:
        powers = numpy.ldexp(1.0, numpy.arange(max(f.emin - f.fraction_bits - 2, -1000), min(f.emax + 2, 1000)))
        values = numpy.concatenate([powers, powers * (2 - 2.0 ** -f.fraction_bits)])
    values = numpy.unique(numpy.abs(values[numpy.isfinite(values)]))
    step = numpy.diff(values)[-1:] if len(values) > 1 else values
    with numpy.errstate(all="ignore"):
        middles = numpy.concatenate([(values[1:] + values[:-1]) / 2, values[-1:] + step / 2, values[-1:] + step,
                                     values[-1:] * 2, values[-1:] * 1024])
        points = numpy.concatenate([values, middles]).astype(dtype)
        points = numpy.concatenate([points, numpy.nextafter(points, dtype(numpy.inf)),
                                    numpy.nextafter(points, dtype(0))])
    tiny, top = numpy.finfo(dtype).tiny, numpy.finfo(dtype).max
    points = numpy.concatenate([points, numpy.array([0, tiny, tiny / 2, top, numpy.inf], dtype),
                                numpy.nextafter(numpy.zeros(1, dtype), dtype(1))])
    points = numpy.concatenate([points, -points])
    word = numpy.uint64 if dtype == numpy.float64 else numpy.uint32
    fraction = 52 if dtype == numpy.float64 else 23
    infinity = numpy.array(numpy.inf, dtype).view(word)
    payloads = numpy.array([1, 2, 1 << (fraction - 1), (1 << (fraction - 1)) + 1, (1 << fraction) - 1, 1 << 7], word)
    nans = numpy.concatenate([infinity | payloads, infinity | payloads | (word(1) << word(8 * word().itemsize - 1))])
    return numpy.concatenate([points, nans.view(dtype)])


def _sampled(f, dtype, count, seed):
    """Numbers with random bits, and as many again whose magnitudes f can hold."""
    draw = numpy.random.default_rng(seed)
    word = numpy.uint64 if dtype == numpy.float64 else numpy.uint32
    anywhere = draw.integers(0, numpy.iinfo(word).max, count - count // 2, word, endpoint=True).view(dtype)
    low, high = (min(max(e, -1000), 1000) for e in (f.emin - f.fraction_bits - 2, f.emax + 2))
    with numpy.errstate(all="ignore"):
        inside = numpy.ldexp(1 + draw.random(count // 2), draw.integers(low, high, count // 2, endpoint=True))
        inside = (inside * draw.choice([-1.0, 1.0], count // 2)).astype(dtype)
    return numpy.concatenate([anywhere, inside])


def pieces(inputs, f, source, seed):
    """The inputs as arrays of numbers that the source has, in pieces. `inputs` is an array, or names joined by "+":
    all-FORMAT (every code), sampled-fp32, sampled-fp64, with a count after a colon, and landmarks."""
    dtype = number_type(source)
    if not isinstance(inputs, str):
        given = numpy.asarray(inputs)
        if given.dtype.kind not in "biuf" or isinstance(inputs, numpy.ma.MaskedArray):
            raise TypeError(f"inputs must be an array of real numbers, or names of inputs, not {brief(inputs)}")
        yield from _held(given.ravel().astype(dtype, copy=False), source)
        return
    for name in inputs.split("+"):
        kind, _, count = name.partition(":")
        if kind == "landmarks":
            found = iter([landmarks(f, dtype)])
        elif kind in ("sampled-fp32", "sampled-fp64"):
            if count and not count.isdigit():
                raise ValueError(f"inputs: {brief(name)}: after the colon is a count")
            own = numpy.float64 if kind == "sampled-fp64" and dtype == numpy.float64 else numpy.float32
            found = iter([_sampled(f, own, int(count or 200000), seed), landmarks(f, own)])
        elif kind.startswith("all-"):
            found = _every_code(kind[4:])
        else:
            raise ValueError(f"inputs: {brief(name)} is not known; there are all-FORMAT, sampled-fp32, sampled-fp64 "
                             "and landmarks, joined by +, or an array")
        for piece in found:
            with numpy.errstate(all="ignore"):
                yield from _held(piece.astype(dtype, copy=False), source)


def _held(x, source):
    """x without the numbers that the source does not have."""
    if source == "bf16":
        x = x[x.view(numpy.uint32) & 0xffff == 0]
    elif source == "fp16":
        x = x[(bd.round(x, "fp16") == x) | numpy.isnan(x)]
    if x.size > 0:
        yield x
