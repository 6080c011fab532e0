#!/usr/bin/env python3
"""Every example on every device found and on the reference: it checks itself, prints one line, draws pictures."""
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import checks  # noqa: E402
import png  # noqa: E402

LEAST_PIXELS = 512
# What an interpreter gets through in a moment.
SMALL = {
    "saxpy": ["--size", 1000],
    "reduce": ["--size", 5000],
    "bitonic_sort": ["--size", 300],
    "mandelbrot": ["--width", 64, "--height", 48, "--limit", 40],
    "nbody": ["--size", 37, "--steps", 3],
    "game_of_life": ["--width", 37, "--height", 21, "--generations", 3],
    "blur": [],  # gets a small picture
}
# Sizes at the edge of what an example allows, on every device: one element, and no multiples of a vector.
EDGES = [
    ("saxpy", ["--size", 0]), ("saxpy", ["--size", 1]), ("saxpy", ["--size", 100003]),
    ("reduce", ["--size", 1]), ("reduce", ["--size", 255]), ("reduce", ["--size", 257]),
    ("bitonic_sort", ["--size", 1]), ("bitonic_sort", ["--size", 17]), ("bitonic_sort", ["--size", 1025]),
    ("mandelbrot", ["--width", 1, "--height", 7, "--limit", 50]),
    ("nbody", ["--size", 2]),
    ("game_of_life", ["--width", 3, "--height", 5]),
]
# An 8 x 8 JPEG of one grey, 128: one block, all of whose coefficients are 0.
JPEG = (b"\xff\xd8"                                                      # start
        b"\xff\xdb\x00\x43\x00" + b"\x01" * 64 +                        # quantisation: 1
        b"\xff\xc0\x00\x0b\x08\x00\x08\x00\x08\x01\x01\x11\x00"        # baseline, 8 bits, 8 x 8, one component
        b"\xff\xc4\x00\x14\x00\x01" + b"\x00" * 16 +                    # DC codes: 0 is "no difference"
        b"\xff\xc4\x00\x14\x10\x01" + b"\x00" * 16 +                    # AC codes: 0 is "end of block"
        b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\x3f"                # scan: the bits 0 0, filled up with ones
        b"\xff\xd9")                                                     # end


def line_problem(name, device, status, output):
    """What is wrong with an example's run; empty if it passed and said so in one line."""
    if status != 0:
        return f"ended with status {status}:\n{output[:4000]}"
    line = rf"{re.escape(name)} +{re.escape(device)} .* +\d+\.\d\d ms +checked against \S.*\n"
    return "" if re.fullmatch(line, output) else f"must print its one line, but prints:\n{output[:4000]}"


def picture_problem(path, least):
    """What is wrong with a picture; empty if it is a PNG of the size and not of one colour."""
    try:
        width, height, lines = png.read_filtered(path)
    except (OSError, ValueError) as failure:
        return str(failure)
    if min(width, height) < least:
        return f"it is only {width} x {height}"
    return "" if len(set(lines)) > 32 else "it is nearly blank"


class Examples:
    def __init__(self, build, folder, tally):
        self.programs = build / "bin" / "examples"
        self.folder = folder
        self.tally = tally

    def run(self, name, device, *arguments):
        return checks.run([self.programs / name, "--device", device, *arguments])

    def check_all(self, device, arguments_of, least_pixels):
        """Each example once; blur takes mandelbrot's picture."""
        pictures = {name: self.folder / f"{name}-{device.replace(':', '-')}.png" for name in ("mandelbrot", "blur")}
        for name in sorted(SMALL, key=lambda name: name == "blur"):
            arguments = list(arguments_of.get(name, []))
            if name in pictures:
                arguments += ["--output", pictures[name]]
            if name == "blur":
                arguments += [pictures["mandelbrot"]]
            problem = line_problem(name, device, *self.run(name, device, *arguments))
            if not problem and name in pictures:
                problem = picture_problem(pictures[name], least_pixels)
            self.tally.check(f"{name} on {device}", problem)

    def check_edges(self, device):
        for name, arguments in EDGES:
            problem = line_problem(name, device, *self.run(name, device, *arguments))
            self.tally.check(f"{name} on {device} with {' '.join(map(str, arguments))}", problem)

    def blur(self, device, source):
        """(problem, width, height, pixels) of a blurred picture."""
        target = self.folder / "blurred.png"
        target.unlink(missing_ok=True)
        problem = line_problem("blur", device, *self.run("blur", device, source, "--output", target))
        return (problem, 0, 0, b"") if problem else ("", *png.read(target))

    def check_blur(self, device):
        """What a blur does to pictures whose blur is known without computing it."""
        uniform, dot, jpeg = (self.folder / name for name in ("uniform.png", "dot.png", "grey.jpg"))
        width, height = 41, 23
        png.write(uniform, width, height, bytes([200, 100, 50]) * (width * height))
        problem, *result = self.blur(device, uniform)
        expected = [width, height, bytes([200, 100, 50]) * (width * height)]
        self.tally.check(f"a picture of one colour stays as it is on {device}",
                         problem or ("" if result == expected else f"it became {result[2][:12]}…"))

        pixels = bytearray(3 * width * height)
        middle = 3 * (height // 2 * width + width // 2)
        pixels[middle:middle + 3] = b"\xff\xff\xff"
        png.write(dot, width, height, pixels)
        problem, _, _, blob = self.blur(device, dot)
        if not problem:
            rows = [blob[3 * width * y:3 * width * (y + 1):3] for y in range(height)]
            if rows != [row[::-1] for row in rows] or rows != rows[::-1]:
                problem = "the blurred dot is not symmetric"
            elif not 0 < max(map(max, rows)) == rows[height // 2][width // 2] < 255:
                problem = "the blurred dot is not brightest in its middle"
        self.tally.check(f"a dot becomes a symmetric spot on {device}", problem)

        jpeg.write_bytes(JPEG)
        problem, *result = self.blur(device, jpeg)
        self.tally.check(f"blur reads JPEG on {device}",
                         problem or ("" if result == [8, 8, bytes([128]) * 192] else f"it became {result}"))

    def check_mistakes(self):
        cases = [
            ("an unknown device", "saxpy", ["--device", "abacus:0"], 2, "abacus:0"),
            ("an unknown option", "saxpy", ["--sise", "7"], 2, "--sise"),
            ("a size that is no number", "saxpy", ["--size", "many"], 2, "--size"),
            ("a missing picture", "blur", [self.folder / "absent.jpg"], 1, "absent.jpg"),
            ("a picture that is none", "blur", [__file__], 1, "run.py"),
            ("an output that cannot be written", "mandelbrot",
             ["--width", 8, "--height", 8, "--output", self.folder / "absent" / "m.png"], 1, "m.png"),
        ]
        for what, name, arguments, expected, text in cases:
            status, output = checks.run([self.programs / name, *arguments])
            wrong = status != expected or text not in output
            self.tally.check(f"{what} is reported", f"status {status}:\n{output}" if wrong else "")
        status, output = checks.run([self.programs / "saxpy", "--help"])
        self.tally.check("--help lists the options",
                         "" if status == 0 and "--size" in output and "--device" in output else output)


def main():
    build = checks.build_folder()
    tally = checks.Tally()
    written = {path.stem for path in (checks.ROOT / "examples").glob("*.cpp")}
    tally.check("every example is tested", "" if written == set(SMALL) else f"{written} against {set(SMALL)}")
    status, listing = checks.run([build / "bin" / "quern", "devices", "--json"])
    devices = [device["id"] for device in json.loads(listing)["devices"]] if status == 0 else []
    tally.check("quern devices lists a device", "" if devices else listing)
    with tempfile.TemporaryDirectory() as folder:
        examples = Examples(build, pathlib.Path(folder), tally)
        for device in devices:
            examples.check_all(device, {}, LEAST_PIXELS)
        examples.check_all("reference", SMALL, 1)
        for device in [*devices, "reference"]:
            examples.check_edges(device)
            examples.check_blur(device)
        examples.check_mistakes()
    tally.close()


if __name__ == "__main__":
    main()
