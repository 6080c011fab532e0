#!/usr/bin/env python3
"""The counting itself: a crash, a silent failure or a skip never passes for a pass."""
import importlib.util
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
import checks  # noqa: E402

SPEC = importlib.util.spec_from_file_location("run_all", FOLDER.parent / "run.py")
run_all = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(run_all)

CLOSING = "print('2 passed, 0 failed, 3 skipped')"
# name -> (program of a suite, its counts)
SUITES = {
    "counts are taken from the closing line": (CLOSING, (2, 0, 3)),
    "failed checks are counted once": ("print('2 passed, 4 failed, 0 skipped'); raise SystemExit(1)", (2, 4, 0)),
    "a suite that says nothing fails": ("", (0, 1, 0)),
    "a suite that dies before its line fails": ("import os; os.abort()", (0, 1, 0)),
    "a suite that fails after its line fails": (CLOSING + "; raise SystemExit(3)", (2, 1, 3)),
    "the line counts only when it is all of a line": ("print('note: 2 passed, 0 failed, 3 skipped')", (0, 1, 0)),
}


def main():
    build = checks.build_folder()
    tally = checks.Tally()
    for name, (program, expected) in SUITES.items():
        counts, _ = run_all.run_suite(name, [sys.executable, "-c", program])
        tally.check(name, "" if counts == expected else f"counted {counts}, not {expected}")
    counts, _ = run_all.run_suite("absent", [build / "there-is-no-such-program"])
    tally.check("a suite that cannot start fails", "" if counts == (0, 1, 0) else f"counted {counts}")

    status, output = checks.run([build / "bin" / "quern-tests", "[.outcome-probe]"])
    closing = output.splitlines()[-1] if output else ""
    tally.check("C++ test cases are counted by outcome",
                "" if status == 1 and closing == "1 passed, 4 failed, 2 skipped" else f"status {status}: {closing}")
    tally.check("a skip is printed with its reason",
                "" if "SKIP probe: it skips: this is the reason" in output else output)
    tally.close()


main()
