#!/usr/bin/env python3
"""The polynomials of erf, erfc and exp in src/sim/tensor/maths_functions_template.h, by mpmath (Debian:
python3-mpmath), and errors.

erf(x) = x P(x^2) for |x| <= 1; erfc(x) = exp(-x^2) Q((x - 3) / (x + 3)) for 0 <= x <= 28. For what is rounded to fp32:
erfc(x) = exp(-x^2) B((x - 4) / (x + 4)) for 0 <= x <= 10.5; exp(r) = 1 + r + r^2 E(r) for |r| <= log(2) / 2.
Interpolation at Chebyshev's points in 50 digits, coefficients then rounded to doubles."""
from mpmath import chebyfit, erf, erfc, exp, linspace, log, mp, mpf, nstr, pi, polyval, sqrt

mp.dps = 50


def show(name, f, low, high, count):
    exact = chebyfit(f, [low, high], count)
    doubles = [float(c) for c in exact]
    points = linspace(mpf(low), mpf(high), 2001)
    worst = max(abs(polyval([mpf(c) for c in doubles], t) / f(t) - 1) for t in points)
    print("/* %s: relative error %s, of the polynomial alone */" % (name, nstr(worst, 2)))
    for c in doubles:
        print("    %s," % c.hex())


def small(z):
    return erf(sqrt(z)) / sqrt(z) if z > mpf(10) ** -40 else 2 / sqrt(pi)


def large(middle):
    def f(t):
        x = middle * (1 + t) / (1 - t)
        return erfc(x) * exp(x * x)

    return f


def exponential(r):
    return (exp(r) - 1 - r) / r**2 if abs(r) > mpf(10) ** -15 else mpf(1) / 2 + r / 6


show("P, highest power first", small, 0, 1, 12)
show("Q, highest power first", large(3), mpf(-1), mpf(25) / 31, 24)
show("B, highest power first", large(4), mpf(-1), mpf(13) / 29, 16)
show("E, highest power first", exponential, -log(2) / 2, log(2) / 2, 8)
