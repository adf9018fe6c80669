import Foundation
import Testing

/// Pillow, as the judge of what an animated PNG's frames are.
enum PillowAPNG {
    /// The Python to use: one with Pillow can be named by TESSERA_PYTHON.
    private static let python = ProcessInfo.processInfo.environment["TESSERA_PYTHON"] ?? "/usr/bin/python3"
    static let isInstalled = (try? run("import PIL.Image")) != nil

    /// Every frame as Pillow shows it: red, green, blue and alpha of eight bits.
    ///
    /// Its over operator mixes alpha as it mixes colours, so it is right only where frames' pixels are opaque or
    /// transparent.
    static func shown(_ path: String) throws -> [UInt8] {
        try run(
            """
            import sys
            from PIL import Image
            image = Image.open(sys.argv[1])
            for index in range(getattr(image, "n_frames", 1)):
                image.seek(index)
                sys.stdout.buffer.write(image.convert("RGBA").tobytes())
            """, path)
    }

    /// Every frame put together by the standard's words, from stills that Pillow decodes and draws over each other.
    static func composed(_ path: String) throws -> [UInt8] {
        try run(
            """
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
            """, path)
    }

    private static func run(_ script: String, _ arguments: String...) throws -> [UInt8] {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = ["-c", script] + arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        return [UInt8](output)
    }
}
