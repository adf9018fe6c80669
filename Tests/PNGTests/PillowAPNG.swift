import ImageFormatsTestSupport
import Testing
import TestSupport

/// Pillow, as the judge of what an animated PNG's frames are.
enum PillowAPNG {
    /// Every frame put together by the standard's words, from stills that Pillow decodes and draws over each other.
    static func composed(_ file: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let program = """
            import io, struct, sys, zlib
            from PIL import Image
            data, at, chunks = open(sys.argv[1], "rb").read(), 8, []
            while at < len(data):
                length, kind = struct.unpack(">I4s", data[at:at + 8])
                chunks.append((kind, data[at + 8:at + 8 + length]))
                at += 12 + length
            head = chunks[0][1]
            size = struct.unpack(">II", head[:8])
            tables = [c for c in chunks if c[0] in (b"PLTE", b"tRNS")]
            frames = []
            for kind, body in chunks:
                if kind == b"fcTL": frames.append([struct.unpack(">IIIIHHBB", body[4:]), b""])
                elif kind == b"IDAT" and frames: frames[-1][1] += body
                elif kind == b"fdAT": frames[-1][1] += body[4:]
            def chunk(kind, body):
                return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
            canvas = Image.new("RGBA", size)
            for (w, h, x, y, _, _, disposal, blending), body in frames:
                still = b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">II", w, h) + head[8:])
                still += b"".join(chunk(*c) for c in tables) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
                pixels, before = Image.open(io.BytesIO(still)).convert("RGBA"), canvas.copy()
                if blending: pixels = Image.alpha_composite(canvas.crop((x, y, x + w, y + h)), pixels)
                canvas.paste(pixels, (x, y))
                sys.stdout.buffer.write(canvas.tobytes())
                if disposal == 1: canvas.paste((0, 0, 0, 0), (x, y, x + w, y + h))
                if disposal == 2: canvas = before
            """
        let output = try CommandLineTool.python.output(["-c", program, folder.write(file, to: "frames.png")])
        return try #require(output)
    }
}
