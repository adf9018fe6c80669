import ImageFormats
import Raster
import Testing
import TestSupport

/// A PNM file put together from its samples, and what it must decode to.
struct PNMFixture: CustomTestStringConvertible {
    /// The number after "P".
    var magic: Int
    var maximum: Int
    /// The samples in a pixel.
    var depth = 1
    var tupleType: String?
    var size = PixelSize(width: 11, height: 5)

    var testDescription: String { "P\(magic), \(maximum), \(depth) \(tupleType ?? "without a type")" }

    var isPlain: Bool { magic <= 3 }
    var isBitmap: Bool { magic == 1 || magic == 4 }

    /// Samples from 0 to the maximum, both included.
    var samples: [Int] {
        (0..<(size.pixelCount * depth)).map { index in
            index < 2 ? index * maximum : index * 7919 % (maximum + 1)
        }
    }

    private var head: String {
        guard magic == 7 else {
            return "P\(magic)\n\(size.width) \(size.height)\n" + (isBitmap ? "" : "\(maximum)\n")
        }
        let type = tupleType.map { "TUPLTYPE \($0)\n" } ?? ""
        return "P7\nWIDTH \(size.width)\nHEIGHT \(size.height)\nDEPTH \(depth)\nMAXVAL \(maximum)\n\(type)ENDHDR\n"
    }

    private var body: [UInt8] {
        if isPlain {
            return Array(samples.map(String.init).joined(separator: isBitmap ? "" : " ").utf8)
        }
        guard isBitmap else {
            return samples.flatMap { maximum > 255 ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0)] }
        }
        return (0..<size.height).flatMap { y in
            stride(from: 0, to: size.width, by: 8).map { x in
                (x..<min(size.width, x + 8)).reduce(UInt8(0)) { byte, column in
                    samples[y * size.width + column] == 1 ? byte | 0x80 >> UInt8(column - x) : byte
                }
            }
        }
    }

    var file: [UInt8] { Array(head.utf8) + body }

    /// The samples of the decoded bitmap by the definition: each scaled from its maximum to the nearest value.
    /// - Parameter bits: The most bits that a channel may have.
    func expected(bits: Int = 8) -> [UInt16] {
        let white = bits == 16 && maximum > 255 ? 65535 : 255
        let scaled = samples.map { sample -> UInt16 in
            let value = isBitmap ? 1 - sample : sample
            return UInt16((Double(value) / Double(maximum) * Double(white)).rounded())
        }
        guard depth > 1 else { return scaled }
        return stride(from: 0, to: scaled.count, by: depth).flatMap { at -> [UInt16] in
            let pixel = Array(scaled[at..<(at + depth)])
            switch depth {
            case 2: return [pixel[0], pixel[0], pixel[0], pixel[1]]
            case 3: return pixel + [UInt16(white)]
            default: return pixel
            }
        }
    }

    /// Every kind of file. The maximums are odd: between even ones there are values as far from one as from the next.
    static let all: [PNMFixture] = {
        var all = [PNMFixture(magic: 1, maximum: 1), PNMFixture(magic: 4, maximum: 1)]
        for maximum in [1, 3, 15, 99, 127, 255, 257, 999, 4095, 65535] {
            for magic in [2, 5] { all.append(PNMFixture(magic: magic, maximum: maximum)) }
            for magic in [3, 6] { all.append(PNMFixture(magic: magic, maximum: maximum, depth: 3)) }
            for (depth, type) in [
                (1, "GRAYSCALE"), (2, "GRAYSCALE_ALPHA"), (3, "RGB"), (4, "RGB_ALPHA"), (1, nil), (2, nil), (3, nil),
                (4, nil),
            ] {
                all.append(PNMFixture(magic: 7, maximum: maximum, depth: depth, tupleType: type))
            }
        }
        all.append(PNMFixture(magic: 7, maximum: 1, depth: 1, tupleType: "BLACKANDWHITE"))
        all.append(PNMFixture(magic: 7, maximum: 1, depth: 2, tupleType: "BLACKANDWHITE_ALPHA"))
        return all
    }()

    /// What an independent reader in Python, made from the description, gets out of a raw file: the samples of each
    /// pixel, scaled to 16 bits, as text.
    static func pythonSamples(_ file: [UInt8]) throws -> [UInt16]? {
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "picture.pam")
        guard let output = try CommandLineTool.python.output(["-c", reader, path]) else { return nil }
        return String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { UInt16($0) }
    }

    private static let reader = """
        import sys
        data = open(sys.argv[1], "rb").read()
        if data[:2] == b"P7":
            head, data = data.split(b"ENDHDR\\n", 1)
            fields = dict(line.split(b" ", 1) for line in head.splitlines()[1:])
            width, height, depth, top = (int(fields[k]) for k in (b"WIDTH", b"HEIGHT", b"DEPTH", b"MAXVAL"))
            assert fields[b"TUPLTYPE"] == (b"RGB_ALPHA" if depth == 4 else b"")
        else:
            magic, size, top, data = data.split(b"\\n", 3)
            (width, height), top, depth = map(int, size.split()), int(top), {b"P5": 1, b"P6": 3}[magic]
        step = 2 if top > 255 else 1
        assert len(data) == width * height * depth * step
        values = [int.from_bytes(data[at:at + step], "big") for at in range(0, len(data), step)]
        print(*(round(value * 65535 / top) for value in values))
        """
}
