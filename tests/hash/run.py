#!/usr/bin/env python3
"""One kernel has one hash: kernels.cpp and the language below it, built by each compiler, run in two processes each."""
import pathlib
import shutil
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
import checks  # noqa: E402

FLAGS = ["-std=c++20", "-O0", "-w", "-ffp-contract=off", "-DXXH_INLINE_ALL=", "-I", checks.ROOT, "-I",
         checks.ROOT / "include"]
LEAST_KERNELS = 20


def build(compiler, folder):
    """(the program, the compiler's complaint)."""
    sources = [FOLDER / "kernels.cpp", *sorted((checks.ROOT / "dsl").rglob("*.cpp"))]
    objects = [folder / f"{number}.o" for number in range(len(sources))]
    cached = [shutil.which("ccache")] if shutil.which("ccache") else []
    results = checks.in_parallel(
        lambda pair: checks.run([*cached, compiler, *FLAGS, "-c", pair[0], "-o", pair[1]]), list(zip(sources, objects)))
    for status, output in results:
        if status != 0:
            return None, output[:4000]
    program = folder / "kernels"
    status, output = checks.run([compiler, *objects, "-o", program, "-lfmt"])
    return (program, "") if status == 0 else (None, output[:4000])


def difference(first, second):
    """The kernels of which two outputs say different things; empty if none."""
    a, b = (dict(line.split() for line in output.splitlines()) for output in (first, second))
    return ", ".join(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))


def main():
    checks.build_folder()
    tally = checks.Tally()
    tally.check("a difference is noticed", "" if difference("a 1\nb 2\n", "a 1\nb 3\n") == "b" else "it was not")
    outputs = {}
    for name, compiler in checks.compilers():
        if compiler is None:
            tally.skip(f"hashes ({name})", f"{checks.COMPILERS[name]} is not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            program, complaint = build(compiler, pathlib.Path(folder))
            tally.check(f"the kernels build ({name})", complaint)
            if program is None:
                continue
            runs = [checks.run([program]) for _ in range(2)]
        for status, output in runs:
            tally.check(f"the kernels are traced ({name})", output[:4000] if status != 0 else "")
        outputs[name] = runs[0][1]
        tally.check(f"two processes agree ({name})", difference(runs[0][1], runs[1][1]))
        hashes = [line.split()[1] for line in outputs[name].splitlines()]
        tally.check(f"every kernel has a hash of its own ({name})",
                    "" if len(set(hashes)) == len(hashes) >= LEAST_KERNELS else outputs[name])
    if len(outputs) == 2:
        tally.check("g++ and clang agree", difference(*outputs.values()))
    tally.close()


main()
