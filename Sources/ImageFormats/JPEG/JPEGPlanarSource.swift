internal import CTesseraJPEG
package import Raster

/// A JPEG's planes as the file samples them, a strip of rows at a time: no upsampling, no conversion to RGB.
///
/// For work that ends in a JPEG again, or that is cheaper before the planes are joined. Rows are as stored, not turned;
/// the colours are the file's.
///
/// ```swift
/// let source = try JPEGPlanarSource(Source(bytes), eighths: 1)
/// var strip = source.makeStrip()
/// while try source.read(into: &strip) { use(strip) }
/// ```
package final class JPEGPlanarSource {
    /// What the file says of the picture.
    package let header: ImageHeader
    /// Width and height of the planes together, at the scale asked for.
    package let size: PixelSize

    private let decoder: JPEGDecoder
    private let bytes: any ByteReader
    private let shape: tessera_jpeg_output
    private var nextRow = 0
    private var isFinished = false

    /// Reads the header and prepares to decode at `eighths` of the stored size, 1 to 8.
    /// - Throws: `unsupported` for a picture whose components aren't grey or Y, Cb and Cr; `invalidParameter` for another
    ///   scale; otherwise as any JPEG session.
    package init(
        _ bytes: any ByteReader, eighths: Int = 8, options: DecodingOptions = DecodingOptions()
    ) throws(ImageError) {
        guard (1...8).contains(eighths) else {
            throw ImageError(.invalidParameter, "a scale of \(eighths)/8 is not between 1/8 and 8/8")
        }
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
        shape = try decoder.startPlanes(eighths: eighths)
        size = PixelSize(width: Int(shape.width), height: Int(shape.height))
    }

    /// As `init(_:eighths:options:)` of a reader.
    package convenience init(
        _ source: Source, eighths: Int = 8, options: DecodingOptions = DecodingOptions()
    ) throws(ImageError) {
        try self.init(source.reader(), eighths: eighths, options: options)
    }

    /// An empty strip of the right shape, to be filled again and again.
    package func makeStrip() -> PlanarStrip {
        var planes: [PlanarStrip.Plane] = []
        let counts = [shape.plane_width.0, shape.plane_width.1, shape.plane_width.2]
        let heights = [shape.plane_strip_height.0, shape.plane_strip_height.1, shape.plane_strip_height.2]
        let strides = [shape.plane_stride.0, shape.plane_stride.1, shape.plane_stride.2]
        for index in 0..<Int(shape.planes) {
            planes.append(
                PlanarStrip.Plane(
                    width: Int(counts[index]), height: Int(heights[index]), stride: Int(strides[index])))
        }
        return PlanarStrip(planes: planes)
    }

    /// Fills `strip`, a result of `makeStrip()`, with the rows that come next; false after the last.
    /// - Throws: `truncated` or `corrupt` for what keeps the rows from being made; `invalidParameter` for another strip.
    package func read(into strip: inout PlanarStrip) throws(ImageError) -> Bool {
        guard strip.planes.count == Int(shape.planes), strip.isShaped(like: makeStrip()) else {
            throw ImageError(.invalidParameter, "a strip that this source didn't make")
        }
        guard nextRow < size.height else { return false }
        let first = nextRow
        let count = try readRows { (decoder) throws(ImageError) in try decoder.readStrip(into: &strip) }
        strip.firstRow = first
        strip.rowCount = count
        return true
    }

    /// As `read(into:)`, to where rows of each plane begin, `strides` bytes apart, as long as those of `makeStrip()`.
    /// - Returns: How many of the picture's rows were read, 0 after the last; of each plane as many as that needs, and what
    ///   follows them up to a strip's height may be overwritten.
    package func read(
        into planes: [UnsafeMutablePointer<UInt8>], strides: [Int]
    ) throws(ImageError) -> Int {
        precondition(planes.count == Int(shape.planes) && strides.count == planes.count)
        guard nextRow < size.height else { return 0 }
        let addresses: [UnsafeMutablePointer<UInt8>?] = planes + [nil, nil, nil]
        return try readRows { (decoder) throws(ImageError) in
            try decoder.readStrip(addresses, strides + [0, 0, 0])
        }
    }

    /// Rows of the picture that come at once, but for the last time.
    package var stripHeight: Int { Int(shape.strip_height) }

    /// How many pixels a sample of each plane stands for, across and down.
    package var sampling: [Sampling] {
        let stored = decoder.stored
        let horizontal = [stored.horizontal_sampling.0, stored.horizontal_sampling.1, stored.horizontal_sampling.2]
        let vertical = [stored.vertical_sampling.0, stored.vertical_sampling.1, stored.vertical_sampling.2]
        let count = Int(shape.planes)
        let (widest, highest) = (horizontal.prefix(count).max() ?? 1, vertical.prefix(count).max() ?? 1)
        return (0..<count).map { index in
            // 0 stands for what isn't a whole number.
            let (across, down) = (horizontal[index], vertical[index])
            return Sampling(
                horizontal: across > 0 && widest % across == 0 ? Int(widest / across) : 0,
                vertical: down > 0 && highest % down == 0 ? Int(highest / down) : 0)
        }
    }

    /// How many pixels a sample stands for.
    package struct Sampling: Hashable, Sendable {
        /// Across; 0 where it is no whole number.
        package var horizontal: Int
        /// Down; 0 where it is no whole number.
        package var vertical: Int

        package init(horizontal: Int, vertical: Int) {
            self.horizontal = horizontal
            self.vertical = vertical
        }
    }

    /// Says after the last row what was wrong with the picture nevertheless.
    /// - Throws: `corrupt` for what was concealed.
    package func finish() throws(ImageError) { try decoder.checkSoundness() }

    private func readRows(
        _ read: (JPEGDecoder) throws(ImageError) -> Int
    ) throws(ImageError) -> Int {
        if nextRow == 0, !isFinished, let byteCount = bytes.byteCount, decoder.prepareToShareScans(byteCount: byteCount)
        {
            while try Self.appendNext(of: bytes, to: decoder) {}
            isFinished = true
            decoder.shareScans()
        }
        while true {
            let count = try read(decoder)
            if count > 0 {
                nextRow += count
                return count
            }
            guard !isFinished else { throw ImageError(.truncated, "the JPEG ends too early") }
            isFinished = try !Self.appendNext(of: bytes, to: decoder)
        }
    }

    /// Feeds the decoder with the next bytes, or tells it that there are no more: then false.
    private static func appendNext(of bytes: any ByteReader, to decoder: JPEGDecoder) throws(ImageError) -> Bool {
        let more = try bytes.nextBytes { (piece) throws(ImageError) in try decoder.append(piece) }
        if !more { try decoder.finish() }
        return more
    }
}

extension PlanarStrip {
    fileprivate func isShaped(like other: PlanarStrip) -> Bool {
        zip(planes, other.planes).allSatisfy {
            $0.width == $1.width && $0.height == $1.height && $0.stride == $1.stride
                && $0.samples.count == $1.samples.count
        }
    }
}
