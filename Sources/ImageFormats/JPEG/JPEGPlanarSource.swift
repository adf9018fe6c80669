internal import CTesseraJPEG
package import Raster

/// A JPEG's planes as the file samples them, a strip of rows at a time: no upsampling, no conversion to RGB.
///
/// For work that ends in a JPEG again, or that is cheaper before the planes are joined. Rows are as stored, not turned;
/// the colours are the file's.
package final class JPEGPlanarSource {
    /// What the file says of the picture.
    package let header: ImageHeader
    /// Width and height of the planes together.
    package let size: PixelSize

    private let decoder: JPEGDecoder
    private let bytes: any ByteReader
    private let shape: tessera_jpeg_output
    private var nextRow = 0
    private var isFinished = false

    /// Reads the header and prepares to decode.
    /// - Throws: `unsupported` for a picture whose components aren't grey or Y, Cb and Cr; otherwise as any JPEG session.
    package init(_ bytes: any ByteReader, options: DecodingOptions = DecodingOptions()) throws(ImageError) {
        decoder = try JPEGDecoder(options: options)
        self.bytes = bytes
        while decoder.header == nil {
            if try !Self.appendNext(of: bytes, to: decoder) {
                isFinished = true
                break
            }
        }
        guard let header = decoder.header else { throw ImageError(.truncated, "the JPEG ends before its header does") }
        self.header = header
        shape = try decoder.startPlanes()
        size = PixelSize(width: Int(shape.width), height: Int(shape.height))
    }

    /// Fills rows that begin at `planes`, `strides` bytes apart: at least as many as a plane is wide, in whole blocks of 8.
    /// - Returns: How many of the picture's rows were read, 0 after the last; of each plane as many as that needs, and what
    ///   follows them up to a strip's height may be overwritten.
    /// - Throws: `truncated` or `corrupt` for what keeps the rows from being made.
    package func read(
        into planes: [UnsafeMutablePointer<UInt8>], strides: [Int]
    ) throws(ImageError) -> Int {
        precondition(planes.count == Int(shape.planes) && strides.count == planes.count)
        guard nextRow < size.height else { return 0 }
        if nextRow == 0, !isFinished, let byteCount = bytes.byteCount, decoder.prepareToShareScans(byteCount: byteCount)
        {
            while try Self.appendNext(of: bytes, to: decoder) {}
            isFinished = true
            decoder.shareScans()
        }
        let addresses: [UnsafeMutablePointer<UInt8>?] = planes + [nil, nil, nil]
        while true {
            let count = try decoder.readStrip(addresses, strides + [0, 0, 0])
            if count > 0 {
                nextRow += count
                return count
            }
            guard !isFinished else { throw ImageError(.truncated, "the JPEG ends too early") }
            isFinished = try !Self.appendNext(of: bytes, to: decoder)
        }
    }

    /// Rows of the picture that come at once, but for the last time.
    package var stripHeight: Int { Int(shape.strip_height) }

    /// How many pixels a sample of each plane stands for, across and down; 0 for what is no whole number.
    package var sampling: [(horizontal: Int, vertical: Int)] {
        let stored = decoder.stored
        let horizontal = [stored.horizontal_sampling.0, stored.horizontal_sampling.1, stored.horizontal_sampling.2]
        let vertical = [stored.vertical_sampling.0, stored.vertical_sampling.1, stored.vertical_sampling.2]
        let count = Int(shape.planes)
        let (widest, highest) = (horizontal.prefix(count).max() ?? 1, vertical.prefix(count).max() ?? 1)
        return (0..<count).map { index in
            let (across, down) = (horizontal[index], vertical[index])
            return (
                across > 0 && widest % across == 0 ? Int(widest / across) : 0,
                down > 0 && highest % down == 0 ? Int(highest / down) : 0
            )
        }
    }

    /// Says after the last row what was wrong with the picture nevertheless.
    /// - Throws: `corrupt` for what was concealed.
    package func finish() throws(ImageError) { try decoder.checkSoundness() }

    /// Feeds the decoder with the next bytes, or tells it that there are no more: then false.
    private static func appendNext(of bytes: any ByteReader, to decoder: JPEGDecoder) throws(ImageError) -> Bool {
        let more = try bytes.nextBytes { (piece) throws(ImageError) in try decoder.append(piece) }
        if !more { try decoder.finish() }
        return more
    }
}
