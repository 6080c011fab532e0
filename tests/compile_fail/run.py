#!/usr/bin/env python3
"""Programs that must not compile, and what the compiler must say.

Each *.cpp here opens with comment lines:
    // expect: TEXT           both compilers' output contains TEXT (as many lines as needed)
    // expect g++: TEXT       only g++'s, or `expect clang:`, where the compilers word it themselves
    // compiles               a control: it must compile without a warning
Source lines are not echoed by the compilers, so that TEXT in the program itself never counts. quern.hpp is compiled
once and loaded by every case (a case that includes less of Quern sees all of it).
"""
import pathlib
import re
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
import checks  # noqa: E402

FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Wconversion", "-Werror=switch", "-fmessage-length=0",
         "-fdiagnostics-color=never", "-ftemplate-backtrace-limit=0", "-I", checks.ROOT / "include"]
NO_ECHO = {"g++": "-fno-diagnostics-show-caret", "clang": "-fno-caret-diagnostics"}
EXPECT = re.compile(r"^// expect(?: (g\+\+|clang))?: (.+)$")


def read_header(file):
    """([(compiler or None, text)], whether it is a control) from the comment lines that a case opens with."""
    expected, control = [], False
    for line in file.read_text().splitlines():
        if not line.startswith("//"):
            break
        match = EXPECT.match(line)
        if match:
            expected.append((match.group(1), match.group(2).strip()))
        control = control or line.strip() == "// compiles"
    return expected, control


def judge(status, output, expected, control):
    """What is wrong with a case's outcome; empty if nothing."""
    if control:
        return "" if status == 0 and not output.strip() else f"must compile without a word, but:\n{output}"
    if not expected:
        return "says neither `// expect: …` nor `// compiles`"
    if status == 0:
        return "must not compile, but does"
    missing = [text for text in expected if text not in output]
    return f"the compiler does not say {missing}; it says:\n{output[:4000]}" if missing else ""


def precompile(name, compiler, folder):
    """Arguments that load a precompiled quern.hpp; ends the suite if it does not compile without a word."""
    header = pathlib.Path(folder) / f"quern_{name.strip('+')}.hpp"
    header.write_text("#include <quern/quern.hpp>\n")
    product = header.with_suffix(".hpp.gch" if name == "g++" else ".hpp.pch")
    status, output = checks.run([compiler, *FLAGS, "-x", "c++-header", header, "-o", product])
    if status != 0 or output.strip():
        sys.exit(f"quern.hpp with {name}:\n{output}")
    return ["-include", header] if name == "g++" else ["-include-pch", product]


def main():
    checks.build_folder()
    tally = checks.Tally()
    tally.check("a case that compiles is noticed", "" if judge(0, "", ["x"], False) else "it was accepted")
    tally.check("a wrong message is noticed", "" if judge(1, "error: y", ["x"], False) else "it was accepted")
    tally.check("a broken control is noticed", "" if judge(1, "error: y", [], True) else "it was accepted")

    cases = sorted(FOLDER.glob("*.cpp"))
    headers = {case: read_header(case) for case in cases}
    if not any(control for _, control in headers.values()):
        tally.check("controls", "there is no control: a broken header would pass for a refusal")
    for name, path in checks.compilers():
        if path is None:
            for case in cases:
                tally.skip(f"{case.name} ({name})", f"{checks.COMPILERS[name]} is not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            command = [path, *FLAGS, *precompile(name, path, folder), "-fsyntax-only", NO_ECHO[name]]
            results = checks.in_parallel(lambda case: checks.run([*command, case]), cases)
        for case, (status, output) in zip(cases, results):
            expected, control = headers[case]
            texts = [text for compiler, text in expected if compiler in (None, name)]
            tally.check(f"{case.name} ({name})", judge(status, output, texts, control))
    tally.close()


main()
