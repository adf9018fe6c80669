internal import Raster

/// Encodes each row when it arrives, each pixel as the shortest possible chunk.
final class QOIEncoder: RowSink {
    private let output: any ByteSink
    private let header: QOIHeader
    private var remaining: RemainingRows
    private var packer: QOIPacker
    private var hasWrittenHead = false

    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try options.validate()
        let size = info.size
        guard info.format == .rgba8, info.alpha != .premultiplied, info.profile == .sRGB, !size.isEmpty else {
            throw ImageError(.invalidParameter, "a QOI takes RGBA of 8 bits in sRGB with straight alpha")
        }
        guard max(size.width, size.height) <= UInt32.max else {
            throw ImageError(
                .limitExceeded, "invalid size \(size) of a QOI image: a side has at most \(UInt32.max) pixels")
        }
        header = QOIHeader(size: size, hasAlpha: info.alpha.hasAlpha)
        remaining = RemainingRows(info, in: .qoi)
        packer = QOIPacker(width: size.width, hasAlpha: info.alpha.hasAlpha)
        self.output = output
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try remaining.check(rows)
        if !hasWrittenHead {
            hasWrittenHead = true
            try output.write(header.bytes)
        }
        for y in 0..<rows.count {
            if !packer.hasRoom { try packer.flush(to: output) }
            packer.pack(rows.row(y, as: RGBA8.self))
        }
        try packer.flush(to: output)
        remaining.count -= rows.count
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        packer.endRun()
        try packer.flush(to: output)
        try output.write(QOIHeader.endMarker)
    }
}

/// Encodes pixels as chunks and buffers the bytes until `flush`.
struct QOIPacker {
    private var bytes: [UInt8]
    private var count = 0
    /// The most bytes that a row takes, including a run before it.
    private let rowByteCount: Int
    private var seen = [RGBA8](repeating: RGBA8(0, 0, 0, 0), count: 64)
    private var previous = RGBA8(0, 0, 0, 255)
    /// The number of repetitions of `previous` that no chunk covers yet.
    private var run = 0
    /// 255 where the image has no alpha, ORed into each pixel's alpha; else 0.
    private let opaque: UInt8

    /// The longest run of one chunk: the tags of 63 and 64 are those of RGB and RGBA.
    private static let longestRun = 62

    init(width: Int, hasAlpha: Bool) {
        rowByteCount = width * (hasAlpha ? 5 : 4) + 1
        bytes = [UInt8](repeating: 0, count: max(1 << 16, rowByteCount))
        opaque = hasAlpha ? 0 : 255
    }

    /// Whether the buffer has room for any row.
    var hasRoom: Bool { bytes.count - count >= rowByteCount }

    /// Writes the buffered chunks.
    mutating func flush(to output: any ByteSink) throws(ImageError) {
        try output.write(bytes.span.extracting(first: count).bytes)
        count = 0
    }

    /// Writes a chunk for the current run, if there is one.
    mutating func endRun() {
        guard run > 0 else { return }
        bytes[count] = 0xC0 | UInt8(run - 1)
        count += 1
        run = 0
    }

    /// Encodes a row. The buffer must have room for it.
    mutating func pack(_ row: Span<RGBA8>) {
        let opaque = opaque
        var (previous, run, next) = (previous, run, count)
        // Moved into locals for the call, which avoids a lookup for each pixel.
        var (chunks, seenPixels) = (bytes, seen)
        (bytes, seen) = ([], [])
        defer {
            (self.previous, self.run, count) = (previous, run, next)
            (self.bytes, self.seen) = (chunks, seenPixels)
        }
        var bytes = chunks.mutableSpan
        var seen = seenPixels.mutableSpan
        for x in 0..<row.count {
            var pixel = row[x]
            pixel.alpha |= opaque
            if pixel.qoiBits == previous.qoiBits {
                run += 1
                if run == Self.longestRun {
                    bytes[next] = 0xC0 | UInt8(Self.longestRun - 1)
                    next += 1
                    run = 0
                }
                continue
            }
            if run > 0 {
                bytes[next] = 0xC0 | UInt8(run - 1)
                next += 1
                run = 0
            }
            let index = pixel.qoiIndex
            if seen[index].qoiBits == pixel.qoiBits {
                bytes[next] = UInt8(index)
                next += 1
                previous = pixel
                continue
            }
            seen[index] = pixel
            let red = pixel.red &- previous.red
            let green = pixel.green &- previous.green
            let blue = pixel.blue &- previous.blue
            let (redToGreen, blueToGreen) = (red &- green &+ 8, blue &- green &+ 8)
            if pixel.alpha != previous.alpha {
                bytes[next] = 0xFF
                bytes[next + 1] = pixel.red
                bytes[next + 2] = pixel.green
                bytes[next + 3] = pixel.blue
                bytes[next + 4] = pixel.alpha
                next += 5
            } else if red &+ 2 < 4, green &+ 2 < 4, blue &+ 2 < 4 {
                bytes[next] = 0x40 | (red &+ 2) << 4 | (green &+ 2) << 2 | (blue &+ 2)
                next += 1
            } else if green &+ 32 < 64, redToGreen < 16, blueToGreen < 16 {
                bytes[next] = 0x80 | (green &+ 32)
                bytes[next + 1] = redToGreen << 4 | blueToGreen
                next += 2
            } else {
                bytes[next] = 0xFE
                bytes[next + 1] = pixel.red
                bytes[next + 2] = pixel.green
                bytes[next + 3] = pixel.blue
                next += 4
            }
            previous = pixel
        }
    }
}
