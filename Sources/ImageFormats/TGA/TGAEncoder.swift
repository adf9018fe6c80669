internal import Raster

/// Writes each row when it arrives, top-down.
final class TGAEncoder: RowSink {
    private let output: any ByteSink
    private let info: BitmapInfo
    private let usesRunLengths: Bool
    private let pixelByteCount: Int
    private var remaining: RemainingRows
    /// A row as it is stored without run lengths.
    private var row: [UInt8]
    private var packets: [UInt8] = []
    private var hasWrittenHead = false

    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try options.validate()
        guard info.format.bitsPerChannel == 8, info.alpha != .premultiplied, info.profile == .sRGB, !info.size.isEmpty
        else {
            throw ImageError(
                .invalidParameter, "a TGA takes grey or RGB of 8 bits in sRGB with straight alpha or none")
        }
        guard max(info.size.width, info.size.height) <= UInt16.max else {
            throw ImageError(
                .limitExceeded, "a TGA can't be \(info.size) pixels; the limit for a side is \(UInt16.max)")
        }
        self.info = info
        self.output = output
        usesRunLengths = options.tga.usesRunLengths
        pixelByteCount = Int(info.storedBytesPerPixel)
        remaining = RemainingRows(info, in: .tga)
        row = [UInt8](repeating: 0, count: info.size.width * pixelByteCount)
    }

    private var head: [UInt8] {
        let kind: TGAHeader.Kind = info.format.isGray ? .gray : .rgb
        var head: [UInt8] = [0, 0, kind.rawValue | (usesRunLengths ? 8 : 0)] + [UInt8](repeating: 0, count: 9)
        head.append(littleEndian: info.size.width, byteCount: 2)
        head.append(littleEndian: info.size.height, byteCount: 2)
        // The first row is the top one; eight attribute bits are alpha.
        return head + [UInt8(8 * pixelByteCount), 0x20 | (info.alpha.hasAlpha ? 8 : 0)]
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try remaining.check(rows)
        if !hasWrittenHead {
            hasWrittenHead = true
            try output.write(head)
        }
        for y in 0..<rows.count {
            var bytes = row.mutableSpan
            if info.format.isGray {
                let pixels = rows.row(y, as: Gray8.self)
                for x in pixels.indices { bytes[x] = pixels[x].value }
            } else {
                Self.pack(rows.row(y, as: RGBA8.self), into: &bytes, hasAlpha: info.alpha.hasAlpha)
            }
            if usesRunLengths {
                packets.removeAll(keepingCapacity: true)
                appendPackets()
                try output.write(packets)
            } else {
                try output.write(row)
            }
        }
        remaining.count -= rows.count
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        // Version 2's footer, with neither an extension area nor a developer area.
        try output.write([UInt8](repeating: 0, count: 8) + TGAAlpha.signature)
    }

    private static func pack(_ pixels: Span<RGBA8>, into bytes: inout MutableSpan<UInt8>, hasAlpha: Bool) {
        var at = 0
        for x in pixels.indices {
            let pixel = pixels[x]
            bytes[at] = pixel.blue
            bytes[at &+ 1] = pixel.green
            bytes[at &+ 2] = pixel.red
            if hasAlpha { bytes[at &+ 3] = pixel.alpha }
            at &+= hasAlpha ? 4 : 3
        }
    }

    /// Appends the packets of `row`. None continues in the next row, as version 2 requires.
    private func appendPackets() {
        let (row, size) = (row, pixelByteCount)
        let width = info.size.width
        // A run of two grey pixels saves nothing.
        let shortestRun = size == 1 ? 3 : 2
        var literal = 0
        var x = 0
        while x < width {
            var run = 1
            while x + run < width, run < 128, Self.isEqual(row.span, x * size, (x + run) * size, size) { run += 1 }
            if run >= shortestRun {
                appendLiterals(literal..<x)
                packets.append(0x80 | UInt8(run - 1))
                packets += row[(x * size)..<((x + 1) * size)]
                literal = x + run
            }
            x += run
        }
        appendLiterals(literal..<width)
    }

    private func appendLiterals(_ pixels: Range<Int>) {
        for start in stride(from: pixels.lowerBound, to: pixels.upperBound, by: 128) {
            let end = min(pixels.upperBound, start + 128)
            packets.append(UInt8(end - start - 1))
            packets += row[(start * pixelByteCount)..<(end * pixelByteCount)]
        }
    }

    @inline(__always)
    private static func isEqual(_ bytes: Span<UInt8>, _ a: Int, _ b: Int, _ count: Int) -> Bool {
        for index in 0..<count where bytes[a &+ index] != bytes[b &+ index] { return false }
        return true
    }
}
