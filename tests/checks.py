"""What the checks that are not C++ share: arguments, running commands, counting, the closing line.

Every suite, this kind or C++, prints its own progress and closes with `N passed, N failed, N skipped`; tests/run.py
adds those lines up.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
JOBS = min(os.cpu_count() or 1, 8)

# What is tested is compiled here and now; tests of the cache have folders of their own.
os.environ.setdefault("QUERN_CACHE", "off")

# The oldest compilers that Quern supports on Debian 12, by the name that messages use.
COMPILERS = {"g++": "g++-12", "clang": "clang++-19"}


def build_folder():
    """The build folder named by --build."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", help="the build folder")
    return parser.parse_args().build.resolve()


def run(command, **options):
    """Runs a command; returns (exit status, stdout and stderr together)."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", **options)
    return done.returncode, done.stdout


def in_parallel(function, items):
    """[function(item) for item in items], JOBS at a time, in order."""
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(function, items))


def compilers():
    """[(name, path or None)] of COMPILERS: None where it is not installed."""
    return [(name, shutil.which(program)) for name, program in COMPILERS.items()]


class Tally:
    """Counts checks and ends the program with the closing line."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, name, problem):
        """Counts one check: passed if `problem` is empty, else failed with it printed."""
        if problem:
            self.failed += 1
            print(f"FAIL {name}: {problem}", flush=True)
        else:
            self.passed += 1

    def skip(self, name, reason):
        self.skipped += 1
        print(f"SKIP {name}: {reason}", flush=True)

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        sys.exit(1 if self.failed else 0)
