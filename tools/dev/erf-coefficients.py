#!/usr/bin/env python3
"""The polynomials of erf and erfc in src/tensor/maths_body.h, by mpmath (Debian: python3-mpmath), with their errors.

erf(x) = x P(x^2) for |x| <= 1; erfc(x) = exp(-x^2) Q((x - 3) / (x + 3)) for 0 <= x <= 28: interpolation at Chebyshev's
points in 50 digits, coefficients then rounded to doubles."""
from mpmath import chebyfit, erf, erfc, exp, linspace, mp, mpf, nstr, pi, polyval, sqrt

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


def large(t):
    x = 3 * (1 + t) / (1 - t)
    return erfc(x) * exp(x * x)


show("P, highest power first", small, 0, 1, 12)
show("Q, highest power first", large, mpf(-1), mpf(25) / 31, 24)
