internal import Raster

/// The acTL chunk: what a PNG file says of its animation (PNG, third edition, 11.3.6.1).
struct PNGAnimationControl: Hashable {
    var frameCount: Int
    /// 0 for without end.
    var playCount: Int

    init(frameCount: Int, playCount: Int) {
        self.frameCount = frameCount
        self.playCount = playCount
    }

    /// Reads the chunk's data; nil when it makes no sense, and the file is a still.
    init?(_ data: [UInt8]) {
        guard data.count == 8 else { return nil }
        frameCount = data[0..<4].reduce(0) { $0 << 8 | Int($1) }
        playCount = data[4..<8].reduce(0) { $0 << 8 | Int($1) }
        guard frameCount > 0, frameCount <= 0x7FFF_FFFF, playCount <= 0x7FFF_FFFF else { return nil }
    }

    /// The chunk's data.
    var data: [UInt8] { PNGChunkWriter.bytes(UInt32(frameCount)) + PNGChunkWriter.bytes(UInt32(playCount)) }

    var sequence: ImageSequence { ImageSequence(.animation, count: frameCount, loopCount: playCount) }

    /// Whether an acTL chunk comes before the pixels, as far as the beginning of a file shows.
    static func stands(in prefix: RawSpan) -> Bool {
        var offset = PNGChunkReader.signature.count
        while offset + 8 <= prefix.byteCount {
            // Both words lie within the prefix by the line above.
            let length = UInt32(bigEndian: prefix.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
            let code = UInt32(bigEndian: prefix.unsafeLoadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
            if code == PNGChunkType.animationControl.code { return true }
            if code == PNGChunkType.imageData.code { return false }
            offset += 12 + Int(length)
        }
        return false
    }
}
