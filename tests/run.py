#!/usr/bin/env python3
"""Runs all suites against a build folder and adds up their closing lines `N passed, N failed, N skipped`.

A suite is quern-tests (`cpp`) or any tests/<name>/run.py. Suites run side by side, and each shows its output when it
has ended. One that ends without its line, or fails without naming a failed check, counts as one failed check.

    tests/run.py --build build/release                     all of them
    tests/run.py --build build/debug --only cpp fuzz       these
    tests/run.py --build build/release --also build/asan   all of them, and quern-tests of another build
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent
JOBS = min(os.cpu_count() or 1, 4)
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")


# Sanitizers look at our own code: drivers and NVRTC are not instrumented and bring reports of their own. The thread
# sanitizer is slow, and conformance and fuzz run on one thread: it has nothing to see there.
SELECTION = {"asan": ["--filenames-as-tags", "~[vulkan]~[cuda]~[#structs_test]~[.]"],
             "tsan": ["--filenames-as-tags", "~[vulkan]~[cuda]~[#conformance_test]~[#structs_test]~[fuzz]~[.]"]}
SANITIZED = {"QUERN_DEVICE": "cpu", "QUERN_TEST_DEVICE": "cpu at 8"}


def cpp_suite(build):
    """The command, with `env` in front of it where it needs an environment of its own."""
    environment = [f"{name}={value}" for name, value in SANITIZED.items()] if build.name in SELECTION else []
    return [*(["env", *environment] if environment else []), build / "bin" / "quern-tests", *SELECTION.get(build.name, [])]


def suites(build, others):
    """[(name, command)] in running order: the slow ones first."""
    found = [(f"cpp-{other.name}", cpp_suite(other)) for other in others] + [("cpp", cpp_suite(build))]
    for script in sorted(TESTS.glob("*/run.py")):
        found.append((script.parent.name, [sys.executable, script, "--build", build]))
    return found


def run_suite(name, command):
    """Runs one suite; returns (its counts, its output without the closing line)."""
    started = time.monotonic()
    try:
        process = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, errors="replace", cwd=TESTS.parent)
    except OSError as failure:
        return (0, 1, 0), f"FAIL {name}: cannot start: {failure}\n"
    counts, output = None, ""
    for line in process.stdout.splitlines(keepends=True):
        match = CLOSING.match(line.rstrip("\n"))
        if match:
            counts = tuple(int(number) for number in match.groups())
        else:
            output += line
    status = process.returncode
    if counts is None or (status != 0 and counts[1] == 0):
        output += (f"FAIL {name}: ended with status {status} and "
                   f"{'no closing line' if counts is None else 'no failed check'}\n")
        counts = (0, 1, 0) if counts is None else (counts[0], 1, counts[2])
    return counts, output + (f"    {name}: {counts[0]} passed, {counts[1]} failed, {counts[2]} skipped "
                             f"({time.monotonic() - started:.1f} s)\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=TESTS.parent / "build" / "release")
    parser.add_argument("--also", nargs="+", type=pathlib.Path, default=[], metavar="BUILD",
                        help="run quern-tests of these build folders too")
    parser.add_argument("--only", nargs="+", metavar="SUITE", help="run these suites")
    options = parser.parse_args()

    chosen = suites(options.build.resolve(), [other.resolve() for other in options.also])
    if options.only:
        unknown = set(options.only) - {name for name, _ in chosen}
        if unknown:
            sys.exit(f"no such suite: {', '.join(sorted(unknown))}; there are: {', '.join(name for name, _ in chosen)}")
        chosen = [(name, command) for name, command in chosen if name in options.only]

    print(f"    {len(chosen)} suites, {JOBS} at a time: {', '.join(name for name, _ in chosen)}", flush=True)
    totals = [0, 0, 0]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        running = {pool.submit(run_suite, name, command): name for name, command in chosen}
        for done in concurrent.futures.as_completed(running):
            counts, output = done.result()
            print(f"==> {running[done]}\n{output}", end="", flush=True)
            totals = [total + count for total, count in zip(totals, counts)]
    print(f"{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped", flush=True)
    sys.exit(1 if totals[1] else 0)


if __name__ == "__main__":
    main()
