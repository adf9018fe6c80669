package import Testing
import TestSupport

/// libvips by its Python package, as an independent word on gain maps.
package enum LibVIPS {
    /// Whether this version reads and writes Ultra HDR.
    package static let hasUltraHDR =
        (try? CommandLineTool.python.run([
            "-c", "import pyvips; pyvips.Image.uhdrload; assert pyvips.at_least_libvips(8, 18)",
        ]))
        ?? false

    /// The linear red, green and blue of the rendition of `file` in full, in the base's primaries with white as 1; nil if
    /// libvips refuses the file.
    package static func scRGB(_ file: [UInt8]) throws -> [Double]? {
        let program = "sys.stdout.buffer.write(image.uhdr2scRGB().cast('float').write_to_memory())"
        guard let bytes = try output(file, program) else { return nil }
        return stride(from: 0, to: bytes.count, by: 4).map { offset in
            let pattern = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
            return Double(Float(bitPattern: pattern))
        }
    }

    /// The largest and smallest boost, the gamma and the offsets of base and alternate rendition of the first channel.
    package static func metadata(_ file: [UInt8]) throws -> [Double]? {
        let program = """
            for name in ["max-content-boost", "min-content-boost", "gamma", "offset-sdr", "offset-hdr"]:
                print(image.get("gainmap-" + name)[0])
            """
        guard let bytes = try output(file, program) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { Double($0) }
    }

    /// A file of smooth colours up to `peak` times white, with a map of the base's size.
    package static func file(peak: Double) throws -> [UInt8]? {
        let program = """
            import pyvips, sys
            ramp = pyvips.Image.xyz(96, 64) / [95, 63]
            light = (ramp[0] * ramp[0]).bandjoin([ramp[0] * ramp[1], ramp[1]]) * float(sys.argv[1])
            light = light.cast("float").copy(interpretation="scrgb")
            sys.stdout.buffer.write(light.uhdrsave_buffer(Q=95, gainmap_scale_factor=1))
            """
        return try CommandLineTool.python.output(["-c", program, "\(peak)"])
    }

    private static func output(_ file: [UInt8], _ program: String) throws -> [UInt8]? {
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "picture.jpg")
        return try CommandLineTool.python.output(
            ["-c", "import pyvips, sys\nimage = pyvips.Image.uhdrload(sys.argv[1])\n" + program, path])
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips where there is no Python with libvips 8.18 and libultrahdr, and says so.
    package static var needsUltraHDR: Self {
        .enabled(
            if: LibVIPS.hasUltraHDR,
            "there is no Python with pyvips and libvips 8.18 (`pip install pyvips[binary]`); TESSERA_PYTHON can name one"
        )
    }
}
