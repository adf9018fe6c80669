internal import CTesseraLibDeflate
internal import Raster

/// Puts chunks together: length, type, data, checksum (ISO/IEC 15948, 5.3).
struct PNGChunkWriter {
    private let output: any ByteSink

    init(_ output: any ByteSink) {
        self.output = output
    }

    func writeSignature() throws(ImageError) {
        try output.write(PNGChunkReader.signature)
    }

    func write(_ type: PNGChunkType, _ data: [UInt8]) throws(ImageError) {
        try write(type, data.span.bytes)
    }

    func write(_ type: PNGChunkType, _ data: RawSpan) throws(ImageError) {
        guard data.byteCount <= 0x7FFF_FFFF else {
            throw ImageError(.limitExceeded, "a PNG chunk can't hold \(data.byteCount) bytes")
        }
        let head = Self.bytes(UInt32(data.byteCount)) + Self.bytes(type.code)
        var checksum = head.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress! + 4, 4) }
        checksum = data.withUnsafeBytes { $0.isEmpty ? checksum : libdeflate_crc32(checksum, $0.baseAddress, $0.count) }
        try output.write(head)
        try output.write(data)
        try output.write(Self.bytes(checksum))
    }

    static func bytes(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
