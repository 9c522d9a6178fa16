"""Exact rationals as the judge of casts of operands: Four Over Six, MS-EDEN, scales that clamp nothing, integers,
UE5M3, tiles with powers of two. Each model follows the publication that it names, not the library. Only the random bits
and the order of a Hadamard transform's additions are the library's (doc/reference/random-bits.md, binade/block.h).

BND_THROUGH is tests/tensor/cast_through."""
import os
import subprocess
from fractions import Fraction as F

import numpy as np

from checks import check, conclude

THROUGH = os.environ["BND_THROUGH"].split()
SEED, STEP = 5, 3
ELEMENTS, SCALES = 1, 2  # the second and the third cast of the forward product, whose result is the first


def cast(x, recipe, part="x", step=STEP):
    rows, columns = x.shape
    done = subprocess.run([*THROUGH, recipe, part, str(rows), str(columns), str(SEED), str(step)],
                          input=x.astype("<f4").tobytes(), capture_output=True)
    if done.returncode != 0:
        print(recipe, done.stderr.decode())
        return np.full(x.shape, np.nan)
    return np.frombuffer(done.stdout, "<f4").reshape(x.shape)


# ---- random bits: Philox4x32-10 ----

M = 0xffffffff


def philox(seed, purpose, block):
    a, b, c, d, k, l = block & M, block >> 32, purpose & M, purpose >> 32, seed & M, seed >> 32
    for _ in range(10):
        p, q = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = q >> 32 ^ b ^ k, q & M, p >> 32 ^ d ^ l, p & M
        k, l = k + 0x9E3779B9 & M, l + 0xBB67AE85 & M
    return a | b << 32 | c << 64 | d << 96


def random(seed, purpose, i):
    return philox(seed, purpose, i) & (1 << 64) - 1


def random_bits(purpose, i, n):
    field = 16 if n <= 16 else 32
    return philox(SEED, purpose, i * field // 128) >> i * field % 128 & (1 << n) - 1


# ---- number formats: precision, exponent of the least normal number, largest number ----

E2M1, E4M3, UE5M3 = (2, 0, F(6)), (4, -6, F(448)), (4, -14, F(114688))
INT8, INT4 = (7, 0, F(127, 64)), (3, 2, F(7))


def exponent(x):
    """floor(log2 x), exactly."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if F(2) ** e <= x else e - 1


def round_to(form, x, up):
    """|x| in units of the last place, cut; `up` says by the rest and the cut number whether it is one more."""
    precision, least, most = form
    if x == 0:
        return F(0)
    unit = F(2) ** (max(exponent(abs(x)), least) + 1 - precision)
    whole, rest = divmod(abs(x), unit)
    size = min((whole + up(rest / unit, int(whole))) * unit, most)
    return size if x > 0 else -size


def nearest(form, x):
    return round_to(form, x, lambda rest, whole: rest > F(1, 2) or rest == F(1, 2) and whole % 2 == 1)


def tie_even(x):
    return nearest((200, 0, F(2) ** 150), x)


def stochastic(form, x, bits, random):
    """P3109's C: up where the rest, to nearest in units of 2^-bits, and the random bits make 1."""
    def up(rest, _):
        scaled = rest * 2 ** bits
        whole = scaled.numerator // scaled.denominator
        part = scaled - whole
        return whole + (part > F(1, 2) or part == F(1, 2) and whole % 2 == 1) + random >= 2 ** bits
    return round_to(form, x, up)


def fp32(x):
    return F(float(np.float32(float(x))))


def exact(x):
    return [F(float(v)) for v in x]


def numbers(rows, columns, seed):
    """Of very different sizes from block to block; a block of zeros is among them."""
    generator = np.random.default_rng(seed)
    sizes = 2.0 ** generator.integers(-5, 4, (rows, columns // 16))
    x = generator.standard_normal((rows, columns)) * sizes.repeat(16, 1)
    x[-1, :16] = 0
    return x.astype("<f4")


def blocks(x, size):
    """(index of the first element, rationals) of each block of a row."""
    rows, columns = x.shape
    for row in range(rows):
        for column in range(0, columns, size):
            yield row * columns + column, exact(x[row, column:column + size])


def compare(got, expected, what):
    """expected: rationals, or fp32 numbers."""
    want = np.array([float(v) for v in expected], "<f8").astype("<f4")
    wrong = int((got.ravel() != want).sum())
    check(wrong == 0, f"{what}: {wrong} of {want.size} differ")


def amax_of(block):
    return max(abs(v) for v in block)


# ---- casts ----

def by_rule(x, size, form, scale_of):
    """Elements to nearest in units of scale_of(block)."""
    out = []
    for _, block in blocks(x, size):
        scale = scale_of(block)
        out += [nearest(form, v / scale) * scale for v in block]
    return out


def ceiling(form):
    """2^ceil(log2(amax / max)), 1 for zeros."""
    def scale(block):
        amax = amax_of(block)
        quotient = amax / form[2]
        if amax == 0:
            return F(1)
        return F(2) ** (exponent(quotient) + (F(2) ** exponent(quotient) < quotient))
    return scale


def nv_scale(form, tensor):
    least = F(1, 64)
    return lambda block: max(nearest(E4M3, amax_of(block) / (form[2] * tensor)), least) * tensor


def test_rules():
    x = numbers(5, 64, 1)
    compare(cast(x, "gemm_fwd.x=mxint8"), by_rule(x, 32, INT8, ceiling(INT8)), "MXINT8, 2510.25602")
    tensor = fp32(amax_of(exact(x.ravel())) / (7 * 448))
    compare(cast(x, "gemm_fwd.x=nvint4"), by_rule(x, 16, INT4, nv_scale(INT4, tensor)), "NVINT4, 2510.25602")
    scale = lambda block: max(nearest(UE5M3, amax_of(block) / 6), F(1, 1 << 14)) if amax_of(block) else F(1)
    compare(cast(x, "gemm_fwd.x=e2m1/row:16:ue5m3"), by_rule(x, 16, E2M1, scale), "UE5M3 scales")
    compare(cast(x, "gemm_fwd.x=e4m3/tile:1x32:e8m0"), by_rule(x, 32, E4M3, ceiling(E4M3)), "UE8M0 scales of tiles")


def four_six(x):
    """2512.02010: tensor scale amax / (6 256), block scales amax / 6 and amax / 4, the one with the smaller error."""
    tensor = fp32(amax_of(exact(x.ravel())) / (6 * 256))
    out, fours = [], 0
    for _, block in blocks(x, 16):
        best = None
        for top in (6, 4):
            scale = max(nearest(E4M3, amax_of(block) / (top * tensor)), F(1, 64)) * tensor
            y = [nearest(E2M1, v / scale) * scale for v in block]
            error = sum((a - b) ** 2 for a, b in zip(y, block))
            if best is None or error < best[0]:
                best = error, y, top
        out += best[1]
        fours += best[2] == 4
    return out, fours


def test_four_six():
    x = numbers(8, 64, 2)
    expected, fours = four_six(x)
    compare(cast(x, "gemm_fwd.x=e2m1/nvfp4:fouroversix"), expected, "4/6, 2512.02010")
    check(5 <= fours <= 27, f"both scales are chosen: {fours} of 32 blocks have amax / 4")


def test_unclamped_mx():
    """2502.20586, algorithm 2: SR(3/4 x / 2^(floor(log2 amax) - 2)); here each operand times 4/3, the paper's product
    times 16/9."""
    x, bits = numbers(3, 64, 3), 4
    out, worst, clamped = [], F(0), 0
    for first, block in blocks(x, 32):
        scale = F(2) ** (exponent(amax_of(block)) - 2)
        for i, v in enumerate(block):
            scaled = fp32(v * F(3, 4)) / scale
            clamped += abs(scaled) > 6
            y = stochastic(E2M1, scaled, bits, random_bits(STEP << 32 | ELEMENTS, first + i, bits)) * scale
            out.append(fp32(y * fp32(F(4, 3))))
            mean = sum(stochastic(E2M1, scaled, bits, r) for r in range(1 << bits)) / (1 << bits)
            worst = max(worst, abs(mean - scaled))
    compare(cast(x, f"gemm_fwd.x=e2m1:sr:{bits}/mx:unclamped"), out, "MXFP4 without clamping, 2502.20586")
    check(clamped == 0, f"{clamped} are clamped")
    check(worst <= F(2, 1 << bits + 1), f"the mean over all random bits is off by {float(worst)}; steps are up to 2")
    for v in range(-511, 512, 37):  # 3 v 2^-8, in steps of at most 2: 9 bits tell these from their neighbours
        scaled = F(v, 64) * F(3, 4)
        mean = sum(stochastic(E2M1, scaled, 9, r) for r in range(512)) / 512
        check(mean == scaled, f"the mean of {scaled} is {mean}")


def scales_with(x, most, room):
    """2601.22813, 3.1 and 3.2: the tensor's scale amax / (most room), in fp32, and RTN(amax / (scale most))."""
    tensor = fp32(amax_of(exact(x.ravel())) / (most * room))
    return tensor, [nearest(E4M3, amax_of(block) / (tensor * most)) for _, block in blocks(x, 16)]


def test_unclamped_nv():
    x, bits = numbers(4, 48, 4), 8
    tensor, scales = scales_with(x, F(6 * 16, 17), 448)
    out, clamped = [], 0
    for (first, block), scale in zip(blocks(x, 16), scales):
        for i, v in enumerate(block):
            quotient = v / (scale * tensor) if scale else F(0)
            clamped += abs(quotient) > 6
            bits_here = random_bits(STEP << 32 | ELEMENTS, first + i, bits)
            out.append(stochastic(E2M1, quotient, bits, bits_here) * scale * tensor)
    compare(cast(x, f"gemm_fwd.x=e2m1:sr:{bits}/nvfp4:unclamped"), out, "NVFP4 without clamping, 2601.22813 3.1")
    check(clamped == 0, f"{clamped} are clamped")


def eden(x, place=lambda n: n, cast=SCALES):
    """2601.22813, algorithm 1, of numbers that are rotated already: elements RTN; then the scale of each block times
    <x, x> / <x, RTN(x)>, rounded stochastically (32 bits). Also the bias of the mean over those bits. `place` of a
    scale, number of the cast."""
    tensor, scales = scales_with(x, F(6 * 16, 17) / F(93, 100), 256)
    out, bias = [], F(0)
    for n, ((_, block), scale) in enumerate(zip(blocks(x, 16), scales)):
        y = [nearest(E2M1, v / (scale * tensor)) if scale else F(0) for v in block]
        dot = sum(a * b for a, b in zip(block, y)) * scale * tensor
        wanted = scale * (sum(v * v for v in block) / dot if dot > 0 else 1)
        new = stochastic(E4M3, wanted, 32, random_bits(STEP << 32 | cast, place(n), 32))
        out += [v * new * tensor for v in y]
        if wanted:
            low, high = (round_to(E4M3, wanted, lambda *_, up=up: up) for up in (False, True))
            share = stochastic_share(wanted, low, high, 32)
            bias = max(bias, abs(low + (high - low) * share - wanted) / wanted)
            back = sum(a * b for a, b in zip(block, y)) * tensor * wanted
            check(back == sum(v * v for v in block), "the mean has x's own length along x")
    return out, bias


def stochastic_share(x, low, high, bits):
    """The share of the random bits with which x becomes high."""
    return tie_even((x - low) / (high - low) * 2 ** bits // F(1, 2) * F(1, 2)) / 2 ** bits if high > low else F(0)


def hadamard(x, size, step=STEP, layer=0):
    """Rows in pieces of `size`, as binade/block.h says, in fp32."""
    seed = random((1 << 64) - 1 - SEED, step, layer)
    words = [random(seed, size, i) for i in range((size + 63) // 64)]
    signs = np.array([-1 if words[i // 64] >> i % 64 & 1 else 1 for i in range(size)], "<f4")
    v = x.reshape(-1, size) * signs
    distance = 1
    while distance < size:
        pair = v.reshape(-1, size // (2 * distance), 2, distance)
        v = np.stack([pair[:, :, 0] + pair[:, :, 1], pair[:, :, 0] - pair[:, :, 1]], 2).reshape(-1, size)
        distance *= 2
    return (v * np.float32(1 / np.sqrt(size))).reshape(x.shape)


def test_hadamard():
    x = numbers(3, 128, 5)
    for size in (2, 16, 32, 64, 128):
        got = cast(x, f"gemm_fwd.x=fp32/hadamard:{size}")
        compare(got, hadamard(x, size).ravel(), f"hadamard:{size}")
        lengths = np.square(got.astype("<f8")).sum(1) / np.square(x.astype("<f8")).sum(1)
        check(abs(lengths - 1).max() < 1e-6, f"hadamard:{size} keeps lengths")
    check((cast(x, "gemm_fwd.x=fp32/hadamard:64") != cast(x, "gemm_fwd.x=fp32/hadamard:64", step=4)).any(), "new signs")
    compare(cast(x[:, :96], "gemm_fwd.x=fp32/hadamard:64"), hadamard(x[:, :96], 32).ravel(), "32 divides 96")


def test_eden():
    x = numbers(8, 64, 6)
    expected, bias = eden(x)
    compare(cast(x, "gemm_fwd.x=e2m1/nvfp4:eden"), expected, "MS-EDEN, 2601.22813")
    check(bias < F(1, 1 << 30), f"the mean over all random bits is off by {float(bias)} of the scale")
    wide = numbers(3, 128, 7)
    expected, _ = eden(hadamard(wide, 128))
    compare(cast(wide, "gemm_fwd.x=e2m1/nvfp4:eden/hadamard:128"), expected, "MS-EDEN after a transform")
    down = numbers(24, 32, 9)  # 32 rows, summed: the scales of a row of blocks lie side by side
    expected, _ = eden(down, lambda n: n % 2 * 24 + n // 2, 4)
    got = cast(np.ascontiguousarray(down.T), "gemm_wgrad.x=e2m1/nvfp4:eden", "wgrad")
    compare(np.ascontiguousarray(got.T), expected, "MS-EDEN along rows")


def test_requantized():
    """The operand of the backward product is that of the forward one, cast again along the other axis."""
    x, forward = numbers(32, 48, 8), "e2m1/nvfp4:fouroversix"
    again = "e2m1/nvfp4/hadamard:32"
    for part, role in (("wgrad", "gemm_wgrad.x"), ("dgrad", "gemm_dgrad.w")):
        first = cast(x, f"gemm_fwd.x={forward}")
        second = cast(np.ascontiguousarray(first.T), f"gemm_fwd.x={again}").T
        got = cast(x, f"gemm_fwd={forward},{role}=requantized:{again}", part)
        compare(got, second.ravel(), f"{role} requantized")
        plain = cast(x, f"gemm_fwd={forward},{role}={again}", part)
        alone = cast(np.ascontiguousarray(x.T), f"gemm_fwd.x={again}").T
        compare(plain, alone.ravel(), f"{role} from the operand itself")
        check((plain != got).any(), f"{role}: requantized is another number")


for test in (test_rules, test_four_six, test_unclamped_mx, test_unclamped_nv, test_hadamard, test_eden,
             test_requantized):
    test()
conclude()
