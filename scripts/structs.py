#!/usr/bin/env python3
"""Two hundred structs for the tests of layouts: odd sizes, float3 beside double, nested arrays and structs, bools, enums,
empty tails. Always the same ones. --write writes tests/conformance/structs_<n>.inc, --check compares it.
"""
import pathlib
import random
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "conformance"
PARTS, STRUCTS_A_PART, MOST_LEAVES = 4, 50, 12

SCALARS = ["bool", "std::int8_t", "std::uint8_t", "std::int16_t", "std::uint16_t", "int", "uint", "std::int64_t", "std::uint64_t",
           "half", "bfloat16", "float", "double", "phase", "cell_id", "small_id"]
VECTORS = [("bool3", 3), ("int2", 2), ("uint4", 4), ("float2", 2), ("float3", 3), ("float4", 4), ("double3", 3), ("half3", 3),
           ("vec<std::int8_t, 3>", 3), ("vec<std::uint16_t, 3>", 3), ("vec<std::int64_t, 2>", 2), ("vec<bfloat16, 2>", 2)]
# what the text above promises, first
FIXED = [["float3", "double"], ["bool", "double", "bool"], ["std::array<std::array<std::int8_t, 3>, 2>", "std::int16_t"], ["bool"],
         ["float", "nothing"], ["std::uint8_t", "std::uint16_t", "std::uint8_t"], ["vec<std::int8_t, 3>", "half", "std::int64_t", "bool"],
         ["nothing", "std::int64_t", "nothing"]]


class Part:
    def __init__(self, number):
        self.number, self.random, self.leaves, self.lines = number, random.Random(number), {}, []

    def pick(self, budget, depth=0):
        """A type with at most `budget` leaves, and how many it has."""
        roll = self.random.random()
        if roll < 0.2 and depth < 2 and budget >= 2:
            inner, leaves = self.pick(budget // 2, depth + 1)
            count = self.random.randint(1, max(1, min(5, budget // max(leaves, 1))))
            return f"std::array<{inner}, {count}>", leaves * count
        if roll < 0.4:
            fitting = [name for name, leaves in self.leaves.items() if leaves <= budget]
            if fitting:
                name = self.random.choice(fitting)
                return name, self.leaves[name]
        if roll < 0.65:
            fitting = [v for v in VECTORS if v[1] <= budget]
            if fitting:
                return self.random.choice(fitting)
        return self.random.choice(SCALARS), 1

    def add(self, types, leaves):
        name = f"struct_{self.number}_{len(self.leaves)}"
        members = [f"m{i}" for i in range(len(types))]
        listed = "".join(", " + m for m in members)
        self.lines += [f"struct {name} {{"] + [f"    {t} {m};" for t, m in zip(types, members)] + ["};", f"QUERN_STRUCT({name}{listed});"]
        self.lines += ["template <class A, class B, class F>",
                       f"void each(quern_detail::type_tag<{name}>, [[maybe_unused]] A& a, [[maybe_unused]] B& b, [[maybe_unused]] F f) {{"]
        self.lines += [f"    f(a.{m}, b.{m});" for m in members] + ["}"]
        self.leaves[name] = leaves

    def text(self):
        if self.number == 0:
            for types in FIXED:
                self.add(types, 6)
        while len(self.leaves) < STRUCTS_A_PART:
            types, left = [], MOST_LEAVES
            for _ in range(self.random.randint(1, 7)):
                if left == 0:
                    break
                t, leaves = self.pick(left)
                types.append(t)
                left -= leaves
            if self.random.random() < 0.1:
                types.append("nothing")
            self.add(types, MOST_LEAVES - left)
        cases = ", ".join(self.leaves)
        return "\n".join(["// Made by scripts/structs.py; do not edit."] + self.lines +
                         [f"using struct_list = type_list<{cases}>;", ""])


def main():
    wrong = []
    for number in range(PARTS):
        file, text = FOLDER / f"structs_{number}.inc", Part(number).text()
        if "--write" in sys.argv:
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            wrong.append(file.name)
    if wrong:
        sys.exit(f"{', '.join(wrong)}: not current; scripts/structs.py --write makes them")


main()
