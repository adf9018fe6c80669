import ImageFormats
import Raster

/// Animations for the viewer to play.
enum AnimatedFile {
    /// A GIF without end that shows each of `frames` for `delay` seconds.
    static func gif(_ frames: [Bitmap], delay: Double) throws -> [UInt8] {
        let buffer = ByteBuffer()
        try ImageDestination(format: .gif).encode(count: frames.count, to: buffer) { (frames[$0], delay) }
        return buffer.bytes
    }
}
