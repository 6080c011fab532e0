#!/usr/bin/env python3
"""Prints what the public header costs: processor time to compile a one-kernel program. It judges nothing: times differ."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import checks  # noqa: E402


def main():
    checks.build_folder()
    tally = checks.Tally()
    program = checks.ROOT / "tests" / "package" / "main.cpp"
    for name, compiler in checks.compilers():
        if compiler is None:
            continue
        times = []
        for _ in range(3):
            before = os.times()
            status, output = checks.run([compiler, "-std=c++20", "-O0", "-c", "-I", checks.ROOT / "include", program,
                                         "-o", "/dev/null"])
            after = os.times()
            times.append(after.children_user + after.children_system - before.children_user - before.children_system)
            if status != 0:
                tally.check(f"saxpy compiles ({name})", output[:4000])
                break
        else:
            print(f"saxpy at -O0 with {name}: {min(times):.2f} s of processor time (best of {len(times)})", flush=True)
    tally.close()


main()
