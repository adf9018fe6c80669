package import Raster
package import Testing
import TestSupport

/// Pillow, as an independent word on what files hold.
package enum Pillow {
    package static let isInstalled = (try? CommandLineTool.python.run(["-c", "import PIL.Image"])) ?? false

    /// One frame or page.
    package struct Picture {
        /// Pillow's name for the kind of samples, such as `RGBA` or `I;16`.
        package var mode: String
        package var size: PixelSize
        /// How long it is shown, in milliseconds.
        package var duration: Int
        package var samples: [UInt8]
    }

    /// What Pillow makes of `file`; nil when it refuses.
    /// - Parameter prepare: Python that may change `image` once it is open.
    package static func picture(_ file: [UInt8], prepare: String = "pass") throws -> Picture? {
        try pictures(file, prepare: prepare, range: "range(1)")?.first
    }

    /// Every frame of `file` as Pillow shows it; nil when it refuses.
    package static func frames(_ file: [UInt8]) throws -> [Picture]? { try pictures(file) }

    /// A page of `file`, converted to `mode` where that is given; nil when Pillow refuses.
    package static func page(_ index: Int = 0, of file: [UInt8], as mode: String?) throws -> Picture? {
        try pictures(file, mode: mode, range: "range(\(index), \(index + 1))")?.first
    }

    /// The file that Pillow writes of `samples`, which are as its `mode` has them.
    /// - Parameter arguments: Python's further arguments of `save`, each after a comma.
    package static func file(
        of samples: [UInt8], mode: String, size: PixelSize, as format: String, arguments: String = ""
    ) throws -> [UInt8]? {
        let folder = try TemporaryFolder()
        let path = try folder.write(samples, to: "samples")
        let program = """
            import io, sys
            from PIL import Image
            samples = open(sys.argv[1], "rb").read()
            image = Image.frombytes(sys.argv[2], (int(sys.argv[3]), int(sys.argv[4])), samples)
            file = io.BytesIO()
            image.save(file, sys.argv[5]\(arguments))
            sys.stdout.buffer.write(file.getvalue())
            """
        return try CommandLineTool.python.output(["-c", program, path, mode, "\(size.width)", "\(size.height)", format])
    }

    private static func pictures(
        _ file: [UInt8], mode: String? = "RGBA", prepare: String = "pass",
        range: String = #"range(getattr(image, "n_frames", 1))"#
    ) throws -> [Picture]? {
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "picture")
        let program = """
            import sys
            from PIL import Image
            image = Image.open(sys.argv[1])
            \(prepare)
            for index in \(range):
                if index: image.seek(index)
                shown = image.convert(sys.argv[2]) if sys.argv[2] else image
                samples = shown.tobytes()
                head = (shown.mode, *shown.size, image.info.get("duration", 0), len(samples))
                sys.stdout.buffer.write(("%s %d %d %d %d\\n" % head).encode() + samples)
            """
        guard let output = try CommandLineTool.python.output(["-c", program, path, mode ?? ""]) else { return nil }
        var pictures: [Picture] = []
        var rest = output[...]
        while let end = rest.firstIndex(of: 10) {
            let fields = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
            let numbers = fields.dropFirst().compactMap { Int($0) }
            guard fields.count == 5, numbers.count == 4 else { return nil }
            rest = rest[(end + 1)...]
            pictures.append(
                Picture(
                    mode: String(fields[0]), size: PixelSize(width: numbers[0], height: numbers[1]),
                    duration: numbers[2], samples: Array(rest.prefix(numbers[3]))))
            rest = rest.dropFirst(numbers[3])
        }
        return pictures
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips where there is no Python with Pillow, and says so.
    package static var needsPillow: Self {
        .enabled(if: Pillow.isInstalled, "there is no Python with Pillow; TESSERA_PYTHON can name one")
    }
}
