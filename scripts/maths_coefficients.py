#!/usr/bin/env python3
"""backends/cpu/codegen/maths/coefficients.hpp from the functions themselves: --write makes it, --check fails where a
table's stated error no longer holds (it evaluates the tables as written; no fit is repeated).

Each table is a polynomial P(z) for a smooth function g(z) on an interval, minimax with respect to a weight: Lawson's
iterated least squares on Chebyshev points, in decimal arithmetic of 90 digits. The lowest coefficients are rounded to
the format one after the other, the rest fitted again to what the rounding left."""
import decimal
import functools
import math
import pathlib
import re
import struct
import sys
from decimal import Decimal as D

root = pathlib.Path(__file__).resolve().parent.parent
table_file = root / "backends/cpu/codegen/maths/coefficients.hpp"
decimal.getcontext().prec = 90
epsilon = D(10) ** -85


def series(term, step):
    """term + step(0, term) + step(1, ...) ... until it no longer counts."""
    total, n = term, 0
    while abs(term) > epsilon * abs(total):
        term = step(n, term)
        total += term
        n += 1
    return total


def power_sum(first, ratio, weight):
    """Sum of first * ratio^n * weight(n)."""
    total, power, n = D(0), first, 0
    while abs(power) > epsilon * abs(first) * D("1e-3"):
        total += power * weight(n)
        power *= ratio
        n += 1
    return total


def sin(x):
    return series(x, lambda n, t: -t * x * x / ((2 * n + 2) * (2 * n + 3)))


def cos(x):
    return series(D(1), lambda n, t: -t * x * x / ((2 * n + 1) * (2 * n + 2)))


def atan(x):
    return power_sum(x, -x * x, lambda n: D(1) / (2 * n + 1))


def atanh(x):
    return power_sum(x, x * x, lambda n: D(1) / (2 * n + 1))


def asin(x):
    total, term, n = D(0), x, 0
    while abs(term) > epsilon * abs(x):
        total += term / (2 * n + 1)
        term *= x * x * (2 * n + 1) / (2 * n + 2)
        n += 1
    return total


pi = 16 * atan(D(1) / 5) - 4 * atan(D(1) / 239)
ln2 = D(2).ln()
ln10 = D(10).ln()


def erfcx(x):
    """exp(x^2) erfc(x), x >= 0: the power series, from 6 on the continued fraction."""
    if x < 6:
        term, total, n = x, D(0), 0
        while abs(term) > epsilon * D("1e-20"):
            total += term / (2 * n + 1)
            term *= -x * x / (n + 1)
            n += 1
        return (x * x).exp() * (1 - 2 / pi.sqrt() * total)
    fraction = D(0)
    for k in range(400, 0, -1):
        fraction = D(k) / 2 / (x + fraction)
    return 1 / ((x + fraction) * pi.sqrt())


def erf(x):
    return 1 - (-x * x).exp() * erfcx(x)


@functools.lru_cache(None)
def bernoulli(n):
    """B_n for even n, by the zeta function: exact enough for Stirling's series here."""
    from fractions import Fraction
    row = [Fraction(0)] * (n + 1)
    for m in range(n + 1):
        row[m] = Fraction(1, m + 1)
        for j in range(m, 0, -1):
            row[j - 1] = j * (row[j - 1] - row[j])
    return D(row[0].numerator) / D(row[0].denominator)


def log_gamma(x):
    """x > 0: Stirling's series, shifted to 60 and more."""
    product = D(1)
    while x < 60:
        product *= x
        x += 1
    total = (x - D("0.5")) * x.ln() - x + (2 * pi).ln() / 2 - product.ln()
    for k in range(1, 40):
        total += bernoulli(2 * k) / (2 * k * (2 * k - 1) * x ** (2 * k - 1))
    return total


def stirling(z):
    """(log gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2) x, z = x^-2."""
    x = 1 / z.sqrt()
    return (log_gamma(x) - (x - D("0.5")) * x.ln() + x - (2 * pi).ln() / 2) * x


# ---- fitting ----

def round_to(x, bits):
    """Nearest number of that many bits, as a Decimal (exact)."""
    if x == 0:
        return D(0)
    if bits == 24:
        return D(struct.unpack("f", struct.pack("f", float(x)))[0])
    return D(float(x))


def solve(rows, right):
    """Least squares by normal equations; 90 digits make up for their condition."""
    n = len(rows[0])
    a = [[sum(r[i] * r[j] for r in rows) for j in range(n)] for i in range(n)]
    b = [sum(r[i] * y for r, y in zip(rows, right)) for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(a[k][i]))
        a[i], a[pivot], b[i], b[pivot] = a[pivot], a[i], b[pivot], b[i]
        for k in range(i + 1, n):
            f = a[k][i] / a[i][i]
            if f:
                a[k] = [p - f * q for p, q in zip(a[k], a[i])]
                b[k] -= f * b[i]
    x = [D(0)] * n
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - sum(a[i][j] * x[j] for j in range(i + 1, n))) / a[i][i]
    return x


def horner(c, z):
    r = D(0)
    for each in reversed(c):
        r = r * z + each
    return r


def chebyshev_points(low, high, count):
    return [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]


def largest_error(c, points, values, weights):
    return max(abs(w * (horner(c, z) - y)) for z, y, w in zip(points, values, weights))


def fit(g, low, high, degree, bits, weight, lead):
    """Coefficients and the largest weighted error; the first `lead` are rounded one by one."""
    points = chebyshev_points(low, high, 4 * degree + 6)
    values = [g(z) for z in points]
    weights = [weight(z, y) for z, y in zip(points, values)]
    fixed = []
    while len(fixed) <= degree:
        k = len(fixed)
        powers = [[z ** i for i in range(k, degree + 1)] for z in points]
        left = [y - horner(fixed, z) for z, y in zip(points, values)]
        importance, best = [D(1)] * len(points), None
        for _ in range(1 if k > lead else 12):
            scale = [w * m.sqrt() for w, m in zip(weights, importance)]
            c = solve([[s * p for p in row] for s, row in zip(scale, powers)], [s * y for s, y in zip(scale, left)])
            errors = [abs(w * (sum(p * q for p, q in zip(row, c)) - y)) for w, row, y in zip(weights, powers, left)]
            if best is None or max(errors) < best[0]:
                best = (max(errors), c)
            importance = [m * e for m, e in zip(importance, errors)]
            total = sum(importance) / len(points)
            importance = [m / total + D("1e-12") for m in importance]
        rounded = [round_to(x, bits) for x in best[1]]
        fixed += rounded[:1] if k < lead else rounded
    return fixed, largest_error(fixed, points, values, weights)


one = lambda z, y: D(1)
linear = lambda z, y: z
square = lambda z, y: z * z
relative = lambda z, y: 1 / y
half_ln2 = D("0.3475")
reduced = D("0.645")  # (pi/4)^2 and what the reduction's rounding adds
log_low, log_high = D("-0.2501"), D("0.5001")
square_range = lambda z: 1 / (z * z)


def in_root(f):
    """A function of z = x^2 from one of x."""
    return lambda z: f(z.sqrt())


def mobius(q, c):
    return c * (1 + q) / (1 - q)


# name, what it is, g(z), interval, weight, degree for 24 bits, degree for 53 bits (None: no such table)
tables = [
    ("exp_tail", "(exp(r) - 1 - r) / r^2", lambda r: (r.exp() - 1 - r) / (r * r), -half_ln2, half_ln2, linear, 4, 9),
    ("exp2_tail", "(2^r - 1) / r", lambda r: ((r * ln2).exp() - 1) / r, D("-0.501"), D("0.501"), linear, 5, 10),
    ("exp2_short", "(2^r - 1) / r, for 24-bit results", lambda r: ((r * ln2).exp() - 1) / r, D("-0.501"), D("0.501"), linear, None, 5),
    ("log_tail", "(log(1+f) - f) / f^2", lambda f: ((1 + f).ln() - f) / (f * f), log_low, log_high, linear, 8, None),
    ("log2_tail", "(log2(1+f) - f/ln 2) / f^2", lambda f: ((1 + f).ln() - f) / (f * f * ln2), log_low, log_high, linear, 8, None),
    ("log10_tail", "(log10(1+f) - f/ln 10) / f^2", lambda f: ((1 + f).ln() - f) / (f * f * ln10), log_low, log_high, linear, 8, None),
    ("atanh_tail", "(2 atanh(s) - 2 s) / s^3, z = s^2", in_root(lambda s: 2 * (atanh(s) - s) / s ** 3), D("1e-9"), D("0.0402"), linear, 2, 7),
    ("atanh_short", "2 atanh(s) / (s ln 2), z = s^2, for 24-bit results", in_root(lambda s: 2 * atanh(s) / (s * ln2)), D("1e-9"), D("0.0402"), one, None, 5),
    ("atanh_rest", "(2 atanh(s) - 2 s - 2/3 s^3) / s^5, z = s^2", in_root(lambda s: 2 * (atanh(s) - s - s ** 3 / 3) / s ** 5), D("1e-9"), D("0.0402"), square, None, 8),
    ("sin_tail", "(sin(r) - r) / r^3, z = r^2", in_root(lambda r: (sin(r) - r) / r ** 3), D("1e-9"), reduced, linear, 2, 5),
    ("cos_tail", "(cos(r) - 1 + z/2) / z^2, z = r^2", in_root(lambda r: (cos(r) - 1 + r * r / 2) / r ** 4), D("1e-9"), reduced, square, 2, 5),
    ("atan_tail", "(atan(t) - t) / t^3, z = t^2", in_root(lambda t: (atan(t) - t) / t ** 3), D("1e-9"), D("0.1717"), linear, 4, 10),
    ("asin_tail", "(asin(t) - t) / t^3, z = t^2", in_root(lambda t: (asin(t) - t) / t ** 3), D("1e-9"), D("0.2501"), linear, 4, 12),
    ("erf_near", "erf(x) / x - 1, z = x^2", in_root(lambda x: erf(x) / x - 1), D("1e-9"), D("1.0001"), one, 6, 11),
    ("erf_far", "-log(erfc(x)), 0.95 <= x <= 4", lambda x: x * x - erfcx(x).ln(), D("0.95"), D("4.05"), lambda x, y: (-y).exp(), 8, None),
    ("erfcx_scaled", "(1 + 2 x) exp(x^2) erfc(x), z = (x - 2) / (x + 2)", lambda q: (1 + 2 * mobius(q, 2)) * erfcx(mobius(q, 2)), D("-0.99999999"), D("0.87"), relative, 12, 25),
    ("cube_root", "cbrt(m), 1 <= m < 2", lambda m: (m.ln() / 3).exp(), D(1), D(2), relative, 4, 5),
    ("stirling", "Stirling's remainder times x, z = x^-2, x >= 8", stirling, D("1e-12"), D("0.0157"), one, None, 6),
]


def hexadecimal(x):
    """A C++17 hexadecimal float, without the trailing zeros that float.hex writes."""
    mantissa, exponent = float(x).hex().split("p")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}p{exponent}"


def row(name, kind, c, error):
    lines, line = [], f"inline constexpr double {name}_{kind}[] = {{"
    for i, each in enumerate(c):
        text = hexadecimal(each) + (", " if i + 1 < len(c) else f"}};  // 2^{error}")
        if len(line + text) > 119:
            lines.append(line.rstrip())
            line = "    "
        line += text
    return "\n".join(lines + [line])


header = """// Written by scripts/maths_coefficients.py. Polynomials, lowest coefficient first, behind each its largest error (weighted
// as the script says); and the binary digits of 2/pi.
#pragma once

#include <cstdint>
#include <span>

namespace quern::cpu::codegen::maths {

/// A constant as a sum of three floats or doubles, each cut off towards zero, so that all have one sign.
struct expansion {
    double f32[3], f64[3];
};

/// The same function for results of 24 and of 53 bits; empty where there is no use for one.
struct polynomial {
    std::span<const double> f32, f64;
};
"""


constants = [
    ("ln_2", ln2), ("log2_e", 1 / ln2), ("log10_e", 1 / ln10), ("log10_2", ln2 / ln10), ("half_pi", pi / 2),
    ("inverse_half_pi", 2 / pi), ("quarter_pi", pi / 4), ("whole_pi", pi), ("half_log_two_pi", (2 * pi).ln() / 2),
]


def two_over_pi_bytes(count):
    decimal.getcontext().prec = 900
    tenth = lambda n: series(D(1) / n, lambda k, t: -t * D(2 * k + 1) / D(2 * k + 3) / (n * n))
    global epsilon
    epsilon = D(10) ** -880
    digits = int(2 / (16 * tenth(5) - 4 * tenth(239)) * 2 ** (8 * count))
    return [digits >> 8 * i & 255 for i in range(count)]


def parts(x, bits):
    """{a, b, c}: x by pieces of that many bits."""
    texts = []
    for _ in range(3):
        exponent = math.floor(x.ln() / ln2)
        unit = D(2) ** (exponent - bits + 1)
        piece = (x / unit).to_integral_value(decimal.ROUND_DOWN) * unit
        texts.append(hexadecimal(piece))
        x -= piece
    return "{" + ", ".join(texts) + "}"


def stored(text, name, kind):
    return re.search(rf"^inline constexpr double {name}_{kind}\[\] = {{([^}}]*)}};\s*// 2\^(\S+)", text, re.M)


def write(only):
    old = table_file.read_text() if table_file.exists() else ""
    lines = [header.rstrip()]
    for name, meaning, g, low, high, weight, degree32, degree64 in tables:
        lines += ["", f"// {name}: {meaning}"]
        formats = [(degree, kind) for degree, kind in ((degree32, "f32"), (degree64, "f64")) if degree is not None]
        for degree, kind in formats:
            kept = stored(old, name, kind)
            if kept and only and name not in only:
                lines.append(kept[0])
                continue
            bits = 24 if kind == "f32" else 53
            c, error = fit(g, low, high, degree, bits, weight, degree if bits == 24 else 3)
            error = round(float(error.ln() / ln2), 1)
            print(name, kind, degree, error, flush=True)
            lines.append(row(name, kind, c, error))
        has = lambda kind: f"{name}_{kind}" if kind in [k for _, k in formats] else "{}"
        lines.append(f"inline constexpr polynomial {name}{{{has('f32')}, {has('f64')}}};")
    lines.append("")
    lines += [f"inline constexpr expansion {name}{{{parts(x, 24)}, {parts(x, 53)}}};" for name, x in constants]
    digits = two_over_pi_bytes(154)
    lines += ["", "// The first digits of 2/pi after the binary point, last byte first; then what a load of 8 bytes may touch."]
    lines.append("inline constexpr std::uint8_t two_over_pi[] = {")
    for i in range(0, len(digits), 22):
        lines.append("    " + ", ".join(f"{each:#04x}" for each in digits[i:i + 22]) + ",")
    lines += ["    0, 0};", "", "}  // namespace quern::cpu::codegen::maths"]
    table_file.write_text("\n".join(lines) + "\n")


def check():
    text = table_file.read_text()
    for name, _, g, low, high, weight, degree32, degree64 in tables:
        for degree, kind in ((degree32, "f32"), (degree64, "f64")):
            if degree is None:
                continue
            found = stored(text, name, kind)
            if not found:
                sys.exit(f"{name} {kind} is missing: scripts/maths_coefficients.py --write")
            c = [D(float.fromhex(each)) for each in found[1].replace("\n", " ").split(",")]
            points = chebyshev_points(low, high, 4 * degree + 6)
            values = [g(z) for z in points]
            error = largest_error(c, points, values, [weight(z, y) for z, y in zip(points, values)])
            if len(c) != degree + 1 or float(error.ln() / ln2) > float(found[2]) + 0.06:
                sys.exit(f"{name} {kind}: error 2^{float(error.ln() / ln2):.1f}, stated 2^{found[2]}")
    for name, x in constants:
        if f"expansion {name}{{{parts(x, 24)}, {parts(x, 53)}}};" not in text:
            sys.exit(f"{name} is wrong: scripts/maths_coefficients.py --write")
    digits = re.search(r"two_over_pi\[\] = {([^}]*)}", text)[1].replace("\n", " ").split(",")
    if [int(each, 0) for each in digits] != two_over_pi_bytes(154) + [0, 0]:
        sys.exit("two_over_pi is wrong: scripts/maths_coefficients.py --write")


if sys.argv[1:2] == ["--write"]:
    write(sys.argv[2:])
elif sys.argv[1:] == ["--check"]:
    check()
else:
    sys.exit(__doc__)
