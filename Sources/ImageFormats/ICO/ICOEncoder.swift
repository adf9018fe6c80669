internal import Raster

/// Collects images, then writes the directory followed by the images.
final class ICOEncoder: FrameSink {
    private let format: ImageFormat
    private var remaining: RemainingFrames
    private let hotSpot: ImageMetadata.Point?
    private let output: any ByteSink
    private var pictures: [(size: PixelSize, bytes: [UInt8])] = []

    /// - Throws: `invalidParameter` for a count that a directory can't hold, or a negative hot spot.
    init(
        _ format: ImageFormat, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) {
        try options.validate()
        remaining = try RemainingFrames(count, in: format, range: 1...Int(UInt16.max))
        hotSpot = format == .cur ? options.metadata.hotSpot ?? ImageMetadata.Point(x: 0, y: 0) : nil
        if let hotSpot, hotSpot.x < 0 || hotSpot.y < 0 {
            throw ImageError(.invalidParameter, "the hot spot (\(hotSpot.x), \(hotSpot.y)) lies outside of the cursor")
        }
        self.format = format
        self.output = output
    }

    /// - Throws: `unsupported` for a side of more than 256 pixels, `invalidParameter` for another pixel format.
    static func check(_ info: BitmapInfo, _ format: ImageFormat) throws(ImageError) {
        let most = ICOCodec.maximumSideLength
        guard max(info.size.width, info.size.height) <= most else {
            throw ImageError(
                .unsupported, "\(format) images have at most \(most) pixels a side, and this one has \(info.size)")
        }
        guard info.format == .rgba8, info.alpha != .premultiplied, !info.size.isEmpty else {
            throw ImageError(
                .invalidParameter, "\(format) images have RGB of 8 bits a channel, with straight alpha or none")
        }
    }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        try Self.check(frame.info, format)
        try remaining.take(frame)
        let usesPNG = max(frame.width, frame.height) == ICOCodec.maximumSideLength
        pictures.append((frame.size, try usesPNG ? Self.file(frame) : Self.bitmap(frame)))
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        let count = pictures.count
        let largest = pictures.map(\.size).max { $0.pixelCount < $1.pixelCount }!
        if let hotSpot, hotSpot.x >= largest.width || hotSpot.y >= largest.height {
            throw ImageError(
                .invalidParameter, "the hot spot (\(hotSpot.x), \(hotSpot.y)) lies outside of the cursor, \(largest)")
        }
        var list = [0, 0] + ICODirectory.kind(of: format).littleEndianBytes(2) + count.littleEndianBytes(2)
        var offset = ICODirectory.headByteCount + count * ICODirectory.entryByteCount
        for (size, bytes) in pictures {
            // 256 doesn't fit in a byte and is written as 0. The number of colours and an unused byte follow.
            list += [UInt8(truncatingIfNeeded: size.width), UInt8(truncatingIfNeeded: size.height), 0, 0]
            // One plane of 32 bits; for a cursor, the hot spot takes their place.
            list.append(littleEndian: hotSpot.map { $0.x * size.width / largest.width } ?? 1, byteCount: 2)
            list.append(littleEndian: hotSpot.map { $0.y * size.height / largest.height } ?? 32, byteCount: 2)
            list.append(littleEndian: bytes.count, byteCount: 4)
            list.append(littleEndian: offset, byteCount: 4)
            offset += bytes.count
        }
        guard offset <= Int(UInt32.max) else {
            throw ImageError(.limitExceeded, "\(format) files can't have \(offset) bytes")
        }
        try output.write(list)
        for picture in pictures { try output.write(picture.bytes) }
    }

    /// A PNG file with RGBA, the only kind that Windows accepts in an icon.
    private static func file(_ bitmap: Bitmap) throws(ImageError) -> [UInt8] {
        let buffer = ByteBuffer()
        let options = EncodingOptions(png: EncodingOptions.PNG(reducesColors: false))
        try PNGCodec().encode(
            bitmap.withMeaning(alpha: .straight, profile: .sRGB), options: options, output: buffer)
        return buffer.bytes
    }

    /// A bitmap with 32 bits, followed by a mask of the fully transparent pixels for readers without alpha support.
    private static func bitmap(_ bitmap: Bitmap) -> [UInt8] {
        let (width, height) = (bitmap.width, bitmap.height)
        let maskRowByteCount = (width + 31) / 32 * 4
        var bytes: [UInt8] = []
        // One plane of 32 bits without compression; no resolution and no palette.
        for value in [40, width, 2 * height, 32 << 16 | 1, 0, (4 * width + maskRowByteCount) * height, 0, 0, 0, 0] {
            bytes.append(littleEndian: value, byteCount: 4)
        }
        var mask: [UInt8] = []
        for y in stride(from: height - 1, through: 0, by: -1) {
            let row = bitmap.rows.row(y, as: RGBA8.self)
            var bits = [UInt8](repeating: 0, count: maskRowByteCount)
            for x in row.indices {
                let pixel = row[x]
                bytes += [pixel.blue, pixel.green, pixel.red, pixel.alpha]
                if pixel.alpha == 0 { bits[x >> 3] |= 0x80 >> UInt8(x & 7) }
            }
            mask += bits
        }
        return bytes + mask
    }
}
