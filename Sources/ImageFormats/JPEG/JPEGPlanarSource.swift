internal import CTesseraJPEG
package import Raster

/// Reads a JPEG's planes at their stored resolution, a strip of rows at a time: no upsampling, no conversion to RGB.
///
/// For work that writes JPEG again, or that costs less on separate planes. Rows are as stored, without the orientation
/// applied; the samples are in the file's colour space.
package final class JPEGPlanarSource {
    /// The file's header, with the size and the orientation as stored.
    package let header: ImageHeader
    /// The size of the image at full resolution.
    package let size: PixelSize

    private let decoder: JPEGDecoder
    private let bytes: any ByteReader
    private let shape: JPEGPlaneShape
    private var nextRow = 0
    private var isFinished = false

    /// Reads the header and prepares to decode.
    /// - Throws: `unsupported` unless the image is grey or YCbCr; otherwise as any JPEG session.
    package init(_ bytes: any ByteReader, options: DecodingOptions = DecodingOptions()) throws(ImageError) {
        decoder = try JPEGDecoder(options: options)
        self.bytes = bytes
        decoder.source = (bytes as? Source.Reader)?.wholeSource
        while decoder.header == nil {
            if try !Self.appendNext(of: bytes, to: decoder) {
                isFinished = true
                break
            }
        }
        guard let header = decoder.header else { throw ImageError(.truncated, "the JPEG ends before its header does") }
        self.header = header
        shape = try decoder.startPlanes()
        size = shape.size
    }

    /// Reads a strip into rows that begin at `planes`, `strides` bytes apart; each row has room for its plane's width
    /// in whole blocks of 8.
    /// - Returns: The number of image rows read, 0 after the last; each plane has the rows that these need. The rows
    ///   after them, up to the strip's height, may be overwritten.
    /// - Throws: `truncated` or `corrupt` if the rows can't be decoded.
    package func read(
        into planes: [UnsafeMutablePointer<UInt8>], strides: [Int]
    ) throws(ImageError) -> Int {
        precondition(planes.count == shape.planeCount && strides.count == planes.count)
        guard nextRow < size.height else { return 0 }
        while true {
            let count = try decoder.readStrip(planes, strides)
            if count > 0 {
                nextRow += count
                return count
            }
            guard !isFinished else { throw ImageError(.truncated, "the JPEG ends too early") }
            isFinished = try !Self.appendNext(of: bytes, to: decoder)
        }
    }

    /// The number of image rows in each strip but the last.
    package var stripHeight: Int { shape.stripHeight }

    /// The pixels per sample of each plane, horizontally and vertically; 0 if that isn't a whole number.
    package var sampling: [(horizontal: Int, vertical: Int)] {
        let stored = decoder.stored
        let horizontal = [stored.horizontal_sampling.0, stored.horizontal_sampling.1, stored.horizontal_sampling.2]
        let vertical = [stored.vertical_sampling.0, stored.vertical_sampling.1, stored.vertical_sampling.2]
        let count = shape.planeCount
        let (widest, highest) = (horizontal.prefix(count).max() ?? 1, vertical.prefix(count).max() ?? 1)
        return (0..<count).map { index in
            let (across, down) = (horizontal[index], vertical[index])
            return (
                across > 0 && widest % across == 0 ? Int(widest / across) : 0,
                down > 0 && highest % down == 0 ? Int(highest / down) : 0
            )
        }
    }

    /// Checks, after the last row, that nothing was missing or damaged.
    /// - Throws: `truncated`, or `corrupt` for damage that was concealed.
    package func finish() throws(ImageError) { try decoder.checkSoundness() }

    /// Appends the next bytes to the decoder; at the end of input finishes it and returns false.
    private static func appendNext(of bytes: any ByteReader, to decoder: JPEGDecoder) throws(ImageError) -> Bool {
        let more = try bytes.nextBytes { (piece) throws(ImageError) in try decoder.append(piece) }
        if !more { try decoder.finish() }
        return more
    }
}
