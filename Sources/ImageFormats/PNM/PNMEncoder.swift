internal import Raster

/// Writes each row when it arrives: grey as PGM, colours as PPM, colours with alpha as PAM.
final class PNMEncoder: RowSink {
    private let output: any ByteSink
    private let info: BitmapInfo
    private var remaining: RemainingRows
    private var packed: [UInt8]
    private var hasWrittenHead = false

    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try options.validate()
        guard info.alpha != .premultiplied, info.profile == .sRGB, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a PNM takes grey or RGB in sRGB with straight alpha or none")
        }
        self.info = info
        self.output = output
        remaining = RemainingRows(info, in: .pnm)
        packed = [UInt8](repeating: 0, count: info.size.width * Int(info.storedBytesPerPixel))
    }

    private var head: String {
        let (size, white) = (info.size, info.format.bitsPerChannel == 16 ? 65535 : 255)
        guard info.alpha.hasAlpha else {
            return "\(info.format.isGray ? "P5" : "P6")\n\(size.width) \(size.height)\n\(white)\n"
        }
        return "P7\nWIDTH \(size.width)\nHEIGHT \(size.height)\nDEPTH 4\nMAXVAL \(white)\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try remaining.check(rows)
        if !hasWrittenHead {
            hasWrittenHead = true
            try output.write(Array(head.utf8))
        }
        for y in 0..<rows.count {
            switch info.format {
            case .gray8: try output.write(rows.bytes(y))
            case .gray16: try write(rows.row(y, as: Gray16.self))
            case .rgba8:
                if info.alpha.hasAlpha {
                    try output.write(rows.bytes(y))
                } else {
                    try write(rows.row(y, as: RGBA8.self))
                }
            case .rgba16: try write(rows.row(y, as: RGBA16.self))
            }
        }
        remaining.count -= rows.count
    }

    func finish() throws(ImageError) { try remaining.checkNone() }

    // Samples of 16 bits are big-endian in the file.

    private func write(_ row: Span<Gray16>) throws(ImageError) {
        var bytes = packed.mutableSpan
        for x in row.indices {
            bytes[2 &* x] = UInt8(truncatingIfNeeded: row[x].value &>> 8)
            bytes[2 &* x &+ 1] = UInt8(truncatingIfNeeded: row[x].value)
        }
        try output.write(packed)
    }

    private func write(_ row: Span<RGBA8>) throws(ImageError) {
        var bytes = packed.mutableSpan
        for x in row.indices {
            let (pixel, at) = (row[x], 3 &* x)
            bytes[at] = pixel.red
            bytes[at &+ 1] = pixel.green
            bytes[at &+ 2] = pixel.blue
        }
        try output.write(packed)
    }

    private func write(_ row: Span<RGBA16>) throws(ImageError) {
        let channelCount = info.alpha.hasAlpha ? 4 : 3
        var bytes = packed.mutableSpan
        var at = 0
        for x in row.indices {
            let pixel = row[x]
            let channels: InlineArray<4, UInt16> = [pixel.red, pixel.green, pixel.blue, pixel.alpha]
            for index in 0..<channelCount {
                bytes[at] = UInt8(truncatingIfNeeded: channels[index] &>> 8)
                bytes[at &+ 1] = UInt8(truncatingIfNeeded: channels[index])
                at &+= 2
            }
        }
        try output.write(packed)
    }
}
