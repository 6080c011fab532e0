#!/usr/bin/env python3
"""The command `quern`: what it prints, where it writes, how it fails."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import checks  # noqa: E402

SAXPY = checks.ROOT / "tests" / "golden" / "saxpy.qir"
DONE, FAILED, WRONG_ARGUMENTS = 0, 1, 2
ELF = b"\x7fELF"


class Command:
    def __init__(self, build, tally):
        self.program = build / "bin" / "quern"
        self.tally = tally

    def run(self, *arguments, stdin=b"", **environment):
        """(exit code, standard output, standard error)."""
        done = subprocess.run([str(part) for part in (self.program, *arguments)], input=stdin, capture_output=True,
                              env={**os.environ, **environment})
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def check(self, name, ok, seen):
        self.tally.check(name, "" if ok else f"saw {seen}")

    def check_fails(self, name, arguments, code, *words, **options):
        """The exit code, every word in the standard error, nothing on the standard output."""
        status, out, err = seen = self.run(*arguments, **options)
        self.check(name, status == code and out == "" and all(word in err for word in words), seen)


def check_arguments(command):
    version = re.search(r"project\(quern VERSION ([\d.]+)", (checks.ROOT / "CMakeLists.txt").read_text()).group(1)
    seen = command.run("--version")
    command.check("--version prints the version", seen == (DONE, f"quern {version}\n", ""), seen)
    for arguments, words in (([], ["devices", "compile", "--version"]), (["devices"], ["--json"]),
                             (["compile"], ["--target", "--stage", "--output"])):
        status, out, err = seen = command.run(*arguments, "--help")
        command.check(f"{' '.join(['quern', *arguments])} --help says what there is",
                      status == DONE and all(word in out for word in [*words, "Exit codes"]) and err == "", seen)
    command.check_fails("no subcommand is wrong", [], WRONG_ARGUMENTS, "subcommand")
    command.check_fails("an unknown subcommand is wrong", ["grind"], WRONG_ARGUMENTS, "grind")
    command.check_fails("an unknown option is wrong", ["devices", "--colour"], WRONG_ARGUMENTS, "--colour")
    command.check_fails("compile needs a file", ["compile"], WRONG_ARGUMENTS, "file")


def check_devices(command):
    status, text, err = seen = command.run("devices")
    command.check("devices lists devices", status == DONE and err == "", seen)
    status, out, err = seen = command.run("devices", "--json")
    listing = json.loads(out) if status == DONE else {"devices": [], "missing": []}
    command.check("devices --json is JSON", status == DONE and err == "", seen)
    listed = re.findall(r"^((?:cpu|cuda|vulkan|webgpu)(?::\d+)?) +(\S.*)$", text, re.MULTILINE)
    command.check("both forms list the same devices",
                  listed == [(device["id"], device["name"]) for device in listing["devices"]], (listed, listing))
    cpus = [device for device in listing["devices"] if device["id"] == "cpu"]
    command.check("this CPU is a device", len(cpus) == 1, listing)
    for device in cpus:
        with open("/proc/meminfo") as meminfo:
            memory = int(re.search(r"MemTotal: +(\d+) kB", meminfo.read()).group(1)) * 1024
        command.check("what is said of the CPU can be true",
                      device["backend"] == "cpu" and device["subgroup_size"] in (4, 8, 16) and
                      device["max_workgroup_size"] == 1024 and device["compute_units"] >= 1 and
                      0 < device["memory_bytes"] <= memory and device["shared_memory_bytes"] >= 16384 and
                      {"int64", "float64", "subgroups"} <= set(device["features"]), device)
    present = {device["backend"] for device in listing["devices"]}
    missing = {entry["backend"]: entry["reason"] for entry in listing["missing"]}
    for backend in ("cpu", "vulkan", "cuda"):
        command.check(f"{backend} is there or missing for a reason",
                      (backend in present) != (len(missing.get(backend, "")) > 8), listing)
    command.check("missing backends are listed in the text",
                  all(f"{backend}: {reason}" in text for backend, reason in missing.items()), text)
    status, out, err = seen = command.run("devices", "--json", QUERN_DEVICE="cpu")
    command.check("QUERN_DEVICE restricts the list",
                  status == DONE and [device["id"] for device in json.loads(out)["devices"]] == ["cpu"], seen)
    command.check_fails("an absent QUERN_DEVICE is reported", ["devices"], FAILED, "QUERN_DEVICE", "abacus:7", "cpu",
                        QUERN_DEVICE="abacus:7")


def check_compile(command, folder):
    code = folder / "saxpy.o"
    status, out, err = seen = command.run("compile", SAXPY, "--output", code)
    data = code.read_bytes() if code.exists() else b""
    command.check("compile writes machine code", status == DONE and data[:4] == ELF and err == "", seen)
    command.check("compile says what it wrote",
                  out.startswith(f"{SAXPY}: {len(data)} bytes of elf for cpu\n"), (len(data), out))
    seen = command.run("compile", "-", stdin=SAXPY.read_bytes())
    command.check("compile reads the standard input", seen[0] == DONE and seen[1].startswith("<stdin>: "), seen)

    status, ir, err = seen = command.run("compile", SAXPY, "--stage", "ir")
    command.check("the ir stage is a kernel", status == DONE and "saxpy" in ir, seen)
    seen = command.run("compile", "-", "--stage", "ir", stdin=ir.encode())
    command.check("the ir stage compiles to itself", seen == (DONE, ir, ""), seen)
    stage = folder / "saxpy.txt"
    seen = command.run("compile", SAXPY, "--stage", "ir", "--output", stage)
    command.check("a stage goes to a file", seen == (DONE, "", "") and stage.read_text() == ir, seen)

    # Haswell brought fused multiplication and addition; Nehalem has neither that nor 256-bit vectors.
    for target, has_fma in (("cpu:haswell", True), ("cpu:nehalem", False)):
        status, text, err = command.run("compile", SAXPY, "--stage", "assembly", "--target", target)
        command.check(f"the assembly for {target} has {'' if has_fma else 'no '}fused packed arithmetic",
                      status == DONE and bool(re.search(r"\bvfn?madd\d+ps\b", text)) == has_fma and
                      ("%ymm" in text or "ymm" in text) == has_fma, (status, text[:4000], err))

    # As many lanes as the environment says: 4 floats are 128 bits, 8 are 256, 16 are 512.
    for lanes, register in (("4", "xmm"), ("8", "ymm"), ("16", "zmm")):
        seen = command.run("compile", SAXPY, "--stage", "assembly", "--target", "cpu:znver4", QUERN_CPU_LANES=lanes)
        widest = [name for name in ("xmm", "ymm", "zmm") if name in seen[1]][-1:]
        command.check(f"QUERN_CPU_LANES={lanes} is followed", seen[0] == DONE and widest == [register], seen)


def check_mistakes(command, folder):
    absent, broken, late, empty, still = (folder / f"{name}.qir" for name in ("absent", "broken", "late", "empty", "still"))
    broken.write_text("this is no kernel\n")
    lines = SAXPY.read_text().splitlines(keepends=True)
    late.write_text("".join(lines[:-2] + ["    nonsense here\n"] + lines[-2:]))
    empty.write_text("")
    still.write_text('kernel "still" over math contract {\n  buffer out %y: u32\n\n'
                     "  for %k = 0u32 to 4u32 step 0u32 : u32 {\n    store %y[%k], %k\n  }\n}\n")
    command.check_fails("a missing file", ["compile", absent], FAILED, str(absent), "No such file")
    command.check_fails("a folder as file", ["compile", folder], FAILED, str(folder))
    command.check_fails("a file that is no kernel", ["compile", broken], FAILED, f"{broken}:1")
    command.check_fails("a mistake in a later line", ["compile", late], FAILED, f"{late}:{len(lines) - 1}")
    command.check_fails("a loop that does not count", ["compile", still], FAILED, f"{still}:4", "must be positive")
    command.check_fails("an empty file", ["compile", empty], FAILED, f"{empty}:1")
    command.check_fails("an unknown target", ["compile", SAXPY, "--target", "abacus"], FAILED, "abacus", "cpu")
    command.check_fails("an unknown CPU", ["compile", SAXPY, "--target", "cpu:abacus"], FAILED, "cpu:abacus")
    seen = command.run("compile", SAXPY, "--target", "cpu:abacus")
    command.check("a short reason is said once", seen[2].count("does not know the cpu") == 1, seen)
    command.check_fails("an unknown stage", ["compile", SAXPY, "--stage", "poem"], FAILED, "poem", "ir", "assembly")
    command.check_fails("a missing code generator", ["compile", SAXPY], FAILED, "code generator", str(absent),
                        QUERN_CPU_CODEGEN=str(absent))
    seen = command.run("compile", SAXPY, QUERN_CPU_CODEGEN="")
    command.check("an empty QUERN_CPU_CODEGEN is none", seen[0] == DONE, seen)
    command.check_fails("an output in no folder", ["compile", SAXPY, "--output", absent / "x.o"], FAILED, "x.o")


def main():
    tally = checks.Tally()
    command = Command(checks.build_folder(), tally)
    check_arguments(command)
    check_devices(command)
    with tempfile.TemporaryDirectory() as folder:
        check_compile(command, pathlib.Path(folder))
        check_mistakes(command, pathlib.Path(folder))
    tally.close()


main()
