internal import Raster

/// The fcTL chunk: a frame's region, duration, disposal and blending (PNG, third edition, 11.3.6.2).
enum PNGFrameControl {
    /// The length of the chunk's data.
    static let byteCount = 26

    /// Reads the chunk's data, except for its sequence number.
    static func frame(_ data: [UInt8], canvas: PixelSize, offset: Int) throws(ImageError) -> AnimationFrame {
        func fail(_ message: String, at position: Int) -> ImageError {
            ImageError(.corrupt, "a frame of the PNG animation " + message, byteOffset: offset + position)
        }
        guard data.count == byteCount else { throw fail("has a control chunk of another length", at: 0) }
        func number(_ position: Int, _ count: Int) -> Int {
            data.bigEndian(at: position, byteCount: count)!
        }
        let region = PixelRect(x: number(12, 4), y: number(16, 4), width: number(4, 4), height: number(8, 4))
        guard region.lies(within: canvas) else {
            throw fail("of \(region.size) at (\(region.x), \(region.y)) lies outside the canvas of \(canvas)", at: 4)
        }
        let disposal: AnimationFrame.Disposal =
            switch data[24] {
            case 0: .keep
            case 1: .background
            case 2: .previous
            default: throw fail("is disposed of in the unknown way \(data[24])", at: 24)
            }
        guard data[25] <= 1 else { throw fail("is blended in the unknown way \(data[25])", at: 25) }
        // A denominator of 0 means hundredths of a second.
        let denominator = number(22, 2) == 0 ? 100 : number(22, 2)
        return AnimationFrame(
            region: region, blending: data[25] == 0 ? .source : .over, disposal: disposal,
            storedDuration: Double(number(20, 2)) / Double(denominator))
    }

    /// The chunk's data for `frame` after its sequence number.
    static func data(_ frame: AnimationFrame) -> [UInt8] {
        let region = frame.region
        let numbers = [region.width, region.height, region.x, region.y]
        let (numerator, denominator) = fraction(frame.storedDuration)
        let disposal: UInt8 = frame.disposal == .keep ? 0 : frame.disposal == .background ? 1 : 2
        return numbers.flatMap { $0.bigEndianBytes(4) }
            + [UInt8(numerator >> 8), UInt8(numerator & 255), UInt8(denominator >> 8), UInt8(denominator & 255)]
            + [disposal, frame.blending == .source ? 0 : 1]
    }

    /// Approximates a duration by a fraction of two 16-bit numbers, with continued fractions.
    static func fraction(_ duration: Double) -> (numerator: Int, denominator: Int) {
        guard duration > 0 else { return (0, 1) }
        guard duration < 65535 else { return (65535, 1) }
        var (last, current) = ((1, 0), (Int(duration), 1))
        var rest = duration - duration.rounded(.down)
        // A smaller remainder is a rounding error.
        while rest > 1e-9 {
            let inverse = 1 / rest
            guard inverse < 65536 else { break }
            let whole = Int(inverse)
            let next = (whole * current.0 + last.0, whole * current.1 + last.1)
            guard next.0 <= 65535, next.1 <= 65535 else { break }
            (last, current) = (current, next)
            if abs(Double(current.0) / Double(current.1) - duration) < 1e-9 { break }
            rest = inverse - inverse.rounded(.down)
        }
        return current
    }
}

/// The acTL chunk: the number of frames and of plays (PNG, third edition, 11.3.6.1).
struct PNGAnimationControl: Hashable {
    var frameCount: Int
    /// The number of plays; 0 for endless.
    var playCount: Int
}

extension PNGAnimationControl {
    /// Reads the chunk's data; nil if it is invalid, and the file is decoded as a still.
    init?(_ data: [UInt8]) {
        guard data.count == 8 else { return nil }
        frameCount = data[0..<4].reduce(0) { $0 << 8 | Int($1) }
        playCount = data[4..<8].reduce(0) { $0 << 8 | Int($1) }
        guard frameCount > 0, frameCount <= 0x7FFF_FFFF, playCount <= 0x7FFF_FFFF else { return nil }
    }

    /// The chunk's data.
    var data: [UInt8] { frameCount.bigEndianBytes(4) + playCount.bigEndianBytes(4) }

    var sequence: ImageSequence { ImageSequence(.animation, count: frameCount, loopCount: playCount) }

    /// Whether an acTL chunk precedes the image data, as far as `prefix` shows.
    static func stands(in prefix: RawSpan) -> Bool {
        var offset = PNGChunkReader.signature.count
        while offset + 8 <= prefix.byteCount {
            // Both words lie within the prefix by the loop's condition.
            let length = prefix.bigEndianUInt32(at: offset)
            let code = prefix.bigEndianUInt32(at: offset + 4)
            if code == PNGChunkType.animationControl.code { return true }
            if code == PNGChunkType.imageData.code { return false }
            offset += 12 + Int(length)
        }
        return false
    }
}
