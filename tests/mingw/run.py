#!/usr/bin/env python3
"""include/ and platform/ compile for Windows, and every public header stands on its own with each compiler."""
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import checks  # noqa: E402

MINGW = "x86_64-w64-mingw32-g++-posix"
PORTABLE_PACKAGES = ["boost", "fmt"]  # header-only here; taken from the host, whose other headers must stay out
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-I", checks.ROOT,
         "-I", checks.ROOT / "include"]


def compile_file(compiler, system, file):
    """The compiler's complaint about one header or source; empty if it has none."""
    include = f'#include "{checks.ROOT / file}"\n'
    status, output = checks.run([compiler, *FLAGS, *system, "-x", "c++", "-"], input=include)
    return output[:4000] if status != 0 else ""


def main():
    checks.build_folder()
    tally = checks.Tally()
    headers = sorted((checks.ROOT / "include").rglob("*.hpp"))
    windows = headers + sorted(path for path in (checks.ROOT / "platform").rglob("*") if path.suffix in (".hpp", ".cpp"))
    with tempfile.TemporaryDirectory() as folder:
        for package in PORTABLE_PACKAGES:
            source = pathlib.Path("/usr/include") / package
            if source.exists():
                (pathlib.Path(folder) / package).symlink_to(source)
        work = [("mingw", shutil.which(MINGW), ["-isystem", folder], windows)]
        work += [(name, path, [], headers) for name, path in checks.compilers()]
        for name, compiler, system, files in work:
            files = [path.relative_to(checks.ROOT) for path in files]
            if compiler is None:
                for file in files:
                    tally.skip(f"{file} ({name})", f"{checks.COMPILERS.get(name, MINGW)} is not installed")
                continue
            results = checks.in_parallel(lambda file: compile_file(compiler, system, file), files)
            for file, problem in zip(files, results):
                tally.check(f"{file} ({name})", problem)
    tally.close()


main()
