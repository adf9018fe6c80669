internal import Raster

/// Reads scanlines of RGBE: runs of each channel, runs of whole pixels, or plain pixels.
struct HDRRowReader {
    private let header: HDRHeader
    private var position: Int

    init(_ header: HDRHeader) {
        self.header = header
        position = header.pixelOffset
    }

    /// Stores the rows of `part`.
    /// - Throws: `truncated` or `corrupt` with the offset, after the rows before.
    mutating func read(
        _ bytes: Span<UInt8>, _ part: PixelRect, to canvas: inout LightCanvas
    ) throws(ImageError) {
        let width = header.size.width
        var pixels = [LightCanvas.Pixel](repeating: .zero, count: part.width)
        // A scanline, all of a channel after all of another.
        var scanline = [UInt8](repeating: 0, count: 4 * width)
        for y in 0..<(part.y + part.height) {
            var target = scanline.mutableSpan
            try readScanline(bytes, y, into: &target)
            guard y >= part.y else { continue }
            let channels = scanline.span
            for x in 0..<part.width {
                let column = part.x + x
                let scale = Self.scale(channels[3 * width + column])
                pixels[x] = LightCanvas.Pixel(
                    Float(channels[column]) * scale, Float(channels[width + column]) * scale,
                    Float(channels[2 * width + column]) * scale, 1)
            }
            canvas.store(pixels.span)
        }
    }

    /// The value of one step of a mantissa. An exponent of 0 is black.
    private static func scale(_ exponent: UInt8) -> Float {
        exponent == 0 ? 0 : Float(sign: .plus, exponent: Int(exponent) - 136, significand: 1)
    }

    private mutating func readScanline(
        _ bytes: Span<UInt8>, _ y: Int, into target: inout MutableSpan<UInt8>
    ) throws(ImageError) {
        let width = header.size.width
        guard bytes.count - position >= 4 else { throw truncated(bytes, y) }
        let isByChannel =
            (8...32767).contains(width) && bytes[position] == 2 && bytes[position + 1] == 2
            && Int(bytes[position + 2]) << 8 | Int(bytes[position + 3]) == width
        guard isByChannel else { return try readPixels(bytes, y, into: &target) }
        position += 4
        for channel in 0..<4 {
            var x = channel * width
            let end = x + width
            while x < end {
                guard position < bytes.count else { throw truncated(bytes, y) }
                let code = Int(bytes[position])
                let count = code > 128 ? code - 128 : code
                guard count > 0, count <= end - x else {
                    throw ImageError(
                        .corrupt, "a run of \(count) pixels in row \(y) of the Radiance file; \(end - x) remain",
                        byteOffset: position)
                }
                position += 1
                guard bytes.count - position >= (code > 128 ? 1 : count) else { throw truncated(bytes, y) }
                if code > 128 {
                    let value = bytes[position]
                    for place in x..<(x + count) { target[place] = value }
                    position += 1
                } else {
                    for index in 0..<count { target[x + index] = bytes[position + index] }
                    position += count
                }
                x += count
            }
        }
    }

    /// Pixels as they are, and the older kind of runs: mantissas of 1 repeat the pixel before, as often as the exponent
    /// says; further ones count for 256 times as much.
    private mutating func readPixels(
        _ bytes: Span<UInt8>, _ y: Int, into target: inout MutableSpan<UInt8>
    ) throws(ImageError) {
        let width = header.size.width
        var (x, shift) = (0, 0)
        while x < width {
            guard bytes.count - position >= 4 else { throw truncated(bytes, y) }
            let isRun = bytes[position] == 1 && bytes[position + 1] == 1 && bytes[position + 2] == 1
            guard isRun else {
                for channel in 0..<4 { target[channel * width + x] = bytes[position + channel] }
                position += 4
                (x, shift) = (x + 1, 0)
                continue
            }
            let count = shift < 32 ? Int(bytes[position + 3]) << shift : .max
            guard x > 0, count <= width - x else {
                throw ImageError(
                    .corrupt, "a run of \(count) pixels at pixel \(x) of row \(y) of the Radiance file",
                    byteOffset: position)
            }
            for place in x..<(x + count) {
                for channel in 0..<4 { target[channel * width + place] = target[channel * width + x - 1] }
            }
            position += 4
            (x, shift) = (x + count, shift + 8)
        }
    }

    private func truncated(_ bytes: Span<UInt8>, _ y: Int) -> ImageError {
        ImageError(
            .truncated, "the Radiance file ends in row \(y) of \(header.size.height)", byteOffset: bytes.count)
    }
}
