import Foundation

import JPEGBitstream
import Testing
import TestSupport

/// JPEGs as cjpeg makes them, and pixels as djpeg has them.
enum TilePictures {
    static let cjpeg = CommandLineTool("cjpeg")
    static let djpeg = CommandLineTool("djpeg")
    static let shell = CommandLineTool("sh")

    /// What cjpeg is told, and of how large a picture.
    struct Kind: CustomTestStringConvertible, Sendable {
        let width: Int
        let height: Int
        let arguments: [String]

        init(_ width: Int, _ height: Int, _ arguments: String) {
            self.width = width
            self.height = height
            self.arguments = arguments.split(separator: " ").map(String.init)
        }

        var testDescription: String { "\(width) × \(height) \(arguments.joined(separator: " "))" }

        /// The JPEG of a picture with slopes, edges and noise.
        func file() throws -> [UInt8] {
            let folder = try TemporaryFolder()
            var random = SeededGenerator(state: UInt64(width * 1000 + height))
            var samples: [UInt8] = []
            for y in 0..<height {
                for x in 0..<width {
                    let noise = x / 40 % 2 == 0 ? Int.random(in: -20...20, using: &random) : 0
                    let edge = (x + 2 * y) / 23 % 5 == 0 ? 90 : 0
                    for value in [x * 255 / width, y * 255 / height, 255 - (x + y) * 255 / (width + height)] {
                        samples.append(UInt8(clamping: value + noise + edge))
                    }
                }
            }
            let path = try folder.write(Array("P6\n\(width) \(height)\n255\n".utf8) + samples, to: "picture.ppm")
            return try TilePictures.cjpeg.output(arguments + [path]) ?? []
        }
    }

    /// The samplings, sizes, restart intervals, tables and qualities that there are, not in all combinations.
    static let kinds: [Kind] = [
        Kind(1, 1, "-sample 2x2"), Kind(1, 1, "-sample 1x1"), Kind(8, 8, "-grayscale"), Kind(16, 16, "-sample 2x2"),
        Kind(17, 9, "-sample 2x2"), Kind(33, 16, "-sample 2x1"), Kind(100, 75, "-sample 1x1 -quality 90"),
        Kind(100, 75, "-sample 2x1 -quality 60"), Kind(100, 75, "-sample 2x2 -quality 85"),
        Kind(100, 75, "-sample 1x2"), Kind(150, 75, "-sample 4x1"), Kind(129, 130, "-sample 4x2 -quality 40"),
        Kind(101, 99, "-grayscale -quality 95"), Kind(101, 99, "-grayscale -sample 2x2 -restart 3B"),
        Kind(100, 75, "-sample 1x1,2x2,1x1"), Kind(130, 67, "-sample 2x2 -restart 1B"),
        Kind(130, 67, "-sample 2x2 -restart 2B"), Kind(130, 67, "-sample 2x2 -restart 5B -quality 98"),
        Kind(130, 67, "-sample 2x2 -restart 1"), Kind(130, 67, "-sample 2x1 -restart 2 -optimize"),
        Kind(130, 67, "-sample 1x1 -restart 17B"), Kind(128, 200, "-sample 2x2 -restart 4B -optimize"),
        Kind(200, 100, "-sample 2x2 -optimize"), Kind(200, 100, "-sample 1x1 -optimize -quality 5"),
        Kind(200, 100, "-grayscale -optimize -quality 20"), Kind(90, 90, "-rgb"), Kind(90, 90, "-rgb -optimize"),
        Kind(200, 100, "-sample 2x2 -quality 1"), Kind(200, 100, "-sample 2x2 -quality 100 -optimize"),
        Kind(200, 100, "-sample 1x1 -quality 100 -baseline"), Kind(300, 20, "-sample 2x2 -quality 3 -optimize"),
    ]

    /// Pixels as djpeg writes them.
    struct Pixels: Equatable {
        let width: Int
        let height: Int
        let channels: Int
        let samples: [UInt8]

        /// The pixels of a PGM or PPM.
        init?(pnm: [UInt8]) {
            var fields: [String] = []
            var offset = 0
            while fields.count < 4, offset < pnm.count {
                let end = pnm[offset...].firstIndex { $0 <= 32 } ?? pnm.count
                fields.append(String(decoding: pnm[offset..<end], as: UTF8.self))
                offset = end + 1
            }
            guard fields.count == 4, let width = Int(fields[1]), let height = Int(fields[2]) else { return nil }
            self.init(width: width, height: height, channels: fields[0] == "P5" ? 1 : 3, samples: Array(pnm[offset...]))
        }

        init(width: Int, height: Int, channels: Int, samples: [UInt8]) {
            self.width = width
            self.height = height
            self.channels = channels
            self.samples = samples
        }

        func crop(x: Range<Int>, y: Range<Int>) -> Pixels {
            let rows = y.map { row in
                let start = row * width * channels
                return samples[(start + x.lowerBound * channels)..<(start + x.upperBound * channels)]
            }
            return Pixels(width: x.count, height: y.count, channels: channels, samples: Array(rows.joined()))
        }
    }

    /// What djpeg makes of files, without smoothing chroma: a window of the one is then the other. Nil for what it refuses.
    static func decode(_ files: [[UInt8]], _ arguments: String = "-nosmooth") throws -> [Pixels?] {
        let folder = try TemporaryFolder()
        for (index, file) in files.enumerated() { try folder.write(file, to: "\(index).jpg") }
        let program = djpeg.path ?? ""
        try shell.run([
            "-c",
            """
            cd '\(folder.path)' && for file in *.jpg; do
              '\(program)' \(arguments) -outfile "$file.pnm" "$file" 2>"$file.log" || rm -f "$file.pnm"
              # A file that is damaged is decoded with a warning.
              test -s "$file.log" && rm -f "$file.pnm"
            done; true
            """,
        ])
        return files.indices.map { index in (try? folder.read("\(index).jpg.pnm")).flatMap(Pixels.init(pnm:)) }
    }
}
