"""Ways in which casts go wrong, each as a function that makes the same mistake.

A fault takes a Cast (what is asked, and its numbers) and returns codes, or None where it cannot happen. Its name says
what the tested function does. To add one, add a function with @fault.
"""
import sys

import numpy

import libbinade as bd

FAULTS = []
_EMAX = sys.float_info.max_exp - 1  # no array has numbers beyond formats with this exponent or larger ones


def fault(name):
    """Adds a function to FAULTS."""
    def add(function):
        FAULTS.append((name, function))
        return function
    return add


class Cast:
    """Numbers x and how they are asked to become codes of f."""

    def __init__(self, x, f, rule):
        self.x, self.f, self.rule = x, f, rule
        self.word = f.dtype.type

    def codes(self, x=None, f=None, **changes):
        return bd.encode(self.x if x is None else x, f or self.f, **{**self.rule, **changes})

    def plain(self, f, **changes):
        """Codes of another format, which the dialect may not know."""
        return bd.encode(self.x, f, **{"rounding": self.rule.get("rounding"), **changes})

    @property
    def sign(self):
        return numpy.where(numpy.signbit(self.x), self.word(1 << (self.f.width - 1)), self.word(0))

    @property
    def wide(self):
        """The magnitudes in float64, 0 for those that are not finite."""
        return numpy.where(numpy.isfinite(self.x), numpy.abs(self.x), 0).astype(numpy.float64)

    @property
    def exponents(self):
        """The exponent of each number's quantum in f."""
        _, e = numpy.frexp(self.wide)
        return numpy.maximum(e - 1, self.f.emin) - self.f.fraction_bits

    @property
    def below_normal(self):
        return (self.wide < self.f.smallest_normal) & numpy.isfinite(self.x)

    @property
    def ties(self):
        """Which numbers are halfway between two neighbours in f."""
        halves = numpy.ldexp(self.wide, 1 - self.exponents)
        if self.f.has_subnormals:
            return halves % 2 == 1
        middle = self.f.smallest / 2 if self.f.has_zero else numpy.nan  # nothing else lies below the smallest number
        return numpy.where(self.wide < self.f.smallest, self.wide == middle, halves % 2 == 1)


def _rounds_twice(through):
    def codes(cast):
        middle = bd.Format(through)
        if middle.precision <= cast.f.precision or middle.precision >= numpy.finfo(cast.x.dtype).nmant + 1:
            return None
        return cast.codes(bd.round(cast.x, middle))
    return codes


for _name in ("fp16", "bf16", "tf32", "fp32"):
    fault(f"rounds twice: first to {_name}")(_rounds_twice(_name))


@fault("gives subnormal results as zero")
def _flush_out(cast):
    return cast.codes(flush="out")


@fault("gives tiny results as zero, as FTZ does")
def _flush_tiny(cast):
    return cast.codes(flush="tiny")


@fault("gives zero for every number below the smallest normal number")
def _zero_below(cast):
    return cast.codes(numpy.where(cast.below_normal, numpy.copysign(cast.x.dtype.type(0), cast.x), cast.x))


@fault("reads subnormal inputs as zero")
def _flush_in(cast):
    return cast.codes(flush="in")


@fault("truncates subnormal results")
def _truncated(cast):
    return numpy.where(cast.below_normal, cast.codes(rounding="rtz"), cast.codes())


@fault("rounds ties away from zero in subnormal results only")
def _away_below(cast):
    return numpy.where(cast.below_normal, cast.codes(rounding="rna"), cast.codes())


@fault("shifts subnormal results by one bit too many")
def _shifted(cast):
    return numpy.where(cast.below_normal, cast.codes(cast.x / cast.x.dtype.type(2)), cast.codes())


@fault("gives the smallest number where a number other than zero rounds to zero")
def _never_zero(cast):
    codes = cast.codes()
    zero = (codes & cast.word((1 << (cast.f.width - 1)) - 1)) == 0
    return numpy.where(zero & (cast.wide > 0), codes | cast.sign | cast.word(1), codes)


@fault("loses the carry from the fraction into the exponent")
def _no_carry(cast):
    codes, cut = cast.codes(), cast.codes(rounding="rtz")
    bits = cast.word(cast.f.fraction_bits)
    carried = (codes != cut) & ((codes >> bits) != (cut >> bits)) & numpy.isfinite(cast.x) & (codes > cut)
    return numpy.where(carried, codes - cast.word(1 << cast.f.fraction_bits), codes)


def _few_bits(bits):
    def codes(cast):
        last = cast.exponents - bits
        with numpy.errstate(all="ignore"):
            cut = numpy.ldexp(numpy.trunc(numpy.ldexp(cast.wide, -last)), last)
            cut = numpy.copysign(cut, cast.x).astype(cast.x.dtype)
        return numpy.where(numpy.isfinite(cast.x), cast.codes(cut), cast.codes())
    return codes


fault("looks at one bit behind the last place only, and not at the bits after it")(_few_bits(1))
fault("looks at two bits behind the last place only, and not at the bits after them")(_few_bits(2))
fault("looks at three bits behind the last place only, and not at the bits after them")(_few_bits(3))


@fault("rounds ties toward zero")
def _ties_to_zero(cast):
    return numpy.where(cast.ties, cast.codes(rounding="rtz"), cast.codes(rounding="rne"))


@fault("rounds ties toward plus infinity, as floor(x + 0.5) does")
def _ties_up(cast):
    down = cast.ties & numpy.signbit(cast.x)
    return numpy.where(down, cast.codes(rounding="rtz"), cast.codes(rounding="rna"))


@fault("overflows before rounding: every number above the maximum")
def _early_overflow(cast):
    beyond = numpy.isfinite(cast.x) & (cast.wide > cast.f.max)
    huge = numpy.copysign(numpy.finfo(cast.x.dtype).max, cast.x)
    return cast.codes(numpy.where(beyond, huge, cast.x))


@fault("takes the code after the largest number for the next number, and saturates above it")
def _one_beyond(cast):
    f = cast.f
    if f.emax >= _EMAX or f.max_code + 1 >= 1 << f.width:
        return None
    step = 2.0 ** (f.emax - f.fraction_bits)
    beyond = numpy.isfinite(cast.x) & (cast.wide > f.max + step / 2) & (cast.wide < f.max + step * 1.5)
    codes = cast.codes(overflow="saturate")
    codes = numpy.where(numpy.isfinite(cast.x), codes, cast.codes())
    return numpy.where(beyond, cast.word(f.max_code + 1) | cast.sign, codes)


@fault("lets exponents beyond the maximum wrap around")
def _wraps(cast):
    f = cast.f
    if f.emax >= _EMAX:
        return None
    largest = 2.0 ** (f.emax + 1)
    beyond = numpy.isfinite(cast.x) & (cast.wide >= largest)
    power, e = numpy.frexp(cast.wide)
    fraction = ((power * 2 - 1) * (1 << f.fraction_bits)).astype(numpy.int64)
    wrapped = (((e - 1 + f.bias) << f.fraction_bits) + fraction) & ((1 << (f.width - 1)) - 1)
    return numpy.where(beyond, wrapped.astype(f.dtype) | cast.sign, cast.codes())


def _nan_becomes(value):
    def codes(cast):
        return numpy.where(numpy.isnan(cast.x), cast.codes(numpy.array([value], cast.x.dtype)), cast.codes())
    return codes


fault("gives zero for NaN")(_nan_becomes(0.0))
fault("gives for NaN what it gives for infinity")(_nan_becomes(numpy.inf))


@fault("gives the largest number for NaN")
def _nan_largest(cast):
    return numpy.where(numpy.isnan(cast.x), cast.word(cast.f.max_code), cast.codes())


@fault("gives infinity for a NaN whose payload is in the lost bits")
def _nan_infinity(cast):
    word, fraction = (numpy.uint64, 52) if cast.x.dtype == numpy.float64 else (numpy.uint32, 23)
    if not cast.f.has_infinity or cast.f.fraction_bits > fraction:
        return None
    kept = (cast.x.view(word) & word((1 << fraction) - 1)) >> word(fraction - cast.f.fraction_bits)
    cut = (kept | word(cast.f.infinity_code)).astype(cast.f.dtype) | cast.sign
    return numpy.where(numpy.isnan(cast.x), cut, cast.codes())


@fault("cuts the payload of NaN and leaves it signaling, as numpy's astype(float16) does")
def _nan_cut(cast):
    codes = _nan_infinity(cast)
    if codes is None:
        return None
    lost = (codes & cast.word(cast.f.infinity_code)) == (codes & cast.word((1 << (cast.f.width - 1)) - 1))
    return numpy.where(numpy.isnan(cast.x) & lost, codes | cast.word(1), codes)


@fault("gives the code of all ones for every NaN, as PyTorch 1.13 does for bf16 in vectors")
def _nan_all_ones(cast):
    if not cast.f.ieee_nans:
        return None
    return numpy.where(numpy.isnan(cast.x), cast.word((1 << cast.f.width) - 1), cast.codes())


@fault("rounds NaN as if it were a number")
def _nan_carries(cast):
    if cast.f.name != "bf16" or cast.x.dtype != numpy.float32:
        return None
    bits = cast.x.view(numpy.uint32)
    return ((bits + numpy.uint32(0x7fff) + ((bits >> numpy.uint32(16)) & numpy.uint32(1))) >> numpy.uint32(16)
            ).astype(numpy.uint16)


@fault("loses the sign of NaN")
def _nan_positive(cast):
    codes = cast.codes()
    return numpy.where(numpy.isnan(cast.x), codes & cast.word((1 << (cast.f.width - 1)) - 1), codes)


@fault("gives +0 for -0")
def _zero_positive(cast):
    return numpy.where(cast.x == 0, cast.word(0), cast.codes())


@fault("gives +0 for every result that is zero")
def _all_zeros_positive(cast):
    codes = cast.codes()
    return numpy.where((codes & cast.word((1 << (cast.f.width - 1)) - 1)) == 0, cast.word(0), codes)


@fault("drops the sign")
def _no_sign(cast):
    return cast.codes(numpy.abs(cast.x))


@fault("gives the bytes of each code in the other order")
def _swapped(cast):
    return cast.codes().byteswap() if cast.f.width in (16, 32) else None


@fault("gives half of the right number: the exponent is one too small")
def _half(cast):
    return cast.codes(cast.x / cast.x.dtype.type(2))


@fault("gives twice the right number: the exponent is one too large")
def _twice(cast):
    with numpy.errstate(all="ignore"):
        return cast.codes(cast.x * cast.x.dtype.type(2))
