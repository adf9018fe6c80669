internal import CTesseraKernels
internal import JPEGBitstream

extension JPEGSampleRows {
    /// Writes columns of the lines as 8-bit or 16-bit pixels: grey, or opaque RGB; of four components CMYK as stored.
    /// - Parameters:
    ///   - isYCC: Whether the first three of several components are YCbCr: luma and chroma of RGB, or of the complements of
    ///     CMY.
    ///   - target: Room for the columns' pixels.
    package func writePixels(_ columns: Range<Int>, isYCC: Bool, to target: UnsafeMutableRawPointer) {
        precondition(columns.lowerBound >= 0 && columns.upperBound <= width)
        planes[0].line.withUnsafeBufferPointer { first in
            // Fewer planes have no further lines, which aren't read.
            planes[min(1, planes.count - 1)].line.withUnsafeBufferPointer { second in
                planes[min(2, planes.count - 1)].line.withUnsafeBufferPointer { third in
                    planes[planes.count - 1].line.withUnsafeBufferPointer { fourth in
                        let lines = (first.baseAddress!, second.baseAddress!, third.baseAddress!, fourth.baseAddress!)
                        Self.writePixels(columns, lines, count: planes.count, bits: bits, isYCC: isYCC, to: target)
                    }
                }
            }
        }
    }

    /// Writes columns of lines, which have a sample for each column of the image, as `writePixels(_:isYCC:to:)` does.
    /// - Parameters:
    ///   - planeCount: The lines that count: 1, 3 or 4.
    ///   - isStreamed: Whether the pixels may bypass the caches, since nobody reads them soon.
    static func writePixels(
        _ columns: Range<Int>,
        _ lines: (UnsafePointer<UInt16>, UnsafePointer<UInt16>, UnsafePointer<UInt16>, UnsafePointer<UInt16>),
        count planeCount: Int, bits: UInt32, isYCC: Bool, isStreamed: Bool = false, to target: UnsafeMutableRawPointer
    ) {
        let (first, count) = (columns.lowerBound, columns.count)
        let (a, b, c, d) = (lines.0 + first, lines.1 + first, lines.2 + first, lines.3 + first)
        let (bytes, words) = (target.assumingMemoryBound(to: UInt8.self), target.assumingMemoryBound(to: UInt16.self))
        switch (planeCount, bits) {
        case (1, 8): tessera_jpeg_gray8(a, bytes, count)
        case (1, _): tessera_jpeg_gray16(a, words, count)
        case (4, _):
            let convert = isYCC ? tessera_jpeg_cmyk8_of_ycck : tessera_jpeg_cmyk8
            convert(a, b, c, d, bytes, count)
        case (_, 8):
            isYCC
                ? tessera_jpeg_rgba8_of_ycc(a, b, c, bytes, count, isStreamed)
                : tessera_jpeg_rgba8_of_rgb(a, b, c, bytes, count)
        default:
            let convert = isYCC ? tessera_jpeg_rgba16_of_ycc : tessera_jpeg_rgba16_of_rgb
            convert(a, b, c, words, count)
        }
    }
}
