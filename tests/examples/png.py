"""Reading and writing 8-bit RGB PNG files with nothing but the standard library; raises ValueError for what is none."""
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def _chunks(data):
    """[(type, content)] with every checksum verified."""
    if data[:8] != SIGNATURE:
        raise ValueError("no PNG signature")
    found, at = [], 8
    while at < len(data):
        if at + 12 > len(data):
            raise ValueError("a chunk is cut off")
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + size]
        checksum = data[at + 8 + size:at + 12 + size]
        if len(checksum) != 4 or struct.unpack(">I", checksum)[0] != zlib.crc32(kind + content):
            raise ValueError(f"chunk {kind!r} has a wrong checksum")
        found.append((kind, content))
        at += 12 + size
    if [found[0][0], found[-1][0]] != [b"IHDR", b"IEND"]:
        raise ValueError("the file does not go from IHDR to IEND")
    return found


def _paeth(left, above, corner):
    estimate = left + above - corner
    return min((left, above, corner), key=lambda neighbour: abs(estimate - neighbour))  # the first of equals


def read_filtered(path):
    """(width, height, scan lines as stored: a filter byte and 3 * width bytes each)."""
    chunks = _chunks(path.read_bytes())
    width, height, *kind = struct.unpack(">IIBBBBB", chunks[0][1])
    if kind != [8, 2, 0, 0, 0]:
        raise ValueError(f"not 8-bit RGB without interlacing: {kind}")
    lines = zlib.decompress(b"".join(content for name, content in chunks if name == b"IDAT"))
    if len(lines) != height * (1 + 3 * width):
        raise ValueError("the scan lines have another size than the picture")
    return width, height, lines


def read(path):
    """(width, height, bytes red, green, blue of all pixels). For small pictures: it is slow."""
    width, height, lines = read_filtered(path)
    stride = 3 * width
    above, pixels = bytearray(stride), bytearray()
    for y in range(height):
        line = bytearray(lines[y * (stride + 1):(y + 1) * (stride + 1)])
        method = line.pop(0)
        for i in range(stride):
            left, corner = (line[i - 3], above[i - 3]) if i >= 3 else (0, 0)
            guesses = (0, left, above[i], (left + above[i]) // 2, _paeth(left, above[i], corner))
            line[i] = (line[i] + guesses[method]) % 256
        pixels += line
        above = line
    return width, height, bytes(pixels)


def write(path, width, height, pixels):
    """Writes bytes red, green, blue of all pixels."""
    lines = b"".join(b"\0" + bytes(pixels[3 * width * y:3 * width * (y + 1)]) for y in range(height))
    content = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(lines)),
               (b"IEND", b"")]
    path.write_bytes(SIGNATURE + b"".join(struct.pack(">I", len(data)) + kind + data +
                                          struct.pack(">I", zlib.crc32(kind + data)) for kind, data in content))
