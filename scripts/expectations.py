#!/usr/bin/env python3
"""Derives what every scalar operation yields for edge cases, from the definitions alone and in exact arithmetic.

Integers are Python's, floats are fractions rounded once, functions are summed to 60 digits. Nothing here knows the
code under test. Prints the table tests/conformance/expectations.inc; with --write it writes the file, with --check it
fails unless the file is current.
"""
import itertools
import math
import pathlib
import sys
from decimal import Decimal, getcontext
from fractions import Fraction

TABLE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "conformance" / "expectations.inc"
getcontext().prec = 90

SIGNED = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
UNSIGNED = {"u8": 8, "u16": 16, "u32": 32, "u64": 64}
INTEGERS = {**SIGNED, **UNSIGNED}
FLOATS = {"f16": (10, 5), "bf16": (7, 8), "f32": (23, 8), "f64": (52, 11)}  # fraction bits, exponent bits
INFINITY = math.inf

# ---------------------------------------------------------------- numbers and bits


class Number:
    """A float as sign and magnitude; the magnitude is a Fraction, INFINITY, or None for NaN."""

    def __init__(self, negative, magnitude):
        self.negative, self.magnitude = bool(negative), magnitude

    @property
    def nan(self):
        return self.magnitude is None

    @property
    def infinite(self):
        return self.magnitude == INFINITY

    @property
    def zero(self):
        return self.magnitude == 0

    @property
    def value(self):
        return -self.magnitude if self.negative else self.magnitude


NAN = Number(False, None)


def number(value, negative_zero=False):
    return Number(value < 0 or (value == 0 and negative_zero), abs(Fraction(value)))


def decode(kind, bits):
    fraction, exponent = FLOATS[kind]
    negative = bits >> (fraction + exponent)
    field, low = (bits >> fraction) & ((1 << exponent) - 1), bits & ((1 << fraction) - 1)
    bias = (1 << (exponent - 1)) - 1
    if field == (1 << exponent) - 1:
        return Number(negative, None if low else INFINITY)
    significand = low if field == 0 else low + (1 << fraction)
    return Number(negative, Fraction(significand) * Fraction(2) ** (max(field, 1) - bias - fraction))


def power_below(x):
    """The e with 2^e <= x < 2^(e+1)."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def nearest_even(x):
    low = x.numerator // x.denominator
    rest = x - low
    return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1))


def encode(kind, n):
    fraction, exponent = FLOATS[kind]
    bias = (1 << (exponent - 1)) - 1
    infinity = ((1 << exponent) - 1) << fraction
    if n.nan:
        return infinity | 1 << (fraction - 1)
    sign = int(n.negative) << (fraction + exponent)
    if n.infinite:
        return sign | infinity
    if n.zero:
        return sign
    e = max(power_below(n.magnitude), 1 - bias)
    significand = nearest_even(n.magnitude / Fraction(2) ** (e - fraction))
    if significand >= 2 << fraction:
        significand, e = significand // 2, e + 1
    if e > bias:
        return sign | infinity
    if significand < 1 << fraction:
        return sign | significand
    return sign | (e + bias) << fraction | (significand - (1 << fraction))


def wrap(kind, value):
    return value & ((1 << INTEGERS[kind]) - 1)


def integer(kind, bits):
    width = INTEGERS[kind]
    return bits - (1 << width) if kind in SIGNED and bits >> (width - 1) else bits


def limits(kind):
    width = INTEGERS[kind]
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if kind in SIGNED else (0, (1 << width) - 1)


# ---------------------------------------------------------------- operations on integers


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def divisor(kind, a, b):
    return 1 if b == 0 or (b == -1 and a == limits(kind)[0]) else b


def integer_binary(kind, name, a, b):
    width = INTEGERS[kind]
    d = divisor(kind, a, b)
    mask = (1 << width) - 1
    return wrap(kind, {
        "add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b,
        "div": lambda: truncated(a, d), "rem": lambda: a - truncated(a, d) * d,
        "min": lambda: min(a, b), "max": lambda: max(a, b),
        "shl": lambda: a << (b & mask) % width, "shr": lambda: a >> (b & mask) % width,
        "bit_and": lambda: a & b, "bit_or": lambda: a | b, "bit_xor": lambda: a ^ b,
    }[name]())


def integer_unary(kind, name, a):
    width = INTEGERS[kind]
    digits = format(wrap(kind, a), f"0{width}b")
    return wrap(kind, {
        "neg": lambda: -a, "abs": lambda: abs(a), "bit_not": lambda: ~a, "popcount": lambda: digits.count("1"),
        "clz": lambda: len(digits) - len(digits.lstrip("0")), "ctz": lambda: len(digits) - len(digits.rstrip("0")),
        "reverse_bits": lambda: int(digits[::-1], 2),
    }[name]())


# ---------------------------------------------------------------- operations on floats


def total(x, y):
    if x.nan or y.nan or (x.infinite and y.infinite and x.negative != y.negative):
        return NAN
    if x.infinite or y.infinite:
        return x if x.infinite else y
    if x.zero and y.zero:
        return Number(x.negative and y.negative, Fraction(0))
    return number(x.value + y.value)


def negated(x):
    return Number(not x.negative, x.magnitude)


def product(x, y):
    negative = x.negative != y.negative
    if x.nan or y.nan or (x.infinite and y.zero) or (x.zero and y.infinite):
        return NAN
    return Number(negative, INFINITY if x.infinite or y.infinite else x.magnitude * y.magnitude)


def quotient(x, y):
    negative = x.negative != y.negative
    if x.nan or y.nan or (x.infinite and y.infinite) or (x.zero and y.zero):
        return NAN
    if x.infinite or y.zero:
        return Number(negative, INFINITY)
    return Number(negative, Fraction(0) if y.infinite else x.magnitude / y.magnitude)


def remainder(x, y, rounding):
    if x.nan or y.nan or x.infinite or y.zero:
        return NAN
    if y.infinite or x.zero:
        return x
    q = rounding(x.magnitude / y.magnitude)
    rest = x.magnitude - q * y.magnitude
    return Number(x.negative != (rest < 0), abs(rest))


def ordered(x, y):
    """-1, 0, 1, or None where one is NaN."""
    if x.nan or y.nan:
        return None
    return (x.value > y.value) - (x.value < y.value)


def extreme(x, y, sign):
    if x.nan or y.nan:
        return y if x.nan else x
    order = ordered(x, y) * sign
    if order == 0 and x.zero:
        return x if x.negative == (sign > 0) else y
    return x if order <= 0 else y


def next_after(kind, a, b):
    x, y = decode(kind, a), decode(kind, b)
    if x.nan or y.nan:
        return encode(kind, NAN)
    if x.value == y.value:
        return b
    top = 1 << (sum(FLOATS[kind]))
    rank = lambda bits: -(bits - top) if bits >= top else bits
    step = rank(a) + (1 if y.value > x.value else -1)
    if step == 0:
        return top if x.negative else 0
    return step if step > 0 else top - step


def square_root(x):
    if x.nan or x.zero:
        return x if x.zero else NAN
    if x.negative:
        return NAN
    if x.infinite:
        return x
    shift = 4 ** 700  # far below the last place of any result; a sticky bit stands for the rest
    scaled = x.magnitude * shift * shift
    whole = scaled.numerator // scaled.denominator
    root = math.isqrt(whole)
    exact = root * root == scaled
    return Number(False, Fraction(2 * root + (not exact), 2 * 4 ** 700))


def half_away(m):
    return math.floor(m + Fraction(1, 2))


def rounded(x, towards):
    return x if x.nan or x.infinite else Number(x.negative, Fraction(abs(towards(x.value))))


FLOAT_BINARY = {
    "add": total, "sub": lambda x, y: total(x, negated(y)), "mul": product, "div": quotient,
    "rem": lambda x, y: remainder(x, y, math.floor), "fmod": lambda x, y: remainder(x, y, math.floor),
    "remainder": lambda x, y: remainder(x, y, nearest_even),
    "min": lambda x, y: extreme(x, y, 1), "max": lambda x, y: extreme(x, y, -1),
}
FLOAT_UNARY = {
    "floor": lambda x: rounded(x, math.floor), "ceil": lambda x: rounded(x, math.ceil),
    "trunc": lambda x: rounded(x, math.trunc), "sqrt": square_root,
    "round": lambda x: rounded(x, lambda v: half_away(abs(v))), "rint": lambda x: rounded(x, lambda v: nearest_even(abs(v))),
}
COMPARISONS = {
    "eq": lambda o: o == 0, "ne": lambda o: o != 0, "lt": lambda o: o == -1, "le": lambda o: o in (-1, 0),
    "gt": lambda o: o == 1, "ge": lambda o: o in (0, 1),
}

# ---------------------------------------------------------------- conversions


def convert(to, kind, bits):
    if kind in FLOATS:
        x = decode(kind, bits)
        if to == "boolean":
            return int(x.nan or not x.zero)
        if to in FLOATS:
            return encode(to, x)
        low, high = limits(to)
        if x.nan:
            return 0
        if x.infinite:
            return wrap(to, low if x.negative else high)
        return wrap(to, min(max(math.trunc(x.value), low), high))
    value = bits if kind == "boolean" else integer(kind, bits)
    if to == "boolean":
        return int(value != 0)
    return encode(to, number(value)) if to in FLOATS else wrap(to, value)


# ---------------------------------------------------------------- functions, to 60 digits


def decimal_of(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def arctan(x):
    """Halves the argument until the series converges fast."""
    doublings = 0
    while abs(x) > Decimal("0.01"):
        x, doublings = x / (1 + (1 + x * x).sqrt()), doublings + 1
    term, result, n = x, Decimal(0), 1
    while abs(term) > Decimal(10) ** -100:
        result += term / n
        term, n = -term * x * x, n + 2
    return result * 2 ** doublings


PI = 4 * arctan(Decimal(1))


def sine(x):
    x -= (x / (2 * PI)).to_integral_value() * 2 * PI
    term, result, n = x, Decimal(0), 1
    while abs(term) > Decimal(10) ** -100:
        result += term
        term, n = -term * x * x / ((n + 1) * (n + 2)), n + 2
    return result


def cosine(x):
    return sine(x + PI / 2)


def error_function(x):
    term, result, n = x, Decimal(0), 0
    while abs(term) > Decimal(10) ** -100:
        result += term / (2 * n + 1)
        n += 1
        term = -term * x * x / n
    return 2 * result / PI.sqrt()


def bernoulli(count):
    numbers = [Fraction(1)]
    for m in range(1, count):
        numbers.append(-sum(math.comb(m + 1, j) * numbers[j] for j in range(m)) / (m + 1))
    return numbers


BERNOULLI = bernoulli(62)


def log_gamma(x):
    """Stirling's series after shifting the argument up; x > 0."""
    shift = Decimal(0)
    while x < 60:
        shift += x.ln()
        x += 1
    series = sum(decimal_of(BERNOULLI[2 * k]) / (2 * k * (2 * k - 1) * x ** (2 * k - 1)) for k in range(1, 31))
    return (x - Decimal("0.5")) * x.ln() - x + (2 * PI).ln() / 2 + series - shift


def gamma(x):
    return log_gamma(x).exp() if x > 0 else PI / (sine(PI * x) * log_gamma(1 - x).exp())


def cube_root(x):
    return (abs(x).ln() / 3).exp().copy_sign(x)


FUNCTIONS = {
    "rsqrt": (lambda x: 1 / x.sqrt(), [0.25, 2.0, 3.0, 1e-3, 12345.0]),
    "cbrt": (cube_root, [0.5, 2.0, -3.0, 1e-3, 12345.0]),
    "exp": (lambda x: x.exp(), [0.5, -0.75, 1.0, 5.5, -9.25]),
    "exp2": (lambda x: (x * Decimal(2).ln()).exp(), [0.5, -0.75, 1.25, 5.5, -9.25]),
    "expm1": (lambda x: x.exp() - 1, [0.5, -0.75, 1e-3, 5.5, -9.25]),
    "log": (lambda x: x.ln(), [0.5, 1.5, 2.0, 1e-3, 12345.0]),
    "log2": (lambda x: x.ln() / Decimal(2).ln(), [0.3, 1.5, 3.0, 1e-3, 12345.0]),
    "log10": (lambda x: x.log10(), [0.3, 1.5, 3.0, 1e-3, 12345.0]),
    "log1p": (lambda x: (1 + x).ln(), [0.5, -0.75, 1e-3, 3.0, 12345.0]),
    "sin": (sine, [0.5, -0.75, 1e-3, 3.0, 12345.0]),
    "cos": (cosine, [0.5, -0.75, 1e-3, 3.0, 12345.0]),
    "tan": (lambda x: sine(x) / cosine(x), [0.5, -0.75, 1e-3, 3.0, 12345.0]),
    "asin": (lambda x: arctan(x / (1 - x * x).sqrt()), [0.5, -0.75, 1e-3, 0.984375]),
    "acos": (lambda x: PI / 2 - arctan(x / (1 - x * x).sqrt()), [0.5, -0.75, 1e-3, 0.984375]),
    "atan": (arctan, [0.5, -0.75, 1e-3, 3.0, 12345.0]),
    "sinh": (lambda x: (x.exp() - (-x).exp()) / 2, [0.5, -0.75, 1e-3, 3.0, 9.5]),
    "cosh": (lambda x: (x.exp() + (-x).exp()) / 2, [0.5, -0.75, 1e-3, 3.0, 9.5]),
    "tanh": (lambda x: 1 - 2 / ((2 * x).exp() + 1), [0.5, -0.75, 1e-3, 3.0, 9.5]),
    "asinh": (lambda x: (x + (x * x + 1).sqrt()).ln(), [0.5, -0.75, 1e-3, 3.0, 12345.0]),
    "acosh": (lambda x: (x + (x * x - 1).sqrt()).ln(), [1.5, 3.0, 12345.0]),
    "atanh": (lambda x: ((1 + x) / (1 - x)).ln() / 2, [0.5, -0.75, 1e-3, 0.984375]),
    "erf": (error_function, [0.5, -0.75, 1e-3, 1.5, 2.5]),
    "erfc": (lambda x: 1 - error_function(x), [0.5, -0.75, 1e-3, 1.5, 2.5]),
    "tgamma": (gamma, [0.5, 1.5, 5.0, 3.3, -0.5, -1.25]),
    "lgamma": (log_gamma, [0.5, 1.5, 5.0, 3.3, 12345.0]),
    "pow": (lambda x, y: (y * x.ln()).exp(), [(2.0, 0.5), (0.3, 3.0), (1.5, -2.75), (12.5, 2.0)]),
    "atan2": (lambda y, x: arctan(y / x) + (0 if x > 0 else PI.copy_sign(y)), [(1.0, 2.0), (1.0, -2.0), (-0.3, 0.7), (-3.0, -5.0)]),
    "hypot": (lambda x, y: (x * x + y * y).sqrt(), [(1.0, 2.0), (0.3, -0.7), (3.0, 5.0)]),
}

# Special values of C's Annex F: function, operands, result. "e" marks numbers that are rounded to the kind.
PI_2 = "pi/2"
SPECIAL = [
    ("rsqrt", "0", "inf"), ("rsqrt", "-0", "-inf"), ("rsqrt", "inf", "0"), ("rsqrt", "-1", "nan"), ("rsqrt", "nan", "nan"),
    ("cbrt", "-0", "-0"), ("cbrt", "-inf", "-inf"), ("cbrt", "-8", "-2"), ("cbrt", "27", "3"),
    ("exp", "0", "1"), ("exp", "-0", "1"), ("exp", "-inf", "0"), ("exp", "inf", "inf"), ("exp", "nan", "nan"),
    ("exp2", "3", "8"), ("exp2", "-inf", "0"), ("exp2", "inf", "inf"), ("exp2", "-2", "0.25"),
    ("expm1", "-0", "-0"), ("expm1", "-inf", "-1"), ("expm1", "inf", "inf"),
    ("log", "1", "0"), ("log", "0", "-inf"), ("log", "-0", "-inf"), ("log", "-1", "nan"), ("log", "inf", "inf"),
    ("log2", "8", "3"), ("log2", "0", "-inf"), ("log2", "-1", "nan"), ("log10", "1000", "3"), ("log10", "-0", "-inf"),
    ("log1p", "-0", "-0"), ("log1p", "-1", "-inf"), ("log1p", "-2", "nan"), ("log1p", "inf", "inf"),
    ("sin", "-0", "-0"), ("sin", "inf", "nan"), ("cos", "0", "1"), ("cos", "-inf", "nan"), ("tan", "-0", "-0"), ("tan", "inf", "nan"),
    ("asin", "-0", "-0"), ("asin", "2", "nan"), ("asin", "1", PI_2), ("acos", "1", "0"), ("acos", "-2", "nan"), ("acos", "-1", "pi"),
    ("atan", "-0", "-0"), ("atan", "inf", PI_2), ("sinh", "-0", "-0"), ("sinh", "-inf", "-inf"), ("cosh", "-inf", "inf"),
    ("tanh", "-0", "-0"), ("tanh", "inf", "1"), ("tanh", "-inf", "-1"), ("asinh", "-0", "-0"), ("asinh", "-inf", "-inf"),
    ("acosh", "1", "0"), ("acosh", "0.5", "nan"), ("acosh", "inf", "inf"), ("atanh", "-0", "-0"), ("atanh", "1", "inf"),
    ("atanh", "-1", "-inf"), ("atanh", "2", "nan"), ("erf", "-0", "-0"), ("erf", "inf", "1"), ("erfc", "-inf", "2"), ("erfc", "inf", "0"),
    ("tgamma", "0", "inf"), ("tgamma", "-0", "-inf"), ("tgamma", "-1", "nan"), ("tgamma", "5", "24"), ("tgamma", "-inf", "nan"),
    ("tgamma", "inf", "inf"), ("lgamma", "1", "0"), ("lgamma", "2", "0"), ("lgamma", "0", "inf"), ("lgamma", "-3", "inf"), ("lgamma", "-inf", "inf"),
    ("pow", "nan", "0", "1"), ("pow", "nan", "-0", "1"), ("pow", "1", "nan", "1"), ("pow", "-1", "inf", "1"), ("pow", "-2", "0.5", "nan"),
    ("pow", "-2", "3", "-8"), ("pow", "0", "-1", "inf"), ("pow", "-0", "-1", "-inf"), ("pow", "-0", "-2", "inf"), ("pow", "-0", "3", "-0"),
    ("pow", "0.5", "-inf", "inf"), ("pow", "2", "-inf", "0"), ("pow", "-inf", "-3", "-0"), ("pow", "-inf", "3", "-inf"), ("pow", "inf", "-1", "0"),
    ("pow", "-inf", "-9223372036854775808", "0"), ("pow", "-0", "-9223372036854775808", "inf"), ("pow", "-1", "-9223372036854775808", "1"),
    ("atan2", "0", "-0", "pi"), ("atan2", "-0", "-0", "-pi"), ("atan2", "0", "0", "0"), ("atan2", "-0", "1", "-0"), ("atan2", "1", "0", PI_2),
    ("atan2", "0", "-1", "pi"), ("atan2", "inf", "inf", "pi/4"), ("atan2", "1", "-inf", "pi"), ("atan2", "nan", "1", "nan"),
    ("hypot", "inf", "nan", "inf"), ("hypot", "nan", "-inf", "inf"), ("hypot", "3", "-4", "5"), ("hypot", "nan", "1", "nan"),
]

CONSTANTS = {"pi": PI, "pi/2": PI / 2, "pi/4": PI / 4}


def parse(text):
    negative, digits = text.startswith("-"), text.lstrip("-")
    if digits == "nan":
        return NAN
    if digits == "inf":
        return Number(negative, INFINITY)
    return Number(negative, Fraction(CONSTANTS.get(digits, digits)))


# ---------------------------------------------------------------- the inputs and the table


def integer_edges(kind):
    low, high = limits(kind)
    width = INTEGERS[kind]
    values = [0, 1, low, high, 7, -3 if kind in SIGNED else width + 1, -1 if kind in SIGNED else high - 1]
    return list(dict.fromkeys(values))


def float_edges(kind):
    fraction, exponent = FLOATS[kind]
    infinity = ((1 << exponent) - 1) << fraction
    one = ((1 << (exponent - 1)) - 1) << fraction
    sign = 1 << (fraction + exponent)
    two_and_half = encode(kind, number(Fraction(5, 2)))
    return {"zero": 0, "-zero": sign, "tiny": 1, "-tiny": sign | 1, "normal": 1 << fraction, "subnormal": (1 << fraction) - 1,
            "one": one, "-one": sign | one, "above": one + 1, "max": infinity - 1, "-max": sign | (infinity - 1),
            "inf": infinity, "-inf": sign | infinity, "nan": infinity | 1 << (fraction - 1), "2.5": two_and_half,
            "-2.5": sign | two_and_half, "0.5": one - (1 << fraction), "-0.5": sign | (one - (1 << fraction)),
            "below": one - (1 << fraction) - 1, "3": encode(kind, number(3)), "1e": encode(kind, number(Fraction(1, 10)))}


FLOAT_PAIRS = [
    ("zero", "-zero"), ("-zero", "zero"), ("-zero", "-zero"), ("one", "-one"), ("max", "max"), ("max", "-max"), ("inf", "-inf"), ("inf", "inf"),
    ("inf", "zero"), ("zero", "inf"), ("nan", "one"), ("one", "nan"), ("nan", "nan"), ("tiny", "tiny"), ("normal", "tiny"), ("tiny", "0.5"),
    ("subnormal", "0.5"), ("above", "above"), ("one", "zero"), ("-one", "zero"), ("one", "3"), ("1e", "3"), ("2.5", "3"), ("-2.5", "one"),
    ("3", "-2.5"), ("-inf", "one"), ("one", "-inf"), ("max", "2.5"), ("-max", "1e"), ("-tiny", "zero"), ("2.5", "2.5"), ("zero", "-one"),
]
FUSED = [("above", "above", "-one"), ("max", "3", "-max"), ("max", "max", "-inf"), ("inf", "zero", "nan"), ("inf", "zero", "one"),
         ("tiny", "tiny", "-one"), ("tiny", "0.5", "tiny"), ("one", "-zero", "-zero"), ("1e", "1e", "-tiny"), ("one", "max", "-tiny"),
         ("3", "1e", "-0.5"), ("-one", "one", "one")]


def fused_cases(kind):
    """Sums whose exact value lies just beside a midpoint: rounding twice would break the tie to the wrong side."""
    fraction, exponent = FLOATS[kind]
    bias = (1 << (exponent - 1)) - 1
    edges = float_edges(kind)
    cases = [tuple(edges[name] for name in names) for names in FUSED]
    low = fraction // 2  # the product of 1 + 2^-low and 1 + 2^-high has its last bit just below the last place: a tie
    left, right = (encode(kind, number(1 + Fraction(1, 2 ** e))) for e in (low, fraction + 1 - low))
    cases += [(left, right, edges[name]) for name in ("zero", "tiny", "-tiny")]
    middle = encode(kind, number(Fraction(2 ** (fraction + 1) - 1)))
    odd = encode(kind, number(Fraction(2 ** fraction + 1, 2 ** fraction)))
    quarter = encode(kind, number(Fraction(1, 2 ** (bias - 1)))) if bias < 1000 else edges["normal"]
    return cases + [(middle, odd, quarter), (middle, odd, quarter | 1 << (fraction + exponent))]


def conversion_inputs(kind):
    if kind == "boolean":
        return [0, 1]
    if kind in INTEGERS:
        extra = [0x5a]
        if INTEGERS[kind] >= 16:
            extra += [2049, 257]
        if INTEGERS[kind] >= 32:
            extra += [(1 << 24) + 1, (1 << 24) + 3, 65519, 65520]
        if INTEGERS[kind] == 64:
            extra += [(1 << 53) + 1, (1 << 62) + (1 << 54) + 1, (1 << 62) + (1 << 54), (1 << 62) + (1 << 38) + 1]
        if kind == "u64":
            extra += [(1 << 63) + (1 << 55) + 1, (1 << 63) + (1 << 39)]
        return [wrap(kind, v) for v in integer_edges(kind) + extra]
    values = [Fraction(3, 2), Fraction(-7, 4), Fraction(255), Fraction(256), Fraction(-129), Fraction(65519), Fraction(65520), Fraction(65536)]
    values += [Fraction(2) ** e * s for e in (31, 32, 63, 64) for s in (1, -1)]
    values += [2 ** 31 - Fraction(1, 2), 2 ** 31 - 1, 1 + Fraction(1, 2 ** 11), 1 + Fraction(1, 2 ** 11) + Fraction(1, 2 ** 40), 1 + Fraction(1, 2 ** 8),
               1 + Fraction(1, 2 ** 8) + Fraction(1, 2 ** 50), Fraction(1, 2 ** 25), Fraction(1, 2 ** 25) + Fraction(1, 2 ** 45), Fraction(3, 2 ** 25),
               1 + Fraction(1, 2 ** 24), 1 + Fraction(1, 2 ** 24) + Fraction(1, 2 ** 52), Fraction(1, 2 ** 150), Fraction(3, 2 ** 150)]
    return list(dict.fromkeys([encode(kind, number(v)) for v in values] + list(float_edges(kind).values())))


def groups():
    """Yields (op, result kind, operand kind, rows of operands and result)."""
    for kind in INTEGERS:
        pairs = list(itertools.product(integer_edges(kind), repeat=2))
        for name in ("add", "sub", "mul", "div", "rem", "shl", "shr"):
            yield name, kind, kind, [(wrap(kind, a), wrap(kind, b), integer_binary(kind, name, a, b)) for a, b in pairs]
        few = pairs[::3]
        for name in ("min", "max", "bit_and", "bit_or", "bit_xor"):
            yield name, kind, kind, [(wrap(kind, a), wrap(kind, b), integer_binary(kind, name, a, b)) for a, b in few]
        for name, test in COMPARISONS.items():
            yield name, "boolean", kind, [(wrap(kind, a), wrap(kind, b), int(test((a > b) - (a < b)))) for a, b in few]
        for name in ("neg", "abs", "bit_not", "popcount", "clz", "ctz", "reverse_bits"):
            yield name, kind, kind, [(wrap(kind, a), integer_unary(kind, name, a)) for a in integer_edges(kind)]
    for name, meaning in {"bit_and": min, "bit_or": max, "bit_xor": lambda a, b: a ^ b}.items():
        yield name, "boolean", "boolean", [(a, b, meaning(a, b)) for a in (0, 1) for b in (0, 1)]
    yield "bit_not", "boolean", "boolean", [(0, 1), (1, 0)]
    for name in ("eq", "ne"):
        yield name, "boolean", "boolean", [(a, b, int((a == b) == (name == "eq"))) for a in (0, 1) for b in (0, 1)]
    for kind in ("boolean", "i32", "f64"):
        yield "select", kind, kind, [(1, 1, 0, 1), (0, 1, 0, 0)]

    for kind in FLOATS:
        edges = float_edges(kind)
        pairs = [(edges[a], edges[b]) for a, b in FLOAT_PAIRS]
        sign = 1 << sum(FLOATS[kind])
        for name, meaning in FLOAT_BINARY.items():
            yield name, kind, kind, [(a, b, encode(kind, meaning(decode(kind, a), decode(kind, b)))) for a, b in pairs]
        for name, test in COMPARISONS.items():
            yield name, "boolean", kind, [(a, b, int(test(ordered(decode(kind, a), decode(kind, b))))) for a, b in pairs]
        yield "nextafter", kind, kind, [(a, b, next_after(kind, a, b)) for a, b in pairs]
        yield "copysign", kind, kind, [(a, b, a % sign + (b // sign) * sign) for a, b in pairs]
        for name, meaning in FLOAT_UNARY.items():
            yield name, kind, kind, [(a, encode(kind, meaning(decode(kind, a)))) for a in edges.values()]
        yield "neg", kind, kind, [(a, a ^ sign) for a in edges.values()]
        yield "abs", kind, kind, [(a, a % sign) for a in edges.values()]
        yield "fma", kind, kind, [(a, b, c, encode(kind, total(product(decode(kind, a), decode(kind, b)), decode(kind, c))))
                                  for a, b, c in fused_cases(kind)]
        for name, (meaning, inputs) in FUNCTIONS.items():
            rows = []
            for given in inputs:
                bits = [encode(kind, number(Fraction(x))) for x in (given if isinstance(given, tuple) else (given,))]
                result = meaning(*(decimal_of(decode(kind, b).value) for b in bits))
                rows.append((*bits, encode(kind, number(Fraction(result)))))
            rows += [tuple(encode(kind, parse(text)) for text in case[1:]) for case in SPECIAL if case[0] == name]
            yield name, kind, kind, rows

    kinds = ["boolean", *INTEGERS, *FLOATS]
    for kind, to in itertools.product(kinds, kinds):
        yield "cast", to, kind, [(a, convert(to, kind, a)) for a in conversion_inputs(kind)]
    for kind, to in (("f32", "u32"), ("i32", "f32"), ("f64", "i64"), ("u16", "f16"), ("i8", "u8")):
        width = INTEGERS.get(kind) or INTEGERS[to]
        yield "bit_cast", to, kind, [(a, a) for a in (0, 1, (1 << width) - 1, 1 << (width - 1))]


def table():
    lines = ["// Made by scripts/expectations.py; do not edit. Rows of operand bits followed by the bits of the result:",
             "// QUERN_EXPECT(op, result kind, operand kind, row after row)"]
    for name, result, operand, rows in groups():
        lines.append(f"QUERN_EXPECT({name}, {result}, {operand},")
        line = "   "
        for row in rows:
            text = " " + ",".join(f"{n:#x}" if n > 9 else str(n) for n in row) + ","
            if len(line) + len(text) > 118:
                lines.append(line)
                line = "   "
            line += text
        lines.append(line.rstrip(",") + ")")
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] == ["--write"]:
        TABLE.write_text(table())
    elif sys.argv[1:] == ["--check"]:
        if not TABLE.exists() or TABLE.read_text() != table():
            sys.exit(f"{TABLE} is not current: run scripts/expectations.py --write")
    else:
        sys.stdout.write(table())


if __name__ == "__main__":
    main()
