#!/usr/bin/env python3
"""The installed package, used as a stranger would: installed, moved elsewhere, found by another project."""
import pathlib
import shutil
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
import checks  # noqa: E402


def cache_value(build, key):
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(key + ":"):
            return line.split("=", 1)[1]
    return ""


def traces_of(prefix, words):
    """Files of the prefix that name one of the words: paths of the machine that built it."""
    found = []
    for path in sorted(prefix.rglob("*")):
        if path.is_file() and path.suffix in (".cmake", ".hpp", ".pc"):
            text = path.read_text(errors="replace")
            found += [f"{path.relative_to(prefix)} names {word}" for word in words if word in text]
    return found


def main():
    build = checks.build_folder()
    tally = checks.Tally()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        installed, prefix, user = folder / "installed", folder / "moved" / "prefix", folder / "user"
        steps = {}

        def step(name, command, needs=(), **options):
            """One check that runs a command; it fails as well when a step that it needs has failed."""
            missing = [need for need in needs if not steps.get(need)]
            status, output = (1, f"needs: {', '.join(missing)}") if missing else checks.run(command, **options)
            steps[name] = status == 0
            tally.check(name, output[-4000:] if status != 0 else "")
            return output

        step("it installs", ["cmake", "--install", build, "--prefix", installed])
        if steps["it installs"]:
            prefix.parent.mkdir()
            shutil.move(installed, prefix)
            tally.check("it names no path of this machine",
                        "\n".join(traces_of(prefix, [str(checks.ROOT), str(build), str(installed)])))
        step("another project finds it", ["cmake", "-S", FOLDER, "-B", user, f"-DCMAKE_PREFIX_PATH={prefix}",
                                          "-DCMAKE_BUILD_TYPE=Debug",
                                          f"-DCMAKE_CXX_COMPILER={cache_value(build, 'CMAKE_CXX_COMPILER')}"],
             ["it installs"])
        step("another project builds with it", ["cmake", "--build", user], ["another project finds it"])
        step("another project's kernel runs", [user / "saxpy"], ["another project builds with it"], cwd="/")
        step("bin/quern runs from the moved prefix", [prefix / "bin" / "quern", "devices"], ["it installs"], cwd="/")
        for name, compiler in checks.compilers():
            check = f"headers compile without exceptions and type information ({name})"
            if compiler is None:
                tally.skip(check, f"{checks.COMPILERS[name]} is not installed")
                continue
            step(check, [compiler, "-std=c++20", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Wconversion",
                         "-Werror", "-fsyntax-only", "-I", prefix / "include", FOLDER / "header_only.cpp"],
                 ["it installs"])
    tally.close()


main()
