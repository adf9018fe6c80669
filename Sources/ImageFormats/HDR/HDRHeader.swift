internal import Raster

/// The header of a Radiance file: lines of text, an empty one, and the resolution.
struct HDRHeader {
    /// The size as stored: a scanline's pixels, and the number of scanlines.
    let size: PixelSize
    /// How to turn the stored image upright.
    let orientation: Orientation
    let chromaticities: ColorProfile.Chromaticities
    /// The offset of the first scanline.
    let pixelOffset: Int

    /// No header is longer.
    private static let maximumByteCount = 1 << 16

    /// Reads the header.
    /// - Throws: `truncated`, `corrupt` with the offset, or `unsupported` for XYZ.
    init(_ bytes: [UInt8]) throws(ImageError) {
        var position = 0
        var primaries: ColorProfile.Chromaticities?
        while true {
            let start = position
            let line = try Self.line(bytes, &position)
            if line.isEmpty { break }
            // The first line, and comments.
            if line.hasPrefix("#") { continue }
            if let format = Self.value(of: "FORMAT", line)?.split(separator: " ").first, format != "32-bit_rle_rgbe" {
                guard format == "32-bit_rle_xyze" else {
                    throw ImageError(.corrupt, "unknown Radiance format \"\(format)\"", byteOffset: start)
                }
                throw ImageError(.unsupported, "Radiance files in XYZ can't be read", byteOffset: start)
            }
            if let text = Self.value(of: "PRIMARIES", line) { primaries = Self.chromaticities(text) }
        }
        let start = position
        let resolution = try Self.line(bytes, &position)
        guard let (size, orientation) = Self.resolution(resolution) else {
            throw ImageError(
                .corrupt,
                "invalid resolution \"\(resolution.prefix(64))\" of the Radiance file; expected \"-Y height +X width\"",
                byteOffset: start)
        }
        (self.size, self.orientation) = (size, orientation)
        chromaticities = primaries ?? .sRGB
        pixelOffset = position
    }

    /// Returns the next line without its end.
    private static func line(_ bytes: [UInt8], _ position: inout Int) throws(ImageError) -> String {
        let limit = min(bytes.count, maximumByteCount)
        guard let end = bytes[min(position, limit)..<limit].firstIndex(of: 10) else {
            guard bytes.count < maximumByteCount else {
                throw ImageError(
                    .corrupt, "the Radiance file's header has more than \(maximumByteCount) bytes",
                    byteOffset: maximumByteCount)
            }
            throw ImageError(
                .truncated, "the Radiance file ends in its header, after \(bytes.count) bytes", byteOffset: bytes.count)
        }
        let line = bytes[position..<end]
        position = end + 1
        return String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
    }

    private static func value(of name: String, _ line: String) -> String? {
        guard line.hasPrefix(name + "=") else { return nil }
        return String(line.dropFirst(name.count + 1))
    }

    /// Red, green, blue and white, each as x and y; nil for others.
    private static func chromaticities(_ text: String) -> ColorProfile.Chromaticities? {
        let numbers = text.split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 8, numbers.allSatisfy({ (0...1).contains($0) }),
            [1, 3, 5, 7].allSatisfy({ numbers[$0] > 0 })
        else { return nil }
        func point(_ index: Int) -> ColorProfile.Chromaticities.Point {
            .init(x: numbers[2 * index], y: numbers[2 * index + 1])
        }
        return ColorProfile.Chromaticities(white: point(3), red: point(0), green: point(1), blue: point(2))
    }

    /// Reads two axes with their signs and lengths: that of the scanlines, then that within a scanline.
    private static func resolution(_ text: String) -> (PixelSize, Orientation)? {
        let words = text.split(separator: " ")
        guard words.count == 4, let count = Int(words[1]), let length = Int(words[3]),
            (0..<(1 << 31)).contains(count), (0..<(1 << 31)).contains(length)
        else { return nil }
        let orientations: [String: Orientation] = [
            "-Y+X": .up, "-Y-X": .upMirrored, "+Y-X": .down, "+Y+X": .downMirrored,
            "+X-Y": .leftMirrored, "-X-Y": .right, "-X+Y": .rightMirrored, "+X+Y": .left,
        ]
        guard let orientation = orientations[String(words[0] + words[2])] else { return nil }
        return (PixelSize(width: length, height: count), orientation)
    }
}
