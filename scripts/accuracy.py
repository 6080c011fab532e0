#!/usr/bin/env python3
"""docs/accuracy.md from dsl/ir/accuracy.def: --write makes it, --check fails where it is not current."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
page = root / "docs" / "accuracy.md"


def text() -> str:
    rows = re.findall(r"^QUERN_ACCURACY\((\w+),\s*(\d+),\s*(\d+)\)", (root / "dsl/ir/accuracy.def").read_text(), re.M)
    lines = [
        "# Accuracy of the maths functions",
        "",
        "Largest error in units in the last place of the correctly rounded result, in the modes `math::contract` and",
        "`math::precise`. No bound is looser than CUDA's. Functions that are not listed are exact or correctly rounded:",
        "`+ - * / sqrt fma`, rounding, `fmod`, `remainder`, `nextafter`, `copysign`, `min`, `max`, `abs`, conversions",
        "(`sqrt` and `/` in `math::precise`; in `math::fast` nothing is promised).",
        "",
        "The conformance tests hold every device to this table. It is written by `scripts/accuracy.py` from",
        "`dsl/ir/accuracy.def`.",
        "",
        "| function | float | double |",
        "|---|---|---|",
    ]
    lines += [f"| `{name}` | {single} | {double} |" for name, single, double in rows]
    lines += [
        "",
        "`lgamma`: outside of (-10.001, -2.264) for float and (-23.0001, -2.2637) for double, where it crosses zero.",
        "Sums and products over a subgroup combine the lanes in any order.",
        "",
    ]
    return "\n".join(lines)


if sys.argv[1:] == ["--write"]:
    page.write_text(text())
elif sys.argv[1:] == ["--check"]:
    if not page.exists() or page.read_text() != text():
        sys.exit("docs/accuracy.md is not current: scripts/accuracy.py --write")
else:
    sys.exit(__doc__)
