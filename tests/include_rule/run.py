#!/usr/bin/env python3
"""The include rule, on the compiler's own dependency output (-MM): who may see whom in this house.

Every allowed set is closed (what it names may itself only include what is in the set), so all files that a source
reaches can be judged, not only those that it names.
"""
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import checks  # noqa: E402

CONTRACT = ["backends/backend.hpp", "backends/registry.hpp"]
BESIDE_BACKENDS = ["backends/[^/]+$"]  # files that belong to no backend
BELOW_BACKENDS = ["dsl/", "include/", "platform/"]
SHARED_BACKENDS = ["backends/spirv/", "backends/wgsl/"]
# folder -> what its files may reach: patterns that a path from the root must begin with
RULES = {
    "include/": ["include/"],
    "platform/": ["platform/"],
    "dsl/": ["dsl/", "include/"],
    "jit/": ["jit/", *CONTRACT, *BELOW_BACKENDS],
    "tools/": ["tools/", "include/quern/"],
    "examples/": ["examples/", "include/quern/"],
    "bench/": ["bench/", "include/quern/"],
}
REGISTRY = "backends/registry.cpp"  # the only file that names concrete backends


def allowed(file):
    """Patterns of what this file may reach."""
    if file == REGISTRY:
        return ["backends/", *BELOW_BACKENDS]
    if file.startswith("backends/"):
        own = re.match(r"backends/[^/]+/", file)
        folders = [own.group(0), *SHARED_BACKENDS] if own else []
        return [*folders, *BESIDE_BACKENDS, *BELOW_BACKENDS]
    return next(rule for folder, rule in RULES.items() if file.startswith(folder))


def reached(compiler, root, file, system_folders):
    """(paths from the root of ours that the file reaches, the compiler's complaint)."""
    flags = [part for folder in system_folders for part in ("-isystem", folder)]
    status, output = checks.run([compiler, "-std=c++20", "-MM", "-x", "c++", "-w", "-I", root, "-I", root / "include",
                                 "-DQUERN_CODEGEN_DIR=\"\"", *flags, root / file])
    if status != 0:
        return [], output
    words = output.split(":", 1)[1].replace("\\\n", " ").split()
    paths = [pathlib.Path(word).resolve() for word in words]
    return [path.relative_to(root).as_posix() for path in paths if path.is_relative_to(root)], ""


def problem_of(compiler, root, file, system_folders):
    """What is wrong with the edges of one file; empty if nothing."""
    paths, complaint = reached(compiler, root, file, system_folders)
    if complaint:
        return f"cannot be preprocessed:\n{complaint[:2000]}"
    patterns = allowed(file)
    wrong = [path for path in paths if path != file and not any(re.match(pattern, path) for pattern in patterns)]
    return f"reaches {', '.join(wrong)}" if wrong else ""


# (file, what it includes, whether that is a violation): the rule is shown to be able to fail, row by row.
PLANTED = [
    ("include/quern/planted.hpp", "dsl/a.hpp", True),
    ("platform/planted.hpp", "include/quern/a.hpp", True),
    ("dsl/planted.cpp", "platform/a.hpp", True),
    ("dsl/planted.hpp", "backends/backend.hpp", True),
    ("dsl/indirect.hpp", "dsl/planted.hpp", True),
    ("backends/cpu/planted.cpp", "backends/reference/a.hpp", True),
    ("backends/cpu/up.cpp", "jit/a.hpp", True),
    ("backends/backend_extra.hpp", "backends/cpu/a.hpp", True),
    ("jit/planted.cpp", "backends/cpu/a.hpp", True),
    ("tools/planted.cpp", "dsl/a.hpp", True),
    ("examples/planted.cpp", "platform/a.hpp", True),
    ("bench/planted.cpp", "jit/a.hpp", True),
    ("jit/beside.cpp", "backends/stub.hpp", True),
    ("backends/extra.cpp", "backends/stub.hpp", False),
    ("backends/vulkan/fine.cpp", "backends/spirv/a.hpp", False),
    ("backends/registry.cpp", "backends/cpu/a.hpp", False),
    ("jit/fine.cpp", "backends/backend.hpp", False),
    ("dsl/fine.cpp", "include/quern/a.hpp", False),
]


def check_itself(tally, compiler):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for file, target, _ in PLANTED:
            for path, text in ((file, f'#include "{target}"\n'), (target, "")):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                if not (root / path).exists() or text:
                    (root / path).write_text(text)
        for file, target, is_violation in PLANTED:
            found = problem_of(compiler, root, file, [])
            wrong = bool(found) != is_violation or "preprocessed" in found
            tally.check(f"the rule judges {file} -> {target}", f"judged as '{found}'" if wrong else "")


def main():
    checks.build_folder()
    tally = checks.Tally()
    compiler = shutil.which("g++-12") or shutil.which("g++")
    if compiler is None:
        tally.skip("include rule", "g++ is not installed")
        tally.close()
    check_itself(tally, compiler)

    status, llvm = checks.run(["llvm-config-19", "--includedir"]) if shutil.which("llvm-config-19") else (1, "")
    system_folders = [llvm.strip()] if status == 0 else []
    files = [path.relative_to(checks.ROOT).as_posix()
             for folder in [*RULES, "backends/"] for path in sorted((checks.ROOT / folder).rglob("*"))
             if path.suffix in (".hpp", ".cpp", ".h", ".cc")]
    if not system_folders:
        for file in [f for f in files if "/codegen/" in f]:
            tally.skip(file, "LLVM's headers are not installed")
            files.remove(file)
    problems = checks.in_parallel(lambda file: problem_of(compiler, checks.ROOT, file, system_folders), files)
    for file, problem in zip(files, problems):
        tally.check(file, problem)
    tally.close()


main()
