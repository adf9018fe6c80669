#!/usr/bin/env python3
"""Reads a JPNG by its format's description alone, with nothing of Tessera: what other programs would see.

jpng_reader.py FILE            prints what the footer says and how the parts begin, as JSON
jpng_reader.py FILE --alpha    writes the mask's bytes to standard output: a grey PNG by the standard library, a JPEG by Pillow
jpng_reader.py FILE --color    writes the colours as RGB bytes to standard output (needs Pillow)
"""
import io
import json
import struct
import sys
import zlib

IDENTIFIERS = {b"GNPJ": "JPNG", b"GEPJ": "JPEG", b"JPNG": "literal"}


def split(data):
    """The footer's fields, the colour part and the mask."""
    if len(data) < 16 or data[-4:] not in IDENTIFIERS:
        raise SystemExit("no JPNG footer")
    image_size, mask_size, footer_size, major, minor = struct.unpack("<IIHBB", data[-16:-4])
    if footer_size != 16 or image_size + mask_size > len(data) - footer_size:
        raise SystemExit("the footer's sizes don't fit the file")
    fields = {
        "imageSize": image_size, "maskSize": mask_size, "footerSize": footer_size, "majorVersion": major,
        "minorVersion": minor, "identifier": data[-4:].decode(), "slack": len(data) - 16 - image_size - mask_size,
    }
    return fields, data[:image_size], data[image_size:image_size + mask_size]


def gray_png(data):
    """The pixels of a grey PNG of 8 bits without interlacing: chunks, inflate, filters."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise SystemExit("the mask is no PNG")
    at, packed, header = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if zlib.crc32(kind + body) != struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]:
            raise SystemExit("a chunk's check value is wrong")
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    width, height, depth, color, _, _, interlace = header
    if (depth, color, interlace) != (8, 0, 0):
        raise SystemExit("the mask is not plain 8-bit grey")
    rows, out, above = zlib.decompress(packed), bytearray(), bytes(width)
    for y in range(height):
        start = y * (width + 1)
        kind, row, left, corner = rows[start], bytearray(rows[start + 1:start + 1 + width]), 0, 0
        for x in range(width):
            up = above[x]
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = up
            elif kind == 3:
                guess = (left + up) // 2
            elif kind == 4:
                estimate = left + up - corner
                distances = abs(estimate - left), abs(estimate - up), abs(estimate - corner)
                guess = (left, up, corner)[distances.index(min(distances))]
            else:
                guess = 0
            left, corner = (row[x] + guess) & 255, up
            row[x] = left
        out += row
        above = bytes(row)
    return width, height, bytes(out)


def main():
    with open(sys.argv[1], "rb") as file:
        fields, color, mask = split(file.read())
    what = sys.argv[2] if len(sys.argv) > 2 else ""
    if what == "--alpha":
        if mask[:2] == b"\xff\xd8":
            from PIL import Image
            sys.stdout.buffer.write(Image.open(io.BytesIO(mask)).convert("L").tobytes())
        else:
            sys.stdout.buffer.write(gray_png(mask)[2])
    elif what == "--color":
        from PIL import Image
        # The whole file: to a program that knows only JPEG it is one.
        sys.stdout.buffer.write(Image.open(sys.argv[1], formats=["JPEG"]).convert("RGB").tobytes())
    else:
        fields["colorStart"], fields["colorEnd"], fields["maskStart"] = color[:3].hex(), color[-2:].hex(), mask[:8].hex()
        print(json.dumps(fields))


main()
